"""What ``generate`` says at its end of what was rejected, by reason, and what may help."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from chorewright.commands.shell import printable

if TYPE_CHECKING:
    from chorewright.generator.recipe import GenerateConfig
    from chorewright.generator.store.manifest import ShardEntry

_TOLD = ("handmethat",)
"""The recipes whose tries have reasons of few kinds, so that it says something to count them."""

_REASONS = 5
"""So many reasons are told where no episode was accepted."""


def print_tries(config: GenerateConfig, folder: Path, entries: Sequence[ShardEntry]) -> None:
    """Print how many tries of the accepted episodes were rejected, by reason."""
    if config.recipe in _TOLD:
        from chorewright.generator.tries import rejected_tries, tries_lines

        accepted = sum(entry.accepted for entry in entries)
        for line in tries_lines(rejected_tries(folder, entries), accepted):
            print(printable(line))


def tries_json(config: GenerateConfig, folder: Path, entries: Sequence[ShardEntry]) -> dict[str, dict[str, int]]:
    """Return the same as JSON values."""
    if config.recipe not in _TOLD:
        return {}
    from chorewright.generator.tries import rejected_tries

    return {"tries": dict(rejected_tries(folder, entries))}


def print_failure(config: GenerateConfig, entries: Sequence[ShardEntry]) -> None:
    """Print why no episode was accepted, and a hint if one is known."""
    reasons = Counter(rejection.reason for entry in entries for rejection in entry.rejected)
    print("no episode was accepted (manifest.json has all reasons):", file=sys.stderr)
    for reason, count in reasons.most_common(_REASONS):
        print(printable(f"{count:>7}  {reason}"), file=sys.stderr)
    hint = _hint(config, reasons)
    if hint:
        print(f"hint: {hint}", file=sys.stderr)


def _hint(config: GenerateConfig, reasons: Counter[str]) -> str:
    """Return what may help; empty if nothing is known to."""
    if config.recipe != "handmethat" or config.option("version") == ("1",):
        return ""
    from chorewright.generator.handmethat.trajectory import AHEAD, SHORTEST, TOO_SHORT

    if not any(TOO_SHORT in reason for reason in reasons):
        return ""
    return (
        f"episodes of version 2 need goals that take {SHORTEST[2] + AHEAD} actions or more, {SHORTEST[2]} of "
        f"them to be watched; with --version 1 shorter ones do"
    )
