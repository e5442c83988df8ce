"""Where an agent can stand, judged by the boxes of the furniture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

import numpy as np

from chorewright.problems.household.scene import GRID, Point, SceneObject

AGENT_RADIUS = 0.2
STEP_OVER = 0.06
"""Metres: what is lower does not stop the agent."""
HEAD = 1.6
"""Metres above the floor: what hangs higher does not stop the agent."""

PIVOT = 0.901
"""Metres from the floor to the agent's pivot."""

BRIM = 0.05
"""Metres from the edge of a box that count as outside of it."""

NEIGHBOURS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def edge_points(walked: Set[Point], objects: Sequence[SceneObject], level: float) -> set[Point]:
    """Return the grid neighbours of walked points that are not deep inside furniture.

    An agent of AI2-THOR 2.1.0 can stand at most of them, close to the furniture.

    Args:
        walked: Points where the agent is known to fit.
        objects: Everything in the room; what lies in or on something, or could be kicked aside, is ignored.
        level: Height of the floor.
    """
    candidates = {(x + dx, z + dz) for x, z in walked for dx, dz in NEIGHBOURS} - walked
    boxes = obstacles(objects, level)
    return {
        (x, z)
        for x, z in candidates
        if not any(
            low_x + BRIM < x * GRID < high_x - BRIM and low_z + BRIM < z * GRID < high_z - BRIM
            for low_x, high_x, low_z, high_z in boxes
        )
    }


def free_points(objects: Sequence[SceneObject], level: float) -> set[Point]:
    """Return all grid points of a room that are free of furniture, for rooms without known standing points."""
    room = extent(objects)
    xs = range(int(room[0] / GRID) - 1, int(room[1] / GRID) + 2)
    zs = range(int(room[2] / GRID) - 1, int(room[3] / GRID) + 2)
    boxes = sorted(obstacles(objects, level), key=lambda box: (box[1] - box[0]) * (box[3] - box[2]))
    while True:
        free = {point for point in ((x, z) for x in xs for z in zs) if _free(point, boxes, room)}
        if free or not boxes:
            return free
        boxes.pop()  # the box of a counter along three walls covers the whole room


def floor_level(objects: Sequence[SceneObject]) -> float:
    """Return the height of the floor, judged by the bottoms of the furniture that stands on it.

    The Floor object's own box is no help, since it often reaches down into the ground; a few things on the
    floor are hung or stacked, a few sunk, hence the lower fifth.
    """
    floors = {thing.object_id for thing in objects if thing.kind == "Floor"}
    bottoms = sorted(thing.centre[1] - thing.size[1] / 2 for thing in objects if floors & set(thing.parents))
    level = float(np.quantile(bottoms, 0.2)) if bottoms else 0.0
    return level if abs(level) > STEP_OVER else 0.0


Rectangle = tuple[float, float, float, float]
"""Least x, greatest x, least z, greatest z, in metres."""


def obstacles(objects: Sequence[SceneObject], level: float) -> list[Rectangle]:
    """Return the footprints of what an agent would bump into."""
    footprints = []
    for thing in objects:
        bottom, top = thing.centre[1] - thing.size[1] / 2, thing.centre[1] + thing.size[1] / 2
        if thing.kind == "Floor" or thing.traits.item or top < level + STEP_OVER or bottom > level + HEAD:
            continue
        footprints.append(footprint(thing))
    return footprints


def footprint(thing: SceneObject) -> Rectangle:
    """Return the rectangle that a thing's box covers on the floor."""
    (x, _, z), (width, _, depth) = thing.centre, thing.size
    return x - width / 2, x + width / 2, z - depth / 2, z + depth / 2


def extent(objects: Sequence[SceneObject]) -> Rectangle:
    """Return the rectangle within which an agent can stand; walls are not objects, so the boxes decide.

    The floor's box is larger than the room; the things along and on the walls show where the walls are.
    """
    floors = [footprint(thing) for thing in objects if thing.kind == "Floor"]
    things = [thing for thing in objects if thing.kind != "Floor"]
    if not things:
        return floors[0] if floors else (0.0, 0.0, 0.0, 0.0)
    xs, zs = [thing.centre[0] for thing in things], [thing.centre[2] for thing in things]
    room = (min(xs) + AGENT_RADIUS, max(xs) - AGENT_RADIUS, min(zs) + AGENT_RADIUS, max(zs) - AGENT_RADIUS)
    if not floors:
        return room
    low_x, high_x, low_z, high_z = floors[0]
    return (
        max(room[0], low_x + GRID),
        min(room[1], high_x - GRID),
        max(room[2], low_z + GRID),
        min(room[3], high_z - GRID),
    )


def _free(point: Point, boxes: Iterable[Rectangle], room: Rectangle) -> bool:
    x, z = point[0] * GRID, point[1] * GRID
    if not (room[0] <= x <= room[1] and room[2] <= z <= room[3]):
        return False
    for low_x, high_x, low_z, high_z in boxes:
        dx, dz = max(low_x - x, 0.0, x - high_x), max(low_z - z, 0.0, z - high_z)
        if dx * dx + dz * dz < AGENT_RADIUS * AGENT_RADIUS:
            return False
    return True


def largest_component(points: Set[Point]) -> set[Point]:
    """Return the largest set of points connected by single steps; among equals, the one with the lowest point."""
    best: set[Point] = set()
    left = set(points)
    for start in sorted(points):
        if start not in left:
            continue
        left.discard(start)
        component, border = {start}, [start]
        while border:
            x, z = border.pop()
            for dx, dz in NEIGHBOURS:
                neighbour = (x + dx, z + dz)
                if neighbour in left:
                    left.discard(neighbour)
                    component.add(neighbour)
                    border.append(neighbour)
        if len(component) > len(best):
            best = component
    return best
