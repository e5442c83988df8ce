"""Any domain in English: guesses from names, the author's wordings, and what is said of goals, states and failures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from chorewright.domains.pddl.parser import load_domain, parse_domain, parse_formula, parse_problem
from chorewright.domains.pddl.syntax import Typed
from chorewright.domains.phrases import Phrase
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import validate
from chorewright.rsa.words.files import load_wordings
from chorewright.rsa.words.verbaliser import Verbaliser

DOMAIN = parse_domain("""
(define (domain store)
  (:requirements :adl)
  (:types ball box truck - thing place thing)
  (:predicates (in ?x - thing ?y - box) (at ?x - thing ?p - place) (clear ?x) (hand-empty) (is-open ?b - box)
    (has-key ?b - box) (contains ?b - box ?x - thing) (connected ?a ?b - place) (road ?a ?b - place)
    (owner ?x - thing ?p - place) (not-full ?b - box) (marked ?a ?b ?c - thing) (heavy-item ?x - thing)
    (inside-left ?b - box) (facing ?x - thing ?p - place))
  (:action move :parameters (?x - thing ?from ?to - place)
    :precondition (and (at ?x ?from) (connected ?from ?to)) :effect (and (not (at ?x ?from)) (at ?x ?to)))
  (:action load :parameters (?x - thing ?b - box ?p - place)
    :precondition (and (at ?x ?p) (at ?b ?p) (is-open ?b) (not (not-full ?b)) (forall (?y - ball) (clear ?y)))
    :effect (and (not (at ?x ?p)) (in ?x ?b) (clear ?x) (not (clear ?b))))
  (:action open_box :parameters (?b - box) :precondition (hand-empty) :effect (is-open ?b)))
