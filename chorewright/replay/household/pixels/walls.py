"""The room around the objects: floor, walls, ceiling, and the bodies of counters and stoves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import InputError
from chorewright.problems.household.houses.house import House
from chorewright.problems.household.scene import Attributes, Pose, Scene, SceneObject
from chorewright.replay.drawing import solids
from chorewright.replay.drawing.solids import Float
from chorewright.replay.household.pixels.drawing import Mesh, mesh_of, orientation, standing_places, surface_row
from chorewright.replay.household.pixels.house_shell import house_shell
from chorewright.replay.household.pixels.looks import looks

HEIGHT = 2.6
CLEARANCE = 0.2
"""Metres that walls and counters keep from where an agent can stand."""

HOLLOW = ("Cabinet", "Drawer", "Sink", "SinkBasin", "Fridge", "StoveBurner", "GarbageCan", "Microwave", "Shelf")
"""Kinds that stand in the bodies of counters."""

COUNTER = "CounterTop"
BASINS = ("SinkBasin", "Bathtub")
OVERHANG = 0.05
"""Metres by which a slab sticks out before the drawers that hang below it."""

FLAT = ("Window", "Blinds", "Curtains")
"""Kinds that hang at a wall."""

DEEPEST = 0.6
"""Metres from the wall that what hangs there takes; a deeper box goes around a corner."""

THIN = 0.1
"""Metres from the wall that such a thing is drawn with."""

LEAST_LEFT = 0.5
"""Metres of height that are left of furniture drawn above what stands in it."""

LOOSE = ("Floor", "Window", "Curtains", "Blinds", "Painting", "Poster", "Mirror", "ShowerGlass")
_CELL = 0.05
NARROWEST = 0.3
FRONT = 0.6
"""Metres before a cabinet's front in which no counter has a body."""

SLIMMEST = 0.12
"""Metres: what is left of a counter's body before its cabinets is not drawn."""
_LOWEST_BODY = 0.6


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """What of a room stays as it is, whatever is done in it.

    Attributes:
        floors: The floors by their ids.
        walls: Walls, ceiling and skirting.
        stove: The body below the burners, if there are any.
        counters: The counters by their ids.
        free: Where an agent can stand, (n, 2) in metres.
        boxes: Furniture with the box that it is drawn in, by id, if that is not its own.
    """

    floors: Mapping[str, Mesh]
    walls: Mesh
    stove: Mesh | None
    counters: Mapping[str, Mesh]
    free: NDArray[np.float64]
    boxes: Mapping[str, SceneObject]


def surroundings(scene: Scene) -> Surroundings:
    """Return what of a scene's room stays as it is; made once for each room."""
    fixtures = tuple(
        replace(body, attributes=_UNCHANGED, parents=(), controls=()) for body in scene.objects if not body.traits.item
    )
    alike = replace(scene, objects=fixtures, agent=Pose(0, 0, 0, 0), dirty_and_empty=False, holding=None)
    return _surroundings(replace(alike, bystanders=()))


_UNCHANGED = Attributes()


@lru_cache(maxsize=128)
def _surroundings(scene: Scene) -> Surroundings:
    floors, walls = shell(scene)
    counters = {body.object_id: counter_mesh(body, scene) for body in scene.objects if body.kind == COUNTER}
    free = standing_places(scene)
    return Surroundings(floors, walls, stove_mesh(scene), counters, free, boxes_to_draw(scene.objects, free))


def bounds(scene: Scene) -> tuple[float, float, float, float, float, float]:
    """Return where the walls are: west, floor, south, east, ceiling, north."""
    if scene.building is not None:
        return _house_bounds(scene.building.house)
    free = standing_places(scene)
    west, south = free.min(axis=0) - CLEARANCE - 0.05
    east, north = free.max(axis=0) + CLEARANCE + 0.05
    top = HEIGHT
    floor = 0.0
    for body in scene.objects:
        if body.kind == "Floor":
            floor = body.top
        if body.kind in LOOSE:
            continue
        west, east = (min(west, body.centre[0] - body.size[0] / 2), max(east, body.centre[0] + body.size[0] / 2))
        south, north = (min(south, body.centre[2] - body.size[2] / 2), max(north, body.centre[2] + body.size[2] / 2))
        top = max(top, body.top + 0.02)
    floor = min(floor, min((b.bottom for b in scene.objects if b.kind != "Floor"), default=floor))
    return float(west), float(round(floor, 3)), float(south), float(east), float(top), float(north)


