"""What environments of text games have in common: the entries of ``info``, and the choice of a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, SupportsIndex, TypeVar

import numpy as np

from chorewright.errors import UsageError


class Named(Protocol):
    """A game that has a name."""

    @property
    def name(self) -> str:
        """The name."""


GameT = TypeVar("GameT", bound=Named)


def entries(asked: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Return the entries of ``info`` that are asked for; one may be given by itself.

    Raises:
        UsageError: ``info`` cannot have one of them.
    """
    found = (asked,) if isinstance(asked, str) else tuple(asked)
    unknown = [name for name in found if name not in known]
    if unknown:
        raise UsageError(f"info has no {unknown[0]!r}", hint=f"it can have {', '.join(known)}")
    return found


def choose(
    games: Callable[[np.random.Generator], GameT] | Sequence[GameT],
    options: Mapping[str, Any],
    rng: np.random.Generator,
    kind: type[GameT],
) -> GameT:
    """Return the game that the options of ``reset`` name, or else any.

    Args:
        games: A function that draws a game, or some games; ``paths`` of those from files are their names.
        options: ``game`` is a game, an index or a name.
        rng: Draws one.
        kind: What a game is.

    Raises:
        UsageError: The options name no game.
    """
    unknown = sorted(set(options) - {"game"})
    if unknown:
        raise UsageError(f"reset has no option {unknown[0]!r}", hint="it can have game")
    wanted = options.get("game")
    if isinstance(wanted, kind):
        return wanted
    if not isinstance(games, Sequence):
        if wanted is not None:
            raise UsageError("games are drawn, so none can be chosen by its name")
        return games(rng)
    if wanted is None:
        return games[int(rng.integers(len(games)))]
    if isinstance(wanted, str):
        return _named(games, wanted)
    if not isinstance(wanted, SupportsIndex):
        raise UsageError(f"a game is chosen by its name or index, not by {wanted!r}")
    if not 0 <= (index := wanted.__index__()) < len(games):
        raise UsageError(f"there is no game {index}", hint=f"there are {len(games)}, from 0")
    return games[index]


def _named(games: Sequence[GameT], name: str) -> GameT:
    names = getattr(games, "paths", None)
    for place in range(len(games)):
        if (names[place] if names else games[place].name) == name:
            return games[place]
    raise UsageError(f"there is no game {name!r}")
