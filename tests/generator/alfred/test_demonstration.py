"""What of a task ALFRED would take for done at the start: it looks for names in names, and for things however deep."""

from __future__ import annotations

import pytest

from chorewright.generator.alfred.demonstration import conditions_met_at_start
from chorewright.problems.household.rooms import load_room

SIMPLE, TWO, STACK = "pick_and_place_simple", "pick_two_obj_and_place", "pick_and_place_with_movable_recep"
CARD, BOWL = "CreditCard|+00.47|+00.98|-01.86", "Bowl|+00.48|+00.97|-01.85"
DRESSER, TABLE = "Dresser|+00.01|+00.00|-01.68", "SideTable|+02.24|00.00|+01.33"
PENCIL, KEYS = "Pencil|-00.17|+00.98|-01.57", "KeyChain|+02.18|+00.56|+01.46"


@pytest.mark.parametrize(
    ("task", "filled", "met"),
    [
        (SIMPLE, {"object": "KeyChain", "receptacle": "SideTable"}, f"{KEYS} in {TABLE} for a KeyChain in a SideTable"),
        (TWO, {"object": "CreditCard", "receptacle": "Dresser"}, f"{CARD} in {DRESSER} for a CreditCard in a Dresser"),
        (SIMPLE, {"object": "Pen", "receptacle": "Dresser"}, f"{PENCIL} in {DRESSER} for a Pen in a Dresser"),
        (SIMPLE, {"object": "KeyChain", "receptacle": "Dresser"}, ""),
        (SIMPLE, {"object": "CreditCard", "receptacle": "Bowl"}, f"{CARD} in {BOWL} for a CreditCard in a Bowl"),
        (f"{SIMPLE}_sliced", {"object": "KeyChain", "receptacle": "SideTable"}, ""),
        ("look_at_obj_in_light", {"object": "KeyChain", "receptacle": "SideTable"}, ""),
        (
            STACK,
            {"object": "CreditCard", "movable": "Bowl", "receptacle": "Bed"},
            f"{CARD} in {BOWL} for a CreditCard in a Bowl",
        ),
        (
            STACK,
            {"object": "Pen", "movable": "Bowl", "receptacle": "Dresser"},
            f"{BOWL} in {DRESSER} for a Bowl in a Dresser",
        ),
        (STACK, {"object": "Pen", "movable": "Bowl", "receptacle": "Bed"}, ""),
        (f"{STACK}_sliced", {"object": "CreditCard", "movable": "Bowl", "receptacle": "Bed"}, ""),
    ],
)
def test_conditions_are_met_as_alfred_sees_them(task: str, filled: dict[str, str], met: str) -> None:
    told = conditions_met_at_start(task, tuple(filled.items()), load_room("FloorPlan317"))
    assert told == (f"ALFRED takes {met}" if met else "")
