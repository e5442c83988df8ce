"""The skills for what is fixed to the table: drawer, door, button and switch; and the list of all skills."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from chorewright.replay.calvin import block_skills, placing_skills
from chorewright.replay.calvin.handling import Unfit, rise, travel
from chorewright.replay.calvin.motion import Hand
from chorewright.replay.calvin.shapes import geometry
from chorewright.replay.calvin.skill_numbers import Numbers

__all__ = ["SKILLS", "Unfit"]


def open_drawer(hand: Hand, numbers: Numbers) -> None:
    """Hook the closed fingers behind the drawer's handle and draw it out."""
    way = numbers.group("drawer_hook")
    x, opening = hand.world.scene.joints["base__drawer"].origin[0], hand.now.doors["base__drawer"]
    hand.close()
    travel(hand, numbers, (x, way["y"] - opening))
    hand.go((x, way["y"] - opening, way["z"]))
    hand.go((x, way["end"], way["z"]))
    hand.go((x, way["end"] + way["ease"], way["z"]))
    rise(hand, numbers)


def close_drawer(hand: Hand, numbers: Numbers) -> None:
    """Push the drawer's handle from in front."""
    way = numbers.group("drawer_push")
    x, opening = hand.world.scene.joints["base__drawer"].origin[0], hand.now.doors["base__drawer"]
    before = way["face"] - opening - way["gap"]
    hand.close()
    travel(hand, numbers, (x, before))
    hand.go((x, before, way["z"]))
    hand.go((x, way["end"], way["z"]))
    hand.go((x, way["end"] - way["ease"], way["z"]))
    rise(hand, numbers)


def move_door(hand: Hand, numbers: Numbers, side: str) -> None:
    """Push the sliding door by the side of its handle, to the left or to the right."""
    way, joint = numbers.group("door"), hand.world.scene.joints["base__slide"]
    x, opening = joint.origin[0], hand.now.doors["base__slide"]
    if side == "left":
        edge, sign, last = way["right_edge"], 1.0, joint.high
    else:
        edge, sign, last = way["left_edge"], -1.0, joint.low
    begin = x + edge - opening + sign * (way["half"] + way["gap"])
    end = x + edge - last + sign * (way["half"] - way["overshoot"])
    hand.close()
    travel(hand, numbers, (begin, way["stand_off"]))
    hand.go((begin, way["stand_off"], way["z"]))
    hand.go((begin, way["y"], way["z"]))
    hand.go((end, way["y"], way["z"]))
    hand.go((end + sign * way["ease"], way["y"], way["z"]))
    hand.go((end + sign * way["ease"], way["stand_off"], way["z"]))
    rise(hand, numbers)


def press_button(hand: Hand, numbers: Numbers) -> None:
    """Press the button down until the LED has changed."""
    way, origin = numbers.group("button"), hand.world.scene.joints["base__button"].origin
    before = hand.now.lights["led"]
    x, y, bottom = origin
    hand.close()
    travel(hand, numbers, (x, y))
    hand.go((x, y, bottom + way["above"]))
    hand.go((x, y, bottom + way["deepest"]), until=lambda: hand.now.lights["led"] != before)
    hand.go((x, y, bottom + way["deepest"]), patience=0)
    hand.hold(numbers["hold"])
    hand.go((x, y, bottom + way["above"]))
    rise(hand, numbers)


def switch_on(hand: Hand, numbers: Numbers) -> None:
    """Push the switch up along its slope, from below."""
    x, y, _ = hand.world.scene.joints["base__switch"].origin
    points = numbers.points("switch_on")
    hand.close()
    travel(hand, numbers, (x, y + points[0][0]))
    for across, height in points:
        hand.go((x, y + across, height))
        hand.hold(numbers["hold"])
    rise(hand, numbers)


def switch_off(hand: Hand, numbers: Numbers) -> None:
    """Push the switch down along its slope, from above, with a tilted tool."""
    x, y, _ = hand.world.scene.joints["base__switch"].origin
    yaw, tilt = _away_from_arm(x, y), numbers.group("switch_off")["tilt"]
    points = numbers.points("switch_off")
    hand.close()
    travel(hand, numbers, (x, y + points[0][0]), yaw=yaw, tilt=tilt)
    for across, height in points[1:]:
        hand.go((x, y + across, height), yaw=yaw, tilt=tilt)
        hand.hold(numbers["hold"])
    rise(hand, numbers)


def _away_from_arm(x: float, y: float) -> float:
    """The yaw at which a leaning tool points away from the arm's base, so that it reaches farthest."""
    base = geometry()["arm"]["base"]
    return math.atan2(y - base[1], x - base[0])


SKILLS: Mapping[str, Callable[..., None]] = {
    each.__name__: each
    for each in (
        open_drawer,
        close_drawer,
        move_door,
        press_button,
        switch_on,
        switch_off,
        block_skills.rotate,
        block_skills.push,
        block_skills.push_into_drawer,
        block_skills.lift,
        block_skills.lift_from_shelf,
        block_skills.unstack,
        placing_skills.place_on_shelf,
        placing_skills.place_in_drawer,
        placing_skills.stack,
    )
}
"""The skills by name; each takes the hand, the scene's numbers and its own arguments."""
