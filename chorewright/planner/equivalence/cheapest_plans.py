"""The cheapest plans of a small problem, one after the other, and among them those that differ most.

All reachable states are listed, and the exact cost from each to the goal. A* with these costs then meets plans in the
order of their costs. A plan ends at the first state that meets the goal, and visits no state twice.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from math import inf

from chorewright.domains.formulas import holds
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import LimitError, UnsupportedError
from chorewright.files.stopping import Alarm, Stopped
from chorewright.planner.equivalence.state_space import StateSpace, reachable_states
from chorewright.planner.plan import NAME, GroundAction, Plan
from chorewright.planner.validation import PlanWorld, depends_on_numbers, is_plain

MOST_STATES = 20_000
"""Reachable states of a problem that counts as small."""

WIDER = 20
"""Among so many times as many plans as are asked for, the most different ones are chosen."""

_Edges = Sequence[Sequence[tuple[GroundAction, int, float]]]
_Path = tuple[int, "_Path | None", GroundAction | None]


def cheapest_plans(domain: Domain, problem: Problem, alarm: Alarm, most: int = MOST_STATES) -> Iterator[Plan]:
    """Yield the plans of a problem, the cheapest first; of equal cost, in an order that is always the same.

    Args:
        domain: The domain.
        problem: The problem.
        alarm: The clock, which runs.
        most: The most reachable states.

    Raises:
        LimitError: More states are reachable.
        Stopped: The clock has run out.
        UnsupportedError: The domain has durative actions, or costs depend on numbers that change.
    """
    if domain.durative_actions or not is_plain(domain, problem) or depends_on_numbers(domain, problem):
        raise UnsupportedError("several plans are for problems without durations, preferences and numbers that change")
    space = reachable_states(domain, problem, most, alarm, told=())
    if alarm.flag[0]:
        raise Stopped
    if space is None:
        hint = "make the problem smaller"
        raise LimitError(f"more than {most} states are reachable: several plans are for small problems", hint=hint)
    world = PlanWorld.of(domain, problem)
    goals = [holds(problem.goal, state, world.universe) for state in space.states]
    edges = _edges(space, world, goals)
    return _in_order(edges, goals, _to_goal(edges, goals), alarm)


def _edges(space: StateSpace, world: PlanWorld, goals: Sequence[bool]) -> _Edges:
    """The steps of each state with their costs; none from where the goal holds."""
    return [
        () if goal else [(action, after, world.cost(action) or 0.0) for action, after in steps]
        for steps, goal in zip(space.steps, goals, strict=True)
    ]


def _to_goal(edges: _Edges, goals: Sequence[bool]) -> list[float]:
    """The cost from each state to the goal, by Dijkstra's algorithm backwards."""
    before: list[list[tuple[int, float]]] = [[] for _ in edges]
    for number, steps in enumerate(edges):
        for _, after, cost in steps:
            before[after].append((number, cost))
    found = [inf] * len(edges)
    queue = [(0.0, number) for number, goal in enumerate(goals) if goal]
    while queue:
        cost, number = heapq.heappop(queue)
        if cost >= found[number]:
            continue
        found[number] = cost
        for other, more in before[number]:
            if cost + more < found[other]:
                heapq.heappush(queue, (cost + more, other))
    return found


def _in_order(edges: _Edges, goals: Sequence[bool], to_goal: Sequence[float], alarm: Alarm) -> Iterator[Plan]:
    """Plans by A*: every path has an entry of its own."""
    queue: list[tuple[float, int, float, _Path]] = [(to_goal[0], 0, 0.0, (0, None, None))]
    number = 0
    while queue:
        if alarm.flag[0]:
            raise Stopped
        _, _, cost, path = heapq.heappop(queue)
        if goals[path[0]]:
            yield Plan(_actions(path), cost, NAME, "cheapest", optimal=cost == to_goal[0])
            continue
        visited = _states(path)
        for action, after, more in edges[path[0]]:
            if to_goal[after] < inf and after not in visited:
                number += 1
                heapq.heappush(queue, (cost + more + to_goal[after], number, cost + more, (after, path, action)))


def _states(path: _Path) -> set[int]:
    found = {path[0]}
    while path[1] is not None:
        path = path[1]
        found.add(path[0])
    return found


def _actions(path: _Path) -> tuple[GroundAction, ...]:
    found: list[GroundAction] = []
    while path[1] is not None and path[2] is not None:
        found.append(path[2])
        path = path[1]
    return tuple(reversed(found))


def different_plans(plans: Iterator[Plan], count: int) -> list[Plan]:
    """Return plans that differ: the cheapest one, and then each time the one that is least like those before it.

    Plans are alike by the share of actions that they have in common, whatever the order.

    Args:
        plans: The plans, the cheapest first; so many of them as ``WIDER`` says are looked at.
        count: How many are returned, if there are so many.
    """
    left = list(islice(plans, count * WIDER))
    chosen: list[Plan] = []
    likeness = [0.0] * len(left)
    while left and len(chosen) < count:
        place = min(range(len(left)), key=likeness.__getitem__)
        plan = left.pop(place)
        del likeness[place]
        chosen.append(plan)
        likeness = [max(before, _alike(plan, each)) for before, each in zip(likeness, left, strict=True)]
    return chosen


def _alike(one: Plan, other: Plan) -> float:
    """The share of the actions of two plans that both have."""
    first, second = Counter(one.actions), Counter(other.actions)
    return (first & second).total() / max(1, (first | second).total())
