"""Episodes of the reference as tasks, and tasks as its episodes: JSON files, raw or with an expert's demonstration.

Names, classes and types have the reference's spelling there. The dictionaries give the states for s_0. For s_T
the human's actions are run, because the reference's own dictionary misses what became false.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias, TypeVar, cast

import numpy as np

from chorewright.domains.handmethat.object_space import object_space
from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.syntax import TRUE, Formula
from chorewright.errors import ChorewrightError, InputError, LimitError, Location
from chorewright.files.json_source import JsonSource, parse_json
from chorewright.files.lazily import ReadSequence
from chorewright.files.text import decode, read_bytes
from chorewright.planner.plan import GroundAction
from chorewright.problems.handmethat.scene import HandMeThatScene, SceneAgent
from chorewright.problems.handmethat.states import action_of_reference, objects_of, reference_action, scene_from_objects
from chorewright.replay.handmethat.reference_goals import goal_of_reference, reference_of_goal
from chorewright.replay.handmethat.task import HandMeThatTask, scene_after
from chorewright.replay.handmethat.words import objective
from chorewright.replay.handmethat.world import TextWorld
from chorewright.rsa.handmethat import meanings
from chorewright.rsa.handmethat.requests import request_sentence

# Tasks as the reference's episodes: documents of its JSON schema, the inverse of ``reference``.
#
# A key of ours holds what the schema has no place for: the names of the task and its template, the kind of its
# costs, and the version that found them.


GOALS = 69
"""The reference numbers its goals from 0; a goal of none of these gets this number."""

OURS = "chorewright"
"""The key of what only we store."""

SEPARATOR = " [SEP] "

OBSERVATIONS = {"demo_observations_partially": False, "demo_observations_fully": True}
"""The keys of a demonstration's texts, with whether everything is observed."""


def reference_of_task(task: HandMeThatTask, number: int, costs: str = "", version: str = "") -> dict[str, object]:
    """Return a task as a document of the reference's schema, with an expert's demonstration if it has one.

    Args:
        task: The task.
        number: The running number of the episode.
        costs: What the costs behind its request are, as the dataset says (``satisficing``, or whether they
            are proven), if that is known.
        version: The version of chorewright that made it, if that is known.

    Raises:
        UnsupportedError: Its goal counts, which the reference cannot say.
        InputError: Its demonstration cannot be run.
    """
    understood = task.meaning if task.understood is None else task.understood
    subgoal = "" if task.subgoal is None else reference_of_goal(task.subgoal)
    return {
        "goal_idx": GOALS if task.number < 0 else task.number,
        "task_idx": number,
        "initial_object_dict": objects_of(task.start),
        "current_object_dict": objects_of(task.scene),
        "_goal": reference_of_goal(task.goal),
        "action_list": [_action(step) for step in task.prefix],
        "_meaning": meanings.reference_meaning(task.meaning),
        "utterance": meanings.reference_meaning(task.utterance),
        "_possible_solution": [_action(step) for step in task.plan],
        "_objects_in_utterance": _objects(task, task.utterance),
        "_objects_in_meaning": _objects(task, task.meaning),
        "_useful_objects": meanings.reference_groundings(task.meaning.quest, task.useful),
        "level": task.level,
        "_rsa_meaning": None if task.understood is None else meanings.reference_meaning(task.understood),
        "_objects_in_rsa_meaning": _objects(task, understood),
        "_subgoal": subgoal,
        "demo_actions": [spelt_as_reference(command) for command in task.demonstration],
        **{key: list(observations(task, fully)) for key, fully in OBSERVATIONS.items()},
        "task_description": f"\n{objective(task)}\n",
        OURS: {
            "name": task.name,
            "template": task.template,
            **({"costs": costs} if costs else {}),
            **({"version": version} if version else {}),
        },
    }


def file_name(task: HandMeThatTask, number: int) -> str:
    """Return an episode's file name in the reference; its code reads four numbers from the name."""
    goal = GOALS if task.number < 0 else task.number
    return f"task-{task.meaning.quest.value}-{goal}-{number}-{task.level}.json"


def spelt_as_reference(text: str) -> str:
    """Return a command or observation with categories as the reference spells them: ``duffel_bag 1``."""
    for category in object_space().categories.values():
        if category.noun != category.reference:
            text = text.replace(category.noun, category.reference)
    return text


def spelt_as_ours(text: str) -> str:
    """Return a command of the reference with categories in our spelling; the inverse of ``spelt_as_reference``."""
    for category in object_space().categories.values():
        if category.noun != category.reference:
            text = text.replace(category.reference, category.noun)
    return text


def _action(step: GroundAction) -> dict[str, object]:
    return reference_action((step.name, *step.arguments))


