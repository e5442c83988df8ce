"""One attempt in any world, stage by stage: scene, compile, start, plan, replay, goal, say."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from chorewright.domains.evaluation import holds
from chorewright.domains.pddl.syntax import Problem, State
from chorewright.domains.templates.goal_templates import Binding, Goal, GoalTemplate
from chorewright.errors import UsageError
from chorewright.files.stopwatch import Timed
from chorewright.generator.dataset.episode import Instruction, Step
from chorewright.generator.pddl.world import filled, misfits
from chorewright.generator.production.attempts import Attempt, Rejection
from chorewright.generator.production.worlds import HasScenes, HasSimulator, LowersActions, SaysActions, World
from chorewright.planner.plan import GroundAction, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import solve
from chorewright.planner.validation import World as Rules
from chorewright.problems.pddl.scenes import NoScene, PddlScene
from chorewright.replay.games.simulator import PddlSimulator, plain_call
from chorewright.replay.simulator import Simulator, SimulatorAction

STAGES = ("scene", "compile", "start", "plan", "replay", "goal", "say")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A filled template in a scene.

    Attributes:
        template: The task.
        binding: Its filled slots.
        scene: The scene's name; None for a sampled one.
        seed: Of the scene.
    """

    template: GoalTemplate
    binding: Binding
    scene: str | None
    seed: int


@dataclass(frozen=True, slots=True)
class Made:
    """What came of an attempt, as far as it came.

    Attributes:
        scene: Where it took place.
        goal: The filled template.
        problem: What was planned.
        plan: The plan; None if there is none.
        steps: The calls of the simulator that were done, each with the number of its action as segment.
        conditions: The goal conditions with whether they hold at the end.
        said: The sentences.
    """

    scene: PddlScene
    goal: Goal
    problem: Problem
    plan: Plan | None = None
    steps: tuple[Step, ...] = ()
    conditions: tuple[tuple[str, bool], ...] = ()
    said: tuple[Instruction, ...] = ()


@dataclass(slots=True)
class _Carried:
    """Steps that were done in the simulator, and what was refused; empty if nothing was."""

    state: State = frozenset()
    steps: list[Step] = field(default_factory=list)
    refused: str = ""


def scenes_of(world: World) -> HasScenes:
    """Return a world as one that has scenes.

    Raises:
        UsageError: It has none.
    """
    if not isinstance(world, HasScenes):
        raise UsageError(f"the world {world.name} has no scenes", hint="give it the methods scenes() and scene()")
    return world


def simulator_of(world: World) -> Simulator[PddlScene]:
    """Return a new simulator: the world's own, else one that runs the domain's actions."""
    return world.simulator() if isinstance(world, HasSimulator) else PddlSimulator(world.domain())


def attempt(world: World, candidate: Candidate, limits: Limits) -> Attempt[Candidate, Made]:
    """Run all stages for a candidate, or up to the first that fails.

    Raises:
        UsageError: The world has no scenes, or none of this name.
        InputErrors: Its scene is not of its domain.
    """
    domain, vocabulary, template = world.domain(), world.vocabulary(), candidate.template

    def rejected(made: Made | None, stage: str, reason: str, evaluated: int = 0) -> Attempt[Candidate, Made]:
        return Attempt(candidate, made, Rejection(stage, reason, evaluated))

    try:
        scene = scenes_of(world).scene(candidate.scene, candidate.seed)
    except NoScene as error:
        return rejected(None, "scene", error.message)
    reasons = misfits(domain, vocabulary, template, candidate.binding, scene)
    if reasons:
        return rejected(None, "compile", "; ".join(reasons))
    goal, problem = filled(domain, vocabulary, template, candidate.binding, scene)
    made = Made(scene, goal, problem)
    rules = Rules.of(domain, problem)
    if holds(goal.goal, rules.initial(), rules.universe):
        return rejected(made, "start", "the goal holds already")
    plan = solve(domain, problem, limits)
    if isinstance(plan, OutOfLimits):
        return rejected(made, "plan", f"none found within the limit of {plan.limit.value}", plan.evaluated)
    if isinstance(plan, Unsolvable):
        return rejected(made, "plan", plan.reason)
    done = _carry_out(world, scene, plan.actions)
    if done.refused:
        return rejected(Made(scene, goal, problem, plan, tuple(done.steps)), "replay", done.refused)
    state = rules.closed(done.state)
    parts = goal.conditions or (("goal", goal.goal),)
    conditions = tuple((name, holds(part, state, rules.universe)) for name, part in parts)
    made = Made(scene, goal, problem, plan, tuple(done.steps), conditions)
    if not holds(goal.goal, state, rules.universe) or not all(met for _, met in conditions):
        missing = [name for name, met in conditions if not met] or ["goal"]
        return rejected(made, "goal", f"not met in the simulator: {', '.join(missing)}")
    said = tuple(_sentences(world, goal, plan.actions))
    return Attempt(candidate, Made(scene, goal, problem, plan, tuple(done.steps), conditions, said))


def lowered(world: World, action: GroundAction) -> Sequence[SimulatorAction]:
    """Return the calls of the simulator that an action of a plan becomes."""
    return world.lower(action) if isinstance(world, LowersActions) else (plain_call(world.domain(), action),)


@Timed("replay")
def _carry_out(world: World, scene: PddlScene, actions: Sequence[GroundAction]) -> _Carried:
    """Run a plan in a new simulator, up to the first call that is refused."""
    simulator, done = simulator_of(world), _Carried()
    event = simulator.reset(scene)
    if not event.success:
        done.refused = f"reset: {event.error_message}"
        return done
    done.state = frozenset(simulator.state())
    for number, action in enumerate(actions):
        for call in lowered(world, action):
            event = simulator.step(call)
            if not event.success:
                done.refused = f"{action}: {event.error_message}"
                return done
            before, done.state = done.state, frozenset(simulator.state())
            done.steps.append(step_of(call, number, before, done.state))
    return done


def step_of(call: SimulatorAction, segment: int, before: State, after: State) -> Step:
    """Return a call that was done, with what it changed."""
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    return Step(call.action, segment, arguments, True, tuple(sorted(after - before)), tuple(sorted(before - after)))


def _sentences(world: World, goal: Goal, actions: Sequence[GroundAction]) -> Iterator[Instruction]:
    """Yield what is said of the whole, each way an annotation, then of each action if the world says that."""
    for number, text in enumerate(goal.sentences):
        yield Instruction(text, "goal", number)
    if isinstance(world, SaysActions):
        for number, action in enumerate(actions):
            yield Instruction(world.say(action), "step", 0, number)
