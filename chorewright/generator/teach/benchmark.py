"""TEACh's benchmark: a task with parameters in a room becomes a session that is planned, acted and talked over.

Room, random state, goal of the compiled definition, plan, actions in the THOR world, progress check at the
end, dialogue. What fails on the way rejects the attempt with a reason; then the room is scattered anew, then
other parameters are tried in it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.pddl.parser import parse_formula
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.pddl.writer import write_formula, write_problem
from chorewright.domains.teach.compiler import compile_goal
from chorewright.domains.teach.definitions import shipped_definitions
from chorewright.errors import ChorewrightError, UsageError
from chorewright.generator.dataset.config import Assignment, GenerateConfig, text_sha256
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import read_options
from chorewright.generator.household.demonstration import STAGES
from chorewright.generator.household.noise import noise_extras
from chorewright.generator.household.outlook import stands_extras, stands_of
from chorewright.generator.household.own_scenes import find_kinds, find_scenes, scene_of
from chorewright.generator.household.remarks import scene_map
from chorewright.generator.household.scene_names import some_scenes, trials_in_rooms, with_houses
from chorewright.generator.household.spawning import check_problem, read_task, room_of
from chorewright.generator.production.attempts import Attempt, Rejection, TaskTrial, TaskTrials, with_plan
from chorewright.generator.production.benchmark import Benchmark, FirstLook, PaperFigure
from chorewright.generator.production.sampling import AT_ONCE, folds
from chorewright.generator.teach import records
from chorewright.generator.teach.assignment import (
    assignments,
    assignments_in_turn,
    find_choices,
    find_suitable_variants,
    find_task_names,
)
from chorewright.generator.teach.compiling import COLLECTION, compile_in, definitions_of, parameters_by_name, task_name
from chorewright.generator.teach.demonstration import SessionAttempt, TeachDemonstration
from chorewright.generator.teach.dialogue import EXTRA, pose_text, start_scene, utterances, with_commander, with_turns
from chorewright.generator.teach.options import TeachOptions
from chorewright.generator.teach.scenes import teach_scene
from chorewright.generator.teach.variants import settings
from chorewright.problems.household.rooms import building_extras, room_names
from chorewright.problems.household.scene import Scene, is_house_name
from chorewright.problems.household.spawn import NoRoom
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.teach.world import TeachWorld

if TYPE_CHECKING:
    from chorewright.generator.household.moments import HouseholdMoments
    from chorewright.generator.production.worlds import TaskLanguage

MISHAPS, BODY, STRAYS = 1, 2, 3
"""Tell the draws of what goes wrong, of the Commander's place and of noise from those of the scene, which have the same
seed."""


_SESSIONS, _UTTERANCES, _FOLLOWER, _ACTIONS = 3_047, 13.67, 131.80, 164.65
_SAID = (("Commander", 8.40), ("Follower", 5.25))


def paper_figures(episodes: Sequence[Episode]) -> Sequence[PaperFigure]:
    """Return the figures of some sessions beside people's: Padmakumar et al. 2022, Table 2 and section 3.3."""
    steps, told = [], []
    for episode in episodes:
        dialogue = json.loads(dict(episode.extras)["dialogue"])
        said = [each["agent"] for each in dialogue if each["action"] == "Text"]
        steps.append((len(episode.steps), len(episode.steps) + len(dialogue)))
        told.append((said.count(0), said.count(1)))
    return [
        PaperFigure("sessions", f"{len(steps):,}", f"{_SESSIONS:,}"),
        PaperFigure("utterances a session", f"{fmean(map(sum, told)):.2f}", f"{_UTTERANCES:.2f}"),
        *(
            PaperFigure(f"those of the {who}", f"{fmean(each[agent] for each in told):.2f}", f"{people:.2f}")
            for agent, (who, people) in enumerate(_SAID)
        ),
        PaperFigure("actions of the Follower", f"{fmean(each for each, _ in steps):.1f}", f"{_FOLLOWER:.1f}"),
        PaperFigure("all actions", f"{fmean(each for _, each in steps):.1f}", f"{_ACTIONS:.1f}"),
    ]


@dataclass(frozen=True, slots=True)
class TeachCandidate:
    """A task with its parameters in a room, scattered from a seed."""

    task: str
    params: tuple[str, ...]
    scene: str
    seed: int


@dataclass(frozen=True, slots=True)
class TeachResult:
    """What came of an attempt: the room, as scattered if it could be, the goal, and the demonstration if any."""

    scene: Scene
    goal: str
    demonstration: TeachDemonstration | None = None


TeachAttempt: TypeAlias = Attempt[TeachCandidate, TeachResult]


_ROOMS = tuple(f"FloorPlan{number}" for number in (2, 4, 5, 8, 9, 11, 402, 405, 212, 215, 313, 314))
_TASKS = ("Coffee", "Water Plant", "Salad", "Put All X In One Y", "Clean All X")


