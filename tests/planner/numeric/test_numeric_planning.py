"""Problems with numbers: all are solved, and spoilt plans get the verdicts of validators that are not ours."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from chorewright.domains.pddl import load_task, parse_domain, parse_problem
from chorewright.domains.pddl.plain import write_plain
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import UnsupportedError
from chorewright.planner.numeric.encoding import encode
from chorewright.planner.numeric.expressions import combine
from chorewright.planner.numeric.grounding import ground_numeric
from chorewright.planner.numeric.kernels import FF, estimate, run_operator
from chorewright.planner.numeric.relaxation import may_reach
from chorewright.planner.numeric.solving import Successors
from chorewright.planner.plan import GroundAction, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import DEFAULT, OPTIMAL, solve
from chorewright.planner.validation import Reason, simulate, validate
from tests.command import ROOT, chorewright
from tests.planner.numeric.literal_simulator import LiteralSimulator
from tests.planner.test_validation_mutations import mutants

CORPUS = ROOT / "tests" / "corpus" / "numeric"
PROBLEMS = [str(path.relative_to(CORPUS)) for path in sorted(CORPUS.glob("*/p*.pddl"))]
LARGEST = ("bakery/p3.pddl", "counters/p3.pddl", "market/p3.pddl")
"""Problems that take longer than all others together."""

MUTANTS = 30
"""Of each of the 20 problems: 600 spoilt plans of 7 domains."""

PEER_MUTANTS = 8
"""Of them, those that unified-planning judges, too: its validator takes up to a second for one."""

LIMITS = Limits(cpu_seconds=60)


@cache
def task(name: str) -> tuple[Domain, Problem]:
    path = CORPUS / name
    return load_task(path.parent / "domain.pddl", path)


@cache
def plan_of(name: str) -> Plan:
    answer = solve(*task(name), LIMITS)
    assert isinstance(answer, Plan), answer
    return answer


def test_there_are_20_problems_of_6_domains() -> None:
    assert len(PROBLEMS) >= 20
    assert len({Path(name).parent for name in PROBLEMS}) >= 6


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in LARGEST else ()) for name in PROBLEMS]
)
def test_each_problem_is_solved_and_its_spoilt_plans_are_judged_alike(name: str) -> None:
    domain, problem = task(name)
    plan = plan_of(name)
    path = CORPUS / name
    literal = LiteralSimulator(path.parent / "domain.pddl", path)
    objects = [thing.name for thing in problem.objects]
    peer = _peer(domain, problem)
    whole = [*plan.actions]
    assert literal.failure([(step.name, *step.arguments) for step in whole]) is None
    for number, spoilt in enumerate(islice(mutants(whole, objects, PROBLEMS.index(name)), MUTANTS)):
        verdict = validate(domain, problem, spoilt)
        failed = literal.failure([(step.name, *step.arguments) for step in spoilt])
        assert verdict.valid == (failed is None), verdict.message
        assert failed is None or (verdict.step or 0) == failed, verdict.message
        if peer is not None and number < PEER_MUTANTS:
            assert peer.verdict(spoilt) in (None, verdict.valid), verdict.message


def _peer(domain: Domain, problem: Problem) -> _Peer | None:
    pytest.importorskip("unified_planning")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Its reader does not know scale-up.
        return None if domain.name == "bakery" else _Peer(domain, problem)


class _Peer:
    """unified-planning's validator, on the files as it reads them itself."""

    def __init__(self, domain: Domain, problem: Problem) -> None:
        from unified_planning.engines import SequentialPlanValidator
        from unified_planning.io import PDDLReader

        self.problem = PDDLReader().parse_problem_string(*write_plain(domain, problem))
        self.judge = SequentialPlanValidator()
        self.judge.skip_checks = True

    def verdict(self, plan: Sequence[GroundAction]) -> bool | None:
        """Valid or not; None where it cannot say."""
        from unified_planning.exceptions import UPTypeError
        from unified_planning.plans import ActionInstance, SequentialPlan

        expressions = self.problem.environment.expression_manager
        try:
            steps = [
                ActionInstance(
                    self.problem.action(step.name),
                    tuple(expressions.ObjectExp(self.problem.object(x)) for x in step.arguments),
                )
                for step in plan
            ]
            return bool(self.judge.validate(self.problem, SequentialPlan(steps, self.problem.environment)))
        except UPTypeError:  # a wrong type of object
            return None


