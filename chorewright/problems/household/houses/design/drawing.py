"""A house drawn from a seed: plan, shell, furniture, small things, and where the agent starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chorewright.files.json_source import JsonValue
from chorewright.problems.household.houses.design.furnishing import Furnisher
from chorewright.problems.household.houses.design.ground import Ground
from chorewright.problems.household.houses.design.items import Scatterer
from chorewright.problems.household.houses.design.pieces import Unfurnished
from chorewright.problems.household.houses.design.plan import NoHousePlan, PlannedRoom, draw_plan
from chorewright.problems.household.houses.design.rules import HouseRules, between, one_of, rules_of, whole
from chorewright.problems.household.houses.design.shell import HouseShell, build_shell
from chorewright.problems.household.houses.house import AgentStart, House
from chorewright.problems.household.houses.standing import standing_points
from chorewright.problems.household.scene import GRID, Point

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
    rules = rules_of(request.style)
    kinds = one_of(rng, rules.specs[whole(rng, *request.rooms) - 1])
    while True:
        try:
            return _try(kinds, rules, rng)
        except (NoHousePlan, Unfurnished):
            continue


def _try(kinds: Sequence[str], rules: HouseRules, rng: np.random.Generator) -> House:
    """Return a house of rooms of some kinds, the first one that its plan gives.

    Raises:
        NoPlan: There is no plan for them.
        Unfurnished: A room has no place for what it must have.
    """
    unit = round(between(rng, *rules.units), 2)
    rooms = [PlannedRoom(kind, whole(rng, *rules.squares[kind])) for kind in kinds]
    plan = draw_plan(rooms, unit, rng)
    shell = build_shell(plan, rules, rng)
    empty = House(shell.rooms, shell.walls, shell.doors, shell.windows)
    ground = Ground(plan, standing_points(empty))
    furnisher, scatterer = Furnisher(shell, ground, rules, rng), Scatterer(ground, rules, rng)
    furnished = [furnisher.furnish(number) for number in range(len(kinds))]
    for kind, pieces in zip(kinds, furnished, strict=True):
        scatterer.scatter(kind, pieces)
    return House(
        shell.rooms,
        shell.walls,
        shell.doors,
        shell.windows,
        tuple(piece.thing() for pieces in furnished for piece in pieces),
        _start(ground.points(), rng),
        _parameters(shell, rules, rng),
        {"roomSpecId": f"chorewright-{rules.style}-{len(kinds)}", "warnings": {}},
    )


def _start(points: list[Point], rng: np.random.Generator) -> AgentStart:
    x, z = one_of(rng, points)
    return AgentStart((x * GRID, EYES, z * GRID), (0.0, 90.0 * whole(rng, 0, 3), 0.0), 30.0, True)


def _parameters(shell: HouseShell, rules: HouseRules, rng: np.random.Generator) -> dict[str, JsonValue]:
    """Return ceiling, lights and sky, as AI2-THOR needs them."""
    lights: list[JsonValue] = []
    for room in shell.rooms:
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
        "ceilingMaterial": {"name": one_of(rng, rules.ceilings)},
        "floorColliderThickness": 1.0,
        "lights": lights,
        "receptacleHeight": 0.7,
        "reflections": [],
        "skyboxId": one_of(rng, rules.skies),
    }
