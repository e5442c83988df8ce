"""Things moved: picked up, put somewhere, dropped, thrown, pushed, placed at a point, and the hand that holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import cos, dist, hypot, radians, sin

from chorewright.problems.household.containment import is_receptacle
from chorewright.problems.household.free_space import PIVOT
from chorewright.problems.household.places import item_levels, resting_place
from chorewright.problems.household.scene import GRID, SceneObject, Vector
from chorewright.replay.household import refusals
from chorewright.replay.household.placing import free_place, places_on
from chorewright.replay.household.room import Room
from chorewright.replay.simulator import SimulatorAction

NEARLY = 0.25
"""Metres from a point within which the usual place is near it, as for all clicks of our own sessions."""


def pick_up(room: Room, call: SimulatorAction) -> None:
    """Take an object, with everything in it, into the empty hand."""
    object_id = refusals.text(call, "objectId")
    body = room.find(object_id)
    if room.holding is not None:
        raise refusals.Refusal(refusals.HAND_FULL, what=room.holding)
    if not body.traits.item:
        raise refusals.Refusal(refusals.NOT_PICKUPABLE, what=object_id)
    if object_id in room.carried:
        raise refusals.Refusal(refusals.IN_HAND_OF_OTHER, what=object_id)
    room.touch(object_id, refusals.is_forced(call))
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
    receptacle_id = refusals.text(call, "objectId")
    if call.arguments.get("receptacleObjectId"):
        item_id, receptacle_id = receptacle_id, refusals.text(call, "receptacleObjectId")
        room.find(item_id)
        if room.holding is not None and room.holding != item_id:
            raise refusals.Refusal(refusals.NOT_HELD, what=item_id)
    if room.holding is None:
        raise refusals.Refusal(refusals.HAND_EMPTY, what="put down")
    force = refusals.is_forced(call)
    receptacle = room.find(receptacle_id)
    item = room.objects[room.holding]
    if not is_receptacle(receptacle):
        receptacle = _basin(room, receptacle)
        receptacle_id = receptacle.object_id
    if receptacle_id == item.object_id or receptacle_id in room.within(item.object_id):
        raise refusals.Refusal(refusals.INTO_ITSELF, what=item.object_id)
    if not is_receptacle(receptacle):
        raise refusals.Refusal(refusals.NOT_RECEPTACLE, what=receptacle_id)
    room.touch(receptacle_id, force)
    outer = room.closed_around(receptacle_id)
    if outer is not None:
        raise refusals.Refusal(refusals.SHUT_IN, what=receptacle_id, where=outer)
    if receptacle.traits.closable and not receptacle.attributes.is_open:
        raise refusals.Refusal(refusals.CLOSED, what=receptacle_id)
    if not force and receptacle.kind not in item.traits.fits:
        raise refusals.Refusal(refusals.NOT_ALLOWED, what=item.object_id, where=receptacle_id)
    place = free_place(room, item, receptacle, force)
    near = _near(call)
    if near is not None and (place is None or hypot(place[0] - near[0], place[2] - near[1]) > NEARLY):
        place = free_place(room, item, receptacle, force, near)
    if place is None:
        raise refusals.Refusal(refusals.NO_PLACE, what=item.object_id, where=receptacle_id)
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
    return refusals.number(told, "x"), refusals.number(told, "z")


def drop(room: Room, call: SimulatorAction) -> None:
    """Drop what is held onto the highest open receptacle below the hand, otherwise onto the floor."""
    if room.holding is None:
        raise refusals.Refusal(refusals.HAND_EMPTY, what="drop")
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


# Things moved without being put: the hand and what it holds, throws, pushes, and placing at a point.
#
# There is no physics: what is thrown lands, what is pushed slides until something is in its way, and nothing breaks.


SLIDE = 0.01
"""Metres that a thing is thrown or slides for each unit of AI2-THOR's moveMagnitude, a force."""

FARTHEST = 3.0
"""Metres that a thing is thrown or slides at most."""

STEP = 0.05
"""Metres between the places that a moving thing is tried at."""

NEAR_FEET = 0.5
"""Metres from a standing point within which a thing on the floor is in the room."""


WAYS: Mapping[str, Vector] = {
    "Ahead": (0.0, 0.0, 1.0),
    "Back": (0.0, 0.0, -1.0),
    "Left": (-1.0, 0.0, 0.0),
    "Right": (1.0, 0.0, 0.0),
    "Up": (0.0, 1.0, 0.0),
    "Down": (0.0, -1.0, 0.0),
}
"""Directions in which what is held is moved: right, up and ahead, seen from the agent."""


