"""The visible bodies of a table: rigid bodies of painted triangles, and their places.

The table is drawn from the primitives that the physics uses. The arm's meshes come only with PyBullet, so the arm
is drawn as rods and boxes along its links. Pictures thus need no PyBullet.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, pi, radians, sin, tan
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chorewright.files.records import reader_of
from chorewright.problems.calvin.scenes import TableCamera, TabletopScene
from chorewright.replay.calvin.arm import rotation_from_euler
from chorewright.replay.calvin.pixels.placing import clear, restore
from chorewright.replay.calvin.shapes import LinkShape, table_links
from chorewright.replay.drawing import rasteriser, solids
from chorewright.replay.drawing.rasteriser import NOTHING, Buffers, whole_rows
from chorewright.replay.drawing.solids import Float, Solid
from chorewright.replay.drawing.textures import TEXTURES

ROBOT, FLOOR, TABLE = "robot", "floor", "table"
"""Names of instances; a link of the table is ``table:drawer_link``."""

STILL = 2
"""The first bodies, which never move: the floor, and the table's base."""

LIGHTS = {"light_link": (4, "bulb"), "led_link": (5, "led")}
"""Links that shine: the place of their state in ``scene_obs``, and their paints' first word."""

SIDES, RINGS = 14, 3
"""Of a rod: corners of its cross-section, and rings of each rounded end."""

FLOOR_REACH = 4
"""Squares of the floor, a metre wide, in each direction."""


@dataclass(frozen=True, slots=True, eq=False)
class PaintedBody:
    """A rigid body.

    Attributes:
        name: The instance that it belongs to.
        pieces: Its solids with the names of their paints, in its own frame.
    """

    name: str
    pieces: tuple[tuple[Solid, str], ...]


looks = reader_of(dict[str, Any], "chorewright.replay", "data/tabletop_looks.json")
"""Returns the data file of paints, lamps and the arm's rods."""


def paint_row(name: str) -> Float:
    """Return a paint as the rasteriser's row."""
    paint = looks()["paints"][name]
    row = np.zeros(rasteriser.SURFACE)
    row[0] = TEXTURES.index(paint["texture"])
    row[1], row[2] = paint.get("scale", 1.0), paint.get("contrast", 0.0)
    row[rasteriser.GLOW] = paint.get("glow", 0.0)
    row[5:8], row[8:11] = paint["colour"], paint.get("second", paint["colour"])
    row[11] = len(name)
    return row


def bodies_of(scene: TabletopScene) -> tuple[PaintedBody, ...]:
    """Return a scene's bodies: the floor, the table's links, the blocks, the arm's links and both fingers."""
    found = [PaintedBody(FLOOR, _checker())]
    for link in table_links(scene):
        paints = [_paint(link.name, each, link.shapes[0], scene) for each in link.shapes]
        pieces = [(_solid(each), paint) for each, paint in zip(link.shapes, paints, strict=True)]
        found.append(PaintedBody(f"{TABLE}:{link.name}", tuple(pieces)))
    for block in scene.blocks:
        half = np.array(block.lengths) / 2
        found.append(PaintedBody(block.name, ((solids.box(-half, half), block.name),)))
    for entry in looks()["arm"]:
        found.append(PaintedBody(ROBOT, tuple((_part(each), each["paint"]) for each in entry["parts"])))
    for side in (1.0, -1.0):
        found.append(
            PaintedBody(ROBOT, tuple((_mirror(_part(each), side), each["paint"]) for each in looks()["finger"]))
        )
    return tuple(found)


def _paint(link: str, shape: LinkShape, first: LinkShape, scene: TabletopScene) -> str:
    """Return the paint of a shape: what is coloured otherwise than its link is a handle."""
    if link in LIGHTS:
        return f"{LIGHTS[link][1]} off"
    own = link.removesuffix("_link")
    if own in looks()["paints"]:
        return own
    return "handle" if shape.colour != first.colour else scene.textures[link].split("__")[0]


def _solid(shape: LinkShape) -> Solid:
    half = np.array(shape.size) / 2
    if shape.kind == "box":
        solid = solids.box(-half, half)
    else:
        radius, _, length = shape.size
        solid = _rod(np.array((0, 0, -length / 2)), np.array((0, 0, length / 2)), radius, round_ends=False)
    return solids.move(solid, rotation_from_euler((shape.lean, 0.0, 0.0)), np.array(shape.position))


def _part(entry: Mapping[str, Any]) -> Solid:
    if "block" in entry:
        low, high = (np.array(each, np.float64) for each in entry["block"])
        return solids.box(low, high)
    start, end = (np.array(each, np.float64) for each in entry.get("tube", entry.get("disc")))
    return _rod(start, end, entry["radius"], round_ends="tube" in entry)


