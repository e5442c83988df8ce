"""The skills that turn, push, lift and unstack blocks."""

from __future__ import annotations

import math

from chorewright.replay.calvin import handling
from chorewright.replay.calvin.motion import Hand
from chorewright.replay.calvin.placing_skills import TABLE_TOP, lower_beside
from chorewright.replay.calvin.snapshot import ROBOT

ALONG_X, ALONG_Y = (1.0, 0.0), (0.0, 1.0)
SIGNS = {"left": -1.0, "right": 1.0}
"""Along x; a turn to the left is positive about the vertical."""


def rotate(hand: Hand, numbers: handling.SkillNumbers, name: str, side: str) -> None:
    """Grasp a block from above, raise it a little, turn it, and let it fall, so that nothing holds it when it lies."""
    way = numbers.group("rotate")
    _bring_near(hand, numbers, name, way["reach"])
    turn = -SIGNS[side] * way["turn"]
    angle, same = handling.heading(hand, name)
    yaw = angle + same * round((way["prefer"] - turn / 2 - angle) / same)
    handling.grasp(hand, numbers, name, yaw=yaw, tilt=0.0)
    yaw = float(hand.target.angles[2])
    x, y, z = hand.target.position
    button, apart = hand.world.scene.joints["base__button"].origin, handling.from_button(hand, (x, y))
    if (short := way["off_button"] - apart) > 0:  # the turning fingers would press it
        hand.go((x, y, z + way["over_button"]), yaw=yaw, patience=2)
        share = min(short, way["farthest"]) / max(apart, 1e-6)
        x, y = x + share * (x - button[0]), y + share * (y - button[1])
        hand.go((x, y, z + way["over_button"]), yaw=yaw, patience=2)
    hand.go((x, y, z + way["rise"]), yaw=yaw, patience=2)
    hand.go((x, y, z + way["rise"]), yaw=yaw + turn)
    handling.let_go(hand, numbers)
    handling.rise(hand, numbers)


def push(hand: Hand, numbers: handling.SkillNumbers, name: str, side: str) -> None:
    """Push a block along x until the task is done, then back off; carry it past the button if necessary.

    Near the door the tool leans back, else the hand would take the door along by its handle.
    """
    way, sign = numbers.group("push"), SIGNS[side]
    if sign < 0:
        _bring_near(hand, numbers, name, way["farthest"] - way["beside"] - handling.extent(hand, name, ALONG_X))
    _clear_lane(hand, numbers, name, sign)
    x, y, _ = handling.position(hand, name)
    begin = x - sign * (handling.extent(hand, name, ALONG_X) + _beside(hand, numbers, name, sign))
    tilt = numbers["lean"] if y > numbers["near_door"] else 0.0
    hand.close()
    handling.travel(hand, numbers, (begin, y), tilt=tilt)
    x, y, _ = handling.position(hand, name)
    hand.go((begin, y, way["z"]), tilt=tilt)
    before = hand.start.blocks[name].position[0]

    def moved() -> float:
        return sign * float(handling.position(hand, name)[0] - before)

    again = moved() > way["brake"]  # an attempt before has left it short of what counts: come up to it first
    hand.go(
        (x + sign * way["reach"], y, way["z"]),
        tilt=tilt,
        until=lambda: moved() > way["brake"] and (not again or ROBOT in hand.block(name).touches),
        patience=0,
    )
    ahead = float(handling.position(hand, name)[0] - hand.tool[0])
    hand.halt()
    hand.hold(numbers["hold"])
    # The block has slid on without the hand. Where it stopped too early, the hand, or that of a replay, follows.
    face = float(before) + sign * way["enough"] - ahead
    hand.go((face, y, way["z"]), tilt=tilt)
    hand.hold(numbers["hold"])
    hand.go((face - sign * way["back_off"], y, way["z"]), tilt=tilt, patience=3)
    handling.rise(hand, numbers)


