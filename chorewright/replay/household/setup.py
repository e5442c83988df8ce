"""Set-up actions: poses of all items, switches, dirt, liquids, random spawns."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from chorewright.problems.household.places import item_levels
from chorewright.problems.household.rooms import room_names
from chorewright.problems.household.spawn import NoRoom, SpawnRequest, spawn
from chorewright.replay.household.poses import ItemPose, restore
from chorewright.replay.household.refusals import (
    NO_SPAWN,
    TOO_MUCH,
    Refusal,
    bad,
    flag,
    missing,
    number,
    part,
    parts,
    several,
    text,
    vector,
)
from chorewright.replay.household.room import Room
from chorewright.replay.simulator import SimulatorAction

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
    angle = number(call, "fieldOfView", settings.field_of_view)
    if not 0 < angle < 180:
        raise bad(call, "fieldOfView", angle)
    room.settings = replace(
        settings,
        reach=number(call, "visibilityDistance", settings.reach),
        field_of_view=angle,
        camera_height=number(call, "cameraY", settings.camera_height),
        turn=number(call, "rotateStepDegrees", settings.turn),
    )


def set_object_poses(room: Room, call: SimulatorAction) -> None:
    """Put one item at each of the ``objectPoses`` {objectName, position, rotation}; other items go.

    The name before its first ``_`` or ``(`` is the kind; ids follow from the new positions.
    """
    entries = parts(call, "objectPoses")
    if len(entries) > MOST_POSES:
        raise Refusal(TOO_MUCH, action=call.action, what=f"{len(entries)} poses", most=MOST_POSES)
    poses = [
        ItemPose(text(entry, "objectName"), vector(entry, "position"), vector(entry, "rotation")) for entry in entries
    ]
    scene = restore(room.scene(), poses, levels=item_levels(room.origin.objects))
    _replace_objects(room, Room(scene, room.settings))


def set_object_toggles(room: Room, call: SimulatorAction) -> None:
    """Switch all objects of the kinds named in ``objectToggles`` {objectType, isOn}."""
    wanted = {text(entry, "objectType"): flag(entry, "isOn") for entry in parts(call, "objectToggles")}
    for object_id, body in list(room.objects.items()):
        if body.kind in wanted and "toggleable" in room.kind(object_id).affordances:
            room.change(object_id, is_toggled=wanted[body.kind])


def set_state_of_all_objects(room: Room, call: SimulatorAction) -> None:
    """Make everything dirty (CanBeDirty) or full (CanBeFilled) with forceAction, else clean or empty."""
    change = text(call, "StateChange")
    affordance = _STATE_CHANGES.get(change)
    if affordance is None:
        raise bad(call, "StateChange", change)
    on = flag(call, "forceAction")
    for object_id in list(room.objects):
        affordances = room.kind(object_id).affordances
        if affordance not in affordances:
            continue
        if affordance == "dirtyable":
            room.change(object_id, is_dirty=on)
        else:
            liquid = room.objects[object_id].attributes.liquid
            room.change(object_id, liquid=(liquid or "water") if on else None, brewed=False)


_STATE_CHANGES = {"CanBeDirty": "dirtyable", "CanBeFilled": "fillable"}


def set_object_states(room: Room, call: SimulatorAction) -> None:
    """Put all objects of a kind, or of all kinds, into a state (AI2-THOR 3 and later).

    ``SetObjectStates`` holds ``objectType``, the name of the affordance as ``stateChange``, and the state by
    its name in the metadata, for instance ``isOpen``.
    """
    wanted = part(call, call.action)
    if wanted is None:
        raise missing(call, call.action)
    change = text(wanted, "stateChange")
    if change not in _OBJECT_STATES:
        raise bad(call, "stateChange", change)
    affordance, attribute, state = _OBJECT_STATES[change]
    on = flag(wanted, state)
    for object_id, body in list(room.objects.items()):
        if (
            wanted.arguments.get("objectType") in (None, "", body.kind)
            and affordance in room.kind(object_id).affordances
        ):
            value = on if attribute != "liquid" else (body.attributes.liquid or "water") if on else None
            room.change(object_id, **{attribute: value})


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
    ``minFreePerReceptacleType`` for free places, ``excludedReceptacles`` for kinds where nothing may start.
    """
    seed = number(call, "randomSeed", 0)
    if seed < 0 or seed != int(seed):
        raise bad(call, "randomSeed", seed)
    wanted = _counts(call, "numDuplicatesOfType") | _counts(call, "numRepeats")
    items = [body for body in room.objects.values() if body.traits.item and not body.is_consumed]
    present = Counter(body.kind for body in items)
    excluded = tuple(map(str, several(call, "excludedReceptacles", ())))
    request = SpawnRequest(
        counts={kind: (count, count) for kind, count in {**present, **wanted}.items() if kind in present},
        banned=dict.fromkeys(present, excluded),
        free=_counts(call, "minFreePerReceptacleType"),
    )
    if sum(wanted.values()) > MOST_COPIES:
        raise Refusal(TOO_MUCH, action=call.action, what=f"{sum(wanted.values())} things", most=MOST_COPIES)
    now = room.scene()
    before = replace(now, objects=tuple(body for body in now.objects if not body.is_consumed))
    try:
        after = spawn(before, np.random.Generator(np.random.PCG64(int(seed))), request)
    except NoRoom as none:
        raise Refusal(NO_SPAWN, what=none.message) from None
    _replace_objects(room, Room(replace(after, agent=before.agent), room.settings))


def scenes_in_build(room: Room, call: SimulatorAction) -> object:
    """Return the names of all scenes."""
    return [f"{name}_physics" for name in room_names()]


def _replace_objects(room: Room, fresh: Room) -> None:
    room.objects, room.contents = fresh.objects, fresh.contents
    room.switches = fresh.switches
    room.hold(fresh.holding)


def _counts(call: SimulatorAction, name: str) -> dict[str, int]:
    if call.arguments.get(name) is None:
        return {}
    return {text(entry, "objectType"): max(0, int(number(entry, "count", 1))) for entry in parts(call, name)}
