"""A file of wordings is checked against its domain; every mistake is told with its place."""

from __future__ import annotations

import pytest

from chorewright.domains.pddl.parser import parse_domain
from chorewright.errors import InputErrors
from chorewright.rsa.words.files import parse_wordings

DOMAIN = parse_domain("""(define (domain d) (:types block)
  (:predicates (on ?x ?y - block) (clear ?x - block))
  (:action stack :parameters (?x ?y - block) :precondition (clear ?y) :effect (on ?x ?y)))""")


def parse(body: str) -> None:
    parse_wordings(f"(define (wordings w)\n  (:domain d)\n  {body})", DOMAIN, "w.say")


@pytest.mark.parametrize(
    ("body", "line", "column", "message"),
    [
        ('(:say predicate (onn ?x ?y) "?x is on ?y")', 3, 20, "no predicate 'onn'"),
        ('(:say predicate (on ?x) "?x is on")', 3, 19, "'on' takes 2 variables, not 1"),
        ('(:say predicate (on ?x ?y) "?x is on ?z")', 3, 40, "'?z' is not a variable"),
        ('(:say action (clear ?x) "clear ?x")', 3, 17, "no action 'clear'"),
        ('(:say verb (on ?x ?y) "?x is on ?y")', 3, 9, "':say' takes predicate"),
        ("(:say predicate (on ?x ?y))", 3, 3, "no wording"),
        ("(:say predicate (on ?x ?y) hello)", 3, 30, "in double quotes"),
        ('(:say predicate (on ?x y) "?x is on")', 3, 26, "a variable is expected"),
        ('(:say predicate (on ?x ?x) "?x is on")', 3, 26, "occurs twice"),
        ('(:say predicate (clear ?x) "?x is clear") (:say predicate (clear ?x) "so")', 3, 61, "worded twice"),
        ('(:say predicate (clear ?x) "  ")', 3, 30, "empty"),
        ('(:nouns (blok "block"))', 3, 11, "no type 'blok'"),
        ("(:nouns (block))", 3, 11, "a name and its words"),
        ('(:names (a b "c"))', 3, 11, "a name and its words"),
        ("(:word (on ?x ?y))", 3, 4, "not a section"),
        ("(:domain e)", 3, 12, "for the domain 'e', not 'd'"),
    ],
)
def test_mistakes_have_places(body: str, line: int, column: int, message: str) -> None:
    with pytest.raises(InputErrors) as caught:
        parse(body)
    [error] = caught.value.errors
    assert message in error.message
    assert error.location is not None
    assert (error.location.line, error.location.column) == (line, column)


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(InputErrors) as caught:
        parse('(:say predicate (onn ?x) "a") (:say goal (on ?x ?y) "put ?q") (:nouns (thing "x"))')
    assert len(caught.value.errors) == 3
