"""Places in a house: rooms of points, holes of walls."""

from __future__ import annotations

import pytest

from chorewright.problems.household.houses.house import House, HouseRoom, Material, area_with_sign
from chorewright.problems.household.houses.reading import load_house
from tests.problems.household.houses.test_reading import NEW


@pytest.fixture(scope="module")
def house() -> House:
    return load_house(NEW)


@pytest.mark.parametrize(
    ("x", "z", "room"),
    [
        (2.0, 2.0, "room|2"),
        (4.5, 1.0, "room|2"),
        (4.5, 2.9, "room|2"),
        (4.5, 3.1, "room|3"),
        (7.9, 5.9, "room|3"),
        (5.1, 0.1, "room|4"),
        (-0.1, 2.0, None),
        (8.1, 2.0, None),
    ],
)
def test_rooms_of_points(house: House, x: float, z: float, room: str | None) -> None:
    found = house.room_at(x, z)
    assert (found and found.room_id) == room


def test_every_point_is_in_at_most_one_room_and_areas_agree(house: House) -> None:
    step = 0.05
    points = [(step * (x + 0.5), step * (z + 0.5)) for x in range(160) for z in range(120)]
    for room in house.rooms:
        counted = sum(room.contains(x, z) for x, z in points) * step**2
        assert counted == pytest.approx(room.area, abs=0.01)
    assert all(sum(room.contains(x, z) for room in house.rooms) == 1 for x, z in points)


def test_both_sides_of_a_wall_have_the_hole_at_the_same_place(house: House) -> None:
    """Each end of a hole is the same point of the plan, whichever wall it is measured along."""
    walls = {wall.wall_id: wall for wall in house.walls}
    for opening in (*house.doors, *house.windows):
        ends = []
        for name in opening.walls:
            wall = walls[name]
            [hole] = house.holes(wall)
            assert hole.opening_id == opening.opening_id
            assert (hole.bottom, hole.top) == (opening.low[1], opening.high[1])
            (x0, z0), (x1, z1) = wall.start, wall.end
            places = [(x0 + (x1 - x0) * t / wall.length, z0 + (z1 - z0) * t / wall.length) for t in hole_ends(hole)]
            ends.append(sorted((round(x, 6), round(z, 6)) for x, z in places))
        assert ends[0] == ends[1]


def hole_ends(hole: object) -> tuple[float, float]:
    return hole.left, hole.right  # type: ignore[attr-defined]


def test_a_hole_is_in_the_frame_of_the_first_wall(house: House) -> None:
    """The outer door begins 1 m from the living room's south-west corner, from which its wall starts."""
    walls = {wall.wall_id: wall for wall in house.walls}
    [inside] = house.holes(walls["wall|2|0.00|0.00|0.00|6.00"])
    [outside] = house.holes(walls["wall|exterior|0.00|0.00|0.00|6.00"])
    assert (inside.left, inside.right) == pytest.approx((1.0, 2.08))
    assert (outside.left, outside.right) == pytest.approx((3.92, 5.0))


def test_floors_run_clockwise(house: House) -> None:
    assert all(area_with_sign(room.polygon) < 0 for room in house.rooms)
    square = ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))
    assert area_with_sign(square) == 4.0
    assert HouseRoom("room|1", "kitchen", square, Material("Wood")).area == 4.0
