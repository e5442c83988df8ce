"""Sequences whose items are made of something small, such as a path, when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, overload

SourceT = TypeVar("SourceT")
ItemT = TypeVar("ItemT")


class LazySequence(Sequence[ItemT], Generic[SourceT, ItemT]):
    """What is made of some sources, in their order; each is made when it is first asked for, and kept."""

    def __init__(self, sources: Sequence[SourceT], make: Callable[[SourceT], ItemT]) -> None:
        """Make a sequence.

        Args:
            sources: What the items are made of.
            make: Makes an item; called once for each place.
        """
        self._sources, self._make = sources, make
        self._made: dict[int, ItemT] = {}

    def __len__(self) -> int:
        return len(self._sources)

    @overload
    def __getitem__(self, place: int) -> ItemT: ...
    @overload
    def __getitem__(self, place: slice) -> list[ItemT]: ...
    def __getitem__(self, place: int | slice) -> ItemT | list[ItemT]:
        if isinstance(place, slice):
            return [self._item(each) for each in range(*place.indices(len(self)))]
        return self._item(range(len(self))[place])

    def _item(self, place: int) -> ItemT:
        if place not in self._made:
            self._made[place] = self._make(self._sources[place])
        return self._made[place]
