"""A scene as a planning problem of the household domain, and a scene as a state to check goals in."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from chorewright.domains.pddl.syntax import (
    And,
    AtLeast,
    Atom,
    Exists,
    Forall,
    Formula,
    FunctionValue,
    GroundAtom,
    Imply,
    Not,
    Or,
    Problem,
    State,
    Typed,
)
from chorewright.problems.containment import ancestors, contents, is_receptacle
from chorewright.problems.kinds import Kind, kind_of, kinds
from chorewright.problems.navigation import Grid
from chorewright.problems.nearness import touching
from chorewright.problems.scene import Attributes, Pose, Scene, SceneObject
from chorewright.problems.stand import touches

DOMAIN = "household"

ROLES = (
    "single", "door", "shut-to-run", "attended", "sharp", "drain", "rinses", "heats", "chills", "brews",
)  # fmt: skip
"""Roles of kinds that are predicates of the domain."""

AFFORDANCES = ("toggleable", "sliceable", "fillable")
"""Affordances of kinds that are predicates of the domain."""


@dataclass(frozen=True, slots=True)
class HouseholdProblem:
    """A problem with what its names stand for: the simulator's object ids, and the agent's poses.

    Attributes:
        problem: The problem.
        ids: The object id of each name.
        poses: The pose of each name.
        begun: The ids of the doors that stood open and of the appliances that ran at the start: how a tidy
            demonstrator leaves these is its own affair.
    """

    problem: Problem
    ids: Mapping[str, str]
    poses: Mapping[str, Pose]
    begun: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Thing:
    """A declared object: its name, its kind's facts, and the object itself (None: a piece to be)."""

    name: str
    kind: Kind
    object: SceneObject | None
    base: str = ""


def household_problem(
    scene: Scene,
    goal: Formula,
    *,
    tidy: bool = True,
    name: str | None = None,
    grid: Grid | None = None,
    fits: Collection[tuple[str, str]] = (),
) -> HouseholdProblem:
    """Return the planning problem of reaching a goal in a scene.

    Declared are all items, the fixtures that an action may concern (receptacles, what opens, runs, holds
    liquid or drains), the pieces of the items whose piece type the goal mentions, and the poses from which
    each is touched. A thing that cannot be reached has no ``near``.

    Args:
        scene: The room; each object has at most one direct parent.
        goal: The goal formula over the household's types, or over the names ``<type>_<n>`` of this problem.
        tidy: Doors are closed and appliances turned off before walking away.
        name: The problem's name; by default the scene's.
        grid: The navigable grid, if it is not the scene's own.
        fits: Kinds of items and receptacles that take them besides what the vocabulary says.
    """
    grid = grid or Grid.of(scene)
    things = _declare(scene, goal)
    poses = _Poses()
    init: list[GroundAtom] = [("tidy",)] if tidy else []
    init.extend(_statics(things, frozenset(fits)))
    if mentions(goal, "upon"):
        init.extend(_upon(scene, things))
    init.extend(_dynamics(scene, things))
    init.append(("at", poses.name(scene.agent)))
    init.extend(_near(scene, things, poses, grid))
    values = tuple(_distances(poses, grid))
    objects = [Typed(thing.name, (thing.kind.name.lower(),)) for thing in things]
    objects.extend(Typed(pose, ("pose",)) for pose in poses.named)
    problem = Problem(
        name=_problem_name(name or scene.name),
        domain=DOMAIN,
        objects=tuple(objects),
        init=tuple(dict.fromkeys(init)),
        values=values,
        goal=goal,
        minimize_cost=True,
    )
    begun = frozenset(thing.object.object_id for thing in things if thing.object and any(_untidy(thing)))
    return HouseholdProblem(problem, object_names(things), dict(poses.named), begun)


def _problem_name(name: str) -> str:
    """Return a name as PDDL allows it; a user's scene may be called anything."""
    plain = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-")
    return plain if plain[:1].isalpha() else f"scene-{plain}".rstrip("-")


def object_names(things: Sequence[_Thing]) -> dict[str, str]:
    """Return the object id that each name stands for; a piece's is made from its item's."""
    ids = {}
    for thing in things:
        if thing.object is not None:
            ids[thing.name] = thing.object.object_id
        else:
            ids[thing.name] = f"{ids[thing.base]}|{thing.kind.name}_{thing.name.rsplit('_', 1)[1]}"
    return ids


def matters(thing: SceneObject) -> bool:
    """Whether an action may concern it: items, receptacles, what opens, runs or holds liquid."""
    kind = kind_of(thing.kind)
    return bool(
        kind.item
        or is_receptacle(thing)
        or kind.affordances & {"openable", "toggleable", "fillable"}
        or "drain" in kind.roles
    )


