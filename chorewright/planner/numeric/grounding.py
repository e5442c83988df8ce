"""From a domain and a problem to a ground numeric task: the actions that are reachable when nothing is deleted.

What the atoms alone allow is reached; comparisons of numbers that change are taken for true. Fluents that no
condition depends on are left out, so that costs that only grow do not make states different.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.arithmetic import all_conditions, find_changed_functions, initial_values
from chorewright.domains.facts import Fluent, Number, number_of
from chorewright.domains.formulas import Facts, Universe, conjuncts, satisfying
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import effects_with_scopes, numbers_in, parts
from chorewright.errors import LimitError, UnsupportedError
from chorewright.files.stopping import Stopped
from chorewright.planner.grounding.normal_form import atoms_changed
from chorewright.planner.numeric import expressions
from chorewright.planner.numeric.task import (
    ALWAYS,
    UNSET,
    ActionOutcome,
    Bound,
    Condition,
    ConditionMaker,
    FluentChange,
    NumericTask,
    Operator,
    conjoin,
)
from chorewright.planner.plan import GroundAction

MOST_OPERATORS = 500_000

NEVER = expressions.Operation("/", (expressions.Constant(1), expressions.Constant(0)))
"""A value that is never there: an action that has such an effect is impossible."""


@dataclass(slots=True)
class _Part:
    """What an action does under one condition, while it is collected."""

    when: Condition
    added: list[syntax.GroundAtom] = field(default_factory=list)
    deleted: list[syntax.GroundAtom] = field(default_factory=list)
    changes: list[FluentChange] = field(default_factory=list)


def ground_numeric(
    domain: syntax.Domain,
    problem: syntax.Problem,
    stop: NDArray[np.int64],
    keep: Iterable[str] = (),
    most: int = MOST_OPERATORS,
) -> NumericTask | None:
    """Ground a task.

    Args:
        domain: The domain.
        problem: The problem.
        stop: One number; another thread sets it to non-zero to end grounding.
        keep: Functions whose values are kept though no condition depends on them.
        most: The most ground actions.

    Returns:
        The task; None if the goal cannot be reached by the atoms alone.

    Raises:
        UnsupportedError: The domain has derived predicates.
        LimitError: There are too many ground actions.
        Stopped: It was stopped.
    """
    if domain.axioms:
        message = f"states of '{domain.name}' are not listed, as it has derived predicates"
        raise UnsupportedError(message, hint="validate, plan and play take them")
    return _Grounder(domain, problem, stop, most).task(tuple(keep))


def functions_denied(formula: syntax.Formula, denies: bool = False) -> Iterator[str]:
    """Yield the functions of the comparisons in a formula that are under an odd number of negations."""
    if isinstance(formula, syntax.Comparison) and denies:
        yield from (each.function for each in numbers_in(formula))
    elif isinstance(formula, syntax.Imply):
        yield from functions_denied(formula.antecedent, not denies)
        yield from functions_denied(formula.consequent, denies)
    else:
        for part in parts(formula):
            yield from functions_denied(part, denies != isinstance(formula, syntax.Not))


@dataclass
class _Grounder:
    """What is known while a task is grounded.

    Attributes:
        domain: The domain.
        problem: The problem.
        stop: One number; another thread sets it to non-zero to end grounding.
        most: The most ground actions.
        bits: The bits of the atoms that change.
        fluents: The places of the fluents that change.
        names: These fluents by their places.
        reached: The atoms that can become true when nothing is deleted.
    """

    domain: syntax.Domain
    problem: syntax.Problem
    stop: NDArray[np.int64]
    most: int
    bits: dict[syntax.GroundAtom, int] = field(default_factory=dict)
    fluents: dict[Fluent, int] = field(default_factory=dict)
    names: list[Fluent] = field(default_factory=list)
    reached: frozenset[syntax.GroundAtom] = frozenset()

    @cached_property
    def universe(self) -> Universe:
        return Universe.of(self.domain, self.problem)

    @cached_property
    def changed(self) -> frozenset[str]:
        """The predicates that actions change."""
        added, deleted = atoms_changed(self.domain)
        return added | deleted

    @cached_property
    def functions(self) -> frozenset[str]:
        return find_changed_functions(self.domain)

    @cached_property
    def start(self) -> frozenset[syntax.GroundAtom]:
        return frozenset(self.problem.init)

    @cached_property
    def values(self) -> Mapping[Fluent, Number]:
        """The values at the start of what changes."""
        return {atom[1:-1]: number_of(atom[-1]) for atom in initial_values(self.domain, self.problem)}

    @cached_property
    def under_not(self) -> frozenset[str]:
        """The functions that conditions read which hold where such a value is not there: denied comparisons."""
        conditions = (self.problem.goal, *all_conditions(self.domain))
        return frozenset(name for each in conditions for name in functions_denied(each))

    def _unset(self, expression: expressions.Ground) -> Iterator[syntax.GroundAtom]:
        """Yield what says of each value that an expression reads that it is not there, as at the start."""
        for fluent in (self.names[index] for index in expressions.variables_of(expression)):
            if fluent not in self.values:
                yield (UNSET, *fluent)

    @cached_property
    def at_start(self) -> Facts:
        """What holds at the start, indexed."""
        return Facts(set(self.start))

    def task(self, keep: tuple[str, ...]) -> NumericTask | None:
        self.reached, instances = self._reach()
        maker = ConditionMaker(self.universe, self._bit, self._fluent, self._unset)
        operators = []
        for action, binding in instances:
            operator = self._operator(action, binding, maker)
            if operator is not None:
                operators.append(operator)
        goal = maker.condition(self.problem.goal, {})
        if goal is None:
            return None
        bits = sum(1 << bit for atom, bit in self.bits.items() if atom in self.start or atom[0] == UNSET)
        state = bits, tuple(map(self.values.get, self.fluents))
        task = NumericTask(tuple(self.bits), tuple(self.fluents), tuple(maker.bounds), tuple(operators), state, goal)
        return relevant(task, {self.fluents[each] for each in self.fluents if each[0] in keep})

    def _reach(self) -> tuple[frozenset[syntax.GroundAtom], list[tuple[syntax.Action, dict[str, str]]]]:
        """Return the atoms that can become true when nothing is deleted, and the actions that can be run then."""
        facts = Facts(set(self.start))
        found: dict[tuple[str, tuple[str, ...]], tuple[syntax.Action, dict[str, str]]] = {}
        conditions = [(each, self._positive(each), [*effects_with_scopes(each.effect)]) for each in self.domain.actions]
        needs = [
            {atom.predicate for atom in conjuncts(each.body) if isinstance(atom, syntax.Atom)}
            for _, each, _ in conditions
        ]
        waiting = dict.fromkeys(range(len(conditions)))
        while waiting:
            number = next(iter(waiting))
            del waiting[number]
            action, condition, effects = conditions[number]
            added: list[syntax.GroundAtom] = []
            for binding in satisfying(condition, facts, self.universe, ordered=False):
                key = (action.name, tuple(binding.values()))
                if key not in found:
                    found[key] = (action, binding)
                    for scope, part in effects:
                        if isinstance(part, syntax.AddEffect):
                            added += self._atoms_of(scope, part.atom, binding)
                    if len(found) > self.most:
                        raise LimitError(f"there are more than {self.most} ground actions")
                    if len(found) % 256 == 0 and self.stop[0]:
                        raise Stopped
            fresh = {atom[0] for atom in added if atom not in facts.atoms}
            facts.add(added)
            waiting |= dict.fromkeys(other for other, each in enumerate(needs) if not each.isdisjoint(fresh))
        order = {action.name: number for number, action in enumerate(self.domain.actions)}
        rank = self.universe.rank
        keys = sorted(found, key=lambda key: (order[key[0]], [rank[name] for name in key[1]]))
        return frozenset(facts.atoms), [found[key] for key in keys]

    def _positive(self, action: syntax.Action) -> syntax.Exists:
        """The part of an action's condition that holds where it can be run when nothing is deleted."""
        parts: list[syntax.Formula] = []
        for part in conjuncts(action.precondition):
            match part:
                case syntax.Atom() | syntax.Equals() | syntax.Not(syntax.Equals()):
                    parts.append(part)
                case syntax.Not(syntax.Atom(predicate)) if predicate not in self.changed:
                    parts.append(part)
                case _:
                    pass
        return syntax.Exists(action.parameters, syntax.And(tuple(parts)))

    def _atoms_of(
        self, scope: tuple[syntax.Typed, ...], atom: syntax.Atom, env: dict[str, str]
    ) -> Iterable[syntax.GroundAtom]:
        """Return what an atom stands for under a binding, for all values of the variables of its quantifiers."""
        if not scope:
            return ((atom.predicate, *[env.get(term, term) for term in atom.terms]),)
        if not all(self.universe.members(each.types) for each in scope):
            return ()
        found = self.universe.bindings(each for each in scope if each.name in atom.terms)
        return [ground for inner in found for ground in self._atoms_of((), atom, {**env, **inner})]

    def _bit(self, atom: syntax.GroundAtom) -> int | bool:
        if atom[0] == UNSET:
            return self.bits.setdefault(atom, len(self.bits))
        if atom[0] not in self.changed:
            return atom in self.start
        if atom not in self.reached:
            return False
        return self.bits.setdefault(atom, len(self.bits))

    def _fluent(self, fluent: Fluent) -> expressions.Ground | None:
        if fluent[0] in self.functions:
            if fluent not in self.fluents:
                self.fluents[fluent] = len(self.names)
                self.names.append(fluent)
            return expressions.Variable(self.fluents[fluent])
        value = self.universe.numbers.get(fluent)
        return None if value is None else expressions.Constant(value)

    def _operator(self, action: syntax.Action, binding: dict[str, str], maker: ConditionMaker) -> Operator | None:
        condition = maker.condition(action.precondition, binding)
        if condition is None:
            return None
        parts = {ALWAYS: _Part(ALWAYS)}
        if not self._collect(action.effect, binding, parts[ALWAYS], maker, parts):
            return None
        outcomes = []
        for part in parts.values():
            more, less = self._mask(part.added), self._mask(part.deleted)
            if part.when is ALWAYS or part.added or part.deleted or part.changes:
                outcomes.append(ActionOutcome(part.when, more, less & ~more, tuple(part.changes)))
        return Operator(GroundAction(action.name, tuple(binding.values())), condition, tuple(outcomes))

    def _mask(self, atoms: list[syntax.GroundAtom]) -> int:
        """Return the bits of atoms that can be true."""
        bits = dict.fromkeys(bit for atom in atoms if not isinstance(bit := self._bit(atom), bool))
        return sum(1 << bit for bit in bits)

    def _collect(
        self,
        effect: syntax.Effect,
        env: dict[str, str],
        part: _Part,
        maker: ConditionMaker,
        parts: dict[Condition, _Part],
    ) -> bool:
        """Add the parts of an effect by their conditions; return whether the action can be run with it."""
        match effect:
            case syntax.AddEffect(atom):
                part.added.append((atom.predicate, *[env.get(term, term) for term in atom.terms]))
            case syntax.DeleteEffect(atom):
                part.deleted.append((atom.predicate, *[env.get(term, term) for term in atom.terms]))
            case syntax.AndEffect(effects):
                for inner in effects:
                    if not self._collect(inner, env, part, maker, parts):
                        return False
            case syntax.ForallEffect(variables, inner):
                every = self._possible(variables, inner, env)
                return all(self._collect(inner, each, part, maker, parts) for each in every)
            case syntax.WhenEffect(condition, inner):
                told = conjoin([part.when, maker.condition(condition, env)])
                return told is None or self._collect(inner, env, parts.setdefault(told, _Part(told)), maker, parts)
            case syntax.IncreaseCost() | syntax.ChangeNumber():
                target, operator = effect.target, effect.operator
                read = self._fluent((target.function, *[env.get(term, term) for term in target.terms]))
                value = expressions.ground_expression(effect.amount, env, self._fluent)
                if not isinstance(read, expressions.Variable) or (value is None and part.when is ALWAYS):
                    return False
                part.changes.append(FluentChange(operator, read.index, value or NEVER))
                if operator == "assign" and target.function in self.under_not:
                    part.deleted += self._unset(read)
        return True

    def _possible(
        self, variables: tuple[syntax.Typed, ...], inner: syntax.Effect, env: dict[str, str]
    ) -> Iterator[dict[str, str]]:
        """Yield all values of variables, the first one changing slowest, by which an effect's condition may hold.

        Values are left out by what never changes, as soon as it can be said.
        """
        checks = [part for part in conjuncts(inner.condition) if self._is_fixed(part)] \
            if isinstance(inner, syntax.WhenEffect) else []  # fmt: skip
        allowed = syntax.Exists(variables, syntax.And(tuple(checks)))
        for found in satisfying(allowed, self.at_start, self.universe, env):
            yield {**env, **found}

    def _is_fixed(self, formula: syntax.Formula) -> bool:
        match formula:
            case syntax.Atom(predicate):
                return predicate not in self.changed
            case _:
                return isinstance(formula, syntax.Equals)


