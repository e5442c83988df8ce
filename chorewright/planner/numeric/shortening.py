"""Plans made shorter: steps that are not needed are left out, and stretches are replaced by shorter ways."""

from __future__ import annotations

from collections import deque

from chorewright.planner.numeric.search import Successors
from chorewright.planner.numeric.task import NumericTask, State

EXPANSIONS = 6_000
"""States that are expanded to find shorter ways, in all."""

NEAR = 500
"""States that are expanded from one state of a plan."""


def without_unneeded(task: NumericTask, operators: tuple[int, ...]) -> tuple[int, ...]:
    """Return a plan without runs of up to 8 steps that it does not need."""
    plan = list(operators)
    at = 0
    while at < len(plan):
        for length in range(min(8, len(plan) - at), 0, -1):
            rest = plan[:at] + plan[at + length :]
            if reaches(task, rest):
                plan = rest
                break
        else:
            at += 1
    return tuple(plan)


def reaches(task: NumericTask, operators: list[int]) -> bool:
    """Whether operators can be run one after the other and reach the goal."""
    state = task.initial
    for index in operators:
        operator = task.operators[index]
        after = task.successor(operator, state) if task.holds(operator.condition, state) else None
        if after is None:
            return False
        state = after
    return task.holds(task.goal, state)


def shortened(task: NumericTask, operators: tuple[int, ...]) -> tuple[int, ...]:
    """Return a plan that is as short or shorter: what is not needed is left out, detours are cut."""
    plan = without_unneeded(task, operators)
    successors, left, at = Successors(task), EXPANSIONS, 0
    while at < len(plan) and left > 0:
        states = states_of(task, plan)
        way, to, used = _shorter(task, successors, states, at, min(NEAR, left))
        left -= used
        if way is None:
            at += 1
        else:
            plan = plan[:at] + way + plan[to:]
    return without_unneeded(task, plan)


def states_of(task: NumericTask, operators: tuple[int, ...]) -> list[State]:
    """Return the states before, between and after the steps of a plan."""
    states = [task.initial]
    for index in operators:
        after = task.successor(task.operators[index], states[-1])
        assert after is not None
        states.append(after)
    return states


def _shorter(
    task: NumericTask, successors: Successors, states: list[State], at: int, most: int
) -> tuple[tuple[int, ...] | None, int, int]:
    """Look around a state of a plan for the shortcut that saves most.

    Returns:
        The shortcut's operators (None if there is none), the place in the plan where it ends, and the states expanded.
    """
    places = {state: place for place, state in enumerate(states)}
    ways: dict[State, tuple[int, ...]] = {states[at]: ()}
    queue = deque([states[at]])
    best: tuple[int, ...] | None = None
    saved = to = used = 0
    while queue and used < most:
        state = queue.popleft()
        way = ways[state]
        place = len(states) - 1 if task.holds(task.goal, state) else places.get(state, 0)
        if place - at - len(way) > saved:
            best, to, saved = way, place, place - at - len(way)
        if len(way) + saved + 1 >= len(states) - at:
            break
        used += 1
        for index, after in successors.of(state):
            if after not in ways:
                ways[after] = (*way, index)
                queue.append(after)
    return best, to, used
