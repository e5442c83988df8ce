"""Tasks for language models and what their answers earn, as plain values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from chorewright.files.english import require_known

Facts: TypeAlias = Mapping[str, Any]
"""What a judge has to know of a task, as plain data: texts, numbers, lists of these."""

PARTIAL = 0.49
"""What an answer that does not reach the goal earns at most."""


@dataclass(frozen=True, slots=True)
class RewardTask:
    """A task with a judge.

    Attributes:
        kind: Which kind of tasks it is of.
        name: Its kind, source, split, seed and number; the same name is the same task.
        prompt: What the model is told and asked.
        gold: An answer that scores 1.
        difficulty: How hard it is, in numbers that were computed: ``cost`` and ``steps`` of the best known answer,
            ``objects``, ``branching`` (actions that are possible at the start).
        facts: What the judge has to know; a model must not see it.
        split: ``train`` or ``eval``.
    """

    kind: str
    name: str
    prompt: str
    gold: str
    difficulty: Mapping[str, float]
    facts: Facts = field(repr=False)
    split: str = "train"

    @property
    def messages(self) -> list[dict[str, str]]:
        """The prompt as a conversation of one message."""
        return [{"role": "user", "content": self.prompt}]


@dataclass(frozen=True, slots=True)
class Score:
    """What an answer earns.

    Attributes:
        reward: From 0 to 1; 1 for an answer that is right, at most ``PARTIAL`` for one that does not reach the goal.
        parts: Of what the reward is made.
        why: One sentence for whoever wrote the answer.
    """

    reward: float
    parts: Mapping[str, float]
    why: str


def check_choice(what: str, value: str, choices: Sequence[str]) -> None:
    """Check what was chosen.

    Raises:
        UsageError: It is none of the choices.
    """
    require_known(value, choices, f"there is no {what} {value!r}", f"{what}s: {', '.join(choices)}")


def refusal(why: str) -> Score:
    """Return the score of what is no answer."""
    return Score(0.0, {}, why)


@dataclass(frozen=True)
class TaskKind(ABC):
    """A kind of tasks from one source; fields of its classes are the options of the source.

    Attributes:
        name: What the kind is called.
    """

    name: ClassVar[str]

    @abstractmethod
    def task(self, seed: int, index: int) -> RewardTask:
        """Return one task; the same numbers give the same one.

        Raises:
            UsageError: The source has no such task.
        """

    @abstractmethod
    def score(self, facts: Facts, completion: object) -> Score:
        """Return what an answer to a task with these facts earns; any value may be an answer."""

    def bands(self) -> tuple[str, ...]:
        """Return the bands of difficulty for the option ``band``, from easy to hard; none without that option."""
        return ()
