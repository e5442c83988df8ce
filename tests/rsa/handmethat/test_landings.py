"""Landings of the robot's plans, against planning each subgoal by itself with all that a scene says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.syntax import TRUE
from chorewright.planner.plan import GroundAction, Plan
from chorewright.planner.planning import OPTIMAL, solve
from chorewright.planner.validation import simulate, validate
from chorewright.problems.handmethat.scene import ROBOT, HandMeThatScene, SceneAgent, relevant, restrict, sample_scene
from chorewright.problems.handmethat.states import problem_of, scene_at
from chorewright.rsa import numbers
from chorewright.rsa.handmethat.landings import Landings
from chorewright.rsa.handmethat.meanings import Context, Grounding, Quest, context_of
from chorewright.rsa.handmethat.subgoals import formula_of

ASKED = 12


def later(seed: int) -> HandMeThatScene:
    """A scene in which the robot has opened something and stands there."""
    scene = sample_scene(np.random.default_rng(seed))
    doors = [each.name for each in scene.entities if each.can_be("open") and not each.category.movable]
    door = doors[seed % len(doors)]
    actions = [GroundAction("move", (ROBOT, "floor_0", door)), GroundAction("open-loc", (ROBOT, door))]
    steps = simulate(handmethat_domain(), problem_of(scene, TRUE, ROBOT), actions)
    assert len(steps) == len(actions)
    return scene_at(scene, steps[-1].state)


def some(context: Context, quest: Quest, rng: np.random.Generator) -> list[Grounding]:
    possible = [
        (context.items[number].name, argument)
        for argument in context.arguments(quest)
        for number in numbers(context.possible(quest, argument))
    ]
    return [possible[place] for place in rng.choice(len(possible), ASKED, replace=False)]


@pytest.mark.parametrize("quest", list(Quest))
@pytest.mark.parametrize("seed", range(3))
def test_landings_are_those_of_cheapest_plans(seed: int, quest: Quest) -> None:
    scene = later(seed)
    context, landings = context_of(scene), Landings(scene)
    compared = 0
    for grounding in some(context, quest, np.random.default_rng(seed)):
        goal = formula_of(context, quest, grounding)
        found = landings.of(goal)
        alone = problem_of(restrict(scene, relevant(scene, goal)), goal, ROBOT)
        answer = solve(handmethat_domain(), alone, configuration=OPTIMAL)
        assert (found is not None) == isinstance(answer, Plan), grounding
        if found is None or not isinstance(answer, Plan):
            continue
        assert len(found.plan) == len(answer.actions), grounding
        whole = problem_of(scene, goal, ROBOT)
        assert validate(handmethat_domain(), whole, found.plan).valid
        before = frozenset(whole.init)
        after = simulate(handmethat_domain(), whole, found.plan)[-1].state
        changed = {atom for atom in before ^ after if ROBOT not in atom}
        assert found.added == changed & after
        assert found.removed == changed & before
        compared += 1
    assert compared >= ASKED / 2


def test_where_the_human_stands_does_not_matter() -> None:
    scene = later(0)
    goal = formula_of(context_of(scene), Quest.BRING_ME, (scene.movables[0].name, None))
    elsewhere = replace(scene, human=SceneAgent("bed_0"))
    one, other = Landings(scene).of(goal), Landings(elsewhere).of(goal)
    assert one is not None
    assert one == other