def push_into_drawer(hand: Hand, numbers: handling.SkillNumbers) -> None:
    """Push the only block on the table over the edge into the open drawer."""
    way, scene = numbers.group("push_in"), hand.world.scene
    if hand.now.doors["base__drawer"] < 0.12:
        raise handling.Unfit("the drawer is shut")
    name = _alone_on_table(hand)
    middle = scene.joints["base__drawer"].origin[0]
    x, y, _ = handling.position(hand, name)
    if abs(x - middle) > way["half_width"] or y > way["farthest"]:
        handling.grasp_aligned(hand, numbers, name)
        handling.rise(hand, numbers)
        near = min(max(x, middle - way["within"]), middle + way["within"])
        handling.lay_down(hand, numbers, name, (near, way["start_y"]))
    x, y, _ = handling.position(hand, name)
    if abs(x - middle) > way["widest"]:
        raise handling.Unfit("the block is not before the drawer")
    hand.close()
    handling.travel(hand, numbers, (x, y + way["behind"]))
    x, y, _ = handling.position(hand, name)
    hand.go((x, y + way["behind"], way["z"]))
    hand.go((x, way["to"], way["z"]), until=lambda: hand.holds_done)
    hand.hold(numbers["hold"])
    handling.rise(hand, numbers)


def lift(hand: Hand, numbers: handling.SkillNumbers, name: str) -> None:
    """Grasp a block on the table or in the drawer and raise it, clear of the door; the hand keeps it.

    It counts from where the block was when the task began: one that fell into the drawer then is raised higher.
    """
    fallen = hand.start.blocks[name].position[2] - float(handling.position(hand, name)[2])
    yaw = handling.grasp_aligned(hand, numbers, name)
    x, y, z = hand.target.position
    if y > numbers["under_handle"] and abs(x - _handle(hand, numbers)) < numbers["beside_handle"]:
        hand.go((x, y, z + numbers["drag_height"]), yaw=yaw, tilt=numbers["lean"], patience=2)
        y = numbers["clear_of_handle"]
        hand.go((x, y, z + numbers["drag_height"]), yaw=yaw, tilt=numbers["lean"], patience=2)
    z += fallen if fallen > numbers["fallen"] else 0.0
    hand.go((x, y, z + numbers["lift"]), yaw=yaw, tilt=numbers["lean"], patience=4)


def lift_from_shelf(hand: Hand, numbers: handling.SkillNumbers, name: str) -> None:
    """Reach into a compartment with a leaning tool, grasp a block, raise it and draw it out."""
    yaw, lean = math.pi / 2, numbers["lean"]
    hand.open()
    x, y, z = handling.position(hand, name)
    out, entry = numbers["shelf_out"], z + numbers.group("shelf_place")["over"]
    handling.travel(hand, numbers, (x, out), yaw=yaw, tilt=lean)
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
        handling.rise(hand, numbers)


def unstack(hand: Hand, numbers: handling.SkillNumbers) -> None:
    """Take a block that rests on blocks only, and put it down on a free place of the table."""
    names = frozenset(hand.now.blocks)
    tops = [name for name, block in hand.now.blocks.items() if block.touches and block.touches <= names]
    if not tops:
        raise handling.Unfit("no block rests on another")
    name = tops[0]
    if hand.at_detection:  # the block must lie on the table then
        lower_beside(hand, numbers, name, min(hand.block(name).touches))
        if (
            TABLE_TOP in hand.block(name).contacts
            and handling.position(hand, name)[1] > numbers.group("unstack")["front"]
        ):
            handling.let_go(hand, numbers)
            handling.rise(hand, numbers)
            return
    else:
        handling.grasp(hand, numbers, name, yaw=handling.align_yaw(hand, name, numbers["neutral_yaw"]), tilt=0.0)
    x, y, z = hand.target.position
    for height in numbers.row("unstack", "gently"):  # it counts as unstacked from here, and turns start here
        hand.go((x, y, z + height), patience=0)
    beside = (_spot_near if hand.at_detection else _spot_beside)(hand, numbers, name)
    spot = beside or handling.free_spot(hand, numbers, name, (x, y))
    hand.go((x, y, z + numbers["unstack_lift"]), patience=4)
    handling.lay_down(hand, numbers, handling.block_in_hand(hand), spot)


def _spot_beside(hand: Hand, numbers: handling.SkillNumbers, name: str) -> tuple[float, float] | None:
    """A place on the table so near to a block's present one that turning the block there still counts as turning."""
    way, spots = numbers.group("unstack"), numbers.row("spots", "x")
    x, y, _ = handling.position(hand, name)
    others = [
        (handling.position(hand, other), handling.extent(hand, other, ALONG_X))
        for other in hand.now.blocks
        if other != name
    ]
    own = handling.extent(hand, name, ALONG_X)
    free = [
        (abs(place - sum(spots) / len(spots)), place)
        for place in (x - way["beside"], x + way["beside"])
        if min(spots) <= place <= max(spots)
        and handling.from_button(hand, (place, y)) > numbers.group("spots")["button_apart"]
        and all(
            abs(place - at[0]) - own - wide > way["gap"] or abs(y - at[1]) > numbers.group("spots")["apart"]
            for at, wide in others
        )
    ]
    return (float(min(free)[1]), float(y)) if free else None


