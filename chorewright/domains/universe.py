"""The objects that quantifiers range over, by their types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.values import Fluent, Number, exact

Extent: TypeAlias = tuple[tuple[str, ...], frozenset[str]]
"""The objects of some types, in declaration order and as a set."""


@dataclass(frozen=True)
class Universe:
    """The objects that quantifiers range over.

    ``by_type`` maps every type to its objects, those of its subtypes included, in declaration order;
    ``object`` holds them all.
    """

    by_type: Mapping[str, tuple[str, ...]]
    _extents: dict[tuple[str, ...], Extent] = field(default_factory=dict, init=False, repr=False, compare=False)
    _problem: Problem | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, domain: Domain, problem: Problem | None = None) -> Universe:
        """Return the universe of a problem: the domain's constants, then the problem's objects."""
        declared = (*domain.constants, *(problem.objects if problem else ()))
        by_type: dict[str, list[str]] = {"object": []}
        for typed in domain.types:
            by_type.setdefault(typed.name, [])
        parents = _parents(domain)
        above: dict[tuple[str, ...], tuple[str, ...]] = {}
        for typed in declared:
            names = above.get(typed.types)
            if names is None:
                names = above[typed.types] = _above(parents, typed.types)
            for name in names:
                by_type.setdefault(name, []).append(typed.name)
        return cls({name: tuple(dict.fromkeys(objects)) for name, objects in by_type.items()}, _problem=problem)

    @property
    def objects(self) -> tuple[str, ...]:
        return self.by_type["object"]

    @cached_property
    def numbers(self) -> Mapping[Fluent, Number]:
        """The initial values of the problem's functions; those that never change stand in no state."""
        values = self._problem.values if self._problem else ()
        return {(value.function, *value.objects): exact(value.value) for value in values}

    @cached_property
    def rank(self) -> Mapping[str, int]:
        """Each object's place in the declaration order."""
        return {name: place for place, name in enumerate(self.objects)}

    def members(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """Return the objects of any of the types, in declaration order; an unknown type has none."""
        return self.extent(types)[0]

    def includes(self, types: tuple[str, ...], name: str) -> bool:
        """Return whether an object is of any of the types."""
        return name in self.extent(types)[1]

    def extent(self, types: tuple[str, ...]) -> Extent:
        """Return the objects of any of the types, in declaration order and as a set."""
        known = self._extents.get(types)
        if known is None:
            if len(types) == 1:
                objects = self.by_type.get(types[0], ())
            else:
                either = {name for each in types for name in self.by_type.get(each, ())}
                objects = tuple(name for name in self.objects if name in either)
            known = self._extents[types] = objects, frozenset(objects)
        return known


def supertypes(domain: Domain, types: Iterable[str]) -> tuple[str, ...]:
    """Return the types and everything above them, ``object`` last."""
    return _above(_parents(domain), types)


def _parents(domain: Domain) -> dict[str, tuple[str, ...]]:
    return {typed.name: typed.types for typed in domain.types}


def _above(parents: Mapping[str, tuple[str, ...]], types: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    waiting = list(types)
    while waiting:
        name = waiting.pop()
        if name not in found and name != "object":
            found[name] = None
            waiting.extend(parents.get(name, ()))
    return (*found, "object")