def _declare(scene: Scene, goal: Formula) -> list[_Thing]:
    counts: dict[str, int] = {}
    things = []
    mentioned = _mentioned(goal)
    for thing in scene.objects:
        kind, type_name = kind_of(thing.kind), thing.kind.lower()
        if thing.kind not in kinds() or not (matters(thing) or type_name in mentioned):
            continue
        counts[type_name] = counts.get(type_name, 0) + 1
        things.append(_Thing(f"{type_name}_{counts[type_name]}", kind, thing))
    pieces = []
    for whole in things:
        piece = whole.kind.piece
        if piece is not None and piece.lower() in mentioned:
            number = whole.name.rsplit("_", 1)[1]
            for k in range(1, whole.kind.pieces + 1):
                pieces.append(_Thing(f"{piece.lower()}_{number}_{k}", kind_of(piece), None, whole.name))
    return things + pieces


def mentions(formula: Formula, predicate: str) -> bool:
    """Whether a predicate occurs in a formula."""
    if isinstance(formula, And | Or):
        return any(mentions(operand, predicate) for operand in formula.operands)
    if isinstance(formula, Not):
        return mentions(formula.operand, predicate)
    if isinstance(formula, Imply):
        return mentions(formula.antecedent, predicate) or mentions(formula.consequent, predicate)
    if isinstance(formula, Forall | Exists | AtLeast):
        return mentions(formula.body, predicate)
    return isinstance(formula, Atom) and formula.predicate == predicate


def _mentioned(goal: Formula) -> set[str]:
    """Return the types that a formula quantifies over, and those of the objects it names."""
    found: set[str] = set()
    border: list[Formula] = [goal]
    while border:
        formula = border.pop()
        if isinstance(formula, And | Or):
            border.extend(formula.operands)
        elif isinstance(formula, Not):
            border.append(formula.operand)
        elif isinstance(formula, Imply):
            border.extend((formula.antecedent, formula.consequent))
        elif isinstance(formula, Forall | Exists | AtLeast):
            border.append(formula.body)
            for variable in formula.variables:
                found.update(variable.types)
        else:
            terms = formula.terms if isinstance(formula, Atom) else (formula.left, formula.right)
            found.update(term.split("_", 1)[0] for term in terms if not term.startswith("?"))
    return found


def _statics(
    things: Sequence[_Thing], also: frozenset[tuple[str, str]] = frozenset()
) -> Iterator[GroundAtom]:
    """Yield what never changes; ``also`` are pairs of kinds that fit besides those of the vocabulary."""
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
            fitting = receptacle.kind.name in fits or (item.kind.name, receptacle.kind.name) in also
            if fitting and receptacle.name != item.name:
                yield ("fits", item.name, receptacle.name)
    for thing in things:
        for item in items if thing.kind.cooks else ():
            if item.kind.name in thing.kind.cooks:
                yield ("cooks", thing.name, item.name)


def _upon(scene: Scene, things: Sequence[_Thing]) -> Iterator[GroundAtom]:
    """Yield which fixtures stand on which, directly or not; goals may ask for it, actions do not."""
    parents = {thing.object_id: thing.parents for thing in scene.objects}
    names = {thing.object.object_id: thing.name for thing in things if thing.object is not None}
    for thing in things:
        if thing.object is not None and not thing.kind.item:
            for parent in ancestors(thing.object.object_id, parents):
                if parent in names:
                    yield ("upon", thing.name, names[parent])


def _opens(thing: _Thing) -> bool:
    """Whether opening concerns it; the lid of what one puts things *on* (a toilet) is left alone."""
    kind = thing.kind
    return "openable" in kind.affordances and (kind.inside or not kind.receptacle)


def _dynamics(scene: Scene, things: Sequence[_Thing]) -> Iterator[GroundAtom]:
    """Yield what actions change, but for where the agent is and what is near it."""
    named = {thing.object.object_id: thing for thing in things if thing.object is not None}
    shut = shut_in(scene)
    if scene.holding in named:
        yield ("holding", named[scene.holding].name)
    else:
        yield ("hand-empty",)
    for thing in named.values():
        assert thing.object is not None
        name, state = thing.name, thing.object.attributes
        if thing.object.object_id not in shut:
            yield ("exposed", name)
        for predicate in _state_words(thing, state):
            yield (predicate, name)
        if not thing.kind.item:
            continue
        for parent in thing.object.parents:
            if parent in named:
                yield ("in", name, named[parent].name)
                if "single" in named[parent].kind.roles:
                    yield ("occupied", named[parent].name)


def _state_words(thing: _Thing, state: Attributes) -> Iterator[str]:
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
    if state.is_sliced:
        yield "sliced"


