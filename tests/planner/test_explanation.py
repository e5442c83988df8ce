"""Why there is no plan: the part of the goal, and the fact or object that is missing, by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.planner.explanation import say_why
from tests.command import chorewright

DOMAIN = """(define (domain post) (:requirements :typing :numeric-fluents) (:types town van parcel)
 (:predicates (at ?v - van ?t - town) (road ?a ?b - town) (lies ?p - parcel ?t - town) (inside ?p - parcel ?v - van)
  (signed ?p - parcel) (sealed ?p - parcel))
 (:functions (stamps) (weight ?p - parcel))
 (:action drive :parameters (?v - van ?a ?b - town) :precondition (and (at ?v ?a) (road ?a ?b))
  :effect (and (not (at ?v ?a)) (at ?v ?b)))
 (:action load :parameters (?p - parcel ?v - van ?t - town) :precondition (and (lies ?p ?t) (at ?v ?t) (sealed ?p))
  :effect (and (not (lies ?p ?t)) (inside ?p ?v)))
 (:action drop :parameters (?p - parcel ?v - van ?t - town) :precondition (and (inside ?p ?v) (at ?v ?t))
  :effect (and (lies ?p ?t) (not (inside ?p ?v)))))"""
SOLVABLE = """(define (problem x) (:domain post) (:objects a b c - town v - van p q - parcel)
 (:init (at v a) (road a b) (road b a) (road b c) (lies p a) (lies q b) (sealed p) (= (stamps) 2))
 (:goal (and (lies p c) (at v c))))"""

CASES = [
    ("", "", ""),
    ("(lies p c)", "(lies q c)", "(lies q c) cannot be reached: no action makes (sealed q) true"),
    ("(road b c)", "", "(lies p c) cannot be reached: no action makes (road ?a c) for a town true"),
    ("(at v a)", "", "(lies p c) cannot be reached: ':init' holds no (at ...)"),
    ("(lies p c)", "(signed p)", "(signed p) cannot be reached: no action makes (signed p) true"),
    ("v - van", "", "there is no van"),
    ("(at v c)", "(at v a)", "these parts of the goal exclude each other: (lies p c), (at v a)"),
    ("(lies p c)", "(> (weight p) 1)", "(> (weight p) 1) cannot be reached: (weight p) is undefined at the start"),
    ("(lies p c)", "(exists (?x - parcel) (signed ?x))", "no action makes (signed ?x) for a parcel true"),
]


@pytest.mark.parametrize(("old", "new", "said"), CASES)
def test_what_is_missing_is_named(old: str, new: str, said: str) -> None:
    domain = parse_domain(DOMAIN)
    text = SOLVABLE.replace(old, new) if old else SOLVABLE
    if old == "v - van":
        text = text.replace("(at v a)", "").replace("(at v c)", "")
    if old == "(at v a)":
        text = text.replace("(road b a)", "")
    problem = parse_problem(text, domain)
    found = say_why(domain, problem)
    assert said in found
    assert bool(said) == bool(found)


def test_plan_says_it(tmp_path: Path) -> None:
    (tmp_path / "d.pddl").write_text(DOMAIN)
    (tmp_path / "p.pddl").write_text(SOLVABLE.replace("(lies p c)", "(lies q c)"))
    done = chorewright("plan", "d.pddl", "p.pddl", cwd=tmp_path)
    assert done.returncode == 10
    assert "unsolvable: the goal cannot be reached even when nothing is ever deleted; (lies q c)" in done.stderr
