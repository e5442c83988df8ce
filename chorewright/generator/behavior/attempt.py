"""One activity from its scene to its words: scene, start, plan, replay, goal, say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from chorewright.domains.behavior.lowering import lower_condition
from chorewright.domains.behavior.reader import write_condition
from chorewright.domains.behavior.syntax import Activity, Condition, Connective
from chorewright.domains.evaluation import holds
from chorewright.domains.pddl.syntax import Domain, Problem, State
from chorewright.files.stopwatch import Timed
from chorewright.generator.behavior.score import partial_score
from chorewright.generator.dataset.episode import Instruction, Step
from chorewright.generator.pddl.stages import step_of
from chorewright.generator.production.attempts import Attempt, Rejection
from chorewright.planner.plan import Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import solve
from chorewright.planner.validation import World as Rules
from chorewright.problems.behavior.activity_problem import in_domain
from chorewright.problems.behavior.kinds import kinds, version_of
from chorewright.problems.behavior.scenes import ActivityScene, activity_scene
from chorewright.problems.pddl.scenes import PddlScene
from chorewright.replay.games.simulator import PddlSimulator, plain_call
from chorewright.rsa.behavior.conditions import say_goal
from chorewright.rsa.behavior.names import Names
from chorewright.rsa.behavior.steps import say_step

STAGES = ("start", "plan", "replay", "goal")
ANNOTATORS = 3
"""How many wordings of goal and steps an episode has."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An activity, a seed for what lies about, and how it is carried out."""

    name: str
    activity: Activity
    seed: int
    distractors: int
    hands: int


@dataclass(frozen=True, slots=True)
class Made:
    """What came of an attempt, as far as it came.

    Attributes:
        scene: The activity with everything that was added.
        domain: The domain of its synsets.
        problem: What was planned.
        plan: The plan; None if there is none.
        steps: The actions that were carried out.
        conditions: The parts of the goal with whether they hold at the end.
        scores: The score q at the start and after each step.
    """

    scene: ActivityScene
    domain: Domain
    problem: Problem
    plan: Plan | None = None
    steps: tuple[Step, ...] = ()
    conditions: tuple[tuple[str, bool], ...] = ()
    scores: tuple[float, ...] = ()


def attempt(candidate: Candidate, limits: Limits) -> Attempt[Candidate, Made]:
    """Run all stages for a candidate, or up to the first that fails."""

    def rejected(made: Made, stage: str, reason: str, evaluated: int = 0) -> Attempt[Candidate, Made]:
        return Attempt(candidate, made, Rejection(stage, reason, evaluated))

    scene = activity_scene(candidate.activity, candidate.seed, candidate.distractors, candidate.hands)
    made = _problem(scene)
    rules = Rules.of(made.domain, made.problem)
    if holds(made.problem.goal, rules.initial(), rules.universe):
        return rejected(made, "start", "the goal holds already")
    plan = solve(made.domain, made.problem, limits)
    if isinstance(plan, Unsolvable):
        made = _problem(scene.with_supplies())
        plan = solve(made.domain, made.problem, limits)
    if isinstance(plan, OutOfLimits):
        return rejected(made, "plan", f"none found within the limit of {plan.limit.value}", plan.evaluated)
    if isinstance(plan, Unsolvable):
        return rejected(made, "plan", plan.reason)
    made = Made(made.scene, made.domain, made.problem, plan)
    states, steps, refused = _carry_out(made, plan)
    if refused:
        return rejected(Made(made.scene, made.domain, made.problem, plan, steps), "replay", refused)
    rules = Rules.of(made.domain, made.problem)
    activity = made.scene.activity
    conditions = tuple(
        (write_condition(each), holds(lower_condition(each, activity, in_domain), states[-1], rules.universe))
        for each in goal_parts(activity.goal)
    )
    scores = tuple(partial_score(activity, each, rules.universe) for each in (states[0], states[-1]))
    made = Made(made.scene, made.domain, made.problem, plan, steps, conditions, scores)
    if not all(met for _, met in conditions):
        return rejected(made, "goal", f"not met: {'; '.join(name for name, met in conditions if not met)}")
    return Attempt(candidate, made)


def goal_parts(goal: Condition) -> tuple[Condition, ...]:
    """Return the conjuncts of a goal."""
    return goal.operands if isinstance(goal, Connective) and goal.word == "and" else (goal,)


def _problem(scene: ActivityScene) -> Made:
    domain = scene.domain()
    return Made(scene, domain, scene.problem(domain))


@Timed("replay")
def _carry_out(made: Made, plan: Plan) -> tuple[list[State], tuple[Step, ...], str]:
    """Run a plan in the symbolic world: the states, the steps, and what was refused; empty if nothing was."""
    simulator = PddlSimulator(made.domain)
    simulator.reset(PddlScene.of(made.problem))
    states, steps = [frozenset(simulator.state())], list[Step]()
    for number, action in enumerate(plan.actions):
        call = plain_call(made.domain, action)
        event = simulator.step(call)
        if not event.success:
            return states, tuple(steps), f"{action}: {event.error_message}"
        states.append(frozenset(simulator.state()))
        steps.append(step_of(call, number, states[-2], states[-1]))
    return states, tuple(steps), ""


def sentences(name: str, made: Made, rng: np.random.Generator) -> tuple[Instruction, ...]:
    """Return what is said of an episode: goals and steps, each way an annotation of its own."""
    found: list[Instruction] = []
    activity = made.scene.activity
    said: set[str] = set()
    for annotator in range(ANNOTATORS):
        text = say_goal(activity.goal, names_of(activity), name, rng)
        for _ in range(8):
            if text not in said:
                break
            text = say_goal(activity.goal, names_of(activity), name, rng)
        said.add(text)
        found.append(Instruction(text, "goal", annotator))
        names = names_of(activity)
        for number, action in enumerate(made.plan.actions if made.plan else ()):
            found.append(Instruction(say_step(action, names, rng), "step", annotator, number))
    return tuple(found)


def substances_of(activity: Activity) -> frozenset[str]:
    """Return the synsets of an activity that are substances."""
    known = kinds(version_of(activity))
    return frozenset(each for each in activity.synsets() if known.is_substance(each))


def names_of(activity: Activity) -> Names:
    """Return what the things of an activity are called."""
    known = kinds(version_of(activity))
    vessels = frozenset(each for each in activity.synsets() if known.has(each, "fillable"))
    return Names(activity, substances_of(activity), vessels)


def title_of(activity: Activity, name: str) -> str:
    """Return what an activity is called: by its name where that only differs in capitals, else as it calls itself."""
    own = activity.name.rstrip("-_0123456789")
    plain = name.rpartition("/")[2]
    return plain if plain.lower() == own.lower() else own
