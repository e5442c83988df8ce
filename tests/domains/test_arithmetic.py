"""What a domain does with numbers: the constants that a state does not tell."""

from __future__ import annotations

from chorewright.domains.arithmetic import constant_values
from chorewright.domains.pddl import parse_domain, parse_problem

DOMAIN = """(define (domain d) (:requirements :durative-actions :numeric-fluents)
 (:functions (level) (rate) (size) (width))
 (:action spill :parameters () :effect (decrease (level) (size)))
 (:durative-action fill :parameters () :duration (= ?duration 2) :condition ()
  :effect (at end (increase (level) (rate)))))"""
PROBLEM = """(define (problem p) (:domain d)
 (:init (= (level) 0) (= (rate) 3) (= (size) 2) (= (width) 1)) (:goal (> (level) 4)))"""


def test_constants_that_effects_read_are_told_also_of_durative_actions() -> None:
    domain = parse_domain(DOMAIN)
    told = constant_values(domain, parse_problem(PROBLEM, domain))
    assert told == (("=", "rate", "3"), ("=", "size", "2"))
