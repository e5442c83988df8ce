"""A goal's branches in one state: conjunctions of which one must be reached.

Bounds on a disjunction are weak, as a relaxed plan may go half way to each of its alternatives. So those
disjunctions that do not hold yet are taken apart, as long as that gives few branches; what is left remains a
disjunction, decided by axioms.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.cost_to_go.unneeded_operators import lists_of
from chorewright.planner.grounding.task import Int32, Int64, Task

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
    held = _held(task, true)
    found = [frozenset(task.goal.tolist())]
    while True:
        heads = sorted(
            {f for branch in found for f in branch if f in bodies and f not in held},
            key=lambda f: (len(bodies[f]), f),
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
        axioms, _ = _reached(task, bodies, branch)
        _, facts = _reached(task, {f: rows for f, rows in bodies.items() if f not in held}, branch)
        unmet = [f for f in facts if f not in bodies and not true[f]]
        branches.append(Branch(np.asarray(branch, np.int32), np.asarray(axioms, np.int64), np.asarray(unmet, np.int32)))
    return branches


def _held(task: Task, true: NDArray[np.bool_]) -> set[int]:
    """The heads of axioms that hold."""
    held: set[int] = set()
    rows = [task.axiom_body.of(axiom) for axiom in range(len(task.axiom_head))]
    while True:
        found = {
            int(head)
            for head, body in zip(task.axiom_head, rows, strict=True)
            if all(true[f] or f in held for f in body)
        }
        if found == held:
            return held
        held = found


def _reached(task: Task, bodies: Mapping[int, list[int]], goal: tuple[int, ...]) -> tuple[list[int], list[int]]:
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


__all__ = ["Branch", "branches_of"]
