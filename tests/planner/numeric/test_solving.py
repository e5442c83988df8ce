"""Numbers together with derived predicates: the fewest steps are those of a search over the validator's states."""

from __future__ import annotations

from itertools import product

import pytest

from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Facts
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import LimitError, UnsupportedError, UsageError
from chorewright.planner.plan import SATISFICING, GroundAction, Limits, Plan, Unsolvable
from chorewright.planner.planning import OPTIMAL, solve
from chorewright.planner.progression import applicable
from chorewright.planner.search.configuration import Configuration
from chorewright.planner.validation import PlanWorld, validate

VANS = """(define (domain vans) (:requirements :adl :numeric-fluents :derived-predicates)
 (:types van town) (:predicates (at ?v - van ?t - town) (road ?a ?b - town) (ready ?v - van) (stuck ?v - van)
   (all-ready) (served ?t - town) (next ?a ?b - town))
 (:functions (fuel ?v - van))
 (:derived (next ?a ?b - town) (road ?a ?b))
 (:derived (next ?a ?b - town) (road ?b ?a))
 (:derived (ready ?v - van) (and (>= (fuel ?v) 2) (exists (?t ?u - town) (and (at ?v ?t) (next ?t ?u)))))
 (:derived (stuck ?v - van) (not (ready ?v)))
 (:derived (all-ready) (forall (?v - van) (ready ?v)))
 (:action go :parameters (?v - van ?a ?b - town) :precondition (and (at ?v ?a) (next ?a ?b) (ready ?v))
  :effect (and (at ?v ?b) (not (at ?v ?a)) (decrease (fuel ?v) 2) (when (all-ready) (served ?b))))
 (:action fill :parameters (?v - van) :precondition (stuck ?v) :effect (increase (fuel ?v) 3)))"""

GOALS = [
    "(and (served a) (served c))",
    "(and (at v c) (all-ready))",
    "(and (at w a) (stuck w) (not (stuck v)))",
    "(and (served b) (forall (?v - van) (stuck ?v)))",
    "(at v lost)",
]


SINGLE = """(define (domain single) (:requirements :adl :numeric-fluents) (:types t) (:constants last - t)
 (:predicates (g) (r)) (:functions (f) (h ?x - t) (k) (total-cost))
 (:action a :parameters (?x - t) :precondition (>= (f) 0) :effect (and (g) (assign (f) 2) {}))
 (:action b :parameters () :precondition (r) :effect (increase (total-cost) 4))
 (:action c :parameters () :precondition (= (f) 0) :effect (and (assign (f) 1) (assign (k) 1))))"""


@pytest.mark.parametrize(
    ("effect", "steps"),
    [
        ("(increase (h ?x) 1)", ["(a other)"]),  # the others have no value to increase
        ("(when (g) (increase (h ?x) 1))", ["(a last)"]),
        ("(assign (h last) 1) (assign (h ?x) 2)", ["(a one)"]),
        ("(increase (k) 1) (decrease (k) 3)", ["(a last)"]),
        ("(scale-up (k) (/ 1 (k)))", ["(c)", "(a last)"]),
        ("(assign (h ?x) (+ 1 (h last)))", None),
        ("(increase (h last) (/ 2 0))", None),
    ],
)
def test_what_nothing_reads_may_make_an_action_impossible(effect: str, steps: list[str] | None) -> None:
    domain = parse_domain(SINGLE.format(effect))
    text = """(define (problem p) (:domain single) (:objects one other - t)
     (:init (= (f) 0) (= (h other) 0) (= (k) 0) (= (total-cost) 0)) (:goal (g)) {})"""
    for metric in ("", "(:metric minimize (total-cost))"):
        problem = parse_problem(text.format(metric), domain)
        for configuration in (Configuration(), OPTIMAL):
            answer = solve(domain, problem, configuration=configuration)
            if steps is None:
                assert isinstance(answer, Unsolvable)
                continue
            assert isinstance(answer, Plan)
            assert answer.cost == (0 if metric else len(steps))
            assert validate(domain, problem, answer.actions).valid
            assert metric or [each.name for each in answer.actions] == [each[1] for each in steps]


def test_a_value_that_cancels_out_must_be_there() -> None:
    domain = parse_domain(SINGLE.format(""))
    text = "(define (problem p) (:domain single) (:objects one - t) (:init (= (f) 0)) (:goal (and (g) {})))"
    found = [
        solve(domain, parse_problem(text.format(f"({sign} (- (k) 1) (+ (k) 2))"), domain), configuration=configuration)
        for sign in ("<", ">")
        for configuration in (Configuration(), OPTIMAL)
    ]
    assert all(isinstance(each, Plan) and {step.name for step in each.actions} == {"a", "c"} for each in found[:2])
    assert all(isinstance(each, Unsolvable) for each in found[2:])


