"""Interactions in the toy kitchen: what each refuses, and what each does."""

from __future__ import annotations

from dataclasses import replace
from math import dist

import pytest

from chorewright.replay.household import ThorWorld
from chorewright.replay.simulator import SimulatorAction
from tests.replay.household.toy import (
    BASIN,
    BREAD,
    BURNER,
    CHEST,
    COUNTER,
    EGG,
    FAUCET,
    FRIDGE,
    KNIFE,
    KNOB,
    LAMP,
    MACHINE,
    MICROWAVE,
    MUG,
    PAN,
    PLATE,
    POT,
    POTATO,
    TOASTER,
    do,
    kitchen,
    run,
    state,
    world,
)

REFUSALS = [
    # before, the action, its error code, a word of the message
    ("", "Fly", "InvalidAction", "Fly"),
    ("", "PickupObject", "MissingArguments", "objectId"),
    ("", "PickupObject Unknown|u", "ObjectNotFound", "Unknown|u"),
    ("", f"PickupObject {COUNTER}", "ObjectNotPickupable", COUNTER),
    ("", f"PickupObject {CHEST}", "ObjectNotVisible", CHEST),
    (f"PickupObject {MUG}", f"PickupObject {EGG}", "InventoryFull", MUG),
    ("", f"PutObject {COUNTER}", "ObjectNotInInventory", "put"),
    ("", "DropHandObject", "ObjectNotInInventory", "drop"),
    (f"PickupObject {MUG}", f"PutObject {MUG}", "Undefined", "itself"),
    (f"PickupObject {MUG}", f"PutObject {FAUCET}", "Undefined", "receptacle"),
    (f"PickupObject {MUG}", f"PutObject {FRIDGE}", "ReceptacleNotOpen", FRIDGE),
    ("", f"OpenObject {MUG}", "Undefined", "openable"),
    ("", f"CloseObject {FRIDGE}", "Undefined", "closed"),
    (f"OpenObject {FRIDGE}", f"OpenObject {FRIDGE}", "Undefined", "open"),
    (f"OpenObject {MICROWAVE}", f"ToggleObjectOn {MICROWAVE}", "Undefined", "closed"),
    (f"ToggleObjectOn {MICROWAVE}", f"OpenObject {MICROWAVE}", "Undefined", "running"),
    ("", f"ToggleObjectOn {MUG}", "Undefined", "toggleable"),
    ("", f"ToggleObjectOn {BURNER}", "Undefined", KNOB),
    ("", f"ToggleObjectOff {FAUCET}", "Undefined", "off"),
    (f"ToggleObjectOn {LAMP}", f"ToggleObjectOn {LAMP}", "Undefined", "on"),
    ("", f"SliceObject {POTATO}", "Undefined", "sharp"),
    (f"PickupObject {MUG}", f"SliceObject {POTATO}", "Undefined", "sharp"),
    (f"PickupObject {KNIFE}", f"SliceObject {MUG}", "Undefined", "sliceable"),
    ("", f"BreakObject {POTATO}", "Undefined", "breakable"),
    ("", f"DirtyObject {MUG}", "Undefined", "dirty"),
    ("", f"CleanObject {EGG}", "Undefined", "dirtyable"),
    ("", f"EmptyLiquidFromObject {MUG}", "Undefined", "empty"),
    (f"FillObjectWithLiquid {MUG}", f"FillObjectWithLiquid {MUG}", "Undefined", "water"),
    ("", f"FillObjectWithLiquid {EGG}", "Undefined", "liquid"),
    ("", f"CookObject {BREAD}", "Undefined", "cookable"),
    ("", f"UseUpObject {MUG}", "Undefined", "used up"),
    ("", "SetObjectPoses", "MissingArguments", "objectPoses"),
    ("", "SetStateOfAllObjects", "MissingArguments", "StateChange"),
]


@pytest.mark.parametrize(("before", "action", "code", "word"), REFUSALS)
def test_refusals_say_why_and_change_nothing(before: str, action: str, code: str, word: str) -> None:
    made = world()
    if before:
        assert run(made, before).success
    scene = made.scene()
    name, _, object_id = action.partition(" ")
    event = do(made, name, object_id)
    assert not event.success
    assert word in event.error_message
    metadata = made.metadata()
    assert metadata["errorCode"] == code
    assert metadata["lastAction"] == name
    assert metadata["lastActionSuccess"] is False
    assert metadata["errorMessage"] == event.error_message
    assert made.scene() == scene


def test_a_kind_that_does_not_belong_there_needs_force() -> None:
    made = world()
    run(made, f"PickupObject {EGG}")
    assert do(made, "PutObject", TOASTER).error_message.count(TOASTER) == 1
    assert do(made, "PutObject", TOASTER, forceAction=True).success


