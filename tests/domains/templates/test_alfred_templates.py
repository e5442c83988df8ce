"""The ALFRED templates against the recorded demonstrations and ALFRED's own counts of goal conditions."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from typing import Any

import pytest

from benchmarks.corpora.reference import Corpus, sample
from chorewright.domains.formulas import Universe, conjuncts, count_needed_copies, expanded, holds
from chorewright.domains.library import find_template, household_domain, household_vocabulary, user_library
from chorewright.domains.pddl.syntax import Exists, Problem, Typed
from chorewright.domains.templates.goal_templates import candidates, instantiate, reasons_against
from tests.reference import each_corpus

ALFRED = [name for name in user_library().template_names() if name.startswith("alfred/")]
RENAMED = {"Glassbottle": "Bottle", "Cart": "SideTable"}
SLOTS = {"object": "object_target", "receptacle": "parent_target", "movable": "mrecep_target", "lamp": "toggle_target"}
# spec/alfred.md 1.4: how many goal conditions each task type has, whole and sliced.
CONDITIONS = {
    "pick_and_place_simple": (1, 2),
    "pick_two_obj_and_place": (2, 4),
    "look_at_obj_in_light": (2, None),
    "pick_heat_then_place_in_recep": (3, 4),
    "pick_cool_then_place_in_recep": (3, 4),
    "pick_clean_then_place_in_recep": (3, 4),
    "pick_and_place_with_movable_recep": (3, 4),
}


def tuple_of(demonstration: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """Return the template's name and the filled slots of a recorded demonstration."""
    parameters = demonstration["pddl_params"]
    filled = {slot: RENAMED.get(parameters[key], parameters[key]) for slot, key in SLOTS.items() if parameters[key]}
    name = demonstration["task_type"]
    if parameters["object_sliced"]:
        name += "_sliced"
        piece = household_vocabulary().kind(filled["object"]).pieces
        assert piece is not None
        filled["object"] = piece.kind
    return f"alfred/{name}", filled


@each_corpus
def test_every_demonstration_is_among_the_candidates(corpus: Corpus) -> None:
    known = {
        name: {frozenset(each) for each in candidates(find_template(name), household_vocabulary())} for name in ALFRED
    }
    missing: Counter[tuple[str, frozenset[tuple[str, str]]]] = Counter()
    total = 0
    with gzip.open(corpus("alfred/demos-train.jsonl.gz"), "rt") as lines:
        for line in lines:
            name, filled = tuple_of(json.loads(line))
            total += 1
            if frozenset(filled.items()) not in known[name]:
                missing[name, frozenset(filled.items())] += 1
    assert total == (658 if corpus is sample else 6574)
    assert not missing


def test_all_task_types_are_there() -> None:
    names = {f"alfred/{name}" for name in CONDITIONS}
    sliced = {f"alfred/{name}_sliced" for name, (_, count) in CONDITIONS.items() if count}
    assert set(ALFRED) == names | sliced


@pytest.mark.parametrize("name", ALFRED)
def test_conditions_and_sentences(name: str) -> None:
    template = find_template(name)
    whole, sliced = CONDITIONS[template.name.removesuffix("_sliced")]
    assert len(template.conditions) == (sliced if template.name.endswith("_sliced") else whole)
    for binding in candidates(template, household_vocabulary())[::37]:
        goal = instantiate(template, binding, household_vocabulary())
        assert len(goal.sentences) >= 5
        for sentence in goal.sentences:
            assert sentence[0].isupper()
            assert sentence.endswith(".")
            assert "{" not in sentence
            assert "  " not in sentence


