"""A HandMeThat task as an episode holds it: an extra with JSON text."""

from __future__ import annotations

from chorewright.domains.pddl.syntax import Problem
from chorewright.errors import InputError
from chorewright.generator.dataset.episode import Episode
from chorewright.problems.handmethat.scene import ROBOT
from chorewright.problems.handmethat.states import problem_of
from chorewright.replay.handmethat.expert import goal_of
from chorewright.replay.handmethat.records import loads
from chorewright.replay.handmethat.task import HandMeThatTask

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


def stored_problem(episode: Episode) -> Problem:
    """Return the robot's problem: the scene in which it is asked, and any of what may be meant as the goal.

    Raises:
        InputError: It is an episode of something else.
    """
    task = task_of(episode)
    goal = goal_of(task.context, task.meaning.quest, task.groundings)
    return problem_of(task.scene, goal, ROBOT, f"handmethat-{episode.index}")