def test_numbers_without_end_are_refused() -> None:
    domain = parse_domain(
        """(define (domain d) (:requirements :numeric-fluents) (:predicates (g)) (:functions (f))
     (:action a :parameters () :effect (and (g) (scale-up (f) (f)))))"""
    )
    problem = parse_problem("(define (problem p) (:domain d) (:init (= (f) 3)) (:goal (= (f) 7)))", domain)
    with pytest.raises(LimitError, match="more than a thousand digits"):
        solve(domain, problem)
    with pytest.raises(LimitError, match="more than a thousand digits"):
        validate(domain, problem, [GroundAction("a", ())] * 16)


def problem_of(domain: Domain, goal: str) -> Problem:
    text = f"""(define (problem p) (:domain vans) (:objects v w - van a b c lost - town)
     (:init (at v a) (at w c) (road a b) (road c b) (= (fuel v) 4) (= (fuel w) 1)) (:goal {goal}))"""
    return parse_problem(text, domain)


def fewest(domain: Domain, problem: Problem, most: int = 4000) -> int | None:
    """The fewest steps to the goal; None if none of so many states meets it."""
    world = PlanWorld.of(domain, problem)
    depths = {world.initial(): 0}
    waiting = [world.initial()]
    for state in waiting:
        facts = Facts(state)
        if holds(problem.goal, facts, world.universe):
            return depths[state]
        if len(depths) > most:
            return None
        for action in applicable(domain, world.universe, facts):
            after = world.apply(action, state, facts)
            if after not in depths:
                depths[after] = depths[state] + 1
                waiting.append(after)
    return None


@pytest.mark.parametrize("goal", GOALS)
def test_fewest_steps_are_those_of_a_search_over_the_validators_states(goal: str) -> None:
    domain = parse_domain(VANS)
    problem = problem_of(domain, goal)
    cheapest = solve(domain, problem, Limits(evaluations=20_000), OPTIMAL)
    wanted = fewest(domain, problem)
    if wanted is None:
        assert isinstance(cheapest, Unsolvable)
        return
    assert isinstance(cheapest, Plan)
    assert len(cheapest.actions) == wanted > 0
    some = solve(domain, problem, Limits(evaluations=20_000))
    assert isinstance(some, Plan)
    assert validate(domain, problem, some.actions).valid


def test_a_derived_predicate_that_depends_on_itself_is_refused_where_it_stands() -> None:
    domain = parse_domain(
        """(define (domain d) (:predicates (p ?x) (q ?x) (on ?x ?y)) (:functions (n))
 (:derived (q ?x) (or (p ?x) (exists (?y) (and (on ?x ?y) (q ?y)))))
 (:action a :parameters (?x) :precondition (and (q ?x) (< (n) 3)) :effect (increase (n) 1)))""",
        "d.pddl",
    )
    problem = parse_problem(
        "(define (problem p) (:domain d) (:objects x) (:init (p x) (= (n) 0)) (:goal (= (n) 2)))", domain
    )
    with pytest.raises(UnsupportedError, match="'q' depends on itself") as caught:
        solve(domain, problem, Limits(evaluations=10))
    assert caught.value.location is not None
    assert str(caught.value.location).startswith("d.pddl:2")


HAUL = """(define (domain haul) (:requirements :typing :numeric-fluents) (:types lorry place)
 (:predicates (at ?l - lorry ?p - place) (road ?a ?b - place))
 (:functions (load ?l - lorry) (stock ?p - place) (spent) (profit))
 (:action go :parameters (?l - lorry ?a ?b - place) :precondition (and (at ?l ?a) (road ?a ?b))
  :effect (and (not (at ?l ?a)) (at ?l ?b) (increase (spent) (+ 1 (load ?l)))))
 (:action fetch :parameters (?l - lorry ?p - place) :precondition (and (at ?l ?p) (>= (stock ?p) 1) (<= (load ?l) 3))
  :effect (and (decrease (stock ?p) 1) (increase (load ?l) 1) (increase (spent) 0.5)))
 (:action drop :parameters (?l - lorry ?p - place) :precondition (and (at ?l ?p) (>= (load ?l) 1))
  :effect (and (increase (stock ?p) (load ?l)) (assign (load ?l) 0) (increase (profit) 2))))"""
HAULED = """(define (problem p) (:domain haul) (:objects van - lorry a b c - place)
 (:init (at van a) (road a b) (road b c) (road b a) (road c b) (= (load van) 0) (= (stock a) 5) (= (stock b) 1)
  (= (stock c) 0) (= (spent) 0) (= (profit) 0)) (:goal (>= (stock c) 4)) (:metric {}))"""


def haul(metric: str) -> tuple[Domain, Problem]:
    domain = parse_domain(HAUL)
    return domain, parse_problem(HAULED.format(metric), domain)


@pytest.mark.parametrize("metric", ["minimize (spent)", "minimize (+ (* 3 (spent)) 5)"])
def test_anytime_search_ends_with_a_proof_and_the_cost_of_a_search_by_cost_alone(metric: str) -> None:
    heard: list[Plan] = []
    anytime = solve(*haul(metric), Limits(evaluations=200_000), Configuration.usual("anytime"), heard.append)
    cheapest = solve(*haul("minimize (spent)"), Limits(evaluations=200_000), OPTIMAL)
    assert isinstance(anytime, Plan)
    assert isinstance(cheapest, Plan)
    assert anytime.cost == (cheapest.cost if "*" not in metric else 3 * cheapest.cost + 5)
    assert [plan.cost for plan in heard] == sorted({plan.cost for plan in heard}, reverse=True)
    assert heard[-1].actions == anytime.actions
    assert all(validate(*haul(metric), plan.actions).valid for plan in heard)
    assert anytime.note == ""


