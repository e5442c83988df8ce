"""A snapshot of the table, all about a moment that matters for detecting tasks, and the detector that compares two."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import resources
from typing import SupportsFloat

from chorewright.errors import InputError, Location
from chorewright.problems.calvin.tasks import task

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Contact = tuple[str, str]
"""A body and one of its links, both by name."""

ROBOT = "robot"
"""The robot's name as a body."""

JOINTS = ("base__slide", "base__drawer", "base__button", "base__switch")
"""The table's joints in the order of ``scene_obs``."""

DOORS = JOINTS[:2]


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

    @classmethod
    def of(cls, numbers: Sequence[float], contacts: frozenset[Contact]) -> Block:
        """Return a block of its 13 numbers: position, orientation, linear and angular velocity."""
        x, y, z, a, b, c, d, u, v, w, *turning = numbers
        return cls((x, y, z), (a, b, c, d), (u, v, w), (turning[0], turning[1], turning[2]), contacts)

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

    @staticmethod
    def of(
        doors: Iterable[float], lights: Iterable[float], blocks: Mapping[str, Block], robot_contacts: frozenset[Contact]
    ) -> Snapshot:
        """Return the snapshot of numbers: doors and lights in the order of ``scene_obs``."""
        opened = dict(zip(DOORS, map(float, doors), strict=True))
        return Snapshot(
            opened, dict(zip(("lightbulb", "led"), map(round, lights), strict=True)), blocks, robot_contacts
        )

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
    parts = (("current_pos", 3), ("current_orn", 4), ("current_lin_vel", 3), ("current_ang_vel", 3))
    return Block.of([each for key, length in parts for each in _numbers(entry, key, length, where)], contacts)


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


# The detector: which of the 34 tasks have been done between two snapshots of the table.
#
# The conditions are those of CALVIN's environment: of its ``tasks.py`` rather than the paper's text, where the two
# differ. They look at the first and the last snapshot alone, and every comparison is strict.
# ``data/tabletop_detector.json`` assigns conditions and thresholds to tasks.


Condition = Callable[[Snapshot, Snapshot], bool]

FULL_TURN = 180.0
TILT = 30.0
"""Degrees by which a rotated block must stay below about the two horizontal axes."""
SHIFT = 0.1
"""Metres that a rotated block may move at most."""


def tasks_done(start: Snapshot, end: Snapshot, among: Iterable[str] | None = None) -> frozenset[str]:
    """Return the names of the tasks that have been done between two snapshots.

    Args:
        start: The table before; CALVIN's evaluation takes it at the start of each task.
        end: The table now.
        among: The tasks to look at; by default all 34.

    Raises:
        UsageError: A task is unknown.
    """
    known = _conditions()
    names = known if among is None else [task(name).name for name in among]
    return frozenset(name for name in names if known[name](start, end))


def detected_tasks() -> tuple[str, ...]:
    """Return the names of all tasks that the detector knows, in CALVIN's order."""
    return tuple(_conditions())


@lru_cache(maxsize=1)
def _conditions() -> dict[str, Condition]:
    path = resources.files("chorewright.replay") / "data" / "tabletop_detector.json"
    found: dict[str, Condition] = {}
    for name, entry in json.loads(path.read_text(encoding="utf-8")).items():
        condition = _KINDS[entry.pop("condition")]
        given = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
        found[name] = partial(condition, **given)
    return found


def rotated(start: Snapshot, end: Snapshot, block: str, degrees: float) -> bool:
    """Whether a block was turned by more than some degrees about the vertical, left if they are positive.

    It may neither tilt nor travel, and must at the end touch something that is not the robot.
    """
    before, after = start.blocks[block], end.blocks[block]
    if math.dist(before.position, after.position) > SHIFT or not after.touches - {ROBOT}:
        return False
    x, y, z = turn(before.orientation, after.orientation)
    if degrees < 0:
        z, degrees = -z, -degrees
    return degrees < z < FULL_TURN and abs(x) < TILT and abs(y) < TILT


