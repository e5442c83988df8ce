"""Types in a problem's start: a thing stands where its own type or one above is asked for, and nowhere else."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import pytest

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.errors import InputError, InputErrors, UnsupportedError

DOMAIN = parse_domain("""(define (domain d) (:requirements :typing :numeric-fluents)
  (:types jar box - container tin - jar lamp)
  (:predicates (clean ?j - jar) (open ?c - container) (near ?a ?b - (either box lamp)))
  (:functions (size ?j - jar) - number)
  (:action wait :parameters () :precondition (and) :effect (and)))""")


@pytest.mark.parametrize(
    ("entry", "wanted"),
    [
        ("(clean {})", {"jar", "tin"}),
        ("(open {})", {"container", "jar", "box", "tin"}),
        ("(near {} b)", {"box", "lamp"}),
        ("(near b {})", {"box", "lamp"}),
        ("(= (size {}) 2)", {"jar", "tin"}),
    ],
)
@pytest.mark.parametrize("type_", ["container", "jar", "box", "tin", "lamp", "object"])
def test_things_fit_where_their_type_or_one_above_is_asked_for(entry: str, wanted: set[str], type_: str) -> None:
    text = (
        f"(define (problem p) (:domain d) (:objects b - box x - {type_}) (:init {entry.format('x')}) (:goal (open b)))"
    )
    outcome: AbstractContextManager[object] = (
        nullcontext() if type_ in wanted else pytest.raises(InputError, match="'x'")
    )
    with outcome:
        parse_problem(text, DOMAIN)


@pytest.mark.parametrize(
    ("requirement", "column", "hint"), [(":typin", 48, ":typing"), ("(typing)", 48, None), ("typing", 48, ":typing")]
)
def test_a_requirement_that_is_not_known_is_named_where_it_stands(
    requirement: str, column: int, hint: str | None
) -> None:
    with pytest.raises(InputErrors) as caught:
        parse_domain(f"(define (domain d) (:requirements :strips :adl {requirement}) (:predicates (p)))")
    (error,) = caught.value.errors
    assert isinstance(error, UnsupportedError)
    assert error.message == f"the requirement '{requirement}' is not known"
    assert error.location is not None
    assert (error.location.line, error.location.column) == (1, column)
    assert (hint or "") in (error.hint or "")
