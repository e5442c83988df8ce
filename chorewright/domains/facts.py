"""A state with indices: which atoms of a predicate are true, and which with a given argument."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from chorewright.domains.pddl.syntax import GroundAtom, State
from chorewright.domains.values import VALUE, Fluent, Number, number_of


class Facts:
    """A state with indices that are built when first asked for.

    It changes only in the hands of who made it: ``axioms.derive`` adds to it, running a plan changes it.
    """

    __slots__ = ("_index", "_numbers", "_values", "atoms")

    def __init__(self, state: Iterable[GroundAtom]) -> None:
        self.atoms: set[GroundAtom] | State = state if isinstance(state, frozenset) else set(state)
        self._index: dict[str, list[GroundAtom]] | None = None
        self._values: dict[tuple[str, int], dict[str, list[GroundAtom]]] = {}
        self._numbers: dict[Fluent, Number] | None = None

    @property
    def numbers(self) -> dict[Fluent, Number]:
        """The values of the fluents that the state gives values."""
        if self._numbers is None:
            self._numbers = {atom[1:-1]: number_of(atom[-1]) for atom in self.atoms if atom[0] == VALUE}
        return self._numbers

    @property
    def indexed(self) -> bool:
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
        table = self._values.get((predicate, position))
        if table is None:
            table = {}
            for atom in self.of(predicate):
                table.setdefault(atom[position], []).append(atom)
            self._values[predicate, position] = table
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

    def discard(self, atom: GroundAtom) -> None:
        """Remove one atom, if it is true."""
        if atom in self.atoms:
            self.change((atom,), ())

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
            for position, value in enumerate(atom[1:], start=1):
                table = self._values.get((atom[0], position))
                if table is not None:
                    table[value].remove(atom)

    def _extend_indices(self, new: Iterable[GroundAtom]) -> None:
        if self._index is None:
            return
        for atom in new:
            self._index.setdefault(atom[0], []).append(atom)
            for position, value in enumerate(atom[1:], start=1):
                table = self._values.get((atom[0], position))
                if table is not None:
                    table.setdefault(value, []).append(atom)