class TeachBenchmark(Benchmark[TeachCandidate, TeachResult]):
    """Sessions like TEACh's: all twelve tasks of the dataset, or the tasks that are asked for."""

    name = "teach"
    world = "household"
    options = TeachOptions
    paper_figures = staticmethod(paper_figures)
    conversations = records.TeachConversations
    stages = ("scene", *STAGES)
    efforts = ("--evaluations", "--time-per-episode")
    first_look = FirstLook(2, 5, {"tasks": _TASKS, "scenes": _ROOMS, "splits": ("train",)})

    def __init__(self) -> None:
        self._renderer = Renderer()  # keeps the shapes of a room's furniture from one attempt to the next

    def assign(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        """Return the assignments of the indices 0 to ``count - 1``.

        Raises:
            UsageError: An option is unknown or matches nothing, or nothing is possible in the rooms.
        """
        asked = read_options(TeachOptions, config)
        definitions_of(config)
        scenes = find_scenes(config, asked.scenes, find_kinds(config))
        rules = settings().tasks
        names = find_task_names(config)
        equal = any(name not in rules for name in names)
        shares = {name: 1.0 if equal else rules[name].share for name in names}
        known = tuple(dict.fromkeys((*room_names(), *scenes)))
        split_folds = folds(asked.splits, settings().split_shares, with_houses(settings().folds, scenes), known)
        if sum(map(is_house_name, scenes)) > AT_ONCE:  # they are generated as they are needed

            def suited(name: str, scene: str) -> list[tuple[tuple[str, str], ...]]:
                return [parameters_by_name(params) for params in find_suitable_variants(config, name, scene)]

            found = assignments_in_turn(suited, shares, split_folds, scenes, count, config.seed)
        else:
            choices = {name: find_choices(config, name, scenes) for name in names}
            found = assignments(choices, shares, split_folds, count, config.seed)
        if count and not found:
            raise UsageError(
                "none of the tasks is possible in any of the rooms",
                hint="choose other scenes, splits, tasks or parameters; `chorewright tasks` lists the tasks",
            )
        return found

    def candidates(
        self, config: GenerateConfig, assignment: Assignment, rng: np.random.Generator, tried: Sequence[TeachAttempt]
    ) -> Iterator[TeachCandidate]:
        """Yield the assigned parameters with several starts, then others that suit the room."""
        for params in _parameters(config, assignment, rng):
            yield TeachCandidate(assignment.task, params, assignment.scene, int(rng.integers(2**31)))

    def attempt(self, config: GenerateConfig, candidate: TeachCandidate) -> TeachAttempt:
        """Scatter the room, compile, plan, lower, replay, look on, and check the progress at the end."""
        kinds = find_kinds(config)
        task = definitions_of(config).task(candidate.task, candidate.params)
        goal = compile_goal(task, kinds.vocabulary)
        empty = scene_of(config, candidate.scene, kinds)
        try:
            chance = np.random.Generator(np.random.PCG64(candidate.seed))
            scene = teach_scene(empty, task, kinds.vocabulary, chance, self._renderer)
            if read_options(TeachOptions, config).embodied:
                scene = with_commander(scene, np.random.Generator(np.random.PCG64([candidate.seed, BODY])))
        except NoRoom as error:
            return Attempt(candidate, TeachResult(empty, write_formula(goal)), Rejection("scene", error.message))
        compiled = compile_in(task, goal, scene, f"{task.name}-{candidate.scene}-{candidate.seed}")
        chance = np.random.Generator(np.random.PCG64([candidate.seed, MISHAPS]))
        limits = config.effort.limits(settings().evaluations)
        noise = read_options(TeachOptions, config).noise, (candidate.seed, STRAYS)
        made = SessionAttempt(compiled, limits, seen=True, rng=chance, renderer=self._renderer, noise=noise)
        found = made.demonstrate()
        if isinstance(found, Rejection):
            return Attempt(candidate, TeachResult(scene, write_formula(goal)), found)
        return Attempt(candidate, TeachResult(scene, write_formula(goal), found))

    def label(self, candidate: TeachCandidate) -> str:
        """Return task and parameters."""
        return " ".join((candidate.task, *candidate.params))

    def speak(self, config: GenerateConfig, blank: Episode, attempt: TeachAttempt, rng: np.random.Generator) -> Episode:
        """Let Commander and Follower talk over the demonstration."""
        made = attempt.made
        assert made is not None
        found = made.demonstration
        told = replace(
            blank,
            seed=attempt.candidate.seed,
            parameters=parameters_by_name(attempt.candidate.params),
            scene=replace(made.scene, bystanders=(), building=None),  # of these tell the extras
            domain_sha256=made.scene.kinds.domain_sha256,
            goal=made.goal,
        )
        if found is None:
            return told
        session = records.session_records(found, with_turns(utterances(found, rng), found))
        return replace(
            with_plan(told, found.plan),
            problem_sha256=text_sha256(write_problem(found.compiled.problem)),
            segments=records.segment_records(found),
            steps=session.steps,
            instructions=session.instructions,
            outcome=replace(blank.outcome, conditions=records.conditions(found)),
            extras=(*_extras(found, session), *noise_extras(read_options(TeachOptions, config).noise)),
        )

    def map_of(self, config: GenerateConfig, attempt: TeachAttempt) -> NDArray[np.uint8] | None:
        """Return a map of the room with what the goal is about."""
        made = attempt.made
        return None if made is None else scene_map(made.scene, parse_formula(made.goal, made.scene.kinds.domain))

    def trials(self, config: GenerateConfig, count: int) -> TaskTrials:
        """Return trials of the one task that is asked for, in rooms that suit it, spread evenly.

        Raises:
            UsageError: No room suits the task, or its parameters are missing.
        """
        asked = read_options(TeachOptions, config)
        (name,) = find_task_names(config)
        scenes = some_scenes(find_scenes(config, asked.scenes, find_kinds(config)), count)
        choices = find_choices(config, name, scenes)
        if not choices:
            raise UsageError(f"no room has what {name} needs")
        fillings = len(choices) if len(choices) > 1 else 0
        return replace(
            trials_in_rooms(name, choices, count, config.seed), task=f"{COLLECTION}{name}", fillings=fillings
        )

    def trial(
        self, config: GenerateConfig, assignment: Assignment, attempts: int, uncounted: Collection[str] = ()
    ) -> TaskTrial:
        """Try a task in a room; what is said first in a session is not what the task asks for."""
        trial = super().trial(config, assignment, attempts, uncounted)
        task = definitions_of(config).task(assignment.task, tuple(value for _, value in trial.binding))
        return replace(trial, sentence=task.desc)

    def parameters(self, episode: Episode) -> Sequence[tuple[str, str]]:
        """Return the parameters; the shipped definition's notes name numbers, unless they list choices."""
        known = shipped_definitions()
        notes = known.find(episode.task).param_notes if episode.task in known.names else ()
        nouns = {str(place): note for place, note in enumerate(notes) if "," not in note and " or " not in note}
        return [(nouns.get(name, name) if value.isdigit() else name, value) for name, value in episode.parameters]

    def planning_task(self, episode: Episode) -> tuple[Domain, Problem]:
        """Return the household's domain, and an episode's problem; see ``read_task``."""
        return read_task(episode, read_problem)

    def moments(self) -> HouseholdMoments:
        """Return what runs sessions again and draws the Follower's view."""
        from chorewright.generator.household.moments import HouseholdMoments, action_names
        from chorewright.replay.teach.lowering import build_calls

        return HouseholdMoments(teach_world, action_names(__package__), read_problem, build_calls)

    spoken = staticmethod(records.speakers)

    def task_language(self) -> TaskLanguage:
        """Return what lists and compiles TEACh's definitions."""
        from chorewright.generator.teach.compiling import TeachTasks

        return TeachTasks()


def teach_world() -> tuple[ThorWorld, TeachWorld]:
    """Return TEACh's actions over the THOR world, and that world."""
    world = TeachWorld()
    return world.world, world


def read_problem(episode: Episode) -> Problem | None:
    """Return the planning problem of a stored session, or None if it cannot be made again to the same bytes."""
    if episode.scene is None or not episode.problem_sha256:
        return None
    try:
        goal = parse_formula(episode.goal, room_of(episode).kinds.domain)
        params = [value for _, value in episode.parameters]
        task = shipped_definitions().task(task_name(episode.task), params)
        stands = stands_of(episode)
    except ChorewrightError:  # a definition of the user's, or another version of ours
        return None
    name = f"{task.name}-{room_of(episode).name}-{episode.seed}"
    compiled = compile_in(task, goal, start_scene(episode), name, stands=stands)
    return check_problem(compiled.household.problem, episode)


def _parameters(config: GenerateConfig, assignment: Assignment, rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Yield the parameters for each attempt: the assigned ones first, then others that suit the room."""
    own = tuple(value for _, value in assignment.parameters)
    for _ in range(settings().seeds_per_variant):
        yield own
    suited = find_suitable_variants(config, assignment.task, assignment.scene)
    others = [params for params in suited if params != own]
    for place in rng.permutation(len(others))[: settings().candidates]:
        yield others[place]


def _extras(found: TeachDemonstration, session: records.Session) -> tuple[tuple[str, str], ...]:
    final = records.final_text(found.compiled.scene, found.execution.final)
    body = ((EXTRA, pose_text(found.compiled.scene)),) if found.compiled.scene.bystanders else ()
    said = (
        (records.FINAL, final),
        (records.PROGRESS, records.progress_text(found)),
        (records.DIALOGUE, session.dialogue),
    )
    return (*said, *body, *stands_extras(found.stands), *building_extras(found.compiled.scene))
