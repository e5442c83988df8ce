"""Marks of goal interpretation: literals against those of the goal, and whether they are enough for it."""

from __future__ import annotations

from chorewright.domains.evaluation import holds
from chorewright.generator.measuring.eai.answers import Unreadable, read_goals
from chorewright.generator.measuring.eai.literals import goal_literals
from chorewright.generator.measuring.eai.marks import GOAL, PARSING, Counts, Mark, failed, misnamed
from chorewright.generator.measuring.eai.tasks import EaiTask
from chorewright.planner.validation import World


def mark_goals(task: EaiTask, text: str) -> Mark:
    """Mark a goal that a model read in a sentence.

    It is correct if the goal holds in the start state after the answered literals are made true there; so any way to
    fill the goal does. The counts compare it with the literals that the task's plan brings about.
    """
    wanted = goal_literals(task)
    try:
        answered = read_goals(text)
    except Unreadable as error:
        return failed(PARSING, error.message, Counts(0, 0, len(wanted)))
    counts = Counts.of(answered, wanted)
    world = World.of(task.domain, task.problem)
    for each in answered:
        found = misnamed(task.domain, world.universe, each.atom[0], each.atom[1:], False)
        if found is not None:
            return failed(*found, counts)
    made = frozenset(each.atom for each in answered if each.positive)
    unmade = frozenset(each.atom for each in answered if not each.positive)
    state = (world.closed((world.initial() - unmade) | made) | made) - unmade
    if holds(task.problem.goal, state, world.universe):
        return Mark(True, True, counts=counts)
    return failed(GOAL, "the goal does not follow from the answer", counts)
