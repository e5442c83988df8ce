"""The skills that turn, push, lift and unstack blocks."""

from __future__ import annotations

import math

from chorewright.replay.tabletop.handling import (
    Unfit,
    aligned_yaw,
    extent,
    free_spot,
    grasp,
    heading,
    held,
    let_go,
    position,
    put_down,
    rise,
    travel,
)
from chorewright.replay.tabletop.motion import Hand
from chorewright.replay.tabletop.skill_numbers import Numbers
from chorewright.replay.tabletop.snapshot import ROBOT

ALONG_X, ALONG_Y = (1.0, 0.0), (0.0, 1.0)
SIGNS = {"left": -1.0, "right": 1.0}
"""Along x; a turn to the left is positive about the vertical."""


def rotate(hand: Hand, numbers: Numbers, name: str, side: str) -> None:
    """Grasp a block from above, raise it a little, turn it, and set it down."""
    way = numbers.group("rotate")
    turn = -SIGNS[side] * way["turn"]
    angle, same = heading(hand, name)
    yaw = angle + same * round((way["prefer"] - turn / 2 - angle) / same)
    grasp(hand, numbers, name, yaw=yaw, tilt=0.0)
    x, y, z = hand.target.position
    hand.go((x, y, z + way["rise"]), yaw=yaw, patience=2)
    hand.go((x, y, z + way["rise"]), yaw=yaw + turn)
    hand.go((x, y, z), yaw=yaw + turn, patience=4)
    let_go(hand, numbers)
    rise(hand, numbers)


def push(hand: Hand, numbers: Numbers, name: str, side: str) -> None:
    """Push a block along x until the task is done, then back off; carry it past the button if necessary.

    Near the door the tool leans back, else the hand would take the door along by its handle.
    """
    way, sign = numbers.group("push"), SIGNS[side]
    _clear_lane(hand, numbers, name, sign)
    x, y, _ = position(hand, name)
    begin = x - sign * (extent(hand, name, ALONG_X) + way["beside"])
    tilt = numbers["lean"] if y > numbers["near_door"] else 0.0
    hand.close()
    travel(hand, numbers, (begin, y), tilt=tilt)
    x, y, _ = position(hand, name)
    hand.go((begin, y, way["z"]), tilt=tilt)
    hand.go((x + sign * way["reach"], y, way["z"]), tilt=tilt, until=lambda: hand.holds_done, patience=0)
    end = hand.target.position
    hand.go((end[0] + sign * way["beyond_done"], end[1], way["z"]), tilt=tilt, patience=0)
    hand.hold(numbers["hold"])
    hand.go((end[0] - sign * way["back_off"], end[1], way["z"]), tilt=tilt, patience=3)
    rise(hand, numbers)


def push_into_drawer(hand: Hand, numbers: Numbers) -> None:
    """Push the only block on the table over the edge into the open drawer."""
    way, scene = numbers.group("push_in"), hand.world.scene
    if hand.now.doors["base__drawer"] < 0.12:
        raise Unfit("the drawer is shut")
    name = _alone_on_table(hand)
    middle = scene.joints["base__drawer"].origin[0]
    x, y, _ = position(hand, name)
    if abs(x - middle) > way["half_width"] or y > way["farthest"]:
        grasp(hand, numbers, name, yaw=aligned_yaw(hand, name, numbers["neutral_yaw"]), tilt=numbers["lean"])
        rise(hand, numbers)
        near = min(max(x, middle - way["within"]), middle + way["within"])
        put_down(hand, numbers, name, (near, way["start_y"]))
    x, y, _ = position(hand, name)
    hand.close()
    travel(hand, numbers, (x, y + way["behind"]))
    x, y, _ = position(hand, name)
    hand.go((x, y + way["behind"], way["z"]))
    hand.go((x, way["to"], way["z"]), until=lambda: hand.holds_done)
    hand.hold(numbers["hold"])
    rise(hand, numbers)


