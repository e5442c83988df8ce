"""A scene as a state in which goals are checked: the names of its things, and atoms of the household domain."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from chorewright.domains.pddl.syntax import GroundAtom, State
from chorewright.problems.household.containment import ancestors, is_receptacle, matters
from chorewright.problems.household.kinds import Traits
from chorewright.problems.household.scene import Attributes, Pose, Scene, SceneObject
from chorewright.problems.household.sight import handles

ROLES = (
    "single", "door", "shut-to-run", "attended", "sharp", "drain", "rinses", "heats", "chills", "brews",
)  # fmt: skip
"""Roles of kinds that are predicates of the domain."""

AFFORDANCES = ("toggleable", "sliceable", "fillable")
"""Affordances of kinds that are predicates of the domain."""


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A declared object: its name, its kind's facts, and the object itself (None for a future piece)."""

    name: str
    kind: Traits
    object: SceneObject | None
    base: str = ""


@dataclass(frozen=True, slots=True)
class SceneNames:
    """What the things of a scene are called in its planning problems.

    Attributes:
        ids: The object id of each name, pieces that are not cut yet among them.
        begun: The ids of the doors that stand open and of the appliances that run.
    """

    ids: Mapping[str, str]
    begun: frozenset[str]


def scene_names(scene: Scene, first_piece: int = 1) -> SceneNames:
    """Return the names that the things of a scene have in its problems, if the goal names no decoration.

    Args:
        scene: The scene.
        first_piece: The number in the id of a thing's first piece.
    """
    things = things_of(scene, (), pieces=True)
    return SceneNames(object_names(things, first_piece), open_or_running(things))


def open_or_running(things: Sequence[NamedThing]) -> frozenset[str]:
    """Return the ids of the doors that stand open and of the appliances that run."""
    return frozenset(thing.object.object_id for thing in things if thing.object and any(untidiness(thing)))


def object_names(things: Sequence[NamedThing], first_piece: int) -> dict[str, str]:
    """Return the object id that each name stands for; a piece's is made from its item's."""
    ids = {}
    for thing in things:
        if thing.object is not None:
            ids[thing.name] = thing.object.object_id
        else:
            number = int(thing.name.rsplit("_", 1)[1]) - 1 + first_piece
            ids[thing.name] = f"{ids[thing.base]}|{thing.kind.name}_{number}"
    return ids


def things_of(scene: Scene, mentioned: Container[str], *, pieces: bool = False) -> list[NamedThing]:
    """Return the things that matter or whose type is mentioned, and the pieces that are mentioned, or all pieces."""
    counts: dict[str, int] = {}
    things = []
    for thing in scene.objects:
        kind, type_name = thing.traits, thing.kind.lower()
        if thing.is_consumed or thing.kind not in scene.kinds or not (matters(thing) or type_name in mentioned):
            continue
        counts[type_name] = counts.get(type_name, 0) + 1
        things.append(NamedThing(f"{type_name}_{counts[type_name]}", kind, thing))
    parts = []
    for whole in things:
        piece = whole.kind.piece
        if piece is not None and (pieces or piece.lower() in mentioned):
            number = whole.name.rsplit("_", 1)[1]
            for k in range(1, whole.kind.pieces + 1):
                parts.append(NamedThing(f"{piece.lower()}_{number}_{k}", scene.kinds[piece], None, whole.name))
    return things + parts


def state_of(scene: Scene, names: Mapping[str, str], begun: Set[str] = frozenset(), *, upon: bool = False) -> State:
    """Return the true atoms of a scene, with the names of a problem made from it or from an earlier state of it.

    Where the agent stands is ``at`` its pose, and what it sees and reaches from there is ``near`` that pose.
    A door that stands open makes the scene ``ajar``, an appliance that is on makes it ``running``, unless it
    stood open or ran from the start.

    Args:
        scene: The scene to describe.
        names: What the names stand for: ``HouseholdProblem.ids``. Objects without a name are left out.
        begun: What stood open or ran at the start: ``HouseholdProblem.begun``.
        upon: Tell which fixtures stand on which, as problems do whose goal asks for it.
    """
    things = _name_things(scene, names)
    atoms = set(static_atoms(things))
    if upon:
        atoms.update(upon_atoms(scene, things))
    atoms.update(changing_atoms(scene, things))
    pose = pose_name(scene.agent)
    atoms.add(("at", pose))
    shut = shut_in(scene)
    for thing in things:
        assert thing.object is not None
        atoms.update(_yield_left(thing, begun))
        if (
            not thing.object.is_consumed
            and thing.object.object_id not in shut
            and handles(scene, scene.agent, thing.object)
        ):
            atoms.add(("near", thing.name, pose))
    return frozenset(atoms)


