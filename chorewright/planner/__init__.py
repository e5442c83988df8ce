"""How to get there: grounding, heuristics, search, plan improvement, validation and plan files.

The planner takes any PDDL domain; it knows no household word. ``planning.solve`` is the front door,
``validation.validate`` the independent judge, ``plan_files`` reads and writes plans.
"""
