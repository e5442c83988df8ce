"""BEHAVIOR's conditions in English: number, articles, scope, and nothing joined that is not said of the same thing."""

from __future__ import annotations

import numpy as np
import pytest

from chorewright.domains.behavior.reader import parse_activity
from chorewright.domains.behavior.syntax import Activity
from chorewright.files.english import plural
from chorewright.generator.behavior.world import substances_of
from chorewright.planner.plan import GroundAction
from chorewright.problems.behavior.activity_problem import base_domain
from chorewright.problems.behavior.kinds import VERSIONS, activity_names, shipped_activity
from chorewright.rsa.behavior.conditions import clause, say_goal
from chorewright.rsa.behavior.names import ActivityNames, noun_of, say_step, words

TEXT = """(define (problem words-0) (:domain omnigibson)
  (:objects cup.n.01_1 cup.n.01_2 cup.n.01_3 - cup.n.01 carton.n.02_1 carton.n.02_2 - carton.n.02
            jean.n.01_1 - jean.n.01 water.n.06_1 - water.n.06 oven.n.01_1 - oven.n.01 shears.n.01_1 - shears.n.01
            stain.n.01_1 - stain.n.01
            floor.n.01_1 - floor.n.01 agent.n.01_1 - agent.n.01)
  (:init (inroom floor.n.01_1 kitchen) (inroom oven.n.01_1 kitchen) (ontop agent.n.01_1 floor.n.01_1))
  (:goal {}))
"""


def activity(goal: str) -> Activity:
    return parse_activity(TEXT.format(goal))


def names(of: Activity) -> ActivityNames:
    return ActivityNames(of, substances_of(of))


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("(inside ?cup.n.01_2 ?oven.n.01_1)", "the second cup is in the oven"),
        ("(and (not (open ?oven.n.01_1)) (toggled_on ?oven.n.01_1))", "the oven is closed and switched on"),
        ("(forall (?cup.n.01 - cup.n.01) (filled ?cup.n.01 ?water.n.06_1))", "every cup is filled with water"),
        ("(forall (?cup.n.01 - cup.n.01) (not (inside ?cup.n.01 ?oven.n.01_1)))", "no cup is in the oven"),
        ("(exists (?cup.n.01 - cup.n.01) (ontop ?cup.n.01 ?oven.n.01_1))", "a cup is on the oven"),
        ("(not (exists (?cup.n.01 - cup.n.01) (ontop ?cup.n.01 ?oven.n.01_1)))", "no cup is on the oven"),
        ("(forn (2) (?cup.n.01 - cup.n.01) (ontop ?cup.n.01 ?oven.n.01_1))", "exactly two of the cups are on the oven"),
        (
            "(forn (1) (?carton.n.02 - carton.n.02) (inside ?cup.n.01_1 ?carton.n.02))",
            "of exactly one of the cartons it is true that the first cup is in that carton",
        ),
        (
            "(forpairs (?carton.n.02 - carton.n.02) (?cup.n.01 - cup.n.01) (inside ?cup.n.01 ?carton.n.02))",
            "a cup of its own is in each carton",
        ),
        (
            "(forpairs (?carton.n.02 - carton.n.02) (?cup.n.01 - cup.n.01)"
            " (and (ontop ?carton.n.02 ?cup.n.01) (inside ?cup.n.01 ?oven.n.01_1)))",
            "each carton is on a cup of its own and that cup is in the oven",
        ),
        (
            "(forpairs (?carton.n.02 - carton.n.02) (?cup.n.01 - cup.n.01)"
            " (and (inside ?cup.n.01 ?carton.n.02) (ontop ?cup.n.01 ?oven.n.01_1)))",
            "a cup of its own is in each carton and on the oven",
        ),
        (
            "(exists (?carton.n.02 - carton.n.02) (forall (?cup.n.01 - cup.n.01) (inside ?cup.n.01 ?carton.n.02)))",
            "every cup is in a single carton",
        ),
        (
            "(exists (?cup.n.01 - cup.n.01) (or (ontop ?cup.n.01 ?oven.n.01_1) (ontop ?cup.n.01 ?floor.n.01_1)))",
            "a cup is either on the oven or on the floor",
        ),
        ("(ontop ?shears.n.01_1 ?floor.n.01_1)", "the shears are on the floor"),
        (
            "(and (not (covered ?cup.n.01_1 ?stain.n.01_1)) (not (covered ?cup.n.01_1 ?water.n.06_1)))",
            "the first cup is free of stains and water",
        ),
        ("(real ?oven.n.01_1)", "there is an oven"),
        ("(real ?cup.n.01_2)", "the second cup has been made"),
        ("(contains ?cup.n.01_1 ?stain.n.01_1)", "there are stains in the first cup"),
        ("(imply (open ?oven.n.01_1) (hot ?cup.n.01_1))", "if the oven is open, the first cup is hot"),
        ("(not (and (open ?oven.n.01_1) (hot ?cup.n.01_1)))", "either the oven is closed or the first cup is not hot"),
        ("(not (or (open ?oven.n.01_1) (hot ?cup.n.01_1)))", "the oven is closed and the first cup is not hot"),
        ("(not (and (not (open ?oven.n.01_1)) (not (hot ?oven.n.01_1))))", "the oven is either open or hot"),
        (
            "(not (imply (open ?oven.n.01_1) (hot ?cup.n.01_1)))",
            "it is not so that if the oven is open, the first cup is hot",
        ),
    ],
)
def test_conditions_are_clauses(goal: str, said: str) -> None:
    given = activity(goal)
    assert clause(given.goal, names(given)) == said


