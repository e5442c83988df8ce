"""What is made when it is first asked for: items of sequences, fields of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

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


class Deferring:
    """The base of dataclasses with slots some of whose fields may be made when they are first asked for.

    Such a value is like one whose fields were all given: equal to it, hashed, printed, copied and pickled alike. It
    keeps what its fields are made of.
    """

    __slots__ = ("_source",)

    if not TYPE_CHECKING:  # else any name would be an attribute

        def __getattr__(self, name: str) -> Any:
            """Make a field. Python comes here where an attribute is not there, or not yet."""
            if name not in type(self).__slots__ or not hasattr(self, "_source"):
                return object.__getattribute__(self, name)  # which says what is wrong
            value = self._source(name)
            object.__setattr__(self, name, value)
            return value


_set_source = Deferring._source.__set__  # type: ignore[attr-defined]


def defer(value: Deferring, make: Callable[[int, str], object], place: int) -> None:
    """Let the fields that a value does not have yet be made.

    Args:
        value: One whose slots of these fields were never filled.
        make: Makes the field of a name, for the value at a place.
        place: The value's.
    """
    _set_source(value, partial(make, place))
