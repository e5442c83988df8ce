"""First-order formulas over states: which hold, and with which witnesses.

One engine serves goals, progress (which conjuncts hold), goal-condition success and derived predicates. A formula
is compiled once into closures and kept. Quantifiers are searched variable by variable, and each condition is
tested as soon as its variables are bound. The state is indexed only where a loop is long enough to repay it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from math import prod
from typing import TypeAlias

from chorewright.domains.arithmetic import compare_numbers
from chorewright.domains.facts import Extent, Facts, Universe
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import free_variables

Binding: TypeAlias = Mapping[str, str]
"""Variables (with their question marks) and the objects they stand for."""

_Environment: TypeAlias = dict[str, str]
_LONG_LOOP = 400


def holds(
    formula: syntax.Formula, state: syntax.State | Facts, universe: Universe, binding: Binding | None = None
) -> bool:
    """Return whether the formula is true in the state.

    ``binding`` gives values to its free variables. Derived predicates must be in the state
    (see ``axioms.derive``).

    Raises:
        ValueError: A free variable has no value.
    """
    test, free = _compile_all(formula)
    environment = dict(binding or {})
    _require_values(free, environment)
    return test(state if isinstance(state, Facts) else Facts(state), universe, environment)


def satisfying(
    formula: syntax.Formula,
    state: syntax.State | Facts,
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
        (formula.variables, formula.body) if isinstance(formula, syntax.Exists | syntax.AtLeast) else ((), formula)
    )
    _, free = _compile_all(formula)
    environment = dict(binding or {})
    _require_values(free, environment)
    facts = state if isinstance(state, Facts) else Facts(state)
    names = [typed.name for typed in variables]
    for found in _search(_prepared(variables, body), facts, universe, environment, ordered=ordered):
        yield {name: found[name] for name in names}


class StateQuestion:
    """A formula prepared for many states: ``holds`` and ``satisfying`` without looking the formula up.

    Attributes:
        test: Whether it is true, for facts, a universe and a binding of its free variables, which is not copied.
    """

    __slots__ = ("_needed", "_prepared", "test")

    def __init__(self, formula: syntax.Formula) -> None:
        self.test = _compile(formula)
        variables, body = (
            (formula.variables, formula.body) if isinstance(formula, syntax.Exists | syntax.AtLeast) else ((), formula)
        )
        self._prepared = _prepare(variables, body)
        self._needed = tuple(_yield_needs(self._prepared))

    def holds(self, facts: Facts, universe: Universe, binding: Binding) -> bool:
        """Return whether the formula is true; all its free variables must be bound."""
        return self.test(facts, universe, dict(binding))

    def bindings(self, facts: Facts, universe: Universe, binding: Binding) -> Iterator[dict[str, str]]:
        """Yield the binding extended by each binding of the outermost variables; the dictionary is reused.

        They come in no particular order.
        """
        for predicate, position, term in self._needed:
            value = binding.get(term, term)
            if not (facts.with_argument(predicate, position, value) if position else facts.of(predicate)):
                return iter(())
        return _search(self._prepared, facts, universe, dict(binding), ordered=False)

    def witnesses(self, facts: Facts, universe: Universe, binding: Binding) -> list[tuple[str, ...]]:
        """Return the values of the outermost variables that make the formula true, in the order of the universe."""
        names = [each.name for each in self._prepared.variables]
        found = _search(self._prepared, facts, universe, dict(binding), ordered=True)
        return [tuple([each[name] for name in names]) for each in found]


_Test: TypeAlias = Callable[[Facts, Universe, _Environment], bool]


@dataclass(frozen=True, slots=True)
class _Condition:
    """A conjunct: its test, the quantified variables it needs, and itself if it is a positive atom."""

    test: _Test
    needs: frozenset[str]
    atom: syntax.Atom | None


@dataclass(frozen=True, slots=True)
class _Prepared:
    variables: tuple[syntax.Typed, ...]
    conditions: tuple[_Condition, ...]


@lru_cache(maxsize=4096)
def _compile_all(formula: syntax.Formula) -> tuple[_Test, frozenset[str]]:
    return _compile(formula), free_variables(formula)


def _require_values(free: frozenset[str], environment: Mapping[str, str]) -> None:
    missing = sorted(free - environment.keys())
    if missing:
        raise ValueError(f"no value for the free variable {missing[0]!r}")


def _compile(formula: syntax.Formula) -> _Test:
    match formula:
        case syntax.Atom(predicate, terms):
            return _compile_atom(predicate, terms)
        case syntax.Equals(left, right):
            return lambda facts, universe, env: env.get(left, left) == env.get(right, right)
        case syntax.Comparison():
            return compare_numbers(formula)
        case syntax.Not(operand):
            inner = _compile(operand)
            return lambda facts, universe, env: not inner(facts, universe, env)
        case syntax.And(operands):
            tests = tuple(map(_compile, operands))
            return lambda facts, universe, env: all(test(facts, universe, env) for test in tests)
        case syntax.Or(operands):
            tests = tuple(map(_compile, operands))
            return lambda facts, universe, env: any(test(facts, universe, env) for test in tests)
        case syntax.Imply(antecedent, consequent):
            before, after = _compile(antecedent), _compile(consequent)
            return lambda facts, universe, env: not before(facts, universe, env) or after(facts, universe, env)
        case syntax.Exists(variables, body):
            some = _prepare(variables, body)
            return lambda facts, universe, env: _count(some, facts, universe, env, 1)
        case syntax.Forall(variables, body):
            counterexample = _prepare(variables, syntax.Not(body))
            return lambda facts, universe, env: not _count(counterexample, facts, universe, env, 1)
        case syntax.AtLeast(count, variables, body):
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


def _prepare(variables: tuple[syntax.Typed, ...], body: syntax.Formula) -> _Prepared:
    names = frozenset(typed.name for typed in variables)
    conditions = tuple(
        _Condition(
            _compile(conjunct),
            free_variables(conjunct) & names,
            conjunct if isinstance(conjunct, syntax.Atom) else None,
        )
        for conjunct in _conditions(body, True)
    )
    return _Prepared(variables, conditions)


_prepared = lru_cache(maxsize=4096)(_prepare)


def _yield_needs(prepared: _Prepared) -> Iterator[tuple[str, int, str]]:
    """Yield what some true atom must have for there to be a binding: predicate, position, term there.

    Position 0 stands for any atom of the predicate. Only conditions on the quantified variables are looked
    at: the others are tested at once anyway.
    """
    for condition in prepared.conditions:
        atom = condition.atom
        if atom is None or not condition.needs:
            continue
        bound = [i for i, term in enumerate(atom.terms, start=1) if term not in condition.needs]
        yield (atom.predicate, bound[0], atom.terms[bound[0] - 1]) if bound else (atom.predicate, 0, "")


def _conditions(formula: syntax.Formula, positive: bool) -> Iterator[syntax.Formula]:
    """Split a formula, or its negation, into conjuncts that can be tested one by one."""
    match formula:
        case syntax.Not(operand):
            yield from _conditions(operand, not positive)
        case syntax.And(operands) if positive:
            for operand in operands:
                yield from _conditions(operand, True)
        case syntax.Or(operands) if not positive:
            for operand in operands:
                yield from _conditions(operand, False)
        case syntax.Imply(antecedent, consequent) if not positive:
            yield from _conditions(antecedent, True)
            yield from _conditions(consequent, False)
        case _:
            yield formula if positive else syntax.Not(formula)


def _search(
    prepared: _Prepared, facts: Facts, universe: Universe, env: _Environment, *, ordered: bool
) -> Iterator[_Environment]:
    """Yield ``env`` (always the same dictionary) extended by each satisfying binding of the variables."""
    waiting = {typed.name: universe.extent(typed.types) for typed in prepared.variables}
    for name in waiting:
        env.pop(name, None)
    pending = []
    for condition in prepared.conditions:
        if condition.needs:
            pending.append(condition)
        elif not condition.test(facts, universe, env):
            return
    yield from _extend(waiting, pending, facts, universe, env, ordered)


_Ranges: TypeAlias = dict[str, Extent]


def _extend(
    waiting: _Ranges, pending: list[_Condition], facts: Facts, universe: Universe, env: _Environment, ordered: bool
) -> Iterator[_Environment]:
    if not waiting:
        yield env
        return
    name, candidates = _next_variable(waiting, pending, facts, universe, env, ordered)
    rest = {other: values for other, values in waiting.items() if other != name}
    later = [condition for condition in pending if not condition.needs.isdisjoint(rest)]
    tests = [condition.test for condition in pending if condition.needs.isdisjoint(rest)]
    for value in candidates:
        env[name] = value
        for test in tests:
            if not test(facts, universe, env):
                break
        else:
            if rest:
                yield from _extend(rest, later, facts, universe, env, ordered)
            else:
                yield env
    env.pop(name, None)


def _next_variable(
    waiting: _Ranges, pending: list[_Condition], facts: Facts, universe: Universe, env: _Environment, ordered: bool
) -> tuple[str, Iterable[str]]:
    """Choose the variable to bind next and the values worth trying, by the true atoms that mention it."""
    names = [next(iter(waiting))] if ordered else list(waiting)
    use_index = facts.is_indexed or prod(len(values) for values, _ in waiting.values()) > _LONG_LOOP
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
) -> tuple[list[syntax.GroundAtom], int] | None:
    """Return the shortest list of true atoms that a value of the variable must appear in, and where."""
    best: tuple[list[syntax.GroundAtom], int] | None = None
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
