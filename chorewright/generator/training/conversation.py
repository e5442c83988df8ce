"""Conversations: episodes as language models are trained on them, message by message.

A benchmark that has them shows it by ``HasConversations``; the exporter reads episodes through it, and knows no
benchmark.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from chorewright.errors import UsageError
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.production.benchmark import BENCHMARKS, find_benchmark

SYSTEM, USER, ASSISTANT = "system", "user", "assistant"
"""The roles of messages: who sets the task, what the world tells, and what the agent says."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message.

    Attributes:
        role: ``system``, ``user`` or ``assistant``.
        content: Its text.
        astray: Whether it is a wrong turn, which should not be learned from.
    """

    role: str
    content: str
    astray: bool = False


@dataclass(frozen=True, slots=True)
class ChatStyle:
    """How episodes are told.

    Attributes:
        noise: The share of the agent's steps that go astray, from 0 to below 1; the expert goes on from there.
        thoughts: Whether the agent says what it is about before it acts.
        admissible: Whether the world lists what can be done.
        annotated: Whether the task is told by an annotator's sentence rather than by the world's own.
        seed: Another seed, other wrong turns.
        exploring: Whether the agent has to find things first, rather than knowing where they are.
    """

    noise: float = 0.0
    thoughts: bool = False
    admissible: bool = False
    annotated: bool = False
    seed: int = 0
    exploring: bool = False

    def random_for(self, episode: Episode) -> np.random.Generator:
        """Return the random numbers of an episode: they follow from the seed, the episode's and its index."""
        words = np.random.SeedSequence((self.seed, episode.seed, episode.index))
        return np.random.Generator(np.random.PCG64(words))


class Conversations(Protocol):
    """Tells a benchmark's stored episodes as conversations."""

    def conversation(self, episode: Episode, style: ChatStyle) -> tuple[Message, ...]:
        """Return an episode's messages: the system's, then the world and the agent in turn, the agent last.

        There are none if the agent does not reach the goal.

        Raises:
            InputError: The benchmark's episodes are not told in this style.
        """
        ...


@runtime_checkable
class HasConversations(Protocol):
    """A benchmark whose episodes can be told as conversations."""

    def conversations(self) -> Conversations:
        """Return what tells them."""
        ...


def conversations_of(benchmark: str) -> Conversations:
    """Return what tells a benchmark's episodes as conversations.

    Raises:
        MissingPlugin: The benchmark is not installed.
        UsageError: Nothing does.
    """
    found = find_benchmark(benchmark)
    if not isinstance(found, HasConversations):
        able = [name for name, each in BENCHMARKS.usable().items() if isinstance(each, HasConversations)]
        hint = f"those of these can: {', '.join(able)}"
        raise UsageError(f"episodes of the benchmark {benchmark} cannot be told as conversations", hint=hint)
    return found.conversations()
