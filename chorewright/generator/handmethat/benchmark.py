"""HandMeThat's recipe: a scene, a human's goal and plan broken off, a request, and a robot that fulfils it.

Scene, goal, trajectory, request, level, demonstration in the text world. What fails on the way, or has a
level other than the wanted one, rejects the attempt with a reason; then another scene is tried, later also
another goal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from chorewright.domains.library import collection, handmethat_domain
from chorewright.domains.pddl.syntax import Formula
from chorewright.domains.pddl.writer import write_formula, write_problem
from chorewright.domains.templates.goal_templates import Goal, GoalTemplate
from chorewright.errors import UsageError
from chorewright.generator.episode import Episode, Instruction, Outcome, Segment, Step
from chorewright.generator.handmethat.assignment import Target, Version, assignments, settings, suited
from chorewright.generator.handmethat.request import Miss, Request, draw_request, served_part
from chorewright.generator.handmethat.trajectory import Refusal, Trajectory, human_trajectory
from chorewright.generator.options import asked_templates, check_option_names
from chorewright.generator.recipe import Assignment, GenerateConfig, random_for
from chorewright.generator.store.digests import domain_sha256, text_sha256
from chorewright.generator.tries import counted
from chorewright.planner.cost_to_go.costs_to_go import SATISFICING, Effort
from chorewright.planner.plan import GroundAction, Limits
from chorewright.problems.handmethat.goals import NoInstance, instantiate
from chorewright.problems.handmethat.sampling import sample_scene
from chorewright.problems.handmethat.scene import Scene
from chorewright.problems.handmethat.states import problem_of, scene_at
from chorewright.replay.handmethat.demonstrations import Demonstration, demonstrate
from chorewright.replay.handmethat.records import dumps
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.rsa.handmethat.meanings import Quest
from chorewright.rsa.handmethat.requests import action_sentence, request_sentence
from chorewright.rsa.handmethat.subgoals import COSTS, Subgoals

OPTIONS = ("version", "costs", "tasks")
"""The options that the recipe knows (``GenerateConfig.options``)."""

TASK = "task"
"""The extra that holds a ``HandMeThatTask`` as JSON text."""


class HandMeThatRecipe:
    """Episodes like HandMeThat's, of version 1 or 2; with task files, of the user's own templates."""

    name = "handmethat"

    def assign(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        """Return the assignments of the indices 0 to ``count - 1``.

        Raises:
            UsageError: an option is unknown or has a value that it cannot have.
        """
        _check_options(config)
        return assignments(config, count, _version(config), tuple(_tasks(config).values()))

    def episode(self, index: int, config: GenerateConfig, assignment: Assignment) -> Episode:
        """Return the demonstration of an index: the first accepted attempt, else the last."""
        rng = random_for(config, index)
        asking = _Asking(Target.of(assignment.parameters), _version_number(config), _effort(config))
        rejections: list[str] = []
        attempt: _Attempt | None = None
        for template in _candidates(config, assignment, rng):
            seed = int(rng.integers(2**31))
            attempt = _attempt(template, asking, seed)
            if attempt.made is not None:
                break
            rejections.append(f"{template.name}: {attempt.reason}")
        assert attempt is not None
        return _episode(index, config, assignment, attempt, rejections)


def sample_task(rng: np.random.Generator, version: int = 2, costs: str = "satisficing") -> HandMeThatTask:
    """Return a task for the text world, made on the fly: any goal, any level.

    Args:
        rng: where it is drawn from.
        version: 1 or 2; of version 1, all three types of requests.
        costs: a key of ``COSTS``.
    """
    templates = _of_version(settings().versions[version])
    quests = [Quest(name) for name in settings().versions[version].requests]
    while True:
        target = Target(quests[int(rng.integers(len(quests)))], 0)
        fitting = suited(target, templates)
        template = fitting[int(rng.integers(len(fitting)))]
        made = _attempt(template, _Asking(target, version, COSTS[costs]), int(rng.integers(2**31))).made
        if made is not None:
            return made.task


@dataclass(frozen=True, slots=True)
class _Asking:
    """What is to be asked for, and how hard costs are tried to prove."""

    target: Target
    version: int
    effort: Effort


@dataclass(frozen=True, slots=True)
class _Made:
    """An accepted attempt."""

    task: HandMeThatTask
    goal: Goal
    trajectory: Trajectory
    demonstration: Demonstration
    optimal: bool
    problem_sha256: str


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One try of a template in one scene; without ``made`` the reason why it is rejected."""

    template: GoalTemplate
    seed: int
    made: _Made | None = None
    reason: str = ""


