"""BEHAVIOR's activities as planning problems.

Read ``corpus`` (the shipped activities), ``kinds`` (what things are for), ``transitions`` (what becomes of what),
``completion`` (what an activity leaves unsaid), ``activity_problem`` (all of it as PDDL) and ``scenes``.
``build_corpus`` makes the shipped file from the ``bddl`` packages.
"""

MOST_DISTRACTORS = 50
"""How many things may lie about in a scene that no activity asks for."""
