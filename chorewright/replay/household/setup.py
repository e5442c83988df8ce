"""Set-up actions (poses of items, switches, dirt, liquids, random spawns), and recorded start states made scenes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import cos, radians, sin

import numpy as np

from chorewright.problems.household.containment import PIECE, model_name
from chorewright.problems.household.kinds import Traits, usual_size
from chorewright.problems.household.places import item_levels, resting_place
from chorewright.problems.household.scene import Scene, SceneObject, Vector
from chorewright.problems.household.spawn import NoRoom, SpawnRequest, object_id, spawn
from chorewright.replay.household import refusals
from chorewright.replay.household.room import Room
from chorewright.replay.simulator import SimulatorAction

# Items put at given poses: AI2-THOR's SetObjectPoses, and a recorded start state made a scene.
#
# Such a list of (name, position, rotation) is the only state that ALFRED stores; what lies in what follows
# from it.


UNKNOWN_SIZE: Vector = (0.1, 0.1, 0.1)
"""The box of an item of a kind that no room has."""

UPRIGHT = 20.0
"""Degrees of tilt up to which an item stands like its model."""

_NO_NAMES: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class ItemPose:
    """An item's name (``Mug_2a940808``: kind, then model), position in metres, rotation in degrees."""

    name: str
    position: Vector
    rotation: Vector


def restore(
    scene: Scene,
    poses: Iterable[ItemPose],
    names: Mapping[str, str] = _NO_NAMES,
    levels: Mapping[str, float] | None = None,
) -> Scene:
    """Return the scene with exactly one item per pose; every other item is gone, the fixtures stay.

    Args:
        scene: The room; an item of the same model, else of the same kind, lends its box and state.
        poses: Where the items are; what is there already keeps its id.
        names: Other names of kinds, as older simulators used them.
        levels: The heights on which things lie (``places.item_levels``), if not as they do in the scene.

    Poses whose name is no known kind of item are left out.
    """
    fixtures = [body for body in scene.objects if not body.traits.item]
    models: dict[str, SceneObject] = {}
    for body in scene.objects:
        models.setdefault(body.kind, body)
        models.setdefault(model_name(body.kind, body.asset), body)
    there = {_place(body.kind, body.position): body.object_id for body in scene.objects}
    items: list[SceneObject] = []
    taken = {body.object_id for body in fixtures}
    for pose in poses:
        kind = kind_name(pose.name, names)
        if PIECE in pose.name:
            kind = scene.kinds[kind].piece or kind
        if not scene.kinds[kind].item:
            continue
        model = models.get(pose.name.split("(")[0]) or models.get(kind)
        name = there.get(_place(kind, pose.position), "")
        item = _item(scene.kinds[kind], pose, model, taken, name)
        taken.add(item.object_id)
        items.append(item)
    known = item_levels(scene.objects) if levels is None else levels
    return replace(scene, objects=tuple(fixtures + _lying(items, fixtures, known)), holding=None)


def kind_name(name: str, names: Mapping[str, str] = _NO_NAMES) -> str:
    """Return the kind that an item's name starts with."""
    word = name.split("_")[0].split("(")[0].split("|")[0]
    return names.get(word, word)


def _place(kind: str, position: Vector) -> tuple[str, float, float, float]:
    """Return a kind and where it is in whole centimetres: what is there already keeps its id."""
    x, y, z = (round(value, 2) for value in position)
    return kind, x, y, z


def _item(traits: Traits, pose: ItemPose, model: SceneObject | None, taken: set[str], known: str) -> SceneObject:
    kind = traits.name
    centre, size = _box(traits, pose, model)
    x, y, z = pose.position
    name = known or object_id(kind, pose.position)
    while name in taken:
        x += 0.01
        name = object_id(kind, (x, y, z))
    receptacle = traits.receptacle == "always"
    item = SceneObject(name, kind, pose.position, pose.rotation, centre, size, receptacle=receptacle, traits=traits)
    if model is None:
        return item
    return replace(item, asset=model.asset, attributes=replace(model.attributes, is_sliced=False))


def _box(traits: Traits, pose: ItemPose, model: SceneObject | None) -> tuple[Vector, Vector]:
    """Return the centre and size of an item's box: the model's, turned about the vertical.

    Where the model is tilted otherwise (a pen upright in a cup), the size is the middle one of the kind.
    """
    x, y, z = pose.position
    usual = usual_size(traits, UNKNOWN_SIZE)
    if model is None:
        return _round_off((x, y + usual[1] / 2, z)), usual
    turns = (pose.rotation[axis] - model.rotation[axis] for axis in (0, 2))
    tilted = any(abs((degrees + 180.0) % 360.0 - 180.0) > UPRIGHT for degrees in turns)
    turn = radians(pose.rotation[1] - model.rotation[1])
    c, s = cos(turn), sin(turn)
    east, up, north = (model.centre[axis] - model.position[axis] for axis in range(3))
    width, height, depth = usual if tilted else model.size
    centre = (x + c * east + s * north, y + up, z - s * east + c * north)
    size = (abs(c) * width + abs(s) * depth, height, abs(s) * width + abs(c) * depth)
    return _round_off(centre), _round_off(size)


