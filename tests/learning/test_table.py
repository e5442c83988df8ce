"""The learner of CALVIN's table: what it sees and reads, and that it learns from a few minutes of data."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.learning.table import POLICY, VARIANTS, Learned, figures, show, wilson
from benchmarks.learning.table_policy import CHUNK, MODEL, TablePolicy, block_named, features, hashed
from chorewright.generator.calvin.evaluation import ChainJob, Player, starts
from chorewright.generator.calvin.options import CalvinOptions, CalvinTrial
from chorewright.generator.dataset.options import declare
from chorewright.problems.calvin.scenes import scene
from chorewright.problems.calvin.states import concrete, initial_states
from tests.command import ROOT, chorewright


def test_what_is_seen_of_a_state() -> None:
    robot, table = (np.asarray(each, np.float32)[None] for each in concrete(initial_states()[0], scene("D")))
    seen = features(robot, table, table, 1)
    moved = table.copy()
    moved[0, 6] += 0.1
    other = features(robot, moved, table, 1)
    assert seen.shape == other.shape
    assert np.isfinite(seen).all()
    assert np.flatnonzero(seen != other).size == 3  # where the block is, from the tool, and from its start
    named = features(robot, moved, table, block_named("lift the red block"))
    assert np.flatnonzero(named[0] != other[0]).size > 3


def test_words_differ() -> None:
    assert (hashed("open the drawer") != hashed("close the drawer")).any()
    assert (hashed("Open the drawer") == hashed("open the drawer")).all()


def test_a_stored_network_acts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robot, table = concrete(initial_states()[0], scene("D"))
    size = features(*(np.asarray(each, np.float32)[None] for each in (robot, table, table)), -1).shape[1]
    rng = np.random.default_rng(0)
    arrays = {"weight0": rng.normal(size=(4, size + 2)), "bias0": np.zeros(4)}
    arrays |= {"weight1": np.zeros((CHUNK * 7, 4)), "bias1": np.tile([1.0, 0, 0, 0, 0, 0, -1.0], CHUNK)}
    path = tmp_path / "weights.npz"
    np.savez(
        path,
        layers=2,
        mean=np.zeros(size),
        scale=np.ones(size),
        out=np.ones(7),
        tasks=["a", "b"],
        words=False,
        **arrays,
    )
    monkeypatch.setenv(MODEL, str(path))
    policy = TablePolicy()
    policy.reset()
    for _ in range(CHUNK + 1):
        position, angles, gripper = policy.step({"robot_obs": robot, "scene_obs": table}, "b")
        assert np.allclose(position - robot[:3], [1, 0, 0], atol=1e-6)
        assert np.allclose(angles, robot[3:6], atol=1e-6)
        assert gripper == -1


def test_the_variants_ask_for_flags_that_there_are() -> None:
    known = {each.flag for each in declare(CalvinOptions)} | {"--no-holds", "--seed", "-n"}
    for variant in VARIANTS.values():
        for flags in variant.flags:
            assert {word for word in flags.split() if word.startswith("-")} <= known


def test_what_is_reported() -> None:
    row = Learned("usual", "all of it", ("generate",), 5.0, 100.0, 2.0, 1000, 40, (90, 100), (5, 3, 4))
    assert row.length[0] == 4
    low, high = wilson(90, 100)
    assert 0.82 < low < 0.9 < high < 0.95
    found = {each.name: each for each in figures([row], real=False)}
    assert found["usual_single"].met
    assert found["usual_length"].met
    assert found["usual_minutes"].value == 7
    assert show([row], "our world").row_count == 1


@pytest.mark.slow
def test_a_policy_learns_two_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of forty demonstrations each it learns most; a generator that teaches a third less fails here."""
    pytest.importorskip("torch")
    pytest.importorskip("pybullet")
    names = ("turn_on_led", "open_drawer")
    words = [word for name in names for word in ("--tasks", f"calvin/{name}")]
    flags = ("--segments", "detection", "--replays", "none", "--noise", "0.01", "--no-holds", "--start-hand", "0.1")
    done = chorewright("generate", "calvin", "--per-task", "40", *words, *flags, "--out", "data", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = chorewright("export", "data", "--format", "lerobot", "--pictures", "none", "--out", "frames", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    train = ("benchmarks.learning.table_training", str(tmp_path / "frames"), "--out", str(tmp_path / "weights.npz"))
    subprocess.run([sys.executable, "-m", *train, "--epochs", "60"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    monkeypatch.setenv(MODEL, str(tmp_path / "weights.npz"))
    trial = CalvinTrial(agent=POLICY, chains=0, rollouts=15, pictures=False)
    player = Player(trial)
    player.sentences = {name: name for name in names}
    done_tasks = [bool(player.play(ChainJob(chain, task)).steps) for task, chain in starts(trial) if task in names]
    player.close()
    assert len(done_tasks) == 30
    assert sum(done_tasks) >= 20
