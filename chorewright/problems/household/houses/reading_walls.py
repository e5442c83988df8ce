"""Walls, doors and windows of house files.

A wall's polygon lists the two lower corners first, or the upper ones where the wall faces outwards; the two lowest
points in their order are start and end. Holes stand in the frame of the opening's first wall. Files older than schema
1.0.0 say by a box and an offset where an opening's asset is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from math import dist

from chorewright.files.english import did_you_mean
from chorewright.files.json_node import Node
from chorewright.files.json_source import JsonValue
from chorewright.problems.household.houses.assets import assets
from chorewright.problems.household.houses.house import EXTERIOR, Corner, Material, Opening, Wall
from chorewright.problems.household.scene import Vector

# Values of house files: positions in metres, shares from 0 to 1, references by id, materials.


LARGEST = 1000.0
"""Metres, or degrees, beyond which a number of a house is a mistake."""


def read_number(node: Node) -> float:
    """Return a coordinate or an angle.

    Raises:
        InputError: It is no number, or larger than any house's.
    """
    return node.number(-LARGEST, LARGEST)


def vector(node: Node) -> Vector:
    """Return an object of x, y and z.

    Raises:
        InputError: It is none.
    """
    return read_number(node["x"]), read_number(node["y"]), read_number(node["z"])


def share(node: Node) -> float:
    """Return a number from 0 to 1.

    Raises:
        InputError: It is none.
    """
    return node.number(0, 1)


def flag(node: Node | None) -> bool | None:
    """Return true or false, None if there is no such member.

    Raises:
        InputError: It is neither.
    """
    return None if node is None else node.flag()


def reference(node: Node, known: Collection[str], what: str) -> str:
    """Return the id of something that the house has.

    Raises:
        InputError: There is nothing of that id.
    """
    name = node.text(f"the id of a {what}")
    if name not in known:
        raise node.error(f"there is no {what} {name!r}", did_you_mean(name, known))
    return name


def others(node: Node, *known: str) -> dict[str, JsonValue]:
    """Return the members of a record that are not read."""
    return {key: member.value for key, member in node.members() if key not in known}


def move_members(node: Node, names: Mapping[str, str]) -> dict[str, JsonValue]:
    """Return members of an old record under their new names; ``names`` has the old by the new."""
    return {new: node[old].value for new, old in names.items() if old in node}


def color(node: Node) -> tuple[float, ...]:
    """Return red, green and blue, and alpha where given.

    Raises:
        InputError: It is no object of numbers from 0 to 1.
    """
    return tuple(share(node[name]) for name in ("rgba" if "a" in node else "rgb"))


def material(node: Node, old: bool) -> Material:
    """Return a material: an object with a name; in files older than schema 1.0.0 the name alone will do.

    Raises:
        InputError: It is none.
    """
    if old and isinstance(node.value, str):
        return Material(node.text())
    if not isinstance(node.value, dict):
        raise node.expected("a material's name" if old else 'a material: {"name": ...}')
    paint = node.get("color")
    shades = None if paint is None else color(paint)
    return Material(node["name"].text("a material's name"), shades, others(node, "name", "color"))


CLOSE = 0.05
"""Metres by which walls that belong together, and holes in them, may be off."""

SMALLEST = 0.001
"""The least length of a wall, and of a hole, in metres."""


def read_wall(node: Node, rooms: Collection[str], old: bool) -> Wall:
    """Return a wall.

    Raises:
        InputError: It is none, or is that of a room that is not there.
    """
    name, room, empty = node["id"].line(), node["roomId"], node.get("empty")
    if room.value != EXTERIOR:
        reference(room, rooms, "room")
    start, end, bottom, top = _upright(node["polygon"])
    key = "materialId" if old and "materialId" in node else "material"
    surface = node.get(key)
    return Wall(
        name,
        EXTERIOR if old and name.split("|")[1:2] == [EXTERIOR] else room.text(),
        start,
        end,
        bottom,
        top,
        None if surface is None else _paint(material(surface, old), node.get("color") if old else None),
        flag(empty),
        others(node, "id", "roomId", "polygon", key, "empty"),
    )


def _paint(surface: Material, paint: Node | None) -> Material:
    """Return a material with the colour that older files give the wall instead."""
    return surface if paint is None or surface.color else replace(surface, color=color(paint))


def _upright(node: Node) -> tuple[Corner, Corner, float, float]:
    """Return start, end, bottom and top of a wall's polygon."""
    corners = [vector(each) for each in node.items("a list of 4 corners")]
    if len(corners) != 4:
        raise node.error(f"a wall has 4 corners, found {len(corners)}")
    lowest = sorted(sorted(range(4), key=lambda number: corners[number][1])[:2])
    lower = [corners[number] for number in lowest]
    upper = [corner for number, corner in enumerate(corners) if number not in lowest]
    start, end, *above = ((x, z) for x, _, z in (*lower, *upper))
    same = max(dist(start, above[0]), dist(end, above[1]))
    swapped = max(dist(start, above[1]), dist(end, above[0]))
    sloping = max(abs(lower[0][1] - lower[1][1]), abs(upper[0][1] - upper[1][1]))
    if max(min(same, swapped), sloping) > CLOSE:
        raise node.error("a wall is an upright rectangle: two lower corners, and two right above them")
    if dist(start, end) < SMALLEST or upper[0][1] - lower[0][1] < SMALLEST:
        raise node.error("the wall has no area")
    return start, end, lower[0][1], upper[0][1]