def _lying(items: list[SceneObject], fixtures: list[SceneObject], levels: Mapping[str, float]) -> list[SceneObject]:
    found = [(item, resting_place(item, fixtures + items, levels)) for item in items]
    return [replace(item, parents=(parent.object_id,) if parent else ()) for item, parent in found]


def _round_off(vector: Vector) -> Vector:
    return (round(vector[0], 4), round(vector[1], 4), round(vector[2], 4))


# Start states that come out of SetObjectPoses as they went in: the same ids and the same parents.
#
# A recorded start state tells positions only. What lies in what follows from them.


def as_restored(room: Scene, scene: Scene) -> Scene | None:
    """Return a scene as SetObjectPoses gives it back, or None if something would have another id or parent.

    The boxes of copies are then those of the first thing of their model, as a simulator knows no others.

    Args:
        room: The room as it is at first.
        scene: The same room with other items; nothing is held.
    """
    poses = [
        ItemPose(model_name(thing.kind, thing.asset), thing.position, thing.rotation)
        for thing in scene.objects
        if thing.traits.item
    ]
    after = {thing.object_id: thing for thing in restore(room, poses).objects}
    found = []
    for thing in scene.objects:
        now = after.get(thing.object_id)
        if now is None or (thing.traits.item and now.parents != thing.parents):
            return None
        found.append(replace(thing, centre=now.centre, size=now.size))
    return replace(scene, objects=tuple(found))


MOST_COPIES = 300
"""Things that one InitialRandomSpawn may ask for by their numbers; no room has places for more."""

MOST_POSES = 1000
"""Poses that one SetObjectPoses may have."""


def nothing(room: Room, call: SimulatorAction) -> None:
    """Do nothing, successfully."""


def initialize(room: Room, call: SimulatorAction) -> None:
    """Take over the settings that AI2-THOR's Initialize carries.

    ``visibilityDistance``, ``fieldOfView``, ``cameraY`` (metres above the pivot), ``rotateStepDegrees``.
    """
    settings = room.settings
    angle = refusals.number(call, "fieldOfView", settings.field_of_view)
    if not 0 < angle < 180:
        raise refusals.bad(call, "fieldOfView", angle)
    room.settings = replace(
        settings,
        reach=refusals.number(call, "visibilityDistance", settings.reach),
        field_of_view=angle,
        camera_height=refusals.number(call, "cameraY", settings.camera_height),
        turn=refusals.number(call, "rotateStepDegrees", settings.turn),
    )


def set_object_poses(room: Room, call: SimulatorAction) -> None:
    """Put one item at each of the ``objectPoses`` {objectName, position, rotation}; other items go.

    The name before its first ``_`` or ``(`` is the kind; ids follow from the new positions.
    """
    entries = refusals.parts(call, "objectPoses")
    if len(entries) > MOST_POSES:
        raise refusals.Refusal(refusals.TOO_MUCH, action=call.action, what=f"{len(entries)} poses", most=MOST_POSES)
    poses = [
        ItemPose(
            refusals.text(entry, "objectName"), refusals.vector(entry, "position"), refusals.vector(entry, "rotation")
        )
        for entry in entries
    ]
    scene = restore(room.scene(), poses, levels=item_levels(room.origin.objects))
    _replace_objects(room, Room(scene, room.settings))


def set_object_toggles(room: Room, call: SimulatorAction) -> None:
    """Switch all objects of the kinds named in ``objectToggles`` {objectType, isOn}."""
    wanted = {
        refusals.text(entry, "objectType"): refusals.flag(entry, "isOn")
        for entry in refusals.parts(call, "objectToggles")
    }
    for name, body in list(room.objects.items()):
        if body.kind in wanted and "toggleable" in room.kind(name).affordances:
            room.change(name, is_toggled=wanted[body.kind])


def set_state_of_all_objects(room: Room, call: SimulatorAction) -> None:
    """Make everything dirty (CanBeDirty) or full (CanBeFilled) with forceAction, else clean or empty."""
    change = refusals.text(call, "StateChange")
    if change not in _STATE_CHANGES:
        raise refusals.bad(call, "StateChange", change)
    _set_all(room, _STATE_CHANGES[change], refusals.flag(call, "forceAction"))


