"""The detector: which of the 34 tasks have been done between two snapshots of the table.

The conditions are those of CALVIN's environment: of its ``tasks.py`` rather than the paper's text, where the two
differ. They look at the first and the last snapshot alone, and every comparison is strict.
``data/tabletop_detector.json`` assigns conditions and thresholds to tasks.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from importlib import resources

from chorewright.errors import UsageError
from chorewright.replay.calvin.snapshot import ROBOT, Block, Quaternion, Snapshot

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
    names = known if among is None else tuple(among)
    for name in names:
        if name not in known:
            raise UsageError(f"there is no tabletop task {name!r}", hint="'chorewright tasks' lists them")
    return frozenset(name for name in names if known[name](start, end))


def detected_tasks() -> tuple[str, ...]:
    """Return the names of all tasks that the detector knows, in CALVIN's order."""
    return tuple(_conditions())


@lru_cache(maxsize=1)
def _conditions() -> dict[str, Condition]:
    path = resources.files("chorewright.replay") / "data" / "tabletop_detector.json"
    found: dict[str, Condition] = {}
    for task, entry in json.loads(path.read_text(encoding="utf-8")).items():
        condition = _KINDS[entry.pop("condition")]
        given = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
        found[task] = partial(condition, **given)
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
