"""One demonstration: a goal in a scene, planned, cut into subgoals, lowered, run, and checked at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from chorewright.domains.formulas import Universe, derive, holds
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.templates.goal_templates import Goal
from chorewright.errors import UnsupportedError
from chorewright.generator.attempts import Rejection
from chorewright.generator.household.amending import Amendments, ill_sliced, switched_last
from chorewright.generator.household.handling import least_odd
from chorewright.generator.household.sight import Sight
from chorewright.generator.household.starts import broken_rule
from chorewright.planner.plan import Answer, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import solve
from chorewright.problems.thor.household import HouseholdProblem, household_problem
from chorewright.problems.thor.household_state import changing_state_of, state_of
from chorewright.problems.thor.navigation import Grid
from chorewright.problems.thor.scene import Pose, Scene
from chorewright.replay.thor.executor import Execution, LowAction, NoRoute, RoomSimulator, execute, lower
from chorewright.rsa.segments import Subgoal, segments

UNLIMITED = Limits()

MOST_AMENDMENTS = 8
"""Plans that are tried for one scene."""

STAGES = ("start", "plan", "route", "replay", "sight")
"""The stages of ``demonstrate``, in order."""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A plan that was run to its end; ``conditions`` says which goal conditions hold there."""

    household: HouseholdProblem
    plan: Plan
    subgoals: tuple[Subgoal, ...]
    actions: tuple[LowAction, ...]
    execution: Execution
    conditions: tuple[tuple[str, bool], ...]

    @property
    def reached(self) -> bool:
        """Whether all goal conditions hold at the end."""
        return all(met for _, met in self.conditions)


def demonstrate(
    scene: Scene,
    goal: Goal,
    domain: Domain,
    simulator: RoomSimulator,
    limits: Limits = UNLIMITED,
    grid: Grid | None = None,
    planner: Callable[[Domain, Problem, Limits], Answer] = solve,
    sight: Sight | None = None,
    turns: int | None = None,
    freely: bool = False,
) -> Demonstration | Rejection:
    """Plan for a goal in a scene and run the plan.

    With a sight, the plan is a demonstrator's (``amending``): what it does not see from where it stands it handles
    from elsewhere, it slices before it carries pieces about, and turns a lamp on at the end. One that is free to
    leaves alone what is seen from nowhere, and handles nothing more often than it must where it can help it.

    Args:
        scene: the start.
        goal: a filled template.
        domain: the household.
        simulator: where the plan is run; it is reset first.
        limits: of the search.
        grid: the navigable grid, if it is not the scene's own.
        planner: what finds the plan.
        sight: looks on, if all that is acted on must be seen.
        turns: the seed that decides between turns left and right that are as short; without it, left.
        freely: whether other things may do instead of hidden ones, and other plans instead of odd ones. ALFRED's
            demonstrators give up, and take the plan as it is.

    Returns:
        The demonstration, goal reached or not; or why there is none: the goal holds already (start), there is
        no plan (plan), an action failed (replay), or its target was hidden (sight).
    """
    attempt = _Attempt(scene, goal, domain, simulator, limits, grid or Grid.of(scene), planner, sight, turns, freely)
    amendments = Amendments(settled=sight is None)
    for _ in range(MOST_AMENDMENTS):
        found = attempt.run(amendments)
        if not isinstance(found, Amendments):
            return found
        amendments = found
    if amendments.why:
        return Rejection("sight", amendments.why)
    return Rejection("sight", "what is acted on stays hidden")


@dataclass(frozen=True, slots=True)
class _Turning:
    """Routes on a grid, with turns that are as short decided at random."""

    grid: Grid
    rng: np.random.Generator

    def route(self, start: Pose, goal: Pose) -> tuple[str, ...] | None:
        return self.grid.route(start, goal, self.rng)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """The stages of a demonstration; arguments as those of ``demonstrate``."""

    scene: Scene
    goal: Goal
    domain: Domain
    simulator: RoomSimulator
    limits: Limits
    grid: Grid
    planner: Callable[[Domain, Problem, Limits], Answer]
    sight: Sight | None
    turns: int | None
    freely: bool

    def run(self, amendments: Amendments) -> Demonstration | Rejection | Amendments:
        """Run all stages once; return what should be otherwise if it is not a demonstrator's plan."""
        goal, domain = self.goal, self.domain
        household = household_problem(self.scene, goal.goal, grid=self.grid, chosen=amendments.chosen)
        household = replace(household, problem=amendments.restricted(household.problem))
        universe = Universe.of(domain, household.problem)
        if holds(goal.goal, derive(domain, frozenset(household.problem.init), universe), universe):
            return Rejection("start", "the goal holds already")
        broken = broken_rule(goal.start, self.scene, domain, household.problem)
        if broken:
            return Rejection("start", f"{broken} does not hold")
        answer = self.planner(domain, household.problem, self.limits)
        if not isinstance(answer, Plan):
            if amendments.unfit:
                return replace(amendments, unfit=frozenset(), settled=True)
            return Rejection("sight", amendments.why) if amendments.why else _without_plan(answer)
        if self.freely:
            answer = least_odd(domain, household.problem, answer, self.limits)
        try:
            subgoals = segments(answer.actions, household.problem)
            if self.sight is not None:
                if not amendments.settled and (unfit := ill_sliced(answer.actions, subgoals, household.problem)):
                    return replace(amendments, unfit=amendments.unfit | unfit)
                answer = switched_last(domain, household.problem, answer, subgoals)
                subgoals = segments(answer.actions, household.problem)
            actions = lower(
                subgoals,
                household.ids,
                household.poses,
                self.grid if self.turns is None else _Turning(self.grid, np.random.default_rng(self.turns)),
                self.scene.agent,
                household.problem.init,
            )
        except NoRoute as error:
            return Rejection("route", error.message)
        except UnsupportedError as error:
            return Rejection("replay", error.message)
        return self._carry_out(_Planned(household, answer, subgoals, actions), universe, amendments)

    def _carry_out(
        self, planned: _Planned, universe: Universe, amendments: Amendments
    ) -> Demonstration | Rejection | Amendments:
        household, sight = planned.household, self.sight
        if sight is not None:
            sight.begin()
        execution = execute(
            planned.actions,
            self.simulator,
            self.scene,
            lambda now: changing_state_of(now, household.ids, household.begun),
            sight,
        )
        if execution.failure:
            return Rejection("replay", execution.failure)
        if sight is not None and sight.hidden:
            better = sight.better and amendments.seen_from(*sight.better)
            if better is None and self.freely:
                better = amendments.without(sight.target, household.ids, sight.hidden)
            return better or Rejection("sight", sight.hidden)
        end = derive(self.domain, state_of(execution.final, household.ids, household.begun), universe)
        conditions = tuple((name, holds(formula, end, universe)) for name, formula in self.goal.conditions)
        return Demonstration(household, planned.plan, planned.subgoals, planned.actions, execution, conditions)


@dataclass(frozen=True, slots=True)
class _Planned:
    """A plan that is about to be run."""

    household: HouseholdProblem
    plan: Plan
    subgoals: tuple[Subgoal, ...]
    actions: tuple[LowAction, ...]


def _without_plan(answer: Unsolvable | OutOfLimits) -> Rejection:
    if isinstance(answer, Unsolvable):
        return Rejection("plan", answer.reason)
    return Rejection("plan", f"out of {answer.limit.value} after {answer.evaluated} evaluations", answer.evaluated)
