"""Rare and sloppy forms of PDDL: each is read, and the cheapest plan costs what Fast Downward says.

The costs are those of Fast Downward's plans, all of one or two steps; where Fast Downward refuses a form, the
cost follows from the definition.
"""

from __future__ import annotations

import pytest

from chorewright.domains.pddl import parse_domain, parse_problem, write_domain, write_problem
from chorewright.planner.plan import Plan, Unsolvable
from chorewright.planner.planning import OPTIMAL, solve
from chorewright.planner.validation import validate

DOMAIN = """(define (domain d) (:requirements :adl :typing) (:types a b - c c - object) (:constants k - a)
 (:predicates (p ?x - c) (q ?x ?y) (g) (h ?x - a) (r ?x ?y))
 (:functions (total-cost) - number (w ?x - c) - number)
"""
PROBLEM = "(define (problem x) (:domain d) (:objects o1 o2 - a o3 - b) "
MARK = "(:action m :parameters (?x - a) :precondition (p ?x) :effect (and (h ?x) (q ?x k) (g)))"
PRICED = """(:action m :parameters (?x - a) :precondition (p ?x)
 :effect (and (h ?x) (increase (total-cost) (w ?x))))"""
TURN = "(:action m :parameters () :effect (g))"
CHEAPEST = "(:metric minimize (total-cost))"

FORMS: dict[str, tuple[str, str, float | None]] = {
    "a fact twice": (MARK, "(:init (p o1) (p o1)) (:goal (h o1))", 1),
    "no facts": ("(:action m :parameters (?x - a) :effect (h ?x))", "(:init) (:goal (h o1))", 1),
    "no init": ("(:action m :parameters (?x - a) :effect (h ?x))", "(:goal (h o1))", 1),
    "empty precondition": ("(:action m :parameters () :precondition () :effect (g))", "(:init) (:goal (g))", 1),
    "no parameters": ("(:action m :precondition (and) :effect (and (g)))", "(:init) (:goal (g))", 1),
    "empty effect": (
        MARK + "(:action z :parameters () :precondition (g) :effect ())",
        "(:init (p o1)) (:goal (h o1))",
        1,
    ),
    "empty goal": (MARK, "(:init (p o1)) (:goal (and))", 0),
    "a type's name in either": (
        "(:action m :parameters (?x - (either a b)) :precondition (p ?x) :effect (q ?x ?x))",
        "(:init (p o3)) (:goal (q o3 o3))",
        1,
    ),
    "a quantified variable named like a parameter": (
        """(:action m :parameters (?x - a) :precondition (exists (?x - b) (p ?x))
         :effect (and (h ?x) (forall (?x - a) (when (p ?x) (q ?x ?x)))))""",
        "(:init (p o3) (p k)) (:goal (and (h o1) (q k k)))",
        1,
    ),
    "a cost that is not given": (
        PRICED,
        f"(:init (p o1) (p o2) (= (w o1) 2) (= (total-cost) 0)) (:goal (h o1)) {CHEAPEST}",
        2,
    ),
    "a cost that is not asked for": (PRICED, "(:init (p o1) (= (w o1) 5)) (:goal (h o1))", 1),
    "actions without cost": (MARK, f"(:init (p o1) (= (total-cost) 0)) (:goal (h o1)) {CHEAPEST}", 0),
    "a fraction as a cost": (PRICED, f"(:init (p o1) (= (w o1) 1.5)) (:goal (h o1)) {CHEAPEST}", 1.5),
    "a derived predicate that needs not": (
        """(:derived (r ?x ?y) (and (q ?x ?y) (not (g))))
         (:action m :parameters () :precondition (g) :effect (not (g)))""",
        "(:init (g) (q o1 o1)) (:goal (r o1 o1))",
        1,
    ),
    "a derived predicate without types": (
        f"(:derived (h ?x) (or (p ?x) (g))) {TURN}",
        "(:init) (:goal (and (h o1) (h o2)))",
        1,
    ),
    "two axioms, one without types": (
        f"(:derived (h ?x) (p ?x)) (:derived (h ?y - a) (g)) {TURN}",
        "(:init (p o1)) (:goal (and (h o1) (h o2)))",
        1,
    ),
    "a recursive derived predicate": (
        """(:derived (r ?x ?y) (or (q ?x ?y) (exists (?z) (and (q ?x ?z) (r ?z ?y)))))
         (:action m :parameters (?x ?y - a) :precondition (not (= ?x ?y)) :effect (q ?x ?y))""",
        "(:init (q o2 o3)) (:goal (r o1 o3))",
        1,
    ),
    "quantifiers within conditional effects": (
        """(:action m :parameters () :effect
         (forall (?x - a) (when (or (p ?x) (exists (?y - b) (p ?y))) (h ?x))))""",
        "(:init (p o3)) (:goal (and (h o1) (h o2)))",
        1,
    ),
    "conditional effects within conditional effects": (
        """(:action m :parameters () :effect (forall (?x - a) (when (p ?x)
         (and (h ?x) (forall (?y - b) (when (p ?y) (q ?x ?y)))))))""",
        "(:init (p o1) (p o3)) (:goal (and (h o1) (q o1 o3)))",
        1,
    ),
    "deleted and added": (
        "(:action m :parameters (?x ?y - a) :precondition (p ?x) :effect (and (not (p ?x)) (p ?y) (h ?y)))",
        "(:init (p o1)) (:goal (and (p o1) (h o1)))",
        1,
    ),
    "a disjunction as the goal": (MARK, "(:init (p o2)) (:goal (or (h o1) (exists (?z - a) (h ?z))))", 1),
    "equalities in the goal": (MARK, "(:init (p o2)) (:goal (and (= o1 o1) (not (= o1 o2)) (h o2)))", 1),
    "an implication as the goal": (MARK, "(:init (p o1)) (:goal (forall (?x - a) (imply (p ?x) (h ?x))))", 1),
    "what is false": (MARK, "(:init (p o1) (not (p o2))) (:goal (h o1))", 1),
    "no plan": (MARK, "(:init (p o2)) (:goal (h o1))", None),
}


@pytest.mark.parametrize("name", FORMS)
def test_rare_forms_have_their_meaning(name: str) -> None:
    sections, rest, cost = FORMS[name]
    domain = parse_domain(DOMAIN + sections + ")")
    problem = parse_problem(PROBLEM + rest + ")", domain)
    assert parse_domain(write_domain(domain)) == domain
    assert parse_problem(write_problem(problem), domain) == problem
    answer = solve(domain, problem, configuration=OPTIMAL)
    if cost is None:
        assert isinstance(answer, Unsolvable)
        return
    assert isinstance(answer, Plan)
    assert (answer.cost, validate(domain, problem, answer.actions).valid) == (cost, True)


@pytest.mark.parametrize(
    ("before", "after"),
    [(" ", "\t\r\n"), (" ", " ; a comment (\n "), ("", "\ufeff"), (" (:requirements :adl :typing)", "")],
    ids=["blanks", "comments", "mark", "requirements"],
)
def test_blanks_comments_and_requirements_mean_nothing(before: str, after: str) -> None:
    text = DOMAIN + MARK + ")"
    changed = text.replace(before, after) if before else after + text
    assert parse_domain(changed).actions == parse_domain(text).actions
    if before == " ":
        assert parse_domain(changed) == parse_domain(text)


def test_upper_case_means_nothing() -> None:
    text = DOMAIN + MARK + ")"
    assert parse_domain(text.upper()) == parse_domain(text)
