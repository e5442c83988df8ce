"""unified-planning both ways: our engine in its hands, its engines in ours, problems built in Python."""

from __future__ import annotations

import gc
import re
import threading
from dataclasses import replace
from itertools import product

import pytest

pytest.importorskip("unified_planning")

from unified_planning.engines import CompilationKind, SequentialPlanValidator, TimeTriggeredPlanValidator
from unified_planning.engines.mixins.anytime_planner import AnytimeGuarantee
from unified_planning.engines.results import PlanGenerationResultStatus, ValidationResultStatus
from unified_planning.environment import Environment, get_environment
from unified_planning.exceptions import UPExpressionDefinitionError, UPNoSuitableEngineAvailableException, UPUsageError
from unified_planning.plans import ActionInstance, SequentialPlan
from unified_planning.shortcuts import (
    LE,
    AnytimePlanner,
    BoolType,
    Compiler,
    Equals,
    Exists,
    Fluent,
    GlobalStartTiming,
    InstantaneousAction,
    Int,
    IntType,
    MinimizeActionCosts,
    MinimizeSequentialPlanLength,
    Not,
    Object,
    OneshotPlanner,
    Or,
    PlanValidator,
    RealType,
    UserType,
    Variable,
)
from unified_planning.shortcuts import Problem as UnifiedProblem
from unified_planning.test.examples import get_example_problems

from benchmarks.corpora.planning_tasks import competition_task
from chorewright.domains.pddl import parse_domain, parse_formula, parse_problem
from chorewright.domains.pddl.syntax import FunctionValue
from chorewright.errors import UnsupportedError
from chorewright.planner.engines.lookup import find_engine
from chorewright.planner.engines.processes import check_plan
from chorewright.planner.engines.unified import ChorewrightEngine, register
from chorewright.planner.engines.unified_planning import from_unified, from_unified_plan, to_unified
from chorewright.planner.plan import Plan, Unsolvable
from chorewright.planner.planning import OPTIMAL, solve
from chorewright.planner.validation import PlanWorld, validate
from tests.planner.tables import random_task
from tests.planner.test_forms import SOLVED as FORMS
from tests.planner.test_forms import cost as form_cost
from tests.planner.test_forms import task as form_task


@pytest.fixture(autouse=True)
def _without_credits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(get_environment(), "_credits_stream", None)


def tour(costs: dict[str, int] | None = None, metric: object = None) -> UnifiedProblem:
    """A problem built in Python: capitals and blanks, hierarchy, quantifiers, conditional effects."""
    place, room = UserType("Place"), UserType("Living Room", UserType("Place"))
    at, lit = Fluent("Robot At", BoolType(), p=place), Fluent("lit", BoolType(), r=room)
    door = Fluent("door", BoolType(), p=place, q=place)
    go = InstantaneousAction("Go", p=place, q=place)
    p, q = go.parameter("p"), go.parameter("q")
    go.add_precondition(at(p))
    go.add_precondition(Or(door(p, q), door(q, p)))
    go.add_precondition(Not(Equals(p, q)))
    go.add_effect(at(p), False)
    go.add_effect(at(q), True)
    light = InstantaneousAction("light", r=room)
    light.add_precondition(at(light.parameter("r")))
    light.add_effect(lit(light.parameter("r")), True, Not(lit(light.parameter("r"))))
    problem = UnifiedProblem("Tour")
    for fluent in (at, lit, door):
        problem.add_fluent(fluent, default_initial_value=False)
    problem.add_actions([go, light])
    hall, den, attic = Object("hall", place), Object("Den", room), Object("attic", room)
    problem.add_objects([hall, den, attic])
    for fact in (at(hall), door(den, hall), door(attic, den)):
        problem.set_initial_value(fact, True)
    some = Variable("r", room)
    problem.add_goal(Exists(lit(some), some))
    problem.add_goal(at(attic))
    if costs is not None:
        problem.add_quality_metric(MinimizeActionCosts({go: Int(costs["Go"]), light: Int(costs["light"])}))
    if metric is not None:
        problem.add_quality_metric(metric)
    return problem