def move_held(room: Room, call: SimulatorAction) -> None:
    """Move what is held by ``ahead``, ``right`` and ``up`` metres, seen from the agent."""
    _stretch(
        room,
        (refusals.number(call, "right"), refusals.number(call, "up"), refusals.number(call, "ahead")),
        refusals.flag(call, "forceVisible"),
    )


def move_held_along(room: Room, call: SimulatorAction, way: Vector) -> None:
    """Move what is held by ``moveMagnitude`` metres in a direction."""
    metres = refusals.number(call, "moveMagnitude")
    _stretch(room, (metres * way[0], metres * way[1], metres * way[2]), refusals.flag(call, "forceVisible"))


def rotate_hand(room: Room, call: SimulatorAction) -> None:
    """Turn what is held to ``x``, ``y`` and ``z`` degrees (AI2-THOR 2), seen from the agent."""
    pitch, yaw, roll = (refusals.number(call, axis) for axis in "xyz")
    item = _thing_in_hand(room, "rotate")
    _turn(room, item, (pitch, yaw + room.rotation, roll))


def rotate_held(room: Room, call: SimulatorAction) -> None:
    """Turn what is held by ``pitch``, ``yaw`` and ``roll`` degrees, or to a ``rotation`` {x, y, z} in the room."""
    item = _thing_in_hand(room, "rotate")
    if isinstance(call.arguments.get("rotation"), Mapping):
        x, y, z = refusals.vector(call, "rotation")
    else:
        by = [refusals.number(call, name) for name in ("pitch", "yaw", "roll")]
        x, y, z = (before + more for before, more in zip(item.rotation, by, strict=True))
    _turn(room, item, (x, y, z))


def throw(room: Room, call: SimulatorAction) -> None:
    """Let what is held land ahead of the agent: as far as it is thrown, or less far if it would leave the room."""
    item = _thing_in_hand(room, "throw")
    metres = min(abs(refusals.number(call, "moveMagnitude")) * SLIDE, FARTHEST)
    room.carry()
    east, north = room.heading()
    x, y, z = room.objects[item.object_id].centre
    steps = int(metres / STEP)
    while steps and not _in_room(room, x + steps * STEP * east, z + steps * STEP * north):
        steps -= 1
    room.move(item.object_id, (x + steps * STEP * east, y, z + steps * STEP * north))
    land(room, item.object_id)


def slide(room: Room, call: SimulatorAction, turn: float | None = None) -> None:
    """Let a thing slide away: so many degrees to the right of where the agent looks; by default ``pushAngle``."""
    turn = refusals.number(call, "pushAngle") if turn is None else turn
    body = room.find(refusals.text(call, "objectId"))
    if body.object_id == room.holding:
        raise refusals.Refusal(refusals.IN_HAND, what=body.object_id, action="push")
    if not (body.traits.item or "moveable" in body.traits.affordances):
        raise refusals.Refusal(refusals.LACKS, what=body.object_id, action="able to be moved")
    room.touch(body.object_id, refusals.is_forced(call))
    metres = min(abs(refusals.number(call, "moveMagnitude")) * SLIDE, FARTHEST)
    heading = radians(room.rotation + turn)
    east, north = sin(heading), cos(heading)
    x, y, z = body.centre
    inside = {body.object_id, *room.within(body.object_id), *room.around(body.object_id)}
    others = [other for name, other in room.objects.items() if name not in inside and not other.is_consumed]
    carriers = [room.objects[name] for name in body.parents if name in room.objects]
    steps = 0
    for step in range(1, int(metres / STEP) + 1):
        moved = replace(body, centre=(x + step * STEP * east, y, z + step * STEP * north))
        carried = all(_over(moved, carrier) for carrier in carriers) and _in_room(
            room, moved.centre[0], moved.centre[2]
        )
        if not carried or any(_overlap(moved, other) and not _overlap(body, other) for other in others):
            break
        steps = step
    if steps:
        room.move(body.object_id, (x + steps * STEP * east, y, z + steps * STEP * north))