_STATE_CHANGES = {"CanBeDirty": "dirtyable", "CanBeFilled": "canFillWithLiquid"}


def set_object_states(room: Room, call: SimulatorAction) -> None:
    """Put all objects of a kind, or of all kinds, into a state (AI2-THOR 3 and later).

    ``SetObjectStates`` holds ``objectType``, the name of the affordance as ``stateChange``, and the state by
    its name in the metadata, for instance ``isOpen``.
    """
    wanted = refusals.part(call, call.action)
    if wanted is None:
        raise refusals.missing(call, call.action)
    change = refusals.text(wanted, "stateChange")
    if change not in _OBJECT_STATES:
        raise refusals.bad(call, "stateChange", change)
    _set_all(room, change, refusals.flag(wanted, _OBJECT_STATES[change][2]), wanted.arguments.get("objectType"))


def _set_all(room: Room, change: str, on: bool, kind: object = None) -> None:
    """Put all objects of a kind, or of all kinds, into a state of ``_OBJECT_STATES``, or out of it."""
    affordance, attribute, _ = _OBJECT_STATES[change]
    for name, body in list(room.objects.items()):
        if kind not in (None, "", body.kind) or affordance not in room.kind(name).affordances:
            continue
        if attribute == "liquid":
            room.change(name, liquid=(body.attributes.liquid or "water") if on else None, brewed=False)
        elif attribute == "is_cooked":
            room.change(name, is_cooked=on, cooked=on)
        else:
            room.change(name, **{attribute: on})
        if attribute == "is_open":
            room.openness.pop(name, None)


_OBJECT_STATES = {
    "toggleable": ("toggleable", "is_toggled", "isToggled"),
    "openable": ("openable", "is_open", "isOpen"),
    "dirtyable": ("dirtyable", "is_dirty", "isDirty"),
    "breakable": ("breakable", "is_broken", "isBroken"),
    "cookable": ("cookable", "is_cooked", "isCooked"),
    "canFillWithLiquid": ("fillable", "liquid", "isFilledWithLiquid"),
    "canBeUsedUp": ("usable", "is_used_up", "isUsedUp"),
}
"""Affordance in AI2-THOR's words to ours, our attribute, and the state in AI2-THOR's words."""


def initial_random_spawn(room: Room, call: SimulatorAction) -> None:
    """Scatter the room's items over its receptacles anew, from ``randomSeed``; the agent stays where it is.

    ``numDuplicatesOfType`` or (2.x) ``numRepeats`` [{objectType, count}] ask for copies, 2.x's
    ``minFreePerReceptacleType`` for free places, ``excludedReceptacles`` for kinds where nothing may start, and
    ``excludedObjectIds`` for things that stay where they are.
    """
    seed = refusals.number(call, "randomSeed", 0)
    if seed < 0 or seed != int(seed):
        raise refusals.bad(call, "randomSeed", seed)
    wanted = _counts(call, "numDuplicatesOfType") | _counts(call, "numRepeats")
    items = [body for body in room.objects.values() if body.traits.item and not body.is_consumed]
    present = Counter(body.kind for body in items)
    excluded = tuple(map(str, refusals.several(call, "excludedReceptacles", ())))
    request = SpawnRequest(
        counts={kind: (count, count) for kind, count in {**present, **wanted}.items() if kind in present},
        banned=dict.fromkeys(present, excluded),
        free=_counts(call, "minFreePerReceptacleType"),
        kept=tuple(map(str, refusals.several(call, "excludedObjectIds", ()))),
    )
    if sum(wanted.values()) > MOST_COPIES:
        raise refusals.Refusal(
            refusals.TOO_MUCH, action=call.action, what=f"{sum(wanted.values())} things", most=MOST_COPIES
        )
    now = room.scene()
    before = replace(now, objects=tuple(body for body in now.objects if not body.is_consumed))
    try:
        after = spawn(before, np.random.Generator(np.random.PCG64(int(seed))), request)
    except NoRoom as none:
        raise refusals.Refusal(refusals.NO_SPAWN, what=none.message) from None
    holding = before.holding if before.holding in request.kept else None
    _replace_objects(room, Room(replace(after, agent=before.agent, holding=holding), room.settings))


def _replace_objects(room: Room, fresh: Room) -> None:
    room.objects, room.contents = fresh.objects, fresh.contents
    room.switches = fresh.switches
    room.hold(fresh.holding)


def _counts(call: SimulatorAction, name: str) -> dict[str, int]:
    if call.arguments.get(name) is None:
        return {}
    return {
        refusals.text(entry, "objectType"): max(0, int(refusals.number(entry, "count", 1)))
        for entry in refusals.parts(call, name)
    }
