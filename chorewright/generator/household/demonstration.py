"""One demonstration: a goal in a scene, planned, cut into subgoals, lowered, run, and checked at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from chorewright.domains.formulas import Universe, derive, holds
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.templates.goal_templates import Goal
from chorewright.errors import UnsupportedError
from chorewright.generator.dataset.episode import Instruction
from chorewright.generator.household.handling import Amendments, ill_sliced, least_odd, switch_last, undivided
from chorewright.generator.household.outlook import Sight
from chorewright.generator.household.possibilities import broken_rule
from chorewright.generator.production.attempts import HOLDS, Rejection, without_plan
from chorewright.planner.grounding.relevance import relevant_objects
from chorewright.planner.plan import UNLIMITED, Answer, Limits, Plan
from chorewright.planner.stages import solve_with_parts
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.problem import HouseholdProblem, household_problem
from chorewright.problems.household.scene import Pose, Scene
from chorewright.problems.household.state import ChangingState, pose_name, state_of
from chorewright.replay.household.executor import Execution, LowAction, NoRoute, RoomSimulator, execute, lower
from chorewright.rsa.household.directives import Annotation, Leg
from chorewright.rsa.household.segments import END, GOTO, SLICE, Subgoal, segments

MOST_AMENDMENTS = 8
"""Plans that are tried for one scene."""

STAGES = ("start", "plan", "route", "replay", "sight")
"""The stages of a ``RoomAttempt``, in order."""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A plan that was run to its end; ``conditions`` says which goal conditions hold there.

    Where noise has perturbed it, ``actions`` are those without noise, and ``execution`` has what was done.
    """

    household: HouseholdProblem
    plan: Plan
    subgoals: tuple[Subgoal, ...]
    actions: tuple[LowAction, ...]
    execution: Execution
    conditions: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class RoomAttempt:
    """A plan for a goal in a scene, made and run.

    With a sight, the plan is a demonstrator's (``handling``): what it does not see from where it stands it handles
    from elsewhere or leaves alone, it slices before it carries pieces about, and turns a lamp on at the end. One that
    is free to handles nothing more often than it must where it can help it.

    Attributes:
        scene: The start.
        goal: A filled template.
        simulator: Where the plan is run; it is reset first.
        limits: Of the search.
        planner: What finds the plan.
        sight: Looks on, if all that is acted on must be seen.
        turns: The seed that decides between turns left and right that are as short; without it, left.
        chosen: From where some things are handled, by id, that are not seen from their usual poses.
        freely: Whether other plans may do instead of odd ones; ALFRED's demonstrators take the plan as it is.
    """

    scene: Scene
    goal: Goal
    simulator: RoomSimulator
    limits: Limits = UNLIMITED
    planner: Callable[[Domain, Problem, Limits], Answer] = solve_with_parts
    sight: Sight | None = None
    turns: int | None = None
    chosen: Mapping[str, Pose] = field(default_factory=dict)
    freely: bool = False

    def demonstrate(self) -> Demonstration | Rejection:
        """Run the stages, again with what should be otherwise as long as they end with that.

        Returns:
            The demonstration, goal reached or not; or why there is none: the goal holds already (start), there is
            no plan (plan), an action failed (replay), or its target was hidden (sight).
        """
        amendments = Amendments(chosen=self.chosen, settled=self.sight is None)
        for _ in range(MOST_AMENDMENTS):
            found = self._run(amendments)
            if not isinstance(found, Amendments):
                return found
            amendments = found
        return Rejection("sight", amendments.hidden or "what is acted on stays hidden")

    def _run(self, amendments: Amendments) -> Demonstration | Rejection | Amendments:
        """Run all stages once; return what should be otherwise if it is not a demonstrator's plan."""
        goal, domain, grid = self.goal, self.scene.kinds.domain, Grid.of(self.scene)
        household = household_problem(self.scene, goal.goal, grid=grid, chosen=amendments.chosen)
        household = amendments.restrict(household)
        universe = Universe.of(domain, household.problem)
        if holds(goal.goal, derive(domain, frozenset(household.problem.init), universe), universe):
            return Rejection("start", HOLDS)
        broken = broken_rule(goal.start, self.scene, domain, household.problem)
        if broken:
            return Rejection("start", f"{broken} does not hold")
        if amendments.unseen and relevant_objects(domain, household.problem, 0, few_alike=True) is None:
            return Rejection("sight", amendments.hidden)  # to prove that nothing else will do takes far longer
        answer = self.planner(domain, household.problem, self.limits)
        if not isinstance(answer, Plan):
            if amendments.unfit:
                return replace(amendments, unfit=frozenset(), settled=True)
            if amendments.unseen:
                return Rejection("sight", amendments.hidden)
            return without_plan(answer)
        if self.freely:
            answer = least_odd(domain, household.problem, answer, self.limits)
        if self.sight is not None:
            answer = undivided(domain, household.problem, answer)
        try:
            subgoals = segments(answer.actions, household.problem)
            if self.sight is not None:
                if not amendments.settled and (unfit := ill_sliced(answer.actions, subgoals, household.problem)):
                    return replace(amendments, unfit=amendments.unfit | unfit)
                answer = switch_last(domain, household.problem, answer, subgoals)
                subgoals = segments(answer.actions, household.problem)
            actions = lower(
                subgoals,
                household.ids,
                household.poses,
                grid.route if self.turns is None else partial(grid.route, rng=np.random.default_rng(self.turns)),
                self.scene.agent,
                household.problem.init,
            )
        except UnsupportedError as error:
            return Rejection("route" if isinstance(error, NoRoute) else "replay", error.message)
        return self._carry_out(household, answer, subgoals, actions, amendments)

    def _carry_out(
        self,
        household: HouseholdProblem,
        plan: Plan,
        subgoals: tuple[Subgoal, ...],
        actions: tuple[LowAction, ...],
        amendments: Amendments,
    ) -> Demonstration | Rejection | Amendments:
        sight, domain = self.sight, self.scene.kinds.domain
        if sight is not None:
            sight.begin(amendments.tried)
        state = ChangingState(household.ids, household.begun)
        execution = execute(actions, self.simulator, self.scene, state, sight)
        if execution.failure:
            return Rejection("replay", execution.failure)
        if sight is not None and sight.hidden:
            anchor, pose = sight.better or (sight.target, None)
            better = amendments.seen_from(anchor, pose, sight.hidden)
            if better is not None and sight.place is not None:
                better = replace(better, blind=better.blind | {(sight.target, pose_name(sight.place))})
            return better or Rejection("sight", amendments.hidden or sight.hidden)
        conditions = conditions_after(execution.final, self.goal, household, domain)
        return Demonstration(household, plan, subgoals, actions, execution, conditions)


