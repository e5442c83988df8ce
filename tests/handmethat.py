"""The reference's episodes of HandMeThat, for tests."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from benchmarks.corpora.reference import Corpus, reference, sample


@cache
def episode_names(corpus: Corpus = sample) -> tuple[str, ...]:
    """Return the names of the recorded episodes, version 1 first."""
    folder = corpus("handmethat")
    return tuple(f"{part}/{path.name}" for part in ("v1_raw", "v2_raw") for path in sorted((folder / part).glob("*")))


@cache
def episode(name: str, corpus: Corpus = sample) -> dict[str, Any]:
    """Return one recorded episode."""
    with gzip.open(corpus(f"handmethat/{name}"), "rt", encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def episodes(corpus: Corpus = sample) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield all recorded episodes by name."""
    for name in episode_names(corpus):
        yield name, episode(name, corpus)


WHOLE = "all"

each_episode = pytest.mark.parametrize(
    "chosen", [*episode_names(), pytest.param(WHOLE, marks=pytest.mark.reference)], ids=str
)
"""A test of one episode: once for each of the sample, and once for all that were recorded."""


def chosen_episodes(chosen: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the episodes, by name, that ``each_episode`` asks for."""
    return list(episodes(reference)) if chosen == WHOLE else [(chosen, episode(chosen))]
