"""Words for what is already there: a plan file, a stored episode, a recorded demonstration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chorewright.domains.library import user_library
from chorewright.errors import InputError, Location, UsageError
from chorewright.files.json_source import load_json
from chorewright.generator.alfred import recorded
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.demonstration import RoomAttempt, legs_of
from chorewright.generator.household.spawning import HouseholdWorld, room_of
from chorewright.generator.production.attempts import Rejection
from chorewright.generator.production.worlds import find_task
from chorewright.planner.plan import Plan
from chorewright.planner.plan_files import read_plan
from chorewright.planner.validation import validate
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.replay.household.world import ThorWorld
from chorewright.rsa.household.directives import END, Annotation, Leg, directives

WORDS = 2
"""The part of the seed that is for words, as the third number beside the user's and the episode's."""


@dataclass(frozen=True, slots=True)
class Worded:
    """A demonstration in words: what it is called, its subgoals, and what each annotator says."""

    name: str
    subgoals: tuple[str, ...]
    annotations: tuple[Annotation, ...]

    def record(self) -> dict[str, object]:
        """Return it as JSON."""
        said = [{"goal": each.goal, "steps": list(each.steps)} for each in self.annotations]
        return {"name": self.name, "subgoals": list(self.subgoals), "annotations": said}

    def text(self) -> str:
        """Return it as text: a block for each annotator."""
        lines = [self.name]
        for each in self.annotations:
            lines.append(f"  {each.goal}")
            lines += [f"    {number}. {step}" for number, step in enumerate(each.steps, 1)]
        return "\n".join(lines)


def _generator(seed: int, index: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, index, WORDS))))


def _subgoals(plan: Sequence[Leg]) -> tuple[str, ...]:
    return tuple(leg.action for leg in plan if leg.action not in END)


def say_recording(path: Path, seed: int, annotators: int) -> Worded:
    """Word a recorded demonstration.

    Args:
        path: ALFRED's ``traj_data.json``, or one that ``export --format alfred`` wrote.
        seed: of the words.
        annotators: how many speak.

    Raises:
        InputError: It is none; the error names the place.
    """
    source = load_json(path)
    recording: recorded.Recording = recorded.parse_recording(source)
    kinds = shipped_kinds()
    meaning = recorded.read_meaning(recording, kinds)
    if meaning is None:
        raise source.error(("task_type",), f"{recording.task!r} is none of ALFRED's tasks")
    scene, plan = recorded.legs_of(recording.segments, recorded.read_scene(recording, kinds))
    said = directives(meaning, plan, scene, _generator(seed, 0), annotations=annotators)
    return Worded(path.parent.name or path.name, _subgoals(plan), said)


def say_dataset(folder: Path, index: int | None, seed: int, annotators: int) -> list[Worded]:
    """Word a dataset's episode, or all.

    Args:
        folder: the dataset.
        index: of the episode; None for all.
        seed: of the words.
        annotators: how many speak.

    Raises:
        UsageError: The episodes are of another kind of world.
    """
    dataset = Dataset(folder)
    chosen = dataset if index is None else (dataset.episode(index),)
    return [_episode(each, seed, annotators) for each in chosen]


def _episode(episode: Episode, seed: int, annotators: int) -> Worded:
    try:
        scene, plan = recorded.legs_of(recorded.episode_segments(episode), room_of(episode))
    except InputError as error:
        message = f"the episodes of {episode.benchmark} have no subgoals that can be said: {error.message}"
        raise UsageError(message, hint="say takes episodes of household tasks") from error
    binding = dict(episode.parameters)
    meaning = recorded.meaning_of(episode.task, binding, scene.kinds)
    goals = tuple(dict.fromkeys(each.text for each in episode.instructions if each.level == "goal"))
    vocabulary = scene.kinds.vocabulary.kinds
    nouns = {kind: vocabulary[kind].noun for kind in binding.values() if kind in vocabulary}
    generator = _generator(seed, episode.index)
    said = directives(
        meaning or goals, plan, scene, generator, annotations=annotators, nouns=None if meaning else nouns
    )
    return Worded(f"episode {episode.index}: {episode.task}", _subgoals(plan), said)


def say_plan(
    path: Path, task: str, slots: Sequence[str], room: str | None, scene_seed: int, seed: int, annotators: int
) -> Worded:
    """Word a plan of a task in a scene.

    Args:
        path: the plan file.
        task: the task's name, or a template file.
        slots: what fills its slots: ``object=Mug``.
        room: the room, or a file of AI2-THOR's metadata; None for the first that suits the task.
        scene_seed: where things lie.
        seed: of the words.
        annotators: how many speak.

    Raises:
        InputError: The file is no plan, or the plan does not reach the task's goal in the scene.
        UsageError: The task is of another world, or does not suit the room.
    """
    library = user_library((), None)
    template = find_task(task, library)
    world = HouseholdWorld(library)
    if template.domain != world.name:
        raise UsageError(f"{template.full_name} is a task of the world {template.domain}, not of {world.name}")
    goal, scene = world.start(template, slots, room, scene_seed)
    plan = read_plan(path)

    def given(domain: object, problem: object, limits: object) -> Plan:
        return Plan(plan.actions, plan.cost or 0.0, "file", "")

    problem = world.problem(goal, scene)
    verdict = validate(world.kinds.domain, problem, plan.actions)
    if not verdict.valid:
        hint = "say takes the task, slots, scene and seed that its problem was compiled with"
        raise InputError(
            f"the plan does not hold in {scene.name}: {verdict.message}", location=Location(str(path)), hint=hint
        )
    found = RoomAttempt(scene, goal, ThorWorld(), planner=given).demonstrate()
    if isinstance(found, Rejection):
        raise InputError(f"the plan cannot be carried out: {found}", location=Location(str(path)))
    said_legs = legs_of(found.subgoals, found.actions, found.household, scene.agent)
    said = recorded.speak(template, goal, said_legs, scene, _generator(seed, 0), annotators)
    return Worded(f"{template.full_name} in {scene.name}", _subgoals(said_legs), said)