@pytest.mark.parametrize(
    ("problem", "cost"),
    [(tour(), None), (tour({"Go": 5, "light": 2}), 12), (tour(metric=MinimizeSequentialPlanLength()), 3)],
)
def test_our_engine_solves_and_both_validators_agree(problem: UnifiedProblem, cost: int | None) -> None:
    with OneshotPlanner(name="chorewright") as planner:
        result = planner.solve(problem)
    assert result.status == PlanGenerationResultStatus.SOLVED_SATISFICING
    assert len(result.plan.actions) == 3
    assert SequentialPlanValidator().validate(problem, result.plan)
    with PlanValidator(name="chorewright") as judge:
        verdict = judge.validate(problem, result.plan)
        assert verdict.status == ValidationResultStatus.VALID
        assert list((verdict.metric_evaluations or {}).values()) == ([] if cost is None else [cost])
        short = SequentialPlan(result.plan.actions[1:], problem.environment)
        wrong = judge.validate(problem, short)
        theirs = SequentialPlanValidator().validate(problem, short)
    assert (wrong.status, wrong.reason) == (theirs.status, theirs.reason)
    assert wrong.inapplicable_action == theirs.inapplicable_action


def test_our_engine_proves_optimality_and_unsolvability() -> None:
    problem = tour({"Go": 5, "light": 2})
    with OneshotPlanner(name="chorewright", params={"search": "astar", "heuristic": "max"}) as planner:
        assert planner.solve(problem).status == PlanGenerationResultStatus.SOLVED_OPTIMALLY
        problem.add_goal(problem.fluent("Robot At")(problem.object("hall")))
        problem.add_goal(problem.fluent("door")(problem.object("hall"), problem.object("attic")))
        assert planner.solve(problem).status == PlanGenerationResultStatus.UNSOLVABLE_PROVEN


def test_what_is_beyond_the_language_is_said_not_solved() -> None:
    problem = tour()
    place = problem.fluent("Robot At")(problem.object("hall"))
    problem.add_timed_goal(GlobalStartTiming(5), place)
    with OneshotPlanner(name="chorewright") as planner:
        planner.skip_checks = True
        result = planner.solve(problem)
    assert result.status == PlanGenerationResultStatus.UNSUPPORTED_PROBLEM
    assert result.log_messages[0].message


def test_numbers_are_solved_and_bounds_of_types_are_kept() -> None:
    problem = tour()
    fuel = Fluent("fuel", RealType())
    problem.add_fluent(fuel, default_initial_value=3)
    problem.action("Go").add_decrease_effect(fuel, 1)
    problem.add_goal(LE(fuel, 0))
    steps = Fluent("steps", IntType(0, 4))
    problem.add_fluent(steps, default_initial_value=0)
    problem.action("Go").add_increase_effect(steps, 1)
    with OneshotPlanner(name="chorewright") as planner:
        result = planner.solve(problem)
        assert result.status in SOLVED
        assert len([step for step in result.plan.actions if step.action.name == "Go"]) == 4
        problem.add_goal(LE(fuel, -2))
        assert planner.solve(problem).status == STATUS.UNSOLVABLE_PROVEN


