"""Agents in text worlds, and those of users: what they raise or answer wrongly becomes an error that names them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

import numpy as np

from chorewright.errors import ChorewrightError, UsageError, first_line
from chorewright.files.plugins import raised_at

AnswerT = TypeVar("AnswerT")
TaskT = TypeVar("TaskT")
ContraT = TypeVar("ContraT", contravariant=True)


def hear(
    call: Callable[[], AnswerT],
    failing: str,
    kind: type[ChorewrightError] = UsageError,
    passing: tuple[type[Exception], ...] = (),
) -> AnswerT:
    """Return what a user's code answers to a call.

    Args:
        call: The call.
        failing: How the error begins.
        kind: The error.
        passing: What may come out of the call as it is: it is ours.

    Raises:
        ChorewrightError: It fails, or ends the process. With ``CHOREWRIGHT_DEBUG`` set, what it raises is raised.
    """
    try:
        return call()
    except passing:
        raise
    except (Exception, SystemExit) as error:  # whatever the user's code raises
        if os.environ.get("CHOREWRIGHT_DEBUG"):
            raise
        raise kind(f"{failing}: {first_line(error)}", location=raised_at(error)) from error


class Begins(Protocol[ContraT]):
    """An agent that is told what it has to do."""

    def begin(self, task: ContraT, rng: np.random.Generator, /) -> object:
        """Begin an episode."""


class TextAgent(Protocol[ContraT]):
    """Plays episodes one after the other; the same random numbers give the same play."""

    def begin(self, task: ContraT, rng: np.random.Generator, /) -> None:
        """Begin an episode.

        The task says all, also what is hidden: what an agent looks at there decides with whom it compares.
        """
        ...

    def act(self, observation: str, admissible: Sequence[str]) -> str:
        """Return the next command, after an observation."""
        ...


class RandomTextAgent:
    """Chooses one of the admissible commands at random."""

    def begin(self, task: object, rng: np.random.Generator) -> None:
        self._rng = rng

    def act(self, observation: str, admissible: Sequence[str]) -> str:
        return admissible[int(self._rng.integers(len(admissible)))]


class Foreign(Generic[TaskT]):
    """A user's agent, begun and asked so that errors say where it fails.

    Args:
        name: What the user calls it.
        agent: The agent.
        place: How an episode is called in an error.
    """

    def __init__(self, name: str, agent: Begins[TaskT], place: Callable[[TaskT], str]) -> None:
        self.name = name
        self._begins, self._place, self._at = agent.begin, place, ""

    def begin(self, task: TaskT, rng: np.random.Generator) -> None:
        """Tell the agent what it has to do.

        Raises:
            UsageError: It fails.
        """
        self._at = self._place(task)
        self.heard(lambda: self._begins(task, rng))

    def heard(self, call: Callable[[], object]) -> object:
        """Return what the agent answers to a call.

        Raises:
            UsageError: It fails.
        """
        return hear(call, f"the agent {self.name!r} fails in {self._at}")


class ForeignTextAgent(Foreign[TaskT]):
    """A user's agent in a text world; arguments as ``Foreign``."""

    def __init__(self, name: str, agent: TextAgent[TaskT], place: Callable[[TaskT], str]) -> None:
        super().__init__(name, agent, place)
        self._acts = agent.act

    def act(self, observation: str, admissible: Sequence[str]) -> str:
        """Return the agent's next command.

        Raises:
            UsageError: It fails, or what it answers is no text.
        """
        command = self.heard(lambda: self._acts(observation, admissible))
        if not isinstance(command, str):
            raise UsageError(f"the agent {self.name!r} answers {command!r:.40}, which is not a command")
        return command
