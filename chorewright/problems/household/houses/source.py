"""Houses of a seed: how they are drawn, whether they are sound, and their names (``house:7`` is that of seed 7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import cos, radians, sin

import numpy as np
import numpy.typing as npt

from chorewright.errors import UsageError
from chorewright.files.json_source import JsonValue
from chorewright.problems.household.free_space import largest_component
from chorewright.problems.household.houses.assets import TurnedBox, assets, kind_of, thing_parts, turn_box
from chorewright.problems.household.houses.design import rules
from chorewright.problems.household.houses.design.furnishing import Furnisher
from chorewright.problems.household.houses.design.ground import Ground
from chorewright.problems.household.houses.design.items import Scatterer
from chorewright.problems.household.houses.design.pieces import Unfurnished
from chorewright.problems.household.houses.design.plan import NoHousePlan, PlannedRoom, draw_plan
from chorewright.problems.household.houses.design.shell import HouseShell, build_shell
from chorewright.problems.household.houses.house import AgentStart, House, HouseThing
from chorewright.problems.household.houses.standing import standing_points
from chorewright.problems.household.scene import GENERATED, GRID, Point, is_house_name
from chorewright.problems.household.sight import REACH

# A house drawn from a seed: plan, shell, furniture, small things, and where the agent starts.


EYES = 0.95
"""The height of the agent in house files, in metres."""


@dataclass(frozen=True, slots=True)
class HouseRequest:
    """What houses are drawn: how many rooms they have, least and most, and their style."""

    rooms: tuple[int, int] = (1, 10)
    style: str = "rich"


DEFAULT = HouseRequest()


def draw_house(rng: np.random.Generator, request: HouseRequest = DEFAULT) -> House:
    """Return a house.

    A plan that leaves no place for what a room must have is drawn again.
    """
    given = rules.rules_of(request.style)
    kinds = rules.one_of(rng, given.specs[rules.whole(rng, *request.rooms) - 1])
    while True:
        try:
            return _try(kinds, given, rng)
        except (NoHousePlan, Unfurnished):
            continue


def _try(kinds: Sequence[str], given: rules.HouseRules, rng: np.random.Generator) -> House:
    """Return a house of rooms of some kinds, the first one that its plan gives.

    Raises:
        NoPlan: There is no plan for them.
        Unfurnished: A room has no place for what it must have.
    """
    unit = round(rules.between(rng, *given.units), 2)
    rooms = [PlannedRoom(kind, rules.whole(rng, *given.squares[kind])) for kind in kinds]
    plan = draw_plan(rooms, unit, rng)
    shell = build_shell(plan, given, rng)
    ground = Ground(plan, standing_points(shell.house))
    furnisher, scatterer = Furnisher(shell, ground, given, rng), Scatterer(ground, given, rng)
    furnished = [furnisher.furnish(number) for number in range(len(kinds))]
    for kind, pieces in zip(kinds, furnished, strict=True):
        scatterer.scatter(kind, pieces)
    return replace(
        shell.house,
        things=tuple(piece.thing() for pieces in furnished for piece in pieces),
        agent=_start(ground.points(), rng),
        parameters=_parameters(shell, given, rng),
        metadata={"roomSpecId": f"chorewright-{given.style}-{len(kinds)}", "warnings": {}},
    )


def _start(points: list[Point], rng: np.random.Generator) -> AgentStart:
    x, z = rules.one_of(rng, points)
    return AgentStart((x * GRID, EYES, z * GRID), (0.0, 90.0 * rules.whole(rng, 0, 3), 0.0), 30.0, True)


def _parameters(shell: HouseShell, given: rules.HouseRules, rng: np.random.Generator) -> dict[str, JsonValue]:
    """Return ceiling, lights and sky, as AI2-THOR needs them."""
    lights: list[JsonValue] = []
    for room in shell.house.rooms:
        x = sum(corner[0] for corner in room.polygon) / len(room.polygon)
        z = sum(corner[1] for corner in room.polygon) / len(room.polygon)
        lights.append(
            {
                "id": f"light_{room.room_id.split('|')[1]}",
                "type": "point",
                "position": {"x": round(x, 3), "y": round(shell.height - 0.2, 3), "z": round(z, 3)},
                "intensity": 0.75,
                "range": 15.0,
                "rgb": {"r": 1.0, "g": 0.855, "b": 0.722},
            }
        )
    return {
        "ceilingMaterial": {"name": rules.one_of(rng, given.ceilings)},
        "floorColliderThickness": 1.0,
        "lights": lights,
        "receptacleHeight": 0.7,
        "reflections": [],
        "skyboxId": rules.one_of(rng, given.skies),
    }


# Whether a house is sound: all can be walked to and reached, nothing overlaps, and nothing needed is missing.


DEEP = 0.002
"""Metres by which boxes may seem to overlap."""

Rows = npt.NDArray[np.float64]

NOTHING: Mapping[str, Sequence[str]] = {}
"""Nothing is needed."""


def house_problems(house: House, needs: Mapping[str, Sequence[str]] = NOTHING) -> tuple[str, ...]:
    """Return what is wrong with a house, a sentence each; nothing if it is sound.

    Args:
        house: The house.
        needs: The kinds of things that rooms must have, by kind of room.
    """
    points = standing_points(house)
    return (
        *_check_walking(house, points),
        *_check_reach(house, points),
        *_apart(house),
        *_inside(house),
        *_check_needs(house, needs),
    )


def _check_walking(house: House, points: Mapping[Point, int]) -> Iterator[str]:
    """Check that all places where one can stand are connected, that all rooms have some, and the start is one."""
    joined = largest_component(points.keys())
    if len(joined) < len(points):
        yield f"{len(points) - len(joined)} of {len(points)} places cannot be walked to from the others"
    for number, room in enumerate(house.rooms):
        if not any(points[point] == number for point in joined):
            yield f"nobody can stand in {room.room_id}"
    start = house.agent
    if start is not None:
        place = (round(start.position[0] / GRID), round(start.position[2] / GRID))
        if place not in joined:
            yield "the agent starts where nobody can stand"


def _check_reach(house: House, points: Mapping[Point, int]) -> Iterator[str]:
    """Check that each receptacle is near a place in its room where one can stand."""
    numbers = np.array(list(points.values()))
    standing = np.array(list(points), np.float64).reshape(-1, 2) * GRID
    places = [standing[numbers == number] for number in range(len(house.rooms))]
    rooms = {room.room_id: number for number, room in enumerate(house.rooms)}
    for name, box in _receptacles(house):
        room = house.room_at(box.centre[0], box.centre[2])
        if room is None:
            yield f"{name} is in no room"
        elif _distance(places[rooms[room.room_id]], box) > REACH:
            yield f"{name} is out of reach"


def _receptacles(house: House) -> Iterator[tuple[str, TurnedBox]]:
    """Yield the boxes of furniture that holds things, and of all parts."""
    for thing in house.all_things():
        asset, box = assets().get(thing.asset), turn_box(thing)
        if box is not None and asset is not None and "Receptacle" in asset.properties and asset.primary != "CanPickup":
            yield thing.thing_id, box
        for part in thing_parts(thing):
            yield part.part_id, TurnedBox(part.position, part.size, part.yaw % 360)


def _distance(places: Rows, box: TurnedBox) -> float:
    """Return how far the nearest of several places is from a box, in the plane."""
    turn = radians(box.yaw)
    away = places - (box.centre[0], box.centre[2])
    across = np.abs(away[:, 0] * cos(turn) - away[:, 1] * sin(turn)) - box.size[0] / 2
    along = np.abs(away[:, 0] * sin(turn) + away[:, 1] * cos(turn)) - box.size[2] / 2
    return float(np.hypot(np.maximum(across, 0.0), np.maximum(along, 0.0)).min(initial=np.inf))


def _apart(house: House) -> Iterator[str]:
    """Check that no furniture overlaps."""
    boxes = [(thing, box) for thing in house.things if (box := turn_box(thing)) is not None]
    if not boxes:
        return
    hulls = np.array([[*box.centre, *box.hull] for _, box in boxes])
    gaps = np.abs(hulls[:, None, :3] - hulls[None, :, :3]) - (hulls[:, None, 3:] + hulls[None, :, 3:]) / 2
    for first, second in np.argwhere(np.triu((gaps < -DEEP).all(axis=2), 1)):
        (one, box), (other, its) = boxes[first], boxes[second]
        if (box.yaw % 90 == 0 and its.yaw % 90 == 0) or _overlap(box, its):
            yield f"{one.thing_id} and {other.thing_id} overlap"


def _overlap(one: TurnedBox, other: TurnedBox) -> bool:
    """Whether two boxes whose hulls overlap do so themselves: no side of either separates their corners."""
    for box in (one, other):
        turn = radians(box.yaw)
        for dx, dz in ((cos(turn), -sin(turn)), (sin(turn), cos(turn))):
            (low, high), (its_low, its_high) = (
                (min(at), max(at)) for at in ([x * dx + z * dz for x, z in _corners(each)] for each in (one, other))
            )
            if low >= its_high - DEEP or its_low >= high - DEEP:
                return False
    return True


def _corners(box: TurnedBox) -> list[tuple[float, float]]:
    turn = radians(box.yaw)
    c, s, width, depth = cos(turn), sin(turn), box.size[0] / 2, box.size[2] / 2
    x, _, z = box.centre
    return [(x + c * a * width + s * b * depth, z - s * a * width + c * b * depth) for a in (-1, 1) for b in (-1, 1)]


def _inside(house: House) -> Iterator[str]:
    """Check that furniture is wholly in one room."""
    for thing in house.things:
        box = turn_box(thing)
        room = house.room_at(thing.position[0], thing.position[2])
        if room is None:
            yield f"{thing.thing_id} is in no room"
        elif box is not None and not all(room.contains(x, z) for x, z in _corners(box)):
            yield f"{thing.thing_id} sticks out of {room.room_id}"


def _check_needs(house: House, needs: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Check that each room has what such rooms need."""
    for room in house.rooms:
        wanted = needs.get(room.kind, ())
        if not wanted:
            continue
        here = {
            kind
            for thing in house.things
            if room.contains(thing.position[0], thing.position[2])
            for kind in _kinds(thing)
        }
        for kind in wanted:
            if kind not in here:
                yield f"{room.room_id} has no {kind}"


