"""The rules of a problem template, prepared as functions that add to a problem in the making.

Each rule becomes one function of the draft. Variables stand in one dictionary: a template's reader lets no rule use a
name that means something around it. What is drawn at random, and in which order, decides the bytes of datasets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

import numpy as np

from chorewright.domains.arithmetic import with_values
from chorewright.domains.evaluation import StateQuestion
from chorewright.domains.facts import Facts, Fluent, Number, Universe, exact, value_atom
from chorewright.domains.pddl.syntax import And, Atom, Exists, Formula, GroundAtom, Not, Typed
from chorewright.domains.rewriting import substitute
from chorewright.problems.pddl import rules
from chorewright.problems.pddl.scenes import NoScene

MOST_TIMES = 100_000
"""How often ``repeat`` does its rules at most."""


@dataclass(slots=True)
class ProblemDraft:
    """A problem in the making.

    Attributes:
        rng: Draws.
        numbers: The template's numbers.
        bound: Variables with the objects they stand for.
        universe: The objects.
        facts: What is true so far, with the template's own predicates.
        order: The atoms in the order in which they came.
        values: The values of functions.
        wanted: The goal's parts so far.
        known: The facts that say values of functions and numbers.
    """

    rng: np.random.Generator
    numbers: dict[str, float] = field(default_factory=dict)
    bound: dict[str, str] = field(default_factory=dict)
    universe: Universe = field(default_factory=lambda: Universe({}))
    facts: Facts = field(default_factory=lambda: Facts(set()))
    order: dict[GroundAtom, None] = field(default_factory=dict)
    values: dict[tuple[str, tuple[str, ...]], float] = field(default_factory=dict)
    wanted: dict[Formula, None] = field(default_factory=dict)
    known: dict[Fluent, GroundAtom] = field(default_factory=dict)

    def let(self, name: str, value: float) -> None:
        """Give a number of the template a value."""
        self.numbers[name] = value
        self._tell((rules.number_function(name),), value)

    def set_value(self, function: str, objects: tuple[str, ...], value: float) -> None:
        """Give a function a value."""
        self.values[function, objects] = value
        self._tell((function, *objects), value)

    def _tell(self, fluent: Fluent, value: float) -> None:
        """Let conditions read a value."""
        before, now = self.known.get(fluent), value_atom(fluent, exact(float(value)))
        self.known[fluent] = now
        self.facts.change([before] if before else [], [now])

    def demand(self, formula: Formula) -> None:
        """Make a condition a part of the goal."""
        numbers: dict[Fluent, Number] = {
            (rules.number_function(name),): exact(float(value)) for name, value in self.numbers.items()
        }
        self.wanted[with_values(substitute(formula, dict(self.bound)), numbers)] = None

    def one_of(self, count: int) -> int:
        """Draw a number from 0 to ``count - 1``."""
        return int(self.rng.integers(count))

    def some_of(self, count: int, of: int) -> list[int]:
        """Draw so many different numbers from 0 to ``of - 1``."""
        if count == 1:
            return [self.one_of(of)]
        if count > 1:
            return [int(each) for each in self.rng.permutation(of)[:count]]
        if of:
            self.one_of(of)  # a draw that decides nothing, and the next ones follow it
        return []


Step: TypeAlias = Callable[[ProblemDraft], None]
Amount: TypeAlias = Callable[[ProblemDraft], float]


@dataclass(frozen=True, slots=True)
class Steps:
    """Prepares rules; ``scratch`` are the template's own predicates."""

    scratch: frozenset[str]

    def body(self, several: Sequence[rules.Rule], in_goal: bool) -> tuple[Step, ...]:
        """Return rules as functions; in the goal, literals become its parts."""
        return tuple(self._step(rule, in_goal) for rule in several)

    def amounts(self, *expressions: rules.Expression) -> tuple[Amount, ...]:
        """Return expressions as functions."""
        return tuple(map(_amount, expressions))

    def _step(self, rule: rules.Rule, in_goal: bool) -> Step:
        match rule:
            case rules.Put(atom, adds):
                return _part(atom, adds) if in_goal and atom.predicate not in self.scratch else _make_true(atom, adds)
            case rules.SetValue(function, terms, amount):
                return _set_value(function, terms, _amount(amount))
            case rules.Demand(formula):
                return lambda draft: draft.demand(formula)
            case rules.ForEach(variables, where, body):
                return _for_each(variables, where, self.body(body, in_goal))
            case rules.Choose():
                return _choose(rule, self.body(rule.body, in_goal))
            case rules.Weighted():
                return self._weigh(rule, in_goal)
            case rules.Chance(probability, body):
                return _chance(probability, self.body(body, in_goal))
            case rules.Repeat(count, body):
                return _repeat(_amount(count), self.body(body, in_goal))
            case rules.Let(name, amount, body, whole):
                return _let(name, _amount(amount), self.body(body, in_goal), whole)
            case rules.Match():
                return _match(rule, self.body(rule.body, in_goal))
            case rules.PlaceShape():
                return _shape(rule, tuple((side, self.body(body, in_goal)) for side, body in rule.bodies))

    def _weigh(self, rule: rules.Weighted, in_goal: bool) -> Step:
        """One of several bodies; one that begins with a choice for which nothing fits is not taken."""
        bodies = [
            (weight, self.body(body, in_goal), _possible(body))
            for weight, body in zip(rule.weights, rule.bodies, strict=True)
        ]
        whole = sum(rule.weights)

        def step(draft: ProblemDraft) -> None:
            left, total = bodies, whole
            while True:
                at, place = float(draft.rng.random()) * total, 0
                while place < len(left) - 1 and at >= left[place][0]:
                    at -= left[place][0]
                    place += 1
                _, body, possible = left[place]
                if len(left) == 1 or possible is None or possible(draft):
                    break
                left = left[:place] + left[place + 1 :]
                total = sum(weight for weight, _, _ in left)
            for each in body:
                each(draft)

        return step


