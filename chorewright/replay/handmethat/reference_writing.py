"""Tasks as the reference's episodes: documents of its JSON schema, the inverse of ``reference``.

A key of ours holds what the schema has no place for: the names of the task and its template, the kind of its
costs, and the version that found them.
"""

from __future__ import annotations

from chorewright.domains.handmethat.object_space import object_space
from chorewright.errors import InputError
from chorewright.planner.plan import GroundAction
from chorewright.problems.handmethat.reference import objects_of, reference_action
from chorewright.replay.handmethat.reference_goals import reference_of_goal
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.views import objective
from chorewright.replay.handmethat.world import TextWorld
from chorewright.rsa.handmethat.meanings import Meaning, reference_groundings, reference_meaning

GOALS = 69
"""The reference numbers its goals from 0; a goal of none of these gets this number."""

OURS = "chorewright"
"""The key of what only we store."""

_SEPARATOR = " [SEP] "


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
        "_meaning": reference_meaning(task.meaning),
        "utterance": reference_meaning(task.utterance),
        "_possible_solution": [_action(step) for step in task.plan],
        "_objects_in_utterance": _objects(task, task.utterance),
        "_objects_in_meaning": _objects(task, task.meaning),
        "_useful_objects": reference_groundings(task.meaning.quest, task.useful),
        "level": task.level,
        "_rsa_meaning": None if task.understood is None else reference_meaning(task.understood),
        "_objects_in_rsa_meaning": _objects(task, understood),
        "_subgoal": subgoal,
        "demo_actions": [spelt_as_reference(command) for command in task.demonstration],
        "demo_observations_partially": _observations(task, fully_observable=False),
        "demo_observations_fully": _observations(task, fully_observable=True),
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


def _objects(task: HandMeThatTask, meaning: Meaning) -> list[list[object]]:
    return reference_groundings(meaning.quest, task.context.groundings(meaning))


def _observations(task: HandMeThatTask, fully_observable: bool) -> list[str]:
    """Return what the expert has been told and has done before each of its commands, without the objective.

    As in the reference's files, each text repeats the one before, and has no commas.
    """
    if not task.demonstration:
        return []
    world = TextWorld(task, fully_observable)
    text = world.reset().replace(f"{objective(task)}\n", "")
    found = []
    for command in task.demonstration:
        found.append(spelt_as_reference(text.replace(",", "")))
        turn = world.step(command)
        if turn.action is None:
            raise InputError(f"the demonstration of episode {task.name} cannot be run: {command}")
        text = _SEPARATOR.join((text, command, turn.observation))
    return found
