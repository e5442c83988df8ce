"""A HandMeThat task as an episode holds it: an extra with JSON text."""

from __future__ import annotations

from chorewright.errors import InputError
from chorewright.generator.episode import Episode
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
