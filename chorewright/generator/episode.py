"""The episode: everything that one demonstration is, and the only thing that the store writes."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from chorewright.domains.pddl.syntax import GroundAtom
from chorewright.errors import DatasetCorrupt, UsageError
from chorewright.files.json_node import root
from chorewright.files.json_source import parse_json
from chorewright.files.lazily import Deferring
from chorewright.files.plugins import shown
from chorewright.planner.plan import GroundAction
from chorewright.problems.thor.houses.building import Building
from chorewright.problems.thor.houses.reading import house_of
from chorewright.problems.thor.houses.writing import house_record
from chorewright.problems.thor.scene import Scene

BUILDING = "house"
"""The name of the extra with the rooms and walls of a house, as JSON in the format of houses."""


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
    for this index, with the reason of each rejected one in ``rejections``. ``scene`` is the room at the
    start; worlds that are no rooms have none, and describe their start in ``extras``, texts by name. The stored
    column of ``benchmark`` is ``recipe``.
    """

    benchmark: str = field(metadata={"column": "recipe"})
    index: int
    seed: int
    task: str
    parameters: tuple[tuple[str, str], ...]
    split: str
    scene: Scene | None
    domain_sha256: str
    problem_sha256: str
    goal: str
    plan: tuple[GroundAction, ...]
    plan_cost: float
    planner: str
    planner_configuration: str
    segments: tuple[Segment, ...]
    steps: tuple[Step, ...]
    instructions: tuple[Instruction, ...]
    outcome: Outcome
    attempts: int = 1
    rejections: tuple[str, ...] = ()
    extras: tuple[tuple[str, str], ...] = field(default=())

    @property
    def room(self) -> Scene:
        """The scene; a house's has its building, which is stored among the extras.

        Raises:
            UsageError: the episode's world is no room.
            InputError: the extra is no house.
        """
        if self.scene is None:
            raise UsageError(f"episode {self.index} of the benchmark {self.benchmark} has no room")
        text = dict(self.extras).get(BUILDING)
        if text is None or self.scene.building is not None:
            return self.scene
        return replace(self.scene, building=_building(text))

    def __repr__(self) -> str:
        said = next((each.text for each in self.instructions), self.goal)
        counts = f"{len(self.plan)} actions, {len(self.steps)} steps"
        end = "" if self.outcome.accepted else ", rejected"
        return f"Episode({self.index} of {self.benchmark}, {self.split}: {self.task}, {said!r}, {counts}{end})"

    def _repr_html_(self) -> str:
        """Return the episode as a notebook shows it."""
        return str(shown(self, "chorewright.interface.notebook:episode_html"))


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


def building_extras(scene: Scene) -> tuple[tuple[str, str], ...]:
    """Return what an episode's extras say of the scene's building; nothing of a room."""
    if scene.building is None:
        return ()
    return ((BUILDING, json.dumps(house_record(scene.building.house), sort_keys=True, separators=(",", ":"))),)


@lru_cache(maxsize=64)
def _building(text: str) -> Building:
    return Building(house_of(root(parse_json(text))))
