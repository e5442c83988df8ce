"""Noise and drawn stand poses in rooms: walks go astray and come back, steps are marked, sentences stay true."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chorewright.generator.alfred.demonstration import read_problem
from chorewright.generator.alfred.export.exporter import trajectory
from chorewright.generator.alfred.recorded import episode_segments, legs_of
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import configure
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.noise import Gait, WalkNoise, noise_of
from chorewright.generator.household.spawning import room_of
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.production.line import run
from chorewright.generator.showing.moments import moments_of
from chorewright.generator.showing.pages import step_name
from chorewright.generator.training.trajectory import trajectories_of
from chorewright.generator.training.windows import FrameWindows
from chorewright.problems.household.navigation import Grid, Motion
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.scene import HIGHEST, Pose
from chorewright.replay.household.executor import LowAction
from chorewright.replay.simulator import SimulatorAction

COUNT = 6


def made(benchmark: str, *options: tuple[str, float | bool]) -> list[Episode]:
    family, config = BENCHMARKS.find(benchmark), GenerateConfig(benchmark, COUNT, options=options)
    assigned = family.assign(config, COUNT)
    return [family.episode(index, config, assigned[index]) for index in range(COUNT)]


@pytest.mark.parametrize(
    ("names", "places"),
    [
        ("", {}),
        ("Pick", {0: 0}),
        ("Left Left Pick", {2: 2}),
        ("Pick Open Left Right Put", {0: 0, 1: 1, 4: 4}),
        ("Left Pick Right", {1: 1}),
    ],
)
def test_without_noise_a_demonstration_stays_as_it_is(names: str, places: dict[int, int]) -> None:
    grid = Grid.of(load_room("FloorPlan1"))
    gait = Gait(grid, {"Left": Motion(turns=-1), "Right": Motion(turns=1)}, ("Left",), lambda start, end: None, None)
    actions = tuple(LowAction(name, 0, SimulatorAction(name)) for name in names.split())
    noise = WalkNoise(gait, 0.0, np.random.default_rng(0))
    assert noise.perturb(actions, Pose(*grid.points[0], 0, 0)) == actions
    assert noise.places == places


@pytest.fixture(scope="module", params=["alfred", "teach"])
def pairs(request: pytest.FixtureRequest) -> list[tuple[Episode, Episode]]:
    """Episodes without noise and the same with it."""
    return list(zip(made(request.param), made(request.param, ("noise", 0.15)), strict=True))


def test_only_walks_differ(pairs: list[tuple[Episode, Episode]]) -> None:
    assert sum(len(noisy.steps) > len(plain.steps) for plain, noisy in pairs) >= COUNT - 1
    for plain, noisy in pairs:
        assert noisy.outcome.accepted
        assert dict(noisy.extras)["noise"] == "0.15"
        told = ("goal", "plan", "segments", "problem_sha256", "seed")
        assert all(getattr(plain, name) == getattr(noisy, name) for name in told)
        assert [each.text for each in plain.instructions] == [each.text for each in noisy.instructions]
        assert any(map(noise_of, noisy.steps))
        assert not any(map(noise_of, plain.steps))
        for step in noisy.steps:
            if noise_of(step):
                assert noisy.segments[step.segment].action == "GotoLocation"
                meant = noise_of(step)["commanded"]
                assert meant != {"action": step.action}, "the expert's own step is not perturbed"
                assert step_name(step).endswith("(astray)")
        moments_of(noisy.benchmark).replay(noisy)


def test_the_same_seed_goes_the_same_way(pairs: list[tuple[Episode, Episode]]) -> None:
    noisy = pairs[0][1]
    assert made(noisy.benchmark, ("noise", 0.15))[0] == noisy


def test_each_frame_tells_what_the_expert_would_have_done(pairs: list[tuple[Episode, Episode]]) -> None:
    noisy = pairs[0][1]
    columns = trajectories_of(noisy.benchmark, noisy=True).columns(noisy)
    done, meant = (np.asarray(columns[name])[:, 0] for name in ("action", "action.commanded"))
    perturbed = np.asarray(columns["perturbed"])[:, 0].astype(bool)
    assert (done[~perturbed] == meant[~perturbed]).all()
    assert (done[perturbed] != meant[perturbed]).any()
    assert perturbed.sum() == sum(map(bool, map(noise_of, noisy.steps)))
    assert "perturbed" not in trajectories_of(noisy.benchmark).columns(noisy)


def test_grasps_come_too_early_and_receptacles_are_looked_into() -> None:
    noisy = made("alfred", ("noise", 0.4))
    tried = [step for each in noisy for step in each.steps if noise_of(step)]
    assert any(not step.success for step in tried), "a grasp that fails"
    opened = [step for step in tried if step.action == "OpenObject" and step.success]
    assert opened
    for episode in noisy:
        for step, after in zip(episode.steps, episode.steps[1:], strict=False):
            if step in opened:
                assert after.action == "CloseObject"
                assert not noise_of(after), "the expert shuts it"


def test_alfred_s_files_have_the_marks_beside_what_its_code_reads() -> None:
    plain, noisy = made("alfred")[0], made("alfred", ("noise", 0.3))[0]
    written = trajectory(noisy)["plan"]
    assert isinstance(written, dict)
    marked = [each for each in written["low_actions"] if "perturbed" in each]
    assert len(marked) == sum(map(bool, map(noise_of, noisy.steps))) > 0
    assert all(set(each) == {"api_action", "discrete_action", "high_idx", "perturbed", "commanded"} for each in marked)
    assert not any("perturbed" in json.dumps(each["api_action"]) for each in marked)
    assert "perturbed" not in json.dumps(trajectory(plain))


def test_a_walk_that_goes_astray_is_said_as_the_expert_s() -> None:
    plain, noisy = made("alfred")[0], made("alfred", ("noise", 0.3))[0]
    said = [legs_of(episode_segments(each), room_of(each))[1] for each in (plain, noisy)]
    assert [len(leg.actions) for leg in said[0]] == [len(leg.actions) for leg in said[1]]
    assert [replace(leg, actions=()) for leg in said[0]] == [replace(leg, actions=()) for leg in said[1]]


def test_a_dataset_with_noise_has_the_columns(tmp_path: Path) -> None:
    options = (("demonstrations", 1), ("noise", 0.2))
    run(GenerateConfig("alfred", 2, options=options), tmp_path / "data", workers=0)
    windows = FrameWindows(Dataset(tmp_path / "data"), length=4)
    assert any(windows[number]["perturbed"].any() for number in range(len(windows)))
    assert {"action.commanded", "perturbed"} <= set(windows[0])


def test_a_configuration_without_noise_is_as_if_there_were_no_such_option() -> None:
    family = BENCHMARKS.find("alfred")
    assert "noise" not in dict(configure(family, "alfred", 1, {"noise": 0.0}).options)
    assert dict(configure(family, "alfred", 1, {"noise": 0.1}).options)["noise"] == 0.1


def test_a_motion_leads_to_a_pose_or_nowhere() -> None:
    grid = Grid.of(load_room("FloorPlan1"))
    here = Pose(*grid.points[0], 0, HIGHEST)
    assert grid.after(here, Motion(looks=-1)) is None, "no higher"
    assert grid.after(here, Motion(turns=-1)) == replace(here, rotation=3)
    for rotation in range(4):
        there = grid.after(replace(here, rotation=rotation), Motion(0))
        route = None if there is None else grid.route(replace(here, rotation=rotation), there)
        assert there is None or route == ("MoveAhead",)


def test_things_are_handled_from_drawn_poses() -> None:
    plain, varied = made("alfred"), made("alfred", ("vary_stands", True))
    assert made("alfred", ("vary_stands", True))[0] == varied[0]
    walks = [[segment.details for segment in each.segments if segment.action == "GotoLocation"] for each in varied]
    usual = [[segment.details for segment in each.segments if segment.action == "GotoLocation"] for each in plain]
    assert sum(one != other for one, other in zip(walks, usual, strict=True)) >= COUNT // 2
    for each in varied:
        assert each.outcome.accepted
        moments_of("alfred").replay(each)
        assert read_problem(each) is not None, "its problem can be made again"
