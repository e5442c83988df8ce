"""A goal's branches in one state: conjunctions of which one must be reached.

Bounds on a disjunction are weak, as a relaxed plan may go half way to each of its alternatives. So those
disjunctions that do not hold yet are taken apart, as long as that gives few branches; what is left remains a
disjunction, decided by axioms.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.cost_to_go.abstraction import find_holding_axioms
from chorewright.planner.cost_to_go.unneeded_operators import lists_of
from chorewright.planner.grounding.joins.derivation import NEVER
from chorewright.planner.grounding.task import Int32, Int64, Task
from chorewright.planner.search.heuristics.delete_relaxation import INFINITE
from chorewright.planner.search.heuristics.landmark_cut import landmark_cut
from chorewright.planner.search.search import Budget, state_limit
from chorewright.planner.search.start_states import SearchStart

MOST_BRANCHES = 16


class Branch(NamedTuple):
    """One alternative of the goal.

    Attributes:
        goal: The facts that it asks for, ascending.
        axioms: The axioms of the disjunctions among them, by their numbers in the task, ascending.
        open: The facts that do not hold, except those of alternatives of disjunctions that do; ascending.
    """

    goal: Int32
    axioms: Int64
    open: Int32

    def of(self, task: Task) -> Task:
        """The task with this goal."""
        bodies = [task.axiom_body.of(axiom) for axiom in self.axioms.tolist()]
        return replace(
            task,
            goal=self.goal,
            axiom_head=task.axiom_head[self.axioms],
            axiom_body=lists_of(bodies),
            axiom_stratum=task.axiom_stratum[self.axioms],
        )

    def instead(self, task: Task, facts: Collection[int]) -> set[int]:
        """The facts of all alternatives of disjunctions in one of which some of the facts are."""
        bodies = [task.axiom_body.of(axiom) for axiom in self.axioms.tolist()]
        heads = task.axiom_head[self.axioms].tolist()
        touched = {head for head, body in zip(heads, bodies, strict=True) if any(f in facts for f in body)}
        found = {f for head, body in zip(heads, bodies, strict=True) if head in touched for f in body}
        return {f for f in found if not task.derived[f]}


def branches_of(task: Task, true: NDArray[np.bool_]) -> list[Branch]:
    """Divide the goal in a state.

    Args:
        task: The task.
        true: Marks of the facts that hold, but for what axioms decide.

    Returns:
        The goal undivided, then its branches, ``MOST_BRANCHES`` at most; the goal alone if it cannot be divided.
    """
    bodies: dict[int, list[int]] = {}
    for axiom, head in enumerate(task.axiom_head.tolist()):
        bodies.setdefault(head, []).append(axiom)
    held = find_holding_axioms(task, true)
    found = [frozenset(task.goal.tolist())]
    while True:
        heads = sorted(
            {f for branch in found for f in branch if f in bodies and f not in held}, key=lambda f: (len(bodies[f]), f)
        )
        for head in heads:
            expanded = [
                (branch - {head}) | frozenset(task.axiom_body.of(axiom))
                for branch in found
                if head in branch
                for axiom in bodies[head]
            ]
            expanded += [branch for branch in found if head not in branch]
            if len(expanded) <= MOST_BRANCHES:
                found = expanded
                break
        else:
            break
    branches = []
    for branch in dict.fromkeys(tuple(sorted(each)) for each in (frozenset(task.goal.tolist()), *found)):
        axioms, _ = _find_axioms(task, bodies, branch)
        _, facts = _find_axioms(task, {f: rows for f, rows in bodies.items() if f not in held}, branch)
        unmet = [f for f in facts if f not in bodies and not true[f]]
        branches.append(Branch(np.asarray(branch, np.int32), np.asarray(axioms, np.int64), np.asarray(unmet, np.int32)))
    return branches


def _find_axioms(task: Task, bodies: Mapping[int, list[int]], goal: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """The axioms that decide the disjunctions among some facts, and all facts that they speak of."""
    waiting, facts, axioms = list(goal), set(goal), set[int]()
    while waiting:
        for axiom in bodies.get(waiting.pop(), ()):
            if axiom not in axioms:
                axioms.add(axiom)
                body = task.axiom_body.of(axiom)
                waiting += body
                facts.update(body)
    return sorted(axioms), sorted(facts)


# A* over a goal's alternatives, the most promising first: for tasks that abstractions do not cover.


def cheaper_branch(
    start: SearchStart, state: NDArray[np.uint64], best: int, evaluations: int
) -> tuple[tuple[tuple[int, ...], int] | None, int]:
    """Search all alternatives of the goal for the cheapest plan from a state.

    Args:
        start: The task and its alternatives.
        state: The packed state.
        best: What the plan has to stay below, in integer units.
        evaluations: What the searches of all alternatives may take together.

    Returns:
        The plan's operators and its cost in integer units, or None; and a lower bound on the cost of any plan.
    """
    estimates = []
    for number, branch in enumerate(start.branches):
        estimate = int(landmark_cut(state, branch.true, branch.cuts))
        if estimate < best:
            estimates.append((estimate, number))
    lower, left = INFINITE, evaluations
    cheapest: tuple[tuple[int, ...], int] | None = None
    limit = state_limit(None, start.whole.task)
    for estimate, number in sorted(estimates):
        branch = start.branches[number]
        if estimate >= best:
            continue
        if left <= 0:
            lower = min(lower, estimate)
            continue
        found = branch.search("astar", "lmcut", 1, best, Budget(left, limit, NEVER), state=state)
        left -= found.evaluations
        if found.operators is not None:
            best = branch.plan_cost(found.operators)
            cheapest = found.operators, best
        elif found.limit is not None:
            lower = min(lower, max(estimate, found.lower))
    return cheapest, min(best, lower)


# What a cost-to-go says, and what it may take to find.


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost-to-go of a state; ``inf`` if no plan was found.

    ``optimal`` says that no plan of the problem costs less, ``lower_bound`` that none costs less than that.
    """

    cost: float
    optimal: bool
    lower_bound: float


@dataclass(frozen=True, slots=True)
class Effort:
    """What one state may take, in evaluations of states: the same answer on every machine.

    ``provable`` is the longest relaxed plan, in steps, of states whose costs are tried to prove, with
    ``proof`` evaluations (of a task with 800 operators: smaller ones count for less); 0 leaves proofs
    out. With a ``pool``, the proofs of all states that the service is for may take so many together.
    ``greedy`` goes into finding any plan, ``improve`` into making it cheaper where its cost is not proven.
    """

    greedy: int = 20_000
    provable: int = 14
    proof: int = 1_000
    pool: int | None = None
    improve: int = 200


OPTIMAL = Effort()
SATISFICING = Effort(provable=0, improve=0)
