"""Splits in their shares: each has its share of the episodes from the beginning (Sainte-Lague)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from chorewright.errors import UsageError
from chorewright.files.spelling import did_you_mean


def splits_in_shares(shares: Mapping[str, float], asked: Sequence[str]) -> Iterator[str]:
    """Yield a split for each episode, without end.

    Args:
        shares: The splits with their shares.
        asked: Only these; all if there are none.

    Raises:
        UsageError: There is no such split.
    """
    for name in asked:
        if name not in shares:
            hint = did_you_mean(name, shares) or f"splits: {', '.join(shares)}"
            raise UsageError(f"there is no split {name!r}", hint=hint)
    return _in_shares({name: share for name, share in shares.items() if not asked or name in asked})


def _in_shares(shares: Mapping[str, float]) -> Iterator[str]:
    given = dict.fromkeys(shares, 0)
    while True:
        name = max(shares, key=lambda each: shares[each] / (given[each] + 0.5))
        given[name] += 1
        yield name
