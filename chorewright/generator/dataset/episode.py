"""The episode: everything that one demonstration is, and the only thing that the store writes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

from chorewright.domains.library import Library
from chorewright.domains.pddl.syntax import GroundAtom
from chorewright.errors import DatasetCorrupt, UsageError
from chorewright.files.english import say_count
from chorewright.files.lazily import Deferring
from chorewright.files.plugins import Origin, Registry, show_value
from chorewright.planner.plan import GroundAction


class EpisodeStart(Protocol):
    """Where an episode begins, a value of its world. What it is made of is the world's affair."""

    @property
    def name(self) -> str:
        """What the place is called."""


class Starts(Protocol):
    """How a world's starts are stored, completed and told.

    Found in the entry-point group ``chorewright.starts`` by the name of the column.

    Attributes:
        record: The dataclass of a start: its fields are the column's.
    """

    record: type

    def facts(self, library: Library) -> object:
        """Return what is true of every start and is not stored with each.

        Args:
            library: The user's kinds and domain.
        """

    def consequences(self, record: type) -> tuple[str, tuple[str, ...]] | None:
        """Return a stored field of a record within a start, and the fields that follow from it and the facts."""

    def follow(self, record: type, values: Sequence[Any], facts: Any) -> Sequence[Sequence[object]]:
        """Return the values of the fields that follow, for each of some values of the stored one."""

    def whole(self, start: Any, extras: Mapping[str, str]) -> EpisodeStart:
        """Return a start with what an episode's extras say of it.

        Raises:
            InputError: An extra is not what it should be.
        """

    def lines(self, start: Any, seed: int) -> Sequence[tuple[str, str]]:
        """Return what people are told of a start: heads and texts."""


STARTS: Registry[Starts] = Registry(
    "chorewright.starts", "start", ("record", "facts", "consequences", "follow", "whole", "lines")
)


@cache  # the metadata of the installation, which does not change while a process runs
def starts() -> Starts:
    """Return how the starts in the column ``scene`` are stored.

    Raises:
        UsageError: The package's entry points are not those of its code.
    """
    return STARTS.find("scene", Origin.FILE)


