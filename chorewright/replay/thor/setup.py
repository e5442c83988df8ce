"""Setting a room up from within: poses of all items, switches, dirt, liquids, random spawns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from chorewright.problems.scene import Vector
from chorewright.replay.simulator import Argument
from chorewright.replay.thor.arguments import Arguments, flag, number, text
from chorewright.replay.thor.poses import ItemPose, restore
from chorewright.replay.thor.refusals import BAD_ARGUMENT, MISSING_ARGUMENT, Refused
from chorewright.replay.thor.room import Room


def nothing(room: Room, arguments: Arguments) -> object:
    """Do nothing, successfully."""
    return None


def initialize(room: Room, arguments: Arguments) -> object:
    """Take over the settings that AI2-THOR's Initialize carries.

    ``visibilityDistance``, ``fieldOfView``, ``cameraY`` (metres above the pivot), ``rotateStepDegrees``.
    """
    settings = room.settings
    room.settings = replace(
        settings,
        reach=number(arguments, "visibilityDistance", settings.reach, "Initialize"),
        field_of_view=number(arguments, "fieldOfView", settings.field_of_view, "Initialize"),
        camera_height=number(arguments, "cameraY", settings.camera_height, "Initialize"),
        turn=number(arguments, "rotateStepDegrees", settings.turn, "Initialize"),
    )
    return None


def set_object_poses(room: Room, arguments: Arguments) -> object:
    """Put one item at each of the ``objectPoses`` {objectName, position, rotation}; other items go.

    The name before its first ``_`` or ``(`` is the kind; ids follow from the new positions.
    """
    poses = [_pose(entry) for entry in _entries(arguments, "objectPoses", "SetObjectPoses")]
    scene = restore(room.scene(), poses)
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
        raise Refused(BAD_ARGUMENT, action="SetStateOfAllObjects", what=repr(change), name="StateChange")
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


def initial_random_spawn(room: Room, arguments: Arguments) -> object:
    """Spread the room's items over its receptacles anew, from ``randomSeed``."""
    raise Refused(BAD_ARGUMENT, action="InitialRandomSpawn", what="a seed", name="randomSeed")


def _replace_objects(room: Room, fresh: Room) -> None:
    room.objects, room.contents = fresh.objects, fresh.contents
    room.switches, room.holding = fresh.switches, fresh.holding


def _entries(arguments: Arguments, name: str, action: str) -> list[Arguments]:
    entries = arguments.get(name)
    if entries is None:
        raise Refused(MISSING_ARGUMENT, action=action, what=name)
    if isinstance(entries, str) or not isinstance(entries, Sequence):
        raise Refused(BAD_ARGUMENT, action=action, what=repr(entries), name=name)
    result: list[Arguments] = []
    for entry in entries:
        if not isinstance(entry, Mapping):
            raise Refused(BAD_ARGUMENT, action=action, what=repr(entry), name=name)
        result.append(entry)
    return result


def _pose(entry: Arguments) -> ItemPose:
    name = text(entry, "objectName", "SetObjectPoses")
    return ItemPose(name, _vector(entry, "position"), _vector(entry, "rotation"))


def _vector(entry: Arguments, name: str) -> Vector:
    value: Argument = entry.get(name)
    if not isinstance(value, Mapping):
        raise Refused(MISSING_ARGUMENT, action="SetObjectPoses", what=name)
    return (
        number(value, "x", 0.0, "SetObjectPoses"),
        number(value, "y", 0.0, "SetObjectPoses"),
        number(value, "z", 0.0, "SetObjectPoses"),
    )