@dataclass(slots=True)
class ChangingState:
    """Tells of one scene after another the part of ``state_of`` that actions change, except nearness.

    A thing that neither changed itself nor was shut in or laid open since the last scene keeps its atoms.

    Attributes:
        names: What the names stand for: ``HouseholdProblem.ids``. Objects without a name are left out.
        begun: What stood open or ran at the start: ``HouseholdProblem.begun``.
    """

    names: Mapping[str, str]
    begun: Set[str] = frozenset()
    _present: Set[str] = frozenset()
    _things: dict[str, NamedThing] = field(default_factory=dict)
    _told: dict[str, tuple[SceneObject, bool, tuple[GroundAtom, ...]]] = field(default_factory=dict)

    def __call__(self, scene: Scene) -> State:
        """Return the atoms that a step may record."""
        objects = {thing.object_id: thing for thing in scene.objects}
        named: dict[str, NamedThing] = {}
        for name, object_id in self.names.items():
            body = objects.get(object_id)
            if body is not None:
                known = self._things.get(object_id)
                named[object_id] = known if known and known.object is body else NamedThing(name, body.traits, body)
        self._things = named
        if self._present != named.keys():
            self._present = frozenset(named)
            self._told.clear()
        shut = shut_in(scene)
        atoms: set[GroundAtom] = {_held_atom(scene, named), ("at", pose_name(scene.agent))}
        for name, thing in named.items():
            assert thing.object is not None
            exposed = name not in shut
            told = self._told.get(name)
            if told is None or told[0] is not thing.object or told[1] != exposed:
                told = (thing.object, exposed, (*_own_atoms(thing, named, exposed), *_yield_left(thing, self.begun)))
                self._told[name] = told
            atoms.update(told[2])
        return frozenset(atoms)


def _name_things(scene: Scene, names: Mapping[str, str]) -> list[NamedThing]:
    objects = {thing.object_id: thing for thing in scene.objects}
    return [
        NamedThing(name, objects[object_id].traits, objects[object_id])
        for name, object_id in names.items()
        if object_id in objects
    ]


def _yield_left(thing: NamedThing, begun: Set[str]) -> Iterator[GroundAtom]:
    """Yield that a thing was left open or running, unless it was so at the start."""
    assert thing.object is not None
    if thing.object.object_id not in begun:
        for which, whether in untidiness(thing):
            yield (which, thing.name)
            yield (whether,)


def untidiness(thing: NamedThing) -> Iterator[tuple[str, str]]:
    """Yield the atoms for what a demonstrator left behind: an open door, a running appliance."""
    assert thing.object is not None
    if thing.object.attributes.is_open and "door" in thing.kind.roles:
        yield ("left-open", "ajar")
    if thing.object.attributes.is_toggled and "attended" in thing.kind.roles:
        yield ("left-on", "running")


def static_atoms(
    things: Sequence[NamedThing],
    also: frozenset[tuple[str, str]] = frozenset(),
    never: frozenset[tuple[str, str]] = frozenset(),
) -> Iterator[GroundAtom]:
    """Yield the atoms that never change.

    ``also`` has pairs of kinds that fit besides the vocabulary's, ``never`` those that do not although it says so.
    """
    # Things go into the basin of a sink, an object of its own (Sink|..|SinkBasin), not into the sink.
    hulls = {thing.object.object_id.rpartition("|")[0] for thing in things if thing.object is not None}
    receptacles = [
        thing
        for thing in things
        if thing.object is not None and is_receptacle(thing.object) and thing.object.object_id not in hulls
    ]
    items = [thing for thing in things if thing.kind.item]
    names = {thing.object.object_id: thing.name for thing in things if thing.object is not None}
    for thing in things:
        kind, name = thing.kind, thing.name
        if not kind.item:
            yield ("furniture", name)
        if _opens(thing):
            yield ("openable", name)
        for affordance in AFFORDANCES:
            if affordance in kind.affordances:
                yield (affordance, name)
        for role in ROLES:
            if role in kind.roles:
                yield (role, name)
        if thing.object is None:
            yield ("piece-of", name, thing.base)
            continue
        for controlled in thing.object.controls:
            if controlled in names:
                yield ("controls", name, names[controlled])
        if "toggleable" in kind.affordances and kind.receptacle:
            yield ("controls", name, name)
    for receptacle in receptacles:
        yield ("receptacle", receptacle.name)
    for item in items:
        fits = item.kind.fits
        for receptacle in receptacles:
            pair = (item.kind.name, receptacle.kind.name)
            fitting = pair in also or (receptacle.kind.name in fits and pair not in never)
            if fitting and receptacle.name != item.name:
                yield ("fits", item.name, receptacle.name)
    for thing in things:
        for item in items if thing.kind.cooks else ():
            if item.kind.name in thing.kind.cooks:
                yield ("cooks", thing.name, item.name)


