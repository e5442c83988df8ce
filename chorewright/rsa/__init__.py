"""How to say it: plans cut into subgoals, and put into English.

``segments`` cuts a household plan into ALFRED's subgoals. ``directives`` says such a plan as several people
would: a goal sentence, and one sentence a subgoal. Words are data, in ``data/``. This room may use domains,
planner and problems, never a simulator: it speaks of scenes, plans and poses, not of how they were run.
"""
