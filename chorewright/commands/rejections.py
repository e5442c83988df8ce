"""What ``generate`` says at its end of what was rejected, by reason, and what may help."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from chorewright.commands.shell import printable

if TYPE_CHECKING:
    from chorewright.generator.dataset.config import GenerateConfig
    from chorewright.generator.dataset.episode import RejectedIndex
    from chorewright.generator.dataset.store.manifest import ShardEntry
    from chorewright.generator.dataset.store.places import Place
    from chorewright.generator.production.benchmark import CountsTries

_REASONS = 5
"""So many reasons are told where no episode was accepted."""


def print_tries(config: GenerateConfig, folder: Place, entries: Sequence[ShardEntry]) -> None:
    """Print how many tries of the accepted episodes were rejected, by reason."""
    if _counting(config) is not None:
        from chorewright.generator.showing.view import count_rejections, tries_lines

        accepted = sum(entry.accepted for entry in entries)
        for line in tries_lines(count_rejections(folder, entries), accepted):
            print(printable(line))


def tries_json(config: GenerateConfig, folder: Place, entries: Sequence[ShardEntry]) -> dict[str, dict[str, int]]:
    """Return the same as JSON values."""
    if _counting(config) is None:
        return {}
    from chorewright.generator.showing.view import count_rejections

    return {"tries": dict(count_rejections(folder, entries))}


def print_failure(config: GenerateConfig, rejected: Sequence[RejectedIndex]) -> None:
    """Print why no episode was accepted, and a hint if one is known."""
    reasons = Counter(rejection.reason for rejection in rejected)
    print("no episode was accepted (manifest.json has all reasons):", file=sys.stderr)
    for reason, count in reasons.most_common(_REASONS):
        print(printable(f"{count:>7}  {reason}"), file=sys.stderr)
    counting = _counting(config)
    hint = "" if counting is None else counting.hint(config, reasons)
    if hint:
        print(f"hint: {hint}", file=sys.stderr)


def _counting(config: GenerateConfig) -> CountsTries | None:
    """Return the benchmark if counting its rejected tries tells something."""
    from chorewright.generator.production.benchmark import CountsTries, find_benchmark

    found = find_benchmark(config.benchmark, config.origin)
    return found if isinstance(found, CountsTries) else None
