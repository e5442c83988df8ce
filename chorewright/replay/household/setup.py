"""Set-up actions: poses of all items, switches, dirt, liquids, random spawns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from chorewright.problems.household.places import item_levels
from chorewright.problems.household.rooms import room_names
from chorewright.problems.household.scene import Vector
from chorewright.problems.household.spawn import NoRoom, SpawnRequest, spawn
from chorewright.replay.household.poses import ItemPose, restore
from chorewright.replay.household.refusals import (
    BAD_ARGUMENT,
    MISSING_ARGUMENT,
    NO_SPAWN,
    TOO_MUCH,
    Arguments,
    Refusal,
    flag,
    number,
    text,
)
from chorewright.replay.household.room import Room
from chorewright.replay.simulator import Argument

MOST_COPIES = 300
"""Things that one InitialRandomSpawn may ask for by their numbers; no room has places for more."""

MOST_POSES = 1000
"""Poses that one SetObjectPoses may have."""


def nothing(room: Room, arguments: Arguments) -> object:
    """Do nothing, successfully."""
    return None


def initialize(room: Room, arguments: Arguments) -> object:
    """Take over the settings that AI2-THOR's Initialize carries.

    ``visibilityDistance``, ``fieldOfView``, ``cameraY`` (metres above the pivot), ``rotateStepDegrees``.
    """
    settings = room.settings
    angle = number(arguments, "fieldOfView", settings.field_of_view, "Initialize")
    if not 0 < angle < 180:
        raise Refusal(BAD_ARGUMENT, action="Initialize", what=angle, name="fieldOfView")
    room.settings = replace(
        settings,
        reach=number(arguments, "visibilityDistance", settings.reach, "Initialize"),
        field_of_view=angle,
        camera_height=number(arguments, "cameraY", settings.camera_height, "Initialize"),
        turn=number(arguments, "rotateStepDegrees", settings.turn, "Initialize"),
    )
    return None


def set_object_poses(room: Room, arguments: Arguments) -> object:
    """Put one item at each of the ``objectPoses`` {objectName, position, rotation}; other items go.

    The name before its first ``_`` or ``(`` is the kind; ids follow from the new positions.
    """
    entries = _entries(arguments, "objectPoses", "SetObjectPoses")
    if len(entries) > MOST_POSES:
        raise Refusal(TOO_MUCH, action="SetObjectPoses", what=f"{len(entries)} poses", most=MOST_POSES)
    poses = [_pose(entry) for entry in entries]
    scene = restore(room.scene(), poses, levels=item_levels(room.origin.objects))
    _replace_objects(room, Room(scene, room.settings))
    return None


def set_object_toggles(room: Room, arguments: Arguments) -> object:
    """Switch all objects of the kinds named in ``objectToggles`` {objectType, isOn}."""
    wanted = {
        text(entry, "objectType", "SetObjectToggles"): flag(entry, "isOn")
        for entry in _entries(arguments, "objectToggles", "SetObjectToggles")
    }
    for object_id, body in list(room.objects.items()):
        if body.kind in wanted and "toggleable" in room.kind(object_id).affordances:
            room.change(object_id, is_toggled=wanted[body.kind])
    return None


def set_state_of_all_objects(room: Room, arguments: Arguments) -> object:
    """Make everything dirty (CanBeDirty) or full (CanBeFilled) with forceAction, else clean or empty."""
    change = text(arguments, "StateChange", "SetStateOfAllObjects")
    affordance = _STATE_CHANGES.get(change)
    if affordance is None:
        raise Refusal(BAD_ARGUMENT, action="SetStateOfAllObjects", what=repr(change), name="StateChange")
    on = flag(arguments, "forceAction")
    for object_id in list(room.objects):
        affordances = room.kind(object_id).affordances
        if affordance not in affordances:
            continue
        if affordance == "dirtyable":
            room.change(object_id, is_dirty=on)
        else:
            liquid = room.objects[object_id].attributes.liquid
            room.change(object_id, liquid=(liquid or "water") if on else None, brewed=False)
    return None


_STATE_CHANGES = {"CanBeDirty": "dirtyable", "CanBeFilled": "fillable"}


def set_object_states(room: Room, arguments: Arguments) -> object:
    """Put all objects of a kind, or of all kinds, into a state (AI2-THOR 3 and later).

    ``SetObjectStates`` holds ``objectType``, the name of the affordance as ``stateChange``, and the state by
    its name in the metadata, for instance ``isOpen``.
    """
    action = "SetObjectStates"
    wanted = arguments.get(action)
    if not isinstance(wanted, Mapping):
        raise Refusal(MISSING_ARGUMENT, action=action, what=action)
    change = text(wanted, "stateChange", action)
    if change not in _OBJECT_STATES:
        raise Refusal(BAD_ARGUMENT, action=action, what=repr(change), name="stateChange")
    affordance, attribute, state = _OBJECT_STATES[change]
    on = flag(wanted, state)
    for object_id, body in list(room.objects.items()):
        if wanted.get("objectType") in (None, "", body.kind) and affordance in room.kind(object_id).affordances:
            value = on if attribute != "liquid" else (body.attributes.liquid or "water") if on else None
            room.change(object_id, **{attribute: value})
    return None


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


def initial_random_spawn(room: Room, arguments: Arguments) -> object:
    """Scatter the room's items over its receptacles anew, from ``randomSeed``; the agent stays where it is.

    ``numDuplicatesOfType`` or (2.x) ``numRepeats`` [{objectType, count}] ask for copies, 2.x's
    ``minFreePerReceptacleType`` for free places, ``excludedReceptacles`` for kinds where nothing may start.
    """
    action = "InitialRandomSpawn"
    seed = number(arguments, "randomSeed", 0, action)
    if seed < 0 or seed != int(seed):
        raise Refusal(BAD_ARGUMENT, action=action, what=seed, name="randomSeed")
    wanted = _counts(arguments, "numDuplicatesOfType", action) | _counts(arguments, "numRepeats", action)
    items = [body for body in room.objects.values() if body.traits.item and not body.is_consumed]
    present = Counter(body.kind for body in items)
    excluded = _texts(arguments, "excludedReceptacles", action)
    request = SpawnRequest(
        counts={kind: (count, count) for kind, count in {**present, **wanted}.items() if kind in present},
        banned=dict.fromkeys(present, excluded),
        free=_counts(arguments, "minFreePerReceptacleType", action),
    )
    if sum(wanted.values()) > MOST_COPIES:
        raise Refusal(TOO_MUCH, action=action, what=f"{sum(wanted.values())} things", most=MOST_COPIES)
    now = room.scene()
    before = replace(now, objects=tuple(body for body in now.objects if not body.is_consumed))
    try:
        after = spawn(before, np.random.Generator(np.random.PCG64(int(seed))), request)
    except NoRoom as none:
        raise Refusal(NO_SPAWN, what=none.message) from None
    _replace_objects(room, Room(replace(after, agent=before.agent), room.settings))
    return None


def scenes_in_build(room: Room, arguments: Arguments) -> object:
    """Return the names of all scenes."""
    return [f"{name}_physics" for name in room_names()]


def _replace_objects(room: Room, fresh: Room) -> None:
    room.objects, room.contents = fresh.objects, fresh.contents
    room.switches = fresh.switches
    room.hold(fresh.holding)


def _entries(arguments: Arguments, name: str, action: str) -> list[Arguments]:
    entries = arguments.get(name)
    if entries is None:
        raise Refusal(MISSING_ARGUMENT, action=action, what=name)
    if isinstance(entries, str) or not isinstance(entries, Sequence):
        raise Refusal(BAD_ARGUMENT, action=action, what=repr(entries), name=name)
    result: list[Arguments] = []
    for entry in entries:
        if not isinstance(entry, Mapping):
            raise Refusal(BAD_ARGUMENT, action=action, what=repr(entry), name=name)
        result.append(entry)
    return result


def _counts(arguments: Arguments, name: str, action: str) -> dict[str, int]:
    if arguments.get(name) is None:
        return {}
    return {
        text(entry, "objectType", action): max(0, int(number(entry, "count", 1, action)))
        for entry in _entries(arguments, name, action)
    }


def _texts(arguments: Arguments, name: str, action: str) -> tuple[str, ...]:
    words = arguments.get(name)
    if words is None:
        return ()
    if isinstance(words, str) or not isinstance(words, Sequence):
        raise Refusal(BAD_ARGUMENT, action=action, what=repr(words), name=name)
    return tuple(str(word) for word in words)


def _pose(entry: Arguments) -> ItemPose:
    name = text(entry, "objectName", "SetObjectPoses")
    return ItemPose(name, _vector(entry, "position"), _vector(entry, "rotation"))


def _vector(entry: Arguments, name: str) -> Vector:
    value: Argument = entry.get(name)
    if not isinstance(value, Mapping):
        raise Refusal(MISSING_ARGUMENT, action="SetObjectPoses", what=name)
    return (
        number(value, "x", 0.0, "SetObjectPoses"),
        number(value, "y", 0.0, "SetObjectPoses"),
        number(value, "z", 0.0, "SetObjectPoses"),
    )
