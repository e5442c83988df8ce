"""Rejected attempts, counted by reason: what production met on its way to the episodes of a dataset.

An index tries scene after scene until one is accepted; why those before were not is stored with its episode.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from chorewright.generator.dataset.store.manifest import ShardEntry
from chorewright.generator.dataset.store.places import Place
from chorewright.generator.dataset.store.reading import read_shard
from chorewright.generator.showing.view import safe

SHOWN = 12
"""So many reasons are told; the others are counted together."""


def counted(rejections: Iterable[str]) -> Mapping[str, int]:
    """Return how many of some tries ``TASK: REASON`` have each reason, the most frequent first."""
    found = Counter(each.partition(": ")[2] for each in rejections)
    return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))


def rejected_tries(folder: Place, entries: Sequence[ShardEntry]) -> Mapping[str, int]:
    """Return how many tries of the accepted episodes of some shards were rejected, by reason.

    Raises:
        DatasetCorrupt: A shard is not what its entry says.
    """
    rows = (row for each in entries for row in read_shard(folder, each)["rejections"].to_pylist())
    return counted(reason for row in rows for reason in row)


def tries_lines(tries: Mapping[str, int], accepted: int) -> Iterable[str]:
    """Yield a heading and one line for each reason; nothing where no try was rejected."""
    count = sum(tries.values())
    if not count:
        return
    each = f", {count / accepted:.1f} for each episode" if accepted else ""
    yield f"rejected attempts by reason ({count}{each}):"
    shown = dict(list(tries.items())[:SHOWN])
    rest = count - sum(shown.values())
    for reason, number in (*shown.items(), *((("other reasons", rest),) if rest else ())):
        yield f"{number:>7}  {safe(reason)}"
