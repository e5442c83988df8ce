"""Numbers in English: values, changes, comparisons in goals and failures, and rules of actions."""

from __future__ import annotations

import pytest

from chorewright.domains.formulas import Facts
from chorewright.domains.pddl import load_task, parse_formula
from chorewright.generator.measuring.questions.rules import rules_text
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import PlanWorld
from chorewright.rsa.words.verbaliser import Verbaliser
from tests.command import ROOT

FOLDER = ROOT / "tests" / "corpus" / "numeric" / "deliveries"
DOMAIN, PROBLEM = load_task(FOLDER / "domain.pddl", FOLDER / "p1.pddl")
SAYS = Verbaliser.of(DOMAIN, PROBLEM.objects)

CLAUSES = [
    ("(>= (fuel lorry) 3)", "the fuel of lorry is at least 3"),
    ("(not (<= (fuel lorry) 2.5))", "the fuel of lorry is more than 2.5"),
    ("(= (+ (load lorry) (weight box)) (* 2 (strength lorry)))",
     "the load of lorry plus the weight of box is 2 times the strength of lorry"),
    ("(< (- (spent)) (far home shop))", "minus the spent is less than the far of home and shop"),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "clause"), CLAUSES)
def test_comparisons_are_clauses(formula: str, clause: str) -> None:
    assert SAYS.formula(parse_formula(formula, DOMAIN, PROBLEM.objects)) == clause


def test_a_state_says_values_and_a_step_what_they_become() -> None:
    world = PlanWorld.of(DOMAIN, PROBLEM)
    state = world.initial()
    assert "The fuel of lorry is 5." in SAYS.state(state)
    step = GroundAction("drive", ("lorry", "home", "shop"))
    after = world.apply(step, state, Facts(state))
    said = SAYS.change(sorted(after - state), sorted(state - after))
    assert "the fuel of lorry is 1" in said
    assert "5" not in said
    assert "holds" not in said
    refused = world.refusal(step, Facts(after - {("at", "lorry", "shop")} | {("at", "lorry", "home")}))
    assert refused is not None
    assert "the fuel of lorry is less than the far of home and shop" in SAYS.failure(step, refused[1])


def test_rules_say_what_happens_to_numbers() -> None:
    told = rules_text(DOMAIN, None)
    assert "the fuel of" in told
    assert "falls by the far of" in told
    assert "becomes the tank of" in told