def _attempt(template: GoalTemplate, asking: _Asking, seed: int) -> _Attempt:
    """Make a scene and all that follows from it."""
    rng = np.random.Generator(np.random.PCG64(seed))

    def rejected(stage: str, reason: str) -> _Attempt:
        return _Attempt(template, seed, None, f"{stage}: {reason}")

    start = sample_scene(rng)
    goal = instantiate(template, start, rng)
    if isinstance(goal, NoInstance):
        return rejected("goal", goal.reason)
    figures = settings()
    trajectory = human_trajectory(
        start,
        goal.goal,
        asking.version,
        Limits(evaluations=figures.evaluations),
        rng,
        figures.stops[asking.version],
    )
    if isinstance(trajectory, Refusal):
        return rejected("plan", trajectory.reason)
    asked = _asked(start, goal.goal, trajectory, asking, rng)
    if isinstance(asked, Miss):
        return rejected("request", asked.reason)
    stop, subgoals, request = asked
    task = HandMeThatTask(
        name="",
        start=start,
        scene=subgoals.scene,
        plan=trajectory.plan.actions,
        observed=stop,
        goal=goal.goal,
        meaning=request.meaning,
        utterance=request.utterance,
        sentence=request_sentence(request.utterance, subgoals.context, rng),
        level=request.level,
        useful=request.useful,
        understood=request.understood,
        template=template.full_name,
        number=-1 if template.number is None else template.number,
        subgoal=served_part(subgoals, request.meaning),
    )
    demonstration = demonstrate(task)
    if isinstance(demonstration, str):
        return rejected("demonstration", demonstration)
    task = replace(task, demonstration=demonstration.commands)
    sha256 = text_sha256(write_problem(problem_of(start, goal.goal)))
    return _Attempt(template, seed, _Made(task, goal, trajectory, demonstration, request.optimal, sha256))


def _asked(
    start: Scene, goal: Formula, trajectory: Trajectory, asking: _Asking, rng: np.random.Generator
) -> tuple[int, Subgoals, Request] | Miss:
    """Return the first place to stop where what is wanted is asked, what may be asked there, and what is.

    Where proofs are asked for, they are only tried where costs of good plans lead to the wanted level.
    """
    target, draws = asking.target, settings().draws[asking.version]
    screened = target.level and asking.effort != SATISFICING
    missed: frozenset[int] = frozenset()
    for stop in trajectory.stops:
        subgoals = Subgoals(scene_at(start, trajectory.states[stop]), goal, asking.effort)
        quick = subgoals.towards(goal, SATISFICING)
        request = draw_request(quick, target.quest, target.level, draws, rng) if screened else None
        if not isinstance(request, Miss):
            request = draw_request(subgoals, target.quest, target.level, draws, rng)
        if isinstance(request, Request):
            return stop, subgoals, request
        missed |= request.levels
    return Miss(missed)


