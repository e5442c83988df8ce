"""The human's plan reaches the whole goal, and breaks off where it may."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from chorewright.domains.formulas import Facts, conjuncts, holds
from chorewright.domains.library import handmethat_domain, user_library
from chorewright.domains.templates.goal_templates import Goal
from chorewright.generator.handmethat.order import achievements, lines
from chorewright.generator.handmethat.trajectory import AHEAD, SHORTEST, Trajectory, human_trajectory
from chorewright.planner.plan import Limits
from chorewright.planner.validation import validate
from chorewright.problems.handmethat.goals import instantiate, universe_of
from chorewright.problems.handmethat.scene import HandMeThatScene, sample_scene
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


LIMITS = Limits(evaluations=4000)

STOPS = 5


@cache
def case(name: str, seed: int) -> tuple[HandMeThatScene, Goal] | None:
    rng = np.random.Generator(np.random.PCG64(seed))
    template = next(each for each in user_library().collection("handmethat") if each.name == name)
    scene = sample_scene(rng)
    goal = instantiate(template, scene, rng)
    return (scene, goal) if isinstance(goal, Goal) else None


@cache
def trajectories(version: int) -> list[tuple[HandMeThatScene, Goal, Trajectory]]:
    found = []
    for name in NAMES:
        for seed in range(3):
            given = case(name, seed)
            if given is None:
                continue
            scene, goal = given
            rng = np.random.Generator(np.random.PCG64(seed))
            made = human_trajectory(scene, goal.goal, version, LIMITS, rng, STOPS)
            if isinstance(made, Trajectory):
                found.append((scene, goal, made))
    assert len(found) >= 12
    return found


@pytest.mark.parametrize("version", [1, 2])
def test_stops_within_a_plan_for_the_whole_goal_with_empty_hands(version: int) -> None:
    for scene, goal, made in trajectories(version):
        actions = made.plan.actions
        assert validate(handmethat_domain(), problem_of(scene, goal.goal), actions).valid
        assert len(made.states) == len(actions) + 1
        for stop in made.stops:
            assert SHORTEST[version] <= stop <= len(actions) - AHEAD
            assert not any(atom[0] == "holding" for atom in made.states[stop])


@pytest.mark.parametrize("version", [1, 2])
def test_the_first_stop_is_the_one_that_is_drawn_alone(version: int) -> None:
    for scene, goal, _ in trajectories(version)[:3]:
        for seed in range(3):
            alone, several = (
                human_trajectory(scene, goal.goal, version, LIMITS, np.random.Generator(np.random.PCG64(seed)), most)
                for most in (1, STOPS)
            )
            assert isinstance(alone, Trajectory)
            assert isinstance(several, Trajectory)
            assert alone.stops == several.stops[:1]


def test_stops_of_one_plan_differ_in_more_than_where_the_human_is() -> None:
    several = 0
    for _, _, made in trajectories(1):
        worlds = {frozenset(atom for atom in made.states[at] if atom[0] != "at") for at in made.stops}
        assert len(worlds) == len(made.stops) <= STOPS
        several += len(worlds) > 2
    assert several >= 6


@pytest.mark.parametrize("seed", range(6))
def test_things_are_chosen_where_a_plan_for_the_goal_takes_too_long(seed: int) -> None:
    """Each of two plates wants a lettuce, and any lettuce seems to do for both."""
    given = case("preparing-food", seed)
    if given is None:
        return
    scene, goal = given
    made = human_trajectory(scene, goal.goal, 1, Limits(evaluations=200), np.random.Generator(np.random.PCG64(0)))
    assert isinstance(made, Trajectory)
    assert validate(handmethat_domain(), problem_of(scene, goal.goal), made.plan.actions).valid


def test_achievements_say_from_when_on_a_part_holds() -> None:
    """From the last of a part's times on it holds in all states, and one state before that it does not."""
    for scene, goal, made in trajectories(1):
        universe = universe_of(scene)
        parts = conjuncts(goal.goal)
        for part, times in zip(parts, achievements(made.states, parts, universe), strict=True):
            true = [holds(part, state, universe) for state in made.states]
            assert all(true[max(times, default=0) :])


def test_what_comes_next_has_been_begun_in_version_2() -> None:
    """Unless one thing alone fulfils the part of the goal that is worked on next."""
    for scene, goal, made in trajectories(2):
        universe = universe_of(scene)
        parts = achievements(made.states, lines(goal.goal, Facts(made.states[-1]), universe), universe)
        times = [{at for at in each if at} for each in parts]
        for stop in made.stops:
            coming = min(at for each in times for at in each if at > stop)
            next_parts = [each for each in times if coming in each]
            assert any(len(each) == 1 or min(each) <= stop for each in next_parts)
