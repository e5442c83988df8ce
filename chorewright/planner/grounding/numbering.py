"""A problem in numbers: its objects, their types and its initial atoms as arrays, made once for all rungs.

Constants come first, then the objects as declared; predicates have the numbers of their declarations.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.facts import supertypes
from chorewright.domains.pddl.subformulas import Hierarchy, conjuncts
from chorewright.domains.pddl.syntax import Action, Atom, Domain, Formula, GroundAtom, Problem, Typed
from chorewright.files.lazily import Remembered
from chorewright.planner.grounding.normal_form import Known, Normalizer, atoms_changed

Types = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NumberedObjects:
    """The objects of a problem by number.

    Attributes:
        names: The objects' names.
        numbers: The number of each name.
        kinds: The distinct types that are declared.
        kind: The place of each object's types among ``kinds``.
    """

    names: tuple[str, ...]
    numbers: Mapping[str, int]
    kinds: tuple[Types, ...]
    kind: NDArray[np.intp]

    @classmethod
    def of(cls, typed: Sequence[Typed]) -> NumberedObjects:
        """Number objects in the order given."""
        names = tuple([o.name for o in typed])
        places: dict[Types, int] = {}
        kind = [places.setdefault(o.types, len(places)) for o in typed]
        numbers = {name: i for i, name in enumerate(names)}
        return cls(names, numbers, tuple(places), np.asarray(kind, np.intp))


@dataclass(frozen=True, slots=True)
class Signatures:
    """What is read off a domain's predicates once.

    Attributes:
        numbers: The number of each predicate.
        arity: The arity of each predicate.
        added: The predicates that some action makes true.
        deleted: The predicates that some action makes false.
        derived: The predicates that axioms derive.
    """

    numbers: Mapping[str, int]
    arity: NDArray[np.int32]
    added: frozenset[str]
    deleted: frozenset[str]
    derived: frozenset[str]

    @classmethod
    def of(cls, domain: Domain) -> Signatures:
        """Read a domain's predicates."""
        added, deleted = atoms_changed(domain)
        return cls(
            {p.name: i for i, p in enumerate(domain.predicates)},
            np.asarray([len(p.parameters) for p in domain.predicates], np.int32).reshape(-1),
            added,
            deleted,
            frozenset(axiom.head.name for axiom in domain.axioms),
        )

    @property
    def static(self) -> frozenset[str]:
        """Predicates that no action changes and no axiom derives."""
        return frozenset(self.numbers) - self.added - self.deleted - self.derived


_OBJECTS: Remembered[tuple[Domain, NumberedObjects]] = Remembered(4)
_SIGNATURES: Remembered[Signatures] = Remembered()
_NUMBERED: Remembered[tuple[Domain, NumberedProblem]] = Remembered(4)
_GOALS: Remembered[Formula] = Remembered(4)


def signatures(domain: Domain) -> Signatures:
    """The domain's predicates, remembered."""
    return _SIGNATURES.of(domain, None, lambda: Signatures.of(domain))


@dataclass(frozen=True, slots=True)
class NumberedProblem:
    """A problem's objects and its initial atoms. Atoms of derived predicates are left out: axioms decide them.

    Attributes:
        objects: The objects.
        predicates: The predicate of each atom.
        arguments: The objects of each atom (atoms x highest arity of the domain; the rest is -1).
        known: The predicates without arguments that are false, or true, in all states.
    """

    objects: NumberedObjects
    predicates: NDArray[np.int32]
    arguments: NDArray[np.int32]
    known: Known

    @classmethod
    def of(cls, domain: Domain, problem: Problem) -> NumberedProblem:
        """A problem in numbers, remembered for the next rung."""
        return _NUMBERED.of(problem, id(domain), lambda: (domain, _number(domain, problem)))[1]

    def initial(self, width: int, keep: NDArray[np.bool_] | None) -> tuple[NDArray[np.int32], ...]:
        """Return the initial atoms about kept objects.

        Args:
            width: How many columns the rows shall have.
            keep: Marks of the kept objects; None if all are.

        Returns:
            The predicate of each atom, and its objects (atoms x width; the rest is -1).
        """
        predicates, arguments = self.predicates, self.arguments
        if keep is not None:
            # The last flag is for the padding, which has the number -1.
            kept = np.append(keep, True)[arguments].all(axis=1)
            predicates, arguments = predicates[kept], arguments[kept]
        rows = np.full((len(arguments), width), -1, np.int32)
        shared = min(width, arguments.shape[1])
        rows[:, :shared] = arguments[:, :shared]
        return predicates, rows

    def chosen(self, keep: frozenset[str] | None) -> NDArray[np.bool_] | None:
        """Return a flag for each object and constant, whether its name is in ``keep``; None if all are kept."""
        if keep is None:
            return None
        return np.fromiter((name in keep for name in self.objects.names), np.bool_, len(self.objects.names))


def normal_goal(problem: Problem, known: Known) -> Formula:
    """The problem's goal in negation normal form, remembered for the next rung."""
    return _GOALS.of(problem, known, lambda: Normalizer(known).formula(problem.goal))


