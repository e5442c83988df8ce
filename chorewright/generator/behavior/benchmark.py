"""BEHAVIOR's benchmark: the activities in turn, each planned, carried out in the symbolic world, and said in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from chorewright.domains.behavior.reader import parse_activity, write_activity, write_condition
from chorewright.domains.behavior.syntax import Activity, synset_word
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.pddl.writer import write_problem
from chorewright.errors import UsageError
from chorewright.files.english import require_known
from chorewright.generator.behavior import world
from chorewright.generator.behavior.options import SUFFIX, BehaviorOptions
from chorewright.generator.behavior.world import ActivityAttempt, ActivityCandidate, ActivityResult
from chorewright.generator.dataset.config import EFFORTS, Assignment, GenerateConfig, random_for
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import read_options
from chorewright.generator.production.attempts import TaskTrials
from chorewright.generator.production.benchmark import Benchmark
from chorewright.generator.production.sampling import check_splits, splits_in_shares
from chorewright.generator.production.solving import STAGES, planner_of
from chorewright.generator.production.worlds import CompiledTask, TaskRequest
from chorewright.planner.plan import Limits, Unsolvable
from chorewright.planner.planning import solve
from chorewright.problems.behavior.kinds import VERSIONS, activity_names, shipped_activity
from chorewright.problems.behavior.scenes import activity_scene
from chorewright.rsa.behavior.conditions import say_goal

if TYPE_CHECKING:
    from rich.console import RenderableType

    from chorewright.generator.pddl.moments import WorldMoments
    from chorewright.generator.production.worlds import TaskLanguage

SCENE, PROBLEM, ACTIVITY, SCORES = "scene", "problem", "activity", "scores"
"""The extras of an episode: scene's name, planning problem, activity as BDDL, score at start and end."""

SHARES = {"train": 0.8, "valid": 0.1, "test": 0.1}
EVALUATIONS = 100_000
TRIES = 3

COLLECTION = "behavior/"


class BehaviorTasks:
    """The activities of BEHAVIOR-100 and BEHAVIOR-1K: ``behavior/100/NAME`` and ``behavior/1k/NAME``."""

    def rows(self, definitions: Path | None) -> Sequence[Mapping[str, object]]:
        """Return all activities as JSON values."""
        return tuple(_row(f"{version}/{name}", activity) for version, name, activity in _all())

    def table(self, definitions: Path | None) -> RenderableType:
        """Return how many activities there are of which room; they are too many to list."""
        from rich.table import Column, Table

        table = Table("version", "activities", Column("rooms", overflow="fold"), title="BEHAVIOR (domain behavior)")
        for version in VERSIONS:
            names = activity_names(version)
            rooms = Counter(room for name in names for room in _rooms(shipped_activity(name, version)))
            text = ", ".join(f"{room.replace('_', ' ')} {count}" for room, count in rooms.most_common(6))
            table.add_row(f"{COLLECTION}{version}/...", f"{len(names):,}", f"{text}, ...")
        return table

    def row(self, name: str, definitions: Path | None) -> Mapping[str, object]:
        """Return one activity as JSON values."""
        return _row(name, world.find_activity(name))

    def lines(self, name: str, definitions: Path | None) -> Sequence[str]:
        """Return one activity as a heading and lines to read."""
        activity = world.find_activity(name)
        kinds = Counter(each.types[0] for each in activity.objects)
        things = ", ".join(synset_word(kind) + (f" x {count}" if count > 1 else "") for kind, count in kinds.items())
        return (
            f"{COLLECTION}{name} (domain behavior, {', '.join(_rooms(activity)) or 'no room'})",
            f'"{_sentence(activity, name)}"',
            f"things: {things}",
            *write_condition(activity.goal).splitlines(),
        )

    def compile(self, request: TaskRequest) -> CompiledTask:
        """Compile an activity; it has no parameters, and its scene is its own, with supplies if it needs them.

        Raises:
            UsageError: There is no such activity, or it is given a parameter or a scene.
            InputErrors: Its file has errors.
        """
        if request.params or request.scene is not None:
            raise UsageError(f"the activity {request.name} has no parameters, and its scene is its own")
        scene = activity_scene(world.find_activity(request.name), request.seed)
        if isinstance(solve(scene.domain(), scene.problem(scene.domain()), Limits(evaluations=1)), Unsolvable):
            scene = scene.with_supplies()
        domain = scene.domain()
        said = {
            "task": f"{COLLECTION}{request.name}",
            "scene": scene.activity.name,
            "seed": request.seed,
            "sentences": [_sentence(scene.activity, request.name)],
        }
        return CompiledTask(domain, scene.problem(domain), said)


def _all() -> Iterator[tuple[str, str, Activity]]:
    for version in VERSIONS:
        for name in activity_names(version):
            yield version, name, shipped_activity(name, version)


def _row(name: str, activity: Activity) -> Mapping[str, object]:
    return {
        "name": f"{COLLECTION}{name}",
        "domain": "behavior",
        "number": None,
        "tags": list(_rooms(activity)),
        "slots": {},
        "fillings": 1,
        "conditions": [write_condition(activity.goal)],
        "params": {},
        "sayings": [_sentence(activity, name)],
    }


