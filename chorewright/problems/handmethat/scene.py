"""A scene of HandMeThat: the objects with their states, where each is, and the two agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from chorewright.domains.handmethat.object_space import Category, ObjectSpace, category_of, object_space
from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import atoms_with_signs, is_subtype, own_terms, own_variables, subformulas
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
        return state in object_space().states_of(category_of(self.name))


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
def sample_scene(
    rng: np.random.Generator, space: ObjectSpace | None = None, names: Sequence[str] | None = None
) -> HandMeThatScene:
    """Sample a scene in the paper's four steps: locations, objects unless named, their positions and attributes."""
    space = space or object_space()
    locations = [SceneEntity(f"{name}_0") for name in space.locations]
    objects = [SceneEntity(name) for name in (sample_objects(rng, space) if names is None else names)]
    placed = _sample_positions(rng, space, objects)
    return HandMeThatScene(tuple(_sample_attributes(rng, space, [*locations, *placed])))


def sample_objects(rng: np.random.Generator, space: ObjectSpace | None = None) -> list[str]:
    """Sample the categories of each subclass and the number of objects of each (step 2)."""
    found: list[str] = []
    space = space or object_space()
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
            or (state in space.chances and int(rng.integers(space.chances[state][1])) < space.chances[state][0])
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


# The part of a scene that can matter for a goal: a small scene from which the goal costs the same.
#
# Nothing else is of use to either agent. In this domain:
#
# - what is not named by the goal, holds nothing that is, and neither cleans, cuts, heats, cools nor soaks
#   what has to be, is in no precondition of what is done to the rest but for the hand that it fills; a plan
#   without its actions is a plan, too, and shorter;
# - a receptacle of this sort could at most carry things. Every thing carried costs two actions more (put in,
#   pick up) and saves at most two moves, and the receptacle has to be picked up, moved and put itself;
# - a location of this sort could at most be a place to put something down, and an agent can do so where it is;
#   one location to put things onto is kept, for what has to be sliced or toggled there;
# - of tools of one category in the same place and state one is as good as several.
#
# ``tests/problems/handmethat/test_relevance.py`` compares costs with those of whole scenes.

_CLEANS, _SOAKS = "cleans", "soaks"


def relevant(scene: HandMeThatScene, goal: syntax.Formula) -> frozenset[str]:
    """Return the names of the entities that can matter for a goal, including where the agents are."""
    named = _find_entities(scene, goal)
    kept = {entity.name: None for entity in named}
    for name in _means(scene, goal, named):
        kept[name] = None
    for agent in (scene.human, scene.robot):
        for name in (agent.at, agent.holding):
            if name in scene.by_name:
                kept[name] = None
    for name in list(kept):
        kept.update(dict.fromkeys(containers(scene, name)))
    kept.update(dict.fromkeys(islice(other_places(scene, frozenset(kept)), 1)))
    return frozenset(kept)


def restrict(scene: HandMeThatScene, names: frozenset[str]) -> HandMeThatScene:
    """Return a scene with only some of its entities; these must include their containers."""
    return replace(scene, entities=tuple(each for each in scene.entities if each.name in names))


def containers(scene: HandMeThatScene, name: str) -> Iterator[str]:
    """Yield the receptacle and location that something is in or on."""
    while container := scene.by_name[name].container:
        yield container
        name = container


def other_places(scene: HandMeThatScene, names: frozenset[str]) -> Iterator[str]:
    """Yield the locations to put things onto, without those named."""
    for each in scene.entities:
        if each.name not in names:
            category = each.category
            if not category.movable and category.relation == "ontop":
                yield each.name


def _find_entities(scene: HandMeThatScene, goal: syntax.Formula) -> list[SceneEntity]:
    """The entities of the kinds that a goal quantifies over, and those that it names."""
    found: dict[str, SceneEntity] = {}
    for word in dict.fromkeys(words(goal)):
        if word in scene.by_name:
            found[word] = scene.by_name[word]
        for category in object_space().members(word):
            found.update((each.name, each) for each in scene.by_category.get(category, ()))
    return list(found.values())


def words(formula: syntax.Formula) -> Iterator[str]:
    """Yield the types and terms of a formula."""
    for part in subformulas(formula):
        yield from own_terms(part)
        yield from _types(own_variables(part))


def _types(variables: tuple[syntax.Typed, ...]) -> Iterator[str]:
    for variable in variables:
        for name in variable.types:
            yield name
            yield from (each for each in object_space().classes if is_subtype(handmethat_domain(), each, name))


def _means(scene: HandMeThatScene, goal: syntax.Formula, named: list[SceneEntity]) -> Iterator[str]:
    """Tools and appliances for what a goal wants of states, where something that it names is otherwise."""
    space = object_space()
    tools: set[str] = set()
    for state, wanted in sorted({(atom.predicate, wanted) for atom, wanted in atoms_with_signs(goal)}):
        if state not in space.states:
            continue
        others = [each for each in named if each.can_be(state) and (state in each.states) != wanted]
        for role in _roles().get((state, wanted), ()) if others else ():
            if role == _CLEANS:
                tools.update(tool for each in others for tool in each.category.cleaned_by)
            else:
                yield from _distinct(scene, _having(role))
    yield from _distinct(scene, tools)
    if any("soakable" in space.categories[tool].properties for tool in tools):
        yield from _distinct(scene, _having(_SOAKS))


def _having(role: str) -> set[str]:
    return {category.name for category in object_space().categories.values() if role in category.roles}


def _distinct(scene: HandMeThatScene, categories: set[str]) -> Iterator[str]:
    """Entities of some categories, one of those in the same place and state."""
    if not categories:
        return
    seen = set()
    for each in scene.entities:
        kind = category_of(each.name)
        if kind not in categories:
            continue
        held = each.name in (scene.human.holding, scene.robot.holding)
        key = kind, each.container, each.states, held
        if key not in seen:
            seen.add(key)
            yield each.name


@lru_cache(maxsize=1)
def _roles() -> Mapping[tuple[str, bool], tuple[str, ...]]:
    """What the actions that change a state ask for: to be ``cooked`` needs something that ``heats``."""
    roles = {role for category in object_space().categories.values() for role in category.roles} | {_CLEANS}
    found: dict[tuple[str, bool], list[str]] = {}
    for action in handmethat_domain().actions:
        needed = [atom.predicate for atom, _ in atoms_with_signs(action.precondition) if atom.predicate in roles]
        for change in changes(action.effect):
            found.setdefault(change, []).extend(needed)
    return {change: tuple(dict.fromkeys(needed)) for change, needed in found.items()}


def changes(effect: syntax.Effect) -> Iterator[tuple[str, bool]]:
    """Yield the predicates that an effect changes, and whether it makes them true."""
    match effect:
        case syntax.AddEffect(atom):
            yield atom.predicate, True
        case syntax.DeleteEffect(atom):
            yield atom.predicate, False
        case syntax.AndEffect(effects):
            for each in effects:
                yield from changes(each)
        case _:
            return