def _rod(start: Float, end: Float, radius: float, *, round_ends: bool) -> Solid:
    """Return a rod between two points; rounded ends go beyond them by the radius."""
    way = end - start
    length = float(np.sqrt((way * way).sum()))
    whole = length + 2 * radius if round_ends else length
    profile: Sequence[tuple[float, float]] = ((0, 0), (1, 0), (1, 1), (0, 1))
    if round_ends:
        turns = [pi / 2 * ring / RINGS for ring in range(RINGS + 1)]
        below = [(sin(turn), radius * (1 - cos(turn)) / whole) for turn in turns]
        profile = (*below, *((out, 1 - up) for out, up in reversed(below)))
    half = np.array((radius, whole / 2, radius))
    upright = solids.lathe(-half, half, profile, SIDES, smooth=round_ends)
    y = way / length
    x = np.cross(y, (0.0, 0.0, 1.0) if abs(y[2]) < 0.9 else (1.0, 0.0, 0.0))
    x = x / np.sqrt((x * x).sum())
    return solids.move(upright, np.stack((x, y, np.cross(x, y)), axis=1), (start + end) / 2)


def _checker() -> tuple[tuple[Solid, str], ...]:
    """The squares of the floor, light and dark in turn; only their upper sides are ever seen."""
    hidden = ("left", "right", "bottom", "top", "back")
    found = []
    for x in range(-FLOOR_REACH, FLOOR_REACH):
        for y in range(-FLOOR_REACH, FLOOR_REACH):
            square = solids.box(np.array((x, y, -0.01)), np.array((x + 1.0, y + 1.0, 0.0)), hidden)
            found.append((square, "floor dark" if (x + y) % 2 else "floor light"))
    return tuple(found)


def _mirror(solid: Solid, side: float) -> Solid:
    """Return a solid, on the other side of the hand if the side is -1; its normals stay outward."""
    return solid if side > 0 else solids.move(solid, np.diag((1.0, -1.0, 1.0)), np.zeros(3))


class BodyTriangles(NamedTuple):
    """All triangles of a scene's bodies, each in its body's frame.

    Attributes:
        vertices: (v, 3) in the bodies' frames.
        vertex_starts: (b + 1,) the bodies' first vertices.
        corners: (n, 3) of the triangles, places of ``vertices``.
        faces: (n, 5) outward direction, its product with a corner, and its length, in the bodies' frames.
        normals: (n, 3, 3) at the corners.
        slopes: (n, 2, 3): how a value that is 1 at the second, or third, corner and 0 at the others grows.
        textures: (n, 8): u and v as a + b x + c y + d z of the body's frame.
        body: (n,) whose triangle it is.
        surface: (n,) rows of ``surfaces``.
        instance: (n,) indices of ``names``.
        starts: (b + 1,) the first triangle of each body, and their number.
        spheres: (b, 4) balls around the bodies, in their frames.
    """

    vertices: Float
    vertex_starts: NDArray[np.int64]
    corners: NDArray[np.int64]
    faces: Float
    normals: Float
    slopes: Float
    textures: Float
    body: NDArray[np.int32]
    surface: NDArray[np.int32]
    instance: NDArray[np.int32]
    starts: NDArray[np.int64]
    spheres: Float


@dataclass(frozen=True, slots=True, eq=False)
class PaintedBodies:
    """A scene's bodies as triangles, with their (m, ``SURFACE``) paints, and the names of paints and instances."""

    triangles: BodyTriangles
    surfaces: Float
    paints: tuple[str, ...]
    names: tuple[str, ...]


def triangles_of(bodies: Sequence[PaintedBody]) -> PaintedBodies:
    """Return the triangles of bodies."""
    paints = tuple(dict.fromkeys(paint for body in bodies for _, paint in body.pieces))
    names = tuple(dict.fromkeys(body.name for body in bodies))
    whole = solids.join([solid for body in bodies for solid, _ in body.pieces])
    counts = [sum(len(solid.points) for solid, _ in body.pieces) for body in bodies]
    surface = [np.full(len(solid.points), paints.index(paint)) for body in bodies for solid, paint in body.pieces]
    corners, normals = whole.points, whole.normals
    one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    across = np.cross(one, two)
    square = (across * across).sum(1, keepdims=True)
    square[square == 0] = 1.0
    facing = np.where((across * normals.sum(1)).sum(1, keepdims=True) < 0, -across, across)
    slopes = np.stack((np.cross(two, across) / square, np.cross(across, one) / square), axis=1)
    textures = np.empty((len(corners), 8))
    for j in range(2):
        value = whole.uv[..., j]
        growth = (value[:, 1] - value[:, 0])[:, None] * slopes[:, 0]
        growth = growth + (value[:, 2] - value[:, 0])[:, None] * slopes[:, 1]
        textures[:, 4 * j] = value[:, 0] - (growth * corners[:, 0]).sum(1)
        textures[:, 4 * j + 1 : 4 * j + 4] = growth
    starts = np.cumsum([0, *counts])
    spheres = np.array([_sphere(corners[a:b]) for a, b in pairwise(starts)])
    found = [np.unique(corners[a:b].reshape(-1, 3), axis=0, return_inverse=True) for a, b in pairwise(starts)]
    vertex_starts = np.cumsum([0, *(len(some) for some, _ in found)])
    places = [first + inverse.reshape(-1, 3) for first, (_, inverse) in zip(vertex_starts, found, strict=False)]
    ahead, size = (facing * corners[:, 0]).sum(1), np.sqrt((facing * facing).sum(1))
    triangles = BodyTriangles(
        vertices=np.concatenate([some for some, _ in found]),
        vertex_starts=vertex_starts,
        corners=np.concatenate(places).astype(np.int64),
        faces=np.column_stack((facing, ahead, size)),
        normals=normals,
        slopes=slopes,
        textures=textures,
        body=np.repeat(np.arange(len(bodies), dtype=np.int32), counts),
        surface=np.concatenate(surface).astype(np.int32),
        instance=np.repeat(np.array([names.index(body.name) for body in bodies], np.int32), counts),
        starts=starts,
        spheres=spheres,
    )
    return PaintedBodies(triangles, np.array([paint_row(name) for name in paints]), paints, names)


