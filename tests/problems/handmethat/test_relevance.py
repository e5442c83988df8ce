"""What of a scene can matter: goals cost as much in that part as in the whole."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.syntax import Atom, Formula, Not
from chorewright.planner.cost_to_go.costs_to_go import Cost, CostToGo, Effort
from chorewright.problems.handmethat.scene import (
    HandMeThatScene,
    SceneAgent,
    SceneEntity,
    other_places,
    relevant,
    restrict,
)
from chorewright.problems.handmethat.states import problem_of, state_of
from tests.problems.handmethat.small_scenes import GOALS, small_scene

THOROUGH = Effort(provable=100, proof=4_000)


def cost(scene: HandMeThatScene, goal: Formula) -> Cost:
    now = state_of(scene)
    service = CostToGo(handmethat_domain(), problem_of(scene, goal), [now], relevant=False)
    return service.cost(now, THOROUGH)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))])
@pytest.mark.parametrize("name", GOALS)
def test_goals_cost_as_much_as_in_the_whole_scene(name: str, seed: int) -> None:
    kinds, goal = GOALS[name]
    scene = small_scene(kinds, np.random.default_rng([seed, len(name)]), 12)
    names = relevant(scene, goal)
    part, whole = cost(restrict(scene, names), goal), cost(scene, goal)
    assert whole.lower_bound <= part.cost
    if part.optimal:
        assert part.cost <= whole.cost
    if part.optimal and whole.optimal:
        assert part.cost == whole.cost
    if part.cost == inf:
        assert whole.cost == inf


def test_the_goals_of_the_test_are_not_all_cheap() -> None:
    scenes = [small_scene(kinds, np.random.default_rng([0, len(name)]), 12) for name, (kinds, _) in GOALS.items()]
    costs = [
        cost(restrict(scene, relevant(scene, goal)), goal)
        for scene, (_, goal) in zip(scenes, GOALS.values(), strict=True)
    ]
    assert sum(each.optimal for each in costs) >= len(costs) - 2
    assert sum(5 <= each.cost < inf for each in costs) >= 6


SCENE = HandMeThatScene(
    (
        SceneEntity("floor_0"),
        SceneEntity("table_0"),
        SceneEntity("shelf_0", states=frozenset({"dusty"})),
        SceneEntity("sofa_0"),
        SceneEntity("cabinet_0"),
        SceneEntity("sink_0"),
        SceneEntity("oven_0"),
        SceneEntity("box_0", "ontop", "shelf_0", color="red", size="large"),
        SceneEntity("apple_0", "inside", "box_0"),
        SceneEntity("apple_1", "ontop", "table_0"),
        SceneEntity("knife_0", "inside", "cabinet_0"),
        SceneEntity("knife_1", "inside", "cabinet_0"),
        SceneEntity("knife_2", "ontop", "table_0"),
        SceneEntity("carving-knife_0", "ontop", "sofa_0"),
        SceneEntity("rag_0", "inside", "sink_0"),
        SceneEntity("cube_0"),
    ),
    SceneAgent("floor_0", "cube_0"),
)


@pytest.mark.parametrize(
    ("goal", "names"),
    [
        (Atom("ontop", ("apple_1", "sofa_0")), "apple_1 table_0 sofa_0 shelf_0"),
        (Atom("ontop", ("apple_0", "sofa_0")), "apple_0 box_0 shelf_0 sofa_0 table_0"),
        (Atom("sliced", ("apple_1",)), "apple_1 table_0 knife_0 knife_2 cabinet_0 shelf_0"),
        (Atom("cooked", ("apple_1",)), "apple_1 table_0 oven_0 shelf_0"),
        (GOALS["put on"][1], "table_0 shelf_0"),
    ],
)
def test_what_matters(goal: Formula, names: str) -> None:
    assert relevant(SCENE, goal) == {*names.split(), "floor_0", "cube_0"}


def test_tools_matter_only_for_what_is_not_clean() -> None:
    shelf, table = GOALS["clean places"][1], Atom("dusty", ("shelf_0",))
    assert "rag_0" not in relevant(SCENE, shelf)
    assert "rag_0" not in relevant(SCENE, table)
    assert {"rag_0", "sink_0"} <= relevant(SCENE, _clean("shelf_0"))
    assert "rag_0" not in relevant(SCENE, _clean("table_0"))


def _clean(name: str) -> Formula:
    return Not(Atom("dusty", (name,)))


def test_other_places_are_those_to_put_things_onto() -> None:
    assert list(other_places(SCENE, frozenset({"floor_0", "sofa_0"}))) == ["table_0", "shelf_0"]
