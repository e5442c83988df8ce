"""Pictures in houses: what one sees lies behind no wall, checked on the plan, pixel by pixel."""

from __future__ import annotations

import numpy as np
import pytest

from chorewright.problems.household.houses.house import House
from chorewright.problems.household.houses.scenes import house_scene
from chorewright.problems.household.houses.source import named_house
from chorewright.problems.household.scene import GRID, Scene
from chorewright.replay.household.pixels import house_shell
from chorewright.replay.household.pixels.camera import Camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.pointing import point_at
from chorewright.replay.simulator import Frame

SIZE = 60
Segment = tuple[tuple[float, float], tuple[float, float]]


def views(house: House, scene: Scene, count: int) -> list[Camera]:
    """Return views from places where one can stand, some in each room."""
    rng = np.random.default_rng(len(scene.grid))
    found = []
    for room in house.rooms:
        places = [(x * GRID, z * GRID) for x, z in scene.grid if room.contains(x * GRID, z * GRID)]
        for x, z in (places[int(each)] for each in rng.integers(len(places), size=count)):
            found.append(Camera((x, scene.agent_y + 0.675, z), float(rng.integers(4)) * 90, 30.0, 90.0, SIZE, SIZE))
    return found


def solid(house: House) -> list[Segment]:
    """Return the walls on the plan, cut where frames and open doors are."""
    passages = {
        door.opening_id for door in house.doors if door.rooms[0] != door.rooms[1] and door.openness in (None, 1)
    }
    found = []
    for wall in house.walls:
        if wall.empty or wall.room_id == "exterior":
            continue
        free = sorted((hole.left, hole.right) for hole in house.holes(wall) if hole.opening_id in passages)
        begin = 0.0
        for left, right in (*free, (wall.length, wall.length)):
            if left - begin > 0.01:
                found.append((wall.at(begin), wall.at(left)))
            begin = right
    return found


def crosses(one: Segment, other: Segment) -> bool:
    """Return whether two segments cross, each in the other's inside."""

    def side(segment: Segment, place: tuple[float, float]) -> float:
        (ax, az), (bx, bz) = segment
        return (bx - ax) * (place[1] - az) - (bz - az) * (place[0] - ax)

    return side(one, other[0]) * side(one, other[1]) < 0 and side(other, one[0]) * side(other, one[1]) < 0


@pytest.mark.parametrize("name", ["house:1", "house:2", "house:5"])
def test_nothing_is_seen_through_a_wall(name: str) -> None:
    house = named_house(name)
    scene = house_scene(house, name)
    renderer, walls = Renderer(), solid(house)
    rng = np.random.default_rng(1)
    rooms_seen = set()
    for camera in views(house, scene, 2):
        frame = renderer.frame(scene, camera)
        here = (camera.position[0], camera.position[2])
        for row, column in rng.integers(SIZE, size=(60, 2)):
            point = point_at(frame, camera, (int(row), int(column)))
            assert point is not None, "a house is closed"
            distance = float(np.hypot(point[0] - here[0], point[2] - here[1]))
            share = max(0.0, 1 - 0.06 / max(distance, 0.06))
            there = (here[0] + share * (point[0] - here[0]), here[1] + share * (point[2] - here[1]))
            assert not any(crosses((here, there), wall) for wall in walls), (name, here, point)
            room, own = house.room_at(*there), house.room_at(*here)
            if room is not None and own is not None:
                rooms_seen.add(room.room_id == own.room_id)
    assert rooms_seen == {True, False}, "one sees other rooms, too: through their doors"


def test_masks_are_those_of_pictures() -> None:
    house = named_house("house:3")
    scene = house_scene(house, "house:3")
    renderer = Renderer()
    seen = 0
    for camera in views(house, scene, 1):
        frame: Frame = renderer.frame(scene, camera)
        for number in np.unique(frame.instances)[:12]:
            if number >= 0 and any(body.object_id == frame.names[number] for body in scene.objects):
                mask = renderer.masks.mask(scene, camera, frame.names[number])
                assert (mask == (frame.instances == number)).all(), frame.names[number]
                seen += 1
    assert seen > 20


def test_rooms_have_floors_of_their_own() -> None:
    house = named_house("house:4")
    scene = house_scene(house, "house:4")
    renderer = Renderer()
    for room in house.rooms:
        spots = [(x, z) for x, z in scene.grid if room.contains(x * GRID, z * GRID)]
        for x, z in spots[:: max(1, len(spots) // 6)]:
            frame = renderer.frame(scene, Camera((x * GRID, room.level + 1.5, z * GRID), 0.0, 89.0, 20.0, 11, 11))
            name = frame.names[int(frame.instances[5, 5])]
            if name.startswith("Floor"):
                assert name == f"Floor|{room.room_id}"


@pytest.mark.parametrize(
    "corners",
    [
        [(0, 0), (0.5, 0), (0, 0.5)],
        [(0, 0), (3, 0), (3, 2), (0, 2)],
        [(0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (0, 3)],
        [(0, 0), (6, 0), (6, 3), (5, 3), (5, 1), (3, 1), (3, 2), (2, 2), (2, 1), (1, 1), (1, 4), (0, 4)],
        [(0, 0), (1, 0), (2, 0), (2, 2), (0, 2), (0, 1)],
    ],
)
def test_floors_are_cut_into_triangles_that_cover_them_once(corners: list[tuple[float, float]]) -> None:
    rng = np.random.default_rng(0)
    samples = rng.uniform(0, 6, (400, 2))
    polygon = np.array(corners, float)
    for turn in range(len(corners)):
        for order in (1, -1):
            given = np.roll(polygon, turn, axis=0)[::order]
            found = np.array(list(house_shell._triangles([(float(x), float(z)) for x, z in given])))
            covering = sum(_in_polygon(samples, triangle).astype(int) for triangle in found)
            assert (covering == _in_polygon(samples, polygon)).all()
            first, second = found[:, 1] - found[:, 0], found[:, 2] - found[:, 0]
            assert (first[:, 0] * second[:, 1] > first[:, 1] * second[:, 0]).all()  # seen from above, anticlockwise


def _in_polygon(points: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    """Whether points are in a polygon: a ray from there crosses its edges an odd number of times."""
    inside = np.zeros(len(points), np.bool_)
    for (x0, z0), (x1, z1) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        if z0 != z1:
            between = (points[:, 1] >= min(z0, z1)) & (points[:, 1] < max(z0, z1))
            inside ^= between & (points[:, 0] < x0 + (points[:, 1] - z0) * (x1 - x0) / (z1 - z0))
    return inside
