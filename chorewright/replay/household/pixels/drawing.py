"""From a scene's objects and agents to triangles with all that the rasteriser needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray

from chorewright.problems.household.free_space import PIVOT
from chorewright.problems.household.kinds import usual_size
from chorewright.problems.household.scene import GRID, Bystander, Scene, SceneObject, Vector
from chorewright.replay.drawing import solids
from chorewright.replay.drawing.rasteriser import SURFACE
from chorewright.replay.drawing.solids import Float, Solid
from chorewright.replay.drawing.textures import TEXTURES
from chorewright.replay.household.pixels.looks import COOKED, KindLook, LookPart, Paint, looks, states_of

AMBIENT, SKYWARD = 0.6, 0.06
LIGHTS: tuple[tuple[float, tuple[float, float, float]], ...] = ((0.34, (0.41, 0.8, 0.44)), (0.16, (-0.6, 0.3, -0.74)))
"""Strength and direction of the lights."""

HIGHEST_LIFT = 0.2
"""Metres by which a thing may lie too low on what it lies on."""

SQUASHED = 0.35
"""The height of what is broken, as a fraction of its height."""

TRUNK_SIDES = 12
"""Sides of the rounded parts of an agent."""

TRUNK = (("dark", 0.18, 0.0, 0.15), ("grey", 0.13, 0.15, 1.3), ("white", 0.11, 1.3, 1.6))
"""Paint, radius, bottom and top of each part of an agent: a base, a rounded trunk, a head; metres from the floor."""


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """What an object covers of a picture: its triangles without colours.

    Attributes:
        points: (n, 3, 3) corners in metres, in the room.
        facing: (n, 3) outward directions.
        sphere: (4,) middle and radius of a ball around it.
    """

    points: Float
    facing: Float
    sphere: Float


@dataclass(frozen=True, slots=True, eq=False)
class Mesh(Outline):
    """One object's triangles, ready to be drawn.

    Attributes:
        planes: (n, 12) light and texture coordinates, linear in the place.
        surface: (n,) rows of ``surfaces``.
        surfaces: (m, ``SURFACE``).
    """

    planes: Float
    surface: NDArray[np.int32]
    surfaces: Float


def surface_row(paint: Paint, name: str, cooked: bool = False, dirty: bool = False) -> Float:
    """Return a surface's row for the rasteriser."""
    row = np.zeros(SURFACE)
    first, second = paint.colour(name)
    row[0], row[1], row[2] = TEXTURES.index(paint.texture), paint.scale, paint.contrast
    row[3], row[4] = dirty, paint.glow
    for k in range(3):
        row[5 + k] = first[k] * 0.5 + COOKED[k] * 0.5 if cooked else first[k]
        row[8 + k] = second[k] * 0.4 + COOKED[k] * 0.6 if cooked else second[k]
    row[11] = len(name)
    return row


def mesh_of(pieces: Sequence[tuple[Solid, Float]]) -> Mesh:
    """Return the mesh of solids, each with its surface's row.

    Solids must have been moved to their place in the room; textures follow their own coordinates.
    """
    known: dict[bytes, int] = {}
    place = [known.setdefault(row.tobytes(), len(known)) for _, row in pieces]
    surfaces = np.array([np.frombuffer(row) for row in known])
    counts = [len(solid.points) for solid, _ in pieces]
    surface = np.repeat(np.array(place, np.int32), counts)
    whole, (one, two, normal, square), facing, solid = triangles_of([solid for solid, _ in pieces])
    points = whole.points[solid]
    normals, uv, surface = whole.normals[solid], whole.uv[solid], surface[solid]
    light = np.full(normals.shape[:2], AMBIENT) + SKYWARD * normals[..., 1]
    for strength, (x, y, z) in LIGHTS:
        towards = normals[..., 0] * x + normals[..., 1] * y + normals[..., 2] * z
        light = light + strength * np.maximum(0.0, towards)
    across, along = _cross(two, normal) / square[:, None], _cross(normal, one) / square[:, None]
    planes = np.empty((len(points), 12))
    for start, values in ((0, light), (4, uv[..., 0]), (8, uv[..., 1])):
        slope = (values[:, 1] - values[:, 0])[:, None] * across + (values[:, 2] - values[:, 0])[:, None] * along
        planes[:, start] = values[:, 0] - _dot(slope, points[:, 0])
        planes[:, start + 1 : start + 4] = slope
    low, high = points.min(axis=(0, 1)), points.max(axis=(0, 1))
    radius = float(np.sqrt(((high - low) ** 2).sum())) / 2
    sphere = np.concatenate(((low + high) / 2, [radius]))
    return Mesh(points, facing, sphere, planes, surface, surfaces)


