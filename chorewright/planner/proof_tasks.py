"""Abstractions ready to be searched for optimal plans, and what was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.planner import kernels
from chorewright.planner.abstraction import Abstraction
from chorewright.planner.kernels import INFINITE, Moves, Work
from chorewright.planner.landmark_cut import Cuts, cuts
from chorewright.planner.pairs import NO_PAIRS, Pairs
from chorewright.planner.potentials import Potentials, Values, chosen, values_of
from chorewright.planner.proof_kernels import PROVEN, prove
from chorewright.planner.relaxation import Relaxation, relax
from chorewright.planner.task import Int32, Int64, Task, packed

MOST_STATES = 200_000
"""States that one search for a proof may store; a few hundred bytes each."""

UNIT = 100
"""One evaluation is counted as one of a task with so many operators: larger tasks take longer."""

Bits = NDArray[np.bool_]


class Searched(NamedTuple):
    """The outcome of one search for a proof; ``plan`` is None if it found none."""

    proven: bool
    plan: tuple[int, ...] | None
    lower: int
    spent: int


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What was found in tasks that are the same but for the objects' names; ``digest`` tells them apart."""

    digest: bytes
    known: dict[tuple[bytes, int, int], Searched] = field(default_factory=dict)
    proven: dict[tuple[bytes, int], Searched] = field(default_factory=dict)
    roots: dict[bytes, tuple[Potentials, int]] = field(default_factory=dict)


def digest_of(task: Task, pairs: Pairs) -> bytes:
    """Equal for tasks of which plans, as numbers of operators, are the same."""
    arrays = (
        *task.precondition,
        *task.effect_add,
        *task.effect_delete,
        task.cost,
        task.goal,
        task.axiom_head,
        *task.axiom_body,
        task.axiom_stratum,
        task.complement,
        *pairs,
    )
    code = blake2b(digest_size=16)
    for array in arrays:
        code.update(len(array).to_bytes(8, "little"))
        code.update(np.ascontiguousarray(array).tobytes())
    return code.digest()


@dataclass(frozen=True, slots=True, eq=False)
class Ready:
    """An abstraction with the arrays that searching it needs."""

    abstraction: Abstraction
    pairs: Pairs
    cost: Int64
    relaxation: Relaxation
    moves: Moves
    work: Work
    cuts: Cuts
    values: Values | None
    found: Found

    @classmethod
    def of(cls, abstraction: Abstraction, found: Found, pairs: Pairs = NO_PAIRS) -> Ready:
        task = abstraction.task
        cost = task.cost.astype(np.int64)
        relaxation = relax(task, cost)
        group = np.arange(task.fact_count - len(pairs.first), task.fact_count, dtype=np.int32)
        return cls(
            abstraction,
            pairs,
            cost,
            relaxation,
            kernels.moves(task),
            kernels.work(relaxation),
            cuts(relaxation),
            values_of(task, group) if len(group) else None,
            found,
        )

    def state(self, bits: Bits) -> NDArray[np.uint64]:
        state = packed(self.pairs.complete(bits))
        if self.moves.strata:
            kernels.close(state, self.moves)
        return state

    def root(self, state: NDArray[np.uint64]) -> tuple[Potentials, int]:
        """The potentials with which plans from a state are looked for, and a bound on its cost."""
        key = state.tobytes()
        if key not in self.found.roots:
            relaxed = self.relaxed_plan(state, self.relaxation.goal)[1] if self.values is not None else []
            self.found.roots[key] = chosen(state, self.relaxation, self.cuts, self.cost, self.values, relaxed)
        return self.found.roots[key]

    def prove(self, state: NDArray[np.uint64], evaluations: int, bound: int) -> Searched:
        """Search for an optimal plan that costs less than a bound; equal abstract states share one answer."""
        operators = max(1, self.relaxation.operator_count)
        most = max(1, evaluations * UNIT // operators)
        key = state.tobytes()
        proven = self.found.proven.get((key, bound))
        if proven is not None and proven.spent <= evaluations:
            return proven
        if (key, most, bound) not in self.found.known:
            potentials, _ = self.root(state)
            status, found, plan, _, used, lower = prove(
                state, potentials, self.moves, self.cuts, self.cost, bound, most, MOST_STATES
            )
            operators_of = tuple(plan.tolist()) if status == PROVEN and found else None
            spent = min(evaluations, -(-int(used) * operators // UNIT))
            searched = Searched(status == PROVEN, operators_of, int(lower), spent)
            self.found.known[key, most, bound] = searched
            if status == PROVEN:
                self.found.proven[key, bound] = searched
        return self.found.known[key, most, bound]

    def relaxed_plan(self, state: NDArray[np.uint64], goal: Int32) -> tuple[int, list[int]]:
        """(cost, operators) of a relaxed plan for some facts; the cost is ``INFINITE`` if there is none."""
        value = int(kernels.evaluate(state, self.relaxation._replace(goal=goal), self.work, kernels.FF))
        if value >= INFINITE:
            return value, []
        operators: dict[int, None] = {}
        stack = goal.tolist()
        seen = set(stack)
        while stack:
            action = int(self.work.supporter[stack.pop()])
            if action < 0:
                continue
            if self.relaxation.operator[action] >= 0:
                operators[int(self.relaxation.operator[action])] = None
            missing = [fact for fact in self.relaxation.requires.of(action) if fact not in seen]
            seen.update(missing)
            stack += missing
        return value, list(operators)


__all__ = ["UNIT", "Bits", "Found", "Ready", "Searched", "digest_of"]