@pytest.mark.parametrize("name", ALFRED)
def test_the_goal_implies_its_conditions(name: str) -> None:
    """In the state that has just the witnesses of the goal, every condition holds."""
    template = find_template(name)
    domain, vocabulary = household_domain(), household_vocabulary()
    for binding in candidates(template, vocabulary)[::29]:
        goal = instantiate(template, binding, vocabulary)
        positive = [part for part in conjuncts(expanded(goal.goal)) if isinstance(part, Exists)]
        objects, atoms = witnesses(positive)
        universe = Universe.of(domain, Problem("p", domain.name, objects, (), (), goal.goal))
        # What is in something is there.
        state = frozenset({*atoms, *(("present", atom[1]) for atom in atoms if atom[0] == "in")})
        assert holds(goal.goal, state, universe)
        assert [name for name, condition in goal.conditions if not holds(condition, state, universe)] == []
        assert not holds(goal.goal, frozenset({*state, ("ajar",)}), universe)
        assert not holds(goal.goal, frozenset(), universe)
        assert not any(holds(condition, frozenset(), universe) for _, condition in goal.conditions)


def witnesses(parts: list[Exists]) -> tuple[tuple[Typed, ...], set[tuple[str, ...]]]:
    """One object for each variable of existential formulas, and the atoms that make them true."""
    from chorewright.domains.pddl.syntax import Atom

    objects: list[Typed] = []
    atoms: set[tuple[str, ...]] = set()

    def visit(formula: object, names: dict[str, str]) -> None:
        if isinstance(formula, Exists):
            names = dict(names)
            for typed in formula.variables:
                names[typed.name] = f"o{len(objects)}"
                objects.append(Typed(names[typed.name], typed.types))
            visit(formula.body, names)
        elif isinstance(formula, Atom):
            atoms.add((formula.predicate, *(names[term] for term in formula.terms)))
        else:
            for part in conjuncts(formula):
                if part is not formula:
                    visit(part, names)

    for part in parts:
        visit(part, {})
    return tuple(objects), atoms


@pytest.mark.parametrize(
    ("name", "filled"),
    [
        ("pick_heat_then_place_in_recep", {"object": "Mug", "receptacle": "Microwave"}),
        ("pick_cool_then_place_in_recep", {"object": "Mug", "receptacle": "Fridge"}),
        ("pick_clean_then_place_in_recep", {"object": "Mug", "receptacle": "SinkBasin"}),
        ("pick_two_obj_and_place", {"object": "Mug", "receptacle": "CoffeeMachine"}),
        ("pick_two_obj_and_place", {"object": "HandTowel", "receptacle": "HandTowelHolder"}),
        ("pick_and_place_simple", {"object": "BreadSliced", "receptacle": "CounterTop"}),
        ("pick_and_place_simple_sliced", {"object": "Bread", "receptacle": "CounterTop"}),
        ("pick_and_place_simple_sliced", {"object": "BreadSliced", "receptacle": "Toaster"}),
        ("pick_and_place_simple", {"object": "Pillow", "receptacle": "Microwave"}),
        ("look_at_obj_in_light", {"object": "Mug", "lamp": "LightSwitch"}),
        ("pick_heat_then_place_in_recep", {"object": "Lettuce", "receptacle": "CounterTop"}),
    ],
)
def test_banned_combinations(name: str, filled: dict[str, str]) -> None:
    bindings = candidates(find_template(name), household_vocabulary())
    assert tuple(filled.items()) not in bindings


def test_copies_rooms_and_needs() -> None:
    vocabulary = household_vocabulary()
    two = instantiate(find_template("pick_two_obj_and_place"), {"object": "Mug", "receptacle": "Desk"}, vocabulary)
    assert count_needed_copies(two.goal) == {"desk": 1, "mug": 2}
    heat = find_template("pick_heat_then_place_in_recep_sliced")
    binding = {"object": "AppleSliced", "receptacle": "CounterTop"}
    assert reasons_against(heat, binding, vocabulary, "kitchen", ["Apple", "CounterTop", "Microwave", "Knife"]) == ()
    assert reasons_against(heat, binding, vocabulary, "bedroom", ["CounterTop"]) == (
        "the room is a bedroom, not kitchen",
        "there is no Apple",
        "there is nothing that is microwave",
        "there is nothing that is sharp",
    )


def test_templates_are_all_shipped_ones() -> None:
    assert [template.full_name for template in user_library().templates()] == list(user_library().template_names())
