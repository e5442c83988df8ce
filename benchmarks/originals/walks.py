"""Shortest paths found without our navigation: networkx over places that a simulated agent walked to by itself."""

from __future__ import annotations

from dataclasses import replace
from math import dist

import networkx as nx

from chorewright.problems.household.houses.house import House
from chorewright.problems.household.scene import GRID, Point, Pose, Scene, Vector
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.objectnav.world import HORIZONS, PIXELS, SETTINGS, SIZE, Goals
from chorewright.replay.simulator import Argument, SimulatorAction

_HEADINGS = {0: (0, 1), 1: (1, 0), 2: (0, -1), 3: (-1, 0)}


def walked_graph(scene: Scene) -> nx.Graph:
    """The places that MoveAhead leads to from the start, in all four directions, as far as it leads anywhere."""
    world = ThorWorld(SETTINGS)
    world.reset(scene)
    graph = nx.Graph()
    start = (scene.agent.x, scene.agent.z)
    graph.add_node(start)
    border = [start]
    while border:
        here = border.pop()
        for rotation, (dx, dz) in _HEADINGS.items():
            _put(world, Pose(*here, rotation, 0), scene)
            if world.step(SimulatorAction("MoveAhead")).success:
                there = (here[0] + dx, here[1] + dz)
                if there not in graph:
                    border.append(there)
                graph.add_edge(here, there, weight=GRID)
    return graph


def walls_graph(scene: Scene, house: House) -> nx.Graph:
    """The same from the house's own walls: no step between two standing points crosses a wall but through a hole."""
    graph = nx.Graph()
    graph.add_nodes_from(scene.grid)
    for x, z in scene.grid:
        for there in ((x + 1, z), (x, z + 1)):
            if there in graph and not _crosses(house, (x, z), there):
                graph.add_edge((x, z), there, weight=GRID)
    return graph


def _crosses(house: House, one: Point, other: Point) -> bool:
    (ax, az), (bx, bz) = ((point[0] * GRID, point[1] * GRID) for point in (one, other))
    here, there = house.room_at(ax, az), house.room_at(bx, bz)
    if here is there:
        return False
    assert here is not None
    assert there is not None
    shared = [
        (wall, wall.start, wall.end)
        for wall in house.walls
        if wall.room_id == here.room_id and _cut((ax, az), (bx, bz), wall.start, wall.end) is not None
    ]
    for wall, start, end in shared:
        at = _cut((ax, az), (bx, bz), start, end)
        assert at is not None
        open_here = any(hole.left <= at * wall.length <= hole.right for hole in house.holes(wall))
        if not (wall.empty or open_here):
            return True
    return not shared


def _cut(
    a: tuple[float, float], b: tuple[float, float], c: tuple[float, float], d: tuple[float, float]
) -> float | None:
    """Where on the segment c-d the segment a-b crosses it, from 0 to 1."""
    across = (b[0] - a[0]) * (d[1] - c[1]) - (b[1] - a[1]) * (d[0] - c[0])
    if abs(across) < 1e-12:
        return None
    s = ((c[0] - a[0]) * (d[1] - c[1]) - (c[1] - a[1]) * (d[0] - c[0])) / across
    t = ((c[0] - a[0]) * (b[1] - a[1]) - (c[1] - a[1]) * (b[0] - a[0])) / across
    return t if 0 <= s <= 1 and 0 <= t <= 1 else None


def shortest_metres(scene: Scene, target: str, graph: nx.Graph, world: ThorWorld) -> float | None:
    """Dijkstra's distance to the first place where the simulator calls a thing of the kind visible and shows it."""
    world.reset(scene)
    lengths: dict[Point, float] = nx.single_source_dijkstra_path_length(graph, (scene.agent.x, scene.agent.z))
    boxes = [(body.centre, body.size) for body in scene.objects if body.kind == target]
    for place, metres in sorted(lengths.items(), key=lambda item: item[1]):
        if not any(_gap(place, centre, size) <= SETTINGS.reach for centre, size in boxes):
            continue
        for rotation in range(4):
            for horizon in HORIZONS:
                if visible_from(scene, Pose(*place, rotation, horizon), target, world):
                    return metres
    return None


def _gap(place: Point, centre: Vector, size: Vector) -> float:
    """Metres on the floor from a place to the nearest point of a box."""
    x, z = place[0] * GRID, place[1] * GRID
    near = [min(max(at, centre[axis] - size[axis] / 2), centre[axis] + size[axis] / 2) for at, axis in ((x, 0), (z, 2))]
    return dist((x, z), near)


def visible_from(scene: Scene, pose: Pose, target: str, world: ThorWorld) -> bool:
    """Whether the metadata of a teleported agent says so, and the whole picture has enough of its pixels."""
    _put(world, pose, scene)
    things = [body for body in scene.objects if body.kind == target and world.visible(body.object_id)]
    if not things:
        return False
    frame = world.frame(SIZE)
    return any(int(frame.mask(body.object_id).sum()) >= PIXELS for body in things)


def _put(world: ThorWorld, pose: Pose, scene: Scene) -> None:
    call: dict[str, Argument] = {
        "position": {"x": pose.x * GRID, "y": scene.agent_y, "z": pose.z * GRID},
        "rotation": 90.0 * pose.rotation,
        "horizon": float(pose.horizon),
    }
    assert world.step(SimulatorAction("TeleportFull", call)).success


def goals_of(scene: Scene, target: str, start: Pose, renderer: Renderer) -> tuple[Scene, Goals]:
    """The scene with the agent elsewhere, and from where a target is visible there."""
    moved = replace(scene, agent=start)
    return moved, Goals(moved, target, renderer)
