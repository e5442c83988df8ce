"""A scene of HandMeThat: the objects with their states, where each is, and the two agents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from chorewright.domains.handmethat.object_space import Category, category_of, object_space

HUMAN = "human_0"
ROBOT = "robot_0"
START = "floor_0"
"""Where both agents stand at first."""


@dataclass(frozen=True, slots=True)
class Entity:
    """An object or location.

    Attributes:
        name: Its name in PDDL: category, underscore, number from 0 (``xmas-tree_0``; ``table_0``).
        relation: ``inside`` or ``ontop`` of its container; empty for locations and for what an agent holds.
        container: The name of the location or receptacle that it is directly in or on; empty likewise.
        states: The states that hold, of those its category can be in (``open``, ``dusty`` ...).
        color: ``red``, ``green``, ``blue``; empty if the category has no color.
        size: ``large``, ``small``; empty if the category has no size.
    """

    name: str
    relation: str = ""
    container: str = ""
    states: frozenset[str] = frozenset()
    color: str = ""
    size: str = ""

    @property
    def category(self) -> Category:
        return object_space().categories[category_of(self.name)]

    @property
    def number(self) -> int:
        return int(self.name.rpartition("_")[2])

    def can_be(self, state: str) -> bool:
        """Return whether the state is one that its category can be in."""
        return object_space().states[state] in self.category.properties


@dataclass(frozen=True, slots=True)
class Agent:
    """The human or the robot: the name of the place it is at and of what it holds (empty: nothing).

    A place is a location; for the robot the human, too.
    """

    at: str = START
    holding: str = ""


@dataclass(frozen=True)
class Scene:
    """The locations, then the objects, in the order of Table 7; and the agents."""

    entities: tuple[Entity, ...]
    human: Agent = Agent()
    robot: Agent = Agent()

    @cached_property
    def by_name(self) -> Mapping[str, Entity]:
        return {each.name: each for each in self.entities}

    @cached_property
    def by_category(self) -> Mapping[str, tuple[Entity, ...]]:
        """The objects by category, without empty categories."""
        found: dict[str, list[Entity]] = {}
        for each in self.entities:
            found.setdefault(category_of(each.name), []).append(each)
        return {name: tuple(members) for name, members in found.items()}

    @cached_property
    def contents(self) -> Mapping[str, tuple[Entity, ...]]:
        """The direct contents of each container that is not empty, in the scene's order."""
        found: dict[str, list[Entity]] = {}
        for each in self.entities:
            if each.container:
                found.setdefault(each.container, []).append(each)
        return {name: tuple(members) for name, members in found.items()}

    @property
    def movables(self) -> tuple[Entity, ...]:
        return tuple(each for each in self.entities if each.category.movable)

    def location_of(self, name: str) -> str:
        """Return the location at which an object is, directly or in a receptacle; empty while it is held."""
        entity = self.by_name[name]
        while entity.container:
            entity = self.by_name[entity.container]
        return "" if entity.category.movable else entity.name
