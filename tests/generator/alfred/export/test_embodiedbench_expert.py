"""The expert of skills in a world of a line: skills mean the nearest thing of a kind, and the expert copes."""

from __future__ import annotations

import math
from typing import Any

import pytest

from chorewright.generator.alfred.export.embodiedbench_expert import SkillExpert
from chorewright.generator.alfred.export.embodiedbench_skills import (
    SkillInteraction,
    choices,
    dialect,
    kind_of,
    nearest,
)

REACH = 1.5
MOST_SKILLS = 30
FURNITURE = ("Desk", "Shelf", "Bed", "Floor")


class Line:
    """Things along a line; ``find`` leads to where a thing is, all else is done to the nearest of its kind.

    Args:
        places: Where things are, by their ids.
        receptacles: Those that take others.
        within: What lies in what.
    """

    def __init__(self, places: dict[str, float], receptacles: set[str], within: dict[str, str]) -> None:
        self.places, self.receptacles, self.within = dict(places), receptacles, dict(within)
        self.at = 100.0
        self.held = self.found = ""
        self.sliced = False

    @property
    def objects(self) -> list[dict[str, Any]]:
        """The metadata of all things."""
        return [self._told(ident) for ident in self.places]

    def _told(self, ident: str) -> dict[str, Any]:
        away = abs(self.places[ident] - self.at)
        kind = kind_of(ident)
        inner = [each for each, outer in self.within.items() if outer == ident]
        return {
            "objectId": ident, "objectType": kind, "name": ident.replace("|TomatoSliced", "_Slice"), "distance": away,
            "position": {"x": self.places[ident], "y": 0.0, "z": 0.0}, "visible": away <= REACH,
            "parentReceptacles": [self.within[ident]] if ident in self.within else None,
            "receptacle": ident in self.receptacles, "receptacleObjectIds": inner,
            "pickupable": kind not in FURNITURE and f"{ident}|TomatoSliced_0" not in self.places,
            "isPickedUp": ident == self.held,
            "openable": False, "isOpen": False, "toggleable": False, "isToggled": False,
            "sliceable": kind == "Tomato" and "Sliced" not in ident,
        }  # fmt: skip

    def do(self, skill: str, names: dict[str, str]) -> None:
        """Do a skill of EB-ALFRED's."""
        verb, name = skill.split()[0], skill.split()[-1]
        if verb == "find":
            self.found = names.get(name) or nearest(name, self.objects, verb="find", pieces_first=self.sliced)
            self.at = self.places[self.found]
        elif verb == "pick":
            chosen = nearest(name, self.objects, verb="pick", pieces_first=self.sliced)
            if not self.held and abs(self.places[chosen] - self.at) <= REACH:
                self.held = chosen
                self.within.pop(chosen, None)
        elif verb == "put" and self.held:
            for each in (self.held, *(each for each, outer in self.within.items() if outer == self.held)):
                self.places[each] = self.places[self.found]
            self.within[self.held], self.held = self.found, ""
        elif verb == "slice":
            chosen = nearest(name, self.objects, verb="slice", pieces_first=False)
            self.sliced = True
            self.places |= {f"{chosen}|TomatoSliced_{n}": self.places[chosen] for n in range(3)}


def play(line: Line, plan: list[SkillInteraction]) -> list[str]:
    """Let the expert lead through a plan; return what it said, all of it sentences that a model may choose."""
    expert = SkillExpert(plan, line.objects, dialect("eb-alfred"))
    names = {name: ident for ident, name in expert._names.items()}
    said: list[str] = []
    offered = choices(dialect("eb-alfred"), line.objects)
    while (skill := expert.act(line.objects)) is not None:
        assert skill in offered
        said.append(skill)
        assert len(said) <= MOST_SKILLS
        line.do(skill, names)
    return said


@pytest.mark.parametrize("place", ["Desk|1", "Floor|1"])
def test_what_is_in_the_way_is_put_aside(place: str) -> None:
    """The plate that holds the spoon is behind another one, which every skill means first; no skill finds the floor."""
    line = Line(
        {"Plate|1": 0.1, "Plate|2": 0.1, place: 0.1, "Shelf|1": 9.0, "Bed|1": 5.0, "Spoon|1": 0.1},
        {"Plate|1", "Plate|2", place, "Shelf|1", "Bed|1"},
        {"Plate|1": place, "Plate|2": place, "Spoon|1": "Plate|2"},
    )
    said = play(line, [SkillInteraction("pick", "Plate|2"), SkillInteraction("put", "Plate|2", "Shelf|1")])
    assert line.within["Plate|2"] == "Shelf|1"
    assert line.within["Spoon|1"] == "Plate|2"
    assert line.within.get("Plate|1") in ("Bed|1", place), said


@pytest.mark.parametrize("first", ["Floor|1", "Floor|2"])
def test_another_place_of_the_kind_does_where_only_that_is_offered(first: str) -> None:
    """The first of a kind that no skill finds has no skill; the second is found by its number."""
    line = Line({"Mug|1": 0.0, "Shelf|1": 9.0, "Floor|1": 2.0, "Floor|2": 4.0}, {"Shelf|1", "Floor|1", "Floor|2"}, {})
    said = play(line, [SkillInteraction("pick", "Mug|1"), SkillInteraction("put", "Mug|1", first)])
    assert line.within == {"Mug|1": "Floor|2"}, said


def test_any_thing_of_a_kind_does_unless_something_lies_in_it() -> None:
    line = Line({"Mug|1": 0.0, "Mug|2": 0.4, "Shelf|1": 3.0}, {"Mug|1", "Mug|2", "Shelf|1"}, {})
    play(line, [SkillInteraction("pick", "Mug|2"), SkillInteraction("put", "Mug|2", "Shelf|1")])
    assert sum(outer == "Shelf|1" for outer in line.within.values()) == 1


@pytest.mark.parametrize("near", [0.0, 0.2])
def test_a_piece_of_what_was_cut_in_place_of_another_does(near: float) -> None:
    """The tomato that was put down is cut, or its neighbour; the plan goes on with a piece of what was."""
    line = Line(
        {"Tomato|1": 0.2, "Tomato|2": near, "Knife|1": 0.0, "Desk|1": 0.1, "Shelf|1": 3.0, "Bed|1": 6.0},
        {"Desk|1", "Shelf|1", "Bed|1"},
        {"Tomato|2": "Desk|1"},
    )
    piece = "Tomato|1|TomatoSliced_2"
    plan = [
        SkillInteraction("pick", "Tomato|1"),
        SkillInteraction("put", "Tomato|1", "Desk|1"),
        SkillInteraction("pick", "Knife|1"),
        SkillInteraction("slice", "Tomato|1"),
        SkillInteraction("put", "Knife|1", "Bed|1"),
        SkillInteraction("pick", piece),
        SkillInteraction("put", piece, "Shelf|1"),
    ]
    said = play(line, plan)
    assert [skill for skill in said if skill.startswith("slice")] == ["slice the Tomato"]
    moved = [ident for ident, outer in line.within.items() if outer == "Shelf|1"]
    assert len(moved) == 1
    assert "TomatoSliced" in moved[0]
    assert math.isclose(line.places[moved[0]], 3.0)