def triangles_of(pieces: Sequence[Solid]) -> tuple[Solid, tuple[Float, Float, Float, Float], Float, NDArray[np.bool_]]:
    """Return solids as one, and of its triangles that have an area what follows from their corners.

    Returns:
        All triangles; of those with an area two sides, their cross product and its square; their outward
        directions; and which those are.
    """
    whole = solids.join(pieces)
    points = whole.points
    one, two = points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]
    normal = _cross(one, two)
    square = _dot(normal, normal)
    solid = square > 1e-18
    one, two, normal, square = one[solid], two[solid], normal[solid], square[solid]
    normals = whole.normals[solid]
    outward = normals[:, 0] + normals[:, 1] + normals[:, 2]
    facing = np.where(_dot(normal, outward)[:, None] < 0, -normal, normal)
    return whole, (one, two, normal, square), facing, solid


def _cross(one: Float, two: Float) -> Float:
    x = one[:, 1] * two[:, 2] - one[:, 2] * two[:, 1]
    y = one[:, 2] * two[:, 0] - one[:, 0] * two[:, 2]
    z = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
    return np.stack((x, y, z), axis=1)


def _dot(one: Float, two: Float) -> Float:
    result: Float = one[:, 0] * two[:, 0] + one[:, 1] * two[:, 1] + one[:, 2] * two[:, 2]
    return result


def object_mesh(body: SceneObject, room: str, free: NDArray[np.float64], shift: Vector) -> Mesh | None:
    """Return an object's mesh, or None if there is nothing to be seen of it.

    Args:
        body: The object.
        room: The room's name, by which cabinets are painted alike.
        free: (n, 2) places on the floor where an agent can stand: fronts face them.
        shift: Metres by which it is drawn elsewhere (what lies in an open drawer).
    """
    look = looks().of(body.traits)
    if look is None or not look.parts:
        return None
    states = states_of(body.attributes)
    yaw, size, centre = box_to_draw(body, look, free, shift, states)
    turned = solids.turn(1, yaw)
    soiled = "dirty" in states and not any("dirty" in part.when for part in look.parts)
    pieces = []
    for part, solid in pieces_of(look, states, size):
        paint = part.paint if part.paint != "liquid" else f"liquid:{body.attributes.liquid}"
        found = looks().paints.get(paint, looks().paints["liquid:water"])
        name = room if found.by_room else body.asset or body.object_id
        row = surface_row(found, name, body.attributes.is_cooked, soiled)
        pieces.append((solids.move(solid, turned, centre), row))
    return mesh_of(pieces) if pieces else None


def box_to_draw(
    body: SceneObject, look: KindLook, free: Float, shift: Vector, states: frozenset[str]
) -> tuple[float, Float, Float]:
    """Return by how many degrees an object is turned as drawn, its size before that, and the middle of its box."""
    yaw, size = orientation(body, look, free)
    if "broken" in states:
        size = size * np.array((1.0, SQUASHED, 1.0))
    centre = np.array(body.centre) + np.array(shift)
    centre[1] += (size[1] - body.size[1]) / 2
    return yaw, size, centre


def pieces_of(look: KindLook, states: frozenset[str], size: Float) -> Iterator[tuple[LookPart, Solid]]:
    """Yield the solids of the parts that are shown in some states, around the middle of a box."""
    for part in look.parts:
        if part.shown(states):
            for solid in _solids(part, size):
                yield part, solid


