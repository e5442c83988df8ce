"""Drawing: a problem from a template, by a seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from chorewright.domains.evaluation import holds, satisfying
from chorewright.domains.facts import Facts
from chorewright.domains.pddl.syntax import (
    TOTAL_COST,
    And,
    Atom,
    Domain,
    Exists,
    Formula,
    FunctionValue,
    GroundAtom,
    Not,
    Problem,
    Typed,
)
from chorewright.domains.rewriting import conjunction, substitute
from chorewright.domains.universe import Universe
from chorewright.problems.pddl.rules import (
    Chance,
    Choose,
    Demand,
    Expression,
    ForEach,
    Let,
    Match,
    NumberRange,
    ProblemTemplate,
    Put,
    Repeat,
    Rule,
    SetValue,
    Shape,
    Weighted,
)
from chorewright.problems.pddl.scenes import NoScene
from chorewright.problems.pddl.shapes import edges

MOST_OBJECTS = 100_000
MOST_CHOICES = 2_000_000

Binding = Mapping[str, str]


def draw(
    template: ProblemTemplate, domain: Domain, seed: Sequence[int], numbers: Sequence[NumberRange] = ()
) -> Problem:
    """Draw a problem.

    Args:
        template: The template.
        domain: Its domain.
        seed: Whole numbers from 0; the same ones give the same problem.
        numbers: Ranges that replace those of the template, as a band's do.

    Raises:
        NoScene: A choice has nothing to choose from, or a requirement does not hold; another seed may do.
    """
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(list(seed))))
    return _Draw(template, domain, rng).problem(numbers)


@dataclass(slots=True)
class _Draw:
    """A problem in the making.

    Attributes:
        facts: What is true so far, with the template's own predicates.
        order: The atoms in the order in which they came.
        wanted: The goal's parts so far.
        in_goal: Whether the goal is being drawn: literals are then parts of it.
    """

    template: ProblemTemplate
    domain: Domain
    rng: np.random.Generator
    numbers: dict[str, int] = field(default_factory=dict)
    objects: list[Typed] = field(default_factory=list)
    universe: Universe = field(default_factory=lambda: Universe({}))
    facts: Facts = field(default_factory=lambda: Facts(set()))
    order: dict[GroundAtom, None] = field(default_factory=dict)
    values: dict[tuple[str, tuple[str, ...]], float] = field(default_factory=dict)
    wanted: dict[Formula, None] = field(default_factory=dict)
    scratch: frozenset[str] = frozenset()
    in_goal: bool = False

    def problem(self, numbers: Sequence[NumberRange]) -> Problem:
        template = self.template
        self.scratch = frozenset(each.name for each in template.scratch)
        instead = {each.name: each for each in numbers}
        for each in template.numbers:
            self._number(instead.get(each.name, each))
        self._objects()
        for rule in template.init:
            self.run(rule, {})
        for text, formula in template.require:
            if not holds(formula, self.facts, self.universe):
                raise NoScene(f"the requirement {text} does not hold")
        self.in_goal = True
        for rule in template.goal:
            self.run(rule, {})
        metric = template.minimize
        values = [FunctionValue(name, terms, value) for (name, terms), value in self.values.items()]
        if metric and (metric, ()) not in self.values:
            values.insert(0, FunctionValue(metric, (), 0.0))
        return Problem(
            name=template.name,
            domain=template.domain,
            objects=tuple(self.objects),
            init=tuple(atom for atom in self.order if atom[0] not in self.scratch),
            values=tuple(values),
            goal=conjunction(self.wanted) if len(self.wanted) != 1 else next(iter(self.wanted)),
            minimize_cost=bool(metric),
            cost_function=metric or TOTAL_COST,
        )

    def _number(self, each: NumberRange) -> None:
        low, high = self.whole(each.low), self.whole(each.high)
        if high < low:
            raise NoScene(f"the number {each.name} has no value: from {low} to {high}")
        self.numbers[each.name] = int(self.rng.integers(low, high + 1))

    def _objects(self) -> None:
        taken: dict[str, int] = {}
        for each in self.template.objects:
            names: Sequence[str] = each.names
            if each.low is not None and each.high is not None:
                low, high = self.whole(each.low), self.whole(each.high)
                count = low if low == high else int(self.rng.integers(low, max(low, high) + 1))
                if count + len(self.objects) > MOST_OBJECTS:
                    raise NoScene(f"there would be more than {MOST_OBJECTS:,} objects")
                first = taken.get(each.prefix, 0)
                names = [f"{each.prefix}{first + number + 1}" for number in range(count)]
                taken[each.prefix] = first + count
            self.objects += [Typed(name, (each.type,)) for name in names]
        blank = Problem("", self.domain.name, tuple(self.objects), (), (), And(()))
        self.universe = Universe.of(self.domain, blank)
        self.facts.of("")  # builds the indices, so that conditions never try out all objects

    def whole(self, expression: Expression) -> int:
        """Return an expression's value as a whole number, cut off."""
        return int(self.value(expression))

    def value(self, expression: Expression) -> float:
        """Return an expression's value."""
        match expression.op:
            case "constant":
                return expression.value
            case "number":
                return self.numbers[expression.name]
            case "count":
                return len(self.universe.members((expression.name,)))
        parts = [self.value(each) for each in expression.operands]
        match expression.op:
            case "random":
                return int(self.rng.integers(int(parts[0]), max(int(parts[0]), int(parts[1])) + 1))
            case "+":
                return sum(parts)
            case "-":
                return parts[0] - sum(parts[1:]) if len(parts) > 1 else -parts[0]
            case "*":
                return float(np.prod(parts))
            case "/":
                return parts[0] / parts[1] if parts[1] else 0.0
            case "min":
                return min(parts)
            case _:
                return max(parts)

    def run(self, rule: Rule, bound: Binding) -> None:
        """Follow a rule.

        Raises:
            NoScene: A choice has nothing to choose from.
        """
        match rule:
            case Put(atom, adds):
                self._put(atom, adds, bound)
            case SetValue(function, terms, amount):
                self.values[function, tuple(bound.get(t, t) for t in terms)] = float(self.value(amount))
            case Demand(formula):
                self.wanted[substitute(formula, dict(bound))] = None
            case ForEach(variables, where, body):
                for found in self._fitting(variables, where, bound):
                    self._run_all(body, {**bound, **found})
            case Choose():
                self._choose(rule, bound)
            case Weighted():
                self._run_all(self._alternative(rule, bound), bound)
            case Chance(probability, body):
                if float(self.rng.random()) < probability:
                    self._run_all(body, bound)
            case Repeat(count, body):
                for _ in range(self.whole(count)):
                    self._run_all(body, bound)
            case Let(name, amount, body):
                self.numbers[name] = self.whole(amount)
                self._run_all(body, bound)
                del self.numbers[name]
            case Match():
                self._match(rule, bound)
            case Shape():
                self._shape(rule, bound)

    def _run_all(self, rules: Sequence[Rule], bound: Binding) -> None:
        for rule in rules:
            self.run(rule, bound)

    def _alternative(self, rule: Weighted, bound: Binding) -> tuple[Rule, ...]:
        """Draw one of several bodies; one that begins with a choice for which nothing fits is not taken."""
        left = list(zip(rule.weights, rule.bodies, strict=True))
        while True:
            at, place = float(self.rng.random()) * sum(weight for weight, _ in left), 0
            while place < len(left) - 1 and at >= left[place][0]:
                at -= left[place][0]
                place += 1
            _, body = left.pop(place)
            first = body[0] if body else None
            if not left or not isinstance(first, Choose):
                return body
            if first.where is None or self._fits_often(first, self.whole(first.low), bound):
                return body

    def _fits_often(self, rule: Choose, count: int, bound: Binding) -> bool:
        """Whether there are so many objects for which a choice's condition holds."""
        if count == 1 and len(rule.variables) == 1 and rule.where is not None:
            return holds(Exists(rule.variables, rule.where), self.facts, self.universe, bound)
        return len(self._fitting(rule.variables, rule.where, bound, distinct=True)) >= count

    def _put(self, atom: Atom, adds: bool, bound: Binding) -> None:
        terms = tuple([bound.get(each, each) for each in atom.terms])
        if self.in_goal and atom.predicate not in self.scratch:
            literal = Atom(atom.predicate, terms)
            self.wanted[literal if adds else Not(literal)] = None
            return
        ground = (atom.predicate, *terms)
        if adds:
            self.facts.add([ground])
            self.order[ground] = None
        else:
            self.facts.change([ground], [])
            self.order.pop(ground, None)

    def _fitting(
        self, variables: Sequence[Typed], where: Formula | None, bound: Binding, distinct: bool = False
    ) -> list[dict[str, str]]:
        """Return the objects for which a condition holds, in the objects' order."""
        if not variables:
            return [{}] if where is None or holds(where, self.facts, self.universe, bound) else []
        found = self._tuples(variables) if where is None else self._satisfying(variables, where, bound)
        many = len(variables) > 1 and distinct
        return [each for each in found if not many or len(set(each.values())) == len(variables)]

    def _tuples(self, variables: Sequence[Typed]) -> Iterator[dict[str, str]]:
        names = [each.name for each in variables]
        for each in product(*(self.universe.members(variable.types) for variable in variables)):
            yield dict(zip(names, each, strict=True))

    def _satisfying(self, variables: Sequence[Typed], where: Formula, bound: Binding) -> Iterator[dict[str, str]]:
        return satisfying(Exists(tuple(variables), where), self.facts, self.universe, bound)

    def _choose(self, rule: Choose, bound: Binding) -> None:
        low, high = self.whole(rule.low), self.whole(rule.high)
        count = low if low >= high else int(self.rng.integers(low, high + 1))
        if len(rule.variables) == 1 and rule.where is None:
            self._choose_any(rule, count, bound)
            return
        found = self._fitting(rule.variables, rule.where, bound, distinct=True)
        if len(found) < count:
            raise _too_few(rule, count, len(found))
        for place in self.rng.permutation(len(found))[:count] if count > 1 else [self.rng.integers(len(found))] * count:
            self._run_all(rule.body, {**bound, **found[int(place)]})

    def _choose_any(self, rule: Choose, count: int, bound: Binding) -> None:
        """Choose among all objects of a type."""
        variable = rule.variables[0]
        members = self.universe.members(variable.types)
        if len(members) < count:
            raise _too_few(rule, count, len(members))
        places = self.rng.permutation(len(members))[:count] if count > 1 else [self.rng.integers(len(members))] * count
        for place in places:
            self._run_all(rule.body, {**bound, variable.name: members[int(place)]})

    def _match(self, rule: Match, bound: Binding) -> None:
        first, second = (list(self.universe.members(each.types)) for each in (rule.first, rule.second))
        if len(second) < len(first):
            raise NoScene(f"'match'{_at(rule.position)} needs {len(first)} partners, and there are {len(second)}")
        for one, place in zip(first, self.rng.permutation(len(second)), strict=False):
            self._run_all(rule.body, {**bound, rule.first.name: one, rule.second.name: second[int(place)]})

    def _shape(self, rule: Shape, bound: Binding) -> None:
        one, other = rule.variables
        places = self.universe.members(one.types)
        numbers = tuple(self.value(each) for each in rule.numbers)
        if rule.kind == "grid" and int(numbers[0]) * int(numbers[1]) != len(places):
            size = f"{int(numbers[0])} by {int(numbers[1])}"
            raise NoScene(f"'grid'{_at(rule.position)} is {size}, and there are {len(places)} places")
        for side, body in rule.bodies:
            for a, b in edges(rule.kind, side, len(places), numbers, self.rng):
                self._run_all(body, {**bound, one.name: places[a], other.name: places[b]})


def _too_few(rule: Choose, count: int, there: int) -> NoScene:
    return NoScene(f"'choose'{_at(rule.position)} needs {count} of what fits, and there are {there}")


def _at(position: object) -> str:
    line = getattr(position, "line", None)
    return f" in line {line}" if line else ""
