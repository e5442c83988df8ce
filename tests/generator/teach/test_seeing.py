"""What the task is about starts where it is seen; what is hidden later is handled from elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from chorewright.domains.library import household_vocabulary
from chorewright.domains.teach.definitions import shipped_definitions
from chorewright.errors import InputError
from chorewright.generator.dataset.config import Assignment, GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.outlook import STANDS, stands_of
from chorewright.generator.teach.benchmark import TeachBenchmark, read_problem
from chorewright.generator.teach.compiling import compile_teach, parameters_by_name, plan_task
from chorewright.generator.teach.mishaps import Hidden, stood_elsewhere, with_stands
from chorewright.generator.teach.scenes import is_clickable, poses_of_items, teach_scene
from chorewright.planner.plan import Plan
from chorewright.planner.validation import validate
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.navigation import TEACH_LOOK, Grid
from chorewright.problems.household.rooms import named_scene
from chorewright.problems.household.sight import poses_around
from chorewright.problems.household.state import pose_name
from chorewright.replay.household.pixels.renderer import Renderer


@pytest.mark.parametrize("name", ["FloorPlan6", "house:30"])
def test_what_a_task_needs_starts_where_it_is_clicked(name: str) -> None:
    room, renderer = named_scene(name, shipped_kinds()), Renderer()
    task = shipped_definitions().task("Sandwich", ("1", "1"))
    needed = {"Bread", "Lettuce", "Tomato", "Plate", "Knife", "ButterKnife"}
    seen, looked = 0, 0
    for seed in range(2):
        rng = np.random.Generator(np.random.PCG64(seed))
        scene = teach_scene(room, task, household_vocabulary(), rng, renderer)
        grid = Grid.of(scene, TEACH_LOOK)
        pose_of = poses_of_items(scene, grid)
        for item in (each for each in scene.objects if each.kind in needed):
            looked += 1
            seen += is_clickable(scene, grid, pose_of(item.object_id), item, renderer)
    assert looked > 10
    assert seen >= 0.95 * looked  # in a full cupboard, one may stay hidden


def test_a_house_has_one_of_each_kind_that_is_not_needed() -> None:
    task = shipped_definitions().task("Coffee", ())
    rng = np.random.Generator(np.random.PCG64(1))
    scene = teach_scene(named_scene("house:30", shipped_kinds()), task, household_vocabulary(), rng)
    kinds = [each.kind for each in scene.objects if each.traits.item and each.kind != "Mug"]
    assert len(kinds) == len(set(kinds))


def test_a_visit_is_moved_and_the_problem_knows_of_it() -> None:
    compiled = compile_teach("Coffee", (), "FloorPlan7", 3)
    plan = plan_task(compiled)
    assert isinstance(plan, Plan)
    handled = [action for action in plan.actions if action.name != "go-to"]
    walks = [action.arguments for action in plan.actions if action.name == "go-to"]
    stops = [walks[0][0], *(end for _, end in walks)]
    grid = Grid.of(compiled.scene, TEACH_LOOK)
    for number, action in enumerate(handled):
        object_id = compiled.household.ids[action.arguments[0]]
        body = next(each for each in compiled.scene.objects if each.object_id == object_id)
        poses = tuple(grid.tilted(pose) for pose in poses_around(grid, compiled.scene.agent_y, body)[:4])
        hidden = Hidden("nobody sees it", number, (object_id, *body.parents), poses)
        places = []
        for found in stood_elsewhere(compiled, plan, hidden, ()):
            places.append([each for each in found.plan.actions if each.name != "go-to"][number].arguments[-1])
            assert len(found.plan.actions) == len(plan.actions)
            assert [a.name for a in found.plan.actions] == [a.name for a in plan.actions]
            assert {pose for _, pose in found.stands} <= set(poses)
            assert validate(found.compiled.domain, found.compiled.problem, found.plan.actions).valid
            assert with_stands(compiled, found.stands).problem == found.compiled.problem
        stop = stops.index(action.arguments[-1])
        assert places == [name for name in map(pose_name, poses) if name not in stops[stop - 1 : stop + 2]]
    assert not list(stood_elsewhere(compiled, plan, Hidden("", len(handled), (), ()), ()))


@pytest.fixture(scope="module")
def breakfast() -> Episode:
    params = ["0", "1", "1", "Plate", "1", "Bowl", "0", "0", "0", "1", "1", "1", "1", "DiningTable"]
    config = GenerateConfig("teach", 1, options=(("scenes", ("house:82",)), ("tasks", ("Breakfast",))))
    return TeachBenchmark().episode(
        0, config, Assignment(0, "Breakfast", parameters_by_name(params), "house:82", "train")
    )


@pytest.mark.slow
def test_where_one_stood_is_stored(breakfast: Episode) -> None:
    assert breakfast.outcome.accepted
    assert stands_of(breakfast)
    assert read_problem(breakfast) is not None
    plain = replace(breakfast, extras=tuple(each for each in breakfast.extras if each[0] != STANDS))
    assert read_problem(plain) is None
    with pytest.raises(InputError, match="does not tell where one stands"):
        stands_of(replace(plain, extras=((STANDS, '[["Mug", 1]]'),)))
