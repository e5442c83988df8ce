"""A HandMeThat task as an episode holds it: told as a conversation or transitions, written as the reference's file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec

from chorewright.domains.pddl.syntax import Problem
from chorewright.errors import DatasetCorrupt, InputError, Location
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import NoOptions
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.training.chat import ASSISTANT, SYSTEM, USER, ChatStyle, Message
from chorewright.generator.training.exporter import Exported, Exporter, export_folder
from chorewright.generator.training.transitions import EpisodeTransitions
from chorewright.problems.handmethat.scene import ROBOT
from chorewright.problems.handmethat.states import problem_of
from chorewright.replay.handmethat.agents import commands_for
from chorewright.replay.handmethat.environment import HandMeThatEnv
from chorewright.replay.handmethat.expert import goal_of
from chorewright.replay.handmethat.reference import GOALS, file_name, reference_of_task
from chorewright.replay.handmethat.task import HandMeThatTask, dumps, loads
from chorewright.replay.handmethat.words import words
from chorewright.replay.handmethat.world import TextWorld
from chorewright.rsa.handmethat.meanings import Quest

TASK = "task"
"""The extra that holds a ``HandMeThatTask`` as JSON text."""


def task_of(episode: Episode) -> HandMeThatTask:
    """Return the task of an accepted episode of HandMeThat.

    Raises:
        InputError: It is an episode of something else.
    """
    text = dict(episode.extras).get(TASK)
    if text is None:
        raise InputError(
            f"episode {episode.index} of {episode.benchmark} is no accepted episode of HandMeThat",
            hint="chorewright generate handmethat makes such",
        )
    return loads(text)


def read_problem(episode: Episode) -> Problem:
    """Return the robot's problem: the scene in which it is asked, and any of what may be meant as the goal.

    Raises:
        InputError: It is an episode of something else.
    """
    task = task_of(episode)
    goal = goal_of(task.context, task.meaning.quest, task.groundings)
    return problem_of(task.scene, goal, ROBOT, f"handmethat-{episode.index}")


# HandMeThat's episodes as conversations: the text world, played by one who knows what is meant, with wrong turns.


MOST_ASTRAY = 10
"""Wrong turns of an episode, so that its moves last."""


class HandMeThatConversations:
    """Tells episodes as plays of the text world; see ``Conversations``."""

    def conversation(self, episode: Episode, style: ChatStyle) -> tuple[Message, ...]:
        """Return an episode's messages; see ``Conversations.conversation``."""
        if style.thoughts or style.annotated or style.exploring:
            reason = "requests for help are told without thoughts, annotators' sentences and exploring"
            raise InputError(reason, location=Location(f"episode {episode.index}"))
        return play_messages(task_of(episode), style, style.random_for(episode))


def play_messages(task: HandMeThatTask, style: ChatStyle, rng: np.random.Generator) -> tuple[Message, ...]:
    """Return what is said while what is meant is done; nothing if it cannot be."""
    world = TextWorld(task)
    known = words()
    messages = [Message(SYSTEM, "\n".join([known.say("chat"), *known.help]))]
    observation, astray = world.reset(), 0
    plan = list(commands_for(task, task.groundings))
    while not world.won:
        if not plan:
            return ()
        listed = f"\n{known.say('chat_admissible')}\n" + "\n".join(world.admissible()) if style.admissible else ""
        messages.append(Message(USER, observation + listed))
        wrong = astray < MOST_ASTRAY and rng.random() < style.noise
        command = _wrong_turn(world, plan[0], rng) if wrong else plan[0]
        observation = world.step(command).observation
        wrong = command != plan[0]
        messages.append(Message(ASSISTANT, command, wrong))
        astray += wrong
        plan = list(commands_for(task, task.groundings, world.scene)) if wrong else plan[1:]
    return tuple(messages)


def _wrong_turn(world: TextWorld, right: str, rng: np.random.Generator) -> str:
    """Return a random admissible walk or other command that is not the expert's; that one if there is no other."""
    others = [command for command in world.admissible() if command != right]
    return others[int(rng.integers(len(others)))] if others else right


# HandMeThat's episodes as transitions: the robot's commands, given to the text world again.


HELP = 1
"""The segment of the robot's steps."""


