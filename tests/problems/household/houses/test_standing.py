"""Where one can stand in a house, against distances to corners and sides, and steps against walls."""

from __future__ import annotations

from dataclasses import replace
from math import cos, dist, hypot, radians, sin

import networkx as nx
import numpy as np
import pytest

from chorewright.problems.household.houses.assets import assets, turn_box
from chorewright.problems.household.houses.building import solid_walls
from chorewright.problems.household.houses.house import Corner, House, HouseThing
from chorewright.problems.household.houses.reading import load_house
from chorewright.problems.household.houses.standing import standing_points
from chorewright.problems.household.scene import GRID
from tests.problems.household.houses.test_reading import NEW


@pytest.fixture(scope="module")
def house() -> House:
    return load_house(NEW)


def cluttered(house: House, seed: int) -> House:
    """Return a house with chairs, shelves and a painting at random places, turned to any angle, some tilted."""
    rng = np.random.default_rng(seed)
    kinds = ("Chair", "Bed", "Apple", "Painting", "Dresser")
    names = [next(name for name, asset in assets().items() if asset.kind == kind) for kind in kinds]
    things = []
    for number in range(12):
        name = names[number % len(names)]
        height = assets()[name].size[1] / 2 + (1.0 if number % 5 == 3 else 0.0)
        place = (float(rng.uniform(0, 8)), height, float(rng.uniform(0, 6)))
        tilt = float(rng.uniform(-30, 30)) if number % 4 == 0 else 0.0
        things.append(HouseThing(f"x|{number}", name, place, (tilt, float(rng.uniform(0, 360)), 0.0)))
    return replace(house, things=tuple(things))


def outline(thing: HouseThing) -> list[Corner]:
    """Return the corners of a thing's box on the floor, clockwise from above."""
    box = turn_box(thing)
    assert box is not None
    turn, half_width, half_depth = radians(box.yaw), box.size[0] / 2, box.size[2] / 2
    (x, _, z) = box.centre
    return [
        (x + a * cos(turn) + b * sin(turn), z - a * sin(turn) + b * cos(turn))
        for a, b in (
            (-half_width, -half_depth),
            (-half_width, half_depth),
            (half_width, half_depth),
            (half_width, -half_depth),
        )
    ]


def to_segment(place: Corner, start: Corner, end: Corner) -> float:
    dx, dz = end[0] - start[0], end[1] - start[1]
    long = dx * dx + dz * dz
    share = 0.0 if not long else ((place[0] - start[0]) * dx + (place[1] - start[1]) * dz) / long
    share = min(max(share, 0.0), 1.0)
    return hypot(place[0] - start[0] - share * dx, place[1] - start[1] - share * dz)


def to_outline(place: Corner, corners: list[Corner]) -> float:
    sides = list(zip(corners, [*corners[1:], corners[0]], strict=True))
    crosses = [(b[0] - a[0]) * (place[1] - a[1]) - (b[1] - a[1]) * (place[0] - a[0]) for a, b in sides]
    if all(value <= 0 for value in crosses):
        return 0.0
    return min(to_segment(place, a, b) for a, b in sides)


@pytest.mark.parametrize("seed", range(5))
def test_points_keep_a_body_from_walls_and_things(house: House, seed: int) -> None:
    house = cluttered(house, seed)
    found = standing_points(house)
    walls = solid_walls(house)
    boxes = [outline(thing) for thing in house.things if assets()[thing.asset].kind != "Apple"]
    expected = {}
    for x in range(-4, 40):
        for z in range(-4, 30):
            place = (x * GRID, z * GRID)
            room = house.room_at(*place)
            near = [to_segment(place, *wall) for wall in walls] + [to_outline(place, box) for box in boxes]
            if room is not None and min(near) >= 0.2 - 1e-6:
                expected[x, z] = house.rooms.index(room)
    assert found == expected
    assert list(found) == sorted(found)


def test_steps_lead_through_doors_and_never_through_walls(house: House) -> None:
    points = standing_points(house)
    walls = solid_walls(house)
    graph: nx.Graph[tuple[int, int]] = nx.Graph()
    graph.add_nodes_from(points)
    for x, z in points:
        for neighbour in ((x + 1, z), (x, z + 1)):
            if neighbour in points:
                graph.add_edge((x, z), neighbour)
                start, end = (x * GRID, z * GRID), (neighbour[0] * GRID, neighbour[1] * GRID)
                assert not any(crosses(start, end, *wall) for wall in walls)
    main = max(nx.connected_components(graph), key=len)
    assert {points[point] for point in main} == set(range(len(house.rooms)))


def crosses(a: Corner, b: Corner, c: Corner, d: Corner) -> bool:
    def side(start: Corner, end: Corner, place: Corner) -> float:
        return (end[0] - start[0]) * (place[1] - start[1]) - (end[1] - start[1]) * (place[0] - start[0])

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def test_doors_shut_join_nothing(house: House) -> None:
    shut = replace(house, doors=tuple(replace(door, openness=0.0) for door in house.doors))
    lengths = [sum(dist(*wall) for wall in solid_walls(each)) for each in (house, shut)]
    widths = [door.high[0] - door.low[0] for door in house.doors if not door.outside and door.passable]
    assert lengths[1] - lengths[0] == pytest.approx(sum(widths))
    assert widths


def test_a_thing_of_its_own_size_has_its_own_box() -> None:
    own = HouseThing(
        "Sofa|1", "mine", (1.0, 0.5, 1.0), (0.0, 90.0, 0.0), rest={"boundingBox": {"x": 2, "y": 1, "z": 1}}
    )
    box = turn_box(own)
    assert box is not None
    assert (box.size, box.hull) == ((2.0, 1.0, 1.0), (1.0, 1.0, 2.0))
    assert turn_box(replace(own, rest={})) is None
