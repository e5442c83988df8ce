"""Proofs of costs-to-go: optimal plans of small abstractions, tried on the task itself.

Most of a task cannot matter to one state: what already is where the goal wants it, and the many things that
nobody needs. A state's abstraction keeps the objects of the goal's open parts and of a relaxed plan for them;
an optimal plan of it costs no more than one of the task, so if the task can follow it, it is optimal. If not,
what stood in the way is kept as well (counterexample-guided refinement: Seipp and Helmert, JAIR 2018). Each
branch of the goal has an abstraction of its own; searches share the cost of the best plan as a bound. Tasks
are taken apart in two stages, so that only the first looks at all operators.

What is found for a state depends on that state alone, not on what was asked before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.cost_to_go.goal_branches import Branch
from chorewright.planner.cost_to_go.proof_kernels import first_applicable
from chorewright.planner.cost_to_go.proof_stages import Stage, goal_facts, objects_of
from chorewright.planner.cost_to_go.proof_tasks import Bits, ReadyTask
from chorewright.planner.grounding.task import Int32, Int64, Task, pack
from chorewright.planner.search.heuristics.add_and_max import evaluate
from chorewright.planner.search.heuristics.delete_relaxation import FF, INFINITE, integer_costs
from chorewright.planner.search.heuristics.invariants import families
from chorewright.planner.search.search import successor_table
from chorewright.planner.search.states import SuccessorTable, all_hold, close, holds, successor

MOST_ATTEMPTS = 4
"""Refinements of one branch's abstraction, the first abstraction included."""


FIRST, OF = 3, 4
"""The undivided goal is tried first, with such a part of the evaluations."""


class CostBound(NamedTuple):
    """What is known of a state's cost-to-go, and what it took to know it.

    Attributes:
        lower: What any plan costs at least, in integer units; ``INFINITE`` if there is none.
        operators: The operators of an optimal plan; None if none was found.
        spent: The evaluations that it took, as ``UNIT`` counts them.
    """

    lower: int
    operators: tuple[int, ...] | None
    spent: int


Reached = Callable[[], int]
"""What some plan costs in integer units, ``INFINITE`` if none is known."""

Paid = dict[tuple[bytes, bytes, int], int]
"""What of the searches of several states is paid for: the abstraction, its state, the bound; and what the
search was allowed to take."""


@dataclass(slots=True, eq=False)
class _Open:
    """A branch of the goal in one state.

    Attributes:
        branch: The branch.
        relaxed_cost: What its relaxed plan costs, in integer units.
        steps: How many operators that plan has.
        kept: The objects that the branch's abstraction keeps.
        settled: Marks of the stage's facts that the abstraction's goal does not ask for.
        lower: What a plan for the branch costs at least, in integer units.
        stuck: Whether it is given up.
    """

    branch: Branch
    relaxed_cost: int
    steps: int
    kept: set[int]
    settled: Bits
    lower: int
    stuck: bool = False


def plain(task: Task) -> bool:
    """Whether proofs know the task's features: no conditional effects, axioms for parts of the goal only."""
    conditional = len(task.effect_condition.items) > 0
    named = bool((task.derived & (task.fact_predicate >= 0)).any())
    return not conditional and not named and not task.derived[task.precondition.items].any()