def _house_bounds(house: House) -> tuple[float, float, float, float, float, float]:
    """Return where the outermost walls of a house are; see ``bounds``."""
    xs, zs = zip(*(corner for room in house.rooms for corner in room.polygon), strict=True)
    floor = min(room.level for room in house.rooms)
    top = max((wall.top for wall in house.walls), default=floor + HEIGHT)
    return min(xs), floor, min(zs), max(xs), top, max(zs)


def shell(scene: Scene) -> tuple[Mapping[str, Mesh], Mesh]:
    """Return the floors by their ids, and the walls with the ceiling.

    Raises:
        InputError: The room is of no known kind.
    """
    grounds = [body.object_id for body in scene.objects if body.kind == "Floor"]
    if scene.building is not None:
        floors, walls = house_shell(scene.building.house, scene.name)
        return {name: floors[name.partition("|")[2]] for name in grounds}, walls
    west, floor, south, east, top, north = bounds(scene)
    paints = looks().paints
    low, high = np.array((west, floor, south)), np.array((east, top, north))
    ground = solids.box(low - (0, 0.1, 0), np.array((east, floor, north)), ("left", "right", "bottom", "back", "front"))
    sides = solids.box(low, high, ("bottom", "top"), inward=True)
    ceiling = solids.box(low, high, ("left", "right", "bottom", "back", "front"), inward=True)
    skirting = solids.box(
        low + 0.012, np.array((east - 0.012, floor + 0.09, north - 0.012)), ("bottom", "top"), inward=True
    )
    kind = scene.room_kinds()[0]
    if f"floor:{kind}" not in paints or f"wall:{kind}" not in paints:
        raise InputError(f"scene {scene.name!r} is a room of an unknown kind, {kind!r}")
    return (
        dict.fromkeys(grounds, mesh_of([(ground, surface_row(paints[f"floor:{kind}"], scene.name))])),
        mesh_of(
            [
                (sides, surface_row(paints[f"wall:{kind}"], scene.name)),
                (ceiling, surface_row(paints["ceiling"], scene.name)),
                (skirting, surface_row(paints["skirting"], scene.name)),
            ]
        ),
    )


def counter_mesh(body: SceneObject, scene: Scene) -> Mesh:
    """Return a counter's slab, cut out where one can stand and where basins are, with a body below it."""
    paints = looks().paints
    low, high = (np.array(body.centre) - np.array(body.size) / 2, np.array(body.centre) + np.array(body.size) / 2)
    high[1] = max(high[1], low[1] + 0.02)
    floor = bounds(scene)[1]
    free = standing_places(scene)
    holes = [b for b in scene.objects if b.kind in BASINS or (b.kind == "StoveBurner" and _sunk(b, high[1]))]
    holes += [_before_front(b, free) for b in scene.objects if b.kind == "Drawer" and _hangs_below(b, low[1])]
    slab = [
        (solids.box(np.array((a, low[1], b)), np.array((c, high[1], d))), surface_row(paints["counter"], scene.name))
        for a, b, c, d in _rectangles(low, high, free, holes, 0.0)
    ]
    pieces = slab
    if low[1] - floor > _LOWEST_BODY:
        row = surface_row(paints["cabinet"], scene.name)
        inside = [_with_front(b, free) for b in scene.objects if b.kind in HOLLOW and b.centre[1] < low[1]]
        foot = floor + 0.02
        pieces = slab + [
            (solids.box(np.array((a, foot, b)), np.array((c, low[1], d)), ("top", "bottom")), row)
            for a, b, c, d in _rectangles(low, high, free, inside, 0.05)
            if min(c - a, d - b) >= SLIMMEST
        ]
    return mesh_of(pieces)


