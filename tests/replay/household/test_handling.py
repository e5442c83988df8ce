"""Things moved without being put: hands, throws, pushes, placing at points; and ways over the standing points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import pytest

from chorewright.problems.household.rooms import load_room
from chorewright.replay.household import ThorWorld
from chorewright.replay.household.room import ALFRED_SETTINGS
from chorewright.replay.simulator import Argument, Event, SimulatorAction
from tests.replay.household.toy import COUNTER, EGG, KNIFE, MUG, POTATO, kitchen, run, world


def do(made: ThorWorld, action: str, **arguments: Argument) -> Event:
    return made.step(SimulatorAction(action, arguments))


def centre(made: ThorWorld, name: str) -> tuple[float, float, float]:
    made.scene()  # what is held is brought to where the hand is
    return made.room.objects[name].centre


def held(made: ThorWorld) -> Mapping[str, object]:
    return next(each for each in made.metadata()["objects"] if each["isPickedUp"])


@pytest.mark.parametrize(
    ("action", "axis", "sign"),
    [("Ahead", 2, 1), ("Back", 2, -1), ("Left", 0, -1), ("Right", 0, 1), ("Up", 1, 1), ("Down", 1, -1)],
)
@pytest.mark.parametrize("hand", ["MoveHand", "MoveHeldObject"])
def test_the_hand_moves_as_seen_from_the_agent(hand: str, action: str, axis: int, sign: int) -> None:
    made = world()
    assert run(made, f"PickupObject {MUG}").success
    before = centre(made, MUG)
    assert do(made, hand + action, moveMagnitude=0.1).success
    moved = [now - then for now, then in zip(centre(made, MUG), before, strict=True)]
    assert moved == pytest.approx([0.1 * sign if each == axis else 0 for each in range(3)], abs=1e-3)
    assert do(made, "RotateRight").success
    assert do(made, "RotateLeft").success
    assert centre(made, MUG) == pytest.approx([then + by for then, by in zip(before, moved, strict=True)], abs=1e-3)
    state = made.scene()
    assert not do(made, hand + action, moveMagnitude=5.0).success
    assert made.scene() == state
    assert run(made, f"PutObject {COUNTER}", f"PickupObject {MUG}").success
    assert centre(made, MUG) == pytest.approx(before, abs=1e-3), "the next thing is held as usual"


def test_what_is_held_is_turned() -> None:
    made = world()
    for action in ("RotateHand", "MoveHandAhead", "RotateHeldObject", "ThrowObject", "MoveHeldObject"):
        assert do(made, action).error_message.startswith("The agent's hand is empty"), action
    assert run(made, f"PickupObject {KNIFE}").success
    size = made.room.objects[KNIFE].size
    assert do(made, "RotateHand", x=40).success
    assert held(made)["rotation"]["x"] == 40
    assert made.room.objects[KNIFE].size == size
    before = made.room.objects[KNIFE].rotation
    assert do(made, "RotateHeldObject", yaw=90).success
    assert made.room.objects[KNIFE].rotation[1] == (before[1] + 90) % 360
    assert made.room.objects[KNIFE].size == (size[2], size[1], size[0])
    assert do(made, "RotateHeldObject", rotation={"x": 0, "y": 0, "z": 0}).success
    assert held(made)["rotation"] == {"x": 0, "y": 0, "z": 0}


def test_what_is_thrown_lands_farther_than_what_is_dropped() -> None:
    landed = []
    for action, arguments in (("DropHandObject", {}), ("ThrowObject", {"moveMagnitude": 30.0}),
                              ("ThrowObject", {"moveMagnitude": 1e6})):  # fmt: skip
        made = ThorWorld(ALFRED_SETTINGS)
        made.reset(load_room("FloorPlan10"))
        item = next(each for each in made.room.objects.values() if each.kind == "Apple")
        assert do(made, "PickupObject", objectId=item.object_id, forceAction=True).success
        x, _, z = made.room.place()
        assert do(made, action, **arguments).success
        thing = made.room.objects[item.object_id]
        assert made.room.holding is None
        landed.append(((thing.centre[0] - x) ** 2 + (thing.centre[2] - z) ** 2) ** 0.5)
    assert landed[0] < landed[1] <= landed[2] < 4


@pytest.mark.parametrize("force", [3.0, 15.0, 17.5])
def test_a_unit_of_force_is_a_centimetre(force: float) -> None:
    def world() -> ThorWorld:
        alone = tuple(body for body in kitchen().objects if body.object_id in (COUNTER, EGG))
        made = ThorWorld()
        made.reset(replace(kitchen(), objects=alone))
        return made

    made = world()
    before = centre(made, EGG)
    assert do(made, "PushObject", objectId=EGG, moveMagnitude=force).success
    assert centre(made, EGG)[2] - before[2] == pytest.approx(force / 100)
    landed = []
    for thrown in (0.0, force):
        made = world()
        made.room.z, made.room.horizon = -2, 0
        assert do(made, "PickupObject", objectId=EGG, forceAction=True).success
        assert do(made, "ThrowObject", moveMagnitude=thrown).success
        landed.append(centre(made, EGG))
    assert landed[1][2] - landed[0][2] == pytest.approx(force / 100)


@pytest.mark.parametrize("turns", [[90.0], [30.0] * 3, [15.0] * 6, [450.0], [-30.0, 120.0]])
def test_small_turns_add_up(turns: list[float]) -> None:
    made = world()
    assert run(made, f"PickupObject {KNIFE}").success
    width, height, depth = made.room.objects[KNIFE].size
    for turn in turns:
        assert do(made, "RotateHeldObject", yaw=turn).success
    assert made.room.objects[KNIFE].size == (depth, height, width)


def test_pushed_things_slide_until_something_is_in_the_way() -> None:
    for action, sign in (("PushObject", 1), ("PullObject", -1)):
        made = world()
        before = centre(made, EGG)
        assert do(made, action, objectId=EGG, moveMagnitude=5.0).success
        assert (centre(made, EGG)[2] - before[2]) * sign >= 0
        assert do(made, action, objectId=EGG, moveMagnitude=1e6).success
        body, counter = made.room.objects[EGG], made.room.objects[COUNTER]
        assert abs(body.centre[2] - counter.centre[2]) <= counter.size[2] / 2, "it stays on the counter"
        assert body.parents == (COUNTER,)
    made = world()
    assert do(made, "DirectionalPush", objectId=EGG, moveMagnitude=5.0, pushAngle="90").error_message
    assert not do(made, "PushObject", objectId=COUNTER, moveMagnitude=5.0).success


def test_things_are_placed_at_points_that_receptacles_offer() -> None:
    made = world()
    points = do(made, "GetSpawnCoordinatesAboveReceptacle", objectId=COUNTER, anywhere=True).action_return
    assert len(points) > 5
    placed = [point for point in points if do(made, "PlaceObjectAtPoint", objectId=POTATO, position=point).success]
    assert placed
    body = made.room.objects[POTATO]
    assert (body.centre[0], body.centre[2]) == pytest.approx((placed[-1]["x"], placed[-1]["z"]))
    assert body.parents == (COUNTER,)
    where = dict(zip("xyz", centre(made, POTATO), strict=True))
    assert not do(made, "PlaceObjectAtPoint", objectId=EGG, position=where).success, "the potato is there"
    assert not do(made, "PlaceObjectAtPoint", objectId=EGG, position={"x": 99, "y": 1, "z": 0}).success
    assert run(made, f"PickupObject {EGG}").success
    assert not do(made, "PlaceObjectAtPoint", objectId=EGG, position=points[0]).success, "it is held"


def test_ways_are_shortest_and_end_at_the_object() -> None:
    made = ThorWorld()
    made.reset(load_room("FloorPlan10"))
    fridge = next(each for each in made.room.objects.values() if each.kind == "Fridge")
    told = do(made, "GetShortestPath", objectType="Fridge").action_return
    assert told == do(made, "GetShortestPath", objectId=fridge.object_id).action_return
    corners = told["corners"]
    x, y, z = made.room.place()
    assert corners[0] == {"x": x, "y": y, "z": z}
    steps = sum(abs(one["x"] - other["x"]) + abs(one["z"] - other["z"]) for one, other in pairwise(corners))
    back = do(made, "GetShortestPathToPoint", position=corners[-1], target=corners[0]).action_return["corners"]
    assert steps == pytest.approx(sum(abs(a["x"] - b["x"]) + abs(a["z"] - b["z"]) for a, b in pairwise(back)))
    last = corners[-1]
    assert abs(last["x"] - fridge.centre[0]) < fridge.size[0] / 2 + 0.8
    assert abs(last["z"] - fridge.centre[2]) < fridge.size[2] / 2 + 0.8
    for wrong in ({"objectType": "Zebra"}, {}, {"objectType": "Fridge", "position": {"x": 99, "z": 0}}):
        assert not do(made, "GetShortestPath", **wrong).success


def test_what_is_put_into_a_sinks_hull_lies_in_its_basin() -> None:
    made = ThorWorld()
    made.reset(load_room("FloorPlan10"))
    hull = next(name for name in made.room.objects if name.startswith("Sink|") and not name.endswith("SinkBasin"))
    mug = next(each.object_id for each in made.room.objects.values() if each.kind == "Mug")
    assert do(made, "PickupObject", objectId=mug, forceAction=True).success
    assert do(made, "PutObject", objectId=mug, receptacleObjectId=hull, forceAction=True).success
    assert made.room.objects[mug].parents == (f"{hull}|SinkBasin",)
