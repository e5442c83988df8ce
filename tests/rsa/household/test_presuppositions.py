"""What sentences take for granted of the start."""

from __future__ import annotations

import pytest

from chorewright.domains.library import household_vocabulary
from chorewright.rsa.household.presuppositions import Presupposition, presuppositions

TAKEN = {
    "Turn off all the lamps.": [("state", "DeskLamp FloorLamp", "is-on", True)],
    "Turn all other lamps off.": [("state", "DeskLamp FloorLamp", "is-on", True)],
    "Switch the television on.": [("state", "Television", "is-on", False)],
    "Shut the laptop down and close it.": [("state", "Laptop", "is-on", True)],
    "Close every box and turn off the laptop.": [("state", "Box", "is-open", True), ("state", "Laptop", "is-on", True)],
    "Empty the kettle.": [("state", "Kettle", "filled", True)],
    "Wash every cup.": [("state", "Cup", "dirty", True)],
    "Put some soap out of sight.": [],
    "Pick the toilet paper up off the floor.": [("in", "ToiletPaper", "Floor", True)],
    "Pick up the toilet paper from the floor.": [("in", "ToiletPaper", "Floor", True)],
    "Take the mug out of the sink.": [("in", "Mug", "Sink SinkBasin", True)],
    "Put a pen or a pencil on the desk.": [("out", "Pen Pencil", "Desk", True)],
    "Put the plate and the fork into the fridge.": [("out", "Plate", "Fridge", True), ("out", "Fork", "Fridge", True)],
    "No lamp may stay on.": [],
    "The mug must be empty.": [],
    "Leave the keys on the sofa.": [],
}
NUMBERS = {
    "Put three forks in a drawer.": [("Fork", 3)],
    "Both pillows belong on the bed.": [("Pillow", 2)],
    "Leave at most two pillows on the bed.": [],
    "Put the remote on the sofa.": [("RemoteControl", 1), ("Sofa", 1)],
}


def taken(sentence: str, *whats: str) -> list[Presupposition]:
    found = presuppositions(sentence, household_vocabulary(), ("dirty",))
    return [each for each in found if each.what in whats]


@pytest.mark.parametrize("sentence", TAKEN)
def test_changes_and_moves_take_the_start_for_granted(sentence: str) -> None:
    found = taken(sentence, "state", "in", "out")
    assert len(found) == len(TAKEN[sentence])
    for each, (what, kinds, state, wanted) in zip(found, TAKEN[sentence], strict=True):
        assert (each.what, each.wanted) == (what, wanted)
        assert set(kinds.split()) <= each.kinds
        assert each.state == state if what == "state" else set(state.split()) <= each.places


@pytest.mark.parametrize("sentence", NUMBERS)
def test_numbers_take_so_many_for_granted(sentence: str) -> None:
    found = {(kind, each.number) for each in taken(sentence, "exists") for kind in each.kinds}
    assert set(NUMBERS[sentence]) <= found
    assert NUMBERS[sentence] or not any(number > 1 for _, number in found)


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("Take both plates out of the sink.", {"there are two plates", "plates are in or on a thing called 'sink'"}),
        ("Turn off the lamp.", {"there is a thing called 'lamp'", "a thing called 'lamp' is on"}),
    ],
)
def test_what_is_taken_for_granted_is_said_in_english(sentence: str, said: set[str]) -> None:
    assert said <= {each.text for each in presuppositions(sentence, household_vocabulary())}


def test_washing_is_of_the_dirty_only_where_the_goal_says_so() -> None:
    assert [each.what for each in presuppositions("Wash a cup.", household_vocabulary())] == ["exists"]