NOISE, PERTURBED = "noise", "perturbed"
"""The extra of an episode that noise has perturbed: how much of it; and the argument of each step that noise has put in
the place of another. Exports have a column of this name."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """A text, its level (goal, step, utterance, question, answer), the annotation it belongs to and its
    segment."""

    text: str
    level: str
    annotation: int = 0
    segment: int | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """A subgoal of the plan in the benchmark's vocabulary, e.g. HeatObject(apple).

    ``details`` are the benchmark's own fields as JSON text (ALFRED's planner_action).
    """

    action: str
    arguments: tuple[str, ...]
    details: str = "{}"


@dataclass(frozen=True, slots=True)
class Step:
    """One low-level simulator action: the benchmark's name for it, its segment, and what it changed.

    ``arguments`` is JSON text of the simulator call; ``added`` and ``removed`` are the atoms that changed.
    """

    action: str
    segment: int
    arguments: str = "{}"
    success: bool = True
    added: tuple[GroundAtom, ...] = ()
    removed: tuple[GroundAtom, ...] = ()

    def call(self) -> dict[str, Any]:
        """Return the arguments of the simulator call, read.

        Raises:
            DatasetCorrupt: They are no JSON object.
        """
        return json_object(self.arguments, f"arguments of the step {self.action!r}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether the demonstration was accepted; if not, the stage and reason. Conditions are (name, holds)."""

    accepted: bool
    reason: str = ""
    conditions: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class Episode(Deferring):
    """One demonstration with its provenance.

    ``parameters`` are the filled slots; ``attempts`` how many candidates (tuple, random seed) were tried
    for this index, with the reason of each rejected one in ``rejections``. ``scene`` is the start,
    a room; worlds that are no rooms have none, and describe their start in ``extras``, texts by name. The stored
    column of ``benchmark`` is ``recipe``.
    """

    benchmark: str = field(metadata={"column": "recipe"})
    index: int
    seed: int
    task: str
    parameters: tuple[tuple[str, str], ...]
    split: str
    scene: EpisodeStart | None = None
    domain_sha256: str = ""
    problem_sha256: str = ""
    goal: str = ""
    plan: tuple[GroundAction, ...] = ()
    plan_cost: float = 0.0
    planner: str = ""
    planner_configuration: str = ""
    segments: tuple[Segment, ...] = ()
    steps: tuple[Step, ...] = ()
    instructions: tuple[Instruction, ...] = ()
    outcome: Outcome = Outcome(True)
    attempts: int = 1
    rejections: tuple[str, ...] = ()
    extras: tuple[tuple[str, str], ...] = field(default=())

    @property
    def room(self) -> EpisodeStart:
        """The start with what the extras say of it, such as the building of a house.

        Raises:
            UsageError: the episode's world is no room.
            InputError: an extra is not what it should be.
        """
        if self.scene is None:
            raise UsageError(f"episode {self.index} of the benchmark {self.benchmark} has no room")
        return starts().whole(self.scene, dict(self.extras))

    def extra(self, name: str) -> str:
        """Return an extra of the episode.

        Raises:
            DatasetCorrupt: It has none of this name.
        """
        text = dict(self.extras).get(name)
        if text is None:
            raise DatasetCorrupt(f"episode {self.index} has no {name}")
        return text

    def __repr__(self) -> str:
        said = next((each.text for each in self.instructions), self.goal)
        counts = f"{say_count(len(self.plan), 'action')}, {say_count(len(self.steps), 'step')}"
        end = "" if self.outcome.accepted else ", rejected"
        return f"Episode({self.index} of {self.benchmark}, {self.split}: {self.task}, {said!r}, {counts}{end})"

    def _repr_html_(self) -> str:
        """Return the episode as a notebook shows it."""
        return str(show_value(self, "chorewright.interface.drawing:episode_html"))


def stored_json(text: str, what: str) -> Any:
    """Return what an episode holds as JSON text.

    Args:
        text: The text.
        what: What it is, in the plural, for the message.

    Raises:
        DatasetCorrupt: It is no JSON.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DatasetCorrupt(f"the {what} are no JSON: {error}") from error


def json_object(text: str, what: str) -> dict[str, Any]:
    """Return a JSON object that an episode holds as text; arguments as ``stored_json``.

    Raises:
        DatasetCorrupt: It is no JSON object.
    """
    value = stored_json(text, what)
    if not isinstance(value, dict):
        raise DatasetCorrupt(f"the {what} are no JSON object")
    return value


class RejectionReason(str):
    """The text of a rejection, with the stage that the attempt said. Read from a dataset it is a plain text.

    Attributes:
        stage: The stage that failed.
    """

    __slots__ = ("stage",)
    stage: str

    def __new__(cls, stage: str, text: str) -> RejectionReason:
        """Make the text of a rejection, in which the stage is named already."""
        made = super().__new__(cls, text)
        made.stage = stage
        return made

    def __reduce__(self) -> tuple[type[RejectionReason], tuple[str, str]]:
        return RejectionReason, (self.stage, str(self))


LOST = "lost: "
"""How the reason of an index begins that gave no answer: each worker that made it died or was ended."""


@dataclass(frozen=True, slots=True)
class RejectedIndex:
    """An index that has no row, since no candidate of its assignment led to an accepted demonstration.

    ``tries`` has the reason of each attempt where there were several.
    """

    index: int
    task: str
    scene: str
    reason: str
    tries: tuple[str, ...] = ()

    @property
    def attempts(self) -> tuple[str, ...]:
        """The reasons of all its attempts, in order."""
        return self.tries or (self.reason,)

    @property
    def lost(self) -> bool:
        """Whether no attempt came to an end: each one hung or killed its worker."""
        return self.reason.startswith(LOST)
