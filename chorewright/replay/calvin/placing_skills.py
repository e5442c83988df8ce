"""The skills that put a held block down: on the shelf behind the door, in the drawer, on another block."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from chorewright.problems.calvin.scenes import BLOCK_HEIGHT
from chorewright.replay.calvin import handling
from chorewright.replay.calvin.arm import product
from chorewright.replay.calvin.motion import Hand


def place_on_shelf(hand: Hand, numbers: handling.SkillNumbers) -> None:
    """Put the held block into the compartment that the door leaves open."""
    way = numbers.group("shelf_place")
    name = handling.block_in_hand(hand)
    x = _free_on_shelf(hand, numbers, name)
    shelf = hand.world.scene.compartment_spots["slider_left"][2]
    _turn_hand(hand, numbers, (x, way["enter"] - way["before"]))
    handling.carry(hand, name, (x, way["enter"], shelf + way["over"]))
    handling.carry(hand, name, (x, way["y"], shelf + way["over"]))
    handling.carry(hand, name, (x, way["y"], shelf + numbers["release"]))
    handling.let_go(hand, numbers)
    target = hand.target.position
    hand.go((target[0], numbers["shelf_out"], target[2]), tilt=float(hand.target.angles[1]), patience=2)
    handling.rise(hand, numbers)


def place_in_drawer(hand: Hand, numbers: handling.SkillNumbers) -> None:
    """Put the held block into the open drawer."""
    way, opening = numbers.group("drawer_place"), hand.now.doors["base__drawer"]
    name = handling.block_in_hand(hand)
    if opening < 0.12:
        raise handling.Unfit("the drawer is shut")
    middle = hand.world.scene.joints["base__drawer"].origin[0]
    others = [
        handling.position(hand, other)[0]
        for other, block in hand.now.blocks.items()
        if ("table", "drawer_link") in block.contacts
    ]
    apart = numbers.group("shelf_place")["apart"]
    free = [
        middle + slot
        for slot in numbers.row("drawer_place", "slots")
        if all(abs(middle + slot - other) >= apart for other in others)
    ]
    x, y = (free or [middle])[0], way["y"] - opening
    _turn_hand(hand, numbers, (x, y))
    handling.carry(hand, name, (x, y, way["z"]))
    handling.let_go(hand, numbers)
    handling.rise(hand, numbers)


def stack(hand: Hand, numbers: handling.SkillNumbers) -> None:
    """Put the held block on another that lies on the table with nothing on it."""
    name = handling.block_in_hand(hand)
    blocks = frozenset(hand.now.blocks)
    bases = [
        (float(abs(block.position[0] - handling.position(hand, name)[0])), other)
        for other, block in hand.now.blocks.items()
        if other != name and ("table", "base_link") in block.contacts and not block.touches & blocks
    ]
    if not bases:
        raise handling.Unfit("no block on the table is free")
    base = min(bases)[1]
    x, y, z = handling.position(hand, base)
    angle = handling.align_yaw(hand, base, numbers["neutral_yaw"])
    _turn_to(hand, numbers, name, angle, (x, y))
    handling.carry(hand, name, (x, y, z + numbers["unstack_lift"]), patience=4)
    handling.carry(hand, name, (x, y, z + BLOCK_HEIGHT + numbers["stack_release"]))
    handling.let_go(hand, numbers)
    handling.rise(hand, numbers)


def _turn_to(hand: Hand, numbers: handling.SkillNumbers, name: str, angle: float, place: tuple[float, float]) -> None:
    """Carry the held block at safe height over a place, turned so that it lies along an angle."""
    yaw = float(hand.target.angles[2]) + angle - handling.align_yaw(hand, name, angle)
    _turn_hand(hand, numbers, place, yaw)


def _turn_hand(
    hand: Hand, numbers: handling.SkillNumbers, place: tuple[float, float], yaw: float = math.pi / 2
) -> None:
    """Carry what is held at safe height over a place, with the hand at a yaw; by default it faces the door."""
    handling.rise(hand, numbers)
    height = max(numbers["safe_height"], float(hand.target.position[2]))
    hand.go((*place, height), yaw=yaw, tilt=float(hand.target.angles[1]), patience=4)


def _free_on_shelf(hand: Hand, numbers: handling.SkillNumbers, name: str) -> float:
    """The x of a free place in the compartment that is open."""
    way, scene = numbers.group("shelf_place"), hand.world.scene
    slide, opening = scene.joints["base__slide"], hand.now.doors["base__slide"]
    plank, width = scene.fixtures["plank"][0], numbers.group("shelf")["half_width"]
    if opening < (slide.low + slide.high) / 2:
        side, low, high = "slider_left", plank - width, slide.origin[0] - opening
    else:
        side = "slider_right"
        low, high = slide.origin[0] + numbers.group("shelf")["door"] - opening, plank + width
    spot = scene.compartment_spots[side][0]
    others = [
        block.position[0]
        for other, block in hand.now.blocks.items()
        if other != name and ("table", "plank_link") in block.contacts
    ]
    first, last = low + way["edge"], high - way["edge"]
    if first > last:
        raise handling.Unfit("no compartment is open")
    return min(
        (float(x) for x in (spot, *np.linspace(first, last, int(way["choices"])))),
        key=lambda x: (-min((way["apart"], *(abs(x - other) for other in others))), abs(x - spot)),
    )


# Lowering a block from another: along its side down to the table, in touch all the way.
#
# CALVIN's evaluation sees a block unstacked as soon as it touches no other. Lifted off, it then hangs in the hand, and
# a next task that asks for a block on the table can no longer be done. A block that slides over the edge and down the
# side of the one below touches the table before it parts from it.


TABLE_TOP = ("table", "base_link")


@dataclass(frozen=True, slots=True)
class LoweringWay:
    """How a block comes down: the yaw of the hand, and the horizontal direction (2,), in which no finger is between."""

    yaw: float
    direction: handling.Array


def lower_beside(hand: Hand, numbers: handling.SkillNumbers, name: str, base: str) -> None:
    """Grasp a block that lies on another and lower it beside that one, until it counts as unstacked.

    It may part from the other too early. The hand then holds it above the table.

    Raises:
        Unfit: The hand has closed on nothing.
    """
    way = _way(hand, numbers, name, base)
    handling.grasp(hand, numbers, name, yaw=way.yaw, tilt=0.0)
    descent = _Descent(hand, numbers, name, base, way.direction)
    descent.slide_to_edge()
    descent.go_down()
    if not hand.done:
        hand.go(hand.target.position + numbers.group("lower")["away"] * descent.outward, patience=3)


def _way(hand: Hand, numbers: handling.SkillNumbers, name: str, base: str) -> LoweringWay:
    """Choose the way whose end is best on the table; among equals, the one along y, where the arm is steadiest."""
    limits, yaw = numbers.group("lower"), handling.align_yaw(hand, name, numbers["neutral_yaw"])
    quarter = yaw + math.copysign(math.pi / 2, numbers["neutral_yaw"] - yaw)
    square = handling.heading(hand, name)[1] < math.pi
    found = []
    for angle in (yaw, quarter) if square else (yaw,):
        for sign in (1.0, -1.0):
            direction = sign * np.array([math.cos(angle), math.sin(angle)])
            end = handling.position(hand, base)[:2] + _apart(hand, name, base, direction) * direction
            off = max(0.0, limits["front"] - end[1]) + 3 * max(0.0, end[1] - limits["back"])
            off += max(0.0, limits["off_button"] - handling.from_button(hand, end))
            found.append((off, abs(float(direction[0])), angle, direction))
    _, _, angle, direction = min(found, key=lambda each: each[:3])
    return LoweringWay(angle, direction)


def _apart(hand: Hand, name: str, base: str, direction: handling.Array) -> float:
    """How far apart the middles of two blocks are in a direction when they just touch."""
    return handling.extent(hand, name, direction) + handling.extent(hand, base, direction)


@dataclass(frozen=True, slots=True)
class _Descent:
    """A held block on its way down beside another."""

    hand: Hand
    numbers: handling.SkillNumbers
    name: str
    base: str
    direction: handling.Array

    @property
    def outward(self) -> handling.Array:
        return np.array([*self.direction, 0.0])

    @property
    def gap(self) -> float:
        """How far the block is beyond the other's edge; less than 0 over it."""
        between = handling.position(self.hand, self.name) - handling.position(self.hand, self.base)
        return product(between, self.direction) - _apart(self.hand, self.name, self.base, self.direction)

    @property
    def height(self) -> float:
        """How far the block is above where it lies on the other; less than 0 if it presses, or is beside it."""
        return (
            float((handling.position(self.hand, self.name) - handling.position(self.hand, self.base))[2]) - BLOCK_HEIGHT
        )

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
        return float(self.hand.tool[2] - handling.position(self.hand, self.name)[2])