def place_at_point(room: Room, call: SimulatorAction) -> None:
    """Put an item, its bottom at ``position`` {x, y, z}, with what is in it; it lies in or on what is there."""
    item = room.find(refusals.text(call, "objectId"))
    x, y, z = refusals.vector(call, "position")
    if item.is_consumed or not item.traits.item:
        raise refusals.Refusal(refusals.LACKS, what=item.object_id, action="able to be placed")
    if item.object_id == room.holding and not refusals.flag(call, "allowTeleportOutOfHand"):
        raise refusals.Refusal(refusals.IN_HAND, what=item.object_id, action="place")
    inside = {item.object_id, *room.within(item.object_id)}
    others = [body for name, body in room.objects.items() if name not in inside and not body.is_consumed]
    moved = replace(item, centre=(x, y + item.size[1] / 2, z), position=_pivot(item, (x, y + item.size[1] / 2, z)))
    parent = resting_place(moved, others, item_levels(room.origin.objects))
    blocked = any(body.traits.item and body is not parent and _overlap(moved, body) for body in others)
    if parent is None or blocked or not _in_room(room, x, z):
        raise refusals.Refusal(refusals.NO_PLACE, what=item.object_id, where=f"({x:.2f}, {y:.2f}, {z:.2f})")
    if item.object_id == room.holding:
        room.hold(None)
    room.detach(item.object_id)
    room.move(item.object_id, moved.centre)
    room.attach(item.object_id, parent.object_id)


def spawn_coordinates(room: Room, call: SimulatorAction) -> object:
    """Return points on a receptacle where PlaceObjectAtPoint can put small things; in view and reach, or anywhere."""
    receptacle = room.find(refusals.text(call, "objectId"))
    if not is_receptacle(receptacle):
        raise refusals.Refusal(refusals.NOT_RECEPTACLE, what=receptacle.object_id)
    points = places_on(room, receptacle)
    if not refusals.flag(call, "anywhere", default=True):
        points = [point for point in points if room.frames(point)]
    return [dict(zip("xyz", point, strict=True)) for point in points]


def _thing_in_hand(room: Room, what: str) -> SceneObject:
    if room.holding is None:
        raise refusals.Refusal(refusals.HAND_EMPTY, what=what)
    return room.objects[room.holding]


def _stretch(room: Room, by: Vector, seen: bool) -> None:
    """Move the hand; it stays in the agent's reach and above the floor, and in view if that is asked for."""
    item, before = _thing_in_hand(room, "move"), room.stretched
    room.stretched = (before[0] + by[0], before[1] + by[1], before[2] + by[2])
    place, camera = room.hand(item.size), room.camera()
    metres = dist(place, camera)
    low = place[1] - item.size[1] / 2 < room.origin.agent_y - PIVOT
    out = seen and not room.shows(place, item.size, 0.0)
    if metres > room.settings.reach or low or out:
        room.stretched = before
        if out:
            raise refusals.Refusal(refusals.NOT_VISIBLE, what=item.object_id)
        raise refusals.Refusal(
            refusals.TOO_FAR, what=item.object_id, metres=round(metres, 2), reach=room.settings.reach
        )
    room.carry()


def _turn(room: Room, item: SceneObject, rotation: Vector) -> None:
    """Turn what is held; its box turns by quarter turns about the vertical."""
    quarters = round((rotation[1] - item.rotation[1]) / 90)
    width, height, depth = item.size
    size = (depth, height, width) if quarters % 2 else item.size
    turned = replace(item, rotation=(rotation[0] % 360, rotation[1] % 360, rotation[2] % 360), size=size)
    room.objects[item.object_id] = turned
    room.carry()


def _pivot(item: SceneObject, centre: Vector) -> Vector:
    x, y, z = (p + new - old for p, new, old in zip(item.position, centre, item.centre, strict=True))
    return x, y, z


def _overlap(one: SceneObject, other: SceneObject) -> bool:
    """Return whether two boxes overlap by more than they do where one stands on the other."""
    slack = 0.02
    return all(abs(one.centre[a] - other.centre[a]) < (one.size[a] + other.size[a]) / 2 - slack for a in range(3))


def _over(one: SceneObject, carrier: SceneObject) -> bool:
    return all(abs(one.centre[a] - carrier.centre[a]) <= carrier.size[a] / 2 for a in (0, 2))


def _in_room(room: Room, x: float, z: float) -> bool:
    """Return whether a point is over furniture or near where the agent can stand."""
    for body in room.objects.values():
        inside = all(abs(v - body.centre[a]) <= body.size[a] / 2 for v, a in ((x, 0), (z, 2)))
        if inside and not body.traits.item and body.kind != "Floor" and is_receptacle(body):
            return True
    return any(hypot(x - east * GRID, z - north * GRID) <= NEAR_FEET for east, north in room.walkable)
