"""BEHAVIOR's activities as planning problems.

Read ``kinds`` (the shipped activities, what things are for, what becomes of what), ``activity_problem`` (all of it as
PDDL, with what an activity leaves unsaid) and ``scenes``. ``benchmarks.shipped.activities`` makes the shipped file from
the packages of bddl.
"""

MOST_DISTRACTORS = 50
"""How many things may lie about in a scene that no activity asks for."""
