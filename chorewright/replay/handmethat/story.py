"""What the robot is told at first: the places, what the human did, and what she asked for."""

from __future__ import annotations

from chorewright.problems.handmethat.scene import HUMAN
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.words import called, words
from chorewright.rsa.requests import action_sentence


def story(task: HandMeThatTask) -> str:
    """Return the welcome and the objective."""
    known = words()
    places = ", ".join(called(each.name) for each in task.scene.entities if not each.category.movable)
    lines = [known.say("welcome", places=places)]
    if task.scene.robot.at != HUMAN:
        lines.append(known.say("standing", place=called(task.scene.robot.at)))
    return "\n".join([*lines, objective(task)])


def objective(task: HandMeThatTask) -> str:
    """Return what the human did, and what she asked for."""
    known = words()
    watched = [action_sentence(action) for action in task.prefix]
    first = known.say("watched" if watched else "nothing_watched")
    return "\n".join([first, *watched, known.say("request", sentence=task.sentence)])
