"""A planning problem solved and carried out: the stages start, plan, replay and goal of attempts that plan in PDDL."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from chorewright.domains.evaluation import holds
from chorewright.domains.pddl.syntax import Domain, Formula, Problem, State
from chorewright.domains.pddl.writer import write_domain, write_formula, write_problem
from chorewright.files.plugins import Origin
from chorewright.files.processes import Timed
from chorewright.generator.dataset.config import GenerateConfig, text_sha256
from chorewright.generator.dataset.episode import Episode, Instruction, Step
from chorewright.generator.production.attempts import HOLDS, Rejection, with_plan, without_plan
from chorewright.planner.plan import Answer, GroundAction, Limits, Plan
from chorewright.planner.search.configuration import DEFAULT, Configuration
from chorewright.planner.stages import solve_with_parts
from chorewright.planner.validation import PlanWorld as Rules
from chorewright.planner.validation import depends_on_numbers, validate
from chorewright.problems.pddl.scenes import PddlScene
from chorewright.replay.simulator import PddlSimulator, Simulator, SimulatorAction, plain_call

STAGES = ("start", "plan", "replay", "goal")
"""The stages of ``solve_and_carry_out``, in order."""

PlannerCall: TypeAlias = Callable[[Domain, Problem, Limits], Answer]
"""Finds a plan within limits."""


REDRAWS = 8
"""Draws of a goal's wording after the first while it is one that another annotator has."""


def annotate(
    plan: Plan, annotators: int, say_goal: Callable[[], str], say_step: Callable[[GroundAction], str]
) -> Iterator[Instruction]:
    """Yield what annotators say of a plan: each the goal, then its steps."""
    said: set[str] = set()
    for annotator in range(annotators):
        for _ in range(1 + REDRAWS):
            text = say_goal()
            if text not in said:
                break
        said.add(text)
        yield Instruction(text, "goal", annotator)
        for number, action in enumerate(plan.actions):
            yield Instruction(say_step(action), "step", annotator, number)


def planner_of(config: GenerateConfig) -> PlannerCall:
    """Return what finds plans for a dataset: our own planner, or the engine that its effort names.

    Raises:
        UsageError: There is no such engine.
        MissingPlugin: The configuration comes out of a file, and names code.
    """
    return drawing(planner_named(config.effort.engine, config.origin), config.effort.plan)


def planner_named(name: str, origin: Origin = Origin.FILE) -> PlannerCall:
    """Return what finds plans by an engine's name, empty for our own planner; raises as ``planner_of``."""
    if not name:
        return solve_with_parts
    from chorewright.planner.engines.lookup import find_engine  # rarely needed

    engine = find_engine(name, origin)
    return lambda domain, problem, limits: engine.solve(domain, problem, replace(limits, evaluations=None))


def drawing(planner: PlannerCall, draw: int) -> PlannerCall:
    """Return what finds the plan of a draw, from 0; that of draw 0 is the usual one.

    For others the objects are in another order, and costs of more than 1 up to twice as high: a plan is about as
    sensible as the usual one, and may be the same.
    """
    return planning_instead(planner, partial(_with_other_costs, draw)) if draw else planner


def planning_instead(planner: PlannerCall, other: Callable[[Domain, Problem], Problem]) -> PlannerCall:
    """Return what finds the plan of another problem, one whose plans are plans of the given one and may cost more."""

    def find(domain: Domain, problem: Problem, limits: Limits) -> Answer:
        answer = planner(domain, other(domain, problem), limits)
        if not isinstance(answer, Plan):
            return answer
        return replace(answer, cost=validate(domain, problem, answer.actions).cost, optimal=False)

    return find


def _with_other_costs(draw: int, domain: Domain, problem: Problem) -> Problem:
    rng = np.random.default_rng(draw)
    objects = tuple(problem.objects[place] for place in rng.permutation(len(problem.objects)))
    more = 0 if not problem.minimize_cost or depends_on_numbers(domain, problem) else 1
    values = (each._replace(value=each.value + int(each.value * rng.random()) * more) for each in problem.values)
    return replace(problem, objects=objects, values=tuple(values))


