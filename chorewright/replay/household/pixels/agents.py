"""The bodies of agents, as others see them: a rounded trunk on a base, with a head."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from chorewright.problems.household.free_space import PIVOT
from chorewright.problems.household.scene import GRID, Bystander
from chorewright.replay.drawing import solids
from chorewright.replay.household.pixels.drawing import Mesh, mesh_of, surface_row
from chorewright.replay.household.pixels.looks import looks

SEGMENTS = 12
"""Sides of the rounded parts."""

PARTS = (
    ("dark", 0.18, 0.0, 0.15),
    ("grey", 0.13, 0.15, 1.3),
    ("white", 0.11, 1.3, 1.6),
)
"""Paint, radius, bottom and top of each part, in metres above the floor."""


@lru_cache(maxsize=64)
def agent_mesh(agent: Bystander, agent_y: float) -> Mesh:
    """Return the triangles of an agent's body.

    Args:
        agent: The agent.
        agent_y: The height of its pivot.
    """
    east, north, floor = agent.pose.x * GRID, agent.pose.z * GRID, agent_y - PIVOT
    pieces = []
    for paint, radius, bottom, top in PARTS:
        low = np.array((east - radius, floor + bottom, north - radius))
        high = np.array((east + radius, floor + top, north + radius))
        solid = solids.lathe(low, high, ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)), SEGMENTS)
        pieces.append((solid, surface_row(looks().paints[paint], agent.name)))
    return mesh_of(pieces)
