"""HandMeThat's scenes as states, planning problems and the reference's dictionaries of objects, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from chorewright.domains.handmethat.object_space import Category, category_of, object_name, object_space, reference_name
from chorewright.domains.pddl.syntax import Formula, GroundAtom, Problem, State, Typed
from chorewright.errors import InputError, Location
from chorewright.files.json_source import load_json
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
        name=name, domain=DOMAIN, objects=tuple(objects), init=tuple(_atoms(scene, actor)), values=(), goal=goal
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


# Conversion of the reference's object dictionaries to scenes and of its plans to ours, and back.


MOST_BYTES = 50_000_000

Json: TypeAlias = Mapping[str, object]

_WORDS = {"loc": "location", "rec": "receptacle"}
_NOUNS = ("toggle-on-obj-at-loc", "toggle-off-obj-at-loc")
_AGENTS = {HUMAN: "h", ROBOT: "r"}


def load_scene(path: str | Path, key: str = "initial_object_dict") -> HandMeThatScene:
    """Return a scene of a reference's episode file; ``key`` says which.

    Raises:
        UsageError: The file cannot be read.
        InputError: It is no such episode.
        LimitError: It is too large or nested too deep.
    """
    source = load_json(path, MOST_BYTES, strict=False)
    document = source.value
    objects = document.get(key) if isinstance(document, dict) else None
    if not isinstance(objects, dict):
        raise source.error((), f"not an episode of HandMeThat: expected {key!r}, an object")
    with source.locate((key,)):
        return scene_from_objects(objects, path=source.path)


def scene_from_objects(objects: Json, human: SceneAgent | None = None, path: str | None = None) -> HandMeThatScene:
    """Return the scene of a reference's object dictionary (``initial_object_dict``).

    Args:
        objects: The reference's entry for each of its names.
        human: Where the human is and what she holds, which the dictionary does not say; by default on the
            floor, with what lies nowhere.
        path: Of the file, for errors.

    Raises:
        InputError: An entry has not the shape of the reference's; its JSON path is told.
    """
    entities = []
    for name, entry in objects.items():
        try:
            entities.append(_entity(name, entry))
        except InputError as error:
            where = Location(path, json_path=f"$.{name}")
            raise InputError(error.message, location=where, hint=error.hint) from None
    names = {each.name for each in entities}
    for each in entities:
        if each.container and each.container not in names:
            raise InputError(f"{each.name} is in {each.container}, which does not exist", location=Location(path))
    held = [each.name for each in entities if each.category.movable and not each.container]
    if len(held) > 1:
        raise InputError(f"neither {held[0]} nor {held[1]} has a place", location=Location(path))
    return HandMeThatScene(tuple(entities), human or SceneAgent(holding=held[0] if held else ""))


def _entity(name: str, entry: object) -> SceneEntity:
    space = object_space()
    own = object_name(name, space)
    if not isinstance(entry, Mapping):
        raise InputError("expected an object")
    states = entry.get("states")
    if not isinstance(states, Mapping):
        raise InputError("expected 'states', an object")
    relation = next((each for each in RELATIONS if each in entry), "")
    where = entry.get(relation)
    if relation and not isinstance(where, str):
        raise InputError(f"expected a name for '{relation}'")
    entity = SceneEntity(
        own,
        relation,
        object_name(where, space) if isinstance(where, str) else "",
        frozenset(str(state) for state, value in states.items() if value is True),
        str(states.get("color", "")),
        str(states.get("size", "")),
    )
    known = {*space.states_of(entity.category.name), *space.attributes_of(entity.category.name)}
    if set(states) != known:
        odd = sorted(known ^ set(states))
        raise InputError(f"{odd[0]!r} is missing or is not a state of {entity.category.noun}")
    return entity


def objects_of(scene: HandMeThatScene) -> dict[str, dict[str, object]]:
    """Return a scene as the reference's object dictionary; the agents are left out."""
    space = object_space()
    return {reference_name(each.name, space): _entry(each) for each in scene.entities}


def _entry(entity: SceneEntity) -> dict[str, object]:
    space = object_space()
    category = entity.category
    states: dict[str, object] = {state: state in entity.states for state in space.states_of(category.name)}
    looks = {"color": entity.color, "size": entity.size}
    states.update({name: looks[name] for name in space.attributes_of(category.name)})
    entry: dict[str, object] = {
        "class": category.kind.upper(),
        "subclass": category.subclass.replace("-", "_") if category.movable else category.relation,
        "type": category.reference,
        "ability": list(_abilities(category)),
    }
    if entity.container:
        entry[entity.relation] = reference_name(entity.container, space)
    entry["states"] = states
    return entry


def _abilities(category: Category) -> tuple[str, ...]:
    tools = (object_space().categories[tool].reference for tool in category.cleaned_by)
    return (*category.properties, *(f"{tool}-cleanable" for tool in tools))


def action_of_reference(name: str, arguments: Sequence[str]) -> GroundAtom:
    """Return our ground action for an action of the reference's human or robot.

    ``human-put-inside-location h mug#0 cabinet`` is ``(put-inside-loc human_0 mug_0 cabinet_0)``.

    Raises:
        InputError: It is no action of the reference's.
    """
    agent, _, verb = name.partition("-")
    if agent not in ("human", "robot") or not arguments:
        raise InputError(f"{name!r} is not an action of HandMeThat")
    short = {long: word for word, long in _WORDS.items()}
    words = "-".join(short.get(word, word) for word in verb.split("-"))
    own = words.replace("-movable-", "-obj-")
    space = object_space()
    objects = [HUMAN if each in ("h", "human") else object_name(each, space) for each in arguments[1:]]
    return (own, HUMAN if agent == "human" else ROBOT, *objects)


def reference_action(action: GroundAtom) -> dict[str, object]:
    """Return our ground action in the reference's form; the inverse of ``action_of_reference``."""
    name, agent, *objects = action
    words = "-".join(_WORDS.get(word, word) for word in name.split("-"))
    if name in _NOUNS:
        words = words.replace("-obj-", "-movable-")
    space = object_space()
    arguments = ["human" if each == HUMAN else reference_name(each, space) for each in objects]
    return {"name": f"{agent.partition('_')[0]}-{words}", "arguments": [_AGENTS[agent], *arguments]}
