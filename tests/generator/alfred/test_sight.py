"""What ALFRED's demonstrator acts on is seen: places, poses, and plans that are amended for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chorewright.domains.pddl.parser import parse_formula
from chorewright.generator.alfred.benchmark import AlfredBenchmark
from chorewright.generator.alfred.demonstration import read_problem
from chorewright.generator.alfred.recorded import EVALUATIONS, limits_of
from chorewright.generator.dataset.config import GenerateConfig, PlannerEffort
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.outlook import Sight, with_outlook
from chorewright.generator.household.spawning import check_problem
from chorewright.generator.production.line import run
from chorewright.generator.production.verify import verify
from chorewright.planner.plan import Limits
from chorewright.planner.validation import validate
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.scene import GRID, Pose, Scene
from chorewright.problems.household.sight import poses_around
from chorewright.problems.household.spawn import SpawnRequest, spawn
from chorewright.replay.household.executor import LowAction
from chorewright.replay.household.pixels.camera import Camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.room import ALFRED_SETTINGS
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import SimulatorAction

EPISODES = 12


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Episodes in rooms where much is hidden from where one would stand first."""
    made = tmp_path_factory.mktemp("sight") / "dataset"
    options = (("tasks", ("pick_two_obj_and_place",)), ("scenes", ("FloorPlan320", "FloorPlan25")))
    run(GenerateConfig("alfred", EPISODES, seed=2, options=options), made, workers=0)
    return made


def test_amended_plans_are_made_again(folder: Path) -> None:
    report = verify(folder, EPISODES)
    assert not report.problems
    assert len(report.remade) == EPISODES


def test_the_problem_of_an_amended_plan_is_found_again(folder: Path) -> None:
    amended = 0
    for episode in Dataset(folder):
        assert episode.scene is not None
        domain = episode.scene.kinds.domain
        problem = read_problem(episode)
        assert problem is not None
        assert validate(domain, problem, episode.plan).valid
        usual = household_problem(episode.scene, parse_formula(episode.goal, domain)).problem
        amended += check_problem(usual, episode) is None
    assert amended


def test_an_episode_keeps_a_limit_that_is_not_the_usual_one(folder: Path) -> None:
    options = (("tasks", ("pick_two_obj_and_place",)), ("scenes", ("FloorPlan320",)))
    config = GenerateConfig("alfred", 1, seed=2, options=options, effort=PlannerEffort(evaluations=30_000))
    benchmark = AlfredBenchmark()
    episode = benchmark.episode(0, config, benchmark.assign(config, 1)[0])
    assert episode.outcome.accepted
    assert dict(episode.extras) == {EVALUATIONS: "30000"}
    assert limits_of(episode) == Limits(evaluations=30_000)
    assert read_problem(episode) is not None
    assert all(EVALUATIONS not in dict(each.extras) for each in Dataset(folder))
    usual = limits_of(replace(episode, extras=()))
    assert usual == limits_of(replace(episode, extras=((EVALUATIONS, "many"),))) == Limits(evaluations=20_000)


def test_most_attempts_are_accepted() -> None:
    """Nine of ten, in rooms of all kinds."""
    benchmark, config = AlfredBenchmark(), GenerateConfig("alfred", 120, seed=1)
    episodes = [benchmark.episode(each.index, config, each) for each in benchmark.assign(config, 120)[::4]]
    assert all(episode.outcome.accepted for episode in episodes)
    assert len(episodes) / sum(episode.attempts for episode in episodes) >= 0.9


def pixels(scene: Scene, pose: Pose, name: str) -> int:
    place = (pose.x * GRID, scene.agent_y + 0.75, pose.z * GRID)
    view = Camera(place, 90.0 * pose.rotation, float(pose.horizon), 60.0, 300, 300)
    return int(Renderer().masks.mask(scene, view, name).sum())


@pytest.mark.parametrize(
    ("room", "kind"),
    [
        ("FloorPlan25", "Drawer"),
        ("FloorPlan29", "StoveBurner"),
        ("FloorPlan309", "Safe"),
        ("FloorPlan320", "SideTable"),
        ("FloorPlan411", "BathtubBasin"),
    ],
)
def test_furniture_is_seen_from_somewhere(room: str, kind: str) -> None:
    """Not behind a counter that ends before it, below one that it is let into, in a wardrobe, behind a window."""
    scene = load_room(room)
    grid = Grid.of(scene)
    for thing in [thing for thing in scene.objects if thing.kind == kind]:
        poses = poses_around(grid, scene.agent_y, thing)
        assert any(pixels(scene, pose, thing.object_id) >= 14 for pose in poses), thing.object_id


CLOCK, TABLE, DESK = "AlarmClock|+00.25|+00.68|-01.67", "SideTable|+00.63|+00.00|-01.71", "Desk|-01.72|+00.00|+00.92"


@pytest.mark.parametrize(
    ("lies", "handled"), [(TABLE, CLOCK), (DESK, DESK), ("", None)], ids=["start", "moved", "lost"]
)
def test_what_is_hidden_is_handled_from_elsewhere_unless_it_lies_nowhere(lies: str, handled: str | None) -> None:
    world, start = ThorWorld(ALFRED_SETTINGS), Pose(-5, 1, 0, 30)
    world.reset(replace(load_room("FloorPlan320"), agent=start))
    world.room.detach(CLOCK)
    if lies:
        world.room.attach(CLOCK, lies)
    sight = Sight(world)
    sight.before(LowAction("PickupObject", 0, SimulatorAction("PickupObject", {"objectId": CLOCK})))
    assert (sight.hidden != "", sight.place) == (True, start)
    name, pose = sight.better or (None, None)
    assert name == handled
    assert pose is not None or name != CLOCK
    assert pose is None or pixels(world.scene(), pose, CLOCK) >= 14


def test_what_nobody_sees_lies_elsewhere() -> None:
    """Each item of the kinds that are asked for is seen, from where it says if not as usual; the rest stays."""
    request = SpawnRequest(counts={"CreditCard": (3, 3), "Pen": (2, 2)})
    moved = 0
    for seed in range(8):
        room = load_room("FloorPlan320")
        scene = spawn(room, np.random.default_rng(seed), request)
        found = with_outlook(room, scene, request, Renderer(), np.random.default_rng((seed, 1)))
        before = {one.object_id for one in scene.objects if one.kind not in request.counts}
        assert before == {one.object_id for one in found.scene.objects if one.kind not in request.counts}
        assert len(found.scene.objects) == len(scene.objects)
        moved += found.scene.objects != scene.objects
        for name, pose in found.chosen.items():
            assert pixels(found.scene, pose, name) >= 14
        again = with_outlook(found.scene, found.scene, request, Renderer(), np.random.default_rng(0))
        assert again.scene == found.scene
        assert again.chosen == found.chosen
    assert moved