def _with_front(body: SceneObject, free: NDArray[np.float64]) -> SceneObject:
    """Return a cabinet or drawer with the space before its front, as nothing of a counter hides that."""
    look = looks().of(body.traits)
    if look is None or look.facing != "room":
        return body
    yaw, _ = orientation(body, look, free)
    east, north = round(sin(radians(yaw))), round(cos(radians(yaw)))
    (x, y, z), (width, height, depth) = body.centre, body.size
    return replace(
        body,
        centre=(x + east * FRONT / 2, y, z + north * FRONT / 2),
        size=(width + abs(east) * FRONT, height, depth + abs(north) * FRONT),
    )


def _sunk(body: SceneObject, top: float) -> bool:
    """Whether the top of a thing lies a little below that of a slab, which would hide it."""
    return top - 0.05 < body.top <= top


def _hangs_below(body: SceneObject, bottom: float) -> bool:
    """Whether a drawer hangs right below a slab."""
    return 0.0 < bottom - body.centre[1] < body.size[1] / 2 + 0.15


def _before_front(body: SceneObject, free: NDArray[np.float64]) -> SceneObject:
    """Return the space before a drawer's front, beyond the overhang of the slab above it."""
    whole = _with_front(body, free)
    centre, size = list(whole.centre), list(whole.size)
    for axis in (0, 2):
        out = whole.centre[axis] - body.centre[axis]
        if out:
            size[axis] = FRONT - OVERHANG
            centre[axis] = body.centre[axis] + (1.0 if out > 0 else -1.0) * (
                body.size[axis] / 2 + OVERHANG + size[axis] / 2
            )
    return replace(body, centre=(centre[0], centre[1], centre[2]), size=(size[0], size[1], size[2]))


def _rectangles(
    low: Float, high: Float, free: NDArray[np.float64], holes: Sequence[SceneObject], inset: float
) -> list[tuple[float, float, float, float]]:
    """Return the rest of a footprint as rectangles (west, south, east, north).

    Args:
        low, high: Corners of the whole box.
        free: Where an agent can stand; what is left is nowhere narrower than ``NARROWEST``.
        holes: Objects whose footprints are cut out.
        inset: Metres by which the sides towards free floor are set back.
    """
    solid = _solid(low, high, free, CLEARANCE + inset)
    edges = []
    for axis, other in ((0, 1), (2, 0)):
        changes = np.flatnonzero(np.diff(solid, axis=0 if axis == 0 else 1).any(axis=other)) + 1
        values = {float(low[axis]), float(high[axis]), *(float(low[axis]) + _CELL * float(k) for k in changes)}
        for body in holes:
            values |= {body.centre[axis] - body.size[axis] / 2, body.centre[axis] + body.size[axis] / 2}
        edges.append(sorted(value for value in values if low[axis] <= value <= high[axis]))
    xs, zs = edges
    taken = np.zeros((len(xs) - 1, len(zs) - 1), np.bool_)
    for i in range(len(xs) - 1):
        x = (xs[i] + xs[i + 1]) / 2
        for j in range(len(zs) - 1):
            z = (zs[j] + zs[j + 1]) / 2
            taken[i, j] = not solid[int((x - low[0]) / _CELL), int((z - low[2]) / _CELL)] or any(
                abs(x - hole.centre[0]) < hole.size[0] / 2 and abs(z - hole.centre[2]) < hole.size[2] / 2
                for hole in holes
            )
    found = []
    for i in range(len(xs) - 1):
        for j in range(len(zs) - 1):
            if taken[i, j]:
                continue
            last, end = j, i
            while last + 1 < len(zs) - 1 and not taken[i, last + 1]:
                last += 1
            while end + 1 < len(xs) - 1 and not taken[end + 1, j : last + 1].any():
                end += 1
            taken[i : end + 1, j : last + 1] = True
            found.append((xs[i], zs[j], xs[end + 1], zs[last + 1]))
    return found


def _solid(low: Float, high: Float, free: NDArray[np.float64], near: float) -> NDArray[np.bool_]:
    """Return which cells of a footprint no agent comes near to, without what is too narrow for furniture."""
    xs, zs = (
        float(low[axis]) + _CELL * (np.arange(int((high[axis] - low[axis]) / _CELL) + 1) + 0.5) for axis in (0, 2)
    )
    solid = np.ones((len(xs), len(zs)), np.bool_)
    for across, along in zip(np.abs(xs - free[:, :1]) < near, np.abs(zs - free[:, 1:]) < near, strict=True):
        rows, columns = np.flatnonzero(across), np.flatnonzero(along)
        if len(rows) and len(columns):
            solid[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] = False
    side = min(round(NARROWEST / _CELL), *solid.shape)
    windows = _all_in_a_row(_all_in_a_row(solid, side).T, side).T
    opened: NDArray[np.bool_] = ~_all_in_a_row(
        _all_in_a_row(np.pad(~windows, side - 1, constant_values=True), side).T, side
    ).T
    return opened