def _solids(part: LookPart, size: Float) -> list[Solid]:
    """Return a part's solids around the middle of a box."""
    low, high = np.array(part.low), np.array(part.high)
    low, high = np.minimum(low, high), np.maximum(low, high)
    low, high = (low - 0.5) * size, (high - 0.5) * size
    if part.thin is not None:
        low[1] = high[1] - part.thin
    if part.slide:
        low[2], high[2] = low[2] + part.slide * size[2], high[2] + part.slide * size[2]
    radius = float(min(high[0] - low[0], high[2] - low[2])) / 2
    segments = part.segments or (8 if radius < 0.04 else 12 if radius < 0.15 else 16)
    match part.shape:
        case "box":
            made = [solids.box(low, high, part.without)]
        case "tray":
            made = [solids.tray(low, high, part.wall, part.opening)]
        case "panel":
            made = _panel(low, high)
        case "lathe":
            made = [_lathe(part, low, high, segments)]
        case "ring":
            made = [solids.ring(low, high, part.thickness, segments, part.bow)]
        case _:
            raise AssertionError(f"a part has the unknown shape {part.shape}")
    if part.turn is not None:
        axis, degrees = part.turn
        made = [_turn_about(each, solids.turn(axis, degrees), (low + high) / 2) for each in made]
    if part.hinge is not None:
        side, degrees = part.hinge
        pivot = low if side in ("left", "back") else high
        matrix = {"left": solids.turn(1, -degrees), "right": solids.turn(1, degrees), "back": solids.turn(0, -degrees)}[
            side
        ]
        made = [_turn_about(each, matrix, pivot) for each in made]
    return made


def _turn_about(solid: Solid, matrix: Float, pivot: Float) -> Solid:
    return solids.move(solids.move(solid, np.eye(3), -pivot), matrix, pivot)


def _panel(low: Float, high: Float) -> list[Solid]:
    """A door's frame and the panel set into it."""
    bar = 0.14 * float(min(high[0] - low[0], high[1] - low[1]))
    edge = np.array((bar, bar, 0.0))
    inner_low, inner_high = low + edge, high - edge
    inner_high[2] = (low[2] + high[2]) / 2
    bars = (
        (low, (inner_low[0], high[1], high[2])),
        ((inner_high[0], low[1], low[2]), high),
        ((inner_low[0], low[1], low[2]), (inner_high[0], inner_low[1], high[2])),
        ((inner_low[0], inner_high[1], low[2]), (inner_high[0], high[1], high[2])),
    )
    frames = [solids.box(np.array(a, np.float64), np.array(b, np.float64), ("back",)) for a, b in bars]
    return [*frames, solids.box(inner_low, inner_high, ("left", "right", "top", "bottom", "back"))]


def _lathe(part: LookPart, low: Float, high: Float, segments: int) -> Solid:
    if part.axis == "y":
        return solids.lathe(low, high, part.profile, segments, part.smooth)
    middle, half = (low + high) / 2, (high - low) / 2
    order, matrix = {"x": ((1, 0, 2), solids.turn(2, -90)), "z": ((0, 2, 1), solids.turn(0, 90))}[part.axis]
    upright = solids.lathe(-half[list(order)], half[list(order)], part.profile, segments, part.smooth)
    return solids.move(upright, matrix, middle)


def orientation(body: SceneObject, look: KindLook, free: NDArray[np.float64]) -> tuple[float, Float]:
    """Return the degrees by which an object is turned about the vertical, and its size before that."""
    width, height, depth = body.size
    if look.facing == "rotation":
        yaw = body.rotation[1] % 360
        quarter = round(yaw / 90)
        if abs(yaw - 90 * quarter) <= 10:
            turned = quarter % 2 == 1
            return 90.0 * (quarter % 4), np.array((depth, height, width) if turned else (width, height, depth))
        c, s = abs(cos(radians(yaw))), abs(sin(radians(yaw)))
        typical = usual_size(body.traits, (1.0, 1.0, 1.0))
        ratio = typical[2] / typical[0]
        own_width = (width + depth) / ((c + s) * (1 + ratio))
        return yaw, np.array((own_width, height, own_width * ratio))
    sides: tuple[int, ...] = (0, 90, 180, 270)
    if look.facing == "wall":
        sides = (0, 180) if depth <= width else (90, 270)
    elif look.facing == "long":
        sides = (0, 180) if depth <= 1.1 * width else (90, 270)
    wanted = round(body.rotation[1] / 90) % 4 * 90
    best = max(sides, key=lambda side: (_room_in_front(body, side, free), side == wanted, -side))
    return float(best), np.array((width, height, depth) if best % 180 == 0 else (depth, height, width))