def upon_atoms(scene: Scene, things: Sequence[NamedThing]) -> Iterator[GroundAtom]:
    """Yield which fixtures stand on which, directly or not. Goals may use this; actions do not."""
    parents = {thing.object_id: thing.parents for thing in scene.objects}
    names = {thing.object.object_id: thing.name for thing in things if thing.object is not None}
    for thing in things:
        if thing.object is not None and not thing.kind.item:
            for parent in ancestors(thing.object.object_id, parents):
                if parent in names:
                    yield ("upon", thing.name, names[parent])


def _opens(thing: NamedThing) -> bool:
    """Whether opening concerns it; the lid of what one puts things *on* (a toilet) is left alone."""
    kind = thing.kind
    return "openable" in kind.affordances and (kind.inside or not kind.receptacle)


def changing_atoms(scene: Scene, things: Sequence[NamedThing]) -> Iterator[GroundAtom]:
    """Yield the atoms that actions change, except where the agent is and what is near it."""
    named = {thing.object.object_id: thing for thing in things if thing.object is not None}
    shut = shut_in(scene)
    yield _held_atom(scene, named)
    for name, thing in named.items():
        yield from _own_atoms(thing, named, name not in shut)


def _held_atom(scene: Scene, named: Mapping[str, NamedThing]) -> GroundAtom:
    held = named.get(scene.holding or "")
    return ("hand-empty",) if held is None else ("holding", held.name)


def _own_atoms(thing: NamedThing, named: Mapping[str, NamedThing], exposed: bool) -> Iterator[GroundAtom]:
    """Yield what is true of one thing; ``named`` has those that it may lie in, by id."""
    assert thing.object is not None
    name = thing.name
    if thing.object.is_consumed:
        yield ("sliced", name)
        return
    if exposed:
        yield ("exposed", name)
    for predicate in _state_words(thing, thing.object.attributes):
        yield (predicate, name)
    if not thing.kind.item:
        return
    for parent in thing.object.parents:
        if parent in named:
            yield ("in", name, named[parent].name)
            if "single" in named[parent].kind.roles:
                yield ("occupied", named[parent].name)


def _state_words(thing: NamedThing, state: Attributes) -> Iterator[str]:
    """Yield the predicates with one argument that hold of a thing by its own attributes."""
    if state.is_open and _opens(thing):
        yield "is-open"
    if state.is_toggled and "toggleable" in thing.kind.affordances:
        yield "is-on"
    if state.is_dirty:
        yield "dirty"
    if state.liquid is not None:
        yield "filled"
    if state.watered:
        yield "watered"
    if state.brewed:
        yield "coffee"
    if not thing.kind.item:
        return
    yield "present"
    if state.cleaned:
        yield "cleaned"
    if state.heated:
        yield "hot"
    if state.cooled:
        yield "cool"
    if state.is_cooked:
        yield "cooked"
    elif state.cooked:
        yield "warmed"
    if state.boiled:
        yield "boiled"


def shut_in(scene: Scene) -> frozenset[str]:
    """Return the ids of the items that have a closed door or lid around them."""
    border = [
        thing.object_id
        for thing in scene.objects
        if thing.traits.closable and not thing.attributes.is_open and (thing.traits.item or is_receptacle(thing))
    ]
    held: dict[str, list[str]] = {}
    for thing in scene.objects:
        if thing.traits.item:
            for parent in thing.parents:
                held.setdefault(parent, []).append(thing.object_id)
    shut: set[str] = set()
    while border:
        for name in held.get(border.pop(), ()):
            if name not in shut:
                shut.add(name)
                border.append(name)
    return frozenset(shut)


def pose_name(pose: Pose) -> str:
    """Return ``pose_<x>_<z>_<rotation>_<horizon>`` with ``m`` for minus."""
    numbers = (pose.x, pose.z, pose.rotation, pose.horizon)
    return "_".join(("pose", *(str(number).replace("-", "m") for number in numbers)))
