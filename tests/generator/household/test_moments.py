"""Stored episodes on a simulator that breaks down: tried again, then quarantined, and the run goes on."""

from __future__ import annotations

import json
import stat
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from chorewright.errors import ExitCode
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.moments import replay_on_real, write_report
from chorewright.generator.production.line import run
from chorewright.problems.household.scene import Scene
from chorewright.replay.household.real.simulator import HELD, SimulatorFault
from chorewright.replay.household.room import RoomSettings
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import Event, SimulatorAction
from tests.command import ROOT, chorewright


class Flaky:
    """The THOR world as a real build; its steps with these numbers, of all that it ever does, are faults."""

    def __init__(self, settings: RoomSettings, faults: set[int]) -> None:
        self.world, self.faults, self.count = ThorWorld(settings), faults, 0
        self.frame = np.full((4, 4, 3), 200, np.uint8)

    def reset(self, scene: Scene) -> Event:
        return self.world.reset(scene)

    def step(self, action: SimulatorAction) -> Event:
        self.count += 1
        if self.count in self.faults:
            raise SimulatorFault(f"{action.action}: no answer within 1 s")
        arguments = dict(action.arguments)
        if arguments.get("objectId") == HELD:
            arguments["objectId"] = self.world.room.holding
        return self.world.step(SimulatorAction(action.action, arguments))

    def close(self) -> None:
        """Nothing is to be ended."""


@pytest.fixture(scope="module", params=["alfred", "teach"])
def folder(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    made = tmp_path_factory.mktemp("real") / "dataset"
    scenes = ("FloorPlan402", "FloorPlan5")
    run(GenerateConfig(request.param, 2, options=(("scenes", scenes),)), made, workers=0)
    return made


def test_faults_are_tried_again_and_then_quarantined(folder: Path) -> None:
    first, second = list(Dataset(folder))[:2]
    length = len(first.steps)
    for faults, outcomes, attempts in (
        (set(), ("replayed", "replayed"), 3),
        ({2}, ("replayed", "replayed"), 3),
        ({2, 3, 4}, ("quarantined", "replayed"), 3),
        ({2, 3}, ("quarantined", "replayed"), 2),
        ({length}, ("replayed", "replayed"), 2),
    ):
        runs = list(replay_on_real([first, second], partial(Flaky, faults=faults), attempts))
        assert tuple(each.outcome for each in runs) == outcomes, (faults, runs)
        assert len(runs[0].faults) == len(faults)
        if outcomes[0] == "quarantined":
            assert "no answer within 1 s" in runs[0].reason
        assert runs[1].steps == len(second.steps)


def test_a_step_that_goes_otherwise_is_no_fault(folder: Path, tmp_path: Path) -> None:
    class Blocked(Flaky):
        def step(self, action: SimulatorAction) -> Event:
            return Event(False, "Something is blocking the agent")

    episode = next(iter(Dataset(folder)))
    (told,) = replay_on_real([episode], lambda settings: Blocked(settings, set()), 3, tmp_path)
    assert (told.outcome, told.steps, told.faults) == ("failed", 0, ())
    assert told.reason.endswith("Something is blocking the agent")
    assert [path.name for path in tmp_path.rglob("*.png")] == ["0000.png"]
    report = json.loads(write_report(tmp_path, [told]).read_text("utf-8"))
    assert report[0]["reason"] == told.reason


@pytest.mark.slow
def test_the_verb_on_a_build_that_dies_and_hangs(folder: Path, tmp_path: Path) -> None:
    """Our FIFO program as the build: the first of two episodes is quarantined, then all is well."""
    pytest.importorskip("ai2thor", reason="needs the extra thor")
    path = tmp_path / "build"
    program = f'cd {ROOT} && exec {sys.executable} -m tests.replay.household.faulty_build "$@"'
    path.write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    words = ("replay", folder, "--simulator", "ai2thor", "--executable", path, "--step-timeout", 10, "--json")
    faults = {"FAULT": "dies", "FAULT_AT": "8", "FAULT_STARTS": "2", "FAULT_FILE": str(tmp_path / "starts")}
    done = chorewright(*words, "--attempts", 2, env=faults)
    assert done.returncode == ExitCode.NEGATIVE, done.stderr
    told = json.loads(done.stdout)
    assert [each["outcome"] for each in told["episodes"]] == ["quarantined", "replayed"]
    done = chorewright(*words, "--render", "rgb")
    assert done.returncode == ExitCode.OK, done.stdout + done.stderr
    pictures = list((folder / "ai2thor").rglob("*.png"))
    assert len(pictures) == sum(len(episode.steps) + 1 for episode in Dataset(folder))
    missing = chorewright("replay", folder, "--simulator", "ai2thor", "--executable", tmp_path / "none")
    assert missing.returncode == ExitCode.USAGE
    assert "not an executable program" in missing.stderr
