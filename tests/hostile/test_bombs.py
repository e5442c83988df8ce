"""Small datasets that claim to be huge: each verb refuses them in bounded memory, in a process of its own."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.store.manifest import (
    DATA,
    MANIFEST,
    Manifest,
    ShardEntry,
    shard_file,
    tool_versions,
    write_manifest,
)
from tests.command import command, environment
from tests.hostile.rows import row, write_dataset

MOST_MEGABYTES = 300

WATCHED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code if code >= 0 else 128 - code)
"""
"""A small process runs the command and tells its peak, for a peak begins with that of the process that forks."""

EPISODES = 100_000


def long_texts(folder: Path) -> None:
    """A row whose goal has 20 MB, in a file of some kilobytes."""
    write_dataset(folder, replace(row("alfred"), goal="on " * 7_000_000))
    assert sum(path.stat().st_size for path in folder.rglob("*")) < 100_000


def many_shards(folder: Path) -> None:
    """A manifest of as many shards as episodes, none of which is there."""
    (folder / DATA).mkdir(parents=True)
    none = hashlib.sha256(b"").hexdigest()
    shards = tuple(ShardEntry(number, none, 1, number, number + 1, 1) for number in range(EPISODES))
    config = GenerateConfig("alfred", EPISODES, shard_size=1)
    (folder / MANIFEST).write_text(write_manifest(Manifest(config, tool_versions(), shards)), "utf-8")
    assert shard_file(EPISODES - 1) in (folder / MANIFEST).read_text("utf-8")


def many_episodes(folder: Path) -> None:
    """A manifest that was edited to hold a hundred million episodes."""
    write_dataset(folder, row("alfred"))
    body = json.loads((folder / MANIFEST).read_text("utf-8"))
    body["configuration"]["episodes"] = body["episodes"] = 100_000_000
    (folder / MANIFEST).write_text(json.dumps(body), "utf-8")


def zeros(folder: Path) -> None:
    """A frame of CALVIN's layout with a picture of 480 MB of zeros."""
    (folder / "training").mkdir(parents=True)
    header = BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "|u1", "fortran_order": False, "shape": (20_000, 8_000, 3)})
    with (
        zipfile.ZipFile(folder / "training" / "episode_0000000.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("rgb_static.npy", "w") as entry,
    ):
        entry.write(header.getvalue())
        for _ in range(48):
            entry.write(bytes(10_000_000))
    np.save(folder / "training" / "ep_start_end_ids.npy", np.array([[0, 0]]))
    np.save(folder / "training" / "ep_lens.npy", np.array([1]))


@pytest.mark.parametrize("verb", ["verify", "show"])
@pytest.mark.parametrize("bomb", [long_texts, many_shards, many_episodes, zeros])
def test_a_bomb_is_refused_in_bounded_memory(bomb: Callable[[Path], None], verb: str, tmp_path: Path) -> None:
    folder = tmp_path / "bomb"
    bomb(folder)
    words = [sys.executable, "-c", WATCHED, *command(verb, folder)]
    done = subprocess.run(words, capture_output=True, text=True, env=environment(), check=False)
    *lines, last = done.stderr.splitlines()
    assert 0 < done.returncode < 128, lines
    assert len(done.stdout) + len(done.stderr) < 20_000
    assert not any("Traceback" in line for line in lines)
    assert int(last) / 1024 < MOST_MEGABYTES
