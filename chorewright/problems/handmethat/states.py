"""Conversion of HandMeThat's scenes to states and planning problems, and of states back to scenes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from chorewright.domains.handmethat.object_space import Category, category_of, object_space
from chorewright.domains.pddl.syntax import Formula, GroundAtom, Problem, State, Typed
from chorewright.errors import InputError
from chorewright.problems.handmethat.scene import HUMAN, ROBOT, HandMeThatScene, SceneAgent, SceneEntity

DOMAIN = "handmethat"

RELATIONS = ("inside", "ontop")


def problem_of(scene: HandMeThatScene, goal: Formula, actor: str = HUMAN, name: str = "handmethat") -> Problem:
    """Return the planning problem of one agent reaching a goal in a scene.

    In the human's problem there is no robot; in the robot's the human stands still and can be gone to.

    Args:
        scene: The scene, with the agents where they are.
        goal: A goal over the domain's types or over the names of the scene's objects.
        actor: ``HUMAN`` or ``ROBOT``: who acts.
        name: The problem's name, as PDDL allows it.
    """
    objects = [Typed(HUMAN, ("human",))]
    if actor == ROBOT:
        objects.append(Typed(ROBOT, ("robot",)))
    objects.extend(Typed(each.name, (category_of(each.name),)) for each in scene.entities)
    return Problem(
        name=name,
        domain=DOMAIN,
        objects=tuple(objects),
        init=tuple(_atoms(scene, actor)),
        values=(),
        goal=goal,
    )


def state_of(scene: HandMeThatScene, actor: str = HUMAN) -> State:
    """Return all true atoms of a scene in which one agent acts: the initial state of its problem."""
    return frozenset(_atoms(scene, actor))


def _atoms(scene: HandMeThatScene, actor: str) -> Iterator[GroundAtom]:
    yield ("acts", actor)
    if actor == ROBOT:
        yield ("still", HUMAN)
    for each in scene.entities:
        yield from _looks(each.name, each.color, each.size)
        for state in object_space().states:
            if state in each.states:
                yield (state, each.name)
        if each.container:
            yield (each.relation, each.name, each.container)
    yield from _cleaning(tuple(each.name for each in scene.entities))
    agents = ((HUMAN, scene.human), (ROBOT, scene.robot))
    for name, agent in agents if actor == ROBOT else agents[:1]:
        yield ("at", name, agent.at)
        yield ("holding", name, agent.holding) if agent.holding else ("hand-empty", name)


@lru_cache(maxsize=4096)
def _looks(name: str, color: str, size: str) -> tuple[GroundAtom, ...]:
    """Return what never changes about one object."""
    category = object_space().categories[category_of(name)]
    found: list[GroundAtom] = [] if category.movable else [("still", name)]
    found.extend((each, name) for each in _static_words(category))
    found.extend((each, name) for each in (color, size) if each)
    return tuple(found)


def _static_words(category: Category) -> tuple[str, ...]:
    """Return the static predicates with one argument that a category gives its objects."""
    words = (*category.properties, *category.roles)
    return tuple(word for word in words if word not in ("has-size", "has-color"))


def _cleaning(names: tuple[str, ...]) -> tuple[GroundAtom, ...]:
    """Return which tools clean which objects."""
    space = object_space()
    tools: dict[str, list[str]] = {}
    for name in names:
        tools.setdefault(category_of(name), []).append(name)
    return tuple(
        ("cleans", tool, name)
        for name in names
        for kind in space.categories[category_of(name)].cleaned_by
        for tool in tools.get(kind, ())
    )


def scene_at(scene: HandMeThatScene, state: State) -> HandMeThatScene:
    """Return a scene as it is in a state that actions of either agent reach from the scene's own.

    Looks are the scene's. An agent that the state does not place is where it is in the scene.

    Raises:
        InputError: The state mentions an object that the scene does not have.
    """
    places: dict[str, tuple[str, str]] = {}
    true: dict[str, set[str]] = {}
    at: dict[str, str] = {}
    held: dict[str, str] = {}
    states = object_space().states
    for atom in state:
        if atom[0] in RELATIONS:
            places[atom[1]] = (atom[0], atom[2])
        elif atom[0] in states:
            true.setdefault(atom[1], set()).add(atom[0])
        elif atom[0] == "at":
            at[atom[1]] = atom[2]
        elif atom[0] == "holding":
            held[atom[1]] = atom[2]
    unknown = sorted({*places, *true, *held.values()} - scene.by_name.keys())
    if unknown:
        raise InputError(f"the scene has no object {unknown[0]!r}")
    return HandMeThatScene(
        tuple(_entity_at(each, places, true) for each in scene.entities),
        SceneAgent(at[HUMAN], held.get(HUMAN, "")) if HUMAN in at else scene.human,
        SceneAgent(at[ROBOT], held.get(ROBOT, "")) if ROBOT in at else scene.robot,
    )


def _entity_at(entity: SceneEntity, places: dict[str, tuple[str, str]], true: dict[str, set[str]]) -> SceneEntity:
    relation, container = places.get(entity.name, ("", ""))
    states = frozenset(true.get(entity.name, ()))
    if (relation, container, states) == (entity.relation, entity.container, entity.states):
        return entity
    return replace(entity, relation=relation, container=container, states=states)
