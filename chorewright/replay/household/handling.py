"""Things moved: picked up, put somewhere, dropped, thrown, pushed, placed at a point, and the hand that holds them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import cos, hypot, radians, sin

from chorewright.problems.household.containment import is_receptacle
from chorewright.problems.household.free_space import AGENT_RADIUS, PIVOT
from chorewright.problems.household.places import item_levels, resting_place
from chorewright.problems.household.scene import SceneObject, Vector
from chorewright.problems.household.sight import floor_distance
from chorewright.replay.household import refusals
from chorewright.replay.household.motion import free_way, obstacle_at, thing_in_hand, way_of_hand
from chorewright.replay.household.placing import encloses, free_place, places_on, support_levels
from chorewright.replay.household.room import Room
from chorewright.replay.household.sweep import RESTING, ROUNDING, displace
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
    """Drop what is held onto the highest open receptacle below the hand, otherwise onto the floor.

    Where the hand is at the agent's body, the thing falls beside it: ahead, or else where there is room.
    """
    item = thing_in_hand(room, "drop")
    room.move(item.object_id, _release(room, item.object_id)[0])
    _land(room, item.object_id)


def _release(room: Room, object_id: str) -> tuple[Vector, bool]:
    """Return where what is held leaves the hand, and whether ahead: where it is held, or else beside the agent.

    Raises:
        Refusal: There is no room for it on any side.
    """
    room.carry()
    held = room.objects[object_id].centre
    east, y, north = room.place()[0], held[1], room.place()[2]
    around = [name for name, body in room.objects.items() if not floor_distance(east, north, body.centre, body.size)]
    place, _ = way_of_hand(room, object_id, (east, y, north), held)
    if not obstacle_at(room, room.bricks(object_id, place), around):
        return place, True
    for turn in BESIDE:
        heading = radians(room.rotation + turn)
        for steps in range(int(AGENT_RADIUS / STEP) + 1, int(BESIDE_MOST / STEP) + 1):
            metres = steps * STEP
            place = (east + metres * sin(heading), y, north + metres * cos(heading))
            if obstacle_at(room, room.bricks(object_id, place), around):
                continue
            if not way_of_hand(room, object_id, (east, y, north), place)[1]:
                return place, not turn
            break
    raise refusals.Refusal(refusals.NO_ROOM, what=object_id)


def _land(room: Room, object_id: str) -> None:
    """Let a thing that lies nowhere fall from where it is onto what is below it, where it then lies."""
    item = room.objects[object_id]
    below = _below(room, item)
    x, _, z = item.centre
    level = room.origin.agent_y - PIVOT
    if below is not None and below.kind != "Floor":
        siblings = [room.objects[name] for name in room.contents.get(below.object_id, ()) if room.kind(name).item]
        level = support_levels(room, item, below, siblings, (x, z))[0]
    top = max((level, *_tops(room, item, below, level)))
    room.move(object_id, (x, top + item.size[1] / 2, z))
    parent = below if top == level else _parent(room, room.objects[object_id])
    if parent is not None:
        room.attach(object_id, parent.object_id)
    if room.holding == object_id:
        room.hold(None)


def _tops(room: Room, item: SceneObject, below: SceneObject | None, level: float) -> Iterator[float]:
    """Yield the tops of what a thing would fall onto, above a level; not of what the carrier is part of."""
    bottom = item.bottom + RESTING
    family = {item.object_id, *room.within(item.object_id), *room.carried}
    if below is not None:
        family |= {below.object_id, *room.around(below.object_id)}
    for name, body in room.objects.items():
        top = body.top
        if name in family or body.is_consumed or body.kind == "Floor" or not level < top <= bottom:
            continue
        if below is not None and not body.traits.item and encloses(body, below):
            continue
        if all(abs(item.centre[a] - body.centre[a]) < (item.size[a] + body.size[a]) / 2 - ROUNDING for a in (0, 2)):
            yield top


def _parent(room: Room, item: SceneObject) -> SceneObject | None:
    """Return what a thing lies in or on where it is; nothing that is shut."""
    family = {item.object_id, *room.within(item.object_id)}
    others = [
        body
        for name, body in room.objects.items()
        if name not in family
        and not body.is_consumed
        and not (body.traits.closable and not body.attributes.is_open)
        and room.closed_around(name) is None
    ]
    return resting_place(item, others, item_levels(room.origin.objects))


def _below(room: Room, item: SceneObject) -> SceneObject | None:
    x, y, z = item.centre
    carriers = [
        (body.top, -index, body)
        for index, body in enumerate(room.objects.values())
        if is_receptacle(body)
        and body.object_id != item.object_id
        and not body.traits.closable
        and not body.traits.item
        and abs(body.centre[0] - x) <= body.size[0] / 2
        and abs(body.centre[2] - z) <= body.size[2] / 2
        and body.bottom <= y
        and room.closed_around(body.object_id) is None
    ]
    return max(carriers, key=lambda carrier: carrier[:2])[2] if carriers else None


# Things moved without being put: drops, throws, pushes, and placing at a point.
#
# There is no physics: what is thrown lands, what is pushed slides, until something is in its way (``motion``), and
# nothing breaks.


SLIDE = 0.01
"""Metres that a thing is thrown or slides for each unit of AI2-THOR's moveMagnitude, a force."""

