"""Handling blocks: where a block lies and how it is turned; grasping, carrying, letting go."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from chorewright.files.records import reader_of
from chorewright.problems.calvin.scenes import SceneBlock
from chorewright.problems.calvin.tasks import task
from chorewright.replay.calvin.arm import length, product, rotation_from_quaternion
from chorewright.replay.calvin.motion import Hand, Manner, Point
from chorewright.replay.calvin.snapshot import ROBOT

# The expert's numbers from a data file: waypoints and speeds of each scene, and the skill of each task.


@dataclass(frozen=True, slots=True)
class SkillNumbers:
    """The numbers of one scene: some by their names, some in groups."""

    values: Mapping[str, object]

    def __getitem__(self, name: str) -> float:
        """Return a number that is in no group."""
        return self.single[name]

    @property
    def single(self) -> Mapping[str, float]:
        """The numbers that are in no group."""
        return _numbers(self.values)

    def group(self, name: str) -> Mapping[str, float]:
        """Return the numbers of a group."""
        return _numbers(self._group(name))

    def row(self, group: str, name: str) -> tuple[float, ...]:
        """Return several numbers under one name of a group."""
        row = self._group(group)[name]
        assert isinstance(row, list)
        return tuple(float(value) for value in row)

    def points(self, group: str) -> tuple[tuple[float, float], ...]:
        """Return the waypoints of a group: y from the joint's origin, and height."""
        points = self._group(group)["points"]
        assert isinstance(points, list)
        return tuple((float(across), float(height)) for across, height in points)

    def draw(self, manner: Manner, rng: np.random.Generator) -> SkillNumbers:
        """Return the numbers for one task that is done in a manner; in the usual one nothing is drawn."""
        new: dict[str, object] = {}
        if manner.speeds != (1.0, 1.0):
            share = float(rng.uniform(*manner.speeds))
            new["speed"] = self["speed"] * share
            new["turn_speed"] = min(self["turn_speed"] * share, self["fastest_turn"])
        if not manner.holds:
            new["hold"] = 0
            new["fingers_stop"] = FINGERS_STOP
        if manner.varied:
            for name in self._group("varied"):
                low, high = self.row("varied", name)
                new[name] = self[name] + float(rng.uniform(low, high))
            new["grip"] = int(rng.integers(GRIPS))
        if new or manner.noise:
            new["switch_lean"] = new.get("lean", self["lean"])
        return SkillNumbers({**self.values, **new}) if new else self

    def _group(self, name: str) -> Mapping[str, object]:
        group = self.values[name]
        assert isinstance(group, dict)
        return group


def numbers_for(scene: str) -> SkillNumbers:
    """Return the numbers for a scene's letter."""
    record = _record()
    return SkillNumbers({**record["common"], **record["scenes"].get(scene, {})})


def skill_of(name: str) -> list[str]:
    """Return the name and the arguments of the skill that does a task.

    Raises:
        UsageError: There is no such task.
    """
    skill: list[str] = _record()["tasks"][task(name).name]
    return skill


def _numbers(values: Mapping[str, object]) -> dict[str, float]:
    return {name: value for name, value in values.items() if isinstance(value, int | float)}


_record = reader_of(dict[str, Any], "chorewright.replay", "data/tabletop_skills.json")


Array = npt.NDArray[np.float64]
GRIPS = 4
"""The ways in which a hand may close on a block: along or across it, or nearer to one of its ends."""
FINGERS_STOP = 0.0015
"""Metres a step below which fingers have come to rest, where the hand does not hold."""
HELD_WITHIN = 0.06
"""A block that touches the robot is held if its middle is this near to the tool, in metres."""


class Unfit(Exception):
    """The table does not meet a skill's precondition; the message says which."""


def rise(hand: Hand, numbers: SkillNumbers) -> None:
    """Lift the hand straight up to the height at which it may travel."""
    x, y, z = hand.target.position
    if z < numbers["safe_height"]:
        hand.go((x, y, numbers["safe_height"]), tilt=float(hand.target.angles[1]), patience=2)


def travel(
    hand: Hand, numbers: SkillNumbers, place: Sequence[float], *, yaw: float | None = None, tilt: float = 0.0
) -> None:
    """Rise, and go to a place (x, y) at safe height, turning on the way; by default to the neutral yaw."""
    rise(hand, numbers)
    x, y = place
    goal = (x, y, max(numbers["safe_height"], float(hand.target.position[2])))
    hand.go(goal, yaw=numbers["neutral_yaw"] if yaw is None else yaw, tilt=tilt, patience=3)


def scene_block(hand: Hand, name: str) -> SceneBlock:
    """Return a block's sizes."""
    return next(block for block in hand.world.scene.blocks if block.name == name)


def position(hand: Hand, name: str) -> Array:
    """Return where a block's middle is."""
    return np.array(hand.block(name).position)