class TextTransitions:
    """Plays the stored commands in the environment; each episode's task is what ``reset`` takes."""

    environment: EnvSpec | None = EnvSpec(
        "chorewright/HandMeThat-v2", "chorewright.environments:hand_me_that", kwargs={"version": 2}
    )

    @cached_property
    def _spaces(self) -> HandMeThatEnv:
        return HandMeThatEnv(_no_task, infos=())

    @property
    def observation_space(self) -> gymnasium.Space[Any]:
        """Texts."""
        return self._spaces.observation_space

    @property
    def action_space(self) -> gymnasium.Space[Any]:
        """Commands."""
        return self._spaces.action_space

    def transitions(self, episode: Episode) -> EpisodeTransitions:
        """Return what the world says to each command; see ``TransitionSource``."""
        task = task_of(episode)
        env = HandMeThatEnv([task], infos=())
        said, _ = env.reset(options={"index": 0})
        commands = [step.call()["command"] for step in episode.steps if step.segment == HELP]
        observations, rewards, terminated, truncated = [said], [], False, False
        for command in commands:
            said, reward, terminated, truncated, _ = env.step(command)
            observations.append(said)
            rewards.append(reward)
        if not env.play.won:
            raise DatasetCorrupt(f"the commands of episode {episode.index} do not fulfil the request")
        return EpisodeTransitions(
            observations, commands, np.array(rewards), terminated, truncated, {"task": dumps(task)}
        )


def _no_task(rng: np.random.Generator) -> Any:
    raise AssertionError("only the spaces are asked for")


# HandMeThat's episodes as the reference's files: one JSON document each, and the list of them that it reads.
#
# Layout: ``HandMeThat_with_expert_demonstration/task-<request>-<goal>-<index>-<level>.json`` and, beside the
# folder, ``HandMeThat_data_info.json``: the files' names by type of request, by level, by goal and by split.
# The schema is in ``docs/handmethat_world.md``; ``replay.handmethat.reference`` reads it.


FOLDER = "HandMeThat_with_expert_demonstration"
INFO = "HandMeThat_data_info.json"

_SPLITS = {"train": "train", "validation": "validate", "test": "test"}
"""Our splits, as the reference calls them."""


class HandMeThatExporter(Exporter[NoOptions]):
    """Writes accepted episodes as the reference's."""

    name = "handmethat"
    accepts = ("handmethat",)
    options = NoOptions

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the episodes and the list of them; see ``Exporter.write``."""
        folder = export_folder(episodes, target, self.name)
        version = dict(episodes.manifest.tool).get("chorewright", "") if isinstance(episodes, Dataset) else ""
        lists = _Lists()
        for episode in folder.take(self.follow(episodes)):
            task = task_of(episode)
            name = file_name(task, episode.index)
            costs = dict(episode.extras).get("costs", "")
            document = reference_of_task(task, episode.index, costs, version)
            folder.write((FOLDER, name), _bytes(document))
            lists.add(name, task, episode)
        folder.write((INFO,), _bytes(lists.document))
        return folder.report()


def _bytes(value: object) -> bytes:
    """Return a JSON text; the order of keys is kept, as that of objects is part of a scene."""
    return (json.dumps(value, allow_nan=False) + "\n").encode()


class _Lists:
    """The files' names by type of request, level, goal and split."""

    def __init__(self) -> None:
        self.requests: dict[str, list[str]] = {quest.value: [] for quest in Quest}
        self.levels: dict[str, list[str]] = {f"level{level}": [] for level in (1, 2, 3, 4)}
        self.goals: dict[str, list[str]] = {str(number): [] for number in range(GOALS)}
        self.splits: dict[str, list[str]] = {split: [] for split in _SPLITS.values()}

    @property
    def document(self) -> list[Mapping[str, list[str]]]:
        return [self.requests, self.levels, self.goals, self.splits]

    def add(self, name: str, task: HandMeThatTask, episode: Episode) -> None:
        """Note an episode's file.

        Raises:
            InputError: Its split is none of the benchmark's.
        """
        if episode.split not in _SPLITS:
            raise InputError(
                f"episode {episode.index} is of an unknown split {episode.split!r}", hint=f"one of {', '.join(_SPLITS)}"
            )
        self.requests[task.meaning.quest.value].append(name)
        self.levels[f"level{task.level}"].append(name)
        if task.number >= 0:
            self.goals[str(task.number)].append(name)
        self.splits[_SPLITS[episode.split]].append(name)
