"""One demonstration: a goal in a scene, planned, cut into subgoals, lowered, run, and checked at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chorewright.domains.formulas import Universe, derive, holds
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.templates.goal_templates import Goal
from chorewright.errors import UnsupportedError
from chorewright.generator.attempts import Rejection
from chorewright.generator.household.sight import Sight
from chorewright.generator.household.starts import broken_rule
from chorewright.planner.plan import Answer, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import solve
from chorewright.problems.thor.household import HouseholdProblem, household_problem
from chorewright.problems.thor.household_state import changing_state_of, state_of
from chorewright.problems.thor.navigation import Grid
from chorewright.problems.thor.scene import Scene
from chorewright.replay.thor.executor import Execution, LowAction, NoRoute, RoomSimulator, execute, lower
from chorewright.rsa.segments import Subgoal, segments

UNLIMITED = Limits()

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
) -> Demonstration | Rejection:
    """Plan for a goal in a scene and run the plan.

    Args:
        scene: the start.
        goal: a filled template.
        domain: the household.
        simulator: where the plan is run; it is reset first.
        limits: of the search.
        grid: the navigable grid, if it is not the scene's own.
        planner: what finds the plan.
        sight: looks on, if all that is acted on must be seen.

    Returns:
        The demonstration, goal reached or not; or why there is none: the goal holds already (start), there is
        no plan (plan), an action failed (replay), or its target was hidden (sight).
    """
    grid = grid or Grid.of(scene)
    household = household_problem(scene, goal.goal, grid=grid)
    universe = Universe.of(domain, household.problem)
    if holds(goal.goal, derive(domain, frozenset(household.problem.init), universe), universe):
        return Rejection("start", "the goal holds already")
    broken = broken_rule(goal.start, scene, domain, household.problem)
    if broken:
        return Rejection("start", f"{broken} does not hold")
    answer = planner(domain, household.problem, limits)
    if isinstance(answer, Unsolvable):
        return Rejection("plan", answer.reason)
    if isinstance(answer, OutOfLimits):
        reason = f"out of {answer.limit.value} after {answer.evaluated} evaluations"
        return Rejection("plan", reason, answer.evaluated)
    try:
        subgoals = segments(answer.actions, household.problem)
        actions = lower(subgoals, household.ids, household.poses, grid, scene.agent, household.problem.init)
    except NoRoute as error:
        return Rejection("route", error.message)
    except UnsupportedError as error:
        return Rejection("replay", error.message)
    execution = execute(
        actions, simulator, scene, lambda now: changing_state_of(now, household.ids, household.begun), sight
    )
    if execution.failure:
        return Rejection("replay", execution.failure)
    if sight is not None and sight.hidden:
        return Rejection("sight", sight.hidden)
    end = derive(domain, state_of(execution.final, household.ids, household.begun), universe)
    conditions = tuple((name, holds(formula, end, universe)) for name, formula in goal.conditions)
    return Demonstration(household, answer, subgoals, actions, execution, conditions)
