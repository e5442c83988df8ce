"""Splits of an export: which of the episodes go into which, in an order that does not depend on theirs."""

from __future__ import annotations

from collections.abc import Sequence

from chorewright.errors import InputError, UsageError
from chorewright.generator.dataset.episode import Episode


def places_by_split(episodes: Sequence[Episode]) -> tuple[dict[str, list[int]], str]:
    """Return the places of the accepted episodes of each split, training first, and the benchmark.

    Raises:
        UsageError: There is no accepted episode, or they are of several benchmarks.
        InputError: A split's name is none that the formats take.
    """
    found: dict[str, list[int]] = {}
    benchmarks = set()
    for place, episode in enumerate(episodes):
        benchmarks.add(episode.benchmark)
        if episode.outcome.accepted:
            found.setdefault(episode.split, []).append(place)
    if not found or len(benchmarks) != 1:
        raise UsageError("there is no accepted episode to export" if not found else "episodes of several benchmarks")
    for split in found:
        if not split.replace("_", "").isalnum():
            raise InputError(f"{split!r} cannot be the name of a split", hint="letters, digits and underscores only")
    order = sorted(found, key=lambda split: (not split.startswith("train"), split))
    return {split: found[split] for split in order}, benchmarks.pop()
