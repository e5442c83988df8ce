"""The learner of CALVIN's table: what it sees and reads, and that it learns from a few minutes of data."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from benchmarks.learning.kept import MODEL, cpu_minutes, kept, run_module, wilson
from benchmarks.learning.table import POLICY, VARIANTS, Learned, figures, show
from benchmarks.learning.table_pictures import curve, panels
from benchmarks.learning.table_policy import (
    CHUNK,
    Beginning,
    Floats,
    TablePolicy,
    block_meant,
    features,
    hashed,
    kind_of,
)
from chorewright.generator.calvin.evaluation import ChainJob, Player, starts
from chorewright.generator.calvin.options import CalvinOptions, CalvinTrial
from chorewright.generator.dataset.options import declare
from chorewright.problems.calvin.scenes import concrete, initial_states, scene
from tests.command import ROOT, chorewright

START = tuple(np.asarray(each, np.float32) for each in concrete(initial_states()[0], scene("D")))


def see(robot: Floats, table: Floats, begin: Beginning) -> Floats:
    return features(robot[None], table[None], robot[None, 2], begin)[0]


def test_what_is_seen_of_a_state() -> None:
    robot, table = START
    begin = Beginning(robot, table, 1)
    moved = table.copy()
    moved[12] += 0.1
    seen, other = see(robot, table, begin), see(robot, moved, begin)
    assert seen.shape == other.shape
    assert np.isfinite(seen).all()
    assert np.flatnonzero(seen != other).size == 6  # its place, from the tool, from its start; the latter finely, too,
    # and from the next block
    assert (see(robot, table, Beginning(robot, table, 0)) != seen).any()


def test_which_block_is_meant() -> None:
    robot, table = (each.copy() for each in START)
    places = table[6:].reshape(3, 6)
    places[0, :3], places[1, :3], places[2, :3] = (0.1, -0.1, 0.46), (0.2, 0.1, 0.5), (0.1, -0.1, 0.51)
    robot[:3] = (0.2, 0.1, 0.52)
    assert block_meant("push_pink_block_left", robot, table) == 2
    assert block_meant("place_in_drawer", robot, table) == 1  # the one in the hand
    assert block_meant("unstack_block", robot, table) == 2
    places[2, :3] = (0.2, -0.3, 0.37)
    assert block_meant("push_into_drawer", robot, table) == 0
    assert Beginning(robot, table, 1).order == [1, 0, 2]
    places[2, :3] = (0.16, -0.15, 0.46)  # nearer to the drawer
    assert block_meant("push_into_drawer", robot, table) == 2
    places[1, :3] = (0.16, -0.15, 0.5)  # ... but another one lies on it
    assert block_meant("push_into_drawer", robot, table) == 0
    places[1, :3] = (0.15, -0.1, 0.6)
    assert Beginning(robot, table, 1).order == [1, 2, 0], "stacked on the nearer one"
    assert kind_of("push_pink_block_left") == kind_of("push_red_block_left") == "push_block_left"


def test_words_differ() -> None:
    assert (hashed("open the drawer") != hashed("close the drawer")).any()
    assert (hashed("Open the drawer") == hashed("open the drawer")).all()


@pytest.mark.parametrize("goal", ["open_drawer", "open the drawer"])
def test_a_stored_network_acts(goal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robot, table = START
    size = len(see(robot, table, Beginning(robot, table, 0)))
    arrays = {"weight0": np.random.default_rng(0).normal(size=(4, size + 2)), "bias0": np.zeros(4)}
    arrays |= {"weight1": np.zeros((CHUNK * 7, 4)), "bias1": np.tile([1.0, 0, 0, 0, 0, 0, -1.0], CHUNK)}
    arrays |= {"mean": np.zeros(size), "scale": np.ones(size), "out": np.ones(7)}
    arrays["words"] = np.stack((hashed("close it"), hashed("open the drawer")), axis=1)
    path, names = tmp_path / "weights.npz", ["close_drawer", "open_drawer"]
    with path.open("wb") as target:
        np.savez(target, layers=2, tasks=names, kinds=names, **arrays)
    monkeypatch.setenv(MODEL, str(path))
    policy = TablePolicy()
    policy.reset()
    for _ in range(CHUNK + 1):
        position, angles, gripper = policy.step({"robot_obs": robot, "scene_obs": table}, goal)
        assert np.allclose(position - robot[:3], [1, 0, 0], atol=1e-6)
        assert np.allclose(angles, robot[3:6], atol=1e-6)
        assert gripper == -1


def test_what_is_there_is_not_made_again_and_minutes_add_up(tmp_path: Path) -> None:
    mark, tries = tmp_path / "data.minutes", list[int]()

    def work() -> None:
        tries.append(len(tries))
        if len(tries) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cpu_minutes(mark, work)
    cut_off = json.loads(mark.read_text("utf-8"))
    assert not cut_off["done"]
    assert cpu_minutes(mark, work) == cpu_minutes(mark, work) >= cut_off["minutes"]
    assert len(tries) == 2
    assert kept(tmp_path / "a.json", lambda: {"one": 1}) == kept(tmp_path / "a.json", dict) == {"one": 1}
    with pytest.raises(subprocess.CalledProcessError):
        run_module(("json.tool", str(tmp_path / "none")), Console(quiet=True))


def test_the_variants_ask_for_flags_that_there_are() -> None:
    known = {each.flag for each in declare(CalvinOptions)} | {"--no-holds", "--seed", "-n"}
    asked = argparse.Namespace(chains_made=80, singles=4)
    for variant in VARIANTS.values():
        for words in variant.commands(asked):
            assert {word for word in words if word.startswith("-")} <= known
    assert VARIANTS["quiet"].commands(asked)[0][:2] == ["-n", "20"]


def test_what_is_reported() -> None:
    row = Learned("usual", "all of it", ("generate",), 5.0, 100.0, 2.0, 50, 1000, 40, (90, 100), (5, 3, 4))
    assert row.length[0] == 4
    low, high = wilson(90, 100)
    assert 0.82 < low < 0.9 < high < 0.95
    found = {each.name: each for each in figures([row], real=False)}
    assert found["usual_single"].met
    assert found["usual_length"].met
    assert found["usual_minutes"].value == 7
    assert show([row], "our world").row_count == 1


@pytest.mark.slow
def test_a_policy_learns_three_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of forty demonstrations each it learns nearly all; a generator that teaches a third less fails here."""
    pytest.importorskip("torch")
    pytest.importorskip("pybullet")
    names = ("turn_on_led", "open_drawer", "lift_red_block_table")
    words = [word for name in names for word in ("--tasks", f"calvin/{name}")]
    flags = ("--segments", "detection", "--replays", "none", "--noise", "0.01", "--no-holds", "--start-hand", "0.1")
    done = chorewright("generate", "calvin", "--per-task", "40", *words, *flags, "--out", "data", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = chorewright("export", "data", "--format", "lerobot", "--pictures", "none", "--out", "frames", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    train = ("benchmarks.learning.table_training", str(tmp_path / "frames"), "--out", str(tmp_path / "weights.npz"))
    subprocess.run([sys.executable, "-m", *train, "--epochs", "400"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    monkeypatch.setenv(MODEL, str(tmp_path / "weights.npz"))
    player = Player(CalvinTrial(agent=POLICY, chains=0, rollouts=15, pictures=False))
    rollouts = [(task, chain) for task, chain in starts(CalvinTrial(rollouts=15)) if task in names]
    reached = [bool(player.play(ChainJob(chain, task)).steps) for task, chain in rollouts]
    player.close()
    assert len(reached) == 45
    assert sum(reached) >= 34


def test_the_curve_has_a_point_for_each_share_with_its_interval() -> None:
    few, usual = (
        {
            "figures": [
                {"name": f"{name}_demonstrations", "value": count},
                {"name": f"{name}_single", "value": count // 10, "of": 340},
                {"name": f"{name}_length", "value": count / 1000, "note": "± 0.25"},
            ]
        }
        for name, count in (("eighth", 700), ("usual", 3200))
    )
    single, chains = panels([few, usual])
    assert [point[0] for point in single.points] == [700, 3200]
    assert [round(point[1], 1) for point in single.points] == [20.6, 94.1]
    assert all(low < value < high for _, value, low, high in (*single.points, *chains.points))
    assert curve((single, chains)).count("<circle") == 4
