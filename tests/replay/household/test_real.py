"""A real build behind the Simulator protocol: driven for good, and watched while it goes wrong."""

from __future__ import annotations

import os
import stat
import sys
import time
from pathlib import Path

import pytest

from chorewright.errors import MissingExtra, UsageError
from chorewright.problems.household.rooms import load_room
from chorewright.replay.household.real import process as real_build
from chorewright.replay.household.real.process import check_build
from chorewright.replay.household.real.simulator import Build, RealThor, SimulatorFault
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import SimulatorAction
from tests.command import ROOT

pytest.importorskip("ai2thor", reason="needs the extra thor")


@pytest.fixture
def build(tmp_path: Path) -> str:
    """The path of a build that goes wrong as the environment says."""
    path = tmp_path / "build"
    program = f'cd {ROOT} && exec {sys.executable} -m tests.replay.household.faulty_build "$@"'
    path.write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text("utf-8").split()[2] != "Z"
    except OSError:
        return False


def test_a_build_does_what_the_world_does(build: str) -> None:
    """The same calls on our world and, through client and build, on another: the same success and scene."""
    scene = load_room("FloorPlan2")
    world, real = ThorWorld(), RealThor(Build(build, start=60, step=20))
    world.reset(scene)
    try:
        assert real.reset(scene).success
        apple = next(body.object_id for body in scene.objects if body.kind == "Apple")
        fridge = next(body.object_id for body in scene.objects if body.kind == "Fridge")
        for call in (
            SimulatorAction("RotateRight"),
            SimulatorAction("LookDown"),
            SimulatorAction("Fly"),
            SimulatorAction("MoveAhead", {"moveMagnitude": 0.25}),
            SimulatorAction("PickupObject", {"objectId": apple, "forceAction": True}),
            SimulatorAction("OpenObject", {"objectId": fridge, "forceAction": True}),
            SimulatorAction("PutObject", {"objectId": apple, "receptacleObjectId": fridge, "forceAction": True}),
            SimulatorAction("CloseObject", {"objectId": fridge, "forceAction": True}),
        ):
            degrees = {"degrees": 15.0} if call.action == "LookDown" else {}
            expected = world.step(SimulatorAction(call.action, {**call.arguments, **degrees}))
            event = real.step(call)
            assert event.success == expected.success, (call, event.error_message)
            assert real.frame is not None
            assert real.frame.shape == (300, 300, 3)
        ours, theirs = world.scene(), real.scene()
        assert theirs.agent == ours.agent
        items = {body.object_id: body for body in ours.objects if body.traits.item}
        found = {body.object_id: body for body in theirs.objects if body.traits.item}
        assert set(items) == set(found)
        assert found[apple].parents == items[apple].parents == (fridge,)
    finally:
        real.close()


def use(real: RealThor) -> None:
    real.reset(load_room("FloorPlan2"))
    for _ in range(10):
        real.step(SimulatorAction("Pass"))


@pytest.mark.parametrize(
    ("fault", "at", "says"),
    [
        ("hangs", 6, "no answer within 4 s"),
        pytest.param("dies-at-start", 0, "start: the build died", marks=pytest.mark.slow),
        pytest.param("hangs-at-start", 0, "start: no answer within", marks=pytest.mark.slow),
        pytest.param("dies", 0, "start: the build died", marks=pytest.mark.slow),
        pytest.param("dies", 6, "Pass: the build died", marks=pytest.mark.slow),
        pytest.param("black", 6, "Pass: the picture is black", marks=pytest.mark.slow),
        pytest.param("garbage", 6, "Pass: RuntimeError", marks=pytest.mark.slow),
        pytest.param("noise", 0, "start: ", marks=pytest.mark.slow),
    ],
)
def test_what_goes_wrong_is_a_fault_and_leaves_no_process(
    build: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, at: int, says: str
) -> None:
    monkeypatch.setenv("FAULT", fault)
    monkeypatch.setenv("FAULT_AT", str(at))
    monkeypatch.setenv("FAULT_FILE", str(tmp_path / "starts"))
    start, step = (12 if fault == "hangs-at-start" else 60), (4 if fault == "hangs" else 20)
    real = RealThor(Build(build, start=start, step=step))
    with pytest.raises(SimulatorFault, match=says):
        use(real)
    monkeypatch.setenv("FAULT", "")
    assert real.reset(load_room("FloorPlan2")).success, "a fresh one starts at the next reset"
    real.close()
    started = [int(line) for line in (tmp_path / "starts").read_text("utf-8").split()]
    until = time.monotonic() + 5
    while any(map(alive, started)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(map(alive, started))


def test_where_no_build_can_be_had_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr(real_build.ctypes.util, "find_library", lambda name: None)
    begun = time.monotonic()
    with pytest.raises(MissingExtra, match="no X server") as raised:
        check_build()
    assert "libvulkan1" in str(raised.value.hint)
    monkeypatch.setattr(real_build, "display_problem", lambda: "")
    monkeypatch.setattr(real_build, "STORE", ("localhost", 9))
    with pytest.raises(MissingExtra, match="cannot be reached") as raised:
        check_build()
    assert "download_only" in str(raised.value.hint)
    assert time.monotonic() - begun < 10
    kept = tmp_path / ".ai2thor" / "releases" / "thor-Linux64-abc" / "thor-Linux64-abc"
    kept.parent.mkdir(parents=True)
    kept.touch()
    check_build()
    with pytest.raises(UsageError, match="not an executable program"):
        check_build(str(kept))
    os.chmod(kept, 0o755)
    check_build(str(kept))