def shut_in(scene: Scene) -> frozenset[str]:
    """Return the ids of the items that have a closed door or lid around them."""
    held = contents([thing for thing in scene.objects if kind_of(thing.kind).item or is_receptacle(thing)])
    items = {thing.object_id for thing in scene.objects if kind_of(thing.kind).item}
    border = [
        thing.object_id
        for thing in scene.objects
        if held.get(thing.object_id) and kind_of(thing.kind).closable and not thing.attributes.is_open
    ]
    shut: set[str] = set()
    while border:
        for name in held[border.pop()]:
            if name in items and name not in shut:
                shut.add(name)
                border.append(name)
    return frozenset(shut)


class _Poses:
    """The declared poses by name, in the order of their first use."""

    def __init__(self) -> None:
        self.named: dict[str, Pose] = {}

    def name(self, pose: Pose) -> str:
        name = pose_name(pose)
        self.named.setdefault(name, pose)
        return name


def pose_name(pose: Pose) -> str:
    """Return ``pose_<x>_<z>_<rotation>_<horizon>`` with ``m`` for minus."""
    numbers = (pose.x, pose.z, pose.rotation, pose.horizon)
    return "_".join(("pose", *(str(number).replace("-", "m") for number in numbers)))


def _near(scene: Scene, things: Sequence[_Thing], poses: _Poses, grid: Grid) -> Iterator[GroundAtom]:
    """Yield from where each thing is touched."""
    names = {thing.object.object_id: thing.name for thing in things if thing.object is not None}
    for object_id, pose in touching(
        scene, grid, [thing.object for thing in things if thing.object is not None]
    ):
        yield ("near", names[object_id], poses.name(grid.tilted(pose)))


def _distances(poses: _Poses, grid: Grid) -> Iterator[FunctionValue]:
    names = list(poses.named)
    matrix = grid.distances(list(poses.named.values())).tolist()
    for first, row in zip(names, matrix, strict=True):
        for second, steps in zip(names, row, strict=True):
            if steps >= 0 and first != second:
                yield FunctionValue("distance", (first, second), float(steps))


def state_of(
    scene: Scene, names: Mapping[str, str], begun: Set[str] = frozenset(), *, upon: bool = False
) -> State:
    """Return what holds in a scene, in the words of a problem made from it or from an earlier state of it.

    Where the agent stands is ``at`` its pose, and what it sees and reaches from there is ``near`` that pose.
    A door that stands open makes the scene ``ajar``, an appliance that is on makes it ``running``, unless it
    stood open or ran from the start.

    Args:
        scene: The scene to describe.
        names: What the names stand for: ``HouseholdProblem.ids``. Objects without a name are left out.
        begun: What stood open or ran at the start: ``HouseholdProblem.begun``.
        upon: Tell which fixtures stand on which, as problems do whose goal asks for it.
    """
    things = _named_things(scene, names)
    atoms = set(_statics(things))
    if upon:
        atoms.update(_upon(scene, things))
    atoms.update(_changing(scene, things, begun))
    pose = pose_name(scene.agent)
    shut = shut_in(scene)
    for thing in things:
        assert thing.object is not None
        if thing.object.object_id not in shut and touches(
            scene.agent, scene.agent_y, thing.object.centre, thing.object.size
        ):
            atoms.add(("near", thing.name, pose))
    return frozenset(atoms)


def changing_state_of(scene: Scene, names: Mapping[str, str], begun: Set[str] = frozenset()) -> State:
    """Return the part of ``state_of`` that actions change, but for what is near: what a step may record."""
    return frozenset(_changing(scene, _named_things(scene, names), begun))


def _named_things(scene: Scene, names: Mapping[str, str]) -> list[_Thing]:
    objects = {thing.object_id: thing for thing in scene.objects}
    return [
        _Thing(name, kind_of(objects[object_id].kind), objects[object_id])
        for name, object_id in names.items()
        if object_id in objects
    ]


def _changing(scene: Scene, things: Sequence[_Thing], begun: Set[str]) -> Iterator[GroundAtom]:
    yield from _dynamics(scene, things)
    yield ("at", pose_name(scene.agent))
    for thing in things:
        assert thing.object is not None
        if thing.object.object_id not in begun:
            for which, whether in _untidy(thing):
                yield (which, thing.name)
                yield (whether,)


def _untidy(thing: _Thing) -> Iterator[tuple[str, str]]:
    """Yield what a demonstrator who has left a thing as it is has left: an open door, a running appliance."""
    assert thing.object is not None
    if thing.object.attributes.is_open and "door" in thing.kind.roles:
        yield ("left-open", "ajar")
    if thing.object.attributes.is_toggled and "attended" in thing.kind.roles:
        yield ("left-on", "running")
