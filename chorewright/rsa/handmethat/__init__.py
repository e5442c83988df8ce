"""HandMeThat's language: meanings and their subgoals, requests, goal inference and clarification.

``meanings`` and ``descriptions`` define what can be asked, ``subgoals`` and ``utility`` what it is worth. ``requests``
words it, and what the robot may ask about it; ``utility`` decides its level, too. ``goal_inference`` is the robot's
side.
"""

COST_NAMES = ("optimal", "satisficing")
"""The ways in which ``subgoals`` finds what goals cost."""