def _kinds(thing: HouseThing) -> Iterator[str | None]:
    for each in thing.walk():
        yield kind_of(each.asset, each.thing_id)
        for part in thing_parts(each):
            yield part.kind


LARGEST_SEED = 2**63 - 1


def generated_house(seed: int, request: HouseRequest = DEFAULT) -> House:
    """Return the house of a seed, which is sound: ``house_problems`` finds nothing wrong with it.

    The same seed and request give the same house, on every machine.
    """
    rng = generator_of_house(seed, request.style)
    needs = rules.rules_of(request.style).needs
    while True:
        house = draw_house(rng, request)
        if not house_problems(house, needs):
            return house


def generator_of_house(seed: int, style: str = DEFAULT.style) -> np.random.Generator:
    """Return the random generator from which the house of a seed is drawn."""
    return rules.generator_of(f"house {style}", seed)


def house_seed(name: str) -> int:
    """Return the seed of a house's name.

    Raises:
        UsageError: It is no such name.
    """
    digits = name.removeprefix(GENERATED)
    if not is_house_name(name) or not (digits.isascii() and digits.isdecimal()) or int(digits) > LARGEST_SEED:
        raise UsageError(f"there is no house {name!r}", hint=f"a generated house is {GENERATED}SEED: {GENERATED}7")
    return int(digits)


@lru_cache(maxsize=64)
def named_house(name: str) -> House:
    """Return the house of a name like ``house:7``: of 1 to 10 rooms, in the style that all tasks can be done in.

    Raises:
        UsageError: There is no such house.
    """
    return generated_house(house_seed(name))
