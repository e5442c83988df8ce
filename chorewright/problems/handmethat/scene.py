"""A scene of HandMeThat: the objects with their states, where each is, and the two agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from chorewright.domains.handmethat.object_space import Category, ObjectSpace, category_of, object_space
from chorewright.files.processes import Timed

if TYPE_CHECKING:
    import numpy as np

HUMAN = "human_0"
ROBOT = "robot_0"
START = "floor_0"
"""Where both agents stand at first."""


@dataclass(frozen=True, slots=True)
class SceneEntity:
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
class SceneAgent:
    """The human or the robot: the name of the place it is at and of what it holds (empty: nothing).

    A place is a location; for the robot the human, too.
    """

    at: str = START
    holding: str = ""


@dataclass(frozen=True)
class HandMeThatScene:
    """The locations, then the objects, in the order of Table 7; and the agents."""

    entities: tuple[SceneEntity, ...]
    human: SceneAgent = SceneAgent()
    robot: SceneAgent = SceneAgent()

    @cached_property
    def by_name(self) -> Mapping[str, SceneEntity]:
        return {each.name: each for each in self.entities}

    @cached_property
    def by_category(self) -> Mapping[str, tuple[SceneEntity, ...]]:
        """The objects by category, without empty categories."""
        found: dict[str, list[SceneEntity]] = {}
        for each in self.entities:
            found.setdefault(category_of(each.name), []).append(each)
        return {name: tuple(members) for name, members in found.items()}

    @cached_property
    def contents(self) -> Mapping[str, tuple[SceneEntity, ...]]:
        """The direct contents of each container that is not empty, in the scene's order."""
        found: dict[str, list[SceneEntity]] = {}
        for each in self.entities:
            if each.container:
                found.setdefault(each.container, []).append(each)
        return {name: tuple(members) for name, members in found.items()}

    @property
    def movables(self) -> tuple[SceneEntity, ...]:
        return tuple(each for each in self.entities if each.category.movable)

    def location_of(self, name: str) -> str:
        """Return the location at which an object is, directly or in a receptacle; empty while it is held."""
        entity = self.by_name[name]
        while entity.container:
            entity = self.by_name[entity.container]
        return "" if entity.category.movable else entity.name


# The initial scene: how many objects there are, where they are and what state they are in (section A.1).


@Timed("spawn")
def sample_scene(rng: np.random.Generator, space: ObjectSpace | None = None) -> HandMeThatScene:
    """Sample a scene in the paper's four steps: locations, objects, their positions, their attributes."""
    space = space or object_space()
    locations = [SceneEntity(f"{name}_0") for name in space.locations]
    objects = [SceneEntity(name) for name in _sample_objects(rng, space)]
    placed = _sample_positions(rng, space, objects)
    return HandMeThatScene(tuple(_sample_attributes(rng, space, [*locations, *placed])))


def _sample_objects(rng: np.random.Generator, space: ObjectSpace) -> list[str]:
    """Sample the categories of each subclass and the number of objects of each (step 2)."""
    found: list[str] = []
    for subclass, members in space.subclasses.items():
        numbers = space.numbers[subclass]
        count = _between(rng, numbers.categories)
        chosen = sorted(rng.choice(len(members), size=count, replace=False).tolist())
        bounds = numbers.objects if count > 1 else numbers.alone
        for place in chosen:
            found.extend(f"{members[place]}_{k}" for k in range(_between(rng, bounds)))
    return found


def _sample_positions(
    rng: np.random.Generator, space: ObjectSpace, objects: Sequence[SceneEntity]
) -> list[SceneEntity]:
    """Sample a position of Table 11 for each object, then one of the containers of that kind (step 3).

    A position that is a subclass of receptacles stands for all objects of the subclass.
    """
    members: dict[str, list[str]] = {name: [f"{name}_0"] for name in space.locations}
    for each in objects:
        category = each.category
        if category.receptacle:
            for name in dict.fromkeys((category.name, category.subclass)):
                members.setdefault(name, []).append(each.name)
    found: list[SceneEntity] = []
    for each in objects:
        allowed = space.positions[each.category.subclass]
        containers = members[allowed[int(rng.integers(len(allowed)))]]
        container = containers[int(rng.integers(len(containers)))]
        relation = space.categories[category_of(container)].relation
        found.append(replace(each, relation=relation, container=container))
    return found


def _sample_attributes(
    rng: np.random.Generator, space: ObjectSpace, entities: Sequence[SceneEntity]
) -> list[SceneEntity]:
    """Give each object its states, color and size (step 4).

    What is in a pan on the stove is at the stove, too.
    """
    containers = {each.name: each.container for each in entities}
    found: list[SceneEntity] = []
    for each in entities:
        states = {
            state
            for state in space.states_of(category_of(each.name))
            if category_of(each.name) in space.true_of.get(state, ())
            or category_of(_location(each, containers)) in space.true_at.get(state, ())
            or (state in space.chances and _happens(rng, space.chances[state]))
        }
        looks = {
            name: space.attributes[name][int(rng.integers(len(space.attributes[name])))]
            for name in space.attributes_of(category_of(each.name))
        }
        found.append(replace(each, states=frozenset(states), color=looks.get("color", ""), size=looks.get("size", "")))
    return found


def _location(entity: SceneEntity, containers: Mapping[str, str]) -> str:
    name = entity.name
    while containers[name]:
        name = containers[name]
    return name


def _between(rng: np.random.Generator, bounds: tuple[int, int]) -> int:
    return int(rng.integers(bounds[0], bounds[1] + 1))


def _happens(rng: np.random.Generator, chance: tuple[int, int]) -> bool:
    return int(rng.integers(chance[1])) < chance[0]
