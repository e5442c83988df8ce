"""The template format: what it means, and what is said about mistakes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from chorewright.domains.formulas import Universe, conjuncts
from chorewright.domains.library import find_template, household_domain, household_vocabulary, user_library
from chorewright.domains.pddl import parse_domain, parse_formula, write_formula
from chorewright.domains.templates.goal_templates import (
    GoalTemplate,
    candidates,
    fillable,
    instantiate,
    parse_binding,
    slot_candidates,
)
from chorewright.domains.templates.parser import parse_template
from chorewright.domains.templates.slots import MAX_SLOTS
from chorewright.domains.vocabulary_files import ROOMS, vocabulary_of_domain
from chorewright.errors import InputErrors, LimitError, UsageError
from chorewright.problems.household.rooms import room_kind

GOOD = """(define (task serve)
  (:domain household)
  (:documentation "Serve it.")
  (:slots
    ?dish  in (and tableware (or receptacle drinkware) (not (or cup winebottle)))
    ?a ?b  in fruit
    ?place in (and tables fixture))
  (:where
    (distinct ?a ?b)
    (fits ?dish ?place)
    (imply (= ?place desk) (not (breakable ?dish))))
  (:rooms kitchen living_room)
  (:needs fridge (or knife butterknife))
  (:defaults (?place DiningTable))
  (:goal
    (exists (?d - ?dish ?p - ?place)
      (and (in ?d ?p)
        (exists (?x - (either ?a ?b)) (in ?x ?d))
        (at-least 1 (?y - ?a) (cool ?y)))))
  (:conditions
    (placed (exists (?d - ?dish ?p - ?place) (in ?d ?p)))
    (chilled (exists (?x - (either ?a ?b)) (cool ?x))))
  (:say
    "Serve {a a} and some {bs} {in dish} {a dish} {in place} the {place}."
    "Put the {dish} {into place} the {place}"))