def _rooms(activity: Activity) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.atom.terms[1] for each in activity.init if each.atom.predicate == "inroom"))


def _sentence(activity: Activity, name: str) -> str:
    rng = np.random.Generator(np.random.PCG64(0))
    return say_goal(activity.goal, world.names_of(activity), world.title_of(activity, name), rng)


class BehaviorBenchmark(Benchmark[ActivityCandidate, ActivityResult]):
    """Episodes of BEHAVIOR-100 or BEHAVIOR-1K, or of a user's own activities."""

    name = "behavior"
    world = "behavior"
    options = BehaviorOptions
    stages = STAGES
    efforts = tuple(EFFORTS)

    def assign(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        """Return the assignments of the indices 0 to ``count - 1``: the activities in a drawn order, again and again.

        Raises:
            UsageError: There is no such activity or split.
        """
        asked = _options(config)
        order = random_for(config, 0, stream=1).permutation(len(_activities(config)))
        drawn = [list(_activities(config))[place] for place in order]
        check_splits(SHARES, asked.splits)
        splits = dict(zip(drawn, splits_in_shares(SHARES, ()), strict=False))
        names = [each for each in drawn if not asked.splits or splits[each] in asked.splits]
        if not names:
            raise UsageError(f"no activity is in the split {' or '.join(asked.splits)}", hint="ask for more activities")
        return [
            Assignment(index, name, (), "", splits[name], index // len(names))
            for index, name in zip(range(count), cycle(names), strict=False)
        ]

    def candidates(
        self, config: GenerateConfig, assignment: Assignment, rng: np.random.Generator, tried: Sequence[ActivityAttempt]
    ) -> Iterator[ActivityCandidate]:
        """Yield the activity with other distractors; without distractors every attempt would be the same."""
        asked = _options(config)
        activity = _activities(config)[assignment.task]
        for _ in range(TRIES if asked.distractors else 1):
            yield ActivityCandidate(assignment.task, activity, int(rng.integers(2**31)), asked.distractors, asked.hands)

    def attempt(self, config: GenerateConfig, candidate: ActivityCandidate) -> ActivityAttempt:
        """Run all stages for a candidate, or up to the first that fails."""
        return world.attempt(candidate, config.effort.limits(EVALUATIONS), planner_of(config))

    def speak(
        self, config: GenerateConfig, blank: Episode, attempt: ActivityAttempt, rng: np.random.Generator
    ) -> Episode:
        """Say goal and steps, each annotator in other words."""
        made, candidate = attempt.made, attempt.candidate
        assert made is not None, "every attempt has a problem"
        return replace(
            made.solution.record(blank),
            seed=candidate.seed,
            instructions=world.sentences(world.title_of(candidate.activity, candidate.name), made, rng),
            extras=(
                (SCENE, blank.task),
                (PROBLEM, write_problem(made.solution.problem)),
                (ACTIVITY, write_activity(made.scene.activity)),
                (SCORES, " ".join(f"{each:.4f}" for each in made.scores)),
            ),
        )

    def trials(self, config: GenerateConfig, count: int) -> TaskTrials:
        """Return the attempts of one activity that ``generate`` makes, with other distractors each."""
        names = tuple(_activities(config))
        if len(names) != 1:
            raise UsageError("give one activity to check")
        return TaskTrials(names[0], "scenes", count, 1, self.assign(config, count))

    def moments(self) -> WorldMoments:
        """Return what runs episodes again and draws what is where."""
        from chorewright.generator.behavior.pictures import ActivityWorld
        from chorewright.generator.pddl.moments import state_moments

        return state_moments(ActivityWorld)

    def planning_task(self, episode: Episode) -> tuple[Domain, Problem]:
        """Return the domain of an episode's synsets, and its problem."""
        from chorewright.generator.behavior.world import read_problem

        return read_problem(episode)

    def task_language(self) -> TaskLanguage:
        """Return the activities as tasks."""
        return BehaviorTasks()


def _options(config: GenerateConfig) -> BehaviorOptions:
    return read_options(BehaviorOptions, config)


def _activities(config: GenerateConfig) -> dict[str, Activity]:
    """The activities that a dataset is to be made of, by name: the user's files, then the named ones, else all.

    Raises:
        UsageError: There is no such activity.
    """
    asked = _options(config)
    found = {
        name.removesuffix(SUFFIX): parse_activity(text, name)
        for name, text in config.task_files
        if name.endswith(SUFFIX)
    }
    known = activity_names(asked.version)
    for name in asked.tasks:
        plain = name.removeprefix("behavior/").removeprefix(f"{asked.version}/")
        other = "those of BEHAVIOR-100 go with --version 100" if asked.version == "1k" else "give --version 1k"
        require_known(plain, known, f"there is no activity {plain!r} in BEHAVIOR-{asked.version}", other)
        found[plain] = shipped_activity(plain, asked.version)
    return found or {name: shipped_activity(name, asked.version) for name in known}
