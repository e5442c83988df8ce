"""Search over atoms and values: lazy greedy with helpful operators first, and uniform cost for cheapest plans."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from chorewright.domains.facts import Number
from chorewright.planner.numeric.relaxation import NumericRelaxation, bits_of, may_reach
from chorewright.planner.numeric.task import NumericTask, Operator, State
from chorewright.planner.search.search import Budget

FAR = 1_000_000
"""The estimate where the additive relaxation finds no way, but the interval relaxation does."""

BOOST = 1_000
"""How often helpful successors are taken before others after each progress."""


@dataclass(frozen=True, slots=True)
class NumericSearch:
    """The operators of a plan, or None; then ``stopped`` says why: by a limit (True), or as there is no plan.

    Attributes:
        operators: The plan.
        evaluations: The states that were evaluated.
        stopped: Whether a limit ended the search.
        memory: Whether it was the number of states.
    """

    operators: tuple[int, ...] | None
    evaluations: int
    stopped: bool = False
    memory: bool = False


class Successors:
    """The operators that can be run in a state, found by one atom that each needs."""

    def __init__(self, task: NumericTask) -> None:
        self._task = task
        self._always: list[int] = []
        self._by_bit: dict[int, list[int]] = {}
        frequency: dict[int, int] = {}
        for operator in task.operators:
            for bit in bits_of(operator.condition.true):
                frequency[bit] = frequency.get(bit, 0) + 1
        for index, operator in enumerate(task.operators):
            needed = list(bits_of(operator.condition.true))
            if needed:
                rarest = min(needed, key=lambda bit: (frequency[bit], bit))
                self._by_bit.setdefault(rarest, []).append(index)
            else:
                self._always.append(index)

    def of(self, state: State) -> Iterator[tuple[int, State]]:
        """Yield the operators that can be run in a state, with the states after them, in the operators' order."""
        task = self._task
        found = self._always.copy()
        for bit in bits_of(state[0]):
            found += self._by_bit.get(bit, ())
        for index in sorted(found):
            operator = task.operators[index]
            if task.holds(operator.condition, state):
                after = task.successor(operator, state)
                if after is not None and after != state:
                    yield index, after


_Parents = dict[State, tuple[State, int] | None]


def greedy(task: NumericTask, budget: Budget) -> NumericSearch:
    """Search greedily by the relaxed plan's length, with a second queue of helpful successors.

    States are evaluated when they are taken from a queue; till then they have the estimate of the state before.
    """
    relaxation, successors = NumericRelaxation(task), Successors(task)
    order = count()
    parents: _Parents = {task.initial: None}
    every: list[tuple[int, int, State]] = [(0, next(order), task.initial)]
    helpful: list[tuple[int, int, State]] = []
    done: set[State] = set()
    evaluated, best = 0, FAR + 1
    turns = [0, 0]
    while every or helpful:
        turn = 1 if helpful and (not every or turns[1] <= turns[0]) else 0
        turns[turn] += 1
        _, _, state = heappop(helpful if turn else every)
        if state in done:
            continue
        done.add(state)
        if task.holds(task.goal, state):
            return NumericSearch(trace(parents, state), evaluated)
        if evaluated >= budget.evaluations or budget.stop[0]:
            return NumericSearch(None, evaluated, stopped=True)
        if len(parents) > budget.states:
            return NumericSearch(None, evaluated, stopped=True, memory=True)
        evaluated += 1
        estimate = relaxation.estimate(state)
        steps = estimate.steps
        if steps is None:
            if not may_reach(task, state):
                continue
            steps = FAR
        if steps < best:
            best = steps
            turns[1] -= BOOST
        for index, after in successors.of(state):
            if after in parents:
                continue
            parents[after] = (state, index)
            entry = (steps, next(order), after)
            heappush(every, entry)
            if index in estimate.helpful:
                heappush(helpful, entry)
    return NumericSearch(None, evaluated)


def cheapest(task: NumericTask, cost: Callable[[State, Operator, State], Number], budget: Budget) -> NumericSearch:
    """Search by cost alone; the plan is one of the cheapest. Costs are not negative."""
    successors = Successors(task)
    order = count()
    parents: _Parents = {task.initial: None}
    costs: dict[State, Number] = {task.initial: 0}
    queue: list[tuple[Number, int, State]] = [(0, next(order), task.initial)]
    done: set[State] = set()
    while queue:
        spent, _, state = heappop(queue)
        if state in done:
            continue
        done.add(state)
        if task.holds(task.goal, state):
            return NumericSearch(trace(parents, state), len(done))
        if len(done) >= budget.evaluations or budget.stop[0]:
            return NumericSearch(None, len(done), stopped=True)
        if len(parents) > budget.states:
            return NumericSearch(None, len(done), stopped=True, memory=True)
        for index, after in successors.of(state):
            total = spent + cost(state, task.operators[index], after)
            if after not in costs or total < costs[after]:
                costs[after] = total
                parents[after] = (state, index)
                heappush(queue, (total, next(order), after))
    return NumericSearch(None, len(done))


def trace(parents: _Parents, state: State) -> tuple[int, ...]:
    """Return the operators that led to a state."""
    found: list[int] = []
    entry = parents[state]
    while entry is not None:
        state, index = entry
        found.append(index)
        entry = parents[state]
    return tuple(reversed(found))
