"""Datasets of one row, one text of which is that of a file: read, shown and told as JSON."""

from __future__ import annotations

import hashlib
import io
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pyarrow.parquet as pq
from rich.console import Console

from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.manifest import (
    DATA,
    MANIFEST,
    Manifest,
    ShardEntry,
    tool_versions,
    write_manifest,
)
from chorewright.generator.dataset.store.records import from_table, to_table
from chorewright.generator.dataset.store.shards import _parquet
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.production.verify import verify
from chorewright.generator.showing import view
from chorewright.problems.household.kinds import shipped_kinds
from tests.command import ROOT

ROWS = ROOT / "tests" / "corpus" / "hostile" / "rows"

ARGUMENTS, DETAILS = "arguments", "details"
"""Fields beside the extras."""


@lru_cache(maxsize=8)
def row(benchmark: str) -> Episode:
    """Return a stored episode of a benchmark."""
    (episode,) = from_table(pq.read_table(ROWS / f"{benchmark}.parquet"), shipped_kinds())
    return episode


def text_of(benchmark: str, field: str) -> bytes:
    """Return a text of a stored episode."""
    episode = row(benchmark)
    if field == ARGUMENTS:
        return max((step.arguments for step in episode.steps), key=len).encode()
    if field == DETAILS:
        return max((segment.details for segment in episode.segments), key=len).encode()
    return dict(episode.extras)[field].encode()


def write_dataset(folder: Path, episode: Episode) -> None:
    """Write a dataset of one episode whose checksums are right."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / DATA).mkdir(parents=True)
    config = GenerateConfig(episode.benchmark, 1)
    data = _parquet(to_table([replace(episode, index=0)]), config.fingerprint())
    entry = ShardEntry(0, hashlib.sha256(data).hexdigest(), len(data), 0, 1, 1)
    (folder / entry.file).write_bytes(data)
    (folder / MANIFEST).write_text(write_manifest(Manifest(config, tool_versions(), (entry,))), "utf-8")


def reader(benchmark: str, field: str) -> Callable[[Path], object]:
    """Return what reads a dataset in which a text is that of a file."""

    def read(path: Path) -> object:
        text = path.read_bytes().decode("utf-8", "replace")
        episode = row(benchmark)
        if field == ARGUMENTS:
            longest = max(range(len(episode.steps)), key=lambda number: len(episode.steps[number].arguments))
            steps = tuple(
                replace(step, arguments=text) if number == longest else step
                for number, step in enumerate(episode.steps)
            )
            episode = replace(episode, steps=steps)
        elif field == DETAILS:
            longest = max(range(len(episode.segments)), key=lambda number: len(episode.segments[number].details))
            segments = tuple(
                replace(segment, details=text) if number == longest else segment
                for number, segment in enumerate(episode.segments)
            )
            episode = replace(episode, segments=segments)
        else:
            extras = tuple((name, text if name == field else value) for name, value in episode.extras)
            episode = replace(episode, extras=extras)
        folder = path.parent / "dataset"
        write_dataset(folder, episode)
        verify(folder)
        stored = Dataset(folder).episode(0)
        found = BENCHMARKS.find(benchmark)
        presenter = found.presenter() or view
        Console(file=io.StringIO(), width=80).print(presenter.episode_text(stored))
        return view.episode_json(stored)

    return read