def lift(hand: Hand, numbers: Numbers, name: str) -> None:
    """Grasp a block on the table or in the drawer and raise it, clear of the door; the hand keeps it."""
    yaw = aligned_yaw(hand, name, numbers["neutral_yaw"])
    grasp(hand, numbers, name, yaw=yaw, tilt=numbers["lean"])
    x, y, z = hand.target.position
    if y > numbers["under_handle"] and abs(x - _handle(hand, numbers)) < numbers["beside_handle"]:
        hand.go((x, y, z + numbers["drag_height"]), yaw=yaw, tilt=numbers["lean"], patience=2)
        y = numbers["clear_of_handle"]
        hand.go((x, y, z + numbers["drag_height"]), yaw=yaw, tilt=numbers["lean"], patience=2)
    hand.go((x, y, z + numbers["lift"]), yaw=yaw, tilt=numbers["lean"], patience=4)


def lift_from_shelf(hand: Hand, numbers: Numbers, name: str) -> None:
    """Reach into a compartment with a leaning tool, grasp a block, raise it and draw it out."""
    yaw, lean = math.pi / 2, numbers["lean"]
    hand.open()
    x, y, z = position(hand, name)
    out, entry = numbers["shelf_out"], z + numbers.group("shelf_place")["over"]
    travel(hand, numbers, (x, out), yaw=yaw, tilt=lean)
    hand.go((x, out, entry), yaw=yaw, tilt=lean, patience=2)
    hand.go((x, y, entry), yaw=yaw, tilt=lean, patience=4)
    hand.go((x, y, z + numbers["grasp_height"]), yaw=yaw, tilt=lean)
    hand.hold(numbers["hold"])
    hand.close(int(numbers["grip_steps"]))
    hand.go((x, y, z + numbers["shelf_lift"]), yaw=yaw, tilt=lean)
    mouth = (x, numbers["shelf_mouth"], z + numbers["shelf_lift"] + numbers["shelf_rise"])
    hand.go(mouth, yaw=yaw, tilt=lean, patience=2)
    hand.go((x, out, numbers["safe_height"]), yaw=yaw, tilt=lean, patience=4)
    if ROBOT not in hand.block(name).touches:
        rise(hand, numbers)


def unstack(hand: Hand, numbers: Numbers) -> None:
    """Take a block that rests on blocks only, and put it down on a free place of the table."""
    names = frozenset(hand.now.blocks)
    tops = [name for name, block in hand.now.blocks.items() if block.touches and block.touches <= names]
    if not tops:
        raise Unfit("no block rests on another")
    name = tops[0]
    grasp(hand, numbers, name, yaw=aligned_yaw(hand, name, numbers["neutral_yaw"]), tilt=0.0)
    x, y, z = hand.target.position
    hand.go((x, y, z + numbers["unstack_lift"]), patience=4)
    put_down(hand, numbers, held(hand), free_spot(hand, numbers, name, (x, y)))


def _handle(hand: Hand, numbers: Numbers) -> float:
    """The x of the middle of the door's handle."""
    door = numbers.group("door")
    left = hand.world.scene.joints["base__slide"].origin[0] - hand.now.doors["base__slide"]
    return left + (door["left_edge"] + door["right_edge"]) / 2


def _alone_on_table(hand: Hand) -> str:
    """The block that touches the table's top and nothing else, the one nearest to the drawer."""
    x = hand.world.scene.joints["base__drawer"].origin[0]
    found = [
        (abs(block.position[0] - x), name)
        for name, block in hand.now.blocks.items()
        if block.contacts == {("table", "base_link")}
    ]
    if not found:
        raise Unfit("no block lies on the table by itself")
    return min(found)[1]


def _clear_lane(hand: Hand, numbers: Numbers, name: str, sign: float) -> None:
    """Carry the block off the line on which the button's collar would stop it."""
    way = numbers.group("push")
    button = hand.world.scene.joints["base__button"].origin
    x, y, _ = position(hand, name)
    ahead = sign * (button[0] - x)
    reach = extent(hand, name, ALONG_X) + way["clear"]
    if not 0 < ahead < reach + way["collar"] or abs(y - button[1]) > way["beyond"]:
        return
    grasp(hand, numbers, name, yaw=aligned_yaw(hand, name, numbers["neutral_yaw"]), tilt=numbers["lean"])
    rise(hand, numbers)
    lane = button[1] + way["collar"] + extent(hand, name, ALONG_Y) + way["off_collar"]
    put_down(hand, numbers, name, (x, lane))