def _candidates(config: GenerateConfig, assignment: Assignment, rng: np.random.Generator) -> Iterator[GoalTemplate]:
    """Yield a template for each scene that is tried: the assigned one first, then others."""
    tasks = _tasks(config)
    figures = settings()
    names = [each.full_name for each in suited(Target.of(assignment.parameters), tuple(tasks.values()))]
    others = [names[place] for place in rng.permutation(len(names)) if names[place] != assignment.task]
    order = [assignment.task, *others]
    for turn in range(figures.tries):
        yield tasks[order[turn // figures.tries_each % len(order)]]


def _episode(
    index: int,
    config: GenerateConfig,
    assignment: Assignment,
    attempt: _Attempt,
    rejections: Sequence[str],
) -> Episode:
    """Write an attempt down."""
    made, template = attempt.made, attempt.template
    blank = Episode(
        recipe=config.recipe,
        index=index,
        seed=attempt.seed,
        task=template.full_name,
        parameters=assignment.parameters,
        split=assignment.split,
        scene=None,
        domain_sha256=domain_sha256(handmethat_domain().name),
        problem_sha256="",
        goal=write_formula(template.goal),
        plan=(),
        plan_cost=0.0,
        planner="",
        planner_configuration="",
        segments=(),
        steps=(),
        instructions=(),
        outcome=Outcome(False, _reasons(rejections) or attempt.reason),
        attempts=len(rejections) + (made is not None),
        rejections=tuple(rejections),
    )
    if made is None:
        return blank
    task = replace(made.task, name=str(index))
    plan = made.trajectory.plan
    return replace(
        blank,
        parameters=(*Target(task.meaning.quest, task.level).parameters, *made.goal.binding),
        problem_sha256=made.problem_sha256,
        goal=write_formula(task.goal),
        plan=plan.actions,
        plan_cost=plan.cost,
        planner=plan.planner,
        planner_configuration=plan.configuration,
        segments=_segments(task),
        steps=_steps(task, made.demonstration),
        instructions=(Instruction(task.sentence, "utterance", 0, 1),),
        outcome=Outcome(True, conditions=(("request fulfilled", True),)),
        extras=((TASK, dumps(task)), ("costs", _costs(config, made))),
    )


def _reasons(rejections: Sequence[str]) -> str:
    """Return the reasons of tries that all failed, each with how often it was met."""
    return ", ".join(f"{reason} ({count} of {len(rejections)})" for reason, count in counted(rejections).items())


def _costs(config: GenerateConfig, made: _Made) -> str:
    """What the costs behind a request are: of good plans, or those of cheapest ones as far as proven."""
    if _effort(config) == SATISFICING:
        return "satisficing"
    return "proven" if made.optimal else "not proven"


def _segments(task: HandMeThatTask) -> tuple[Segment, ...]:
    """What the robot watches, and what it then does."""
    meant = json.dumps({"request": task.meaning.quest.value, **dict(task.meaning.description)})
    return (
        Segment("Watch", (task.template,), "{}"),
        Segment("Help", tuple(dict.fromkeys(name for name, _ in task.groundings)), meant),
    )


def _steps(task: HandMeThatTask, demonstration: Demonstration) -> tuple[Step, ...]:
    """The human's actions that were watched, then the robot's, each with its words."""
    watched = [_step(action, 0, action_sentence(action).rstrip(".")) for action in task.prefix]
    commands = zip(demonstration.actions, demonstration.commands, strict=True)
    return (*watched, *(_step(action, 1, command) for action, command in commands))


def _step(action: GroundAction, segment: int, command: str) -> Step:
    return Step(action.name, segment, json.dumps({"arguments": action.arguments, "command": command}))


def _check_options(config: GenerateConfig) -> None:
    check_option_names(config, OPTIONS)
    known: Mapping[str, Sequence[str]] = {
        "version": [str(number) for number in settings().versions],
        "costs": list(COSTS),
    }
    for name, values in known.items():
        for value in config.option(name):
            if value not in values:
                raise UsageError(f"{name} must be {' or '.join(values)}, not {value!r}")


def _version_number(config: GenerateConfig) -> int:
    return int(next(iter(config.option("version")), "2"))


def _version(config: GenerateConfig) -> Version:
    return settings().versions[_version_number(config)]


def _effort(config: GenerateConfig) -> Effort:
    return COSTS[next(iter(config.option("costs")), "optimal")]


@lru_cache(maxsize=16)
def _tasks(config: GenerateConfig) -> Mapping[str, GoalTemplate]:
    """Return the templates by their names: the user's files and the named ones, or all of the version's."""
    found = asked_templates(config, handmethat_domain().name) or _of_version(_version(config))
    return {template.full_name: template for template in found}


def _of_version(version: Version) -> tuple[GoalTemplate, ...]:
    return tuple(each for each in collection("handmethat") if version.tag in ("", *each.tags))
