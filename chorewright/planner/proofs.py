"""Proofs of costs-to-go: optimal plans of small abstractions, tried on the task itself.

Most of a task cannot matter to one state: what already is where the goal wants it, and the many things that
nobody needs. A state's abstraction keeps the objects of the goal's open parts and of a relaxed plan for them;
an optimal plan of it costs no more than one of the task, so if the task can follow it, it is optimal. If not,
what stood in the way is kept as well (counterexample-guided refinement: Seipp and Helmert, JAIR 2018). Tasks
are taken apart in two stages, so that only the first looks at all operators.

What is found for a state depends on that state alone, not on what was asked before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.planner import kernels
from chorewright.planner.abstraction import Abstraction, abstract
from chorewright.planner.dispensable import collapse, prune
from chorewright.planner.invariants import families
from chorewright.planner.kernels import INFINITE, Moves, Work
from chorewright.planner.landmark_cut import Cuts, cuts, landmark_cut
from chorewright.planner.pairs import NO_PAIRS, Group, Pairs, paired
from chorewright.planner.proof_kernels import PROVEN, first_applicable, prove
from chorewright.planner.relaxation import Relaxation, integer_costs, relax
from chorewright.planner.task import Int32, Int64, Task, packed

MOST_ATTEMPTS = 4
"""Refinements of one state's abstraction, the first abstraction included."""

MOST_STATES = 200_000
"""States that one search for a proof may store; a few hundred bytes each."""

HOPS = 2
"""Where the goal's objects are at some start is kept too, and where that is."""

UNIT = 100
"""One evaluation is counted as one of a task with so many operators: larger tasks take longer."""

_MOST_ABSTRACTIONS = 512
"""Abstractions of single states that are remembered; when there are more, all are made anew."""

Bits = NDArray[np.bool_]


class Bound(NamedTuple):
    """What is known of a state's cost-to-go in integer units, and what it took to know it.

    ``operators`` are those of an optimal plan, None if none was found; ``spent`` are evaluations, as
    ``UNIT`` counts them.
    """

    lower: int
    operators: tuple[int, ...] | None
    spent: int


Paid = set[tuple[frozenset[int], bytes, bytes]]
"""What of the searches of several states is paid for: objects kept, what is settled, abstract state."""