def _objects(task: HandMeThatTask, meaning: meanings.Meaning) -> list[list[object]]:
    return meanings.reference_groundings(meaning.quest, task.context.groundings(meaning))


def observations(task: HandMeThatTask, fully_observable: bool) -> Iterator[str]:
    """Yield what the expert has been told and has done before each of its commands, without the objective.

    As in the reference's files, each text repeats the one before, and has no commas.

    Raises:
        InputError: A command cannot be run.
    """
    world = TextWorld(task, fully_observable)
    text = world.reset().replace(f"{objective(task)}\n", "")
    for command in task.demonstration:
        yield spelt_as_reference(text.replace(",", ""))
        turn = world.step(command)
        if turn.action is None:
            raise InputError(f"the demonstration of episode {task.name} cannot be run: {command}")
        text = SEPARATOR.join((text, command, turn.observation))


Json: TypeAlias = Mapping[str, object]
T = TypeVar("T")

MOST_BYTES = 50_000_000

_NAME = re.compile(r"(task-|level).*\.json(\.gz)?")
_SAID = re.compile(r"""says[,:] ['"](.*)['"]\s*\Z""", re.DOTALL)


def reference_files(path: Path) -> tuple[Path, ...]:
    """Return the files below a folder that are named like the reference's, sorted.

    Of a file, itself if it is so called. These are ``task-*.json`` and ``level*.json``, also compressed.
    """
    found = path.rglob("*") if path.is_dir() else (path,)
    return tuple(sorted(each for each in found if _NAME.fullmatch(each.name) and each.is_file()))


def stem(path: Path) -> str:
    """Return a file's name without its suffixes."""
    return path.name.removesuffix(".gz").removesuffix(".json")


def read_document(path: Path) -> JsonSource:
    """Return the JSON document of a file, which may be compressed.

    Raises:
        UsageError: It cannot be read.
        InputError: It is not JSON.
        LimitError: It is too large or nested too deep.
    """
    data = read_bytes(path, MOST_BYTES)
    if path.name.endswith(".gz"):
        try:
            with gzip.open(io.BytesIO(data)) as file:
                data = file.read(MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"not a compressed file: {error}", location=Location(str(path))) from error
        if len(data) > MOST_BYTES:
            raise LimitError(f"larger than {MOST_BYTES:,} bytes", location=Location(str(path)))
    return parse_json(decode(data, str(path)), str(path), strict=False)


def load_reference(path: Path) -> HandMeThatTask:
    """Return the task of one of the reference's files, plain or compressed by gzip.

    Raises:
        InputError: It is no such file; the JSON path of what is wrong is told.
    """
    source = read_document(path)
    with source.locate():
        return task_of_reference(source.members, stem(path), source.path)


def file_tasks(path: str | Path) -> ReadSequence[HandMeThatTask]:
    """Return the tasks of the reference's files; each is read on access.

    Args:
        path: A file, or a folder whose files of the reference's names (``task-*.json``, ``level*.json``, also
            compressed), also those of folders in it, are taken in the order of their paths.

    Raises:
        InputError: There is no such file, or the folder has none.
    """
    root = Path(path)
    paths = reference_files(root) if root.is_dir() else (root,)
    if not paths:
        raise InputError("the folder has no episodes (task-*.json)", location=Location(str(root)))
    return ReadSequence(len(paths), lambda place: load_reference(paths[place]))


def task_of_reference(document: Json, name: str, path: str | None = None) -> HandMeThatTask:
    """Return the task of one of the reference's episodes.

    Raises:
        InputError: A value is missing or not of the reference's shape; its JSON path is told.
    """

    def read(key: str, reader: Callable[[object], T]) -> T:
        if key not in document:
            raise InputError(
                "is missing: this is not an episode of HandMeThat", location=Location(path, json_path=f"$.{key}")
            )
        try:
            return reader(document[key])
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError, IndexError, ChorewrightError) as error:
            said = error.message if isinstance(error, ChorewrightError) else _say_malformed(error)
            inner = error.location if isinstance(error, ChorewrightError) else None
            deeper = inner.json_path[1:] if inner is not None and inner.json_path else ""
            hint = error.hint if isinstance(error, ChorewrightError) else None
            raise InputError(said, location=Location(path, json_path=f"$.{key}{deeper}"), hint=hint) from error

    start = read("initial_object_dict", lambda value: scene_from_objects(cast(Json, value), SceneAgent()))
    plan = read("_possible_solution", actions_of_reference)
    prefix = read("action_list", actions_of_reference)
    if plan[: len(prefix)] != prefix:
        plan = prefix
    goal = read("_goal", lambda value: _formula(value, start))
    meaning = read("_meaning", meanings.meaning_of_reference)
    utterance = read("utterance", meanings.meaning_of_reference)
    objects = cast(Json, document["initial_object_dict"])
    scene = read("current_object_dict", lambda value: _scene_now(start, prefix, _all_of(objects, value)))
    ours = read(OURS, _ours) if document.get(OURS) else {}
    return HandMeThatTask(
        name=str(ours.get("name", name)),
        start=start,
        scene=scene,
        plan=plan,
        observed=len(prefix),
        goal=goal,
        meaning=meaning,
        utterance=utterance,
        sentence=_request_in(document.get("task_description")) or _sentence(utterance, scene, name),
        level=read("level", _level),
        useful=read(
            "_useful_objects", lambda value: _there(meanings.groundings_of_reference(meaning.quest, value), start)
        ),
        understood=read("_rsa_meaning", lambda value: None if value is None else meanings.meaning_of_reference(value)),
        template=str(ours.get("template", "")),
        number=read("goal_idx", lambda value: -1 if value == GOALS else int(cast(int, value))),
        subgoal=read("_subgoal", lambda value: _formula(value, start)) if document.get("_subgoal") else None,
        demonstration=read("demo_actions", _commands) if document.get("demo_actions") else (),
    )