def read_opening(node: Node, rooms: Collection[str], walls: Mapping[str, Wall], old: bool) -> Opening:
    """Return a door or window.

    Raises:
        InputError: It is none, joins rooms or walls that are not there, or its hole is not in its wall.
    """
    sides = [number for number in (0, 1) if number == 0 or f"wall{number}" in node or f"room{number}" in node]
    names = tuple(reference(node[f"room{number}"], rooms, "room") for number in sides)
    joined = tuple(reference(node[f"wall{number}"], walls, "wall") for number in sides)
    if len(joined) == 2:
        _require_together(node["wall1"], walls[joined[0]], walls[joined[1]])
    asset = node["assetId"].line("an asset's name")
    low, high = _hole(node, walls[joined[0]], old)
    boxed = old and "holePolygon" not in node
    position = _position(node, asset, low, high) if boxed else vector(node["assetPosition"])
    openness = node.get("openness")
    known = ("id", "assetId", "room0", "room1", "wall0", "wall1", "openable", "openness")
    placed = ("boundingBox", "assetOffset") if boxed else ("holePolygon", "assetPosition")
    return Opening(
        node["id"].line(),
        asset,
        names,
        joined,
        low,
        high,
        position,
        flag(node.get("openable")),
        None if openness is None else share(openness),
        others(node, *known, *placed),
    )


def _require_together(node: Node, first: Wall, second: Wall) -> None:
    """Check that two walls are the two sides of one."""
    same = max(dist(first.start, second.start), dist(first.end, second.end))
    reverse = max(dist(first.start, second.end), dist(first.end, second.start))
    if min(same, reverse) > CLOSE:
        raise node.error(f"the walls {first.wall_id!r} and {second.wall_id!r} do not stand at the same place")


def _hole(node: Node, wall: Wall, old: bool) -> tuple[Vector, Vector]:
    """Return the lower and the upper corner of a hole, which lies in its wall."""
    if old and "holePolygon" not in node:
        hole = node["boundingBox"]
        low, high = vector(hole["min"]), vector(hole["max"])
    else:
        hole = node["holePolygon"]
        corners = [vector(each) for each in hole.items("a list of 2 corners")]
        if len(corners) != 2:
            raise hole.error(f"a hole has 2 corners, the lower and the upper one; found {len(corners)}")
        low, high = corners
    if min(high[0] - low[0], high[1] - low[1]) < SMALLEST:
        raise hole.error("the hole has no area: the first corner is the lower one, with the smaller x")
    left, right, height = -CLOSE, wall.length + CLOSE, wall.top - wall.bottom
    if low[0] < left or high[0] > right or low[1] < -CLOSE or high[1] > height + CLOSE:
        size = f"{wall.length:.2f} m long and {height:.2f} m high"
        raise hole.error(f"the hole is not in its wall {wall.wall_id!r}, which is {size}")
    return low, high


def _position(node: Node, asset: str, low: Vector, high: Vector) -> Vector:
    """Return the middle of an old opening's asset: its offset and half its box from the hole's lower corner.

    The middle of the hole serves where the asset is not known.
    """
    offset = vector(node["assetOffset"]) if "assetOffset" in node else (0.0, 0.0, 0.0)
    known = assets().get(asset)
    width, height = (high[0] - low[0], high[1] - low[1]) if known is None else known.size[:2]
    return low[0] + offset[0] + width / 2, low[1] + offset[1] + height / 2, 0.0
