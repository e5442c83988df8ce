"""Lowering a block from another: along its side down to the table, in touch all the way.

CALVIN's evaluation sees a block unstacked as soon as it touches no other. Lifted off, it then hangs in the hand, and
a next task that asks for a block on the table can no longer be done. A block that slides over the edge and down the
side of the one below touches the table before it parts from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from chorewright.problems.calvin.states import BLOCK_HEIGHT
from chorewright.replay.calvin.arm import product
from chorewright.replay.calvin.handling import Array, aligned_yaw, extent, from_button, grasp, heading, position
from chorewright.replay.calvin.motion import Hand
from chorewright.replay.calvin.skill_numbers import Numbers

TABLE_TOP = ("table", "base_link")


@dataclass(frozen=True, slots=True)
class Way:
    """How a block comes down: the yaw of the hand, and the horizontal direction (2,), in which no finger is between."""

    yaw: float
    direction: Array


def lower_beside(hand: Hand, numbers: Numbers, name: str, base: str) -> None:
    """Grasp a block that lies on another and lower it beside that one, until it counts as unstacked.

    It may part from the other too early. The hand then holds it above the table.

    Raises:
        Unfit: The hand has closed on nothing.
    """
    way = _way(hand, numbers, name, base)
    grasp(hand, numbers, name, yaw=way.yaw, tilt=0.0)
    descent = _Descent(hand, numbers, name, base, way.direction)
    descent.slide_to_edge()
    descent.go_down()
    if not hand.done:
        hand.go(hand.target.position + numbers.group("lower")["away"] * descent.outward, patience=3)


def _way(hand: Hand, numbers: Numbers, name: str, base: str) -> Way:
    """Choose the way whose end is best on the table; among equals, the one along y, where the arm is steadiest."""
    limits, yaw = numbers.group("lower"), aligned_yaw(hand, name, numbers["neutral_yaw"])
    quarter = yaw + math.copysign(math.pi / 2, numbers["neutral_yaw"] - yaw)
    square = heading(hand, name)[1] < math.pi
    found = []
    for angle in (yaw, quarter) if square else (yaw,):
        for sign in (1.0, -1.0):
            direction = sign * np.array([math.cos(angle), math.sin(angle)])
            end = position(hand, base)[:2] + _apart(hand, name, base, direction) * direction
            off = max(0.0, limits["front"] - end[1]) + 3 * max(0.0, end[1] - limits["back"])
            off += max(0.0, limits["off_button"] - from_button(hand, end))
            found.append((off, abs(float(direction[0])), angle, direction))
    _, _, angle, direction = min(found, key=lambda each: each[:3])
    return Way(angle, direction)


def _apart(hand: Hand, name: str, base: str, direction: Array) -> float:
    """How far apart the middles of two blocks are in a direction when they just touch."""
    return extent(hand, name, direction) + extent(hand, base, direction)


@dataclass(frozen=True, slots=True)
class _Descent:
    """A held block on its way down beside another."""

    hand: Hand
    numbers: Numbers
    name: str
    base: str
    direction: Array

    @property
    def outward(self) -> Array:
        return np.array([*self.direction, 0.0])

    @property
    def gap(self) -> float:
        """How far the block is beyond the other's edge; less than 0 over it."""
        between = position(self.hand, self.name) - position(self.hand, self.base)
        return product(between, self.direction) - _apart(self.hand, self.name, self.base, self.direction)

    @property
    def height(self) -> float:
        """How far the block is above where it lies on the other; less than 0 if it presses, or is beside it."""
        return float((position(self.hand, self.name) - position(self.hand, self.base))[2]) - BLOCK_HEIGHT

    def slide_to_edge(self) -> None:
        """Slide to the edge, pressing so little that the other block stays where it is."""
        way = self.numbers.group("lower")
        self._slide(0.0, int(way["settle"]), lambda: self.height <= -way["touch"])
        self._slide(way["fast"], int(way["most_fast"]), lambda: self.gap >= -way["near"])
        self._slide(way["slow"], int(way["most_slow"]), lambda: self.gap >= -way["over"])

    def _slide(self, step: float, most: int, arrived: Callable[[], bool]) -> None:
        way = self.numbers.group("lower")
        for _ in range(most):
            if arrived() or self.hand.done:
                return
            press = way["press"] if self.gap > -way["edge"] else way["press_far"]
            lower = min(way["correct"], max(-way["correct"], way["gain"] * (self.height + press)))
            x, y, z = self.hand.target.position
            self.hand.go((x + step * self.direction[0], y + step * self.direction[1], z - lower), patience=0)

    def go_down(self) -> None:
        """Go down to the table, leaning on the other block's side; outwards a little when the block is caught on it."""
        way, hand = self.numbers.group("lower"), self.hand
        lowest = hand.world.scene.table_top + way["lowest"]
        above = self._above()
        for _ in range(int(way["most_down"])):
            if hand.done or TABLE_TOP in hand.block(self.name).contacts:
                return
            before, above = above, self._above()
            z = float(hand.target.position[2])
            x, y = hand.tool[:2]
            if above < before - way["slip"]:
                x, y = (x, y) + way["out"] * self.direction
            else:
                x, y = (x, y) - way["in"] * self.direction
                z = max(lowest, z - way["down"])
            hand.go((x, y, z), patience=0)

    def _above(self) -> float:
        """How far the tool is above the block's middle; less when the block has slipped up in the hand."""
        return float(self.hand.tool[2] - position(self.hand, self.name)[2])
