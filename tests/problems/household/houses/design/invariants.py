"""What every sound house fulfils, read from its file alone: rectangles, a raster of places, a graph of steps.

Nothing of the package is used but the sizes of assets.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import networkx as nx

from chorewright.problems.household.houses.assets import assets

STEP = 0.25
RADIUS = 0.2
REACH = 1.5

Box = tuple[float, float, float, float, float, float]
"""Low and high x, y and z."""


def box_of(record: dict[str, Any]) -> Box:
    """Return the box of a thing or part, which is turned by a multiple of 90 degrees."""
    if "assetId" in record:
        size, yaw = assets()[record["assetId"]].size, record["rotation"]["y"]
    else:
        size, yaw = tuple(record["size"][axis] for axis in "xyz"), record["yaw"]
    assert yaw % 90 == 0
    width, height, depth = size if yaw % 180 == 0 else (size[2], size[1], size[0])
    x, y, z = (record["position"][axis] for axis in "xyz")
    return x - width / 2, x + width / 2, y - height / 2, y + height / 2, z - depth / 2, z + depth / 2


def gap(box: Box, x: float, z: float) -> float:
    """Return how far a place is from a box, in the plane."""
    dx, dz = max(box[0] - x, 0.0, x - box[1]), max(box[4] - z, 0.0, z - box[5])
    return float((dx * dx + dz * dz) ** 0.5)


def overlapping(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the pairs of things whose boxes overlap by more than 2 mm along all axes."""
    boxes = [(each["id"], box_of(each)) for each in document["objects"]]
    return [
        (one, other)
        for (one, a), (other, b) in combinations(boxes, 2)
        if all(min(a[k + 1], b[k + 1]) - max(a[k], b[k]) > 0.002 for k in (0, 2, 4))
    ]


def room_at(document: dict[str, Any], x: float, z: float) -> str | None:
    """Return the id of the room at a place, by the crossings of a ray to the north with the floor's edges."""
    for room in document["rooms"]:
        corners = [(corner["x"], corner["z"]) for corner in room["floorPolygon"]]
        crossings = 0
        for (x0, z0), (x1, _) in zip(corners, [*corners[1:], corners[0]], strict=True):
            if x0 != x1 and min(x0, x1) <= x < max(x0, x1) and z0 > z:
                crossings += 1
        if crossings % 2:
            return str(room["id"])
    return None


def barriers(document: dict[str, Any]) -> list[Box]:
    """Return walls as thin boxes, without open ones and the holes of open doors and frames inside."""
    holes: dict[frozenset[tuple[float, float]], list[tuple[Any, Any]]] = {}
    ends = {wall["id"]: feet(wall) for wall in document["walls"]}
    for door in document["doors"]:
        if door["room0"] != door["room1"] and door.get("openness", 1) == 1:
            (x0, z0), (x1, z1) = ends[door["wall0"]]
            length = abs(x1 - x0) + abs(z1 - z0)
            places = [
                (x0 + (x1 - x0) * corner["x"] / length, z0 + (z1 - z0) * corner["x"] / length)
                for corner in door["holePolygon"]
            ]
            holes.setdefault(frozenset(ends[door["wall0"]]), []).append((places[0], places[1]))
    found = []
    for wall in document["walls"]:
        if wall.get("empty"):
            continue
        start, end = sorted(ends[wall["id"]])
        for hole in sorted(tuple(sorted(each)) for each in holes.get(frozenset((start, end)), ())):
            found.append((start[0], hole[0][0], 0.0, 9.0, start[1], hole[0][1]))
            start = hole[1]
        found.append((start[0], end[0], 0.0, 9.0, start[1], end[1]))
    return found


def feet(wall: dict[str, Any]) -> list[tuple[float, float]]:
    """Return the ends of a wall, in the order in which its polygon lists them."""
    return [(corner["x"], corner["z"]) for corner in wall["polygon"] if corner["y"] == 0]


def walkable(document: dict[str, Any], lowest: float = 0.06, head: float = 1.6) -> nx.Graph[tuple[float, float]]:
    """Return the places of the grid where an agent can stand, joined by steps."""
    blocks = barriers(document)
    for thing in document["objects"]:
        box = box_of(thing)
        if assets()[thing["assetId"]].primary != "CanPickup" and box[3] >= lowest and box[2] <= head:
            blocks.append(box)
    graph: nx.Graph[tuple[float, float]] = nx.Graph()
    size = max(max(corner["x"], corner["z"]) for room in document["rooms"] for corner in room["floorPolygon"])
    count = int(size / STEP) + 2
    for i in range(count):
        near = [block for block in blocks if block[0] - RADIUS < i * STEP < block[1] + RADIUS]
        for j in range(count):
            x, z = i * STEP, j * STEP
            if room_at(document, x, z) and all(gap(block, x, z) >= RADIUS - 1e-5 for block in near):
                graph.add_node((x, z))
    graph.add_edges_from(
        ((x, z), (x + dx, z + dz))
        for x, z in list(graph)
        for dx, dz in ((STEP, 0), (0, STEP))
        if (x + dx, z + dz) in graph
    )
    return graph


def receptacles(document: dict[str, Any]) -> list[tuple[str, Box]]:
    """Return all that holds things and stands, and all parts that a file names."""
    found = []
    for thing in document["objects"]:
        for each in (thing, *thing.get("children", ())):
            asset = assets()[each["assetId"]]
            if "Receptacle" in asset.properties and asset.primary != "CanPickup":
                found.append((each["id"], box_of(each)))
        found += [(part["id"], box_of(part)) for part in thing.get("parts", ())]
    return found
