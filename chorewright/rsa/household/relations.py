"""Where things are to one another, as far as it is certain: the facts from which places are worded.

A relation is only found if it holds under every reading a hearer may take: for the whole thing and for the spot
that the agent faces, from where the agent acts, and for every thing that the anchor's noun may mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from chorewright.problems.household.scene import GRID, STEPS, Box, Pose, Scene, Vector
from chorewright.rsa.household.layout import PlacedThing, RoomLayout
from chorewright.rsa.household.nouns import ThingNames

TOGETHER = 0.9
"""Metres within which parts of one thing stand (a stove's burners)."""

ASIDE, BESIDE, NEAR, BETWEEN = 1.0, 0.35, 0.7, 1.3
"""Metres of free floor up to which a thing is left or right of another, next to it, near it, between two."""

ITEM_ASIDE, ITEM_NEAR = 0.1, 0.4
"""Metres by which items must differ to be left, right, behind or in front, and within which they are close."""

NARROW, WIDE = 0.7, 1.2
"""Metres up to which a thing is where its middle is, and beyond which its box says too little of where it is."""

CORNER, WALL = 0.4, 0.3
"""Metres from the room's walls within which a thing is in a corner, or at the wall."""

WITH_MIDDLE = 0.9
"""Metres of width from which furniture has a middle that one goes to."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """Something that a place is said by.

    Attributes:
        kind: its kind.
        box: its box; parts of one thing are one anchor.
        members: the ids of its parts.
        passed: whether one can walk up to it and past it.
    """

    kind: str
    box: Box
    members: tuple[str, ...]
    passed: bool = True


@dataclass(frozen=True, slots=True)
class PlaceRelation:
    """A true relation: its name, which is a rule of the grammar, and its anchors."""

    name: str
    anchors: tuple[Anchor, ...] = ()


def walls(scene: Scene) -> tuple[Box, ...]:
    """Return the boxes that a room's walls may have: around fixtures and standing points, and the floor's."""
    xs = [x * GRID for x, _ in scene.grid]
    zs = [z * GRID for _, z in scene.grid]
    floors = []
    for body in scene.objects:
        sides = [(body.centre[axis] - body.size[axis] / 2, body.centre[axis] + body.size[axis] / 2) for axis in (0, 2)]
        if body.kind == "Floor":
            floors.append(Box((sides[0][0], 0.0, sides[1][0]), (sides[0][1], 3.0, sides[1][1])))
        elif not body.traits.item:
            xs += sides[0]
            zs += sides[1]
    around = [Box((min(xs), 0.0, min(zs)), (max(xs), 3.0, max(zs)))] if xs else []
    return (*around, *floors[:1])


def landmarks(world: RoomLayout, names: ThingNames) -> tuple[Anchor, ...]:
    """Return the big things of a room whose noun means nothing else there."""
    found: dict[str, list[PlacedThing]] = {}
    for thing in world.things.values():
        words = names.lexicon.words(thing.kind)
        anchor = words.landmark or words.together or names.table.of(thing.kind, names.lexicon).anchor
        if thing.still and anchor and not words.large:
            found.setdefault(names.table.same.get(thing.kind, thing.kind), []).append(thing)
    anchors = []
    for things in found.values():
        kind = things[0].kind
        if names.mistakable(kind) or not _one_place(things, names):
            continue
        box = things[0].box
        for other in things[1:]:
            box = box.join(other.box)
        words = names.lexicon.words(kind)
        anchors.append(Anchor(kind, box, tuple(each.object_id for each in things), words.landmark or words.together))
    return tuple(anchors)


def _one_place(things: Sequence[PlacedThing], names: ThingNames) -> bool:
    """Whether things of one name can be spoken of as one: it is a single one, or parts of one (burners)."""
    together = all(names.lexicon.words(thing.kind).together for thing in things)
    return len(things) == 1 or (together and all(things[0].box.gap(thing.box) <= TOGETHER for thing in things))


def readings(thing: PlacedThing, pose: Pose, large: bool, item: PlacedThing | None = None) -> list[Box]:
    """Return the places that may be meant by a thing that the agent deals with.

    These are the spot before the agent, the item that is dealt with there, and the whole unless it is ``large``.
    """
    wide = max(thing.size[0], thing.size[2])
    found = [] if large else [thing.box if wide <= WIDE else Box.at(thing.centre)]
    if large or wide > NARROW:
        found.append(Box.at(_face(thing, pose)))
    if item is not None and item.still:
        found.append(Box.at(item.centre))
    return found


def _face(thing: PlacedThing, pose: Pose) -> Vector:
    """Return the spot of a thing before the agent: 0.6 m ahead, inside of its box."""
    box = thing.box
    point = []
    for axis, here in ((0, pose.x), (2, pose.z)):
        ahead = here * GRID + 0.6 * STEPS[pose.rotation][axis // 2]
        point.append(min(max(ahead, box.low[axis]), box.high[axis]))
    return point[0], thing.centre[1], point[1]


def fixture_relations(
    places: Sequence[Box], pose: Pose, anchors: Iterable[Anchor], upright: bool = False
) -> list[PlaceRelation]:
    """Return how a place lies to anchors, nearest first; each relation holds for all readings of the place.

    Args:
        places: the readings.
        pose: where the agent stands to deal with it; left and right are as seen from there.
        anchors: what it may be said by.
        upright: whether it can be above or below an anchor.
    """
    close = sorted(
        ((max(anchor.box.gap(place) for place in places), number, anchor) for number, anchor in enumerate(anchors)),
        key=lambda each: each[:2],
    )
    close = [each for each in close if each[0] <= BETWEEN]
    found: list[tuple[float, PlaceRelation]] = []
    for gap, _, anchor in close:
        for name in _simple(places, pose, anchor, gap, upright):
            found.append((gap, PlaceRelation(name, (anchor,))))
    for number, (gap, _, first) in enumerate(close):
        for other_gap, _, second in close[number + 1 :]:
            if all(_between(place.centre, first.box, second.box) for place in places):
                found.append((max(gap, other_gap) / 2, PlaceRelation("between", (first, second))))
    return [relation for _, relation in sorted(found, key=lambda each: each[0])]


def _simple(places: Sequence[Box], pose: Pose, anchor: Anchor, gap: float, upright: bool) -> Iterator[str]:
    over = {_over(place, anchor.box) for place in places}
    if over == {1} and upright:
        yield "above"
    elif over == {-1} and upright:
        yield "below"
    sides = {_side(place, anchor.box, pose) for place in places}
    if gap <= ASIDE and len(sides) == 1 and sides != {""}:
        yield sides.pop()
    clear = all(place.gap(anchor.box) > 0.02 for place in places)
    if clear and gap <= BESIDE:
        yield "beside"
    elif clear and gap <= NEAR:
        yield "near"


def _over(place: Box, anchor: Box) -> int:
    """Return 1 for above, -1 for below, 0 for neither."""
    inside = all(anchor.low[axis] - 0.05 <= place.centre[axis] <= anchor.high[axis] + 0.05 for axis in (0, 2))
    if not inside:
        return 0
    if place.low[1] >= anchor.high[1] + 0.05:
        return 1
    return -1 if place.high[1] <= anchor.low[1] + 0.02 else 0


def _side(place: Box, anchor: Box, pose: Pose) -> str:
    """Return ``left`` or ``right`` if a place is clearly on that side of an anchor, seen from a pose."""
    rights, aheads = place.seen(pose)
    its_rights, its_aheads = anchor.seen(pose)
    middle = sum(rights) / 2 - sum(its_rights) / 2
    depth = abs(sum(aheads) / 2 - sum(its_aheads) / 2)
    if sum(its_aheads) / 2 < 0.1 or sum(aheads) / 2 < 0.1 or abs(middle) < max(0.25, 1.3 * depth):
        return ""
    if middle > 0 and sum(rights) / 2 >= its_rights[1] and rights[0] >= its_rights[1] - 0.15:
        return "right of"
    return "left of" if middle < 0 and sum(rights) / 2 <= its_rights[0] and rights[1] <= its_rights[0] + 0.15 else ""


def _between(point: Vector, first: Box, second: Box) -> bool:
    """Whether a point lies between two boxes: on the way from the one's middle to the other's, clear of both."""
    a, b = first.centre, second.centre
    along = (b[0] - a[0], b[2] - a[2])
    length = math.hypot(*along)
    if length < 0.15 or Box.at(point).gap(first) < 0.02 or Box.at(point).gap(second) < 0.02:
        return False
    there = (point[0] - a[0], point[2] - a[2])
    share = (there[0] * along[0] + there[1] * along[1]) / length**2
    off = abs(there[0] * along[1] - there[1] * along[0]) / length
    return 0.2 <= share <= 0.8 and off <= 0.2 * length


def wall_relations(box: Box, rooms: Sequence[Box]) -> list[PlaceRelation]:
    """Return whether a box is in a corner of the room, or at a wall, whichever of its boxes the room has."""
    wide = max(box.high[0] - box.low[0], box.high[2] - box.low[2])
    near = []
    for room in rooms:
        gaps = [min(box.low[axis] - room.low[axis], room.high[axis] - box.high[axis]) for axis in (0, 2)]
        near.append((max(gaps) <= CORNER and wide <= 1.6, min(gaps) <= WALL and wide <= 2.5))
    if near and all(corner for corner, _ in near):
        return [PlaceRelation("corner")]
    return [PlaceRelation("wall")] if near and all(wall for _, wall in near) else []


def is_island(box: Box, rooms: Sequence[Box]) -> bool:
    """Whether one can walk around a counter."""
    return all(
        min(box.low[axis] - room.low[axis], room.high[axis] - box.high[axis]) >= 0.7
        for room in rooms
        for axis in (0, 2)
    )


def item_relations(thing: PlacedThing, siblings: Sequence[Anchor], pose: Pose) -> list[PlaceRelation]:
    """Return how an item lies to others on the same receptacle, seen from where the agent acts."""
    here = Box.at(thing.centre)
    found: list[tuple[float, PlaceRelation]] = []
    close = []
    for anchor in siblings:
        gap = math.dist((thing.centre[0], thing.centre[2]), (anchor.box.centre[0], anchor.box.centre[2]))
        if not 0.05 <= gap <= 0.7:
            continue
        close.append((gap, anchor))
        aside, beyond = _offset(here, anchor.box, pose)
        if abs(aside) >= ITEM_ASIDE and abs(aside) >= 1.3 * abs(beyond):
            found.append((gap, PlaceRelation("right of" if aside > 0 else "left of", (anchor,))))
        elif abs(beyond) >= ITEM_ASIDE + 0.03 and abs(beyond) >= 1.3 * abs(aside):
            found.append((gap, PlaceRelation("behind" if beyond > 0 else "before", (anchor,))))
        if gap <= ITEM_NEAR:
            found.append((gap + 0.1, PlaceRelation("beside" if gap <= 0.3 else "near", (anchor,))))
    for number, (gap, first) in enumerate(close):
        for other_gap, second in close[number + 1 :]:
            points = Box.at(first.box.centre), Box.at(second.box.centre)
            if max(gap, other_gap) <= 0.5 and _between(thing.centre, *points):
                found.append((0.0, PlaceRelation("between", (first, second))))
    return [relation for _, relation in sorted(found, key=lambda each: each[0])]


def _offset(here: Box, other: Box, pose: Pose) -> tuple[float, float]:
    rights, aheads = here.seen(pose)
    its_rights, its_aheads = other.seen(pose)
    return sum(rights) / 2 - sum(its_rights) / 2, sum(aheads) / 2 - sum(its_aheads) / 2


def part_of(thing: PlacedThing, receptacle: Box, pose: Pose) -> PlaceRelation | None:
    """Return the part of its receptacle on which an item lies: a side, the middle, front or back."""
    rights, aheads = receptacle.seen(pose)
    here, ahead = (sum(interval) / 2 for interval in Box.at(thing.centre).seen(pose))
    if aheads[1] <= 0 or rights[1] - rights[0] < 0.45 or aheads[1] - aheads[0] < 0.2:
        return None
    aside = (2 * here - sum(rights)) / (rights[1] - rights[0])
    beyond = (2 * ahead - sum(aheads)) / (aheads[1] - aheads[0])
    if abs(aside) > 1 or abs(beyond) > 1:
        return None
    if abs(aside) >= 0.4:
        return PlaceRelation("right part" if aside > 0 else "left part")
    if abs(beyond) >= 0.5:
        return PlaceRelation("back part" if beyond > 0 else "front part")
    wide = rights[1] - rights[0] >= WITH_MIDDLE
    return PlaceRelation("middle part") if wide and abs(aside) <= 0.22 and abs(beyond) <= 0.3 else None


def among(
    thing: PlacedThing, alike: Sequence[PlacedThing], pose: Pose, agent_y: float, storeys: bool
) -> tuple[str, Mapping[str, int]]:
    """Return the rule and figures that tell a fixture from its like in the same stack or row; "" if none do."""
    column = [other.centre[1] for other in alike if _apart(other, thing) <= 0.3]
    if column:
        if min(abs(height - thing.centre[1]) for height in column) < 0.05:
            return "", {}
        rank = sum(height > thing.centre[1] for height in column)
        if any(0.3 < _apart(other, thing) <= 1.25 for other in alike):
            return "", {}  # several stacks beside each other: a rank in one says too little
        return _rank("stack", rank, len(column) + 1)
    height = thing.centre[1] - agent_y
    if storeys and any(abs(other.centre[1] - thing.centre[1]) > 0.6 for other in alike):
        if height >= 0.35 and not any(other.centre[1] - agent_y >= 0.35 for other in alike):
            return "upper", {}
        if height <= -0.15 and not any(other.centre[1] - agent_y <= -0.15 for other in alike):
            return "lower", {}
    return _row(
        thing, [o for o in alike if abs(o.centre[1] - thing.centre[1]) <= 0.6 and _apart(o, thing) <= 1.6], pose
    )


def _row(thing: PlacedThing, row: Sequence[PlacedThing], pose: Pose) -> tuple[str, Mapping[str, int]]:
    rights, aheads = Box.at(thing.centre).seen(pose)
    seen = [Box.at(other.centre).seen(pose) for other in row]
    if not seen or aheads[0] <= 0.2 or any(ahead[0] <= 0.2 or abs(ahead[0] - aheads[0]) > 0.35 for _, ahead in seen):
        return "", {}
    others = [right[0] for right, _ in seen]
    if min(abs(rights[0] - other) for other in others) < 0.2 or max(abs(other) for other in others) > 1.5:
        return "", {}
    return _rank("row", sum(other < rights[0] for other in others), len(others) + 1)


def _rank(line: str, rank: int, count: int) -> tuple[str, Mapping[str, int]]:
    if rank == 0:
        return f"{line} first", {}
    if rank == count - 1:
        return f"{line} last", {}
    if count == 3:
        return f"{line} middle", {}
    return f"{line} ordinal", {"ordinal": rank + 1}


def which_item(thing: PlacedThing, alike: Sequence[PlacedThing], pose: Pose) -> tuple[str, Mapping[str, int]]:
    """Return the rule that tells an item from others of its name nearby; "" if positions do not."""
    here, ahead = (sum(interval) / 2 for interval in Box.at(thing.centre).seen(pose))
    others = [Box.at(other.centre).seen(pose) for other in alike]
    rights = [sum(right) / 2 for right, _ in others]
    aheads = [sum(depth) / 2 for _, depth in others]
    if min(abs(here - right) for right in rights) >= 0.1:
        rank, count = sum(right < here for right in rights), len(rights) + 1
        return _rank("row", rank, count) if count <= 3 or rank in (0, count - 1) else ("", {})
    if ahead < min(aheads) - 0.1:
        return "closest", {}
    return ("furthest", {}) if ahead > max(aheads) + 0.1 else ("", {})


def _apart(one: PlacedThing, other: PlacedThing) -> float:
    return math.hypot(one.centre[0] - other.centre[0], one.centre[2] - other.centre[2])