def _there(groundings: tuple[meanings.Grounding, ...], scene: HandMeThatScene) -> tuple[meanings.Grounding, ...]:
    """Return what a request may be about, which must be in the scene.

    Raises:
        InputError: A thing is not there.
    """
    missing = [name for name, _ in groundings if name not in scene.by_name]
    if missing:
        raise InputError(f"{missing[0]} is not in the scene")
    return groundings


def _say_malformed(error: Exception) -> str:
    """Return what is wrong with a value that cannot be read."""
    return f"{error} is missing" if isinstance(error, KeyError) else "not as in HandMeThat's released files"


def _ours(value: object) -> Json:
    """Return what only our own files have.

    Raises:
        InputError: It is no JSON object.
    """
    if not isinstance(value, Mapping):
        raise InputError("expected a JSON object")
    return cast(Json, value)


def _commands(value: object) -> tuple[str, ...]:
    """Return a demonstration's commands.

    Raises:
        InputError: It is no list.
    """
    if not isinstance(value, list):
        raise InputError("expected a list of commands")
    return tuple(spelt_as_ours(str(each)) for each in cast("Sequence[object]", value))


def actions_of_reference(value: object) -> tuple[GroundAction, ...]:
    """Return a plan of the reference as our actions.

    Raises:
        InputError: It is no list of actions that HandMeThat has.
    """
    if not isinstance(value, list):
        raise InputError("expected a list of actions")
    arities = {action.name: len(action.parameters) for action in handmethat_domain().actions}
    found = []
    for step in cast("Sequence[Json]", value):
        name, *arguments = action_of_reference(str(step["name"]), cast("Sequence[str]", step["arguments"]))
        if arities.get(name) != len(arguments):
            raise InputError(f"{step['name']} with {len(arguments)} arguments is not an action of HandMeThat")
        found.append(GroundAction(name, tuple(arguments)))
    return tuple(found)


def _scene_now(start: HandMeThatScene, prefix: tuple[GroundAction, ...], stored: Json) -> HandMeThatScene:
    """Return the scene after the human's actions; the stored one where our domain does not allow them."""
    try:
        return scene_after(start, prefix, TRUE)
    except InputError:
        moves = [step.arguments[2] for step in prefix if step.name == "move"]
        return scene_from_objects(stored, SceneAgent(moves[-1]) if moves else None)


def _all_of(objects: Json, value: object) -> Json:
    """Return objects in a later state, which must be the same.

    Raises:
        InputError: It is no JSON object, or one of the objects is missing.
    """
    if not isinstance(value, Mapping):
        raise InputError("expected a JSON object")
    missing = [name for name in objects if name not in value]
    if missing:
        raise InputError(f"{missing[0]} is missing, which the scene began with")
    return cast(Json, value)


def _formula(value: object, scene: HandMeThatScene) -> Formula:
    return goal_of_reference(str(value), tuple(each.name for each in scene.entities))


def _level(value: object) -> int:
    """Return a level; the oldest files have 0 for 4."""
    level = int(cast(int, value))
    return 4 if level == 0 else level


def _request_in(description: object) -> str:
    """Return the sentence that the human says in a description; empty if there is none."""
    found = _SAID.search(description) if isinstance(description, str) else None
    return found.group(1) if found else ""


def _sentence(utterance: meanings.Meaning, scene: HandMeThatScene, name: str) -> str:
    """Return an utterance in words that follow from the task's name."""
    rng = np.random.Generator(np.random.PCG64(zlib.crc32(name.encode())))
    return request_sentence(utterance, meanings.context_of(scene), rng)
