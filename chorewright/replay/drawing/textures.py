"""Textures: the share of a surface's second colour at a point, as tables that repeat every few periods.

A table is made once, mostly from smooth noise on a lattice, and read at the nearest entry. So shading a pixel
takes one look-up. Print and rings are computed at each pixel.
"""

from __future__ import annotations

from functools import lru_cache
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chorewright.jit.kernels import njit

PLAIN, WOOD, STONE, TILES, CLOTH, STRIPES, LEAVES, PRINT, RINGS, PLANKS = range(10)
"""Textures."""

TEXTURES = ("plain", "wood", "stone", "tiles", "cloth", "stripes", "leaves", "print", "rings", "planks")
"""What they are called in files of paints."""

TABLES: tuple[tuple[int, int, int, int, int], ...] = (
    (WOOD, 4, 16, 256, 32),
    (STONE, 16, 16, 32, 32),
    (TILES, 8, 8, 64, 64),
    (CLOTH, 16, 16, 32, 32),
    (STRIPES, 1, 1, 2, 1),
    (LEAVES, 32, 32, 16, 16),
    (PLANKS, 16, 16, 64, 64),
)
"""Kind, periods across and along after which it repeats, entries in a period; all powers of two."""

FAR = 4096.0
"""Periods by which places are shifted, so that they are positive."""

ROW, COLUMN, START, WIDE, HIGH = range(5)
"""A kind's row of the layout: entries in a period along and across, first entry, width and height."""


def _lattice() -> NDArray[np.float64]:
    """Return numbers in [0, 1) for the cells of the plane, repeated every 256 cells."""
    x, y = np.meshgrid(np.arange(256, dtype=np.uint32), np.arange(256, dtype=np.uint32))
    h = x * np.uint32(0x9E3779B1) ^ y * np.uint32(0x85EBCA77)
    h ^= h >> np.uint32(15)
    h *= np.uint32(0x2C1B3C6D)
    h ^= h >> np.uint32(12)
    lattice: NDArray[np.float64] = (h & np.uint32(0xFFFF)).astype(np.float64) / 65536.0
    return lattice


LATTICE = _lattice()


@lru_cache(maxsize=1)
def tables() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return all tables one after the other, 255 for one, and the layout, (kinds, 5)."""
    layout = np.zeros((PLANKS + 1, 5), np.int64)
    parts, start = [], 0
    for kind, across, along, wide, high in TABLES:
        part = np.empty((along * high, across * wide), np.uint8)
        _tabulate(kind, across, along, wide, high, LATTICE, part)
        layout[kind] = (high, wide, start, across * wide, along * high)
        start += part.size
        parts.append(part.reshape(-1))
    return np.concatenate(parts), layout


@njit(cache=True, nogil=True, error_model="numpy")
def _tabulate(kind: Any, across: Any, along: Any, wide: Any, high: Any, lattice: Any, table: Any) -> None:
    for row in range(table.shape[0]):
        v = (row + 0.5) / high
        for column in range(table.shape[1]):
            value = _smooth(kind, (column + 0.5) / wide, v, across, along, lattice)
            table[row, column] = np.uint8(min(1.0, max(0.0, value)) * 255.0 + 0.5)


@njit(cache=True, nogil=True, error_model="numpy")
def _smooth(kind: Any, u: Any, v: Any, across: Any, along: Any, lattice: Any) -> Any:
    """The textures that have tables; they repeat after ``across`` and ``along`` periods."""
    if kind == WOOD:
        grain = 3.0 * _wrap(u * 8.0, v * 0.5, across * 8, along // 2, 0, lattice)
        fine = _wrap(u * 16.0, v * 2.0, across * 16, along * 2, 1, lattice)
        return abs(grain - floor(grain) - 0.5) * 1.2 + 0.4 * fine
    if kind == TILES:
        x, y = floor(u), floor(v)
        return 1.0 if u - x < 0.03 or v - y < 0.03 else 0.25 * lattice[y, x]
    if kind == STRIPES:
        return 1.0 if u < 0.5 else 0.0
    if kind == STONE:
        coarse = _wrap(u, v, across, along, 0, lattice)
        return 0.6 * coarse + 0.4 * _wrap(u * 4.0, v * 4.0, across * 4, along * 4, 1, lattice)
    if kind == CLOTH:
        checked = 0.5 if (u - floor(u) < 0.5) != (v - floor(v) < 0.5) else 0.0
        return checked + 0.5 * _wrap(u * 0.25, v * 0.25, across // 4, along // 4, 0, lattice)
    if kind == LEAVES:
        return _wrap(u * 2.0, v * 2.0, across * 2, along * 2, 0, lattice)
    plank = floor(v)
    a = u * 0.25 + lattice[7, plank] * 4.0
    board = floor(a)
    if v - plank < 0.03 or a - board < 0.006:
        return 1.0
    shade = lattice[plank, 11 + board % (across // 4)]
    return 0.5 * shade + 0.3 * _wrap(u, v * 8.0, across, along * 8, 0, lattice)


@njit(cache=True, nogil=True, error_model="numpy")
def _wrap(u: Any, v: Any, across: Any, along: Any, seed: Any, lattice: Any) -> Any:
    """Smooth noise that repeats after a number of units."""
    x, y = floor(u), floor(v)
    a, b = u - x, v - y
    a, b = a * a * (3.0 - 2.0 * a), b * b * (3.0 - 2.0 * b)
    left, right = (x % across + seed * 113) & 255, ((x + 1) % across + seed * 113) & 255
    lower, upper = (y % along + seed * 57) & 255, ((y + 1) % along + seed * 57) & 255
    low = lattice[lower, left] + (lattice[lower, right] - lattice[lower, left]) * a
    high = lattice[upper, left] + (lattice[upper, right] - lattice[upper, left]) * a
    return low + (high - low) * b


@njit(cache=True, nogil=True, error_model="numpy")
def noise(u: Any, v: Any, seed: Any, lattice: Any) -> Any:
    """Smooth noise in [0, 1) that changes over about one unit."""
    return _wrap(u, v, 256, 256, seed, lattice)


@njit(cache=True, nogil=True, error_model="numpy")
def regular(kind: Any, u: Any, v: Any, seed: Any, lattice: Any) -> Any:
    """The textures that are worked out at each pixel; ``u`` and ``v`` in periods."""
    if kind == PRINT:
        word, y = floor(u * 3.0), floor(v)
        shown = lattice[(y + seed * 57) & 255, (word + seed * 113) & 255] < 0.8
        return 1.0 if v - y < 0.45 and shown else 0.0
    r = np.sqrt(u * u + v * v)
    return 1.0 if r - floor(r) < 0.4 else 0.0