def _amount(expression: rules.Expression) -> Amount:
    """Return a number's value as a function."""
    value, name = expression.value, expression.name
    parts = [_amount(each) for each in expression.operands]
    match expression.op:
        case "constant":
            return lambda draft: value
        case "number":
            return lambda draft: draft.numbers[name]
        case "count":
            return lambda draft: len(draft.universe.members((name,)))
        case "random":
            return lambda draft: _random(draft, int(parts[0](draft)), int(parts[1](draft)))
        case "+":
            return lambda draft: sum([part(draft) for part in parts])
        case "-" if len(parts) == 1:
            return lambda draft: -parts[0](draft)
        case "-":
            return lambda draft: parts[0](draft) - sum([part(draft) for part in parts[1:]])
        case "*":
            return lambda draft: float(math.prod([part(draft) for part in parts]))
        case "/":
            return lambda draft: _quotient(parts[0](draft), parts[1](draft))
        case "min":
            return lambda draft: min([part(draft) for part in parts])
        case _:
            return lambda draft: max([part(draft) for part in parts])


def _random(draft: ProblemDraft, low: int, high: int) -> int:
    return int(draft.rng.integers(low, max(low, high) + 1))


def _quotient(one: float, other: float) -> float:
    return one / other if other else 0.0


def _make_true(atom: Atom, adds: bool) -> Step:
    """An atom becomes true, or false."""
    predicate, terms = atom.predicate, atom.terms

    def add(draft: ProblemDraft) -> None:
        bound = draft.bound
        ground = (predicate, *[bound.get(each, each) for each in terms])
        draft.facts.insert(ground)
        draft.order[ground] = None

    def remove(draft: ProblemDraft) -> None:
        bound = draft.bound
        ground = (predicate, *[bound.get(each, each) for each in terms])
        draft.facts.change((ground,), ())
        draft.order.pop(ground, None)

    return add if adds else remove


def _part(atom: Atom, adds: bool) -> Step:
    """A literal becomes a part of the goal."""
    predicate, terms = atom.predicate, atom.terms

    def step(draft: ProblemDraft) -> None:
        bound = draft.bound
        literal = Atom(predicate, tuple([bound.get(each, each) for each in terms]))
        draft.wanted[literal if adds else Not(literal)] = None

    return step


def _set_value(function: str, terms: tuple[str, ...], amount: Amount) -> Step:
    def step(draft: ProblemDraft) -> None:
        bound = draft.bound
        draft.set_value(function, tuple([bound.get(each, each) for each in terms]), float(amount(draft)))

    return step


def _bind(variables: Sequence[Typed], body: Sequence[Step]) -> Callable[[ProblemDraft, tuple[str, ...]], None]:
    """Return what follows a body's rules with given objects."""
    names = [each.name for each in variables]

    def run(draft: ProblemDraft, objects: tuple[str, ...]) -> None:
        bound = draft.bound
        for name, each in zip(names, objects, strict=True):
            bound[name] = each
        for step in body:
            step(draft)
        for name in names:
            del bound[name]

    return run


def _fitting(
    variables: Sequence[Typed], where: Formula | None, distinct: bool = False
) -> Callable[[ProblemDraft], Sequence[tuple[str, ...]]]:
    """Return what finds the objects for which a condition holds, in their order; all different if ``distinct``."""
    types = [each.types for each in variables]
    question = None if where is None else StateQuestion(Exists(tuple(variables), where))

    def find(draft: ProblemDraft) -> Sequence[tuple[str, ...]]:
        if question is None:
            found = list(product(*map(draft.universe.members, types)))
        else:
            found = question.witnesses(draft.facts, draft.universe, draft.bound)
        return [each for each in found if len(set(each)) == len(each)] if distinct and len(types) > 1 else found

    return find


