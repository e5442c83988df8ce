"""Plans piece by piece: one part of the goal after the other, each among the few objects that it needs.

A relaxed plan for the cheapest open part names the objects; the task is cut down to the operators over these
and searched greedily for that part and what of the goal those operators might undo. A task of ten thousand
operators is so looked at once for each part, and small ones of some dozens are searched, most of which
several states share. Parts that had to be undone for others are put after them; which ones, some of the
states show. The plans are plans of the whole task, but not every solvable state gets one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.cost_to_go import piecewise_kernels
from chorewright.planner.cost_to_go.piecewise_kernels import PartTables
from chorewright.planner.grounding.joins.derivation import NEVER
from chorewright.planner.grounding.task import CsrLists, Int32, Int64, Task, lists, pack
from chorewright.planner.search.heuristics.add_and_max import evaluate
from chorewright.planner.search.heuristics.delete_relaxation import ADD, INFINITE, Relaxation
from chorewright.planner.search.search import Budget, Prepared, prepare, state_limit
from chorewright.planner.search.start_states import SearchStart
from chorewright.planner.search.states import all_hold, close

_LESSONS = 4
"""Plans of one state from which the order of parts is learnt."""

_MOST_CUTS = 512
"""Cut-down tasks that are remembered; when there are more, all are made anew."""

_MOST_PLANS = 20_000
"""Plans of cut-down tasks that are remembered, likewise."""

Facts = NDArray[np.bool_]
Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class _Cut:
    """A task over few objects, and what of a state it reads.

    Attributes:
        prepared: The task.
        mask: The bits of a packed state that it reads.
    """

    prepared: Prepared
    mask: Words


@dataclass(frozen=True, slots=True)
class _Run:
    """A plan, and pairs of a part and one that had been made true before and was undone for it."""

    operators: tuple[int, ...] | None
    undone: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Piecewise:
    """A ground task, and the small tasks that were cut out of it.

    Attributes:
        whole: The ground task.
        mask: The bits of a packed state that are not of derived facts.
        relaxation: The relaxation that leads greedy search, with costs of its own.
        tables: What the choice of the next part reads.
        even: Whether all operators cost the same and read nothing that axioms decide.
        following: The compiled ``following``, loaded for this task: the next part, and the operators it may use.
        follow: The compiled ``follow``, likewise: whether the goal holds after some operators.
        undoable: The compiled ``undoable``, likewise: what of all that is done some operators may undo.
        cuts: The cut-down tasks by operators and goal, both as bytes.
        plans: Plans of cut-down tasks by operators, goal, the part of the state that is read, and evaluations.
    """

    whole: Prepared
    mask: Words
    relaxation: Relaxation
    tables: PartTables
    even: bool
    following: Callable[..., Any]
    follow: Callable[..., Any]
    undoable: Callable[..., Any]
    cuts: dict[tuple[bytes, bytes], _Cut] = field(default_factory=dict)
    plans: dict[tuple[bytes, bytes, bytes, int], tuple[int, ...] | None] = field(default_factory=dict)

    @classmethod
    def of(cls, start: SearchStart, samples: Sequence[Words], evaluations: int) -> Piecewise:
        """Prepare a task; the order of parts is learnt from plans for sample states.

        Args:
            start: The ground task.
            samples: Packed states.
            evaluations: What each part of a sample's plan may take.
        """
        whole = start.whole
        task = whole.task
        positive = np.where(task.fact_predicate >= 0, np.arange(task.fact_count), task.complement)
        named = (positive >= 0) & (task.fact_predicate[positive] >= 0)
        kinds = 2 * len(task.fact_names)
        kind = 2 * task.fact_predicate[positive] + (task.fact_predicate < 0)
        names = np.where(named[:, None], task.fact_arguments[positive], -1)
        mask = pack(~task.derived)
        relaxation = whole.guide._replace(cost=whole.guide.cost.copy())
        tables = PartTables(
            _undoers(task),
            task.operator_arguments,
            len(task.objects),
            np.where(named, kind, kinds).astype(np.int32),
            np.ascontiguousarray(names, np.int32),
            np.zeros((kinds + 1, kinds + 1), np.bool_),
        )
        facts, steps = np.zeros(task.fact_count, np.bool_), np.zeros(0, np.int64)
        read = task.derived[np.concatenate([task.precondition.items, task.effect_condition.items])]
        found = cls(
            whole,
            mask,
            relaxation,
            tables,
            bool((task.cost == task.cost[:1]).all() and not read.any()),
            piecewise_kernels.following.load(mask, relaxation, whole.work, facts, tables),
            piecewise_kernels.follow.load(mask, steps, whole.moves, task.goal, facts, facts),
            piecewise_kernels.undoable.load(facts, steps, whole.moves),
        )
        for state in samples:
            found._learn(state, evaluations)
        return found

    def plan(self, state: Words, evaluations: int) -> tuple[int, ...] | None:
        """Find a plan part by part.

        Args:
            state: A packed state with its derived facts.
            evaluations: What each part may take.

        Returns:
            The operators of a plan; None if some part has none within its evaluations.
        """
        if self.even:
            found, operators = self._at_once(state, evaluations)
            if found:
                return tuple(operators.tolist())
        return self._run(state, evaluations).operators

    def _at_once(self, state: Words, evaluations: int) -> tuple[bool, Int64]:
        """Whether a plan was found by trying all sequences of the operators for each part; the plan."""
        whole, task = self.whole, self.whole.task
        moves = whole.moves, whole.moves._replace(strata=0)
        found, operators = piecewise_kernels.pieces(
            state.copy(), self.mask, self.relaxation, whole.work, *moves, task.goal, self.tables, evaluations
        )
        return bool(found), operators

    def _learn(self, state: Words, evaluations: int) -> None:
        """Put parts after those for which they are undone, unless they come before them already."""
        for _ in range(_LESSONS):
            news = False
            for part, undone in self._run(state, evaluations).undone:
                earlier, first, second = self.tables.earlier, self.tables.kind[part], self.tables.kind[undone]
                if first != second and not earlier[first, second] and not earlier[second, first]:
                    earlier[first, second] = news = True
            if not news:
                break

    def _run(self, state: Words, evaluations: int) -> _Run:
        whole = self.whole
        task = whole.task
        state = state.copy()
        operators: list[int] = []
        undone: list[tuple[int, int]] = []
        done, gone = np.zeros((2, task.fact_count), np.bool_)
        reached = bool(all_hold(state, task.goal, 0, len(task.goal)))
        made: set[int] = set()
        for _ in range(piecewise_kernels.MOST_PARTS):
            if reached:
                return _Run(tuple(operators), tuple(undone))
            part, piece = self._piece(state & self.mask, done, evaluations)
            if not piece:
                break
            gone[:] = False
            steps = np.asarray(piece, np.int64)
            reached = bool(self.follow(state, steps, whole.moves, task.goal, done, gone))
            names = self.tables.names
            lost = (f for f in np.flatnonzero(gone).tolist() if f in made)
            undone += [(part, f) for f in lost if piecewise_kernels.is_shared(part, f, names)]
            done[part] = True
            made.add(part)
            operators += piece
        return _Run(None, tuple(undone))

    def _piece(self, state: Words, done: Facts, evaluations: int) -> tuple[int, tuple[int, ...] | None]:
        """A part of the goal, and the operators that make it true; ``done`` is completed."""
        task = self.whole.task
        if not done.any():
            # The goal's parts that hold are known after a first look.
            if evaluate(state, self.relaxation, self.whole.work, ADD) >= INFINITE:
                return -1, None
            piecewise_kernels.leaves(self.relaxation, self.whole.work, done, np.empty(task.fact_count, np.int64))
        part, operators = self.following(state, self.relaxation, self.whole.work, done, self.tables)
        if part < 0:
            return -1, None
        return int(part), self._search(state, int(part), done, operators, evaluations)

    def _search(
        self, state: Words, part: int, done: Facts, operators: Int64, evaluations: int
    ) -> tuple[int, ...] | None:
        """The operators that make a part true and undo nothing, found among some operators."""
        goal = self.undoable(done, operators, self.whole.moves)
        goal[part] = True
        facts = np.flatnonzero(goal).astype(np.int32)
        cut = self._cut(operators, facts)
        asked = state & cut.mask
        key = operators.tobytes(), facts.tobytes(), asked.tobytes(), evaluations
        if key not in self.plans:
            if len(self.plans) >= _MOST_PLANS:
                self.plans.clear()
            if cut.prepared.moves.strata:
                close(asked, cut.prepared.moves)
            budget = Budget(evaluations, state_limit(None, cut.prepared.task), NEVER)
            found = cut.prepared.search("greedy", "ff", 1, INFINITE, budget, state=asked).operators
            self.plans[key] = None if found is None else tuple(operators[list(found)].tolist())
        return self.plans[key]

    def _cut(self, operators: Int64, goal: Int32) -> _Cut:
        key = operators.tobytes(), goal.tobytes()
        cut = self.cuts.get(key)
        if cut is None:
            if len(self.cuts) >= _MOST_CUTS:
                self.cuts.clear()
            task = replace(self.whole.task.with_operators(operators), goal=goal)
            conditions = (task.precondition.items, task.effect_condition.items, goal)
            if not any(task.derived[facts].any() for facts in conditions):
                task = task.without_axioms()
            read = np.zeros(task.fact_count, np.bool_)
            for facts in (*conditions, task.axiom_body.items):
                read[facts] = True
            cut = self.cuts[key] = _Cut(prepare(task), pack(read) & self.mask)
        return cut


def _undoers(task: Task) -> CsrLists:
    """For each fact the operators that may make it false."""
    owner = np.repeat(np.arange(task.operator_count), np.diff(task.effect_start))
    facts, operators = [], []
    for table, counterpart in ((task.effect_delete, None), (task.effect_add, task.complement)):
        lost = table.items if counterpart is None else counterpart[table.items]
        facts.append(lost[lost >= 0])
        operators.append(owner[table.owners()[lost >= 0]])
    return lists(task.fact_count, np.concatenate(facts).astype(np.int64), np.concatenate(operators).astype(np.int32))
