"""Plans in stages: each goes on from what the actions before have made true, also by axioms."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chorewright.domains.pddl import parse_domain, parse_formula, parse_problem
from chorewright.planner import stages
from chorewright.planner.plan import Answer, Limit, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import solve
from chorewright.planner.search.configuration import Configuration
from chorewright.planner.stages import solve_in_stages, solve_part_by_part, solve_with_parts
from chorewright.planner.validation import validate

DOMAIN = parse_domain("""(define (domain dark) (:requirements :adl :derived-predicates) (:types lamp note)
  (:predicates (power ?l - lamp) (fresh ?l - lamp) (blank ?n - note) (written ?n - note) (lit) (torn ?n - note))
  (:derived (lit) (exists (?l - lamp) (power ?l)))
  (:action press :parameters (?l - lamp) :precondition (fresh ?l) :effect (and (power ?l) (not (fresh ?l))))
  (:action write :parameters (?n - note) :precondition (blank ?n)
    :effect (and (not (blank ?n)) (when (lit) (written ?n)) (when (not (lit)) (torn ?n)))))""")
PROBLEM = parse_problem(
    "(define (problem p) (:domain dark) (:objects l - lamp n m - note) (:init (fresh l) (blank n) (blank m))"
    " (:goal (written n)))",
    DOMAIN,
)


@pytest.mark.parametrize(
    ("stages", "names"),
    [
        (["(written n)", "(written m)"], ["press", "write", "write"]),
        (["(power l)", "(written n)", "(lit)"], ["press", "write"]),
        (["(torn m)", "(written n)"], ["write", "press", "write"]),
        (["(or (torn n) (written n))", "(written m)"], None),
    ],
)
def test_stages_go_on_from_what_has_been_reached(stages: list[str], names: list[str] | None) -> None:
    goals = [parse_formula(text, DOMAIN, PROBLEM.objects) for text in stages]
    answer = solve_in_stages(DOMAIN, PROBLEM, [(goal, True) for goal in goals])
    assert isinstance(answer, Plan)
    if names is not None:
        assert [action.name for action in answer.actions] == names
    for goal in goals:
        assert validate(DOMAIN, replace(PROBLEM, goal=goal), answer.actions).valid


def test_what_cannot_be_had_is_left_out_unless_it_must_last() -> None:
    torn, written = (parse_formula(f"({word} n)", DOMAIN, PROBLEM.objects) for word in ("torn", "written"))
    assert isinstance(solve_in_stages(DOMAIN, PROBLEM, [(torn, True)]), Plan)
    assert solve_in_stages(DOMAIN, PROBLEM, [(torn, True), (written, True)]) is None
    assert isinstance(solve_in_stages(DOMAIN, PROBLEM, [(torn, True), (written, False)]), Plan)


CARRIER = parse_domain("""(define (domain carrier) (:requirements :adl :action-costs) (:types cup saucer - thing place)
  (:predicates (at ?p - place) (on ?x - thing ?p - place) (held ?x - thing) (free) (hot ?x - thing) (oven ?p - place)
    (used ?p - place))
  (:functions (total-cost) - number)
  (:action go :parameters (?a ?b - place) :precondition (at ?a)
    :effect (and (not (at ?a)) (at ?b) (increase (total-cost) 1)))
  (:action take :parameters (?x - thing ?p - place) :precondition (and (at ?p) (on ?x ?p) (free))
    :effect (and (held ?x) (not (on ?x ?p)) (not (free)) (increase (total-cost) 1)))
  (:action place :parameters (?x - thing ?p - place) :precondition (and (at ?p) (held ?x))
    :effect (and (not (held ?x)) (on ?x ?p) (free) (increase (total-cost) 1)))
  (:action heat :parameters (?x - thing ?p - place) :precondition (and (at ?p) (on ?x ?p) (oven ?p))
    :effect (and (hot ?x) (increase (total-cost) 1))))""")
CUPS = parse_problem(
    "(define (problem p) (:domain carrier) (:objects a b c d - cup r s t - saucer k m n o - place)"
    " (:init (at k) (free) (oven o) (on a k) (on b k) (on c m) (on d n) (on r k) (on s m) (on t n)) (:goal (at k))"
    " (:metric minimize (total-cost)))",
    CARRIER,
)
GOALS = (
    "(exists (?p - place) (at-least 3 (?x - cup) (and (on ?x ?p) (hot ?x))))",
    "(forall (?x - cup) (on ?x o))",
    "(and (forall (?x - cup) (or (on ?x m) (on ?x n))) (forall (?x - saucer) (on ?x k)) (at n))",
    "(exists (?p - place) (and (not (oven ?p)) (at-least 2 (?x - cup) (on ?x ?p))"
    " (at-least 2 (?x - saucer) (on ?x ?p))))",
    "(and (at-least 1 (?x - thing) (on ?x k)) (not (at-least 2 (?x - thing) (on ?x k)))"
    " (forall (?x - thing) (or (on ?x k) (on ?x o))))",
    "(exists (?x ?y - cup) (and (not (= ?x ?y)) (on ?x n) (on ?y n) (hot ?x) (not (hot ?y)) (on a o)))",
    "(and (on a n) (on b m))",
    "(imply (on a k) (forall (?x - saucer) (exists (?p - place) (and (on ?x ?p) (oven ?p)))))",
)


@pytest.mark.parametrize("goal", GOALS)
def test_a_goal_is_met_part_by_part(goal: str) -> None:
    problem = replace(CUPS, goal=parse_formula(goal, CARRIER, CUPS.objects))
    plan = solve_part_by_part(CARRIER, problem)
    assert isinstance(plan, Plan)
    verdict = validate(CARRIER, problem, plan.actions)
    assert (verdict.valid, verdict.cost) == (True, plan.cost)
    whole = solve(CARRIER, problem)
    assert isinstance(whole, Plan)
    assert plan.cost <= 2 * whole.cost
    assert plan == solve_part_by_part(CARRIER, problem)


def test_parts_that_stand_in_the_way_are_planned_as_a_whole() -> None:
    """The first note must be blank when the lamp is on; whoever writes first tears it."""
    goal = parse_formula("(forall (?n - note) (written ?n))", DOMAIN, PROBLEM.objects)
    plan = solve_part_by_part(DOMAIN, replace(PROBLEM, goal=goal))
    assert isinstance(plan, Plan)
    torn = parse_formula(
        "(and (exists (?n - note) (torn ?n)) (forall (?n - note) (written ?n)))", DOMAIN, PROBLEM.objects
    )
    assert solve_part_by_part(DOMAIN, replace(PROBLEM, goal=torn)) is None
    assert isinstance(solve_with_parts(DOMAIN, replace(PROBLEM, goal=torn)), Unsolvable)


@pytest.mark.parametrize(("goal", "parts"), [(GOALS[0], True), (GOALS[6], False)])
@pytest.mark.parametrize("search", ["greedy", "lazy"])
def test_only_quantified_goals_of_greedy_search_have_parts(
    monkeypatch: pytest.MonkeyPatch, goal: str, parts: bool, search: str
) -> None:
    problem = replace(CUPS, goal=parse_formula(goal, CARRIER, CUPS.objects))
    monkeypatch.setattr(stages, "BEFORE_PARTS", 1)
    configuration = Configuration.usual(search)
    plans: list[Plan] = []
    answer = solve_with_parts(CARRIER, problem, Limits(), configuration, plans.append)
    assert isinstance(answer, Plan)
    assert plans[-1].actions == answer.actions
    assert ("-parts" in answer.configuration) == (parts and search == "greedy")


def test_a_search_that_suffices_is_as_without_parts() -> None:
    problem = replace(CUPS, goal=parse_formula(GOALS[0], CARRIER, CUPS.objects))
    assert solve_with_parts(CARRIER, problem) == solve(CARRIER, problem)


def test_the_answer_of_the_whole_where_parts_lead_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    def out(*_: object, **__: object) -> Answer:
        return OutOfLimits(Limit.EVALUATIONS, 7)

    monkeypatch.setattr(stages, "solve", out)
    problem = replace(CUPS, goal=parse_formula(GOALS[0], CARRIER, CUPS.objects))
    assert solve_with_parts(CARRIER, problem, Limits(evaluations=7)) == OutOfLimits(Limit.EVALUATIONS, 7)
