"""First-order formulas over states: which hold, and with which witnesses.

One engine serves goals, progress (which conjuncts hold), goal-condition success and derived predicates. A
formula is compiled once into closures and kept; quantifiers are searched variable by variable, each condition
tested as soon as its variables are bound, and the state is indexed only where a loop is long enough for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice
from typing import TypeAlias

from chorewright.domains.pddl.syntax import (
    And,
    AtLeast,
    Atom,
    Domain,
    Equals,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Not,
    Or,
    Problem,
    State,
    Typed,
)
from chorewright.domains.rewriting import free_variables

Binding: TypeAlias = Mapping[str, str]
"""Variables (with their question marks) and the objects they stand for."""

_Environment: TypeAlias = dict[str, str]
_LONG_LOOP = 400


@dataclass(frozen=True)
class Universe:
    """The objects that quantifiers range over.

    ``by_type`` maps every type to its objects, those of its subtypes included, in declaration order;
    ``object`` holds them all.
    """

    by_type: Mapping[str, tuple[str, ...]]
    _members: dict[tuple[str, ...], tuple[tuple[str, ...], frozenset[str]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

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
        return cls({name: tuple(dict.fromkeys(objects)) for name, objects in by_type.items()})

    @property
    def objects(self) -> tuple[str, ...]:
        return self.by_type["object"]

    @cached_property
    def rank(self) -> Mapping[str, int]:
        """Each object's place in the declaration order."""
        return {name: place for place, name in enumerate(self.objects)}

    def members(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """Return the objects of any of the types, in declaration order; an unknown type has none."""
        return self._range(types)[0]

    def includes(self, types: tuple[str, ...], name: str) -> bool:
        """Return whether an object is of any of the types."""
        return name in self._range(types)[1]

    def _range(self, types: tuple[str, ...]) -> tuple[tuple[str, ...], frozenset[str]]:
        known = self._members.get(types)
        if known is None:
            if len(types) == 1:
                objects = self.by_type.get(types[0], ())
            else:
                either = {name for each in types for name in self.by_type.get(each, ())}
                objects = tuple(name for name in self.objects if name in either)
            known = self._members[types] = objects, frozenset(objects)
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


class Facts:
    """A state with indices that are built when first asked for.

    It changes only in the hands of who made it: ``axioms.derive`` adds to it, running a plan changes it.
    """

    __slots__ = ("_index", "_values", "atoms")

    def __init__(self, state: Iterable[GroundAtom]) -> None:
        self.atoms: set[GroundAtom] | State = state if isinstance(state, frozenset) else set(state)
        self._index: dict[str, list[GroundAtom]] | None = None
        self._values: dict[tuple[str, int], dict[str, list[GroundAtom]]] = {}

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
            self._extend_indices(new)
        return bool(new)

    def change(self, deleted: Iterable[GroundAtom], added: Iterable[GroundAtom]) -> None:
        """Remove atoms, then add others."""
        gone = [atom for atom in dict.fromkeys(deleted) if atom in self.atoms]
        if gone:
            if isinstance(self.atoms, frozenset):
                self.atoms = set(self.atoms)
            self.atoms.difference_update(gone)
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


def holds(formula: Formula, state: State | Facts, universe: Universe, binding: Binding | None = None) -> bool:
    """Return whether the formula is true in the state.

    ``binding`` gives values to its free variables. Derived predicates must be in the state
    (see ``axioms.derive``).

    Raises:
        ValueError: A free variable has no value.
    """
    test, free = _compiled(formula)
    environment = dict(binding or {})
    _require_values(free, environment)
    return test(state if isinstance(state, Facts) else Facts(state), universe, environment)


def satisfying(
    formula: Formula,
    state: State | Facts,
    universe: Universe,
    binding: Binding | None = None,
    *,
    ordered: bool = True,
) -> Iterator[dict[str, str]]:
    """Yield the bindings of the outermost quantified variables that make the formula true.

    The formula is an ``exists`` or ``at-least`` (whose count is ignored); for any other, one empty binding is
    yielded if it holds. They come in the order of the universe, the first variable changing slowest; with
    ``ordered`` false in any order, which is faster where variables are linked by rare atoms.
    """
    variables, body = (
        (formula.variables, formula.body) if isinstance(formula, Exists | AtLeast) else ((), formula)
    )
    _, free = _compiled(formula)
    environment = dict(binding or {})
    _require_values(free, environment)
    facts = state if isinstance(state, Facts) else Facts(state)
    names = [typed.name for typed in variables]
    for found in _search(_prepared(variables, body), facts, universe, environment, ordered=ordered):
        yield {name: found[name] for name in names}


class Question:
    """A formula made ready to be asked of many states: ``holds`` and ``satisfying`` without looking it up."""

    __slots__ = ("_prepared", "_test")

    def __init__(self, formula: Formula) -> None:
        self._test = _compile(formula)
        variables, body = (
            (formula.variables, formula.body) if isinstance(formula, Exists | AtLeast) else ((), formula)
        )
        self._prepared = _prepare(variables, body)

    def holds(self, facts: Facts, universe: Universe, binding: Binding) -> bool:
        """Return whether the formula is true; all its free variables must be bound."""
        return self._test(facts, universe, dict(binding))

    def bindings(self, facts: Facts, universe: Universe, binding: Binding) -> Iterator[dict[str, str]]:
        """Yield the binding extended by each one of the outermost variables, always in the same dictionary.

        They come in no particular order.
        """
        return _search(self._prepared, facts, universe, dict(binding), ordered=False)


_Test: TypeAlias = Callable[[Facts, Universe, _Environment], bool]


@dataclass(frozen=True, slots=True)
class _Condition:
    """A conjunct: its test, the quantified variables it needs, and itself if it is a positive atom."""

    test: _Test
    needs: frozenset[str]
    atom: Atom | None


@dataclass(frozen=True, slots=True)
class _Prepared:
    variables: tuple[Typed, ...]
    conditions: tuple[_Condition, ...]


@lru_cache(maxsize=4096)
def _compiled(formula: Formula) -> tuple[_Test, frozenset[str]]:
    return _compile(formula), free_variables(formula)


def _require_values(free: frozenset[str], environment: Mapping[str, str]) -> None:
    missing = sorted(free - environment.keys())
    if missing:
        raise ValueError(f"no value for the free variable {missing[0]!r}")


def _compile(formula: Formula) -> _Test:
    match formula:
        case Atom(predicate, terms):
            return _compile_atom(predicate, terms)
        case Equals(left, right):
            return lambda facts, universe, env: env.get(left, left) == env.get(right, right)
        case Not(operand):
            inner = _compile(operand)
            return lambda facts, universe, env: not inner(facts, universe, env)
        case And(operands):
            tests = tuple(map(_compile, operands))
            return lambda facts, universe, env: all(test(facts, universe, env) for test in tests)
        case Or(operands):
            tests = tuple(map(_compile, operands))
            return lambda facts, universe, env: any(test(facts, universe, env) for test in tests)
        case Imply(antecedent, consequent):
            before, after = _compile(antecedent), _compile(consequent)
            return lambda facts, universe, env: (
                not before(facts, universe, env) or after(facts, universe, env)
            )
        case Exists(variables, body):
            some = _prepare(variables, body)
            return lambda facts, universe, env: _count(some, facts, universe, env, 1)
        case Forall(variables, body):
            counterexample = _prepare(variables, Not(body))
            return lambda facts, universe, env: not _count(counterexample, facts, universe, env, 1)
        case AtLeast(count, variables, body):
            many = _prepare(variables, body)
            return lambda facts, universe, env: _count(many, facts, universe, env, count)


def _compile_atom(predicate: str, terms: tuple[str, ...]) -> _Test:
    if not any(term.startswith("?") for term in terms):
        ground = (predicate, *terms)
        return lambda facts, universe, env: ground in facts.atoms
    if len(terms) == 1:
        (only,) = terms
        return lambda facts, universe, env: (predicate, env[only]) in facts.atoms
    return lambda facts, universe, env: (predicate, *[env.get(term, term) for term in terms]) in facts.atoms


def _count(prepared: _Prepared, facts: Facts, universe: Universe, env: _Environment, wanted: int) -> bool:
    """Return whether at least ``wanted`` bindings satisfy the conditions."""
    if wanted <= 0:
        return True
    bindings = _search(prepared, facts, universe, dict(env), ordered=False)
    return next(islice(bindings, wanted - 1, None), None) is not None


@lru_cache(maxsize=4096)
def _prepared(variables: tuple[Typed, ...], body: Formula) -> _Prepared:
    return _prepare(variables, body)


def _prepare(variables: tuple[Typed, ...], body: Formula) -> _Prepared:
    names = frozenset(typed.name for typed in variables)
    conditions = tuple(
        _Condition(
            _compile(conjunct),
            free_variables(conjunct) & names,
            conjunct if isinstance(conjunct, Atom) else None,
        )
        for conjunct in _conditions(body, True)
    )
    return _Prepared(variables, conditions)


def _conditions(formula: Formula, positive: bool) -> Iterator[Formula]:
    """Split a formula, or its negation, into conjuncts that can be tested one by one."""
    match formula:
        case Not(operand):
            yield from _conditions(operand, not positive)
        case And(operands) if positive:
            for operand in operands:
                yield from _conditions(operand, True)
        case Or(operands) if not positive:
            for operand in operands:
                yield from _conditions(operand, False)
        case Imply(antecedent, consequent) if not positive:
            yield from _conditions(antecedent, True)
            yield from _conditions(consequent, False)
        case _:
            yield formula if positive else Not(formula)


def _search(
    prepared: _Prepared, facts: Facts, universe: Universe, env: _Environment, *, ordered: bool
) -> Iterator[_Environment]:
    """Yield ``env`` (always the same dictionary) extended by each satisfying binding of the variables."""
    waiting = {typed.name: universe._range(typed.types) for typed in prepared.variables}
    for name in waiting:
        env.pop(name, None)
    pending = []
    for condition in prepared.conditions:
        if condition.needs:
            pending.append(condition)
        elif not condition.test(facts, universe, env):
            return
    yield from _extend(waiting, pending, facts, universe, env, ordered)


_Ranges: TypeAlias = dict[str, tuple[tuple[str, ...], frozenset[str]]]


def _extend(
    waiting: _Ranges,
    pending: list[_Condition],
    facts: Facts,
    universe: Universe,
    env: _Environment,
    ordered: bool,
) -> Iterator[_Environment]:
    if not waiting:
        yield env
        return
    name, candidates = _next_variable(waiting, pending, facts, universe, env, ordered)
    rest = {other: values for other, values in waiting.items() if other != name}
    ready = [condition for condition in pending if condition.needs.isdisjoint(rest)]
    later = [condition for condition in pending if not condition.needs.isdisjoint(rest)]
    for value in candidates:
        env[name] = value
        if all(condition.test(facts, universe, env) for condition in ready):
            yield from _extend(rest, later, facts, universe, env, ordered)
    env.pop(name, None)


def _next_variable(
    waiting: _Ranges,
    pending: list[_Condition],
    facts: Facts,
    universe: Universe,
    env: _Environment,
    ordered: bool,
) -> tuple[str, Iterable[str]]:
    """Choose the variable to bind next and the values worth trying, by the true atoms that mention it."""
    names = [next(iter(waiting))] if ordered else list(waiting)
    combinations = 1
    for values, _ in waiting.values():
        combinations *= len(values)
    use_index = facts.indexed or combinations > _LONG_LOOP
    best: tuple[str, Iterable[str]] | None = None
    fewest = -1
    for name in names:
        values, allowed = waiting[name]
        choice: Iterable[str] = values
        count = len(values)
        if use_index and count > 2:
            matches = _matching_atoms(name, pending, facts, env)
            if matches is not None and len(matches[0]) < count:
                atoms, position = matches
                found = {atom[position] for atom in atoms} & allowed
                choice = sorted(found, key=universe.rank.__getitem__)
                count = len(found)
                if count == 0:
                    return name, ()
        if best is None or count < fewest:
            best, fewest = (name, choice), count
    assert best is not None
    return best


def _matching_atoms(
    name: str, pending: list[_Condition], facts: Facts, env: _Environment
) -> tuple[list[GroundAtom], int] | None:
    """Return the shortest list of true atoms that a value of the variable must appear in, and where."""
    best: tuple[list[GroundAtom], int] | None = None
    for condition in pending:
        atom = condition.atom
        if atom is None or name not in condition.needs:
            continue
        place = atom.terms.index(name) + 1
        shortest = facts.of(atom.predicate)
        for position, term in enumerate(atom.terms, start=1):
            value = env.get(term, None if term.startswith("?") else term)
            if value is not None and shortest:
                matching = facts.with_argument(atom.predicate, position, value)
                if len(matching) < len(shortest):
                    shortest = matching
        if best is None or len(shortest) < len(best[0]):
            best = shortest, place
        if not shortest:
            break
    return best
