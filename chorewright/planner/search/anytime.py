"""Anytime search: from the first plan on to cheaper ones, until a limit is met or none can be cheaper.

Rounds with ever more evaluations. In each, the best plan is improved piece by piece, a weighted search looks
for a cheaper one, round by round with less weight on the heuristic, as LAMA's do (Richter and Westphal,
2010), and A* looks for a proof that there is none. A tight rung of the ladder is left when nothing cheaper
can be found there, the full one only at a limit or with a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from chorewright.planner.grounding.task import Task
from chorewright.planner.plan import GroundAction, Limit, Plan
from chorewright.planner.search.improvement import improve
from chorewright.planner.search.portfolio import satisfice
from chorewright.planner.search.rivals import WEIGHTS
from chorewright.planner.search.search import Budget, Prepared
from chorewright.planner.search.states import all_hold, successor

FIRST, MORE = 10_000, 4
"""Evaluations of each part of the first round, and how many times more there are in the next round."""

DEARER = 4
"""How many times as long as others an evaluation of the landmark-cut heuristic takes, at least."""

Accept = Callable[[Task, Sequence[int]], Plan | None]
Report = Callable[[Plan], None]


@dataclass(frozen=True, slots=True)
class Level:
    """A prepared task of the ladder, and whether it is the full one."""

    prepared: Prepared
    full: bool

    def operators(self, actions: Sequence[GroundAction]) -> list[int] | None:
        """The operators by which the task runs some actions, or None if it does not.

        An action whose precondition is a disjunction has several operators: the first that can be run counts.

        Returns:
            The operators' numbers; None if the task cannot run the actions.
        """
        task, moves = self.prepared.task, self.prepared.moves
        objects = {name: number for number, name in enumerate(task.objects)}
        state = self.prepared.initial
        found: list[int] = []
        for action in actions:
            after = np.empty_like(state)
            for o in _operators_named(task, action, objects):
                first, last = moves.precondition.start[o], moves.precondition.start[o + 1]
                if all_hold(state, moves.precondition.items, first, last):
                    successor(state, o, moves, after)
                    found.append(o)
                    break
            else:
                return None
            state = after
        return found


def _operators_named(task: Task, action: GroundAction, objects: Mapping[str, int]) -> list[int]:
    """The operators of a ground action, in order."""
    arguments = [objects.get(name, -1) for name in action.arguments]
    numbers = [number for number, name in enumerate(task.action_names) if name == action.name]
    same = np.isin(task.operator_action, numbers) & (task.operator_arity == len(arguments))
    for place, argument in enumerate(arguments):
        same &= task.operator_arguments[:, place] == argument
    return [int(o) for o in np.flatnonzero(same)]


@dataclass(slots=True)
class Anytime:
    """The best plan so far.

    ``accept`` makes validated plans of operators, None of wrong ones; cheaper plans are handed to ``report``.
    """

    best: Plan
    budget: Budget
    accept: Accept
    report: Report
    spent: int = 0
    done: bool = False

    def run(self, first: Level, more: Iterator[Level]) -> None:
        """Improve until a limit is met or the plan is proven optimal.

        Args:
            first: The task that the best plan was found in.
            more: The tasks that follow it on the ladder, up to the full one.
        """
        levels = [first]
        turn = 0
        while not self.done:
            for level in tuple(levels):
                if not self.done and self._round(level, turn):
                    self.done |= level.full
                    levels.remove(level)
            if not self.done and not any(level.full for level in levels):
                levels += [level for level in [next(more, None)] if level is not None]
            self.done |= not levels
            turn += 1

    def _round(self, level: Level, turn: int) -> bool:
        """One round on a task; whether nothing is left to be found there."""
        operators = level.operators(self.best.actions)
        if operators is None:
            return True  # the best plan is beyond this task
        prepared = level.prepared
        most = FIRST * MORE**turn
        weight = WEIGHTS[min(turn, len(WEIGHTS) - 1)]
        share = self._share(most)
        better = improve(prepared, operators, share, most, self._take_from(level), share.evaluations)
        self._spend(better.evaluations)
        bound = prepared.plan_cost(better.operators or operators)
        if self.done:
            return False
        found = satisfice(prepared, "lazy", "ff", "turns", weight, bound, self._share(most))
        self._spend(found.evaluations)
        if found.operators is not None:
            self._take_from(level)(found.operators)
            bound = prepared.plan_cost(found.operators)
        return not self.done and self._prove(level, bound, most)

    def _prove(self, level: Level, bound: int, most: int) -> bool:
        """Search for a cheaper plan by A*; whether there can be none."""
        prepared = level.prepared
        task = prepared.task
        cuts = not (task.derived & (task.fact_predicate >= 0)).any()
        heuristic, share = ("lmcut", most // DEARER) if cuts else ("max", most)
        found = prepared.search("astar", heuristic, 1, bound, self._share(share))
        self._spend(found.evaluations)
        self.done |= found.limit in (Limit.MEMORY, Limit.TIME)
        if found.limit is not None:
            return False
        if found.operators is not None:
            self._take_from(level)(found.operators)
        operators = level.operators(self.best.actions)
        if level.full and operators is not None and prepared.proven(operators):
            self.best = replace(self.best, optimal=True)
            self.done = True
        return True

    def _take_from(self, level: Level) -> Callable[[Sequence[int]], None]:
        """Keep a task's plan if it is cheaper."""

        def take(operators: Sequence[int]) -> None:
            plan = self.accept(level.prepared.task, operators)
            if plan is not None and plan.cost < self.best.cost:
                self.best = plan
                self.report(plan)

        return take

    def _share(self, most: int) -> Budget:
        return replace(self.budget, evaluations=max(0, min(most, self.budget.evaluations - self.spent)))

    def _spend(self, evaluations: int) -> None:
        self.spent += evaluations
        self.done |= bool(self.budget.stop[0]) or self.spent >= self.budget.evaluations


__all__ = ["Anytime", "Level"]