def test_a_receptacle_for_one_thing_takes_a_second_only_by_force() -> None:
    made = world()
    assert run(made, f"PickupObject {PAN}", f"PutObject {BURNER}", f"PickupObject {POT}").success
    assert made.room.contents[BURNER] == [PAN]
    assert "full" in do(made, "PutObject", BURNER).error_message
    assert do(made, "PutObject", BURNER, forceAction=True).success
    assert made.room.contents[BURNER] == [PAN, POT]


def test_not_even_force_puts_things_behind_a_closed_door() -> None:
    made = world()
    shut = (f"PickupObject {PLATE}", f"OpenObject {FRIDGE}", f"PutObject {FRIDGE}", f"CloseObject {FRIDGE}")
    run(made, *shut, f"PickupObject {EGG}")
    event = do(made, "PutObject", PLATE, forceAction=True)
    assert not event.success
    assert FRIDGE in event.error_message


def test_both_forms_of_put() -> None:
    for arguments in ({"objectId": PLATE}, {"objectId": EGG, "receptacleObjectId": PLATE}):
        made = world()
        run(made, f"PickupObject {EGG}")
        assert do(made, "PutObject", **arguments).success
        assert made.room.objects[EGG].parents == (PLATE,)
    made = world()
    run(made, f"PickupObject {EGG}")
    wrong = do(made, "PutObject", objectId=MUG, receptacleObjectId=PLATE)
    assert not wrong.success
    assert MUG in wrong.error_message


@pytest.mark.parametrize("point", [(-0.35, 0.7), (0.35, 0.7), (0.0, 0.95), (0.25, 0.9), (0.05, 0.6)])
def test_what_is_put_near_a_point_lies_near_it(point: tuple[float, float]) -> None:
    """On a bare counter, and where the usual place is near enough, there."""
    scene = kitchen()
    bare = replace(scene, objects=tuple(one for one in scene.objects if one.object_id in (COUNTER, EGG)))
    usual, made = ThorWorld(), ThorWorld()
    for each, near in ((usual, {}), (made, {"near": {"x": point[0], "y": 0.9, "z": point[1]}})):
        each.reset(bare)
        run(each, f"PickupObject {EGG}")
        assert do(each, "PutObject", COUNTER, **near).success
    gaps = [dist(point, centre(each, EGG)[::2]) for each in (usual, made)]
    assert gaps[1] <= 0.25
    assert gaps[1] == gaps[0] if gaps[0] <= 0.25 else gaps[1] < 0.1


def test_contents_travel_with_their_container() -> None:
    made = world()
    run(made, f"PickupObject {EGG}", f"PutObject {PLATE}")
    apart = [a - b for a, b in zip(centre(made, EGG), centre(made, PLATE), strict=True)]
    run(made, f"PickupObject {PLATE}", f"OpenObject {FRIDGE}", f"PutObject {FRIDGE}")
    assert [a - b for a, b in zip(centre(made, EGG), centre(made, PLATE), strict=True)] == pytest.approx(apart)
    assert list(made.room.within(FRIDGE)) == [PLATE, EGG]
    assert list(made.room.around(EGG)) == [PLATE, FRIDGE]
    run(made, f"CloseObject {FRIDGE}")
    assert not made.visible(EGG)
    assert state(made, EGG).temperature == "Cold"
    assert cooled(made) == (EGG, PLATE)


def cooled(made: ThorWorld) -> tuple[str, ...]:
    return tuple(name for name, body in made.room.objects.items() if body.attributes.cooled)


def centre(made: object, object_id: str) -> tuple[float, float, float]:
    return made.room.objects[object_id].centre


def test_what_is_dropped_lies_on_what_is_below() -> None:
    made = world()
    run(made, f"PickupObject {EGG}", "DropHandObject")
    assert made.room.holding is None
    assert made.room.objects[EGG].parents == ()
    x, y, z = centre(made, EGG)
    assert x == pytest.approx(0.0)
    assert 0.1 < z < 0.5
    assert y == pytest.approx(0.03, abs=0.01)


def test_slicing_yields_pieces_where_the_thing_was() -> None:
    made = world((POTATO, {"is_cooked": True, "cooked": True}))
    assert run(made, f"PickupObject {KNIFE}", f"SliceObject {POTATO}").success
    whole = made.room.objects[POTATO]
    assert (whole.is_consumed, whole.parents, made.visible(POTATO)) == (True, (), False)
    pieces = [name for name in made.room.objects if name.startswith(f"{POTATO}|")]
    assert pieces == [f"{POTATO}|PotatoSliced_{k}" for k in range(1, 9)]
    for name in pieces:
        assert made.room.objects[name].parents == (COUNTER,)
        assert state(made, name).is_cooked
    assert run(made, f"SliceObject {EGG}").success
    assert [name for name in made.room.objects if name.startswith(EGG)] == [EGG, f"{EGG}|EggCracked_1"]


