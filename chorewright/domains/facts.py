"""A state with indices: which atoms of a predicate are true, and which with a given argument."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TypeAlias

from chorewright.domains.pddl.subformulas import types_above
from chorewright.domains.pddl.syntax import Domain, GroundAtom, Problem, State, Typed
from chorewright.errors import LimitError

# Exact numbers, and how a state holds them.
#
# A state holds the value 3 of ``(fuel van)`` as the atom ``("=", "fuel", "van", "3")``. Numbers are exact: integers
# where they are whole, else fractions. A number of a file is the decimal that it is written as.


Number: TypeAlias = int | Fraction
Fluent: TypeAlias = tuple[str, ...]
"""A function's name, then the objects' names."""

VALUE = "="
"""In place of the predicate of an atom that says a value."""

MOST_BITS = 4_000
"""How large numbers may grow, numerator and denominator together; Python itself writes no more than 4,300 digits."""


def exact(value: float) -> Number:
    """Return the number that a float's shortest decimal is."""
    return int(value) if value.is_integer() else Fraction(repr(value))


def whole(value: Number) -> Number:
    """Return a number as an integer where it is one.

    Raises:
        LimitError: It has more than a thousand digits.
    """
    if value.numerator.bit_length() + value.denominator.bit_length() > MOST_BITS:
        raise LimitError("a number of more than a thousand digits comes about")
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def number_text(value: Number) -> str:
    """Return a number as a state holds it: ``3``, ``0.25``, or ``1/3`` where no decimal is equal."""
    if isinstance(value, int):
        return str(value)
    rest, digits = value.denominator, 0
    while rest % 10 == 0 or rest % 2 == 0 or rest % 5 == 0:
        rest = rest // 10 if rest % 10 == 0 else rest // (2 if rest % 2 == 0 else 5)
        digits += 1
    if rest != 1:
        return f"{value.numerator}/{value.denominator}"
    scaled = abs(value.numerator) * 10**digits // value.denominator
    text = str(scaled).rjust(digits + 1, "0")
    return f"{'-' if value < 0 else ''}{text[:-digits]}.{text[-digits:]}"


def number_of(text: str) -> Number:
    """Return the number that a state's text stands for."""
    return whole(Fraction(text)) if "." in text or "/" in text else int(text)


def value_atom(fluent: Fluent, value: Number) -> GroundAtom:
    """Return the atom that says the value of a fluent."""
    return (VALUE, *fluent, number_text(value))


def atom_text(atom: GroundAtom) -> str:
    """Return an atom of a state as PDDL; a value as ``(= (fuel van) 3)``."""
    if atom[0] == VALUE:
        return f"(= ({' '.join(atom[1:-1])}) {atom[-1]})"
    return f"({' '.join(atom)})"


_NONE: Mapping[int, dict[str, list[GroundAtom]]] = {}


class Facts:
    """A state with indices that are built when first asked for.

    It changes only in the hands of who made it: ``axioms.derive`` adds to it, running a plan changes it.
    """

    __slots__ = ("_index", "_numbers", "_values", "atoms")

    def __init__(self, state: Iterable[GroundAtom]) -> None:
        self.atoms: set[GroundAtom] | State = state if isinstance(state, frozenset) else set(state)
        self._index: dict[str, list[GroundAtom]] | None = None
        self._values: dict[str, dict[int, dict[str, list[GroundAtom]]]] = {}
        self._numbers: dict[Fluent, Number] | None = None

    @property
    def numbers(self) -> dict[Fluent, Number]:
        """The values of the fluents that the state gives values."""
        if self._numbers is None:
            self._numbers = {atom[1:-1]: number_of(atom[-1]) for atom in self.atoms if atom[0] == VALUE}
        return self._numbers

    @property
    def is_indexed(self) -> bool:
        return self._index is not None

    def of(self, predicate: str) -> list[GroundAtom]:
        """Return the true atoms of a predicate, in no particular order."""
        if self._index is None:
            index: defaultdict[str, list[GroundAtom]] = defaultdict(list)
            for atom in self.atoms:
                index[atom[0]].append(atom)
            self._index = dict(index)
        return self._index.get(predicate, [])

    def with_argument(self, predicate: str, position: int, value: str) -> list[GroundAtom]:
        """Return the true atoms of a predicate whose argument ``position`` (from 1) is ``value``."""
        tables = self._values.setdefault(predicate, {})
        table = tables.get(position)
        if table is None:
            table = tables[position] = {}
            for atom in self.of(predicate):
                table.setdefault(atom[position], []).append(atom)
        return table.get(value, [])

    def add(self, atoms: Iterable[GroundAtom]) -> bool:
        """Add atoms; return whether any was new."""
        new = [atom for atom in dict.fromkeys(atoms) if atom not in self.atoms]
        if new:
            if isinstance(self.atoms, frozenset):
                self.atoms = set(self.atoms)
            self.atoms.update(new)
            self._numbers = None
            self._extend_indices(new)
        return bool(new)

    def insert(self, atom: GroundAtom) -> None:
        """Add one atom."""
        if atom not in self.atoms:
            if isinstance(self.atoms, frozenset):
                self.atoms = set(self.atoms)
            self.atoms.add(atom)
            self._numbers = None
            self._extend_indices((atom,))

    def change(self, deleted: Iterable[GroundAtom], added: Iterable[GroundAtom]) -> None:
        """Remove atoms, then add others."""
        gone = [atom for atom in dict.fromkeys(deleted) if atom in self.atoms]
        if gone:
            if isinstance(self.atoms, frozenset):
                self.atoms = set(self.atoms)
            self.atoms.difference_update(gone)
            self._numbers = None
            self._shorten_indices(gone)
        self.add(added)

    def _shorten_indices(self, gone: Iterable[GroundAtom]) -> None:
        if self._index is None:
            return
        for atom in gone:
            self._index[atom[0]].remove(atom)
            for position, table in self._values.get(atom[0], _NONE).items():
                table[atom[position]].remove(atom)

    def _extend_indices(self, new: Iterable[GroundAtom]) -> None:
        if self._index is None:
            return
        for atom in new:
            self._index.setdefault(atom[0], []).append(atom)
            for position, table in self._values.get(atom[0], _NONE).items():
                table.setdefault(atom[position], []).append(atom)


# The objects that quantifiers range over, by their types.


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
                names = above[typed.types] = types_above(parents, typed.types)
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

    def bindings(self, variables: Iterable[Typed]) -> Iterator[dict[str, str]]:
        """Yield all values of variables, the first one changing slowest."""
        typed = tuple(variables)
        for values in product(*(self.members(each.types) for each in typed)):
            yield {each.name: value for each, value in zip(typed, values, strict=True)}

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
    return types_above(_parents(domain), types)


def _parents(domain: Domain) -> dict[str, tuple[str, ...]]:
    return {typed.name: typed.types for typed in domain.types}
