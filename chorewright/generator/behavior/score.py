"""How much of a goal is met: the score q of the BEHAVIOR challenge.

A goal can be met in several ways: by either part of a disjunction, by any object of an existential quantifier, by any
matching of pairs. Each way is a set of literals; q is the largest share of such a set that holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations

from chorewright.domains.behavior.lowering import lower_condition
from chorewright.domains.behavior.syntax import Activity, Condition, Connective, Quantified, constant
from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Facts, Universe
from chorewright.domains.pddl.syntax import Atom, State
from chorewright.problems.behavior.activity_problem import in_domain

Shares = dict[int, int]
"""For each number of literals of a way, the most of them that hold."""

MOST_WAYS = 20_000
"""Matchings of pairs that are tried one by one; of more, greedy ones."""


def partial_score(activity: Activity, state: State, universe: Universe) -> float:
    """Return the score q of a state, from 0 to 1; 1 where the goal holds.

    Args:
        activity: Whose goal it is.
        state: Atoms in PDDL's names, derived ones included.
        universe: The objects.
    """
    facts = Facts(state)
    if holds(lower_condition(activity.goal, activity, in_domain), facts, universe):
        return 1.0  # Pairs are matched one to one below, and need not be for the goal.
    found = _Scorer(activity, facts, universe).shares(activity.goal, {}, True)
    return max((met / total if total else 1.0 for total, met in found.items()), default=0.0)


class _Scorer:
    def __init__(self, activity: Activity, facts: Facts, universe: Universe) -> None:
        self.activity, self.facts, self.universe = activity, facts, universe

    def shares(self, condition: Condition, bound: dict[str, str], positive: bool) -> Shares:
        match condition:
            case Atom(predicate, terms):
                ground = Atom(predicate, tuple(bound.get(each, constant(each)) for each in terms))
                formula = lower_condition(ground, self.activity, in_domain)
                return {1: int(holds(formula, self.facts, self.universe) == positive)}
            case Connective("not", (operand,)):
                return self.shares(operand, bound, not positive)
            case Connective("imply", (first, second)):
                options = [self.shares(first, bound, not positive), self.shares(second, bound, positive)]
                return _either(options) if positive else _all(options)
            case Connective(word, operands):
                options = [self.shares(each, bound, positive) for each in operands]
                return _all(options) if (word == "and") == positive else _either(options)
            case Quantified():
                return self._quantified(condition, bound, positive)

    def _quantified(self, condition: Quantified, bound: dict[str, str], positive: bool) -> Shares:
        names = [each.name for each in condition.variables]
        objects = [self.activity.instances(each.types[0]) for each in condition.variables]
        if len(names) == 1:
            options = [self.shares(condition.body, {**bound, names[0]: each}, positive) for each in objects[0]]
            if condition.word == "forn":
                return _either([_all(list(each)) for each in combinations(options, condition.count or 0)])
            return _all(options) if (condition.word == "forall") == positive else _either(options)
        first, second = objects
        table = [
            [self.shares(condition.body, {**bound, names[0]: x, names[1]: y}, positive) for y in second] for x in first
        ]
        count = min(len(first), len(second)) if condition.word == "forpairs" else condition.count or 0
        return _either([_all([table[x][y] for x, y in each]) for each in _matchings(table, count)])


def _matchings(table: Sequence[Sequence[Shares]], count: int) -> list[list[tuple[int, int]]]:
    """Ways to pair so many rows with columns of their own; where there are too many, the best by greed."""
    rows, columns = len(table), len(table[0]) if table else 0
    ways = 1
    for each in range(count):
        ways *= max(rows, columns) - each
    if ways <= MOST_WAYS:
        if rows <= columns:
            return [
                list(zip(chosen, order, strict=True))
                for chosen in combinations(range(rows), count)
                for order in permutations(range(columns), count)
            ]
        return [
            list(zip(order, chosen, strict=True))
            for chosen in combinations(range(columns), count)
            for order in permutations(range(rows), count)
        ]
    ranked = sorted(
        ((row, column) for row in range(rows) for column in range(columns)),
        key=lambda pair: -max(met / total for total, met in table[pair[0]][pair[1]].items()),
    )
    taken: list[tuple[int, int]] = []
    for row, column in ranked:
        if len(taken) < count and all(row != x and column != y for x, y in taken):
            taken.append((row, column))
    return [taken]


def _all(options: Sequence[Shares]) -> Shares:
    """All of the parts: numbers of literals add up."""
    found: Shares = {0: 0}
    for option in options:
        longer: Shares = {}
        for total, met in found.items():
            for more, also in option.items():
                longer[total + more] = max(longer.get(total + more, 0), met + also)
        found = longer
    return found


def _either(options: Sequence[Shares]) -> Shares:
    """One of the parts."""
    found: Shares = {}
    for option in options:
        for total, met in option.items():
            found[total] = max(found.get(total, 0), met)
    return found
