"""CALVIN's datasets on the command line: generate, verify, export, replay, each with its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import chorewright, digests

pytest.importorskip("pybullet")


def test_verbs_of_the_layout(folder: Path, layout: Path, tmp_path: Path) -> None:
    """Export, verify and a damaged file, each with its exit code and words."""
    out = tmp_path / "out"
    done = chorewright("export", folder, "--format", "calvin", "--out", out)
    assert done.returncode == 0, done.stderr
    assert "3 episodes" in done.stdout
    assert "left out: pictures" in done.stdout
    assert "embeddings" in done.stdout
    done = chorewright("verify", out, "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["ok"], len(told["splits"])) == (0, True, 2)
    ids = out / "training" / "ep_start_end_ids.npy"
    whole = ids.read_bytes()
    ids.unlink()
    done = chorewright("verify", out)
    assert (done.returncode, "training/ep_start_end_ids.npy is missing" in done.stderr) == (1, True), done.stderr
    ids.write_bytes(whole)
    min((out / "training").glob("episode_*.npz")).unlink()
    done = chorewright("verify", out)
    assert done.returncode == 1
    assert "is missing" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("generate", "alfred", "--instructions", "FOLDER/manifest.json", "-n", "1", "--out", "x"), 2, "calvin"),
        (("generate", "calvin", "--replays", "some", "-n", "1", "--out", "x"), 2, "replays"),
        (("export", "FOLDER", "--format", "calvin", "--out", "x", "--embeddings", "mine"), 2, "module:function"),
        (("generate", "calvin", "--scene", "E", "-n", "1", "--out", "x"), 2, "scene"),
        (("generate", "calvin", "--length", "0", "-n", "1", "--out", "x"), 2, "chain"),
        (("evaluate", "calvin", "--policy", "nobody"), 2, "module:Class"),
        (("evaluate", "calvin", "--policy", "json:loads"), 2, "policy"),
    ],
    ids=str,
)
def test_words_that_are_refused(words: tuple[str, ...], code: int, said: str, folder: Path, tmp_path: Path) -> None:
    done = chorewright(*(word.replace("FOLDER", str(folder)) for word in words), cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert said in done.stderr
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
def test_verbs_from_generation_to_replay(tmp_path: Path) -> None:
    target = tmp_path / "made"
    words = ("generate", "calvin", "-n", "2", "--scene", "D", "--length", "2", "--out", target)
    assert chorewright(*words).returncode == 0
    before = digests(target)
    assert chorewright(*words).returncode == 0
    assert digests(target) == before
    assert chorewright("verify", target, "--remake", "1").returncode == 0
    assert chorewright("show", target, "0").returncode == 0
    assert "2" in chorewright("replay", target, "--json").stdout
    done = chorewright("replay", target, "--render", "rgb,depth", "--video", "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert (target / "frames" / "shard-00000.parquet").exists()
    assert len(list((target / "videos").glob("*.gif"))) == 2
    done = chorewright("view", target, "0", "--out", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