def heading(hand: Hand, name: str) -> tuple[float, float]:
    """Return a block's rotation about the vertical, and the turn after which it looks the same to the hand."""
    rotation = rotation_from_quaternion(hand.block(name).orientation)
    along = rotation[:, 0]
    lengths = scene_block(hand, name).lengths
    if abs(along[2]) > 0.7:
        along = rotation[:, 1]
        return math.atan2(along[1], along[0]), math.pi / 2
    same = math.pi / 2 if abs(lengths[0] - lengths[1]) < 1e-6 else math.pi
    return math.atan2(along[1], along[0]), same


def align_yaw(hand: Hand, name: str, near: float) -> float:
    """Return the tool's yaw nearest to a given one at which the fingers close on the block's sides."""
    angle, same = heading(hand, name)
    return angle + same * round((near - angle) / same)


def extent(hand: Hand, name: str, direction: Sequence[float] | Array) -> float:
    """Return how far a block extends from its middle in a horizontal direction."""
    angle, _ = heading(hand, name)
    length, width, _ = scene_block(hand, name).lengths
    along = abs(math.cos(angle) * direction[0] + math.sin(angle) * direction[1])
    across = abs(math.cos(angle) * direction[1] - math.sin(angle) * direction[0])
    return float(along * length + across * width) / 2


def grasp(hand: Hand, numbers: SkillNumbers, name: str, *, yaw: float, tilt: float) -> None:
    """Open the hand, come down over a block and close on it.

    The open fingers keep off the button, and off its collar.

    Raises:
        Unfit: The hand has closed on nothing.
    """
    hand.open()
    x, y, _ = position(hand, name)
    travel(hand, numbers, (x, y), yaw=_grip(hand, numbers, name, yaw)[0], tilt=tilt)
    yaw, x, y = _grip(hand, numbers, name, yaw)
    z = float(position(hand, name)[2])
    height = numbers["grasp_height"]
    if z < hand.world.scene.table_top + numbers["put_down_height"] and over_collar(hand, numbers, (x, y), yaw):
        height = numbers.group("off_button")["height"]
    hand.go((x, y, z + numbers["grasp_above"]), yaw=yaw, tilt=tilt, patience=2)
    hand.go((x, y, z + height), yaw=yaw, tilt=tilt)
    hand.hold(numbers["hold"])
    hand.close(int(numbers["grip_steps"]))
    if ROBOT not in hand.block(name).touches:
        raise Unfit("the block was not grasped")


def grasp_aligned(hand: Hand, numbers: SkillNumbers, name: str) -> float:
    """Grasp a block along the sides that are nearest to the hand's usual yaw, leaning; return the yaw."""
    yaw = align_yaw(hand, name, numbers["neutral_yaw"])
    grasp(hand, numbers, name, yaw=yaw, tilt=numbers["lean"])
    return yaw


def from_button(hand: Hand, place: Sequence[float] | Array) -> float:
    """Return how far a place (x, y) is from the middle of the button."""
    return math.dist(hand.world.scene.joints["base__button"].origin[:2], place[:2])


def over_collar(hand: Hand, numbers: SkillNumbers, place: Sequence[float], yaw: float) -> bool:
    """Whether a finger of the open hand at a place (x, y) comes down on the button's collar."""
    button, reach = hand.world.scene.joints["base__button"].origin, numbers.group("off_button")["collar"]
    return any(max(abs(x - button[0]), abs(y - button[1])) < reach for x, y in _open_fingers(numbers, place, yaw))


def _open_fingers(numbers: SkillNumbers, place: Sequence[float] | Array, yaw: float) -> list[tuple[float, float]]:
    """Where the fingers of the open hand are when its middle is at a place (x, y)."""
    half = numbers.group("off_button")["finger"]
    across = (half * math.sin(yaw), -half * math.cos(yaw))
    return [(float(place[0]) + side * across[0], float(place[1]) + side * across[1]) for side in (-1, 1)]


def _grip(hand: Hand, numbers: SkillNumbers, name: str, yaw: float) -> tuple[float, float, float]:
    """Return the yaw and the place (x, y) at which to grasp a block so that no finger presses the button.

    At the given yaw if that can be; else a quarter turn from it, where the wide hand must keep off the door, or
    nearer to one end of a long block.
    """
    way, lengths = numbers.group("off_button"), scene_block(hand, name).lengths
    quarter = yaw + math.copysign(math.pi / 2, numbers["neutral_yaw"] - yaw)
    grips = [(yaw, 0.0)]
    if max(lengths[:2]) <= way["widest"] and position(hand, name)[1] <= way["crosswise"]:
        grips.append((quarter, 0.0))
    end = max(lengths[:2]) / 2 - way["end"]
    grips += [(yaw, end), (yaw, -end)] if end > 0 else []
    first = int(numbers["grip"]) % len(grips)
    found = [(angle, *_grip_at(hand, numbers, name, angle, along)) for angle, along in grips[first:] + grips[:first]]
    for angle, x, y in found:
        if all(from_button(hand, each) > way["clear"] for each in _open_fingers(numbers, (x, y), angle)):
            return angle, x, y
    return found[0]