def pushed(start: Snapshot, end: Snapshot, block: str, metres: float) -> bool:
    """Whether a block moved along x by more than some metres, to the right if they are positive.

    What it rested on at the start, the robot apart, it must rest on at the end.
    """
    before, after = start.blocks[block], end.blocks[block]
    under, now_under = _without_robot(before), _without_robot(after)
    moved_by = after.position[0] - before.position[0]
    return bool(under) and under <= now_under and (moved_by > metres if metres > 0 else moved_by < metres)


def moved(start: Snapshot, end: Snapshot, joint: str, metres: float) -> bool:
    """Whether a door or drawer opened by more than some metres, or closed if they are negative."""
    change = end.doors[joint] - start.doors[joint]
    return change > metres if metres > 0 else change < metres


def lifted(start: Snapshot, end: Snapshot, block: str, metres: float, surface: tuple[str, str]) -> bool:
    """Whether a block that touched a surface has risen by more than some metres in the robot's hand alone."""
    before, after = start.blocks[block], end.blocks[block]
    return surface in before.contacts and after.touches == {ROBOT} and after.position[2] - before.position[2] > metres


def placed(start: Snapshot, end: Snapshot, surface: tuple[str, str]) -> bool:
    """Whether the only block that the robot held lies released on a surface."""
    if len(start.robot_touches) != 1:
        return False
    [held] = start.robot_touches
    if held not in start.blocks or start.blocks[held].touches != {ROBOT}:
        return False
    return ROBOT not in end.blocks[held].touches and surface in end.blocks[held].contacts


def switched(start: Snapshot, end: Snapshot, light: str, before: int, after: int) -> bool:
    """Whether a light went from one state to another."""
    return start.lights[light] == before and end.lights[light] == after


def pushed_into(start: Snapshot, end: Snapshot, before: tuple[str, str], after: tuple[str, str]) -> bool:
    """Whether some block went from one surface to another, touched by the robot at neither time."""
    return any(
        block.contacts == {before} and after in end.blocks[name].contacts and ROBOT not in end.blocks[name].touches
        for name, block in start.blocks.items()
    )


def stacked(start: Snapshot, end: Snapshot, speed: float) -> bool:
    """Whether some block that touched no block now rests on blocks only, slower than a speed."""
    blocks = frozenset(start.blocks)
    return any(
        not block.touches & blocks
        and bool(end.blocks[name].touches)
        and end.blocks[name].touches <= blocks
        and _slow(end.blocks[name], speed)
        for name, block in start.blocks.items()
    )


def unstacked(start: Snapshot, end: Snapshot, speed: float) -> bool:
    """Whether some block that rested on blocks only, slower than a speed, now touches none."""
    blocks = frozenset(start.blocks)
    return any(
        bool(block.touches)
        and block.touches <= blocks
        and _slow(block, speed)
        and not end.blocks[name].touches & blocks
        for name, block in start.blocks.items()
    )


_KINDS: dict[str, Callable[..., bool]] = {
    each.__name__: each for each in (rotated, pushed, moved, lifted, placed, switched, pushed_into, stacked, unstacked)
}


def turn(start: Quaternion, end: Quaternion) -> tuple[float, float, float]:
    """Return the rotation from one orientation to another as Euler angles about fixed x, y, z, in degrees."""
    x, y, z, w = _product(end, (-start[0], -start[1], -start[2], start[3]))
    norm = x * x + y * y + z * z + w * w
    x, y, z, w = (each / math.sqrt(norm) for each in (x, y, z, w))
    about_x = math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    about_y = math.asin(max(-1.0, min(1.0, 2 * (w * y - x * z))))
    about_z = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return math.degrees(about_x), math.degrees(about_y), math.degrees(about_z)


def _product(a: Quaternion, b: Quaternion) -> Quaternion:
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def _without_robot(block: Block) -> frozenset[tuple[str, str]]:
    return frozenset(contact for contact in block.contacts if contact[0] != ROBOT)


def _slow(block: Block, speed: float) -> bool:
    return all(abs(each) < speed for each in (*block.linear_velocity, *block.angular_velocity))