def _for_each(variables: Sequence[Typed], where: Formula | None, body: Sequence[Step]) -> Step:
    if not variables:
        test = StateQuestion(where if where is not None else And(())).test

        def when(draft: ProblemDraft) -> None:
            if test(draft.facts, draft.universe, draft.bound):
                for each in body:
                    each(draft)

        return when
    fits, run = _fitting(variables, where), _bind(variables, body)

    def for_each(draft: ProblemDraft) -> None:
        for objects in fits(draft):
            run(draft, objects)

    return for_each


def _choose(rule: rules.Choose, body: Sequence[Step]) -> Step:
    lowest, highest = _amount(rule.low), _amount(rule.high)
    fits, run = _fitting(rule.variables, rule.where, distinct=True), _bind(rule.variables, body)

    def step(draft: ProblemDraft) -> None:
        low, high = int(lowest(draft)), int(highest(draft))
        count = low if low >= high else int(draft.rng.integers(low, high + 1))
        found = fits(draft)
        if len(found) < count:
            line = _at(rule.position)
            raise NoScene(f"'choose'{line} needs {count} of what fits, and there are {len(found)}")
        for place in draft.some_of(count, len(found)):
            run(draft, found[place])

    return step


def _possible(body: Sequence[rules.Rule]) -> Callable[[ProblemDraft], bool] | None:
    """Return whether a body's first choice has enough to choose from; None if it does not begin with such a choice."""
    first = body[0] if body else None
    if not isinstance(first, rules.Choose) or first.where is None:
        return None
    lowest, fits = _amount(first.low), _fitting(first.variables, first.where, distinct=True)
    some = StateQuestion(Exists(first.variables, first.where)).test
    single = len(first.variables) == 1

    def possible(draft: ProblemDraft) -> bool:
        count = int(lowest(draft))
        if count == 1 and single:
            return some(draft.facts, draft.universe, draft.bound)
        return len(fits(draft)) >= count

    return possible


def _chance(probability: float, body: Sequence[Step]) -> Step:
    def step(draft: ProblemDraft) -> None:
        if float(draft.rng.random()) < probability:
            for each in body:
                each(draft)

    return step


def _repeat(count: Amount, body: Sequence[Step]) -> Step:
    def step(draft: ProblemDraft) -> None:
        times = count(draft)
        if times > MOST_TIMES:
            raise NoScene(f"rules would be repeated {times:,.0f} times, more than {MOST_TIMES:,}")
        for _ in range(int(times)):
            for each in body:
                each(draft)

    return step


def _let(name: str, amount: Amount, body: Sequence[Step], whole: bool) -> Step:
    def step(draft: ProblemDraft) -> None:
        value = amount(draft)
        draft.let(name, int(value) if whole else float(value))
        for each in body:
            each(draft)
        del draft.numbers[name]

    return step


def _match(rule: rules.Match, body: Sequence[Step]) -> Step:
    run = _bind((rule.first, rule.second), body)

    def step(draft: ProblemDraft) -> None:
        first, second = (draft.universe.members(each.types) for each in (rule.first, rule.second))
        if len(second) < len(first):
            raise NoScene(f"'match'{_at(rule.position)} needs {len(first)} partners, and there are {len(second)}")
        for one, place in zip(first, draft.rng.permutation(len(second)).tolist(), strict=False):
            run(draft, (one, second[place]))

    return step


def _shape(rule: rules.PlaceShape, bodies: Sequence[tuple[str, Sequence[Step]]]) -> Step:
    amounts, types = [_amount(each) for each in rule.numbers], rule.variables[0].types
    sides = [(side, _bind(rule.variables, body)) for side, body in bodies]

    def step(draft: ProblemDraft) -> None:
        places = draft.universe.members(types)
        numbers = tuple([each(draft) for each in amounts])
        if rule.kind == "grid" and int(numbers[0]) * int(numbers[1]) != len(places):
            size = f"{int(numbers[0])} by {int(numbers[1])}"
            raise NoScene(f"'grid'{_at(rule.position)} is {size}, and there are {len(places)} places")
        for side, run in sides:
            for a, b in rules.edges(rule.kind, side, len(places), numbers, draft.rng):
                run(draft, (places[a], places[b]))

    return step


def _at(position: object) -> str:
    line = getattr(position, "line", None)
    return f" in line {line}" if line else ""
