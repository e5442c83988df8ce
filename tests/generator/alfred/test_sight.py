"""What ALFRED's demonstrator acts on is seen: places, poses, and plans that are amended for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from chorewright.domains.pddl.parser import parse_formula
from chorewright.generator.alfred.benchmark import AlfredBenchmark
from chorewright.generator.alfred.demonstration import read_problem
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.outlook import with_outlook
from chorewright.generator.household.spawning import check_problem
from chorewright.generator.production.line import run
from chorewright.generator.production.verify import verify
from chorewright.planner.validation import validate
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.scene import GRID, Pose, Scene
from chorewright.problems.household.sight import poses_around
from chorewright.problems.household.spawn import SpawnRequest, spawn
from chorewright.replay.household.pixels.camera import Camera
from chorewright.replay.household.pixels.renderer import Renderer

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
