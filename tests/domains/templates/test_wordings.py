"""Default sentences: English for goals with quantifiers, negation, numbers and relative clauses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chorewright.domains.library import household_domain, household_vocabulary
from chorewright.domains.pddl.parser import parse_formula
from chorewright.domains.templates.words import wordings

GOALS = {
    "(forall (?l - desklamp) (not (is-on ?l)))": "every desk lamp is off",
    "(exists (?a - apple ?b - bowl ?f - fridge) (and (in ?a ?b) (in ?b ?f)))":
        "an apple is in a bowl that is in a fridge",
    "(exists (?c - cup ?f - fork ?t - countertop) (and (in ?f ?c) (in ?c ?t)))":
        "a cup has a fork in or on it and is on a counter",
    "(exists (?t - diningtable) (exists (?s - breadsliced ?p - plate) (and (cooked ?s) (in ?s ?p) (in ?p ?t))))":
        "a dining table has in or on it a plate that has in or on it a slice of bread that is cooked",
    "(exists (?t - diningtable) (and (exists (?m - mug) (and (coffee ?m) (in ?m ?t))) (exists (?a - egg) (in ?a ?t))))":
        "a dining table has in or on it a mug that holds coffee and has an egg in or on it",
    "(exists (?b - pot ?f - fridge) (and (in ?b ?f) (forall (?e - egg) (not (in ?e ?b)))))":
        "a pot is in a fridge and is such that no egg is in or on the pot",
    "(at-least 3 (?f - fork) (exists (?d - drawer) (in ?f ?d)))": "at least three forks are in a drawer",
    "(and (at-least 2 (?f - fork) (holding ?f)) (not (at-least 3 (?f - fork) (holding ?f))))":
        "exactly two forks are in your hand",
    "(not (and (ajar) (running)))":
        "it is not true that some door is left open and some appliance is left on",
    "(not (at-least 3 (?p - pillow) (exists (?b - bed) (in ?p ?b))))": "at most two pillows are on a bed",
    "(not (exists (?m - mug) (dirty ?m)))": "no mug is dirty",
    "(forall (?m - mug ?b - bed) (not (in ?m ?b)))": "no mug is on any bed",
    "(forall (?m - mug) (imply (dirty ?m) (exists (?s - shelf) (in ?m ?s))))": "every mug that is dirty is on a shelf",
    "(exists (?a ?b - plate) (and (not (= ?a ?b)) (in ?a ?b)))": "a plate is on another plate",
    "(or (hand-empty) (exists (?m - (either mug cup)) (filled ?m)))":
        "either your hand is empty, or a mug or cup is full",
    "(and (not (ajar)) (not (running)))": "no door is left open and no appliance is left on",
}  # fmt: skip


@pytest.mark.parametrize("goal", GOALS)
def test_goals_are_said_in_english(goal: str) -> None:
    found = wordings(parse_formula(goal, household_domain()), household_vocabulary())
    assert len(set(found)) >= 4
    assert found[0] == f"Make sure that {GOALS[goal]}."


@pytest.mark.parametrize(
    ("goal", "article", "said"),
    [
        ("(exists (?i - item) (dirty ?i))", "a", "an item is dirty"),
        ("(exists (?f - fixture) (dirty ?f))", "an", "a fixture is dirty"),
        ("(exists (?m - mug) (dirty ?m))", "a", "a herb mug is dirty"),
        ("(exists (?m - mug) (dirty ?m))", "an", "an herb mug is dirty"),
    ],
)
def test_articles_are_those_of_the_vocabulary_or_guessed_for_what_it_lacks(goal: str, article: str, said: str) -> None:
    shipped = household_vocabulary()
    mug = replace(shipped.kinds["Mug"], noun="herb mug", article=article)
    vocabulary = replace(shipped, kinds={**shipped.kinds, "Mug": mug})
    assert wordings(parse_formula(goal, household_domain()), vocabulary)[0] == f"Make sure that {said}."