EXAMPLES = get_example_problems()
STATUS = PlanGenerationResultStatus
SOLVED = (STATUS.SOLVED_SATISFICING, STATUS.SOLVED_OPTIMALLY)
OTHERWISE = {
    "temporal_conditional": "actions of one time touch the same atom, which PDDL forbids",
    "logistic": "actions of one time touch the same atom, which PDDL forbids",
    "basic_undef_numeric": "their validator does not know undefined values",
    "basic_undef_bool": "their validator does not know undefined values",
}
"""Examples whose plans their validators judge otherwise, or not at all."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_unified_planning(name: str) -> None:
    """What is supported is solved, and their validator agrees on all plans; the rest is refused."""
    example = EXAMPLES[name]
    with OneshotPlanner(name="chorewright") as planner, PlanValidator(name="chorewright") as judge:
        result = planner.solve(example.problem, timeout=60)
        if not planner.supports(example.problem.kind):
            assert (result.status, result.plan) == (STATUS.UNSUPPORTED_PROBLEM, None)
            return
        if example.problem.kind.has_continuous_time():
            pytest.importorskip("kairos")
        assert example.solvable == (result.status in SOLVED)
        assert judge.validate(example.problem, result.plan).status == ValidationResultStatus.VALID
        if name in OTHERWISE:
            return
        sequence = isinstance(result.plan, SequentialPlan)
        theirs = SequentialPlanValidator() if sequence else TimeTriggeredPlanValidator()
        assert theirs.validate(example.problem, result.plan)
        for plan in (*example.valid_plans, *example.invalid_plans):
            if isinstance(plan, SequentialPlan) == sequence:
                assert judge.validate(example.problem, plan).status == theirs.validate(example.problem, plan).status


def test_most_examples_are_supported() -> None:
    with OneshotPlanner(name="chorewright") as planner:
        supported = [name for name, example in EXAMPLES.items() if planner.supports(example.problem.kind)]
    assert len(supported) >= 49


def test_problems_with_durations_go_there_and_back() -> None:
    """Our text of a problem with durations is read by them, and their plan for it is judged here."""
    for name in ("matchcellar", "robot_with_static_fluents_duration", "temporal_counter"):
        ours = from_unified(EXAMPLES[name].problem)
        theirs = to_unified(ours.domain, ours.problem)
        assert len(theirs.actions) == len(EXAMPLES[name].problem.actions)
        plan = EXAMPLES[name].valid_plans[0]
        assert check_plan(ours.domain, ours.problem, ours.steps_of(plan), "unified-planning", "example").schedule


@pytest.mark.parametrize(
    "kind", ["CONDITIONAL_EFFECTS", "DISJUNCTIVE_CONDITIONS", "NEGATIVE_CONDITIONS", "QUANTIFIERS"]
)
def test_problems_that_unified_planning_has_compiled(kind: str) -> None:
    """Plans for compiled problems are plans for the problems, once mapped back."""
    compilation = CompilationKind[f"{kind}_REMOVING"]
    solved = 0
    for example in EXAMPLES.values():
        problem = example.problem
        if not ChorewrightEngine.supports(problem.kind) or not SequentialPlanValidator.supports(problem.kind):
            continue
        try:
            with Compiler(problem_kind=problem.kind, compilation_kind=compilation) as compiler:
                compiled = compiler.compile(problem, compilation)
        except (UPExpressionDefinitionError, UPNoSuitableEngineAvailableException):  # their compilers do not take it
            continue
        with OneshotPlanner(name="chorewright") as planner:
            plan = planner.solve(compiled.problem).plan
        back = plan.replace_action_instances(compiled.map_back_action_instance)
        assert SequentialPlanValidator().validate(problem, back), problem.name
        solved += 1
    assert solved > 15


def test_static_functions_may_be_costs() -> None:
    problem = tour()
    place = problem.user_type("Place")
    far = Fluent("far", IntType(), p=place, q=place)
    problem.add_fluent(far, default_initial_value=4)
    problem.set_initial_value(far(problem.object("hall"), problem.object("Den")), 7)
    go = problem.action("Go")
    costs = {go: far(go.parameter("p"), go.parameter("q")), problem.action("light"): Int(1)}
    problem.add_quality_metric(MinimizeActionCosts(costs))
    with OneshotPlanner(name="chorewright") as planner:
        result = planner.solve(problem)
    assert result.metrics["cost"] == "12"


def test_an_action_that_changes_nothing_may_be_in_a_plan() -> None:
    problem = tour()
    wait = InstantaneousAction("wait")
    problem.add_action(wait)
    with OneshotPlanner(name="chorewright") as planner, PlanValidator(name="chorewright") as judge:
        plan = planner.solve(problem).plan
        assert judge.validate(problem, SequentialPlan([ActionInstance(wait), *plan.actions]))


def test_registering_twice_or_in_another_environment() -> None:
    environment = Environment()
    register(environment)
    register(environment)
    assert "chorewright" in environment.factory.engines
    assert get_environment().factory.engines.count("chorewright") == 1


PEERS = ["blocks", "gripper", "miconic-simpleadl", "elevators-opt08-strips", "airport-adl", "schedule"]


@pytest.mark.parametrize("name", PEERS)
def test_there_and_back_is_the_same_task(name: str) -> None:
    from benchmarks.corpora.planning_tasks import competition_problems

    file = next(file for domain, file in competition_problems() if domain == name)
    domain, problem = competition_task(name, file)
    back = from_unified(to_unified(domain, problem))
    answer = solve(domain, problem)
    assert isinstance(answer, Plan)
    renamed = [action.name for action in back.domain.actions]
    assert len(renamed) == len(domain.actions)
    if set(renamed) == {action.name for action in domain.actions}:
        assert validate(back.domain, back.problem, answer.actions).cost == answer.cost
        assert not validate(back.domain, back.problem, answer.actions[1:]).valid
    assert len(PlanWorld.of(back.domain, back.problem).initial()) == len(set(problem.init))


@pytest.mark.parametrize("goal", [0, 1, 2, 3, 4, 5, 6])
def test_random_tasks_keep_their_optimal_cost(goal: int) -> None:
    domain, problem = random_task(11, goal)
    predicates = tuple(p for p in domain.predicates if p.name not in ("soaked", "safe"))
    plain = replace(domain, axioms=(), predicates=predicates)
    given = {value.objects for value in problem.values}
    missing = [pair for pair in product(("p0", "p1", "p2"), repeat=2) if pair not in given]
    problem = replace(problem, values=problem.values + tuple(FunctionValue("far", p, 4.0) for p in missing))
    back = from_unified(to_unified(plain, problem))
    ours, theirs = (solve(d, p, configuration=OPTIMAL) for d, p in ((plain, problem), (back.domain, back.problem)))
    assert type(ours) is type(theirs)
    if isinstance(ours, Plan) and isinstance(theirs, Plan):
        assert ours.cost == theirs.cost


CLASH = """(define (domain d) (:requirements :strips :typing) (:types spot) (:predicates (push ?s - spot))
 (:action push :parameters (?s - spot) :precondition () :effect (push ?s)))"""


def test_an_action_named_like_a_predicate() -> None:
    domain = parse_domain(CLASH)
    problem = parse_problem("(define (problem p) (:domain d) (:objects a - spot) (:init) (:goal (push a)))", domain)
    with pytest.raises(UnsupportedError, match="two things named 'push': predicate and action"):
        to_unified(domain, problem)


def test_derived_predicates_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="'soaked'"):
        to_unified(*random_task(0, 0))


@pytest.fixture
def peer() -> str:
    """An engine of unified-planning that is not ours by name."""
    factory = get_environment().factory
    if "peer" not in factory.engines:
        factory.add_engine("peer", "chorewright.planner.engines.unified", "ChorewrightEngine")
    return "peer"


def test_any_engine_of_unified_planning_is_a_planner(peer: str) -> None:
    planner = find_engine(peer)
    domain, problem = competition_task("gripper", "prob01.pddl")
    answer = planner.solve(domain, problem)
    assert isinstance(answer, Plan)
    assert answer.planner == peer
    nowhere = replace(problem, goal=parse_formula("(and (at ball1 rooma) (at ball1 roomb))", domain, problem.objects))
    assert isinstance(planner.solve(domain, nowhere), Unsolvable)


def test_nested_effects_arrive_as_they_are() -> None:
    """unified-planning's reader forgets a ``when`` around another one."""
    domain = parse_domain(
        """(define (domain d) (:predicates (a) (b) (c ?x) (d ?x))
        (:action m :parameters (?x) :effect (when (a) (when (b) (forall (?x) (when (d ?x) (c ?x))))))
        (:action n :effect (a)) (:action o :effect (b)))"""
    )
    problem = parse_problem("(define (problem p) (:domain d) (:objects x y) (:init (d y)) (:goal (c y)))", domain)
    back = from_unified(to_unified(domain, problem))
    answer = solve(back.domain, back.problem, configuration=OPTIMAL)
    assert isinstance(answer, Plan)
    assert answer.cost == 3