def _number(domain: Domain, problem: Problem) -> NumberedProblem:
    _, objects = _OBJECTS.of(
        problem.objects, id(domain), lambda: (domain, NumberedObjects.of((*domain.constants, *problem.objects)))
    )
    own = signatures(domain)
    atoms: Sequence[GroundAtom] = problem.init
    if own.derived:
        atoms = [atom for atom in atoms if atom[0] not in own.derived]
    number, place = own.numbers, objects.numbers
    named = map(number.__getitem__, map(itemgetter(0), atoms))
    predicates = np.fromiter(named, np.int32, len(atoms))
    flat = list(map(place.__getitem__, chain.from_iterable([atom[1:] for atom in atoms])))
    arity = own.arity[predicates]
    arguments = np.full((len(atoms), int(own.arity.max(initial=0))), -1, np.int32)
    arguments[np.arange(arguments.shape[1]) < arity[:, None]] = flat
    return NumberedProblem(objects, predicates, arguments, _find_known(domain, own, predicates))


def _find_known(domain: Domain, own: Signatures, predicates: NDArray[np.int32]) -> Known:
    present = np.zeros(len(own.arity), np.bool_)
    present[predicates] = True
    bare = [p.name for p in domain.predicates if not p.parameters and p.name not in own.derived]
    true = frozenset(name for name in bare if present[own.numbers[name]])
    never = frozenset(name for name in bare if name not in own.added and name not in true)
    return Known(never, frozenset(name for name in true if name not in own.deleted))


# Type sets: the types that variables range over, and which objects belong to each.


@dataclass(frozen=True, slots=True, eq=False)
class TypeSets:
    """The type sets of a domain's rules.

    Attributes:
        sets: The type sets by number; each is the types of which any will do.
        hierarchy: Which types are below others.
        _rows: For each kind of object, marks of the type sets that it belongs to.
        _fits: For each type set whether a kind of object is of any of its types.
    """

    sets: tuple[Types, ...]
    hierarchy: Hierarchy
    _rows: dict[Types, NDArray[np.bool_]] = field(default_factory=dict, init=False, repr=False)
    _fits: dict[Types, dict[Types, bool]] = field(default_factory=dict, init=False, repr=False)

    def matrix(self, objects: NumberedObjects, keep: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
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

    def members(
        self, types: Types, objects: NumberedObjects, keep: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int32]:
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

    def fits(self, types: Types, objects: NumberedObjects) -> NDArray[np.bool_]:
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
        found = any(self.hierarchy.is_subtype(own, name) for own in kind for name in types)
        self._fits.setdefault(types, {})[kind] = found
        return found


# How large the full task may be: a bound on the ground actions, from types and static preconditions.


@dataclass(frozen=True, slots=True)
class _Schema:
    """An action's parameters, and its static preconditions: predicate number and parameters in it."""

    parameters: tuple[tuple[str, Types], ...]
    static: tuple[tuple[int, frozenset[str]], ...]

    @classmethod
    def of(cls, action: Action, own: Signatures) -> _Schema:
        names = {p.name for p in action.parameters}
        static = sorted(
            (part.predicate, part.terms)
            for part in conjuncts(action.precondition)
            if isinstance(part, Atom) and part.predicate in own.static
        )
        return cls(
            tuple((p.name, p.types) for p in action.parameters),
            tuple((own.numbers[name], frozenset(names.intersection(terms))) for name, terms in static),
        )


_SCHEMAS: Remembered[tuple[_Schema, ...]] = Remembered()
_ABOVE: Remembered[tuple[str, ...]] = Remembered(1024)


def most_actions(domain: Domain, problem: Problem) -> int:
    """Return an upper bound on the ground actions that satisfy their static preconditions."""
    own = signatures(domain)
    schemas = _SCHEMAS.of(domain, None, lambda: tuple(_Schema.of(action, own) for action in domain.actions))
    numbered = NumberedProblem.of(domain, problem)
    facts = np.bincount(numbered.predicates, minlength=len(own.arity)).tolist()
    counts: Counter[str] = Counter()
    objects = numbered.objects
    for kind, number in zip(objects.kinds, np.bincount(objects.kind).tolist(), strict=True):
        for name in _ABOVE.of(domain, kind, partial(supertypes, domain, kind)):
            counts[name] += number
    return sum(_most(schema, facts, counts) for schema in schemas)


def _most(schema: _Schema, facts: Sequence[int], counts: Mapping[str, int]) -> int:
    """The smallest product that a greedy choice of static preconditions gives for one action."""
    sizes = {name: sum(counts[each] for each in types) for name, types in schema.parameters}
    product = 1
    for predicate, terms in sorted(schema.static, key=lambda atom: facts[atom[0]]):
        bound = [term for term in terms if term in sizes]
        if facts[predicate] < math.prod(sizes[term] for term in bound):
            product *= facts[predicate]
            for term in bound:
                del sizes[term]
    return product * math.prod(sizes.values())
