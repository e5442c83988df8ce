"""The initial scene: how many objects there are, where they are and what state they are in (section A.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from chorewright.domains.handmethat.object_space import ObjectSpace, category_of, object_space
from chorewright.files.stopwatch import Timed
from chorewright.problems.handmethat.scene import Entity, Scene


@Timed("spawn")
def sample_scene(rng: np.random.Generator, space: ObjectSpace | None = None) -> Scene:
    """Sample a scene in the paper's four steps: locations, objects, their positions, their attributes."""
    space = space or object_space()
    locations = [Entity(f"{name}_0") for name in space.locations]
    objects = [Entity(name) for name in _sample_objects(rng, space)]
    placed = _sample_positions(rng, space, objects)
    return Scene(tuple(_sample_attributes(rng, space, [*locations, *placed])))


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


def _sample_positions(rng: np.random.Generator, space: ObjectSpace, objects: Sequence[Entity]) -> list[Entity]:
    """Sample a position of Table 11 for each object, then one of the containers of that kind (step 3).

    A position that is a subclass of receptacles stands for all objects of the subclass.
    """
    members: dict[str, list[str]] = {name: [f"{name}_0"] for name in space.locations}
    for each in objects:
        category = each.category
        if category.receptacle:
            for name in dict.fromkeys((category.name, category.subclass)):
                members.setdefault(name, []).append(each.name)
    found: list[Entity] = []
    for each in objects:
        allowed = space.positions[each.category.subclass]
        containers = members[allowed[int(rng.integers(len(allowed)))]]
        container = containers[int(rng.integers(len(containers)))]
        relation = space.categories[category_of(container)].relation
        found.append(replace(each, relation=relation, container=container))
    return found


def _sample_attributes(rng: np.random.Generator, space: ObjectSpace, entities: Sequence[Entity]) -> list[Entity]:
    """Give each object its states, color and size (step 4).

    What is in a pan on the stove is at the stove, too.
    """
    containers = {each.name: each.container for each in entities}
    found: list[Entity] = []
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


def _location(entity: Entity, containers: Mapping[str, str]) -> str:
    name = entity.name
    while containers[name]:
        name = containers[name]
    return name


def _between(rng: np.random.Generator, bounds: tuple[int, int]) -> int:
    return int(rng.integers(bounds[0], bounds[1] + 1))


def _happens(rng: np.random.Generator, chance: tuple[int, int]) -> bool:
    return int(rng.integers(chance[1])) < chance[0]
