"""HandMeThat's benchmark: a scene, a human's goal and plan broken off, a request, and a robot that fulfils it.

Scene, goal, trajectory, request, level, demonstration in the text world. What fails on the way, or has a
level other than the wanted one, rejects the attempt with a reason; then another scene is tried, later also
another goal.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, cycle
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from chorewright.domains.library import handmethat_domain, load_shipped_library
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.pddl.writer import write_formula, write_problem
from chorewright.domains.templates.goal_templates import Goal
from chorewright.domains.templates.slots import count_fillings
from chorewright.generator.dataset.config import (
    USUAL_EFFORT,
    Assignment,
    GenerateConfig,
    PlannerEffort,
    domain_sha256,
    text_sha256,
)
from chorewright.generator.dataset.episode import Episode, Instruction, Outcome, RejectionReason, Segment, Step
from chorewright.generator.dataset.options import read_options
from chorewright.generator.handmethat.assignment import (
    HandMeThatCandidate,
    HandMeThatOptions,
    RequestTarget,
    Version,
    assignments,
    config_templates,
    sample_candidates,
    settings,
    suit,
    version_of,
)
from chorewright.generator.handmethat.stored_task import TASK, HandMeThatConversations, read_problem, task_of
from chorewright.generator.handmethat.trajectory import (
    AHEAD,
    SHORTEST,
    TOO_SHORT,
    Request,
    Trajectory,
    WrongLevels,
    draw_requests,
    human_trajectory,
    part_served,
)
from chorewright.generator.production.attempts import Attempt, Rejection, TaskTrial, TaskTrials, with_plan
from chorewright.generator.production.benchmark import Benchmark, PaperFigure
from chorewright.generator.showing.view import count_reasons
from chorewright.planner.cost_to_go.costs_to_go import SATISFICING
from chorewright.planner.plan import GroundAction
from chorewright.problems.handmethat.goals import NoInstance, instantiate
from chorewright.problems.handmethat.scene import HandMeThatScene, sample_objects, sample_scene
from chorewright.problems.handmethat.states import problem_of, scene_at
from chorewright.replay.handmethat.task import HandMeThatTask, dumps
from chorewright.replay.handmethat.words import command_of
from chorewright.replay.handmethat.world import demonstrate
from chorewright.rsa.handmethat.meanings import Meaning, Quest
from chorewright.rsa.handmethat.requests import action_sentence, request_sentence
from chorewright.rsa.handmethat.subgoals import COSTS, Subgoals

if TYPE_CHECKING:
    from chorewright.generator.production.benchmark import Presenter
    from chorewright.generator.training.transitions import TransitionSource

_EPISODES = (10_000, 116_146)
_LEVELS = ((25.0, 25.0, 25.0, 25.0), (3.5, 67.6, 24.4, 4.6))
"""Per cent of each level in versions 1 and 2."""
_SEEN, _PLAN = 15, 25


def paper_figures(episodes: Sequence[Episode]) -> Sequence[PaperFigure]:
    """Return the figures of some episodes beside those of Wan et al. 2022, versions 1 and 2."""
    tasks = [task_of(each) for each in episodes]
    levels = Counter(each.level for each in tasks)
    return [
        PaperFigure("episodes", f"{len(tasks):,}", "{:,} and {:,}".format(*_EPISODES)),
        PaperFigure("actions of the human's plan", f"{fmean(len(each.plan) for each in tasks):.1f}", f"{_PLAN}"),
        PaperFigure("those that the robot sees", f"{fmean(each.observed for each in tasks):.1f}", f"{_SEEN}"),
        *(
            PaperFigure(f"level {level}", f"{100 * levels[level] / len(tasks):.1f} %", f"{old:.1f} % and {new:.1f} %")
            for level, (old, new) in enumerate(zip(*_LEVELS, strict=True), 1)
        ),
    ]


@dataclass(frozen=True, slots=True)
class HandMeThatResult:
    """What came of an accepted attempt."""

    task: HandMeThatTask
    goal: Goal
    trajectory: Trajectory
    demonstration: tuple[GroundAction, ...]
    optimal: bool
    problem_sha256: str


HandMeThatAttempt: TypeAlias = Attempt[HandMeThatCandidate, HandMeThatResult]


class HandMeThatBenchmark(Benchmark[HandMeThatCandidate, HandMeThatResult]):
    """Episodes like HandMeThat's, of version 1 or 2; with task files, of the user's own templates."""

    name = "handmethat"
    world = "handmethat"
    options = HandMeThatOptions
    paper_figures = staticmethod(paper_figures)
    conversations = HandMeThatConversations
    stages = ("goal", "plan", "request", "demonstration")
    efforts = ("--evaluations", "--time-per-episode")
    counts_tries = True

    def assign(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        """Return the assignments of the indices 0 to ``count - 1``.

        Raises:
            UsageError: an option is unknown or has a value that it cannot have.
        """
        return assignments(config, count, _version(config), tuple(config_templates(config).values()))

    def transition_source(self) -> TransitionSource:
        """Return what plays the robot's commands in the text world again."""
        from chorewright.generator.handmethat.stored_task import TextTransitions

        return TextTransitions()

    def candidates(
        self,
        config: GenerateConfig,
        assignment: Assignment,
        rng: np.random.Generator,
        tried: Sequence[HandMeThatAttempt],
    ) -> Iterator[HandMeThatCandidate]:
        """Yield a template for each scene that is tried: the assigned one first, then others."""
        tasks, target = config_templates(config), RequestTarget.of(assignment.parameters)
        version, effort = version_of(config), COSTS[read_options(HandMeThatOptions, config).costs]
        figures = settings()
        names = [each.full_name for each in suit(target, tuple(tasks.values()))]
        others = [names[place] for place in rng.permutation(len(names)) if names[place] != assignment.task]
        order = [assignment.task, *others]
        for turn in range(figures.tries):
            template = tasks[order[turn // figures.tries_each % len(order)]]
            yield HandMeThatCandidate(template, target, version, effort, int(rng.integers(2**31)))

    def attempt(self, config: GenerateConfig, candidate: HandMeThatCandidate) -> HandMeThatAttempt:
        """Sample a scene, fill the goal, plan for the human, ask, and let the robot fulfil the request."""
        return _attempt(candidate, config.effort)

    def label(self, candidate: HandMeThatCandidate) -> str:
        """Return the template's name."""
        return candidate.template.name

    def speak(
        self, config: GenerateConfig, blank: Episode, attempt: HandMeThatAttempt, rng: np.random.Generator
    ) -> Episode:
        """Write the request down; what is said was drawn with it."""
        made, template = attempt.made, attempt.candidate.template
        told = replace(
            blank,
            seed=attempt.candidate.seed,
            task=template.full_name,
            domain_sha256=domain_sha256(handmethat_domain().name),
            goal=write_formula(template.goal),
        )
        if made is None:
            assert attempt.rejection is not None
            why = RejectionReason(attempt.rejection.stage, _reasons(blank.rejections))
            return replace(told, outcome=Outcome(False, why))
        task = replace(made.task, name=str(blank.index))
        return replace(
            with_plan(told, made.trajectory.plan),
            parameters=(*RequestTarget(task.meaning.quest, task.level).parameters, *made.goal.binding),
            problem_sha256=made.problem_sha256,
            goal=write_formula(task.goal),
            segments=_segments(task),
            steps=_steps(task, made.demonstration),
            instructions=(Instruction(task.sentence, "utterance", 0, 1),),
            outcome=replace(blank.outcome, conditions=(("request fulfilled", True),)),
            extras=((TASK, dumps(task)), ("costs", _costs(attempt.candidate, made))),
        )

    def trials(self, config: GenerateConfig, count: int) -> TaskTrials:
        """Return trials of the one task that is asked for, in sampled scenes, with each type of request in turn.

        Raises:
            UsageError: No type of request suits the task.
        """
        (template,) = config_templates(config).values()
        quests = [Quest(name) for name in _version(config).requests]
        targets = [target for each in quests if suit(target := RequestTarget(each, 0), (template,))]
        return TaskTrials(
            template.name,
            "scenes",
            count,
            count_fillings(template, load_shipped_library().vocabulary(template.domain)),
            [
                Assignment(number, template.full_name, target.parameters, "", "")
                for number, target in zip(range(count), cycle(targets), strict=False)
            ],
        )

    def trial(
        self, config: GenerateConfig, assignment: Assignment, attempts: int, uncounted: Collection[str] = ()
    ) -> TaskTrial:
        """Try a task in sampled scenes; the parameters are of the request, not of the task."""
        trial = super().trial(config, assignment, attempts, uncounted)
        return replace(trial, scene=f"scene {trial.seed}", binding=())

    def presenter(self) -> Presenter:
        """Return the view of requests and levels."""
        from chorewright.generator.handmethat import view

        return view

    def planning_task(self, episode: Episode) -> tuple[Domain, Problem]:
        """Return the domain, and the robot's problem; see ``read_problem``."""
        return handmethat_domain(), read_problem(episode)

    def hint(self, config: GenerateConfig, reasons: Mapping[str, int]) -> str:
        """Say that shorter goals do with version 1, where trajectories were too short for version 2."""
        if version_of(config) == 1 or not any(TOO_SHORT in reason for reason in reasons):
            return ""
        least = f"{SHORTEST[2] + AHEAD} actions or more, {SHORTEST[2]} of them to be watched"
        return f"episodes of version 2 need goals that take {least}; with --version 1 shorter ones do"


def sample_task(rng: np.random.Generator, version: int = 2) -> HandMeThatTask:
    """Return a task for the text world, made on the fly: any goal, any level.

    Args:
        rng: where it is drawn from.
        version: 1 or 2; of version 1, all three types of requests.
    """
    attempts = (_attempt(candidate).made for candidate in sample_candidates(rng, version, COSTS["satisficing"]))
    return next(made.task for made in attempts if made is not None)


@dataclass(frozen=True, slots=True)
class Occasion:
    """A human who works towards a goal in a scene, and may stop to ask.

    Attributes:
        candidate: What it was made for.
        start: The scene.
        goal: The goal.
        trajectory: The human's plan.
        rng: What else there is to draw is drawn from.
    """

    candidate: HandMeThatCandidate
    start: HandMeThatScene
    goal: Goal
    trajectory: Trajectory
    rng: np.random.Generator

    @staticmethod
    def of(
        candidate: HandMeThatCandidate,
        effort: PlannerEffort = USUAL_EFFORT,
        fits: Callable[[Sequence[str]], bool] = lambda names: True,
    ) -> Occasion | Rejection:
        """Sample a scene, fill the goal and plan for the human; ``fits`` says which objects there may be."""
        rng = np.random.Generator(np.random.PCG64(candidate.seed))
        names = sample_objects(rng)
        if not fits(names):
            return Rejection("scene", "the objects do not fit")
        start = sample_scene(rng, names=names)
        goal = instantiate(candidate.template, start, rng)
        if isinstance(goal, NoInstance):
            return Rejection("goal", goal.reason)
        figures, version = settings(), candidate.version
        limits = effort.limits(figures.evaluations)
        found = human_trajectory(start, goal.goal, version, limits, rng, figures.stops[version])
        return found if isinstance(found, Rejection) else Occasion(candidate, start, goal, found, rng)

    def ask(self, draws: int) -> Iterator[tuple[HandMeThatTask, Subgoals, Request] | WrongLevels]:
        """Yield tasks with what is asked at the first place to stop where it is what is wanted; or why it is at none.

        The same words are not asked twice.

        Where proofs are asked for, they are only tried where costs of good plans lead to the wanted level.

        Args:
            draws: How often a request is drawn at most.
        """
        target, effort, goal = self.candidate.target, self.candidate.effort, self.goal.goal
        missed: frozenset[int] = frozenset()
        for stop in self.trajectory.stops:
            subgoals = Subgoals(scene_at(self.start, self.trajectory.states[stop]), goal, effort)
            asked = partial(draw_requests, quest=target.quest, level=target.level, draws=draws, rng=self.rng)
            screened = target.level and effort != SATISFICING
            first = next(asked(subgoals.towards(goal, SATISFICING))) if screened else None
            if not isinstance(first, WrongLevels):
                requests = asked(subgoals)
                first = next(requests)
                said: set[Meaning] = set()
                for each in chain([first], requests):
                    if isinstance(each, Request) and each.utterance not in said:
                        said.add(each.utterance)
                        yield self._task(stop, subgoals, each), subgoals, each
            if isinstance(first, Request):
                return
            missed |= first.levels
        yield WrongLevels(missed)

    def _task(self, stop: int, subgoals: Subgoals, request: Request) -> HandMeThatTask:
        template = self.candidate.template
        return HandMeThatTask(
            name="",
            start=self.start,
            scene=subgoals.scene,
            plan=self.trajectory.plan.actions,
            observed=stop,
            goal=self.goal.goal,
            meaning=request.meaning,
            utterance=request.utterance,
            sentence=request_sentence(request.utterance, subgoals.context, self.rng),
            level=request.level,
            useful=request.useful,
            understood=request.understood,
            template=template.full_name,
            number=-1 if template.number is None else template.number,
            demonstration=tuple(map(command_of, request.plan)),
        )


def _attempt(candidate: HandMeThatCandidate, effort: PlannerEffort = USUAL_EFFORT) -> HandMeThatAttempt:
    """Make a scene and all that follows from it."""
    occasion = Occasion.of(candidate, effort)
    if isinstance(occasion, Rejection):
        return Attempt(candidate, None, occasion)
    asked = next(occasion.ask(settings().draws[candidate.version]))
    if isinstance(asked, WrongLevels):
        return Attempt(candidate, None, Rejection("request", asked.reason))
    task, subgoals, request = asked
    demonstration = demonstrate(task)
    if isinstance(demonstration, str):
        return Attempt(candidate, None, Rejection("demonstration", demonstration))
    task = replace(
        task, subgoal=part_served(subgoals, request.meaning), demonstration=tuple(map(command_of, demonstration))
    )
    goal, trajectory = occasion.goal, occasion.trajectory
    sha256 = text_sha256(write_problem(problem_of(occasion.start, goal.goal)))
    return Attempt(candidate, HandMeThatResult(task, goal, trajectory, demonstration, request.optimal, sha256))


def _reasons(rejections: Sequence[str]) -> str:
    """Return the reasons of tries that all failed, each with how often it was met."""
    return ", ".join(f"{reason} ({count} of {len(rejections)})" for reason, count in count_reasons(rejections).items())


def _costs(candidate: HandMeThatCandidate, made: HandMeThatResult) -> str:
    """What the costs behind a request are: of good plans, or those of cheapest ones as far as proven."""
    if candidate.effort == SATISFICING:
        return "satisficing"
    return "proven" if made.optimal else "not proven"


def _segments(task: HandMeThatTask) -> tuple[Segment, ...]:
    """What the robot watches, and what it then does."""
    meant = json.dumps({"request": task.meaning.quest.value, **dict(task.meaning.description)})
    return (
        Segment("Watch", (task.template,), "{}"),
        Segment("Help", tuple(dict.fromkeys(name for name, _ in task.groundings)), meant),
    )


def _steps(task: HandMeThatTask, demonstration: tuple[GroundAction, ...]) -> tuple[Step, ...]:
    """The human's actions that were watched, then the robot's, each with its words."""
    watched = [_step(action, 0, action_sentence(action).rstrip(".")) for action in task.prefix]
    commands = zip(demonstration, task.demonstration, strict=True)
    return (*watched, *(_step(action, 1, command) for action, command in commands))


def _step(action: GroundAction, segment: int, command: str) -> Step:
    return Step(action.name, segment, json.dumps({"arguments": action.arguments, "command": command}))


def _version(config: GenerateConfig) -> Version:
    return settings().versions[version_of(config)]