@pytest.mark.parametrize("names", [FORMS[::5], pytest.param(FORMS, marks=pytest.mark.slow)], ids=["some", "all"])
def test_forms_there_and_back_keep_their_cost(names: list[str]) -> None:
    refused = []
    for name in names:
        try:
            theirs = to_unified(*form_task(name))
        except UnsupportedError as error:
            refused.append(error.message)
            continue
        back = from_unified(theirs)
        answer = solve(back.domain, back.problem, configuration=OPTIMAL)
        assert (answer.cost if isinstance(answer, Plan) else None) == form_cost(name)
    assert all(re.search("derived|one type each|cannot (have|take)", message) for message in refused)
    assert len(refused) < 0.2 * len(names)


def test_a_condition_that_is_always_false() -> None:
    problem = tour()
    problem.action("Go").add_precondition(problem.environment.expression_manager.FALSE())
    with OneshotPlanner(name="chorewright") as planner, PlanValidator(name="chorewright") as judge:
        assert planner.solve(problem).status == STATUS.UNSOLVABLE_PROVEN
        verdict = judge.validate(problem, SequentialPlan([]))
    assert verdict.status == SequentialPlanValidator().validate(problem, SequentialPlan([])).status


def test_anytime_planning_gives_each_better_plan() -> None:
    domain, problem = competition_task("elevators-opt08-strips", "p01.pddl")
    theirs = to_unified(domain, problem)
    with AnytimePlanner(name="chorewright", params={"evaluations": 200_000}) as planner:
        results = list(planner.get_solutions(theirs))
    *earlier, last = results
    costs = [int(result.metrics["cost"]) for result in results]
    assert {result.status for result in earlier} == {STATUS.INTERMEDIATE}
    assert last.status in (STATUS.SOLVED_SATISFICING, STATUS.SOLVED_OPTIMALLY)
    assert costs == sorted(costs, reverse=True)
    assert all(
        validate(domain, problem, from_unified_plan(result.plan)).cost == cost
        for result, cost in zip(results, costs, strict=True)
    )