def _grip_at(hand: Hand, numbers: SkillNumbers, name: str, yaw: float, along: float) -> tuple[float, float]:
    """Where the open hand comes down on a block, so far along it from its middle."""
    x, y, _ = position(hand, name)
    aside = _aside(hand, numbers, name, yaw)
    return (
        float(x + aside * math.sin(yaw) + along * math.cos(yaw)),
        float(y - aside * math.cos(yaw) + along * math.sin(yaw)),
    )


def _aside(hand: Hand, numbers: SkillNumbers, name: str, yaw: float) -> float:
    """How far the open hand keeps off a block's middle, across it, so that no finger comes down on another.

    The fingers close on both sides alike, so the block then moves to the middle of the hand.
    """
    way = numbers.group("aside")
    place, across = position(hand, name), np.array([math.sin(yaw), -math.cos(yaw)])
    along = np.array([math.cos(yaw), math.sin(yaw)])
    shift = 0.0
    for other in hand.now.blocks:
        offset = position(hand, other) - place
        beside, ahead = product(offset, across), product(offset, along)
        apart = extent(hand, name, along) + extent(hand, other, along)
        if other == name or abs(offset[2]) > way["height"] or abs(ahead) > apart:
            continue
        gap = abs(beside) - extent(hand, other, across) - extent(hand, name, across)
        if gap < way["finger"]:
            shift -= math.copysign(min(way["finger"] - gap, way["most"]), beside)
    button = np.array(hand.world.scene.joints["base__button"].origin) - place
    beside, ahead = product(button, across), product(button, along)
    if (
        abs(button[2]) < numbers.group("off_button")["near_height"]
        and abs(ahead) < numbers.group("off_button")["ahead"]
    ):
        gap = abs(beside) - numbers.group("off_button")["radius"] - extent(hand, name, across)
        if gap < way["finger"]:
            shift -= math.copysign(min(way["finger"] - gap, way["most"]), beside)
    return max(-way["most"], min(way["most"], shift))


def let_go(hand: Hand, numbers: SkillNumbers) -> None:
    """Open the hand and draw it back along the tool without dragging anything along."""
    hand.hold(numbers["hold"])
    hand.open(int(numbers["open_steps"]))
    tilt, yaw = float(hand.target.angles[1]), float(hand.target.angles[2])
    back = np.array([math.cos(yaw) * math.sin(tilt), math.sin(yaw) * math.sin(tilt), math.cos(tilt)])
    hand.go(hand.target.position + numbers["grasp_above"] * back, tilt=tilt, patience=2)


def block_in_hand(hand: Hand) -> str:
    """Return the block in the hand.

    Raises:
        Unfit: There is none.
    """
    near = {
        name: length(position(hand, name) - hand.tool)
        for name, block in hand.now.blocks.items()
        if ROBOT in block.touches
    }
    if not near or min(near.values()) > HELD_WITHIN:
        raise Unfit("no block is in the hand")
    return min(near, key=lambda name: (near[name], name))


def carry(hand: Hand, name: str, goal: Point, *, yaw: float | None = None, patience: int = 12) -> None:
    """Move the hand so that the middle of the held block comes to a point; the tool keeps its tilt."""
    shift = position(hand, name) - hand.tool
    hand.go(np.asarray(goal) - shift, yaw=yaw, tilt=float(hand.target.angles[1]), patience=patience)


def lay_down(hand: Hand, numbers: SkillNumbers, name: str, place: Sequence[float]) -> None:
    """Set the held block down on the table at a place (x, y), let go and rise."""
    x, y = place
    height = numbers["safe_height"]
    carry(
        hand,
        name,
        (x, y, max(float(position(hand, name)[2]), hand.world.scene.table_top + numbers["carry_height"])),
        patience=4,
    )
    carry(hand, name, (x, y, hand.world.scene.table_top + numbers["put_down_height"]))
    let_go(hand, numbers)
    if hand.target.position[2] < height:
        rise(hand, numbers)


def free_spot(hand: Hand, numbers: SkillNumbers, name: str, near: Sequence[float]) -> tuple[float, float]:
    """Return the free place on the table nearest to a given one, clear of blocks and the button.

    Raises:
        Unfit: There is none.
    """
    apart = numbers.group("spots")
    button = hand.world.scene.joints["base__button"].origin
    others = [position(hand, other)[:2] for other in hand.now.blocks if other != name]
    free = [
        (math.dist((x, y), near), x, y)
        for x in numbers.row("spots", "x")
        for y in numbers.row("spots", "y")
        if _apart((x, y), others, apart["apart"]) and _apart((x, y), [button[:2]], apart["button_apart"])
    ]
    if not free:
        raise Unfit("there is no free place on the table")
    _, x, y = min(free)
    return x, y


def _apart(place: Sequence[float], others: Iterable[Sequence[float] | Array], distance: float) -> bool:
    return all(math.dist(place, other) >= distance for other in others)