@pytest.mark.parametrize("aside", [0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8])
@pytest.mark.parametrize("name", [BREAD, POTATO])
def test_the_agent_sees_and_reaches_every_piece_of_what_it_sees_some_of(name: str, aside: float) -> None:
    made = world()
    assert run(made, f"PickupObject {KNIFE}").success
    made.room.move(name, (aside, 0.95, 0.6))
    seen = made.room.obstacle_to(made.room.objects[name]) is None
    assert do(made, "SliceObject", name, forceAction=True).success
    pieces = [body for ident, body in made.room.objects.items() if ident.startswith(f"{name}|")]
    assert {made.room.obstacle_to(body) is None for body in pieces} == {seen}
    middles = [body.centre[0] for body in pieces]
    assert middles == sorted(middles)
    assert max(middles) - min(middles) < made.room.objects[name].size[0]


def test_what_has_been_sliced_stays_told_of_and_nothing_can_be_done_to_it() -> None:
    """As in AI2-THOR, whose clients look at ``isSliced`` to learn that slicing is done."""
    made = world()
    assert run(made, f"PickupObject {KNIFE}", f"SliceObject {POTATO}", f"PutObject {COUNTER}").success
    told = {each["objectId"]: each for each in made.metadata()["objects"]}
    whole, piece = told[POTATO], told[f"{POTATO}|PotatoSliced_1"]
    assert (whole["isSliced"], whole["parentReceptacles"], whole["visible"]) == (True, None, False)
    assert (piece["isSliced"], piece["parentReceptacles"]) == (False, [COUNTER])
    assert "_Slice_1" in piece["name"]
    assert POTATO not in told[COUNTER]["receptacleObjectIds"]
    before = made.scene()
    for action in ("PickupObject", "SliceObject", "CookObject"):
        for force in (False, True):
            event = made.step(SimulatorAction(action, {"objectId": POTATO, "forceAction": force}))
            assert not event.success
            assert "has been sliced" in event.error_message
    assert made.scene() == before


def test_an_egg_breaks_into_its_piece_and_a_mug_spills() -> None:
    made = world()
    assert run(made, f"FillObjectWithLiquid {MUG}", f"BreakObject {MUG}").success
    assert state(made, MUG).is_broken
    assert state(made, MUG).liquid is None
    assert run(made, f"BreakObject {EGG}").success
    assert f"{EGG}|EggCracked_1" in made.room.objects