def _spot_near(hand: Hand, numbers: handling.SkillNumbers, name: str) -> tuple[float, float] | None:
    """The free place on the table nearest to where a block is now, if turning it there still counts as turning."""
    way, spots = numbers.group("unstack"), numbers.row("spots", "x")
    x, y, _ = handling.position(hand, name)
    others = [other for other in hand.now.blocks if other != name]
    steps = range(-int(way["most_steps"]), int(way["most_steps"]) + 1)
    around = [(float(x) + way["step"] * one, float(y) + way["step"] * two) for one in steps for two in steps]
    free = [
        (math.dist(place, (x, y)), *place)
        for place in around
        if min(spots) <= place[0] <= max(spots)
        and way["off_edge"] <= place[1] <= way["off_door"]
        and handling.from_button(hand, place) > numbers.group("spots")["button_apart"]
        and all(_clear_of(hand, name, other, place, way["gap"]) for other in others)
    ]
    near = [each for each in free if each[0] < way["turning"]]
    return min(near)[1:] if near else None


def _clear_of(hand: Hand, name: str, other: str, place: tuple[float, float], gap: float) -> bool:
    """Whether a block at a place (x, y) is beside another with a gap between."""
    at = handling.position(hand, other)
    apart = [
        abs(place[axis] - at[axis]) - handling.extent(hand, name, along) - handling.extent(hand, other, along)
        for axis, along in enumerate((ALONG_X, ALONG_Y))
    ]
    return bool(max(apart) > gap)


def _beside(hand: Hand, numbers: handling.SkillNumbers, name: str, sign: float) -> float:
    """How far from a block's side the hand comes down to push it: midway to a block that is near on that side."""
    usual = numbers.group("push")["beside"]
    x, y, z = handling.position(hand, name)
    gaps = [usual / numbers.group("push")["midway"]]
    for other in hand.now.blocks:
        at = handling.position(hand, other)
        across = handling.extent(hand, name, ALONG_Y) + handling.extent(hand, other, ALONG_Y)
        gap = sign * (x - at[0]) - handling.extent(hand, name, ALONG_X) - handling.extent(hand, other, ALONG_X)
        if other != name and gap > 0 and abs(at[1] - y) < across and abs(at[2] - z) < numbers.group("aside")["height"]:
            gaps.append(float(gap))
    return min(gaps) * numbers.group("push")["midway"]


def _handle(hand: Hand, numbers: handling.SkillNumbers) -> float:
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
        raise handling.Unfit("no block lies on the table by itself")
    return min(found)[1]


def _bring_near(hand: Hand, numbers: handling.SkillNumbers, name: str, farthest: float) -> None:
    """Carry a block back to an x if it lies beyond it, at the end of the arm's reach."""
    x, y, _ = handling.position(hand, name)
    if x <= farthest:
        return
    handling.grasp_aligned(hand, numbers, name)
    handling.lay_down(hand, numbers, name, (farthest - numbers["bring_back"], y))


def _clear_lane(hand: Hand, numbers: handling.SkillNumbers, name: str, sign: float) -> None:
    """Carry the block off the line on which the button's collar would stop it, or the hand would press the button."""
    way = numbers.group("push")
    button = hand.world.scene.joints["base__button"].origin
    x, y, _ = handling.position(hand, name)
    ahead = sign * (button[0] - x)
    reach = handling.extent(hand, name, ALONG_X) + way["clear"]
    begin = x - sign * (handling.extent(hand, name, ALONG_X) + way["beside"])
    stopped = 0 < ahead < reach + way["collar"] and abs(y - button[1]) <= way["beyond"]
    if not stopped and handling.from_button(hand, (begin, y)) > way["off_button"]:
        return
    handling.grasp_aligned(hand, numbers, name)
    handling.rise(hand, numbers)
    lane = button[1] + way["collar"] + handling.extent(hand, name, ALONG_Y) + way["off_collar"]
    handling.lay_down(hand, numbers, name, (x, lane))
