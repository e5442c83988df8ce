"""HandMeThat's language: meanings and their subgoals, requests, goal inference and clarification.

``meanings`` and ``descriptions`` say what can be asked, ``utility`` and ``subgoals`` what it is worth,
``requests`` words it, ``hardness`` tells levels; ``goal_inference`` and ``clarification`` are the robot's side.
"""