"""


def parse(text: str) -> GoalTemplate:
    return parse_template(text, household_domain(), household_vocabulary(), "serve.task")


def errors_of(text: str) -> list[tuple[int | None, int | None, str, str | None]]:
    with pytest.raises(InputErrors) as caught:
        parse(text)
    found = []
    for error in caught.value.errors:
        assert error.location is not None
        assert error.location.path == "serve.task"
        assert error.location.source_line == text.splitlines()[(error.location.line or 0) - 1]
        found.append((error.location.line, error.location.column, error.message, error.hint))
    return found


def test_a_template_is_read_filled_and_said() -> None:
    template = parse(GOOD)
    vocabulary = household_vocabulary()
    assert template.slot_names == ("dish", "a", "b", "place")
    assert slot_candidates(template.slots[0], vocabulary) == ("Bottle", "Bowl", "Mug", "Plate")
    assert template.rooms == ("kitchen", "living_room")
    assert [text for text, _ in template.needs] == ["fridge", "(or knife butterknife)"]
    binding = parse_binding(template, ["DISH=bowl", "a=apple", "b=tomato"], vocabulary)
    assert binding == (("dish", "Bowl"), ("a", "Apple"), ("b", "Tomato"), ("place", "DiningTable"))
    goal = instantiate(template, binding, vocabulary)
    assert goal.binding == binding
    assert write_formula(goal.goal) == write_formula(
        parse_formula(
            "(exists (?d - bowl ?p - diningtable) (and (in ?d ?p)"
            " (exists (?x - (either apple tomato)) (in ?x ?d)) (at-least 1 (?y - apple) (cool ?y))))",
            household_domain(),
        )
    )
    assert [name for name, _ in goal.conditions] == ["placed", "chilled"]
    assert goal.sentences == (
        "Serve an apple and some tomatoes in a bowl on the dining table.",
        "Put the bowl onto the dining table",
    )


def test_candidates_are_what_the_constraints_say() -> None:
    template, vocabulary = parse(GOOD), household_vocabulary()
    expected = [
        (("dish", dish), ("a", a), ("b", b), ("place", place))
        for dish in ("Bottle", "Bowl", "Mug", "Plate")
        for a in vocabulary.set_members("fruit")
        for b in vocabulary.set_members("fruit")
        for place in vocabulary.set_members("tables")
        if a != b and vocabulary.fits(dish, place) and not (place == "Desk" and vocabulary.is_a(dish, "breakable"))
    ]
    assert list(candidates(template, vocabulary)) == expected
    fixed = candidates(template, vocabulary, {"a": "Apple", "place": "Desk"})
    assert list(fixed) == [each for each in expected if ("a", "Apple") in each and ("place", "Desk") in each]
    for binding in fixed:
        assert instantiate(template, binding, vocabulary).binding == binding


def test_conditions_default_to_the_parts_of_the_goal() -> None:
    text = """(define (task t) (:say "T.") (:slots ?o in mug)
      (:goal (and (exists (?x - ?o) (hot ?x)) (not (ajar)))))"""
    goal = instantiate(parse(text), {"o": "Mug"}, household_vocabulary())
    assert goal.conditions == tuple(zip(("goal-1", "goal-2"), conjuncts(goal.goal), strict=True))
    assert goal.sentences == ("T.",)


MISTAKES = [
    ("?dish  in", "?dish", (5, 11, "a slot is expected here, not '(and tableware", "constraints such as")),
    ("tableware", "tablewear", (5, 20, "there is no set or kind 'tablewear'", "did you mean 'tableware'?")),
    ("(not (or cup winebottle))", "(or)", (5, 56, "a set is expected here, not '(or)'", "sets are named")),
    ("?a ?b  in fruit", "?a ?a  in fruit", (6, 8, "the slot '?a' is declared twice", None)),
    ("in fruit", "in (and fruit lamp)", (6, 5, "no kind can fill the slot '?a'", "its set is empty")),
    ("(distinct ?a ?b)", "(distinct ?a ?c)", (9, 18, "there is no slot '?c'", None)),
    ("(distinct ?a ?b)", "(distinct ?a)", (9, 5, "'distinct' takes 2 to 100 slots, not 1", None)),
    ("(distinct ?a ?b)", "(= ?a ?b) (distinct ?a ?b)", (4, 3, "no combination of kinds fills the slots", "the")),
    ("(fits ?dish", "(fist ?dish", (10, 6, "'fist' is neither a set nor a relation of kinds", "did you mean")),
    ("(fits ?dish ?place)", "(fits ?dish)", (10, 5, "'fits' takes 2 slots or kinds, not 1", None)),
    ("(= ?place desk)", "(= ?place dask)", (11, 22, "there is no kind 'dask'", "did you mean 'desk'?")),
    (
        "(fits ?dish ?place)",
        "(exists (?x) (fits ?x ?place))",
        (10, 14, "':where' relates slots and kinds: it has no quantifiers", None),
    ),
    (":where", ":whare", (8, 4, "':whare' is not a section of a task", "did you mean ':where'?")),
    ("(:rooms", "(rooms", (12, 3, "a section of the task is expected here, not '(rooms", "write '(:rooms ...'")),
    (
        "kitchen living_room",
        "kichen living-room",
        (12, 11, "there is no kind of room 'kichen'", "did you mean 'kitchen'?"),
    ),
    ("kitchen living_room", "attic", (12, 11, "there is no kind of room 'attic'", "rooms are kitchen")),
    ("fridge (or", "frige (or", (13, 11, "there is no set or kind 'frige'", "did you mean 'fridge'?")),
    ("(?place D", "(?plaice D", (14, 14, "there is no slot '?plaice'", "did you mean '?place'?")),
    ("DiningTable", "Sofa", (14, 14, "'Sofa' cannot fill the slot '?place'", None)),
    ("(in ?d ?p)\n", "(inn ?d ?p)\n", (17, 13, "the predicate 'inn' is not declared", "did you mean 'in'?")),
    ("(in ?d ?p)\n", "(in ?d)\n", (17, 12, "'in' takes 2 arguments, not 1", "it is declared as")),
    ("(in ?x ?d)", "(in ?x ?e)", (18, 46, "the variable '?e' is not bound here", None)),
    ("(cool ?y)", "(cool ?a)", (19, 37, "the slot '?a' is a kind, not an object", "write (exists (?x - ?a)")),
    ("(either ?a ?b)) (in", "(either ?a ?q)) (in", (18, 34, "there is no slot '?q'", "slots are declared")),
    (
        "(?y - ?a)",
        "(?y - (and fruit (not tomatto)))",
        (19, 43, "the type 'tomatto' is not declared", "did you mean 'tomato'?"),
    ),
    (
        "(?y - ?a)",
        "(?y - (and fruit (not ?a)))",
        (19, 27, "a type is expected here, not '(and fruit (not ?a))'", "a slot is a type by itself"),
    ),
    ("(?y - ?a)", "(?place - ?a)", (19, 22, "the variable '?place' has the name of a slot", "give it another")),
    ("(cool ?y)", "(at ?y)", (19, 35, "'?y' is a ?a, but 'at' takes a pose here", "it is declared as")),
    ("(chilled", "(placed", (22, 5, "the condition 'placed' occurs twice", "give it another")),
    ("(:goal", "(:goal (ajar)", (16, 5, "':goal' takes one condition, not 2", "join several with (and ...)")),
    ("{a a}", "{an a}", (24, 12, "'{an a}' is not a slot of this task", "did you mean")),
    ("{bs}", "{cs}", (24, 27, "'{cs}' is not a slot of this task", "keys are")),
    ('the {place}"', 'the {place"', (25, 38, "'{' has no partner", "slots are written {slot}")),
    ('it.")', 'it.") (:tags a b a)', (3, 43, "the tag 'a' occurs twice", None)),
    ('it.")', 'it.") (:tags (a))', (3, 39, "", None)),
    ('it.")', 'it.") :tags a)', (3, 32, "':tags' stands outside of any section", "write '(:tags'")),
    ('it.")', 'it.") (:number x)', (3, 41, "':number' takes one whole number", "for example")),
    ('it.")', 'it.") (:number)', (3, 32, "':number' takes one whole number", "for example")),
    ('it.")', 'it.") (:effort many)', (3, 41, "':effort' takes one whole number", "for example")),
    ('it.")', 'it.") (:effort 9999999999)', (3, 41, "the evaluations of a task must be at most 1000000000", None)),
    ('it.")', f'it.") (:number {"0" * 12}10000)', (3, 41, "the number of a task must be at most 9999", None)),
    ('it.")', 'it.") (:number 10000)', (3, 41, "the number of a task must be at most 9999", None)),
    ("household)", "kitchen)", (2, 12, "this task is for the domain 'kitchen', not 'household'", None)),
]


@pytest.mark.parametrize(("old", "new", "expected"), MISTAKES, ids=[new.strip()[:30] for _, new, _ in MISTAKES])
def test_a_mistake_is_reported_where_it_is(old: str, new: str, expected: tuple[int, int, str, str | None]) -> None:
    assert old in GOOD
    found = errors_of(GOOD.replace(old, new, 1))
    line, column, message, hint = expected
    match = [each for each in found if each[:2] == (line, column) and each[2].startswith(message)]
    assert match, found
    assert hint is None or (match[0][3] or "").startswith(hint)


def test_several_mistakes_are_reported_in_one_run() -> None:
    text = (
        GOOD.replace("tableware", "tablewear")
        .replace("(fits ?dish", "(fist ?dish")
        .replace("(in ?x ?d)", "(inn ?x ?d)")
    )
    text = text.replace("{bs}", "{cs}")
    assert [(line, message) for line, _, message, _ in errors_of(text)] == [
        (5, "there is no set or kind 'tablewear'"),
        (10, "'fist' is neither a set nor a relation of kinds"),
        (18, "the predicate 'inn' is not declared"),
        (24, "'{cs}' is not a slot of this task"),
    ]


def test_a_broken_condition_hides_no_other_mistake() -> None:
    text = GOOD.replace("(in ?d ?p)\n", "(in ?d ?p) (not) (inn ?d ?p)\n").replace("(cool ?y)", "(cold ?y)")
    assert [(line, message) for line, _, message, _ in errors_of(text)] == [
        (17, "'not' takes 1 condition, not 0"),
        (17, "the predicate 'inn' is not declared"),
        (19, "the predicate 'cold' is not declared"),
    ]


def test_a_mistake_in_a_goal_without_conditions_is_reported_once() -> None:
    text = '(define (task t) (:say "T.") (:goal (exists (?x - mug) (hott ?x))))'
    assert [message for _, _, message, _ in errors_of(text)] == ["the predicate 'hott' is not declared"]


def test_rooms_may_be_written_with_a_hyphen() -> None:
    assert parse(GOOD.replace("living_room", "living-room")).rooms == ("kitchen", "living_room")
    assert [room_kind(f"FloorPlan{number}") for number in (1, 201, 301, 401)] == list(ROOMS)


def test_a_task_without_sentences_is_said_by_its_goal() -> None:
    template = parse("(define (task t) (:goal (and (exists (?m - mug) (holding ?m)) (not (ajar)))))")
    first = instantiate(template, {}, household_vocabulary()).sentences[0]
    assert first == "Make sure that a mug is in your hand and no door is left open."


def test_a_task_without_slots_has_no_keys() -> None:
    found = errors_of('(define (task t) (:goal (not (ajar))) (:say "Close {a thing}."))')
    assert found[0][2:] == ("'{a thing}' is not a slot: this task has none", "write the words themselves")


def test_a_broken_constraint_says_what_is_possible() -> None:
    with pytest.raises(UsageError) as caught:
        parse_binding(parse(user_library().scaffold("t")), ["object=Mug", "receptacle=Bed"], household_vocabulary())
    assert caught.value.hint is not None
    assert re.search(r"\(fits .* does not hold; for 'receptacle' possible are .*CounterTop", caught.value.hint)


def test_the_scaffold_is_filled_with_what_holds_things() -> None:
    fillings = candidates(parse(user_library().scaffold("t")), household_vocabulary())
    receptacles = {dict(each)["receptacle"] for each in fillings}
    assert "SinkBasin" in receptacles
    assert not receptacles & {"Sink", "Bathtub"}


def test_an_unused_slot_is_an_error() -> None:
    text = '(define (task t) (:say "T.") (:slots ?o in mug ?p in bowl) (:goal (exists (?x - ?o) (hot ?x))))'
    assert errors_of(text) == [(1, 48, "the slot '?p' is not used in the goal", "(exists (?x - ?p) ...)")]


def test_slots_are_limited() -> None:
    slots = " ".join(f"?s{number} in mug" for number in range(MAX_SLOTS + 1))
    used = " ".join(f"(exists (?x - ?s{number}) (hot ?x))" for number in range(MAX_SLOTS + 1))
    found = errors_of(f"(define (task t)\n(:slots {slots}) (:goal (and {used})))")
    assert found[0][2] == f"a task has at most {MAX_SLOTS} slots, not {MAX_SLOTS + 1}"


def test_too_many_candidates_are_a_limit_error() -> None:
    slots = " ".join(f"?s{number}" for number in range(5))
    used = " ".join(f"(exists (?x - ?s{number}) (hot ?x))" for number in range(5))
    template = parse(f'(define (task t) (:say "T.") (:slots {slots} in pickupable) (:goal (and {used})))')
    assert fillable(template, household_vocabulary())
    with pytest.raises(LimitError, match="more than"):
        candidates(template, household_vocabulary())


def mutations(step: int) -> Iterator[str]:
    """Every prefix; every token deleted or doubled (each ``step``-th); bytes, line ends, brackets."""
    yield from (GOOD[:cut] for cut in range(0, len(GOOD), step))
    for token in list(re.finditer(r'"[^"]*"|[^\s()"]+|[()]', GOOD))[::step]:
        yield GOOD[: token.start()] + GOOD[token.end() :]
        yield GOOD[: token.end()] + " " + token.group() + GOOD[token.end() :]
    yield GOOD.replace("fruit", "fr\0uit")
    yield GOOD.replace("fruit", "früit")
    yield "\ufeff" + GOOD.replace("\n", "\r\n")
    yield GOOD.replace('"Serve', "Serve")
    yield "(" * 100_000
    yield " " * 100_001
    yield GOOD.replace("in fruit", "in " + "(not " * 150 + "fruit" + ")" * 150)
    yield GOOD.replace("in fruit", "in (or " + "fruit " * 10_000 + ")")


@pytest.mark.parametrize("step", [11, pytest.param(1, marks=pytest.mark.slow)])
def test_broken_files_give_our_errors_inside_the_file(step: int) -> None:
    for text in mutations(step):
        try:
            parse(text)
        except InputErrors as errors:
            found: tuple[Exception, ...] = errors.errors
        except LimitError as error:
            found = (error,)
        else:
            continue
        lines = text.replace("\r\n", "\n").split("\n")
        for error in found:
            location = error.location
            if location.line is None:
                assert isinstance(error, LimitError)
                continue
            assert 1 <= location.line <= len(lines)
            assert 1 <= location.column <= len(lines[location.line - 1]) + 1


BINDINGS = [
    (["dish"], "'dish' does not fill a slot", "write SLOT=KIND"),
    (["dish="], "'dish=' does not fill a slot", "write SLOT=KIND"),
    (["dsh=Bowl"], "serve has no slot 'dsh'", "did you mean 'dish'?"),
    (["dish=Bowle"], "unknown kind 'Bowle'", "did you mean 'Bowl'?"),
    (["dish=Bowl", "dish=Mug"], "the slot 'dish' is filled twice", None),
    (["dish=Bowl", "a=Apple"], "the slot 'b' of serve is not filled", "add b=..., for example b=Apple"),
    (["dish=Cup", "a=Apple", "b=Tomato"], "Cup cannot fill the slot 'dish' of serve", "possible are Bottle, Bowl"),
    (["dish=Bowl", "a=Apple", "b=Apple"], "serve cannot be filled with dish=Bowl, a=Apple", "its constraint (distinct"),
    (
        ["dish=Mug", "a=Apple", "b=Tomato", "place=desk"],
        "serve cannot be filled with",
        "its constraint (imply (= ?place",
    ),
]


@pytest.mark.parametrize(("arguments", "message", "hint"), BINDINGS, ids=[" ".join(each[0]) for each in BINDINGS])
def test_arguments_that_fill_no_slots(arguments: list[str], message: str, hint: str | None) -> None:
    with pytest.raises(UsageError) as caught:
        parse_binding(parse(GOOD), arguments, household_vocabulary())
    assert caught.value.message.startswith(message)
    assert (caught.value.hint or "").startswith(hint or "")


def test_a_whole_thing_hints_at_its_pieces() -> None:
    template = find_template("pick_and_place_simple_sliced")
    with pytest.raises(UsageError) as caught:
        parse_binding(template, ["object=Apple", "receptacle=CounterTop"], household_vocabulary())
    assert caught.value.hint == "did you mean 'AppleSliced'?"


TABLETOP = """(define (domain tabletop) (:requirements :adl :typing)
  (:types block place - object cube ball - block)
  (:constants red_cube blue_cube - cube green_ball - ball left right - place)
  (:predicates (on ?b - block ?p - place)))"""


def test_slots_range_over_objects_too() -> None:
    domain = parse_domain(TABLETOP)
    vocabulary = vocabulary_of_domain(domain)
    text = """(define (task move) (:domain tabletop)
      (:slots ?a ?b - cube ?p - place ?kind in block)
      (:where (distinct ?a ?b))
      (:goal (and (on ?a ?p) (not (on ?b ?p)) (forall (?x - ?kind) (imply (on ?x ?p) (= ?x ?a)))))
      (:say "Put the {a} and no {kind} {in p} the {p}."))"""
    template = parse_template(text, domain, vocabulary)
    universe = Universe.of(domain)
    bindings = candidates(template, vocabulary, objects=universe)
    assert [dict(each)["a"] for each in bindings] == ["red_cube"] * 4 + ["blue_cube"] * 4
    binding = parse_binding(template, ["a=red_cube", "b=blue_cube", "p=left", "kind=ball"], vocabulary, universe)
    goal = instantiate(template, binding, vocabulary)
    expected = """(and (on red_cube left) (not (on blue_cube left))
      (forall (?x - ball) (imply (on ?x left) (= ?x red_cube))))"""
    assert write_formula(goal.goal) == write_formula(parse_formula(expected, domain))
    assert goal.sentences == ("Put the red cube and no ball in the left.",)
    with pytest.raises(UsageError, match="no cube called"):
        parse_binding(template, ["a=green_ball"], vocabulary, universe)


HANDMETHAT = """(define (domain handmethat) (:requirements :adl :typing)
  (:types item location - object food container - item
    fruit - food apple plum peach - fruit jar basket - container)
  (:predicates (in ?x - item ?y - object) (sliced ?x - food)))"""


def test_a_domain_is_its_own_vocabulary() -> None:
    """HandMeThat's goals: slots over subclasses, exists around forall."""
    domain = parse_domain(HANDMETHAT)
    vocabulary = vocabulary_of_domain(domain)
    text = """(define (task bottling-fruit) (:domain handmethat) (:documentation "Bottling fruit.")
      (:slots ?fruit1 ?fruit2 in fruit)
      (:where (distinct ?fruit1 ?fruit2))
      (:goal (exists (?y1 ?y2 - jar) (and (not (= ?y1 ?y2))
        (forall (?x - ?fruit1) (in ?x ?y1)) (forall (?x - ?fruit2) (in ?x ?y2))))))"""
    template = parse_template(text, domain, vocabulary)
    assert len(candidates(template, vocabulary)) == 6
    goal = instantiate(template, {"fruit1": "plum", "fruit2": "apple"}, vocabulary)
    assert "(?x - plum)" in write_formula(goal.goal)
    assert goal.sentences == ("Bottling fruit.",)
