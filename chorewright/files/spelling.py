"""Misspelt names: the known one that is closest."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

MAX_CANDIDATES = 500


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """A hint that names the candidate closest to a misspelt name, if one is close."""
    found = closest(name, candidates)
    return f"did you mean '{found}'?" if found else None


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate closest to a misspelt name, if one is close.

    Of ``folder/name``, only the name counts where the folder is right, however long that is.
    """
    pool = list(islice(candidates, 40 * MAX_CANDIDATES))
    folder = name[: name.rfind("/") + 1]
    inside = [each.removeprefix(folder) for each in pool if each.startswith(folder)] if folder else []
    if inside:
        found = closest(name.removeprefix(folder), inside)
        return None if found is None else folder + found
    if len(pool) > MAX_CANDIDATES:
        pool = [word for word in pool if word[:1] == name[:1] and abs(len(word) - len(name)) <= 2]
    close = difflib.get_close_matches(name, pool[:MAX_CANDIDATES], n=3, cutoff=0.6)
    # Of those as close, the one as long: 'lde' is 'led' and not 'slider'.
    return min(
        close,
        key=lambda word: (
            -difflib.SequenceMatcher(None, word, name).ratio(),
            abs(len(word) - len(name)),
        ),
        default=None,
    )