FARTHEST = 3.0
"""Metres that a thing is thrown or slides at most."""

STEP = 0.05
"""Metres between the places beside the agent where a thing is let go."""

BESIDE = (0.0, 45.0, -45.0, 90.0, -90.0, 135.0, -135.0, 180.0)
"""Degrees to the right of where the agent looks at which a thing is let go, in turn."""

BESIDE_MOST = 1.0
"""Metres from the agent within which a thing is let go."""


def throw(room: Room, call: SimulatorAction) -> None:
    """Let what is held fly ahead of the agent and fall: as far as it is thrown, or until something stops it.

    Where there is no room for it ahead, it falls beside the agent.
    """
    item = thing_in_hand(room, "throw")
    metres = min(abs(refusals.number(call, "moveMagnitude")) * SLIDE, FARTHEST)
    east, north = room.heading()
    start, ahead = _release(room, item.object_id)
    way = (east, 0.0, north)
    free, _ = free_way(room, room.bricks(item.object_id, start), way, metres if ahead else 0.0)
    room.move(item.object_id, displace(start, way, free))
    _land(room, item.object_id)


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
    way = (sin(heading), 0.0, cos(heading))
    carriers = [room.objects[name] for name in body.parents if name in room.objects]
    metres = min((metres, *(_within_edge(body, carrier, way) for carrier in carriers)))
    free, _ = free_way(room, room.bricks(body.object_id), way, metres, ignored=tuple(room.around(body.object_id)))
    if free:
        room.shift(body.object_id, displace(body.centre, way, free))


def _within_edge(body: SceneObject, carrier: SceneObject, way: Vector) -> float:
    """Return how far the middle of a thing can go until it is at the edge of what it lies on."""
    edges = [
        ((carrier.size[axis] / 2) * (1 if way[axis] > 0 else -1) + carrier.centre[axis] - body.centre[axis]) / way[axis]
        for axis in (0, 2)
        if abs(way[axis]) > ROUNDING
    ]
    return max(min(edges), 0.0)


def place_at_point(room: Room, call: SimulatorAction) -> None:
    """Put an item, its bottom at ``position`` {x, y, z}, with what is in it; it lies in or on what is there."""
    item = room.find(refusals.text(call, "objectId"))
    x, y, z = refusals.vector(call, "position")
    if item.is_consumed or not item.traits.item:
        raise refusals.Refusal(refusals.LACKS, what=item.object_id, action="able to be placed")
    if item.object_id == room.holding and not refusals.flag(call, "allowTeleportOutOfHand"):
        raise refusals.Refusal(refusals.IN_HAND, what=item.object_id, action="place")
    centre = (x, y + item.size[1] / 2, z)
    parent = _parent(room, replace(item, centre=centre, position=_pivot(item, centre)))
    family = () if parent is None else (parent.object_id, *room.around(parent.object_id))
    if parent is None or obstacle_at(room, room.bricks(item.object_id, centre), family):
        raise refusals.Refusal(refusals.NO_PLACE, what=item.object_id, where=f"({x:.2f}, {y:.2f}, {z:.2f})")
    if item.object_id == room.holding:
        room.hold(None)
    room.detach(item.object_id)
    room.move(item.object_id, centre)
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


def _pivot(item: SceneObject, centre: Vector) -> Vector:
    x, y, z = (p + new - old for p, new, old in zip(item.position, centre, item.centre, strict=True))
    return x, y, z
