"""Picking things up, putting them somewhere and letting them fall."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot

from chorewright.problems.household.containment import is_receptacle
from chorewright.problems.household.free_space import PIVOT
from chorewright.problems.household.scene import SceneObject
from chorewright.replay.household.placing import free_place
from chorewright.replay.household.refusals import (
    CLOSED,
    HAND_EMPTY,
    HAND_FULL,
    IN_HAND_OF_OTHER,
    INTO_ITSELF,
    NO_PLACE,
    NOT_ALLOWED,
    NOT_HELD,
    NOT_PICKUPABLE,
    NOT_RECEPTACLE,
    SHUT_IN,
    Refusal,
    is_forced,
    number,
    text,
)
from chorewright.replay.household.room import Room
from chorewright.replay.simulator import SimulatorAction

NEARLY = 0.25
"""Metres from a point within which the usual place is near it, as for all clicks of our own sessions."""


def pick_up(room: Room, call: SimulatorAction) -> None:
    """Take an object, with everything in it, into the empty hand."""
    object_id = text(call, "objectId")
    body = room.find(object_id)
    if room.holding is not None:
        raise Refusal(HAND_FULL, what=room.holding)
    if not body.traits.item:
        raise Refusal(NOT_PICKUPABLE, what=object_id)
    if object_id in room.carried:
        raise Refusal(IN_HAND_OF_OTHER, what=object_id)
    room.touch(object_id, is_forced(call))
    room.detach(object_id)
    room.change(object_id, handled=True)
    room.hold(object_id)
    room.carry()


def put_on_receptacle(room: Room, call: SimulatorAction) -> None:
    """Put the held object in or on a receptacle.

    Two forms: ``objectId`` is the receptacle (AI2-THOR from 3.x), or ``objectId`` is the held object and
    ``receptacleObjectId`` the receptacle (2.x). ``near`` {x, y, z} names a point to lie near, where the usual
    place does not. What is put into the hull of a sink or bathtub lies in its basin. ``forceAction`` relaxes
    reach, what belongs where and how much room there is; a door must be open all the same.
    """
    receptacle_id = text(call, "objectId")
    if call.arguments.get("receptacleObjectId"):
        item_id, receptacle_id = receptacle_id, text(call, "receptacleObjectId")
        room.find(item_id)
        if room.holding is not None and room.holding != item_id:
            raise Refusal(NOT_HELD, what=item_id)
    if room.holding is None:
        raise Refusal(HAND_EMPTY, what="put down")
    force = is_forced(call)
    receptacle = room.find(receptacle_id)
    item = room.objects[room.holding]
    if not is_receptacle(receptacle):
        receptacle = _basin(room, receptacle)
        receptacle_id = receptacle.object_id
    if receptacle_id == item.object_id or receptacle_id in room.within(item.object_id):
        raise Refusal(INTO_ITSELF, what=item.object_id)
    if not is_receptacle(receptacle):
        raise Refusal(NOT_RECEPTACLE, what=receptacle_id)
    room.touch(receptacle_id, force)
    outer = room.closed_around(receptacle_id)
    if outer is not None:
        raise Refusal(SHUT_IN, what=receptacle_id, where=outer)
    if receptacle.traits.closable and not receptacle.attributes.is_open:
        raise Refusal(CLOSED, what=receptacle_id)
    if not force and receptacle.kind not in item.traits.fits:
        raise Refusal(NOT_ALLOWED, what=item.object_id, where=receptacle_id)
    place = free_place(room, item, receptacle, force)
    near = _near(call)
    if near is not None and (place is None or hypot(place[0] - near[0], place[2] - near[1]) > NEARLY):
        place = free_place(room, item, receptacle, force, near)
    if place is None:
        raise Refusal(NO_PLACE, what=item.object_id, where=receptacle_id)
    room.move(item.object_id, place)
    room.attach(item.object_id, receptacle_id)
    room.hold(None)


def _basin(room: Room, hull: SceneObject) -> SceneObject:
    """Return the part of a sink or bathtub that holds things, or the thing itself if it has none."""
    parts = (body for name, body in room.objects.items() if name.startswith(f"{hull.object_id}|"))
    return next((body for body in parts if "drain" in body.traits.roles and is_receptacle(body)), hull)


def _near(call: SimulatorAction) -> tuple[float, float] | None:
    point = call.arguments.get("near")
    if not isinstance(point, Mapping):
        return None
    told = SimulatorAction(call.action, point)
    return number(told, "x"), number(told, "z")


def drop(room: Room, call: SimulatorAction) -> None:
    """Drop what is held onto the highest open receptacle below the hand, otherwise onto the floor."""
    if room.holding is None:
        raise Refusal(HAND_EMPTY, what="drop")
    room.carry()
    land(room, room.holding)


def land(room: Room, object_id: str) -> None:
    """Let what is held fall from where it is."""
    item = room.objects[object_id]
    below = _below(room, item)
    if below is not None:
        place = free_place(room, item, below, forced=True)
        assert place is not None
        room.move(item.object_id, (item.centre[0], place[1], item.centre[2]))
        room.attach(item.object_id, below.object_id)
    else:
        x, _, z = item.centre
        floor = room.origin.agent_y - PIVOT
        room.move(item.object_id, (x, floor + item.size[1] / 2, z))
    room.hold(None)


def _below(room: Room, item: SceneObject) -> SceneObject | None:
    x, y, z = item.centre
    carriers = [
        (body.centre[1] + body.size[1] / 2, -index, body)
        for index, body in enumerate(room.objects.values())
        if is_receptacle(body)
        and body.object_id != item.object_id
        and not body.traits.closable
        and not body.traits.item
        and abs(body.centre[0] - x) <= body.size[0] / 2
        and abs(body.centre[2] - z) <= body.size[2] / 2
        and body.centre[1] - body.size[1] / 2 <= y
        and room.closed_around(body.object_id) is None
    ]
    return max(carriers, key=lambda carrier: carrier[:2])[2] if carriers else None
