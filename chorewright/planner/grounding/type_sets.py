"""Type sets: the types that variables range over, and which objects belong to each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.pddl.syntax import Typed
from chorewright.planner.grounding.numbering import Objects, Types


@dataclass(frozen=True, slots=True, eq=False)
class TypeSets:
    """The type sets of a domain's rules.

    Attributes:
        sets: The type sets by number; each is the types of which any will do.
        subtypes: The types at or below each type.
        _rows: For each kind of object, marks of the type sets that it belongs to.
        _fits: For each type set whether a kind of object is of any of its types.
    """

    sets: tuple[Types, ...]
    subtypes: Mapping[str, frozenset[str]]
    _rows: dict[Types, NDArray[np.bool_]] = field(default_factory=dict, init=False, repr=False)
    _fits: dict[Types, dict[Types, bool]] = field(default_factory=dict, init=False, repr=False)

    def matrix(self, objects: Objects, keep: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        """Return which objects belong to which type sets.

        Args:
            objects: The objects.
            keep: Marks of the kept ones, others belong to none; None if all are kept.

        Returns:
            Marks (objects x type sets).
        """
        kinds = np.zeros((len(objects.kinds), len(self.sets)), np.bool_)
        for i, kind in enumerate(objects.kinds):
            kinds[i] = self._row(kind)
        matrix = kinds[objects.kind]
        if keep is not None:
            matrix[~keep] = False
        return matrix

    def members(self, types: Types, objects: Objects, keep: NDArray[np.bool_] | None = None) -> NDArray[np.int32]:
        """Return the objects that are of any of the types.

        Args:
            types: The types.
            objects: The objects.
            keep: Marks of the kept ones, to which the answer is limited; None if all are kept.

        Returns:
            Their numbers, ascending.
        """
        chosen = self.fits(types, objects)[objects.kind]
        return np.flatnonzero(chosen if keep is None else chosen & keep).astype(np.int32)

    def fits(self, types: Types, objects: Objects) -> NDArray[np.bool_]:
        """Return a mark for each kind of object: whether it is of any of the types."""
        known = self._fits.setdefault(types, {})
        fits = [known[kind] if kind in known else self._is(kind, types) for kind in objects.kinds]
        return np.asarray(fits, np.bool_)

    def _row(self, kind: Types) -> NDArray[np.bool_]:
        row = self._rows.get(kind)
        if row is None:
            found = [self._is(kind, types) for types in self.sets]
            row = self._rows[kind] = np.asarray(found, np.bool_)
        return row

    def _is(self, kind: Types, types: Types) -> bool:
        below = frozenset[str]().union(*(self.subtypes.get(t, frozenset((t,))) for t in types))
        found = "object" in types or any(own in below for own in kind)
        self._fits.setdefault(types, {})[kind] = found
        return found


def subtype_closure(types: Sequence[Typed]) -> dict[str, frozenset[str]]:
    """For each type the types at or below it; ``object`` is above all."""
    children: dict[str, list[str]] = {"object": []}
    for item in types:
        children.setdefault(item.name, [])
        for parent in item.types:
            children.setdefault(parent, []).append(item.name)
    for name in list(children):
        if name != "object" and all(name not in below for below in children.values()):
            children["object"].append(name)
    closure = {}
    for name in children:
        seen: set[str] = set()
        stack = [name]
        while stack:
            top = stack.pop()
            if top not in seen:
                seen.add(top)
                stack.extend(children[top])
        closure[name] = frozenset(seen)
    return closure
