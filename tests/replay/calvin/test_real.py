"""The adapter of calvin_env, against a small module tree with calvin_env's interface."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from chorewright.errors import ExitCode, InputError
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.problems.calvin.scenes import scene
from chorewright.replay.calvin.real import PARTS, CalvinEnvWorld, check_checkout
from tests.command import ROOT, chorewright
from tests.replay.calvin.fake_calvin_env import write_checkout

DRIVE = """
import sys
from pathlib import Path

import numpy as np

from chorewright.errors import ExitCode, InputError
from chorewright.generator.dataset.store.dataset import Dataset, UsageError
from chorewright.problems.calvin.scenes import scene
from chorewright.problems.calvin.scenes import TabletopState, concrete
from chorewright.replay.calvin.expert import Expert
from chorewright.replay.calvin.real import CalvinEnvWorld, tabletop

root = Path(sys.argv[1])
start = concrete(TabletopState(pink_block="slider_right"), scene("D"))
tasks = ("turn_on_led", "open_drawer", "lift_red_block_table")
observations = []
for checkout in (None, root):
    world = tabletop(scene("D"), checkout)
    world.reset(*start)
    expert = Expert(world)
    attempts = [expert.perform(task) for task in tasks]
    assert all(attempt.success for attempt in attempts), [attempt.reason for attempt in attempts]
    relative = np.array([0.5, 0.0, 0.5, 0.0, 0.0, 0.2, -1.0])
    world.step(relative)
    assert relative[0] == 0.5
    observations.append(np.concatenate([world.observation().robot_obs, world.observation().scene_obs]))
    world.close()
assert (observations[0] == observations[1]).all()
from calvin_env.envs.tasks import Tasks
assert Tasks.asked > 100
for wrong, error in ((("C", root), InputError), (("D", root.parent / "other"), UsageError)):
    try:
        CalvinEnvWorld(scene(wrong[0]), wrong[1])
    except error as caught:
        print(caught, file=sys.stderr)
    else:
        raise AssertionError(wrong)
"""


def test_the_expert_drives_a_checkout_and_its_oracle_judges(tmp_path: Path) -> None:
    pytest.importorskip("pybullet", reason="PyBullet (extra 'calvin') is not installed")
    one, other = write_checkout(tmp_path / "one"), write_checkout(tmp_path / "other")
    assert other.is_dir()
    ran = subprocess.run([sys.executable, "-c", DRIVE, str(one)], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == ""
    assert "no mesh" in ran.stderr
    assert "has loaded calvin_env" in ran.stderr


@pytest.mark.parametrize("history", ["none", "no commit", "a commit"])
def test_a_checkout_needs_no_history(tmp_path: Path, history: str) -> None:
    """calvin_env logs its commit; a copy of it has none, and git may not be installed."""
    pytest.importorskip("pybullet", reason="PyBullet (extra 'calvin') is not installed")
    root = write_checkout(tmp_path / "copy")
    if history != "none":
        (root / ".git").mkdir()
    if history == "a commit":
        (root / ".git" / "HEAD").write_text("0" * 40)
    drive = f"""
from pathlib import Path
from chorewright.problems.calvin.scenes import scene
from chorewright.replay.calvin.real import CalvinEnvWorld
for _ in range(2):
    CalvinEnvWorld(scene("D"), Path({str(root)!r})).close()
"""
    ran = subprocess.run([sys.executable, "-c", drive], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr


@pytest.mark.parametrize("part", PARTS)
def test_a_folder_that_is_no_checkout_is_refused_before_anything_is_imported(tmp_path: Path, part: str) -> None:
    root = write_checkout(tmp_path / "checkout", without=part)
    with pytest.raises(InputError, match=part) as caught:
        CalvinEnvWorld(scene("D"), root)
    assert str(root) in str(caught.value)
    assert caught.value.hint is not None
    assert str(root) not in sys.path


def test_a_checkout_is_found_by_its_folder(tmp_path: Path) -> None:
    root = write_checkout(tmp_path / "checkout")
    assert check_checkout(root) == root.resolve()


@pytest.mark.slow
def test_the_command_line_evaluates_and_records_in_a_checkout(tmp_path: Path) -> None:
    pytest.importorskip("pybullet", reason="PyBullet (extra 'calvin') is not installed")
    root = write_checkout(tmp_path / "checkout")
    asked = ("evaluate", "calvin", "--policy", "expert", "-n", "1", "--rollouts", "0", "--workers", "0")
    done = chorewright(*asked, "--calvin-env", str(root), "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["world"], report["lh_mtlc"]["lengths"]) == ("calvin_env", [5])
    assert report["mtlc"] is None, "no single tasks were asked for"
    target = tmp_path / "dataset"
    made = chorewright(
        *("generate", "calvin", "-n", "1", "--length", "1", "--workers", "0"),
        *("--calvin-env", str(root), "--out", str(target)),
    )
    assert made.returncode == 0, made.stderr
    [episode] = Dataset(target)
    assert dict(episode.extras)["world"] == "calvin_env"
    assert episode.outcome.accepted


@pytest.mark.parametrize(
    "words",
    [("evaluate", "calvin", "--policy", "expert", "-n", "1"), ("generate", "calvin", "-n", "1", "--out", "dataset")],
)
def test_the_command_line_refuses_a_path_that_is_no_checkout(tmp_path: Path, words: tuple[str, ...]) -> None:
    pytest.importorskip("pybullet", reason="PyBullet (extra 'calvin') is not installed")
    done = chorewright(*words, "--calvin-env", str(tmp_path), cwd=tmp_path)
    assert done.returncode == ExitCode.BAD_INPUT
    assert "this is not a checkout of calvin_env" in done.stderr
    assert "Traceback" not in done.stderr
