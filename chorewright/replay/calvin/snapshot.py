"""A snapshot of the table: everything about one moment that matters for detecting tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import SupportsFloat

from chorewright.errors import InputError, Location

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Contact = tuple[str, str]
"""A body and one of its links, both by name."""

ROBOT = "robot"
"""The robot's name as a body."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block at one moment.

    Attributes:
        position: Metres, in the world's frame.
        orientation: Quaternion (x, y, z, w).
        linear_velocity: Metres a second.
        angular_velocity: Radians a second.
        contacts: The bodies and links that touch it; ``("robot", ...)`` among them when the robot does.
    """

    position: Vector
    orientation: Quaternion
    linear_velocity: Vector
    angular_velocity: Vector
    contacts: frozenset[Contact]

    @property
    def touches(self) -> frozenset[str]:
        """The bodies that touch it."""
        return frozenset(body for body, _ in self.contacts)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The table at one moment.

    Attributes:
        doors: Metres by which ``base__slide`` and ``base__drawer`` stand open.
        lights: 0 or 1 for ``lightbulb`` and ``led``.
        blocks: ``block_red``, ``block_blue`` and ``block_pink``.
        robot_contacts: The bodies and links that the robot touches.
    """

    doors: Mapping[str, float]
    lights: Mapping[str, int]
    blocks: Mapping[str, Block]
    robot_contacts: frozenset[Contact]

    @property
    def robot_touches(self) -> frozenset[str]:
        """The bodies that the robot touches."""
        return frozenset(body for body, _ in self.robot_contacts)


def from_calvin_env(info: Mapping[str, object]) -> Snapshot:
    """Return the snapshot in the ``info`` that calvin_env's ``step`` and ``get_info`` give.

    Bodies and links get their names from the info itself; a body that it does not name, such as the floor,
    is called by its number.

    Raises:
        InputError: The info lacks a part; the error names it.
    """
    scene = _part(info, "scene_info", "$")
    robot = _part(info, "robot_info", "$")
    fixed = _part(scene, "fixed_objects", "$.scene_info")
    movable = _part(scene, "movable_objects", "$.scene_info")
    bodies = {int(_number(robot, "uid", "$.robot_info")): ROBOT}
    links: dict[tuple[str, int], str] = {}
    for group, objects in (("fixed_objects", fixed), ("movable_objects", movable)):
        for name in objects:
            entry = _part(objects, name, f"$.scene_info.{group}")
            bodies[int(_number(entry, "uid", f"$.scene_info.{group}.{name}"))] = name
            named = entry.get("links")
            if isinstance(named, Mapping):
                links.update({(name, int(number)): str(link) for link, number in named.items()})

    def contacts(of: Mapping[str, object], where: str) -> frozenset[Contact]:
        rows = of.get("contacts")
        if not isinstance(rows, list | tuple) or not all(isinstance(row, list | tuple) for row in rows):
            raise InputError("calvin_env's info lacks 'contacts'", location=Location(json_path=where))
        # PyBullet's rows: the second body is the third number, its link the fifth.
        pairs = [(bodies.get(int(row[2]), f"body_{row[2]}"), int(row[4])) for row in rows]
        return frozenset((body, links.get((body, link), f"link_{link}")) for body, link in pairs)

    doors, lights = (_part(scene, each, "$.scene_info") for each in ("doors", "lights"))
    where = "$.scene_info.movable_objects"
    return Snapshot(
        doors={name: _value(doors, name, "current_state", "$.scene_info.doors") for name in doors},
        lights={name: int(_value(lights, name, "logical_state", "$.scene_info.lights")) for name in lights},
        blocks={
            name: _block(entry, contacts(entry, f"{where}.{name}"), f"{where}.{name}")
            for name, entry in ((name, _part(movable, name, where)) for name in movable)
        },
        robot_contacts=contacts(robot, "$.robot_info"),
    )


def _block(entry: Mapping[str, object], contacts: frozenset[Contact], where: str) -> Block:
    position, orientation, linear, angular = (
        _numbers(entry, key, length, where)
        for key, length in (
            ("current_pos", 3),
            ("current_orn", 4),
            ("current_lin_vel", 3),
            ("current_ang_vel", 3),
        )
    )
    return Block(
        position=(position[0], position[1], position[2]),
        orientation=(orientation[0], orientation[1], orientation[2], orientation[3]),
        linear_velocity=(linear[0], linear[1], linear[2]),
        angular_velocity=(angular[0], angular[1], angular[2]),
        contacts=contacts,
    )


def _part(record: Mapping[str, object], key: str, where: str) -> Mapping[str, object]:
    value = record.get(key)
    if not isinstance(value, Mapping):
        raise InputError(f"calvin_env's info lacks {key!r}", location=Location(json_path=where))
    return value


def _value(record: Mapping[str, object], name: str, key: str, where: str) -> float:
    return _number(_part(record, name, where), key, f"{where}.{name}")


def _number(record: Mapping[str, object], key: str, where: str) -> float:
    value = record.get(key)
    if not isinstance(value, SupportsFloat):
        raise InputError(f"calvin_env's info lacks the number {key!r}", location=Location(json_path=where))
    return float(value)


def _numbers(record: Mapping[str, object], key: str, length: int, where: str) -> list[float]:
    value = record.get(key)
    numbers = [each for each in value if isinstance(each, SupportsFloat)] if isinstance(value, Iterable) else []
    if len(numbers) != length:
        raise InputError(f"{key!r} of calvin_env's info must be {length} numbers", location=Location(json_path=where))
    return [float(each) for each in numbers]
