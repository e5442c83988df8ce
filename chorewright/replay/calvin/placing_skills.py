"""The skills that put a held block down: on the shelf behind the door, in the drawer, on another block."""

from __future__ import annotations

import math

import numpy as np

from chorewright.problems.calvin.states import BLOCK_HEIGHT
from chorewright.replay.calvin.handling import Unfit, aligned_yaw, carry, held, let_go, position, rise
from chorewright.replay.calvin.motion import Hand
from chorewright.replay.calvin.skill_numbers import Numbers


def place_on_shelf(hand: Hand, numbers: Numbers) -> None:
    """Put the held block into the compartment that the door leaves open."""
    way = numbers.group("shelf_place")
    name = held(hand)
    x = _free_on_shelf(hand, numbers, name)
    shelf = hand.world.scene.compartment_spots["slider_left"][2]
    _turn_hand(hand, numbers, (x, way["enter"] - way["before"]))
    carry(hand, name, (x, way["enter"], shelf + way["over"]))
    carry(hand, name, (x, way["y"], shelf + way["over"]))
    carry(hand, name, (x, way["y"], shelf + numbers["release"]))
    let_go(hand, numbers)
    target = hand.target.position
    hand.go((target[0], numbers["shelf_out"], target[2]), tilt=float(hand.target.angles[1]), patience=2)
    rise(hand, numbers)


def place_in_drawer(hand: Hand, numbers: Numbers) -> None:
    """Put the held block into the open drawer."""
    way, opening = numbers.group("drawer_place"), hand.now.doors["base__drawer"]
    name = held(hand)
    if opening < 0.12:
        raise Unfit("the drawer is shut")
    middle = hand.world.scene.joints["base__drawer"].origin[0]
    others = [
        position(hand, other)[0]
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
    carry(hand, name, (x, y, way["z"]))
    let_go(hand, numbers)
    rise(hand, numbers)


def stack(hand: Hand, numbers: Numbers) -> None:
    """Put the held block on another that lies on the table with nothing on it."""
    name = held(hand)
    blocks = frozenset(hand.now.blocks)
    bases = [
        (float(abs(block.position[0] - position(hand, name)[0])), other)
        for other, block in hand.now.blocks.items()
        if other != name and ("table", "base_link") in block.contacts and not block.touches & blocks
    ]
    if not bases:
        raise Unfit("no block on the table is free")
    base = min(bases)[1]
    x, y, z = position(hand, base)
    angle = aligned_yaw(hand, base, numbers["neutral_yaw"])
    _turn_to(hand, numbers, name, angle, (x, y))
    carry(hand, name, (x, y, z + numbers["unstack_lift"]), patience=4)
    carry(hand, name, (x, y, z + BLOCK_HEIGHT + numbers["stack_release"]))
    let_go(hand, numbers)
    rise(hand, numbers)


def _turn_to(hand: Hand, numbers: Numbers, name: str, angle: float, place: tuple[float, float]) -> None:
    """Carry the held block at safe height over a place, turned so that it lies along an angle."""
    yaw = float(hand.target.angles[2]) + angle - aligned_yaw(hand, name, angle)
    _turn_hand(hand, numbers, place, yaw)


def _turn_hand(hand: Hand, numbers: Numbers, place: tuple[float, float], yaw: float = math.pi / 2) -> None:
    """Carry what is held at safe height over a place, with the hand at a yaw; by default it faces the door."""
    rise(hand, numbers)
    height = max(numbers["safe_height"], float(hand.target.position[2]))
    hand.go((*place, height), yaw=yaw, tilt=float(hand.target.angles[1]), patience=4)


def _free_on_shelf(hand: Hand, numbers: Numbers, name: str) -> float:
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
        raise Unfit("no compartment is open")
    return min(
        (float(x) for x in (spot, *np.linspace(first, last, int(way["choices"])))),
        key=lambda x: (-min((way["apart"], *(abs(x - other) for other in others))), abs(x - spot)),
    )