@dataclass(frozen=True, slots=True, eq=False)
class Proofs:
    """A full ground task and its abstractions.

    Attributes:
        task: The task.
        cost: The operators' costs, in integer units.
        unit: What an integer unit is worth in the task's costs.
        exact: Whether the integer costs are the true ones.
        stage: The abstractions.
        moves: The task's successor table.
        goal: The facts that the goal and its axioms speak of, ascending.
    """

    task: Task
    cost: Int64
    unit: float
    exact: bool
    stage: Stage
    moves: SuccessorTable
    goal: Int32

    @classmethod
    def of(cls, task: Task, core: Iterable[str], starts: Sequence[Bits]) -> Proofs:
        """Prepare a task.

        Args:
            task: The task; ``plain`` holds of it.
            core: Objects that are likely to matter.
            starts: Marks of the facts that hold, for each start state.
        """
        cost, unit = integer_costs(task.cost)
        exact = bool(np.allclose(cost * unit, task.cost, rtol=1e-12, atol=0))
        stage = Stage.of(task, families(task, starts), cost, core, starts)
        return cls(task, cost, unit, exact, stage, successor_table(task), goal_facts(task))

    def bounds(
        self, starts: Sequence[Bits], reached: Sequence[Reached], provable: int, evaluations: int, pool: int
    ) -> list[CostBound]:
        """Bound the costs-to-go of several states, those nearest to the goal first.

        Args:
            starts: Marks of the facts that hold, for each state.
            reached: For each state what ``bound`` asks.
            provable: No search is tried if a relaxed plan has more steps.
            evaluations: What one state may take, as ``UNIT`` counts them.
            pool: What all may take together.

        Returns:
            A bound for each state, in the order of ``starts``.
        """
        wide = self.stage.ready
        images = [wide.state(wide.abstraction.image(bits)) for bits in starts]
        near = [int(evaluate(image, wide.relaxation, wide.work, FF)) for image in images]
        found: dict[int, CostBound] = {}
        paid: Paid = {}
        for i in sorted(range(len(starts)), key=lambda i: (near[i], i)):
            found[i] = self.bound(starts[i], reached[i], provable, min(evaluations, pool), paid)
            pool -= found[i].spent
        return [found[i] for i in range(len(starts))]

    def bound(
        self, bits: Bits, reached: Reached, provable: int, evaluations: int, paid: Paid | None = None
    ) -> CostBound:
        """Bound from below what the goal costs from a state, and find an optimal plan where that is possible.

        Args:
            bits: Marks of the facts that hold in the state.
            reached: Asked only where the undivided goal is hard; plans that cost less are looked for then.
            provable: No search is tried if a relaxed plan has more steps.
            evaluations: The landmark evaluations that it may take, as ``UNIT`` counts them; those of one state for each
                branch of the goal are free.
            paid: Searches that cost nothing any more; those of this state are added.
        """
        image = self.stage.ready.abstraction.image(bits)
        state = self.stage.ready.state(image)
        undivided, *branches = self.stage.branches(image)
        whole = self._open(undivided, image, state)
        if whole is None:
            return CostBound(INFINITE, None, 0)
        if whole.steps > provable or evaluations <= 0:
            return CostBound(whole.lower, None, 0)
        paid = {} if paid is None else paid
        first = evaluations * FIRST // OF if branches else evaluations
        found = self._search(whole, image, bits, first, INFINITE, paid)
        if found.operators is not None or found.lower >= INFINITE or not branches:
            return found
        divided = [self._open(branch, image, state) for branch in branches]
        queue = [each for each in divided if each is not None]
        upper = reached()
        spent = found.spent
        while True:
            queue.sort(key=lambda each: (each.lower, each.relaxed_cost))
            lower = max(found.lower, queue[0].lower) if queue else INFINITE
            if lower >= upper or spent >= evaluations or queue[0].stuck:
                return CostBound(lower, None, spent)
            # A plan that costs no more than any of the other branches is optimal.
            bound = max(lower, queue[1].lower) + 1 if len(queue) > 1 else INFINITE
            some = self._search(queue[0], image, bits, evaluations - spent, min(bound, upper), paid)
            spent += some.spent
            if some.operators is not None:
                return CostBound(some.lower, some.operators, spent)

    def _open(self, branch: Branch, image: Bits, state: NDArray[np.uint64]) -> _Open | None:
        """A branch in a state; None if it cannot be reached."""
        stage = self.stage
        value, relaxed = stage.ready.find_relaxed_plan(state, branch.goal)
        if value >= INFINITE:
            return None
        kept, settled = stage.opening(branch, image, relaxed)
        narrow = stage.narrowed(kept, settled, branch)
        lower = narrow.root(narrow.state(narrow.abstraction.image(image)))[1]
        return _Open(branch, value, len(relaxed), kept, settled, lower)

    def _search(self, each: _Open, image: Bits, bits: Bits, evaluations: int, bound: int, paid: Paid) -> CostBound:
        """A branch's cheapest plan that costs less than a bound, or a lower bound on its plans."""
        stage = self.stage
        spent = 0
        for _ in range(MOST_ATTEMPTS):
            narrow = stage.narrowed(each.kept, each.settled, each.branch)
            state = narrow.state(narrow.abstraction.image(image))
            account = narrow.found.digest, state.tobytes(), bound
            allowed = max(evaluations - spent, paid.get(account, 0))
            found = narrow.prove(state, allowed, bound)
            spent += 0 if account in paid else found.spent
            paid[account] = allowed
            each.lower = max(each.lower, found.lower)
            if found.plan is None:
                each.stuck = not found.proven
                return CostBound(each.lower, None, spent)
            operators, missing = self._follow(each, narrow, found.plan, bits)
            if operators is not None and self._costs(operators) == each.lower:
                return CostBound(each.lower, operators, spent)
            numbers = {int(number): i for i, number in enumerate(stage.kept_from)}
            names = objects_of(self.task, missing)
            wanted = {numbers[i] for i in names if i in numbers} - each.kept
            reopened = self._reopen(stage, missing) & each.settled
            if not (wanted or reopened.any()) or spent >= evaluations:
                break
            each.kept |= wanted
            each.settled &= ~reopened
        each.stuck = True
        return CostBound(each.lower, None, spent)

    def _reopen(self, stage: Stage, facts: Iterable[int]) -> Bits:
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
        self, each: _Open, narrow: ReadyTask, plan: Sequence[int], bits: Bits
    ) -> tuple[tuple[int, ...] | None, list[int]]:
        """The task's operators that follow an abstract plan to the goal, else the facts that were missing."""
        state = pack(bits)
        operators: list[int] = []
        requires = self.task.precondition
        above = self.stage.ready.abstraction.members
        for step in plan:
            members = np.concatenate(
                [above.items[above.start[i] : above.start[i + 1]] for i in narrow.abstraction.members.of(step)]
            )
            operator = int(first_applicable(state, members, *requires))
            if operator < 0:
                return None, self._unmet(state, members.tolist(), each, narrow)
            following = np.empty_like(state)
            successor(state, operator, self.moves, following)
            state = following
            operators.append(operator)
        if self.moves.strata:
            close(state, self.moves)
        if all_hold(state, self.task.goal, 0, len(self.task.goal)):
            return tuple(operators), []
        undone = [f for f in self.goal.tolist() if not holds(state, f)]
        return None, [f for f in undone if bits[f]] or undone

    def _unmet(self, state: NDArray[np.uint64], operators: Sequence[int], each: _Open, narrow: ReadyTask) -> list[int]:
        """What is unmet that the abstraction ignores, of the operators that lack nothing else.

        If there are none, what is unmet of an operator that is right about where kept objects are.
        """
        stage = self.stage
        wide = stage.ready.abstraction.fact_of
        small = np.where(wide >= 0, narrow.abstraction.fact_of[wide], -1)
        mine = np.zeros(len(stage.task.objects) + 1, np.bool_)
        mine[sorted(each.kept - stage.actors)] = True
        ignored: dict[int, None] = {}
        best: list[int] = []
        least: tuple[int, int] | None = None
        for operator in operators:
            unmet = [f for f in self.task.precondition.of(operator) if not holds(state, f)]
            if (small[unmet] < 0).all():
                ignored.update(dict.fromkeys(unmet))
            where = [f for f in wide[unmet].tolist() if f >= 0 and mine[stage.owners[:, f]].any()]
            if least is None or (len(where), len(unmet)) < least:
                best, least = unmet, (len(where), len(unmet))
        return list(ignored) or best
