"""TEACh's files as others wrote them: game files, EDH and TfD instances, inferred actions.

Only what evaluation and checking need is read and required; whatever else a file holds is left alone. A game
is one task and one episode with initial state, interactions and final state; an instance is a part of a game
that is to be inferred.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from chorewright.domains.teach.definition import Value
from chorewright.domains.teach.world import ObjectWorld, world_of
from chorewright.files.json_node import Node, root
from chorewright.files.json_source import JsonValue, load_json

MOST_BYTES = 200_000_000
"""A game has two states with the metadata of some hundred objects each: a few megabytes."""

GAME = ".game.json"
"""How the names of game files end."""

COMMANDER, DRIVER = 0, 1
"""Agents of a game; the Driver is the paper's Follower."""


def read_json(path: Path) -> Node:
    """Read a JSON file.

    Raises:
        UsageError: It cannot be read.
        InputError: It is not JSON.
        LimitError: It is too large or nested too deep.
    """
    return root(load_json(path, MOST_BYTES, strict=False))


@dataclass(frozen=True, slots=True)
class Interaction:
    """One action of an agent, as far as evaluation looks at it."""

    agent: int
    action: int
    success: bool
    node: Node


@dataclass(frozen=True, slots=True)
class TeachGame:
    """A session: what was to be done, and the episode."""

    task: str
    params: tuple[str, ...]
    episode: Node

    @property
    def world(self) -> str:
        """The room, e.g. ``FloorPlan12``."""
        return self.episode["world"].text().removesuffix("_physics")

    def state(self, name: str, classes: Mapping[str, tuple[str, ...]]) -> ObjectWorld:
        """Return ``initial_state`` or ``final_state`` as the progress check sees it.

        Raises:
            InputError: It is missing, or is no state.
        """
        node = self.episode[name]
        with node.locate():
            return world_of(node.value, classes, path=node.path)

    def interactions(self) -> tuple[Interaction, ...]:
        """Return all actions, in order."""
        found = []
        for node in self.episode["interactions"].items():
            agent, action = node["agent_id"].whole(), node["action_id"].whole()
            success = node["success"].value if "success" in node else 1
            found.append(Interaction(agent, action, bool(success), node))
        return tuple(found)


def is_game(value: object) -> bool:
    """Whether a JSON value looks like a game file."""
    return isinstance(value, Mapping) and "tasks" in value and "objects" not in value


def read_game(path: Path) -> TeachGame:
    """Read a game file.

    Raises:
        InputError: It is no game, or lacks what every game has.
    """
    root = read_json(path)
    if not is_game(root.value):
        raise root.error("this is no TEACh game: it has no 'tasks'")
    task = root["tasks"].only()
    params = tuple(node.text() for node in task["task_params"].items()) if "task_params" in task else ()
    return TeachGame(task["task_name"].text(), params, task["episodes"].only())


@dataclass(frozen=True, slots=True)
class Instance:
    """A part of a game that is to be inferred: ``<game>.edh<k>`` or ``<game>.tfd``."""

    name: str
    game: str
    reference_length: int
    node: Node

    @property
    def from_history(self) -> bool:
        """Whether it is an EDH instance; else it is a TfD one."""
        return kind_of_instance(self.name) == "edh"

    @property
    def changes(self) -> dict[str, dict[str, Value]]:
        """Of each object the expected changes.

        Raises:
            InputError: They are missing, or are none.
        """
        node = self.node["state_changes"]["objects"]
        found = node.value
        if not isinstance(found, dict) or not all(isinstance(each, dict) for each in found.values()):
            raise node.error("expected the changed properties of each object")
        return {
            name: {prop: _plain(value) for prop, value in changed.items()}
            for name, changed in found.items()
            if isinstance(changed, dict)
        }


def _plain(value: JsonValue) -> Value:
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def kind_of_instance(name: str) -> str | None:
    """Return ``edh`` or ``tfd``, as the name of an instance tells; None if it does not."""
    last = name.rpartition(".")[2]
    if last == "tfd":
        return "tfd"
    return "edh" if last.startswith("edh") and last[3:].isdecimal() else None


def read_instance(path: Path) -> Instance:
    """Read an EDH or TfD instance, named after its file.

    Raises:
        InputError: It lacks the actions that are to be inferred.
    """
    root = read_json(path)
    name = path.name.removesuffix(".json")
    length = sum(1 for _ in root["driver_actions_future"].items())
    return Instance(name, name.split(".")[0], length, root)
