"""Abstractions ready to be searched for optimal plans, and what was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.cost_to_go import bounded_tasks
from chorewright.planner.cost_to_go.abstraction import Abstraction
from chorewright.planner.cost_to_go.pairs import NO_PAIRS, Pairs
from chorewright.planner.cost_to_go.proof_kernels import PROVEN, prove
from chorewright.planner.grounding.task import Int32, Int64, Task, pack
from chorewright.planner.search.heuristics import delete_relaxation
from chorewright.planner.search.heuristics.add_and_max import evaluate
from chorewright.planner.search.heuristics.landmark_cut import Cuts, cuts
from chorewright.planner.search.search import successor_table
from chorewright.planner.search.states import SuccessorTable, close

MOST_STATES = 200_000
"""States that one search for a proof may store; a few hundred bytes each."""

UNIT = 800
"""One evaluation is counted as one of a task with so many operators: larger tasks take longer."""

MOST_STEPS = 12
"""Bounds below which plans are looked for, one after the other; the last is the one asked for."""

STEPS_TO_DOUBLE = 32
"""Large costs grow by one part in so many from step to step."""

Bits = NDArray[np.bool_]


class ProofSearch(NamedTuple):
    """The outcome of one search for a proof.

    Attributes:
        proven: Whether the search came to its end.
        plan: The operators of an optimal plan; None if none was found that costs less than the bound.
        lower: What any plan costs at least, in integer units.
        spent: The evaluations that it took, as ``UNIT`` counts them.
    """

    proven: bool
    plan: tuple[int, ...] | None
    lower: int
    spent: int


@dataclass(frozen=True, slots=True, eq=False)
class ProofRecord:
    """What was found in tasks that are the same but for the objects' names.

    Attributes:
        digest: The tasks' digest.
        known: Outcomes of searches by packed state, evaluations and bound.
        proven: Those that came to their end, by packed state and bound.
        roots: Potentials and the lower bound by packed state.
    """

    digest: bytes
    known: dict[tuple[bytes, int, int], ProofSearch] = field(default_factory=dict)
    proven: dict[tuple[bytes, int], ProofSearch] = field(default_factory=dict)
    roots: dict[bytes, tuple[bounded_tasks.Potentials, int]] = field(default_factory=dict)


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
class ReadyTask:
    """An abstraction with the arrays that searching it needs.

    Attributes:
        abstraction: The abstraction.
        pairs: The facts that its last facts are pairs of.
        cost: The operators' costs, in integer units.
        relaxation: The delete relaxation with these costs.
        moves: The successor table.
        work: Scratch space of the heuristics.
        cuts: Scratch space of landmark cuts.
        values: What operators do to the pairs; None without pairs.
        found: What was found in this task and its equals.
    """

    abstraction: Abstraction
    pairs: Pairs
    cost: Int64
    relaxation: delete_relaxation.Relaxation
    moves: SuccessorTable
    work: delete_relaxation.Scratch
    cuts: Cuts
    values: bounded_tasks.Values | None
    found: ProofRecord

    @classmethod
    def of(cls, abstraction: Abstraction, found: ProofRecord, pairs: Pairs = NO_PAIRS) -> ReadyTask:
        """Build the arrays for an abstraction.

        Args:
            abstraction: The abstraction; its task has integer costs.
            found: Where to keep what is found.
            pairs: The pairs that its last facts are.
        """
        task = abstraction.task
        cost = task.cost.astype(np.int64)
        relaxation = delete_relaxation.relax(task, cost)
        group = np.arange(task.fact_count - len(pairs.first), task.fact_count, dtype=np.int32)
        return cls(
            abstraction,
            pairs,
            cost,
            relaxation,
            successor_table(task),
            delete_relaxation.scratch_for(relaxation),
            cuts(relaxation),
            bounded_tasks.values_of(task, group) if len(group) else None,
            found,
        )

    def state(self, bits: Bits) -> NDArray[np.uint64]:
        """Pack a state, with its pairs and derived facts.

        Args:
            bits: Marks of the facts that hold; the pairs are filled in.
        """
        state = pack(self.pairs.complete(bits))
        if self.moves.strata:
            close(state, self.moves)
        return state

    def root(self, state: NDArray[np.uint64]) -> tuple[bounded_tasks.Potentials, int]:
        """Return what a search from a packed state begins with, remembered.

        Returns:
            The potentials, and what any plan costs at least in integer units; ``INFINITE`` in a dead end.
        """
        key = state.tobytes()
        if key not in self.found.roots:
            relaxed = self.find_relaxed_plan(state, self.relaxation.goal)[1] if self.values is not None else []
            self.found.roots[key] = bounded_tasks.choose_potentials(
                state, self.relaxation, self.cuts, self.cost, self.values, relaxed
            )
        return self.found.roots[key]

    def prove(self, state: NDArray[np.uint64], evaluations: int, bound: int) -> ProofSearch:
        """Search for an optimal plan that costs less than a bound; equal abstract states share one answer.

        Args:
            state: The packed state.
            evaluations: What the search may take, as ``UNIT`` counts them.
            bound: What the plan has to stay below, in integer units.
        """
        key = state.tobytes()
        proven = self.found.proven.get((key, bound))
        if proven is not None and proven.spent <= evaluations:
            return proven
        if (key, evaluations, bound) not in self.found.known:
            searched = self._searched(state, evaluations, bound)
            self.found.known[key, evaluations, bound] = searched
            if searched.proven:
                self.found.proven[key, bound] = searched
        return self.found.known[key, evaluations, bound]

    def _searched(self, state: NDArray[np.uint64], evaluations: int, bound: int) -> ProofSearch:
        """Look for plans below ever higher bounds: what is below a low one is a small task."""
        potentials, lower = self.root(state)
        whole = bounded_tasks.Bounded(np.arange(len(self.cost)), self.cost, self.moves, self.cuts, potentials)
        left = evaluations * UNIT
        for step in range(MOST_STEPS):
            if lower >= bound:
                return ProofSearch(True, None, lower, self._spent(left, evaluations))
            last = step + 1 == MOST_STEPS
            now = bound if last else min(bound, lower + 1 + lower // STEPS_TO_DOUBLE)
            task, beyond, looked_at = bounded_tasks.below(whole, state, now)
            left -= looked_at
            if task is None:
                lower = beyond
                continue
            most = max(1, left // max(1, len(task.cost)))
            status, found, plan, _, used, reached = prove(
                state, task.potentials, task.moves, task.cuts, task.cost, now, most, MOST_STATES
            )
            left -= int(used) * len(task.cost)
            if status != PROVEN:
                return ProofSearch(False, None, max(lower, min(beyond, int(reached))), evaluations)
            if found:
                operators = tuple(task.chosen[plan].tolist())
                return ProofSearch(True, operators, int(reached), self._spent(left, evaluations))
            lower = min(beyond, int(reached))
        return ProofSearch(True, None, lower, self._spent(left, evaluations))

    @staticmethod
    def _spent(left: int, evaluations: int) -> int:
        return min(evaluations, evaluations - left // UNIT)

    def find_relaxed_plan(self, state: NDArray[np.uint64], goal: Int32) -> tuple[int, list[int]]:
        """Return a relaxed plan for some facts.

        Args:
            state: The packed state.
            goal: The facts.

        Returns:
            Its cost in integer units, ``INFINITE`` if there is none, and its operators.
        """
        value = int(evaluate(state, self.relaxation._replace(goal=goal), self.work, delete_relaxation.FF))
        if value >= delete_relaxation.INFINITE:
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
