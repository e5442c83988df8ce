"""Join plans: rules as symbols, compiled into the flat arrays that ``joins.derive`` runs.

For each atom in a rule's body that can be derived there is one plan, triggered by that atom; the other
atoms are ordered so that each shares as many bound variables as possible with what came before, static ones
first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.grounding.joins import tables
from chorewright.planner.grounding.joins.tables import RuleTables

Term = int
"""A variable of the rule from 0, or object number n as -n - 1."""


@dataclass(frozen=True, slots=True)
class AtomPattern:
    """An atom in a rule: predicate number and terms."""

    predicate: int
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Filter:
    """Kind of ``atom_tables`` (DIFFERENT, SAME: two terms; ABSENT: predicate's terms, by ``predicate``)."""

    kind: int
    terms: tuple[Term, ...]
    predicate: int = -1


@dataclass(frozen=True, slots=True)
class JoinRule:
    """``head`` follows from ``body``; ``types`` is the type set of each variable, or -1 for any object."""

    head: AtomPattern
    body: tuple[AtomPattern, ...]
    filters: tuple[Filter, ...]
    types: tuple[int, ...]

    def unify(self) -> JoinRule:
        """Return the rule with one variable for those of one type that must be equal."""
        number = list(range(len(self.types)))
        filters = []
        for item in self.filters:
            first, second = (number[t] if t >= 0 else t for t in item.terms) if item.kind == tables.SAME else (-1, -1)
            if min(first, second) < 0 or self.types[first] != self.types[second]:
                filters.append(item)
            else:
                number = [min(first, second) if n == max(first, second) else n for n in number]
        if len(filters) == len(self.filters):
            return self
        left = sorted(set(number))

        def terms(before: Sequence[Term]) -> tuple[Term, ...]:
            return tuple(left.index(number[t]) if t >= 0 else t for t in before)

        return JoinRule(
            replace(self.head, terms=terms(self.head.terms)),
            tuple(dict.fromkeys(replace(each, terms=terms(each.terms)) for each in self.body)),
            tuple(replace(each, terms=terms(each.terms)) for each in filters),
            tuple(self.types[n] for n in left),
        )


@dataclass(frozen=True, slots=True)
class JoinProgram:
    """Rules as arrays.

    Attributes:
        rules: The arrays.
        width: The most arguments that a predicate has; 1 at least.
        most_variables: The most variables that a rule has.
        triggering: Marks of the predicates whose initial atoms trigger rules.
    """

    rules: RuleTables
    width: int
    most_variables: int
    triggering: NDArray[np.bool_]

    @property
    def arity(self) -> NDArray[np.int32]:
        """Arity of each predicate."""
        return self.rules.arity


@dataclass(slots=True)
class _Arrays:
    """The arrays under construction."""

    terms: list[int] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    steps: list[tuple[int, ...]] = field(default_factory=list)
    filters: list[tuple[int, ...]] = field(default_factory=list)
    plan_head: list[int] = field(default_factory=list)
    plan_trigger: list[int] = field(default_factory=list)
    plan_steps: list[tuple[int, int]] = field(default_factory=list)
    plan_filters: list[tuple[int, int]] = field(default_factory=list)
    indexes: dict[tuple[int, tuple[int, ...]], int] = field(default_factory=dict)

    def append_terms(self, terms: Sequence[Term], actions: Sequence[int] | None = None) -> int:
        offset = len(self.terms)
        self.terms.extend(terms)
        self.actions.extend(actions if actions is not None else [tables.KEY] * len(terms))
        return offset

    def index(self, predicate: int, positions: tuple[int, ...]) -> int:
        return self.indexes.setdefault((predicate, positions), len(self.indexes))


@dataclass(slots=True)
class _Plan:
    """One rule with one trigger while its steps are laid out."""

    rule: JoinRule
    arrays: _Arrays
    implied: Mapping[tuple[int, int], frozenset[int]]
    bound: set[int] = field(default_factory=set)
    pending: list[Filter] = field(default_factory=list)

    def bind(self, pattern: AtomPattern) -> list[int]:
        """Match actions of a pattern's terms; its new variables become bound."""
        actions = []
        fresh: set[int] = set()
        for term in pattern.terms:
            if term < 0 or term in self.bound:
                actions.append(tables.KEY)
            elif term in fresh:
                actions.append(tables.REPEAT)
            else:
                fresh.add(term)
                actions.append(tables.BIND)
        self.bound |= fresh
        return actions

    def filters(self, pattern: AtomPattern | None, fresh: Sequence[int]) -> tuple[int, int]:
        """Lay out the filters that can be checked now: types of fresh variables and pending ones."""
        first = len(self.arrays.filters)
        for variable in fresh:
            wanted = self.rule.types[variable]
            if wanted < 0:
                continue
            if pattern is not None:
                position = pattern.terms.index(variable)
                if wanted in self.implied.get((pattern.predicate, position), frozenset()):
                    continue
            self.arrays.filters.append((tables.TYPED, variable, wanted, 0))
        waiting = []
        for item in self.pending:
            if any(t >= 0 and t not in self.bound for t in item.terms):
                waiting.append(item)
            elif item.kind == tables.ABSENT:
                offset = self.arrays.append_terms(item.terms)
                self.arrays.filters.append((tables.ABSENT, item.predicate, offset, 0))
            else:
                self.arrays.filters.append((item.kind, *item.terms, 0))
        self.pending = waiting
        return first, len(self.arrays.filters) - first


def compile_rules(
    rules: Sequence[JoinRule],
    arities: Sequence[int],
    derivable: frozenset[int],
    implied: Mapping[tuple[int, int], frozenset[int]],
    any_type: int,
    small: frozenset[int] = frozenset(),
) -> JoinProgram:
    """Compile rules into the arrays that ``joins.derive`` runs.

    Args:
        rules: The rules.
        arities: The arity of each predicate.
        derivable: The predicates that rules derive.
        implied: The type sets that every argument of a predicate at a position belongs to.
        any_type: The type set of all objects, used to enumerate variables that no atom binds.
        small: Predicates that have few atoms and are preferred.
    """
    arrays = _Arrays()
    heads: list[tuple[int, int]] = []
    triggers: dict[int, list[int]] = {}
    initial: list[int] = []
    for number, rule in enumerate(rules):
        heads.append((rule.head.predicate, arrays.append_terms(rule.head.terms)))
        positions = [i for i, pattern in enumerate(rule.body) if pattern.predicate in derivable]
        for trigger in positions or [-1]:
            plan = len(arrays.plan_head)
            _lay_out(number, rule, trigger, arrays, implied, derivable, any_type, small)
            if trigger < 0:
                initial.append(plan)
            else:
                triggers.setdefault(rule.body[trigger].predicate, []).append(plan)
    count = len(arities)
    trigger_start = np.zeros(count + 1, np.int32)
    trigger_plans: list[int] = []
    for predicate in range(count):
        trigger_plans.extend(triggers.get(predicate, []))
        trigger_start[predicate + 1] = len(trigger_plans)
    of_predicate: list[list[int]] = [[] for _ in range(count)]
    index_positions: list[int] = []
    index_start = [0]
    for (predicate, columns), index in arrays.indexes.items():
        of_predicate[predicate].append(index)
        index_positions.extend(columns)
        index_start.append(len(index_positions))
    flat = [index for group in of_predicate for index in group]
    starts = np.concatenate([[0], np.cumsum([len(group) for group in of_predicate])])
    compiled = RuleTables(
        _ints(arities),
        _ints(arrays.plan_head),
        _ints(arrays.plan_trigger),
        _table(arrays.plan_steps, 2),
        _table(arrays.plan_filters, 2),
        _ints([predicate for predicate, _ in heads]),
        _ints([offset for _, offset in heads]),
        _table(arrays.steps, tables.STEP_WIDTH),
        _table(arrays.filters, tables.FILTER_WIDTH),
        _ints(arrays.terms),
        _ints(arrays.actions),
        trigger_start,
        _ints(trigger_plans),
        _ints(initial),
        _ints(index_start),
        _ints(index_positions),
        starts.astype(np.int32),
        _ints(flat),
    )
    most = max((len(rule.types) for rule in rules), default=0)
    # Where each rule needs a demand, what holds from the start waits in the indexes for one.
    waits = bool(small) and all(any(p.predicate in small for p in rule.body) for rule in rules)
    flags = np.zeros(count, np.bool_)
    flags[sorted(small if waits else derivable)] = True
    return JoinProgram(compiled, max(1, *arities, 1), most, flags)


def _lay_out(
    number: int,
    rule: JoinRule,
    trigger: int,
    arrays: _Arrays,
    implied: Mapping[tuple[int, int], frozenset[int]],
    derivable: frozenset[int],
    any_type: int,
    small: frozenset[int],
) -> None:
    plan = _Plan(rule, arrays, implied, pending=list(rule.filters))
    offset = -1
    fresh: list[int] = []
    pattern = None
    if trigger >= 0:
        pattern = rule.body[trigger]
        actions = plan.bind(pattern)
        offset = arrays.append_terms(pattern.terms, actions)
        fresh = [t for t, a in zip(pattern.terms, actions, strict=True) if a == tables.BIND]
    first_filters = plan.filters(pattern, fresh)
    remaining = [i for i in range(len(rule.body)) if i != trigger]
    first_step = len(arrays.steps)
    # The steps of a plan must be contiguous, and so must the filters of a step: both are laid out in order.
    variables = [frozenset(t for t in p.terms if t >= 0) for p in rule.body]
    unbound = [v for v in range(len(rule.types)) if v not in plan.bound]
    while remaining or unbound:
        best = -1
        if remaining:
            _, best = min((_order(rule.body[i], variables[i], plan.bound, derivable, small), i) for i in remaining)
        if best >= 0:
            remaining.remove(best)
            pattern = rule.body[best]
            older = 1 if 0 <= best < trigger else 0
            free = [t for t in pattern.terms if t >= 0 and t not in plan.bound]
            keys = tuple(i for i, t in enumerate(pattern.terms) if t < 0 or t in plan.bound)
            actions = plan.bind(pattern)
            terms = arrays.append_terms(pattern.terms, actions)
            fresh = [t for t, a in zip(pattern.terms, actions, strict=True) if a == tables.BIND]
            filters = plan.filters(pattern, fresh)
            if free:
                index = arrays.index(pattern.predicate, keys)
                arrays.steps.append((tables.JOIN, pattern.predicate, index, older, terms, *filters))
            else:
                arrays.steps.append((tables.CHECK, pattern.predicate, 0, older, terms, *filters))
        else:
            variable = unbound[0]
            plan.bound.add(variable)
            wanted = rule.types[variable]
            first = len(arrays.filters)
            _, filter_count = plan.filters(None, [])
            kind = wanted if wanted >= 0 else any_type
            arrays.steps.append((tables.GENERATE, variable, kind, 0, 0, first, filter_count))
        unbound = [v for v in unbound if v not in plan.bound]
    arrays.plan_head.append(number)
    arrays.plan_trigger.append(offset)
    arrays.plan_steps.append((first_step, len(arrays.steps) - first_step))
    arrays.plan_filters.append(first_filters)


def _order(
    pattern: AtomPattern, variables: frozenset[int], bound: set[int], derivable: frozenset[int], small: frozenset[int]
) -> tuple[int, int, bool]:
    """Checks first, then atoms that share bound variables: small ones, few free variables, static ones."""
    free = len(variables - bound)
    shared = free < len(variables) or min(pattern.terms, default=0) < 0
    group = 0 if free == 0 else 1 if shared else 2
    if shared and pattern.predicate in small:
        free = 0
    return group, free, pattern.predicate in derivable


def _ints(values: Sequence[int]) -> NDArray[np.int32]:
    return np.fromiter(values, np.int32, len(values))


def _table(rows: Sequence[tuple[int, ...]], width: int) -> NDArray[np.int32]:
    return np.asarray(rows, dtype=np.int32).reshape(len(rows), width)