def relevant(task: NumericTask, keep: set[int]) -> NumericTask:
    """Return a task without the fluents that neither a condition nor whether an action can be run depends on.

    Those to keep stay, too.
    """
    needed = keep.union(*map(partial(_failing, task.initial[1]), task.operators))
    for bound in task.bounds:
        needed.update(expressions.variables_of(bound.expression))
    changes = [change for each in task.operators for outcome in each.outcomes for change in outcome.changes]
    before = -1
    while before != len(needed):
        before = len(needed)
        for change in changes:
            if change.index in needed:
                needed.update(expressions.variables_of(change.amount))
    if len(needed) == len(task.fluents):
        return task
    index = {old: new for new, old in enumerate(sorted(needed))}
    values = task.initial[1]
    return replace(
        task,
        fluents=tuple(task.fluents[each] for each in index),
        bounds=tuple(_renumber_bound(bound, index) for bound in task.bounds),
        operators=tuple(_renumber(operator, index) for operator in task.operators),
        initial=(task.initial[0], tuple(values[each] for each in index)),
    )


def _failing(values: Sequence[Number | None], operator: Operator) -> Iterator[int]:
    """Yield the fluents that may make an action impossible: undefined, divided by, or set to two values at once."""
    changes = [change for outcome in operator.outcomes for change in outcome.changes]
    times = Counter(change.index for change in changes)
    for change in changes:
        read = [*expressions.variables_of(change.amount), *([] if change.operator == "assign" else [change.index])]
        divided = any(not getattr(each, "value", 0) for each in expressions.divisors_of(change.amount))
        joins = times[change.index] == 1 or change.operator in ("increase", "decrease")
        if divided or not joins or any(values[each] is None for each in read):
            yield change.index


def _renumber(operator: Operator, index: dict[int, int]) -> Operator:
    outcomes = []
    if not any(outcome.changes for outcome in operator.outcomes):
        return operator
    for outcome in operator.outcomes:
        changes = tuple(
            FluentChange(change.operator, index[change.index], _renumber_expression(change.amount, index))
            for change in outcome.changes
            if change.index in index
        )
        outcomes.append(ActionOutcome(outcome.condition, outcome.added, outcome.deleted, changes))
    return Operator(operator.action, operator.condition, tuple(outcomes))


def _renumber_bound(bound: Bound, index: dict[int, int]) -> Bound:
    expression = _renumber_expression(bound.expression, index)
    return Bound(expression, None if bound.linear is None else expressions.linear(expression), bound.strict)


def _renumber_expression(expression: expressions.Ground, index: dict[int, int]) -> expressions.Ground:
    if isinstance(expression, expressions.Variable):
        return expressions.Variable(index[expression.index])
    if isinstance(expression, expressions.Operation):
        operands = tuple(_renumber_expression(each, index) for each in expression.operands)
        return expressions.Operation(expression.operator, operands)
    return expression
