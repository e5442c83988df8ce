"""What rooms offer, what goals demand of them, and the slots over objects of a compiled task."""

from __future__ import annotations

from pathlib import Path

import pytest

from chorewright.domains.library import household_domain, household_vocabulary, user_library
from chorewright.domains.pddl import parse_formula
from chorewright.domains.templates.parser import parse_template
from chorewright.errors import UsageError
from chorewright.generator.household.possibilities import RoomFacts, missing, possible_choices, room_facts
from chorewright.generator.production.worlds import compile_task
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.rooms import load_room, room_names

GOALS = [
    ("(exists (?x - mug ?r - fridge) (in ?x ?r))", "FloorPlan10", ()),
    ("(exists (?x - mug ?r - bed) (in ?x ?r))", "FloorPlan10", ("there is no Bed",)),
    ("(exists (?x - soapbar ?r - sink) (in ?x ?r))", "FloorPlan401", ("Sink that things can be put",)),
    ("(exists (?x - soapbar ?r - sinkbasin) (in ?x ?r))", "FloorPlan401", ()),
    ("(exists (?x - item ?r - (either bed fridge)) (in ?x ?r))", "FloorPlan10", ()),
    ("(exists (?x - item ?r - fixture) (in ?x ?r))", "FloorPlan10", ()),
    ("(exists (?x - applesliced ?r - bowl) (in ?x ?r))", "FloorPlan10", ()),
    ("(at-least 1 (?x - bed) (exposed ?x))", "FloorPlan10", ("there is no Bed",)),
    ("(not (exists (?x - bed) (exposed ?x)))", "FloorPlan10", ()),
    ("(or (exists (?x - bed) (exposed ?x)) (not (ajar)))", "FloorPlan10", ()),
    ("(exists (?r - sink) (forall (?x - mug) (in ?x ?r)))", "FloorPlan10", ("Sink that things",)),
    ("(exists (?x - houseplant) (filled ?x))", "FloorPlan201", ()),
    ("(exists (?p - pose) (at ?p))", "FloorPlan10", ()),
]


@pytest.mark.parametrize(("goal", "room", "reasons"), GOALS, ids=[each[0] for each in GOALS])
def test_a_room_lacks_what_a_goal_wants(goal: str, room: str, reasons: tuple[str, ...]) -> None:
    found = missing(parse_formula(goal, household_domain()), household_vocabulary(), room_facts(room, shipped_kinds()))
    assert len(found) == len(reasons), found
    for reason, part in zip(found, reasons, strict=True):
        assert part in reason


HOUSE = RoomFacts(
    "house",
    "house",
    frozenset(("Mug", "Fridge", "Bed", "Desk", "Chair")),
    frozenset(("Fridge", "Bed", "Desk")),
    (
        ("kitchen", frozenset(("Fridge", "Chair"))),
        ("bedroom", frozenset(("Bed", "Desk", "Chair"))),
        ("bedroom", frozenset(("Bed",))),
    ),
)


@pytest.mark.parametrize(
    ("rooms", "kind", "kinds", "places"),
    [
        (("kitchen",), "kitchen", {"Mug", "Fridge", "Chair"}, {"Fridge"}),
        (("bedroom",), "bedroom", {"Mug", "Bed", "Desk", "Chair"}, {"Bed", "Desk"}),
        (("bedroom", "kitchen"), "kitchen", set(HOUSE.kinds), set(HOUSE.places)),
        ((), "house", set(HOUSE.kinds), set(HOUSE.places)),
        (("garage",), "house", set(HOUSE.kinds), set(HOUSE.places)),
    ],
)
def test_a_task_for_some_rooms_finds_their_furniture_only(
    rooms: tuple[str, ...], kind: str, kinds: set[str], places: set[str]
) -> None:
    """Items may be anywhere, as they are carried."""
    found = HOUSE.within(rooms)
    assert (found.name, found.room_kind) == ("house", kind)
    assert (set(found.kinds), set(found.places)) == (kinds, places)


def test_places_are_the_receptacles_of_the_planning_problem() -> None:
    goal = parse_formula("(not (ajar))", household_domain())
    for name in room_names()[::13]:
        problem = household_problem(load_room(name), goal)
        vocabulary = household_vocabulary()
        types = {each.name: each.types[0] for each in problem.problem.objects}
        there = {types[atom[1]] for atom in problem.problem.init if atom[0] == "receptacle"}
        assert {vocabulary.kinds[kind].pddl_type for kind in room_facts(name, shipped_kinds()).places} <= there


def test_a_tasks_fillings_have_something_to_put_things_in() -> None:
    text = user_library().scaffold("t").replace("(and receptacle fixture)", "(or sink sinkbasin bathtub bathtubbasin)")
    template = parse_template(text, household_domain(), household_vocabulary())
    facts = [room_facts(name, shipped_kinds()) for name in room_names()]
    choices = possible_choices("t", template, shipped_kinds(), facts)
    assert {dict(one.parameters)["receptacle"] for one in choices} == {"SinkBasin", "BathtubBasin"}


OVER_OBJECTS = """(define (task hold) (:documentation "Hold it.") (:slots ?x - mug) (:goal (holding ?x)))"""


def test_slots_over_objects_name_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "hold.task"
    path.write_text(OVER_OBJECTS)
    compiled = compile_task(str(path), ["x=mug_1"], "FloorPlan10", 0)
    assert "mug_1" in {each.name for each in compiled.problem.objects}
    for value in ("mug_77", "Mug", "plate_1"):
        with pytest.raises(UsageError, match=f"there is no mug called '{value}'") as caught:
            compile_task(str(path), [f"x={value}"], "FloorPlan10", 0)
        assert "mug_" in (caught.value.hint or "")
