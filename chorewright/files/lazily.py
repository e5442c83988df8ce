"""What is made when it is first asked for: items of sequences, fields of values, names of packages."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

SourceT = TypeVar("SourceT")
ItemT = TypeVar("ItemT")


class ReadSequence(Sequence[ItemT]):
    """Things at places from 0.

    Args:
        count: How many there are.
        read: Returns the one at a place.
    """

    def __init__(self, count: int, read: Callable[[int], ItemT]) -> None:
        self._range = range(count)
        self._item_at = read

    def __len__(self) -> int:
        return len(self._range)

    @overload
    def __getitem__(self, index: int) -> ItemT: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[ItemT]: ...

    def __getitem__(self, index: int | slice) -> ItemT | Sequence[ItemT]:
        if isinstance(index, slice):
            return [self._item_at(place) for place in self._range[index]]
        return self._item_at(self._range[index])


class LazySequence(ReadSequence[ItemT], Generic[SourceT, ItemT]):
    """What is made of some sources, in their order; each is made when it is first asked for, and kept."""

    def __init__(self, sources: Sequence[SourceT], make: Callable[[SourceT], ItemT]) -> None:
        """Make a sequence.

        Args:
            sources: What the items are made of.
            make: Makes an item; called once for each place.
        """
        super().__init__(len(sources), self._item)
        self._sources, self._make = sources, make
        self._made: dict[int, ItemT] = {}

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


def importer(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a package that imports its public names where they are used first.

    Args:
        package: The package's ``__name__``.
        homes: The module of each name.
    """

    def attribute(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return attribute


# What is worked out once about a value and kept, as it is likely to be asked about again.
#
# Domains and problems are large, and comparing them would take longer than most of what is asked about them:
# they are known by identity.


Answer = TypeVar("Answer")


class Remembered(Generic[Answer]):
    """Answers to questions about values, the ``most`` that were asked for last."""

    def __init__(self, most: int = 64) -> None:
        self._most = most
        self._known: dict[tuple[int, Hashable], tuple[object, Answer]] = {}

    def of(self, value: object, question: Hashable, work: Callable[[], Answer]) -> Answer:
        """Return the answer to a question about a value, worked out if it is not known.

        Args:
            value: What is asked about, known by identity.
            question: What is asked; equal questions have one answer.
            work: Works out the answer.
        """
        key = (id(value), question)
        found = self._known.pop(key, None)
        # The value is kept with the answer, so that its identity cannot become that of another.
        if found is None or found[0] is not value:
            found = (value, work())
            if len(self._known) >= self._most:
                del self._known[next(iter(self._known))]
        self._known[key] = found
        return found[1]
