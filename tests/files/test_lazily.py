"""What is worked out once: for how many values it is kept, and that it is not worked out again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import TRUE
from chorewright.errors import ChorewrightError
from chorewright.files.lazily import Remembered
from chorewright.planner.search.start_states import Union

DOMAIN = """(define (domain rooms) (:requirements :strips)
 (:predicates (at ?x) (link ?x ?y) (lit ?x) (rainy))
 (:action go :parameters (?x ?y) :precondition (and (at ?x) (link ?x ?y)) :effect (and (at ?y) (not (at ?x))))
 (:action light :parameters (?x) :precondition (at ?x) :effect (lit ?x)))"""
PROBLEM = """(define (problem p) (:domain rooms) (:objects a b)
 (:init (at a) (link a b) (link b a)) (:goal (lit b)))"""


@pytest.mark.parametrize(
    ("asked", "worked_out"),
    [("aaaa", "a"), ("abab", "ab"), ("abcab", "abcab"), ("abacab", "abcb"), ("aabbccba", "abca")],
)
def test_the_two_that_were_asked_for_last_are_kept(asked: str, worked_out: str) -> None:
    remembered: Remembered[str] = Remembered(2)
    values = {name: [name] for name in "abc"}
    done: list[str] = []

    def answer(name: str) -> str:
        done.append(name)
        return name.upper()

    for name in asked:
        assert remembered.of(values[name], "question", lambda name=name: answer(name)) == name.upper()
    assert "".join(done) == worked_out


def test_the_same_text_is_the_same_domain() -> None:
    domain = parse_domain(DOMAIN)
    assert parse_domain(DOMAIN) is domain
    other = parse_domain(DOMAIN, "rooms.pddl")
    assert (other, other.path) == (domain, "rooms.pddl")
    for _ in range(2):
        with pytest.raises(ChorewrightError):
            parse_domain(DOMAIN[:-1])


def test_one_domain_forgets_for_most_sets_of_states() -> None:
    domain = parse_domain(DOMAIN)
    problem = parse_problem(PROBLEM, domain)
    start = frozenset(problem.init)

    def forgetful(*others: frozenset[tuple[str, ...]]) -> object:
        return Union.of(domain, replace(problem, goal=TRUE), TRUE, [start, *others]).domain

    moved = (start - {("at", "a")}) | {("at", "b")}
    assert forgetful() is forgetful(moved)
    assert forgetful(moved) is forgetful(start | {("lit", "a")})
    assert forgetful(start - {("link", "a", "b")}) is not forgetful(moved)
    assert forgetful(start | {("rainy",)}) is not forgetful(moved)