@pytest.mark.parametrize("name", [name for name in PROBLEMS if name.endswith("p1.pddl")])
def test_cheapest_plans_are_not_longer_and_estimates_see_every_plan(name: str) -> None:
    domain, problem = task(name)
    plan = plan_of(name)
    ground = ground_numeric(domain, problem, np.zeros(1, np.int64))
    assert ground is not None
    encoded, successors = encode(ground, None), Successors(ground)
    scratch, costs = encoded.scratch(), np.ones_like(encoded.prices)
    bits, values = encoded.bits.copy(), encoded.values.copy()
    actions = {operator.action: index for index, operator in enumerate(ground.operators)}
    state = ground.initial
    for number, step in enumerate(plan.actions):
        assert may_reach(ground, state)
        assert estimate(bits, values, encoded.arrays, costs, FF, scratch) > 0
        assert {index for index, uses in enumerate(scratch.uses) if uses < 0} <= {
            index for index, operator in enumerate(ground.operators) if ground.holds(operator.condition, state)
        }
        assert run_operator(actions[step], bits.copy(), values.copy(), encoded.arrays, scratch, bits, values)
        after = dict(successors.of(state))
        assert actions[step] in after, number
        state = after[actions[step]]
    assert ground.holds(ground.goal, state)
    assert estimate(bits, values, encoded.arrays, costs, FF, scratch) == 0
    if len(plan.actions) <= 12:
        cheapest = solve(domain, problem, Limits(cpu_seconds=60, evaluations=60_000), OPTIMAL)
        assert isinstance(cheapest, Plan | OutOfLimits)
        assert isinstance(cheapest, OutOfLimits) or (cheapest.optimal and cheapest.cost <= plan.cost)


DOMAIN = """(define (domain d) (:requirements :fluents) (:predicates (p) (q))
 (:functions (x) (y) (z) (free ?o))
 (:action step :precondition (and (< (x) 5) (not (q))) :effect (increase (x) 1))
 (:action half :precondition (p) :effect (and (scale-down (x) 2) (assign (y) (+ (x) 0.1))))
 (:action set :parameters (?o) :effect (assign (free ?o) (x)))
 (:action use :parameters (?o) :precondition (> (free ?o) 1) :effect (decrease (free ?o) (z)))
 (:action clash :effect (and (assign (x) 1) (increase (x) 1))))"""
DIVIDE = " (:action divide :effect (assign (x) (/ 1 (y)))))"


def _task(goal: str, init: str = "(p) (= (x) 0) (= (y) 0)") -> tuple[Domain, Problem]:
    domain = parse_domain(DOMAIN)
    return domain, parse_problem(
        f"(define (problem p) (:domain d) (:objects a b) (:init {init}) (:goal {goal}))", domain
    )


UNSOLVABLE = ["(< (x) 0)", "(and (q) (> (x) 1))", "(< (+ (x) (y)) -1)", "(< (free b) 0)", "(= (z) 1)"]


@pytest.mark.parametrize("goal", UNSOLVABLE)
def test_what_no_number_can_become_is_proven(goal: str) -> None:
    assert isinstance(solve(*_task(goal), Limits(evaluations=2000)), Unsolvable)


SOLVABLE = [
    ("(and (>= (x) 5) (< (y) 1))", 5),
    ("(= (y) 2.6)", 5),
    ("(= (x) 0.5)", 2),
    ("(= (free a) 3)", 4),
    ("(or (q) (and (= (free a) (free b)) (= (x) 1)))", 3),
    ("(forall (?o) (>= (free ?o) 1))", 3),
    ("(not (<= (x) 0.25))", 1),
    ("(exists (?o) (and (> (free ?o) 0) (< (free ?o) (x))))", 3),
]


@pytest.mark.parametrize(("goal", "steps"), SOLVABLE)
def test_shortest_plans_are_found(goal: str, steps: int) -> None:
    domain, problem = _task(goal)
    answer = solve(domain, problem, LIMITS, OPTIMAL)
    assert isinstance(answer, Plan)
    assert (len(answer.actions), answer.optimal) == (steps, True)
    greedy = solve(domain, problem, LIMITS)
    assert isinstance(greedy, Plan)
    assert len(greedy.actions) >= steps


FAULTS = [
    ("(use a)", Reason.UNMET_PRECONDITION, "where (free a) is undefined"),
    ("(clash)", Reason.CONFLICTING_EFFECTS, "(x) conflict"),
    ("(divide)", Reason.UNDEFINED_VALUE, "divides by 0"),
    ("(step)(step)(set a)(use a)", Reason.UNDEFINED_VALUE, "(free a)"),
    ("(step)(step)(step)(step)(step)(step)", Reason.UNMET_PRECONDITION, "(< (x) 5), where (x) is 5"),
    ("(step)", Reason.MISSING_GOAL, "(= (x) 0.3), where (x) is 1"),
]


