"""Places: metres and the grid."""

from __future__ import annotations

from typing import TypeAlias

GRID = 0.25
"""Metres between neighbouring standing points."""

Vector: TypeAlias = tuple[float, float, float]
"""x (east), y (up), z (north), in metres; or degrees about these axes."""

Point: TypeAlias = tuple[int, int]
"""A standing point (x, z) in units of ``GRID``."""