Lower: TypeAlias = Callable[[GroundAction], Sequence[SimulatorAction]]
"""Returns the calls of the simulator that an action of a plan becomes."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What came of a planning problem, as far as it came.

    Attributes:
        domain: The problem's domain.
        problem: What was planned.
        start: The state at the start.
        plan: The plan; None if there is none.
        steps: The calls of the simulator that were done, each with the number of its action as segment.
        end: The state after them.
        conditions: The goal's conditions with whether they hold at the end.
        rejection: Why the problem is not solved; None if it is.
    """

    domain: Domain
    problem: Problem
    start: State = frozenset()
    plan: Plan | None = None
    steps: tuple[Step, ...] = ()
    end: State = frozenset()
    conditions: tuple[tuple[str, bool], ...] = ()
    rejection: Rejection | None = None

    def rejected(self, stage: str, reason: str) -> Solution:
        """Return the solution as one that fails at a stage."""
        return replace(self, rejection=Rejection(stage, reason))

    def record(self, blank: Episode) -> Episode:
        """Return an episode with the problem and what came of it; each action of the plan is a segment."""
        told = replace(
            blank,
            domain_sha256=text_sha256(write_domain(self.domain)),
            problem_sha256=text_sha256(write_problem(self.problem)),
            goal=write_formula(self.problem.goal),
            steps=self.steps,
            outcome=replace(blank.outcome, conditions=self.conditions),
        )
        return told if self.plan is None else with_plan(told, self.plan)


def solve_and_carry_out(
    domain: Domain,
    problem: Problem,
    limits: Limits,
    conditions: Sequence[tuple[str, Formula]] = (),
    *,
    simulator: Callable[[], Simulator[PddlScene]] | None = None,
    scene: PddlScene | None = None,
    lower: Lower | None = None,
    configuration: Configuration = DEFAULT,
    fits: Callable[[Plan], Rejection | None] = lambda plan: None,
    planner: PlannerCall | None = None,
) -> Solution:
    """Plan for a problem, run the plan in a simulator, and check the goal there; the first stage that fails rejects.

    Args:
        domain: The domain.
        problem: What to solve.
        limits: Of the search.
        conditions: The goal's parts by name, to be told of one by one; without them, the goal is the only one.
        simulator: Makes what the plan is run in; by default the domain's own actions.
        scene: What the simulator is reset to; by default the problem's start.
        lower: How actions become calls; by default one call each, named like the action.
        configuration: How the planner searches.
        fits: Says why a plan is not wanted; None if it is.
        planner: What finds the plan; by default our own by the configuration.
    """
    find = planner or partial(solve_with_parts, configuration=configuration)
    rules = Rules.of(domain, problem)
    found = Solution(domain, problem, rules.initial())
    if holds(problem.goal, found.start, rules.universe):
        return found.rejected("start", HOLDS)
    answer = find(domain, problem, limits)
    if not isinstance(answer, Plan):
        return replace(found, rejection=without_plan(answer))
    found = replace(found, plan=answer, rejection=fits(answer))
    if found.rejection is not None:
        return found
    calls = lower or (lambda action: (plain_call(domain, action),))
    world = simulator() if simulator is not None else PddlSimulator(domain)
    found = _carry_out(found, world, scene or PddlScene.of(problem), calls)
    if found.rejection is not None:
        return found
    end = rules.closed(found.end)
    told = tuple((name, holds(part, end, rules.universe)) for name, part in conditions or (("goal", problem.goal),))
    found = replace(found, end=end, conditions=told)
    missed = [name for name, met in told if not met] or ["goal"] * (not holds(problem.goal, end, rules.universe))
    return found.rejected("goal", f"not met: {', '.join(missed)}") if missed else found


@Timed("replay")
def _carry_out(found: Solution, simulator: Simulator[PddlScene], scene: PddlScene, lower: Lower) -> Solution:
    """Run a solution's plan in a simulator, up to the first call that is refused."""
    assert found.plan is not None
    event = simulator.reset(scene)
    if not event.success:
        return found.rejected("replay", f"reset: {event.error_message}")
    start = state = frozenset(simulator.state())
    steps: list[Step] = []
    refusal = ""
    for number, action in enumerate(found.plan.actions):
        for call in lower(action):
            event = simulator.step(call)
            if not event.success:
                refusal = f"{action}: {event.error_message}"
                break
            before, state = state, frozenset(simulator.state())
            steps.append(step_of(call, number, before, state))
        if refusal:
            break
    done = replace(found, start=start, steps=tuple(steps), end=state)
    return done.rejected("replay", refusal) if refusal else done


def step_of(call: SimulatorAction, segment: int, before: State, after: State) -> Step:
    """Return a call that was done, with what it changed."""
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    return Step(call.action, segment, arguments, True, tuple(sorted(after - before)), tuple(sorted(before - after)))