@pytest.mark.parametrize(("plan", "reason", "said"), FAULTS)
def test_a_verdict_says_what_the_numbers_are(plan: str, reason: Reason, said: str) -> None:
    from chorewright.planner.plan_files import parse_plan

    _, problem = _task("(= (x) 0.3)")
    verdict = validate(parse_domain(DOMAIN[:-1] + DIVIDE), problem, parse_plan(plan).actions)
    assert verdict.reason is reason
    assert said in verdict.message


def test_an_effect_of_a_value_that_is_never_there_makes_an_action_impossible_where_its_condition_holds() -> None:
    domain = parse_domain("""(define (domain d) (:predicates (c) (p)) (:functions (x) (never))
     (:action wish :effect (and (p) (when (c) (assign (x) (never)))))
     (:action step :effect (and (not (c)) (increase (x) 1))))""")
    problem = parse_problem(
        "(define (problem p) (:domain d) (:init (c) (= (x) 0)) (:goal (and (p) (> (x) 0))))", domain
    )
    plan = solve(domain, problem, LIMITS, OPTIMAL)
    assert isinstance(plan, Plan)
    assert [each.name for each in plan.actions] == ["step", "wish"]
    assert validate(domain, problem, plan.actions).valid


def test_numbers_are_exact() -> None:
    text = """(define (domain d) (:functions (x)) (:action add :effect (increase (x) 0.1))
     (:action third :effect (scale-down (x) 3)))"""
    domain = parse_domain(text)
    problem = parse_problem("(define (problem p) (:domain d) (:init (= (x) 0)) (:goal (= (x) 0.1)))", domain)
    from chorewright.planner.plan_files import parse_plan

    plan = parse_plan("(add)(add)(add)(third)").actions
    assert validate(domain, problem, plan).valid
    states = simulate(domain, problem, parse_plan("(add)(third)(add)").actions)
    assert [sorted(each.added) for each in states] == [[("=", "x", "0.1")], [("=", "x", "1/30")], [("=", "x", "2/15")]]


def test_interval_bounds_hold_what_they_must() -> None:
    rng = np.random.default_rng(5)
    for _ in range(300):
        one, other = (tuple(sorted(map(float, rng.integers(-4, 5, 2)))) for _ in range(2))
        for operator in "+-*/":
            low, high = combine(operator, (one[0], one[1]), (other[0], other[1]))
            for a in np.linspace(*one, 5):
                for b in np.linspace(*other, 5):
                    if operator == "/" and b == 0:
                        continue
                    value = {"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else 0}[operator]
                    assert low - 1e-9 <= value <= high + 1e-9


def test_a_metric_is_measured_and_a_plan_says_it(tmp_path: Path) -> None:
    path = CORPUS / "deliveries"
    done = chorewright("plan", path / "domain.pddl", path / "p1.pddl", "--out", tmp_path / "plan")
    assert done.returncode == 0, done.stderr
    assert "(general cost)" in (tmp_path / "plan").read_text()
    done = chorewright("validate", path / "domain.pddl", path / "p1.pddl", tmp_path / "plan", "--verbose")
    assert done.returncode == 0, done.stderr
    assert "(= (fuel lorry)" in done.stdout


COSTS = """(define (domain c) (:predicates (g) (h)) (:functions (total-cost) - number)
 (:action make :effect (and (g) (when (h) (increase (total-cost) 2))))
 (:action rest :effect (and (not (h)) (increase (total-cost) 0.5))))"""


@pytest.mark.parametrize(
    ("metric", "cost", "steps"), [("minimize (total-cost)", 0.5, 2), ("maximize (total-cost)", 2, 1)]
)
def test_a_cost_may_depend_on_a_condition(metric: str, cost: float, steps: int) -> None:
    domain = parse_domain(COSTS)
    text = f"(define (problem p) (:domain c) (:init (h) (= (total-cost) 0)) (:goal (g)) (:metric {metric}))"
    problem = parse_problem(text, domain)
    configuration = OPTIMAL if metric.startswith("min") else DEFAULT
    answer = solve(domain, problem, LIMITS, configuration)
    assert isinstance(answer, Plan)
    assert (answer.cost, len(answer.actions)) == (cost, steps)


def test_what_search_does_not_know_is_said() -> None:
    domain = parse_domain(DOMAIN.replace("(:action step", "(:derived (q) (or (q) (> (x) 3))) (:action step"))
    problem = parse_problem("(define (problem p) (:domain d) (:init (= (x) 0)) (:goal (q)))", domain)
    with pytest.raises(UnsupportedError, match="'q' depends on itself"):
        solve(domain, problem, LIMITS)
