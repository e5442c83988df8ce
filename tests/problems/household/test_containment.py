"""Direct parents out of AI2-THOR's lists, and back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chorewright.problems.household.containment import (
    ancestors,
    contents,
    direct_parents,
    object_metadata,
    supporting_receptacle,
    with_taps,
)
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.scene import SceneObject, Vector


def thing(name: str, centre: Vector, size: Vector = (0.1, 0.1, 0.1), parents: tuple[str, ...] = ()) -> SceneObject:
    kind = name.split("_")[0]
    return SceneObject(name, kind, centre, (0.0, 0.0, 0.0), centre, size, parents, traits=shipped_kinds()[kind])


FLOOR = thing("Floor", (0.0, -0.05, 0.0), (6.0, 0.1, 6.0))
TABLE = thing("DiningTable", (0.0, 0.4, 0.0), (1.5, 0.8, 1.0), ("Floor", "Chair"))
CHAIR = thing("Chair", (0.5, 0.5, 0.0), (0.5, 1.0, 0.5), ("Floor",))
CHAIR = replace(CHAIR, receptacle=True)
COUNTER = thing("CounterTop", (2.0, 0.9, 0.0), (1.0, 0.02, 2.0))
SINK = replace(thing("Sink", (2.0, 0.85, 0.0), (0.6, 0.2, 0.8)), receptacle=True)
BASIN = thing("SinkBasin", (2.0, 0.82, 0.0), (0.5, 0.14, 0.7))
PLATE = thing("Plate", (0.0, 0.815, 0.0), (0.3, 0.03, 0.3), ("DiningTable",))
FRIDGE = thing("Fridge", (-2.0, 1.0, 0.0), (0.8, 2.0, 0.8), ("Floor",))
ROOM = (FLOOR, TABLE, CHAIR, COUNTER, SINK, BASIN, PLATE, FRIDGE)


@pytest.mark.parametrize(
    ("item", "parent"),
    [
        (thing("Apple", (0.4, 0.85, 0.0), parents=("Chair", "DiningTable", "Floor")), "DiningTable"),
        (thing("Book", (0.5, 0.55, 0.0), parents=("Chair", "Floor")), "Chair"),
        (thing("Apple", (0.0, 0.88, 0.0), parents=("DiningTable", "Plate")), "Plate"),
        (thing("Mug", (2.0, 0.80, 0.1), parents=("CounterTop", "SinkBasin", "Sink")), "SinkBasin"),
        (thing("Mug", (2.3, 0.96, 0.8), parents=("CounterTop",)), "CounterTop"),
        (thing("Egg", (-2.0, 0.5, 0.0), parents=("Floor", "Fridge")), "Fridge"),
        (thing("Egg", (-2.0, 0.5, 0.0)), "Fridge"),
        (thing("Apple", (0.4, 0.85, 0.3)), "DiningTable"),
        (thing("Boots", (-1.0, 0.05, 2.0)), "Floor"),
        (thing("Boots", (-1.0, 0.05, 2.0), parents=("no such thing",)), "Floor"),
    ],
)
def test_direct_parent(item: SceneObject, parent: str) -> None:
    assert direct_parents((*ROOM, item))[-1].parents == (parent,)


def test_fixtures_keep_only_what_carries_them() -> None:
    found = {other.object_id: other.parents for other in direct_parents(ROOM)}
    assert found["DiningTable"] == ("Floor",)
    assert found["Fridge"] == ("Floor",)
    assert found["CounterTop"] == ()


def test_held_items_lie_nowhere() -> None:
    assert direct_parents((*ROOM, thing("Mug", (2.0, 0.8, 0.1))), held="Mug")[-1].parents == ()


def test_without_a_floor() -> None:
    lonely = thing("Mug", (0.0, 0.0, 0.0))
    assert direct_parents((lonely,)) == (lonely,)
    assert supporting_receptacle(lonely, (lonely,)) is None


def test_cycles_are_cut() -> None:
    one, two = (thing("Bowl_1", (0, 0, 0), parents=("Bowl_2",)), thing("Bowl_2", (0, 0, 0), parents=("Bowl_1",)))
    found = direct_parents((one, two))
    assert sorted(len(other.parents) for other in found) == [0, 1]


def test_there_and_back() -> None:
    objects = direct_parents((*ROOM, thing("Apple", (0.0, 0.88, 0.0), parents=("Plate",))))
    parents = {other.object_id: other.parents for other in objects}
    assert ancestors("Apple", parents) == ("Plate", "DiningTable", "Floor")
    assert contents(objects)["DiningTable"] == ("Plate",)
    assert contents(objects, deep=True)["DiningTable"] == ("Plate", "Apple")


def test_taps_control_the_basins_they_are_nearest_to() -> None:
    near, far = thing("Faucet_1", (2.2, 1.0, 0.0)), thing("Faucet_2", (-2.0, 1.0, 0.0))
    tub = thing("BathtubBasin", (-2.0, 0.2, 0.5), (0.8, 0.4, 1.6))
    found = {other.object_id: other.controls for other in with_taps((*ROOM, near, far, tub))}
    assert found["Faucet_1"] == ("Sink", "SinkBasin")
    assert found["Faucet_2"] == ("BathtubBasin",)
    assert with_taps((BASIN,)) == (BASIN,)


def test_what_is_known_of_a_thing_is_taken_over_and_what_others_do_is_told_anew() -> None:
    scene = load_room("FloorPlan8")
    for body in scene.objects:
        whole = object_metadata(body, ("a", "b"), ("c",), (0.0, 1.0, 0.0), held=True)
        known = object_metadata(body, (), (), (9.0, 9.0, 9.0))
        assert object_metadata(body, ("a", "b"), ("c",), (0.0, 1.0, 0.0), held=True, own=known) == whole
        assert (known["isPickedUp"], known["parentReceptacles"]) == (False, None)
        assert object_metadata(body, (), (), (9.0, 9.0, 9.0), own={**known, "mass": -1})["mass"] == -1