def _sphere(corners: Float) -> Float:
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    radius = np.sqrt(((high - low) ** 2).sum()) / 2
    return np.concatenate(((low + high) / 2, [radius]))


# What a camera's pictures are drawn on, and the pictures of the furniture that are kept to draw over.

Bytes: TypeAlias = NDArray[np.uint8]

MOST_KEPT = 32
"""Grounds that a canvas keeps, 1.1 MB each at CALVIN's size."""


MOST_ASKED = MOST_KEPT
"""States that a canvas remembers without a ground: one that is asked for again before so many others gets one."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A camera's place: eye (3,), and its right, up and forward axes, a unit vector a row."""

    eye: Float
    axes: Float


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A picture that is drawn on, and its colours (h, w, 3)."""

    buffers: Buffers
    rgb: Bytes

    def duplicate(self) -> Layer:
        """Return a layer with the same content."""
        near, who, spans = self.buffers
        return Layer(Buffers(near.copy(), who.copy(), spans), self.rgb.copy())


class Backdrop:
    """A picture that others are drawn over, one after the other; only where one was is it copied again.

    Attributes:
        picture: The picture.
        buffers: To draw on, equal to the picture's before and afterwards: spans say where they differ from it.
    """

    def __init__(self, picture: Layer) -> None:
        self.picture = picture
        self.buffers = Buffers(*(each.copy() for each in picture.buffers))
        clear(self.buffers.spans, self.buffers.near.shape[1])

    def begun(self, rgb: Bytes) -> Layer:
        """Return a copy to draw over, with its colours in ``rgb``, until ``restore``."""
        np.copyto(rgb, self.picture.rgb)
        return Layer(self.buffers, rgb)

    def restore(self) -> None:
        """Let the copy be equal to the picture again."""
        restore(self.buffers, self.picture.buffers)


class Canvas:
    """What a camera's pictures of a size are drawn on; the arrays are written over by each picture.

    CALVIN's renderer looks through the corner of each pixel, half a pixel below and to the left of its middle. A
    canvas that is larger by a row at the top and a column at the right has these rays.

    Attributes:
        camera: The camera.
        view: Its place; None of a camera that is carried about.
        focal: Its focal length in pixels.
        depth, instances: As the rasteriser fills them.
        buffers: To draw on where nothing is kept; spans are every column of every row.
    """

    def __init__(self, camera: TableCamera, view: View | None, size: int) -> None:
        self.camera, self.view = camera, view
        self.focal = size / 2 / tan(radians(camera.fov) / 2)
        shape = size + 1, size + 1
        self.depth: NDArray[np.float32] = np.empty(shape, np.float32)
        self.instances: NDArray[np.int32] = np.empty(shape, np.int32)
        self.buffers = Buffers(np.empty(shape), np.empty(shape, np.int32), whole_rows(*shape))
        self._kept: OrderedDict[bytes, Backdrop] = OrderedDict()
        self._asked: OrderedDict[bytes, None] = OrderedDict()

    def empty(self, rgb: Bytes) -> Layer:
        """Return a layer on which nothing is yet; it is that until the next one is asked for."""
        self.buffers.near.fill(0.0)
        self.buffers.who.fill(NOTHING)
        return Layer(self.buffers, rgb)

    def kept(self, state: bytes) -> Backdrop | None:
        """Return the ground that is kept of a state, if there is one."""
        if state in self._kept:
            self._kept.move_to_end(state)
        return self._kept.get(state)

    def comes_back(self, state: bytes) -> bool:
        """Return whether this was asked of the state before, not long ago."""
        known = state in self._asked
        self._asked[state] = None
        if len(self._asked) > MOST_ASKED:
            self._asked.popitem(last=False)
        return known

    def keep(self, state: bytes, picture: Layer) -> Backdrop:
        """Keep a picture as the ground of a state, and forget that which was not asked for the longest time."""
        self._kept[state] = ground = Backdrop(picture)
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return ground
