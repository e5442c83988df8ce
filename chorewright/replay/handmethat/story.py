"""The robot's first observation (Table 19): the places, what the human did, and what she asked for."""

from __future__ import annotations

from chorewright.files.english import article
from chorewright.problems.handmethat.scene import HUMAN
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.words import called, words
from chorewright.rsa.handmethat.requests import action_sentence, preposition


def story(task: HandMeThatTask) -> str:
    """Return the welcome, with the places where the robot is not, and the objective."""
    known, at = words(), task.scene.robot.at
    others = [each for each in task.scene.entities if not each.category.movable and each.name != at]
    places = (f"{article(noun)} {noun}" for noun in (called(each.name) for each in others))
    lines = [known.say("welcome", places=", ".join(places))]
    if at != HUMAN:
        here = task.scene.by_name[at]
        lines.append(known.say("standing", relation=preposition(here.category.relation), place=called(at)))
    return "\n".join([*lines, objective(task)])


def objective(task: HandMeThatTask) -> str:
    """Return what the human did, and what she asked for."""
    known = words()
    watched = [action_sentence(action) for action in task.prefix]
    first = known.say("watched" if watched else "nothing_watched")
    return "\n".join([first, *watched, known.say("request", sentence=task.sentence)])