def test_what_is_to_be_large_grows() -> None:
    heard: list[Plan] = []
    limits = Limits(evaluations=3_000)
    answer = solve(*haul("maximize (- (profit) (spent))"), limits, Configuration.usual("anytime"), heard.append)
    assert isinstance(answer, Plan)
    assert [plan.cost for plan in heard] == sorted({plan.cost for plan in heard})
    assert answer.cost == heard[-1].cost


@pytest.mark.parametrize("heuristic", ["ff", "add", "max", "blind"])
def test_each_heuristic_leads_to_a_plan(heuristic: str) -> None:
    answer = solve(*haul("minimize (spent)"), Limits(evaluations=100_000), Configuration.usual("greedy", heuristic))
    assert isinstance(answer, Plan)
    assert f"greedy-{heuristic}" in answer.configuration


@pytest.mark.parametrize(
    ("configuration", "said"),
    [
        (Configuration.usual("ehc"), "ehc search is not for problems with numbers"),
        (Configuration.usual("wastar"), "wastar search is not for problems with numbers"),
        (Configuration.usual("greedy", "lmcut"), "cannot be led by the heuristic lmcut"),
        (Configuration.usual("astar", "ff"), "cannot be led by the heuristic ff"),
        (Configuration.usual("greedy", queues="novelty"), "--queues novelty is not for"),
    ],
)
def test_what_does_not_go_with_numbers_is_refused(configuration: Configuration, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        solve(*haul("minimize (spent)"), Limits(evaluations=100), configuration)


def test_a_metric_that_multiplies_is_said_not_to_be_minimised() -> None:
    answer = solve(*haul("minimize (* (spent) (spent))"), Limits(evaluations=20_000))
    assert isinstance(answer, Plan)
    assert answer.note == SATISFICING


GAUGES = """(define (domain gauges) (:requirements :adl :numeric-fluents) (:types gauge) (:constants g h - gauge)
 (:predicates (warned) (set ?g - gauge)) (:functions (level ?g - gauge) (flow))
 (:action read :parameters (?g - gauge) :effect (assign (level ?g) (flow)))
 (:action open :parameters () :effect (increase (flow) 2))
 (:action warn :parameters (?g - gauge) :precondition (not (<= (level ?g) 1)) :effect (warned))
 (:action note :parameters (?g - gauge) :effect (when (not (= (level ?g) 2)) (set ?g))))"""


@pytest.mark.parametrize(
    "goal",
    [
        "(not (<= (level g) 1))",
        "(warned)",
        "(and (warned) (<= (level g) 1) (<= (level h) 1))",
        "(and (set g) (= (level g) 2))",
        "(and (set g) (not (< (level h) 3)) (>= (level h) 2))",
        "(not (< (/ 4 (flow)) 9))",
        "(and (not (< (/ 4 (flow)) 9)) (= (level g) 2))",
        "(imply (< (level g) 1) (set h))",
        "(and (> (level g) 0) (exists (?x - gauge) (not (>= (level ?x) 0))))",
    ],
)
def test_a_denied_comparison_holds_where_a_value_is_not_there(goal: str) -> None:
    domain = parse_domain(GAUGES)
    problem = parse_problem(f"(define (problem p) (:domain gauges) (:init (= (flow) 0)) (:goal {goal}))", domain)
    steps = [GroundAction("open", ()), *(GroundAction(n, (g,)) for n in ("read", "warn", "note") for g in ("g", "h"))]
    plans = (plan for length in range(5) for plan in product(steps, repeat=length))
    fewest = next((len(plan) for plan in plans if validate(domain, problem, plan).valid), None)
    answer = solve(domain, problem, Limits(evaluations=2_000), OPTIMAL)
    assert (len(answer.actions) if isinstance(answer, Plan) else None) == fewest
    assert isinstance(solve(domain, problem, Limits(evaluations=2_000)), Plan) == (fewest is not None)


@pytest.mark.parametrize(
    ("metric", "cost"),
    [("(* 2 (total-time))", 2), ("(* 0 (total-time))", 0), ("(- (total-time))", -1), ("(total-time)", 1)],
)
def test_a_metric_needs_no_functions(metric: str, cost: float) -> None:
    domain = parse_domain("(define (domain d) (:predicates (r)) (:action a :effect (r)))")
    text = f"(define (problem p) (:domain d) (:goal (r)) (:metric minimize {metric}))"
    problem = parse_problem(text, domain)
    assert validate(domain, problem, [GroundAction("a", ())]).cost == cost
    answer = solve(domain, problem)
    assert isinstance(answer, Plan)
    assert answer.cost == cost
