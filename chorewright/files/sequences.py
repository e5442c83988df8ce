"""A sequence of stored things, each of which is read on access."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class ReadSequence(Sequence[T]):
    """Things at places from 0.

    Args:
        count: How many there are.
        read: Returns the one at a place.
    """

    def __init__(self, count: int, read: Callable[[int], T]) -> None:
        self._places = range(count)
        self._read = read

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...

    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return [self._read(place) for place in self._places[index]]
        return self._read(self._places[index])