def _room_in_front(body: SceneObject, side: int, free: NDArray[np.float64]) -> float:
    """How much free floor lies in front of a side; near places count more."""
    x, z = free[:, 0] - body.centre[0], free[:, 1] - body.centre[2]
    width, depth = body.size[0], body.size[2]
    ahead, aside, reach, half = {
        0: (z, x, depth, width),
        90: (x, z, width, depth),
        180: (-z, x, depth, width),
        270: (-x, z, width, depth),
    }[side]
    beyond = ahead - reach / 2
    near = (beyond > -0.1) & (beyond < 1.5) & (np.abs(aside) < half / 2 + 0.3)
    return round(float((1.6 - beyond[near]).sum()), 6)


def standing_places(scene: Scene) -> NDArray[np.float64]:
    """Return the points of the grid, (n, 2) in metres, by which is judged where furniture has its front.

    A house has none: its furniture is turned as it says.
    """
    if scene.building is not None:
        return np.empty((0, 2))
    return np.array(scene.grid, np.float64).reshape(-1, 2) * GRID


def slide(body: SceneObject, free: NDArray[np.float64]) -> tuple[float, float]:
    """Return by how far (x, z) an open drawer has taken what lies in it."""
    look = looks().of(body.traits)
    share = max((part.slide for part in look.parts), default=0.0) if look else 0.0
    if look is None or not share or not body.attributes.is_open:
        return 0.0, 0.0
    yaw, size = orientation(body, look, free)
    way = share * float(size[2])
    return round(way * sin(radians(yaw)), 6), round(way * cos(radians(yaw)), 6)


def lift(body: SceneObject, shift: Vector, parent: Outline) -> float:
    """Return by how many metres a thing must be raised to lie on what it lies on, as that is drawn.

    Args:
        body: The thing.
        shift: By how much it is drawn elsewhere.
        parent: The mesh of what holds it.
    """
    x, z = body.centre[0] + shift[0], body.centre[2] + shift[2]
    bottom = body.centre[1] + shift[1] - body.size[1] / 2
    upward = parent.facing[:, 1] > 0
    corners = parent.points[upward]
    sides = []
    for k in range(3):
        one, two = corners[:, k], corners[:, (k + 1) % 3]
        sides.append((two[:, 0] - one[:, 0]) * (z - one[:, 2]) - (two[:, 2] - one[:, 2]) * (x - one[:, 0]))
    inside = ((sides[0] >= 0) & (sides[1] >= 0) & (sides[2] >= 0)) | (
        (sides[0] <= 0) & (sides[1] <= 0) & (sides[2] <= 0)
    )
    normal, point = parent.facing[upward][inside], corners[inside, 0]
    heights = point[:, 1] - (normal[:, 0] * (x - point[:, 0]) + normal[:, 2] * (z - point[:, 2])) / normal[:, 1]
    below = heights[heights <= bottom + HIGHEST_LIFT]
    return max(0.0, round(float(below.max()) - bottom, 6)) if len(below) else 0.0


@lru_cache(maxsize=64)
def agent_mesh(agent: Bystander, agent_y: float) -> Mesh:
    """Return the triangles of an agent's body.

    Args:
        agent: The agent.
        agent_y: The height of its pivot.
    """
    east, north, floor = agent.pose.x * GRID, agent.pose.z * GRID, agent_y - PIVOT
    pieces = []
    for paint, radius, bottom, top in TRUNK:
        low = np.array((east - radius, floor + bottom, north - radius))
        high = np.array((east + radius, floor + top, north + radius))
        solid = solids.lathe(low, high, ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)), TRUNK_SIDES)
        pieces.append((solid, surface_row(looks().paints[paint], agent.name)))
    return mesh_of(pieces)