def _all_in_a_row(cells: NDArray[np.bool_], length: int) -> NDArray[np.bool_]:
    """Return at which cells a column of so many begins that are all true."""
    last = len(cells) - length + 1
    found: NDArray[np.bool_] = cells[:last].copy()
    for start in range(1, length):
        found &= cells[start : start + last]
    return found


def stove_mesh(scene: Scene) -> Mesh | None:
    """Return the bodies below the stove's burners, or None if there is no stove."""
    burners = [body for body in scene.objects if body.kind == "StoveBurner"]
    if not burners:
        return None
    floor, free = bounds(scene)[1], standing_places(scene)
    edge = np.array((0.07, 0.0, 0.07))
    low = np.min([np.array(b.centre) - np.array(b.size) / 2 for b in burners], axis=0) - edge
    high = np.max([np.array(b.centre) + np.array(b.size) / 2 for b in burners], axis=0) + edge
    top = float(np.min([b.centre[1] for b in burners])) - 0.01
    paints = looks().paints
    pieces = [
        (solids.box(np.array((a, top - 0.03, b)), np.array((c, top, d))), surface_row(paints["black"], scene.name))
        for a, b, c, d in _rectangles(low, high, free, (), 0.0)
    ]
    pieces += [
        (
            solids.box(np.array((a, floor, b)), np.array((c, top - 0.03, d)), ("top", "bottom")),
            surface_row(paints["steel"], scene.name),
        )
        for a, b, c, d in _rectangles(low, high, free, (), 0.03)
    ]
    return mesh_of(pieces) if pieces else None


def boxes_to_draw(bodies: Sequence[SceneObject], free: NDArray[np.float64]) -> Mapping[str, SceneObject]:
    """Return the furniture that is drawn in another box, by id, with that box as its own.

    AI2-THOR's boxes are aligned with the room's axes. That of a window around a corner holds the corner of the room,
    and that of a wardrobe with an open foot holds what stands there: they would hide what is seen in the real rooms.

    Args:
        bodies: All furniture of a room.
        free: (n, 2) places on the floor where an agent can stand.
    """
    found = {}
    for body in bodies:
        if body.kind in FLAT and min(body.size[0], body.size[2]) > DEEPEST:
            found[body.object_id] = _at_the_wall(body, free)
        elif body.traits.closable and (top := _top_of_what_stands_in(body, bodies)) is not None:
            high = body.top
            found[body.object_id] = replace(
                body,
                centre=(body.centre[0], (top + high) / 2, body.centre[2]),
                size=(body.size[0], high - top, body.size[2]),
            )
    return found


def _at_the_wall(body: SceneObject, free: NDArray[np.float64]) -> SceneObject:
    """Return a window of which only the side along the wall in the north or south is left."""
    (x, y, z), (width, height, depth) = body.centre, body.size
    away = 1.0 if z >= float(free[:, 1].mean()) else -1.0
    return replace(body, centre=(x, y, z + away * (depth - THIN) / 2), size=(width, height, THIN))


def _top_of_what_stands_in(body: SceneObject, bodies: Sequence[SceneObject]) -> float | None:
    """Return the height of what opens and stands at the foot of furniture, inside its box; None if nothing does."""
    west, east, south, north = body.footprint
    low, high = body.bottom, body.top
    tops = []
    for other in bodies:
        x, y, z = other.centre
        top = y + other.size[1] / 2
        if other is body or not other.traits.closable or not (west < x < east and south < z < north):
            continue
        smaller = other.size[0] < body.size[0] and other.size[2] < body.size[2]
        if smaller and y - other.size[1] / 2 < low + 0.1 and top < high - LEAST_LEFT:
            tops.append(top)
    return max(tops, default=None)