def test_different_cups_are_not_taken_for_one() -> None:
    """Two existential quantifiers may speak of two things."""
    goal = "(and (exists (?cup.n.01 - cup.n.01) (open ?cup.n.01)) (exists (?cup.n.01 - cup.n.01) (hot ?cup.n.01)))"
    given = activity(goal)
    assert clause(given.goal, names(given)) == "a cup is open and a cup is hot"


@pytest.mark.parametrize(
    ("synset", "one", "many"),
    [
        ("liquid_soap__bottle.n.01", "bottle of liquid soap", "bottles of liquid soap"),
        ("half__apple.n.01", "apple half", "apple halves"),
        ("cooked__diced__clove.n.01", "cooked diced clove", "cooked diced cloves"),
        ("long_trousers.n.01", "long trousers", "long trousers"),
        ("trouser.n.01", "pair of trousers", "pairs of trousers"),
        ("box.n.01", "box", "boxes"),
    ],
)
def test_nouns(synset: str, one: str, many: str) -> None:
    assert noun_of(synset) == one
    assert plural(one) == many


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("washing_cups", "is washing cups"),
        ("wash_cups", "is to wash cups"),
        ("hiding_Easter_eggs", "is hiding Easter eggs"),
    ],
)
def test_the_task_is_named(title: str, said: str) -> None:
    given = activity("(open ?oven.n.01_1)")
    texts = [say_goal(given.goal, names(given), title, np.random.default_rng(seed)) for seed in range(20)]
    assert any(f"The task {said}. " in text for text in texts)


def test_every_goal_is_said_in_full_sentences() -> None:
    rng = np.random.Generator(np.random.PCG64(0))
    for version in VERSIONS:
        for name in activity_names(version):
            given = shipped_activity(name, version)
            text = say_goal(given.goal, names(given), name, rng)
            assert text.endswith("."), text
            assert not set(text) & set("?_{}()"), text
            assert "  " not in text, text


def test_every_action_has_words() -> None:
    schemas = {each.name: len(each.parameters) for each in base_domain().actions}
    assert set(schemas) == set(words().steps) - {"pour-into"}
    given = activity("(open ?oven.n.01_1)")
    rng = np.random.Generator(np.random.PCG64(0))
    for name, count in schemas.items():
        for _ in range(6):
            assert say_step(GroundAction(name, ("cup-n-01_1",) * count), names(given), rng).endswith(".")
