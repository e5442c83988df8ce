"""Searches over an encoded numeric task: first plans by turns, windows of a plan planned again, cheaper plans."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.numeric.encoding import IDLE, Encoded
from chorewright.planner.numeric.kernels import ADD, BLIND, CHOICE, FALSE, FF, MAX, TRUE, Arrays, NumericScratch
from chorewright.planner.numeric.search_kernels import follow, search_lazily, without_needless
from chorewright.planner.search.search import Budget
from chorewright.planner.search.search_kernels import EVALUATIONS, SOLVED

LEADS = {"ff": FF, "add": ADD, "max": MAX, "blind": BLIND}
FIRST, MORE = 2_000, 4
"""Evaluations of the first turn, and how many times more the turns of the next round have."""

WINDOWS, WINDOW = (8, 16, 32, 64), 500
"""Steps of the windows that are planned again, and evaluations for each."""

WEIGHTS = (5, 3, 2, 1)
"""On the estimate, of searches for cheaper plans."""

SMALLEST = 1e-6
"""How much cheaper a plan has to be."""

Steps = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Found:
    """How a search ended.

    Attributes:
        status: One of the kernels' marks.
        operators: The plan's operators in their order; None if it found no plan.
    """

    status: int
    operators: Steps | None


@dataclass(slots=True)
class NumericSearches:
    """The searches of one task.

    Attributes:
        encoded: The task.
        budget: What all searches together may use.
        spent: The evaluations so far.
        hear: Hears of each plan that is cheaper; says whether it is one.
        improving: Whether plans are made cheaper.
        states: Those of the cheapest plan so far.
    """

    encoded: Encoded
    budget: Budget
    hear: Callable[[Steps], bool] = lambda operators: True
    spent: int = 0
    improving: bool = True
    states: _Trajectory | None = None
    _scratch: NumericScratch = field(init=False)

    def __post_init__(self) -> None:
        self._scratch = self.encoded.scratch()

    @property
    def left(self) -> int:
        """The evaluations that searches may still use."""
        return 0 if self.budget.stop[0] else self.budget.evaluations - self.spent

    def search(
        self,
        lead: int,
        weight: int,
        evaluations: int,
        bound: float = np.inf,
        priced: bool = False,
        start: tuple[NDArray[np.uint64], NDArray[np.float64]] | None = None,
        arrays: Arrays | None = None,
    ) -> Found:
        """Search once.

        Args:
            lead: A value of ``LEADS``.
            weight: On the estimate; 0: it alone counts.
            evaluations: For this search at most.
            bound: What the plan's metric must stay below.
            priced: Whether estimates count what operators cost, and not the steps.
            start: The first state; the task's by default.
            arrays: The task with another goal.
        """
        prices = self.encoded.prices if priced else np.ones_like(self.encoded.prices)
        status, last, parents, operators, times, spent, _ = search_lazily(
            *(start or (self.encoded.bits, self.encoded.values)),
            arrays or self.encoded.arrays,
            prices,
            self._scratch,
            (lead, weight, int(self.encoded.simple)),
            bound,
            (min(evaluations, self.left), self.budget.states),
            self.budget.stop,
        )
        self.spent += int(spent)
        if status != SOLVED:
            return Found(int(status), None)
        path: list[int] = []
        while parents[last] >= 0:
            path += [int(operators[last])] * int(times[last])
            last = parents[last]
        return Found(SOLVED, np.asarray(path[::-1], np.int32))

    def first(self, leads: tuple[int, ...]) -> Found:
        """Search greedily by turns, each round with more evaluations, until there is a plan or a limit is met."""
        most = FIRST if len(leads) > 1 else self.budget.evaluations
        while True:
            for lead in leads:
                found = self.search(lead, 0, most)
                if found.status != EVALUATIONS or self.left <= 0:
                    return found
            most *= MORE

    def accept(self, operators: Steps) -> bool:
        """Keep a plan that is the first or cheaper, without the steps that it does not need."""
        start = (self.encoded.bits, self.encoded.values, self.encoded.arrays, self._scratch)
        kept = self._keep(operators) if self.states is None else False
        if self.improving:
            operators = without_needless(operators, *start, np.inf, self.budget.stop)
        return self._keep(operators) or kept

    def _keep(self, operators: Steps) -> bool:
        states = _Trajectory.of(self.encoded, operators, self._scratch)
        if states is None or states.metric >= self.metric - SMALLEST or not self.hear(operators):
            return False
        self.states = states
        return True

    @property
    def metric(self) -> float:
        """What the cheapest plan costs."""
        return np.inf if self.states is None else self.states.metric

    def go_on(self, evaluations: int) -> Iterator[int]:
        """Look for cheaper plans, with more and more evaluations a search; yield after each how it ended.

        Args:
            evaluations: For the first searches.
        """
        while self.left > 0:
            for weight in WEIGHTS:
                for lead in (FF, ADD):
                    found = self.search(lead, weight, evaluations, self.metric - SMALLEST, True)
                    if found.operators is not None and self.accept(found.operators):
                        self.replan_windows(evaluations)
                    yield found.status
                    if self.left <= 0:
                        return
            evaluations *= MORE

    def replan_windows(self, evaluations: int) -> None:
        """Plan stretches of the best plan again, as long as that makes it cheaper.

        Args:
            evaluations: For all together.
        """
        until = self.spent + min(evaluations, self.left)
        for size in WINDOWS:
            at = 0
            while self.states is not None and at < len(self.states.plan) and self.spent < until and self.left > 0:
                if not self._replan(self.states, at, min(at + size, len(self.states.plan)), until - self.spent):
                    at += max(1, size // 3)
            if self.states is None or size >= len(self.states.plan):
                return

    def _replan(self, states: _Trajectory, first: int, last: int, most: int) -> bool:
        """Look for other steps between two places of a plan; return whether they make it cheaper."""
        start = states.bits[first].copy(), states.values[first].copy()
        bound, weight = float(states.values[last, -1]) - SMALLEST, 1 + (first + last) % 2
        found = self.search(FF, weight, min(WINDOW, most), bound, True, start, states.goal_at(last))
        if found.operators is None:
            return False
        plan = np.concatenate([states.plan[:first], found.operators, states.plan[last:]])
        return self.accept(plan.astype(np.int32))


@dataclass(frozen=True, slots=True)
class _Trajectory:
    """The states of a plan, the conditions that hold in them, and the values of expressions.

    Attributes:
        encoded: The task.
        plan: Its operators.
        bits, values: Atoms and numbers of each state from the start to the end (states x words, states x numbers).
        holds: Marks of the conditions that hold in each (states x conditions).
        worth: What each expression is worth in each (states x expressions).
    """

    encoded: Encoded
    plan: Steps
    bits: NDArray[np.uint64]
    values: NDArray[np.float64]
    holds: NDArray[np.uint8]
    worth: NDArray[np.float64]

    @property
    def metric(self) -> float:
        """What the plan costs."""
        return float(self.values[-1, -1])

    @staticmethod
    def of(encoded: Encoded, plan: Steps, scratch: NumericScratch) -> _Trajectory | None:
        """Follow a plan; None if it cannot be run to the goal."""
        count, a = len(plan) + 1, encoded.arrays
        states = _Trajectory(
            encoded,
            plan,
            np.zeros((count, len(encoded.bits)), np.uint64),
            np.zeros((count, len(encoded.values))),
            np.zeros((count, len(a.conditions.kind)), np.uint8),
            np.zeros((count, len(a.expressions.constant))),
        )
        arrays = (states.bits, states.values, states.holds, states.worth)
        ran = follow(plan, encoded.bits, encoded.values, a, scratch, *arrays)
        return states if ran == len(plan) and states.holds[-1][a.goal].all() else None

    def goal_at(self, last: int) -> Arrays:
        """Return the task whose goal is what the rest of the plan needs from a place on, by what its steps do here."""
        a, encoded = self.encoded.arrays, self.encoded
        p, about, offset = a.operators, a.conditions.about, a.conditions.offset.copy()
        literals: dict[int, None] = {}
        slack: dict[int, float] = {}

        def ask(conditions: NDArray[np.int32], place: int) -> None:
            for c in conditions.tolist():
                kind = a.conditions.kind[c]
                if kind in (TRUE, FALSE):
                    literals[c] = None
                elif kind == CHOICE:
                    ask(self._alternative(int(about[c]), place), place)
                elif int(about[c]) in encoded.spares:
                    e, margin = int(about[c]), (1.0 if encoded.exact else SMALLEST) if a.conditions.strict[c] else 0.0
                    slack[e] = min(slack.get(e, IDLE), self.worth[place, e] + offset[c] - margin)
                else:
                    literals[c] = None

        ask(a.goal, len(self.plan))
        for place in range(len(self.plan) - 1, last - 1, -1):
            o = int(self.plan[place])
            for t in range(p.outcome_at[o], p.outcome_at[o + 1]):
                needs = p.condition[p.condition_at[t] : p.condition_at[t + 1]]
                if self.holds[place][needs].all():
                    for bit in p.delete[p.delete_at[t] : p.delete_at[t + 1]].tolist():
                        literals.pop(encoded.numbers.get((FALSE, bit), -1), None)
                    for bit in p.add[p.add_at[t] : p.add_at[t + 1]].tolist():
                        literals.pop(encoded.numbers.get((TRUE, bit), -1), None)
            for t in range(p.outcome_at[o], p.outcome_at[o + 1]):
                needs = p.condition[p.condition_at[t] : p.condition_at[t + 1]]
                if self.holds[place][needs].all():
                    ask(needs, place)
            ask(p.need[p.need_at[o] : p.need_at[o + 1]], place)
        for e, least in slack.items():
            offset[encoded.spares[e]] = least - self.worth[last, e]
        goal = [*literals, *(encoded.spares[e] for e in slack)]
        return a._replace(conditions=a.conditions._replace(offset=offset), goal=np.asarray(goal, np.int32))

    def _alternative(self, choice: int, place: int) -> NDArray[np.int32]:
        """The conditions of the first alternative that holds at a place."""
        c = self.encoded.arrays.conditions
        for j in range(c.choice_at[choice], c.choice_at[choice + 1]):
            found: NDArray[np.int32] = c.alternative[c.alternative_at[j] : c.alternative_at[j + 1]]
            if self.holds[place][found].all():
                return found
        raise AssertionError("a choice of a plan holds by none of its alternatives")
