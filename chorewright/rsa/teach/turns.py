"""What is talked about in a session, and what comes of it: the turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chorewright.problems.household.scene import Scene
from chorewright.rsa.household.directives import Leg
from chorewright.rsa.teach.deeds import StateOf
from chorewright.rsa.teach.sentences import Saying, Unclear


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance.

    Attributes:
        leg: Before which leg it is said; as many as there are legs: at the end.
        speaker: ``COMMANDER`` or ``FOLLOWER``.
        sayings: What is said, each part with its dialogue act.
        level: ``goal``, ``step``, ``question``, ``answer`` (where something is) or ``utterance`` (all else).
        about: The object that a question or answer is about.
        trouble: The number of the trouble that it comes right after, -1 if there is none.
    """

    leg: int
    speaker: int
    sayings: tuple[Saying, ...]
    level: str = "utterance"
    about: str = ""
    trouble: int = -1

    @property
    def text(self) -> str:
        """All that is said."""
        return " ".join(each.text for each in self.sayings)


@dataclass(frozen=True, slots=True)
class Part:
    """A sub-goal: its wordings, and the leg with which the work on it begins.

    ``together`` tells that it brings together what others prepare.
    """

    leg: int
    wordings: tuple[str, ...]
    together: bool = False


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that goes wrong: its kind (a situation ``trouble KIND`` of the data), its leg and objects."""

    kind: str
    leg: int
    item: str
    other: str = ""
    instead: bool = False  # of getting the item or a tool for it, something else is done


@dataclass(frozen=True, slots=True)
class Talk:
    """What is talked about.

    Attributes:
        goals: Wordings of the task.
        unclear: Wordings of it that leave something open.
        parts: Gives its sub-goals in the order in which they are worked on; None if it has none. Only asked
            where the Commander says them.
        legs: The plan's segments, as ``directives`` takes them.
        scene: The scene at the start.
        state: The attributes of objects before each leg.
        troubles: What goes wrong, in order.
    """

    goals: Sequence[str]
    unclear: Sequence[Unclear]
    parts: Callable[[], Sequence[Part]] | None
    legs: Sequence[Leg]
    scene: Scene
    state: StateOf
    troubles: Sequence[Trouble] = ()