EFFECTS: list[tuple[tuple[str, ...], str, dict[str, object]]] = [
    # Faucets clean and fill what is in their basin, in both orders.
    ((f"PickupObject {MUG}", f"PutObject {BASIN}", f"ToggleObjectOn {FAUCET}"), MUG,
     {"is_dirty": False, "liquid": "water", "watered": True, "cleaned": True}),
    ((f"ToggleObjectOn {FAUCET}", f"PickupObject {MUG}", f"PutObject {BASIN}"), MUG,
     {"is_dirty": False, "liquid": "water", "watered": True, "cleaned": False}),
    ((f"PickupObject {EGG}", f"PutObject {BASIN}", f"ToggleObjectOn {FAUCET}"), EGG,
     {"liquid": None, "watered": False, "cleaned": True}),
    ((f"FillObjectWithLiquid {MUG}", f"EmptyLiquidFromObject {MUG}"), MUG,
     {"liquid": None, "watered": False}),
    ((f"PickupObject {MUG}", f"PutObject {BASIN}", f"ToggleObjectOn {FAUCET}", f"ToggleObjectOff {FAUCET}",
      f"EmptyLiquidFromObject {MUG}"), MUG, {"liquid": None, "watered": True}),
    # Coffee only into what was empty.
    ((f"PickupObject {MUG}", f"PutObject {MACHINE}", f"ToggleObjectOn {MACHINE}"), MUG,
     {"liquid": "coffee", "brewed": True, "is_dirty": True, "temperature": "Hot"}),
    ((f"FillObjectWithLiquid {MUG}", f"PickupObject {MUG}", f"PutObject {MACHINE}",
      f"ToggleObjectOn {MACHINE}"), MUG, {"liquid": "water", "brewed": False}),
    ((f"PickupObject {MUG}", f"PutObject {MACHINE}", f"ToggleObjectOn {MACHINE}",
      f"ToggleObjectOff {MACHINE}", f"EmptyLiquidFromObject {MUG}"), MUG, {"liquid": None, "brewed": False}),
    # The microwave heats everything and cooks what it can; toast it does not make.
    ((f"PickupObject {POTATO}", f"OpenObject {MICROWAVE}", f"PutObject {MICROWAVE}",
      f"CloseObject {MICROWAVE}", f"ToggleObjectOn {MICROWAVE}"), POTATO,
     {"is_cooked": True, "cooked": True, "heated": True, "temperature": "Hot", "boiled": False}),
    ((f"PickupObject {EGG}", f"OpenObject {MICROWAVE}", f"PutObject {MICROWAVE}",
      f"CloseObject {MICROWAVE}", f"ToggleObjectOn {MICROWAVE}"), EGG,
     {"is_cooked": False, "cooked": False, "heated": True}),
    # The stove cooks what is in the pan on the burner, in both orders; in water, that is boiling.
    ((f"PickupObject {POTATO}", f"PutObject {PAN}", f"PickupObject {PAN}", f"PutObject {BURNER}",
      f"ToggleObjectOn {KNOB}"), POTATO, {"is_cooked": True, "boiled": False, "temperature": "Hot"}),
    ((f"ToggleObjectOn {KNOB}", f"PickupObject {POTATO}", f"PutObject {PAN}", f"PickupObject {PAN}",
      f"PutObject {BURNER}"), POTATO, {"is_cooked": True, "boiled": False}),
    ((f"FillObjectWithLiquid {POT}", f"PickupObject {POTATO}", f"PutObject {POT}", f"PickupObject {POT}",
      f"PutObject {BURNER}", f"ToggleObjectOn {KNOB}"), POTATO, {"is_cooked": True, "boiled": True}),
    ((f"PickupObject {POT}", f"PutObject {BASIN}", f"ToggleObjectOn {FAUCET}", f"ToggleObjectOff {FAUCET}",
      f"EmptyLiquidFromObject {POT}", f"PickupObject {POTATO}", f"PutObject {POT}", f"PickupObject {POT}",
      f"PutObject {BURNER}", f"ToggleObjectOn {KNOB}"), POTATO, {"is_cooked": True, "boiled": True}),
    ((f"CookObject {POTATO}", f"FillObjectWithLiquid {POT}", f"PickupObject {POTATO}", f"PutObject {POT}",
      f"PickupObject {POT}", f"PutObject {BURNER}", f"ToggleObjectOn {KNOB}"), POTATO,
     {"is_cooked": True, "boiled": False}),
    ((f"ToggleObjectOn {KNOB}",), BURNER, {"temperature": "Hot"}),
    ((f"ToggleObjectOn {KNOB}", f"ToggleObjectOff {KNOB}"), BURNER, {"temperature": "RoomTemp"}),
    # Closing the fridge cools.
    ((f"PickupObject {EGG}", f"OpenObject {FRIDGE}", f"PutObject {FRIDGE}"), EGG, {"cooled": False}),
    ((f"PickupObject {EGG}", f"OpenObject {FRIDGE}", f"PutObject {FRIDGE}", f"CloseObject {FRIDGE}"), EGG,
     {"cooled": True, "temperature": "Cold"}),
    ((f"PickupObject {EGG}",), EGG, {"handled": True}),
    ((f"ToggleObjectOn {LAMP}",), LAMP, {"is_toggled": True}),
]  # fmt: skip


@pytest.mark.parametrize(("steps", "object_id", "expected"), EFFECTS)
def test_effects(steps: tuple[str, ...], object_id: str, expected: dict[str, object]) -> None:
    made = world()
    assert run(made, *steps).success
    attributes = state(made, object_id)
    assert {name: getattr(attributes, name) for name in expected} == expected


def test_bread_is_toasted_in_the_toaster_but_not_in_the_microwave() -> None:
    piece = f"{BREAD}|BreadSliced_1"
    start = (f"PickupObject {KNIFE}", f"SliceObject {BREAD}", f"PutObject {COUNTER}", f"PickupObject {piece}")
    made = world()
    assert run(made, *start, f"PutObject {TOASTER}", f"ToggleObjectOn {TOASTER}").success
    assert state(made, piece).is_cooked
    made = world()
    through = (f"OpenObject {MICROWAVE}", f"PutObject {MICROWAVE}", f"CloseObject {MICROWAVE}")
    assert run(made, *start, *through, f"ToggleObjectOn {MICROWAVE}").success
    assert not state(made, piece).is_cooked
    assert state(made, piece).cooked


def test_alfreds_sets_go_by_id_and_are_not_inherited_by_pieces() -> None:
    made = world()
    cool = (f"PickupObject {POTATO}", f"OpenObject {FRIDGE}", f"PutObject {FRIDGE}", f"CloseObject {FRIDGE}")
    run(made, *cool, f"OpenObject {FRIDGE}", f"PickupObject {POTATO}", f"PutObject {COUNTER}")
    assert cooled(made) == (POTATO,)
    run(made, f"PickupObject {KNIFE}", f"SliceObject {POTATO}")
    assert cooled(made) == (POTATO,)
