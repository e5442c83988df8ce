"""How to say it: plans cut into subgoals and worded in English, requests, dialogues.

``household.segments`` cuts a household plan into ALFRED's subgoals. ``household.directives`` words such a plan as
several people would: a goal sentence, and one sentence a subgoal. ``teach`` writes TEACh's
conversations. ``speech_acts`` is the Rational Speech Acts recursion, which ``handmethat`` uses for requests;
``calvin`` has CALVIN's instructions, ``behavior`` words BEHAVIOR's conditions and steps. ``words`` words any
PDDL domain. Words are data, in ``data/``. This room may use domains, planner and
problems, never a simulator: it speaks of scenes, plans and poses, not of how they were run.
"""

from __future__ import annotations


def numbers(bits: int) -> list[int]:
    """Return the places of the bits that are set, in ascending order."""
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return found
