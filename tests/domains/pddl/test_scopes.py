"""Names that are not declared: what is meant is guessed from the names that could stand there."""

from __future__ import annotations

import pytest

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.errors import InputError

DOMAIN = """(define (domain d) (:types cup) (:constants shelf - cup) (:predicates (on ?top ?under - cup))
  (:action lift :parameters (?cup - cup) :precondition {} :effect (not (on ?cup shelf))))"""


def read(condition: str, goal: str) -> None:
    domain = parse_domain(DOMAIN.format(condition))
    parse_problem(f"(define (problem p) (:domain d) (:objects mug - cup) (:init) (:goal {goal}))", domain)


def hint_of(condition: str = "(on ?cup shelf)", goal: str = "(on mug shelf)") -> str | None:
    with pytest.raises(InputError) as caught:
        read(condition, goal)
    return caught.value.hint


@pytest.mark.parametrize(
    ("condition", "hint"),
    [
        ("(on ?cup shlef)", "did you mean 'shelf'?"),
        ("(on ?cupp shelf)", "did you mean '?cup'?"),
        ("(on cup shelf)", "did you mean the variable '?cup'?"),
        ("(onn ?cup shelf)", "did you mean 'on'?"),
        ("(on ?x shelf)", "add it to the parameters or to a quantifier"),
        ("(on ?cup refrigerator)", None),
    ],
)
def test_a_condition_s_undeclared_names_are_guessed(condition: str, hint: str | None) -> None:
    assert hint_of(condition) == hint


@pytest.mark.parametrize(
    ("goal", "hint"),
    [("(on mugg shelf)", "did you mean 'mug'?"), ("(on mug shlf)", "did you mean 'shelf'?"), ("(on mug plate)", None)],
)
def test_a_goal_s_undeclared_objects_are_guessed(goal: str, hint: str | None) -> None:
    assert hint_of(goal=goal) == hint
