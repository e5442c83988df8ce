"""Plans put in order, part by part: the same end, no more actions, fewer changes from part to part.

The plans are the recorded humans' of the reference and random shuffles of trips, run by a simulator of the
tests' own.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from chorewright.domains.formulas import Facts, holds
from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.syntax import TRUE, State
from chorewright.generator.handmethat.order import achievements, lines, part_by_part
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import simulate
from chorewright.problems.handmethat.goals import universe_of
from chorewright.problems.handmethat.scene import HUMAN
from chorewright.problems.handmethat.states import problem_of, state_of
from chorewright.replay.handmethat.reference import task_of_reference
from chorewright.replay.handmethat.task import HandMeThatTask
from tests.generator.handmethat.simulation import World
from tests.handmethat import episode, episode_names


@cache
def recorded() -> tuple[tuple[HandMeThatTask, tuple[State, ...]], ...]:
    """The recorded tasks whose plans reach their goals, with the states along these."""
    found = []
    for name in episode_names():
        task = task_of_reference(episode(name), name, name)
        states = along(task, task.plan)
        if holds(task.goal, states[-1], universe_of(task.start)):
            found.append((task, states))
    assert len(found) == 34
    return tuple(found)


def along(task: HandMeThatTask, actions: tuple[GroundAction, ...]) -> tuple[State, ...]:
    problem = problem_of(task.start, TRUE)
    return (frozenset(problem.init), *(each.state for each in simulate(handmethat_domain(), problem, actions)))


def ordered(task: HandMeThatTask, states: tuple[State, ...], seed: int) -> tuple[GroundAction, ...]:
    rng = np.random.Generator(np.random.PCG64(seed))
    return part_by_part(task.plan, states, task.goal, universe_of(task.start), rng)


def changes(task: HandMeThatTask, states: tuple[State, ...]) -> int:
    """How often what is achieved next is of another line of the goal."""
    universe = universe_of(task.start)
    done = achievements(states, lines(task.goal, Facts(states[-1]), universe), universe)
    times = sorted((at, line) for line, each in enumerate(done) for at in each if at)
    return sum(one != other for (_, one), (_, other) in pairwise(times))


def test_the_end_is_the_same_and_nothing_takes_longer() -> None:
    """The recorded humans do one part after the other already."""
    for task, states in recorded():
        actions = ordered(task, states, 0)
        world = World.of(task.start)
        assert all(world.act(each.name, HUMAN, *each.arguments[1:]) for each in actions)
        end = state_of(world.scene(task.start))
        assert end ^ states[-1] <= {atom for atom in end | states[-1] if atom[0] == "at"}
        assert len(actions) <= len(task.plan)
        assert changes(task, along(task, actions)) == changes(task, states) or len(actions) < len(task.plan)


@pytest.mark.parametrize("seed", range(3))
def test_trips_in_a_random_order_are_put_in_order_again(seed: int) -> None:
    """Trips of recorded plans that still reach the goal when shuffled; doors are opened first."""
    rng = np.random.Generator(np.random.PCG64(seed))
    again = 0
    for task, states in recorded():
        if changes(task, states) == 0:
            continue
        free = [at for at, state in enumerate(states) if ("hand-empty", HUMAN) in state]
        trips = [[each for each in task.plan[first:last] if each.name != "move"] for first, last in pairwise(free)]
        mixed = [trips[number] for number in rng.permutation(len(trips)).tolist() if trips[number]]
        mixed.sort(key=lambda trip: not any(each.name.startswith("open") for each in trip))
        plan = _walked(states[0], mixed)
        other = along(task, plan)
        if len(other) <= len(plan) or not holds(task.goal, other[-1], universe_of(task.start)):
            continue
        actions = part_by_part(plan, other, task.goal, universe_of(task.start), rng)
        after = along(task, actions)
        assert len(after) == len(actions) + 1
        assert holds(task.goal, after[-1], universe_of(task.start))
        assert changes(task, after) <= changes(task, other)
        again += changes(task, after) < changes(task, other)
    assert again >= 5


def _walked(start: State, trips: list[list[GroundAction]]) -> tuple[GroundAction, ...]:
    """The actions of trips with the ways between; what is done is done where its last argument is."""
    at = next(atom[2] for atom in start if atom[0] == "at" and atom[1] == HUMAN)
    found = []
    for trip in trips:
        for each in trip:
            place = each.arguments[-1]
            found += [GroundAction("move", (HUMAN, at, place))] if place != at else []
            found.append(each)
            at = place
    return tuple(found)


def test_a_plan_is_ordered_alike_with_the_same_numbers() -> None:
    for task, states in recorded()[::6]:
        assert ordered(task, states, 4) == ordered(task, states, 4)
