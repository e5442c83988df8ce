"""The human's plan reaches the whole goal, and breaks off where it may."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from chorewright.domains.formulas import Universe, conjuncts, holds
from chorewright.domains.library import collection, handmethat_domain
from chorewright.domains.pddl.syntax import Problem
from chorewright.generator.handmethat_trajectory import (
    AHEAD,
    SHORTEST,
    Trajectory,
    achievements,
    human_trajectory,
)
from chorewright.planner.plan import Limits
from chorewright.planner.validation import validate
from chorewright.problems.handmethat.goals import NoInstance, instantiate
from chorewright.problems.handmethat.sampling import sample_scene
from chorewright.problems.handmethat.states import problem_of

NAMES = (
    "bottling-fruit",
    "bringing-in-wood",
    "cleaning-oven",
    "laying-tile-floors",
    "loading-the-dishwasher",
    "putting-away-toys",
    "sorting-books",
    "throwing-away-leftovers",
)


@cache
def problem(name: str, seed: int) -> Problem | None:
    rng = np.random.Generator(np.random.PCG64(seed))
    template = next(each for each in collection("handmethat") if each.name == name)
    scene = sample_scene(rng)
    goal = instantiate(template, scene, rng)
    return None if isinstance(goal, NoInstance) else problem_of(scene, goal.goal)


def trajectories(version: int) -> list[tuple[Problem, Trajectory]]:
    found = []
    for name in NAMES:
        for seed in range(3):
            given = problem(name, seed)
            if given is None:
                continue
            rng = np.random.Generator(np.random.PCG64(seed))
            made = human_trajectory(handmethat_domain(), given, version, Limits(evaluations=20000), rng)
            if isinstance(made, Trajectory):
                found.append((given, made))
    assert len(found) >= 12
    return found


@pytest.mark.parametrize("version", [1, 2])
def test_stops_within_a_plan_for_the_whole_goal_with_empty_hands(version: int) -> None:
    for given, made in trajectories(version):
        assert validate(handmethat_domain(), given, made.plan.actions).valid
        assert SHORTEST[version] <= made.stop <= len(made.plan.actions) - AHEAD
        assert not any(atom[0] == "holding" for atom in made.state)
        assert made.seen == made.plan.actions[: made.stop]


def test_achievements_say_from_when_on_a_part_holds() -> None:
    """From the last of a part's times on it holds in all states, and one state before that it does not."""
    for given, made in trajectories(1):
        universe = Universe.of(handmethat_domain(), given)
        parts = conjuncts(given.goal)
        for part, times in zip(parts, achievements(made.states, parts, universe), strict=True):
            true = [holds(part, state, universe) for state in made.states]
            assert all(true[max(times, default=0) :])


def test_what_comes_next_has_been_begun_in_version_2() -> None:
    """Unless one thing alone fulfils the part of the goal that is worked on next."""
    for given, made in trajectories(2):
        universe = Universe.of(handmethat_domain(), given)
        times = [
            {at for at in each if at} for each in achievements(made.states, conjuncts(given.goal), universe)
        ]
        coming = min(at for each in times for at in each if at > made.stop)
        next_parts = [each for each in times if coming in each]
        assert any(len(each) == 1 or min(each) <= made.stop for each in next_parts)