""")
THINGS = tuple(
    Typed(name, (kind,))
    for name, kind in (
        ("ball1", "ball"),
        ("ball2", "ball"),
        ("ball10", "ball"),
        ("red-box", "box"),
        ("truck", "truck"),
        ("hall", "place"),
        ("paris", "place"),
    )
)
SAYS = Verbaliser.of(DOMAIN, THINGS)


@pytest.mark.parametrize(
    ("atom", "yes", "no"),
    [
        ("in ball1 red-box", "ball 1 is in the red box", "ball 1 is not in the red box"),
        ("clear truck", "the truck is clear", "the truck is not clear"),
        ("hand-empty", "the hand is empty", "the hand is not empty"),
        ("is-open red-box", "the red box is open", "the red box is not open"),
        ("has-key red-box", "the red box has key", "the red box does not have key"),
        ("contains red-box ball1", "the red box contains ball 1", "the red box does not contain ball 1"),
        ("connected hall paris", "hall is connected to paris", "hall is not connected to paris"),
        ("road hall paris", "there is a road from hall to paris", "there is not a road from hall to paris"),
        ("owner ball1 hall", "the owner of ball 1 is hall", "the owner of ball 1 is not hall"),
        ("not-full red-box", "the red box is not full", "the red box is full"),
        ("marked ball1 ball2 truck", "ball 1 is marked with ball 2 and the truck", None),
        ("heavy-item ball1", "ball 1 is a heavy item", "ball 1 is not a heavy item"),
        ("inside-left red-box", "the red box is inside the left", "the red box is not inside the left"),
        ("facing ball1 hall", "ball 1 is facing hall", "ball 1 is not facing hall"),
    ],
)
def test_atoms_by_their_names(atom: str, yes: str, no: str | None) -> None:
    ground = tuple(atom.split())
    assert SAYS.atom(ground) == yes
    if no is not None:
        assert SAYS.atom(ground, affirmed=False) == no


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("move truck hall paris", "Move the truck from hall to paris."),
        ("load ball1 red-box hall", "Load ball 1 into the red box from hall."),
        ("open_box red-box", "Open box the red box."),
        ("fly truck", "Fly the truck."),
    ],
)
def test_steps_by_names_and_effects(action: str, said: str) -> None:
    name, *objects = action.split()
    assert SAYS.step(GroundAction(name, tuple(objects))) == said


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("(at truck paris)", "Make sure that the truck is at paris."),
        ("(and (at ball1 hall) (at ball2 hall) (at ball10 hall))", "ball 1, ball 2 and ball 10 are at hall."),
        ("(and (clear ball1) (not (clear ball2)))", "ball 1 is clear and ball 2 is not clear."),
        ("(forall (?x - ball) (at ?x hall))", "every ball is at hall."),
        ("(not (exists (?x - ball) (at ?x hall)))", "no ball is at hall."),
        ("(exists (?x - box) (is-open ?x))", "some box is open."),
        ("(at-least 2 (?x - ball) (at ?x hall))", "at least two balls are at hall."),
        ("(imply (hand-empty) (clear ball1))", "if the hand is empty, then ball 1 is clear."),
        ("(or (clear ball1) (clear ball2))", "either ball 1 is clear or ball 2 is clear."),
        (
            "(exists (?b - box) (and (is-open ?b) (at ?b hall)))",
            "there is a box such that that box is open and that box is at hall.",
        ),
        (
            "(forall (?x - ball) (exists (?b - box) (in ?x ?b)))",
            "for every ball, there is a box X such that that ball is in box X.",
        ),
        ("(exists (?x ?y - ball) (owner ?x ?y))", "there is a ball X and some ball Y such that"),
    ],
)
def test_goals(goal: str, said: str) -> None:
    text = SAYS.goal(parse_formula(goal.replace("(owner ?x ?y)", "(marked ?x ?y truck)"), DOMAIN, THINGS))
    assert said in text
    assert text.startswith("Make sure that ")


def test_a_state_is_told_in_the_order_of_the_domain_and_of_numbers() -> None:
    state = {("clear", "ball10"), ("clear", "ball2"), ("at", "truck", "paris"), ("at", "ball1", "paris")}
    assert SAYS.state(state) == "Ball 1 and the truck are at paris. Ball 2 and ball 10 are clear."


def test_changes_and_plans() -> None:
    assert SAYS.change([("clear", "ball1")], [("at", "ball1", "hall")]) == (
        "Now ball 1 is clear and ball 1 is not at hall."
    )
    assert SAYS.change([], []) == "Nothing changes."
    move = GroundAction("move", ("truck", "hall", "paris"))
    assert SAYS.plan([move, move, move]).split(". ") == [
        "First, move the truck from hall to paris",
        "Then move the truck from hall to paris",
        "Finally, move the truck from hall to paris.",
    ]
    assert SAYS.plan([]) == "There is nothing to do."


def test_failures_say_what_is_missing() -> None:
    text = """(define (problem p) (:domain store) (:objects ball1 - ball red-box - box hall - place)
      (:init (at ball1 hall) (not-full red-box)) (:goal (in ball1 red-box)))"""
    problem = parse_problem(text, DOMAIN)
    says = SAYS.with_problem(problem)
    step = GroundAction("load", ("ball1", "red-box", "hall"))
    verdict = validate(DOMAIN, problem, [step])
    assert says.failure(step, verdict.unmet) == (
        "You cannot load ball 1 into the red box from hall: the red box is not at hall, "
        "the red box is not open, the red box is not full, and ball 1 is not clear."
    )
    assert says.missing(validate(DOMAIN, problem, []).unmet) == "The goal is not reached: ball 1 is not in the red box."


CLASSIC = Path(__file__).parents[3] / "chorewright" / "domains" / "classic"


def test_the_authors_wordings_come_first_and_vary() -> None:
    domain = load_domain(CLASSIC / "blocks.pddl")
    blocks = [Typed(name, ("block",)) for name in "abc"]
    says = Verbaliser.of(domain, blocks, load_wordings(CLASSIC / "blocks.say", domain))
    goal = parse_formula("(and (on a b) (on b c) (on-table c))", domain, blocks)
    assert says.goal(goal) == "Put block a on block b, put block b on block c, and put block c on the table."
    mixed = parse_formula("(and (on-table a) (on-table b) (clear c))", domain, blocks)
    assert says.goal(mixed) == "Put block a and block b on the table. Also make sure that block c is clear."
    rng = np.random.Generator(np.random.PCG64(1))
    said = {says.goal(goal, rng) for _ in range(40)}
    assert len(said) > 5
    again = np.random.Generator(np.random.PCG64(1))
    assert {says.goal(goal, again) for _ in range(40)} == said


def test_names_that_would_be_the_same_stay_apart() -> None:
    domain = parse_domain("(define (domain d) (:types block) (:predicates (p ?x - block)))")
    says = Verbaliser.of(domain, [Typed("block1", ("block",)), Typed("block-1", ("block",))])
    assert len({says.name("block1"), says.name("block-1")}) == 2


@pytest.mark.parametrize(
    ("text", "opposite"),
    [
        ("?x has been used", "?x has not been used"),
        ("?x has analysed the soil", "?x has not analysed the soil"),
        ("?x has red seeds", "?x does not have red seeds"),
        ("?x has power", "?x does not have power"),
        ("there is soil at ?x", "there is no soil at ?x"),
        ("there are cups on ?x", "there are no cups on ?x"),
        ("there is a road to ?x", "there is not a road to ?x"),
        ("there is nothing on ?x", "there is not nothing on ?x"),
    ],
)
def test_a_clause_is_negated_as_its_verb_wants(text: str, opposite: str) -> None:
    assert Phrase.of(text, ["?x"]).negate() == Phrase.of(opposite, ["?x"])
