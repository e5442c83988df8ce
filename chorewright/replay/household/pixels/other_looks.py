"""Other looks of a room, drawn from a seed: colours, textures, lights, and clutter that is only in the pictures.

That is domain randomisation. What a surface looks like depends on the seed and on what it looks like usually, so a
thing keeps its look wherever it is carried, and the same seed draws the same picture. What glows or is dirty does so in
each look.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from chorewright.problems.household.scene import GRID, Scene
from chorewright.replay.drawing import rasteriser, solids
from chorewright.replay.drawing.solids import Float
from chorewright.replay.drawing.textures import CLOTH, PLANKS, PRINT, STONE, STRIPES, TILES, WOOD
from chorewright.replay.household.pixels.drawing import Mesh, mesh_of, surface_row
from chorewright.replay.household.pixels.looks import looks
from chorewright.replay.household.pixels.walls import bounds

CLUTTER = "Clutter"
"""What instances of clutter are called, with a number."""

ANOTHER, RETEXTURED = 0.5, 0.35
"""How likely a surface has quite another colour, and another texture."""

SHADES, SCALES, CONTRASTS = (0.7, 1.3), (0.05, 0.8), (0.15, 0.6)
"""Of what colour, metres of a period and contrast are drawn: a factor, and two values."""

GAINS, TINTS, LAMPS = (0.75, 1.2), (0.88, 1.12), (-0.15, 0.25)
"""Of what the lights are drawn: how bright, of which colour, and how strong each of two further ones is."""

POSTERS, RUGS = (1, 4), (0, 2)
"""How much clutter hangs at the walls and lies on the floor: at least, and at most."""

_TEXTURES = (WOOD, STONE, TILES, CLOTH, STRIPES, PLANKS)
_KIND, _SCALE, _CONTRAST, _GLOW, _COLOURS = 0, 1, 2, rasteriser.GLOW, slice(5, 11)


class RoomLook:
    """A look.

    Attributes:
        seed: The numbers of its seed.
        gain, tint: How bright the lights are, and of which colour.
        lamps: Further lights: strength and direction.
    """

    def __init__(self, seed: tuple[int, ...]) -> None:
        """Draw the lights of a look."""
        rng = np.random.default_rng(seed)
        self.seed = seed
        self.gain, self.tint = float(rng.uniform(*GAINS)), rng.uniform(TINTS[0], TINTS[1], 3)
        self.lamps: list[tuple[float, Float]] = []
        for _ in range(2):
            direction = rng.normal(size=3)
            self.lamps.append((float(rng.uniform(*LAMPS)), np.round(direction / np.sqrt((direction**2).sum()), 9)))
        self._rows: dict[bytes, Float] = {}

    def vary(self, content: bytes) -> Float:
        """Return a surface's row in the look; those of before are kept."""
        if content not in self._rows:
            self._rows[content] = _vary(content, self)
        return self._rows[content]


def in_look(named: Sequence[tuple[str, Mesh]], scene: Scene, look: RoomLook) -> list[tuple[str, Mesh]]:
    """Return what is drawn of a scene, by its names, in another look, and clutter."""
    return [
        (
            name,
            replace(
                mesh, planes=_vary_light(mesh.planes, mesh.facing, look), surfaces=_vary_surfaces(mesh.surfaces, look)
            ),
        )
        for name, mesh in (*named, *_clutter(scene, look))
    ]


def _vary_surfaces(surfaces: Float, look: RoomLook) -> Float:
    """Return surfaces (m, ``SURFACE``) in other colours and textures."""
    found: Float = np.array([look.vary(row.tobytes()) for row in surfaces])
    found[:, _COLOURS] = np.clip(found[:, _COLOURS] * np.tile(look.tint, 2), 0.0, 255.0)
    return found


def _vary_light(planes: Float, facing: Float, look: RoomLook) -> Float:
    """Return the planes (n, 12) of triangles in another light.

    Args:
        planes: As those of ``Mesh``.
        facing: (n, 3) outward directions.
        look: The look.
    """
    found: Float = planes.copy()
    found[:, :4] *= look.gain
    normals = facing / np.maximum(np.sqrt((facing * facing).sum(axis=1)), 1e-12)[:, None]
    for strength, direction in look.lamps:
        towards = normals[:, 0] * direction[0] + normals[:, 1] * direction[1] + normals[:, 2] * direction[2]
        found[:, 0] += np.round(strength * np.maximum(0.0, towards), 9)
    return found


def _clutter(scene: Scene, look: RoomLook) -> Iterator[tuple[str, Mesh]]:
    """Yield posters on the walls of a room and rugs on its floor, by their names; a house has rugs only."""
    rng = np.random.default_rng((*look.seed, crc32(scene.name.encode())))
    west, floor, south, east, _, north = bounds(scene)
    paints = sorted(name for name, paint in looks().paints.items() if not paint.glow)
    boxes = []
    for _ in range(int(rng.integers(POSTERS[0], POSTERS[1] + 1)) if scene.building is None else 0):
        side, wide, high, up = int(rng.integers(4)), rng.uniform(0.3, 0.8), rng.uniform(0.3, 0.7), rng.uniform(1.2, 1.6)
        along = rng.uniform(0.1, 0.9)
        low, top = np.array((west, floor + up, south)), np.array((east, floor + up + high, north))
        axis = 0 if side % 2 else 2  # along which it hangs
        middle = low[axis] + along * (top[axis] - low[axis])
        low[axis], top[axis] = middle - wide / 2, middle + wide / 2
        other = 2 - axis
        if side < 2:
            top[other] = low[other] + 0.02
        else:
            low[other] = top[other] - 0.02
        boxes.append((low, top))
    for _ in range(int(rng.integers(RUGS[0], RUGS[1] + 1))):
        x, z = scene.grid[int(rng.integers(len(scene.grid)))]
        half = rng.uniform((0.3, 0.3), (0.7, 0.7))
        low = np.array((x * GRID - half[0], floor, z * GRID - half[1]))
        boxes.append((low, low + np.array((2 * half[0], 0.008, 2 * half[1]))))
    for number, (low, top) in enumerate(boxes):
        name = f"{CLUTTER}_{number}"
        paint = looks().paints[paints[int(rng.integers(len(paints)))]]
        yield name, mesh_of([(solids.box(low, top), surface_row(paint, name))])


def _vary(content: bytes, look: RoomLook) -> NDArray[np.float64]:
    """Return a surface's row in a look."""
    row: Float = np.frombuffer(content).copy()
    rng = np.random.default_rng((*look.seed, crc32(content)))
    if row[_GLOW] > 0.0:
        return row
    if rng.random() < ANOTHER:
        row[_COLOURS] = 0.3 * row[_COLOURS] + 0.7 * np.tile(rng.uniform(25.0, 245.0, 3), 2) * rng.uniform(0.8, 1.2, 6)
    else:
        row[_COLOURS] *= rng.uniform(*SHADES)
    if rng.random() < RETEXTURED and row[_KIND] != PRINT:
        row[_KIND] = _TEXTURES[int(rng.integers(len(_TEXTURES)))]
        row[_SCALE], row[_CONTRAST] = rng.uniform(*SCALES), rng.uniform(*CONTRASTS)
    row[_COLOURS] = np.clip(np.round(row[_COLOURS], 3), 0.0, 255.0)
    return row