def conditions_after(
    final: Scene, goal: Goal, household: HouseholdProblem, domain: Domain
) -> tuple[tuple[str, bool], ...]:
    """Return which conditions of a goal hold in a scene at the end."""
    universe = Universe.of(domain, household.problem)
    end = derive(domain, state_of(final, household.ids, household.begun), universe)
    return tuple((name, holds(formula, end, universe)) for name, formula in goal.conditions)


def legs_of(
    subgoals: Sequence[Subgoal], actions: Sequence[LowAction], household: HouseholdProblem, start: Pose
) -> list[Leg]:
    """Return the segments as the words need them: ids, the pose before each, and its actions' names."""
    names: list[list[str]] = [[] for _ in subgoals]
    for action in actions:
        names[action.segment].append(action.name)
    pose = start
    legs = []
    for subgoal, done in zip(subgoals, names, strict=True):
        item, receptacle = _things_of(subgoal, household.ids)
        legs.append(Leg(subgoal.action, item, receptacle, pose, tuple(done)))
        if subgoal.action == GOTO:
            pose = household.poses[subgoal.pose]
    return legs


def _things_of(subgoal: Subgoal, ids: Mapping[str, str]) -> tuple[str, str]:
    """Return the ids of the thing and the receptacle that a sentence about the subgoal may name."""
    if subgoal.action in (GOTO, END):
        return "", ""
    if subgoal.action == SLICE:
        cut = next(action for action in subgoal.actions if action.name == "slice")
        return ids[cut.arguments[0]], ids[cut.arguments[2]]
    item, *others = subgoal.arguments
    return ids[item], ids[others[0]] if others else ""


def instructions_of(annotations: Sequence[Annotation]) -> tuple[Instruction, ...]:
    """Return what annotators say: of each the goal, then a sentence for each segment."""
    return tuple(
        each
        for number, annotation in enumerate(annotations)
        for each in (
            Instruction(annotation.goal, "goal", number),
            *(Instruction(text, "step", number, segment) for segment, text in enumerate(annotation.steps)),
        )
    )
