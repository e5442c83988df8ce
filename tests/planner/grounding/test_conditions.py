"""Disjunctions in conditions, of static and changing literals: optimal costs are those of a plain search."""

from __future__ import annotations

import numpy as np
import pytest

from chorewright.domains.formulas import Facts, holds
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.planner.grounding.joins.derivation import NEVER
from chorewright.planner.grounding.normal_form import Known
from chorewright.planner.grounding.numbering import NumberedProblem
from chorewright.planner.grounding.reachability import explore, lift
from chorewright.planner.plan import Plan
from chorewright.planner.planning import Configuration, solve
from chorewright.planner.validation import PlanWorld
from tests.planner.tables import optimal_cost

CONDITIONS = {
    "one static literal": "(or (s ?x) (f ?x))",
    "two changing literals": "(or (f ?x) (not (g ?x)))",
    "both kinds, negated": "(or (not (s ?x)) (not (f ?x)) (t ?x ?y))",
    "equality": "(or (= ?x ?y) (f ?y))",
    "a conjunction": "(or (s ?x) (and (t ?x ?y) (not (f ?y))))",
    "conjunctions": "(or (and (s ?x) (f ?y)) (and (t ?x ?y) (g ?x)) (and (s ?y) (not (g ?y))))",
    "a quantifier beside a literal": "(or (s ?x) (forall (?z) (or (not (t ?x ?z)) (f ?z))))",
    "a witness beside a conjunction": "(or (and (s ?x) (g ?y)) (exists (?z) (and (t ?y ?z) (f ?z))))",
    "two disjunctions": "(and (or (s ?x) (f ?x)) (or (g ?y) (t ?x ?y) (f ?y)))",
    "too many clauses": """(or (and (s ?x) (f ?x)) (and (s ?y) (g ?y)) (and (t ?x ?y) (f ?y))
        (and (f ?x) (g ?x)))""",
    "always": "(or (f ?x) (not (f ?x)))",
    "never": "(and (or (s ?x) (f ?x)) (or) (g ?y))",
}

DOMAIN = """(define (domain clauses) (:requirements :adl)
 (:predicates (s ?x) (t ?x ?y) (f ?x) (g ?x) (h ?x))
 (:action turn :parameters (?x ?y) :precondition (and (not (g ?x)) {condition})
  :effect (and (g ?x) (not (f ?y)) (when {condition} (h ?y))))
 (:action back :parameters (?x ?y) :precondition (and (g ?x) (or (f ?x) (not (s ?y))))
  :effect (and (f ?y) (not (g ?x)))))"""

OBJECTS = ("a", "b", "c")


def problem(rng: np.random.Generator) -> str:
    """Random static and changing facts, and a goal of two or three literals."""
    facts = [f"({p} {x})" for p in "sfg" for x in OBJECTS if rng.random() < 0.4]
    facts += [f"(t {x} {y})" for x in OBJECTS for y in OBJECTS if rng.random() < 0.3]
    goal = [f"({p} {x})" for p in "fgh" for x in OBJECTS if rng.random() < 0.35]
    return (
        f"(define (problem p) (:domain clauses) (:objects {' '.join(OBJECTS)})"
        f" (:init {' '.join(facts)}) (:goal (and {' '.join(goal)})))"
    )


def plain_cost(domain: Domain, task: Problem) -> float | None:
    world = PlanWorld.of(domain, task)
    return optimal_cost(world, lambda state: holds(task.goal, Facts(state), world.universe))


@pytest.mark.parametrize("condition", CONDITIONS.values(), ids=CONDITIONS.keys())
def test_costs_are_those_of_a_plain_search(condition: str) -> None:
    domain = parse_domain(DOMAIN.format(condition=condition))
    blind = Configuration("astar", "blind", improve=0, rungs=())
    solved = 0
    for seed in range(6):
        task = parse_problem(problem(np.random.default_rng(seed)), domain)
        expected = plain_cost(domain, task)
        found = solve(domain, task, configuration=blind)
        assert (found.cost if isinstance(found, Plan) else None) == expected
        solved += expected is not None
    assert solved or condition == CONDITIONS["never"]


def test_static_literals_settle_most_disjunctions() -> None:
    """What is compiled into clauses; the other parts are always evaluated as they are."""
    compiled = {}
    for name, condition in CONDITIONS.items():
        tables = lift(parse_domain(DOMAIN.format(condition=condition)), Known()).tables
        compiled[name] = [part.last - part.first for part in tables.parts[0]]
    assert compiled["two disjunctions"] == [1, 1]
    assert compiled["conjunctions"] == [8]
    assert compiled["too many clauses"] == [0]


GRID = """(define (domain grid) (:requirements :adl) (:types place way)
 (:constants up across - way)
 (:predicates (at ?x ?y - place) (free ?x ?y - place) (heading ?w - way) (next ?x ?y - place))
 (:action turn :parameters (?from ?to - way) :precondition (heading ?from)
  :effect (and (not (heading ?from)) (heading ?to)))
 (:action go :parameters (?x1 ?y1 - place ?way - way ?x2 ?y2 - place)
  :precondition (and (at ?x1 ?y1) (heading ?way) (free ?x2 ?y2)
   (or (and (= ?way up) (= ?x1 ?x2) (next ?y1 ?y2)) (and (= ?way across) (= ?y1 ?y2) (next ?x1 ?x2))))
  :effect (and (not (at ?x1 ?y1)) (at ?x2 ?y2) (free ?x1 ?y1) (not (free ?x2 ?y2)))))"""


def test_a_disjunction_over_many_variables_is_a_rule_for_each_operand() -> None:
    size = 5
    places = [f"c{i}" for i in range(size)]
    free = " ".join(f"(free {x} {y})" for x in places for y in places)
    order = " ".join(f"(next c{i} c{i + 1})" for i in range(size - 1))
    domain = parse_domain(GRID)
    task = parse_problem(
        f"""(define (problem p) (:domain grid) (:objects {" ".join(places)} - place)
        (:init (at c0 c0) (heading up) {order} {free}) (:goal (at c4 c4)))""",
        domain,
    )
    numbered = NumberedProblem.of(domain, task)
    lifted = lift(domain, Known())
    predicates, arguments = numbered.initial(lifted.program.width, None)
    types = lifted.rules.types.matrix(numbered.objects, None)
    reached = explore(lifted, arguments, predicates, types, NEVER)
    [go] = [rule for rule in lifted.rules.actions if rule.action.name == "go"]
    assert reached.count(go.predicate) == 2 * size * (size - 1)
    found = solve(domain, task, configuration=Configuration("astar", "blind", improve=0, rungs=()))
    assert isinstance(found, Plan)
    assert found.cost == plain_cost(domain, task) == 2 * (size - 1) + 1