class _Searched(NamedTuple):
    """The outcome of one search for a proof; ``plan`` is None if it found none."""

    state: bytes
    proven: bool
    plan: tuple[int, ...] | None
    lower: int
    spent: int


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
    known: dict[tuple[bytes, int], _Searched]
    proven: dict[bytes, _Searched]

    @classmethod
    def of(cls, abstraction: Abstraction, pairs: Pairs = NO_PAIRS) -> Ready:
        task = abstraction.task
        cost = task.cost.astype(np.int64)
        relaxation = relax(task, cost)
        return cls(
            abstraction,
            pairs,
            cost,
            relaxation,
            kernels.moves(task),
            kernels.work(relaxation),
            cuts(relaxation),
            {},
            {},
        )

    def state(self, bits: Bits) -> NDArray[np.uint64]:
        state = packed(self.pairs.complete(bits))
        if self.moves.strata:
            kernels.close(state, self.moves)
        return state

    def prove(self, bits: Bits, evaluations: int) -> _Searched:
        """Search for an optimal plan; equal abstract states share one answer."""
        state = self.state(bits)
        operators = max(1, self.relaxation.operator_count)
        most = max(1, evaluations * UNIT // operators)
        key = state.tobytes(), most
        proven = self.proven.get(key[0])
        if proven is not None and proven.spent <= evaluations:
            return proven
        if key not in self.known:
            status, found, plan, _, used, lower = prove(
                state, self.relaxation, self.moves, self.cuts, self.cost, INFINITE, most, MOST_STATES
            )
            operators_of = tuple(plan.tolist()) if status == PROVEN and found else None
            spent = min(evaluations, -(-int(used) * operators // UNIT))
            self.known[key] = _Searched(key[0], status == PROVEN, operators_of, int(lower), spent)
            if status == PROVEN:
                self.proven[key[0]] = self.known[key]
        return self.known[key]

    def relaxed_plan(self, state: NDArray[np.uint64]) -> tuple[int, list[int]]:
        """(cost, operators) of a relaxed plan; the cost is ``INFINITE`` if there is none."""
        value = int(kernels.evaluate(state, self.relaxation, self.work, kernels.FF))
        if value >= INFINITE:
            return value, []
        operators: dict[int, None] = {}
        stack = self.relaxation.goal.tolist()
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


def plain(task: Task) -> bool:
    """Whether proofs know the task's features: no conditional effects, axioms for parts of the goal only."""
    conditional = len(task.effect_condition.items) > 0
    named = bool((task.derived & (task.fact_predicate >= 0)).any())
    return not conditional and not named and not task.derived[task.precondition.items].any()


def alike(task: Task, kept: Bits) -> Int32:
    """Classes of the objects not kept: those that have the same places in the same actions; -1 for kept."""
    arguments = task.operator_arguments
    width = max(1, arguments.shape[1])
    places = np.zeros((len(task.objects), max(1, len(task.action_names)) * width), np.bool_)
    for position in range(arguments.shape[1]):
        used = arguments[:, position] >= 0
        places[arguments[used, position], task.operator_action[used] * width + position] = True
    numbers: dict[bytes, int] = {}
    classes = np.full(len(task.objects), -1, np.int32)
    for i in np.flatnonzero(~kept).tolist():
        classes[i] = numbers.setdefault(places[i].tobytes(), len(numbers))
    return classes


def objects_of(task: Task, facts: Iterable[int]) -> set[int]:
    """The objects that facts and complements of facts speak of."""
    found: set[int] = set()
    for fact in facts:
        positive = fact if task.fact_predicate[fact] >= 0 else int(task.complement[fact])
        if positive >= 0 and task.fact_predicate[positive] >= 0:
            found.update(task.fact_arguments[positive, : task.fact_arity[positive]].tolist())
    return found


def _frequent(task: Task) -> set[int]:
    """Objects in a quarter of the operators or more: those who act."""
    arguments = task.operator_arguments
    counts = np.bincount(arguments[arguments >= 0], minlength=len(task.objects))
    return set(np.flatnonzero(4 * counts >= max(1, task.operator_count)).tolist())


def _steady(task: Task, owners: Int32, starts: Sequence[Bits]) -> frozenset[Group]:
    """The groups of which each start has exactly one fact."""
    found: set[Group] = set()
    for family, mine in enumerate(owners):
        counts = np.asarray([np.bincount(mine[s & (mine >= 0)], minlength=len(task.objects)) for s in starts])
        found.update((family, task.objects[i]) for i in np.flatnonzero((counts == 1).all(axis=0)).tolist())
    return frozenset(found)


def goal_facts(task: Task) -> Int32:
    """The facts that the goal and its axioms speak of."""
    facts = np.unique(np.concatenate((task.goal, task.axiom_body.items))).astype(np.int32)
    return facts[~task.derived[facts]]


@dataclass(slots=True, eq=False)
class Stage:
    """The abstraction that keeps all that may matter to any state, and those of single states below it."""

    ready: Ready
    kept_from: Int64
    goal: Int32
    owners: Int32
    starts: Bits
    steady: frozenset[Group]
    known: dict[tuple[frozenset[int], bytes], Ready] = field(default_factory=dict)

    def narrowed(self, kept: frozenset[int], settled: Bits) -> Ready:
        """The abstraction that keeps some objects only, for a goal that does not ask for what is settled."""
        key = (kept, settled[self.goal].tobytes())
        found = self.known.get(key)
        if found is None:
            task = self.ready.abstraction.task
            keep = np.zeros(len(task.objects), np.bool_)
            keep[sorted(kept)] = True
            narrow = abstract(task, self.owners, self.ready.cost, alike(task, keep), settled)
            if len(self.known) >= _MOST_ABSTRACTIONS:
                self.known.clear()
            small = prune(narrow, narrow.image(self.starts))
            found = self.known[key] = Ready.of(*paired(small, self.steady))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Proofs:
    """A full ground task and its abstractions."""

    task: Task
    cost: Int64
    unit: float
    exact: bool
    stage: Stage
    moves: Moves
    goal: Int32

    @classmethod
    def of(cls, task: Task, core: Iterable[str], starts: Sequence[Bits]) -> Proofs:
        """Prepare a task; ``core`` are objects that are likely to matter, ``starts`` all start states."""
        cost, unit = integer_costs(task.cost)
        exact = bool(np.allclose(cost * unit, task.cost, rtol=1e-12, atol=0))
        found = families(task, starts)
        owners = np.vstack(found) if found else np.zeros((0, task.fact_count), np.int32)
        numbers = {name: i for i, name in enumerate(task.objects)}
        goal = goal_facts(task)
        union = np.any(np.vstack(starts), axis=0)
        kept = {numbers[name] for name in core if name in numbers} | objects_of(task, goal.tolist())
        for _ in range(HOPS):
            mine = np.zeros(len(task.objects) + 1, np.bool_)
            mine[sorted(kept - _frequent(task))] = True
            kept |= objects_of(task, np.flatnonzero(union & mine[owners].any(axis=0)).tolist())
        keep = np.zeros(len(task.objects), np.bool_)
        keep[sorted(kept | _frequent(task))] = True
        none = np.zeros(task.fact_count, np.bool_)
        wide = abstract(task, owners, cost, alike(task, keep), none)
        image = wide.image(union)
        wide = prune(collapse(wide), image)
        stage = Stage(
            Ready.of(wide),
            np.flatnonzero(keep),
            goal_facts(wide.task),
            wide.owners,
            image,
            _steady(task, owners, starts),
        )
        return cls(task, cost, unit, exact, stage, kernels.moves(task), goal)

    def bounds(self, starts: Sequence[Bits], provable: int, evaluations: int, pool: int) -> list[Bound]:
        """``bound`` of several states that may take ``pool`` evaluations together, those nearest first."""
        wide = self.stage.ready
        images = [wide.state(wide.abstraction.image(bits)) for bits in starts]
        near = [int(kernels.evaluate(image, wide.relaxation, wide.work, kernels.FF)) for image in images]
        found: dict[int, Bound] = {}
        paid: Paid = set()
        for i in sorted(range(len(starts)), key=lambda i: (near[i], i)):
            found[i] = self.bound(starts[i], provable, min(evaluations, pool), paid)
            pool -= found[i].spent
        return [found[i] for i in range(len(starts))]

    def bound(self, bits: Bits, provable: int, evaluations: int, paid: Paid | None = None) -> Bound:
        """Bounds from below on what the goal costs from a state, and an optimal plan where one is found.

        Args:
            bits: the state.
            provable: no search is tried if a relaxed plan has more steps.
            evaluations: the landmark evaluations that it may take, as ``UNIT`` counts them.
            paid: searches that cost nothing any more; those of this state are added.
        """
        stage = self.stage
        wide = stage.ready
        image = wide.abstraction.image(bits)
        state = wide.state(image)
        value, relaxed = wide.relaxed_plan(state)
        if value >= INFINITE:
            return Bound(INFINITE, None, 0)
        if len(relaxed) > provable or evaluations <= 0:
            return Bound(int(landmark_cut(state, wide.relaxation, wide.cuts)), None, 0)
        task = wide.abstraction.task
        kept = objects_of(task, stage.goal[~image[stage.goal]].tolist())
        for operator in relaxed:
            kept.update(task.operator_arguments[operator, : task.operator_arity[operator]].tolist())
        kept = {i for i in kept if i < len(stage.kept_from)}
        settled = np.zeros(task.fact_count, np.bool_)
        settled[stage.goal] = image[stage.goal]
        paid = set() if paid is None else paid
        lower = spent = 0
        for _ in range(MOST_ATTEMPTS):
            narrow = stage.narrowed(frozenset(kept), settled)
            found = narrow.prove(narrow.abstraction.image(image), evaluations - spent)
            account = frozenset(kept), settled[stage.goal].tobytes(), found.state
            spent += 0 if account in paid else found.spent
            paid.add(account)
            lower = max(lower, found.lower)
            if found.plan is None:
                return Bound(INFINITE if found.proven else lower, None, spent)
            operators, missing = self._follow(stage, narrow, found.plan, bits)
            if operators is not None and self._costs(operators) == lower:
                return Bound(lower, operators, spent)
            numbers = {int(number): i for i, number in enumerate(stage.kept_from)}
            names = objects_of(self.task, missing)
            wanted = {numbers[i] for i in names if i in numbers} - kept
            reopened = self._reopened(stage, missing) & settled
            if not (wanted or reopened.any()) or spent >= evaluations:
                break
            kept |= wanted
            settled &= ~reopened
        return Bound(lower, None, spent)

    def _reopened(self, stage: Stage, facts: Iterable[int]) -> Bits:
        """The stage's facts that stand for the given ones."""
        wide = stage.ready.abstraction
        marks = np.zeros(wide.task.fact_count, np.bool_)
        for fact in facts:
            if wide.fact_of[fact] >= 0:
                marks[wide.fact_of[fact]] = True
        return marks

    def _costs(self, operators: Sequence[int]) -> int:
        return int(self.cost[list(operators)].sum()) if operators else 0

    def _follow(
        self, stage: Stage, narrow: Ready, plan: Sequence[int], bits: Bits
    ) -> tuple[tuple[int, ...] | None, list[int]]:
        """The task's operators that follow an abstract plan to the goal, else the facts that were missing."""
        state = packed(bits)
        operators: list[int] = []
        requires = self.task.precondition
        above = stage.ready.abstraction.members
        for step in plan:
            members = np.concatenate(
                [
                    above.items[above.start[i] : above.start[i + 1]]
                    for i in narrow.abstraction.members.of(step)
                ]
            )
            operator = int(first_applicable(state, members, *requires))
            if operator < 0:
                return None, self._unmet(state, members.tolist())
            following = np.empty_like(state)
            kernels.successor(state, operator, self.moves, following)
            state = following
            operators.append(operator)
        if self.moves.strata:
            kernels.close(state, self.moves)
        if kernels.all_hold(state, self.task.goal, 0, len(self.task.goal)):
            return tuple(operators), []
        undone = [f for f in self.goal.tolist() if not kernels.holds(state, f)]
        return None, [f for f in undone if bits[f]] or undone

    def _unmet(self, state: NDArray[np.uint64], operators: Sequence[int]) -> list[int]:
        """The unmet conditions of the operator that lacks fewest."""
        best: list[int] = []
        for operator in operators:
            unmet = [f for f in self.task.precondition.of(operator) if not kernels.holds(state, f)]
            if not best or len(unmet) < len(best):
                best = unmet
        return best


__all__ = ["Bound", "Proofs", "plain"]