def test_anytime_planning_ends_when_enough_is_known() -> None:
    theirs = to_unified(*competition_task("depot", "p03.pddl"))
    threads = threading.active_count()
    with AnytimePlanner(name="chorewright") as planner:
        assert planner.ensures(AnytimeGuarantee.INCREASING_QUALITY)
        first = next(planner.get_solutions(theirs))
    assert first.status == STATUS.INTERMEDIATE
    gc.collect()
    assert threading.active_count() == threads


def test_anytime_planning_says_why_there_is_no_plan() -> None:
    problem = tour()
    problem.add_goal(problem.fluent("Robot At")(problem.object("hall")))
    problem.add_goal(Not(problem.fluent("Robot At")(problem.object("hall"))))
    with AnytimePlanner(name="chorewright") as planner:
        (result,) = planner.get_solutions(problem)
        assert result.status == STATUS.UNSOLVABLE_PROVEN
        problem.add_timed_effect(GlobalStartTiming(5), problem.fluent("Robot At")(problem.object("hall")), True)
        planner.skip_checks = True
        (result,) = planner.get_solutions(problem)
    assert result.status == STATUS.UNSUPPORTED_PROBLEM


def test_a_misspelt_parameter_is_refused() -> None:
    with pytest.raises(UPUsageError, match=r"has no parameter 'serach': did you mean 'search'\?"):
        OneshotPlanner(name="chorewright", params={"serach": "astar"})


def test_no_time_is_out_of_time() -> None:
    problem = EXAMPLES["basic"].problem
    with OneshotPlanner(name="chorewright") as planner:
        assert planner.solve(problem, timeout=0).status == STATUS.TIMEOUT
    with AnytimePlanner(name="chorewright") as planner:
        statuses = [result.status for result in planner.get_solutions(problem, timeout=0)]
    assert statuses == [STATUS.TIMEOUT]
