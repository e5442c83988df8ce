"""The planner against brute force, on small tasks with every feature of the language."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.corpora.planning_tasks import competition_task
from chorewright.domains.formulas import Facts, holds
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.planner import planning
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.plan import Limit, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import DEFAULT, OPTIMAL, Configuration, LadderPlanner, ladder, solve
from chorewright.planner.search.configuration import THOROUGH
from chorewright.planner.search.search import SearchResult, prepare
from chorewright.planner.search.states import all_hold, successor
from chorewright.planner.search.states import holds as is_true
from chorewright.planner.validation import PlanWorld, validate
from chorewright.problems.pddl.template_files import classic_domain, classic_template, draw
from tests.planner.tables import GOALS, all_actions, optimal_cost, random_task, successors

SEEDS = range(6)


@pytest.mark.parametrize(("configuration", "asked"), [(THOROUGH, True), (DEFAULT, False)], ids=str)
def test_rivals_search_only_where_they_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, configuration: Configuration, asked: bool
) -> None:
    calls: list[SearchResult] = []

    def rivals(prepared: object, first: object, best: SearchResult, *others: object) -> SearchResult:
        calls.append(best)
        return replace(best, evaluations=0)

    monkeypatch.setattr(planning.anytime, "against_rivals", rivals)
    domain = classic_domain("gripper")
    answer = solve(domain, draw(classic_template("gripper"), domain, (1, 20)), configuration=configuration)
    assert isinstance(answer, Plan)
    assert bool(calls) == asked


@pytest.mark.parametrize("goal", range(len(GOALS)))
@pytest.mark.parametrize("seed", SEEDS)
def test_optimal_costs_are_those_of_brute_force(seed: int, goal: int) -> None:
    domain, problem = random_task(seed, goal)
    world = PlanWorld.of(domain, problem)
    expected = optimal_cost(world, lambda state: holds(problem.goal, state, world.universe))
    for configuration in (OPTIMAL, Configuration("astar", "blind", improve=0, rungs=())):
        answer = solve(domain, problem, configuration=configuration)
        if expected is None:
            assert isinstance(answer, Unsolvable)
        else:
            assert isinstance(answer, Plan)
            assert answer.optimal
            assert answer.cost == expected
    greedy = solve(domain, problem)
    assert isinstance(greedy, Unsolvable if expected is None else Plan)
    if isinstance(greedy, Plan):
        assert expected is not None
        assert greedy.cost >= expected
        assert validate(domain, problem, greedy.actions).valid


@pytest.mark.parametrize("goal", range(len(GOALS)))
@pytest.mark.parametrize("seed", SEEDS)
def test_operators_are_exactly_the_reachable_actions_that_matter(seed: int, goal: int) -> None:
    domain, problem = random_task(seed, goal)
    task = ground(domain, problem)
    world = PlanWorld.of(domain, problem)
    seen = {world.initial()}
    queue = [world.initial()]
    steps = []
    while queue:
        state = queue.pop()
        for action, _, after in successors(world, state):
            steps.append((state, action, after))
            if after not in seen:
                seen.add(after)
                queue.append(after)
    if task is None:
        assert not any(holds(problem.goal, state, world.universe) for state in seen)
        return
    operators = {task.action(o) for o in range(task.operator_count)}
    assert operators <= set(all_actions(world))
    # What is left out can never be applied, or changes nothing that the task tracks.
    tracked = {task.atom(f) for f in range(task.fact_count)} - {None}
    derived = {axiom.head.name for axiom in domain.axioms}
    for state, action, after in steps:
        if action not in operators:
            changed = {a for a in state ^ after if a[0] not in derived}
            assert not changed & tracked


@pytest.mark.parametrize("seed", SEEDS)
def test_encoded_states_follow_the_definitions(seed: int) -> None:
    """Walk through the encoded task and the problem side by side."""
    domain, problem = random_task(seed, 5)
    task = ground(domain, problem)
    if task is None:
        pytest.skip("the goal is unreachable")
    prepared = prepare(task)
    world = PlanWorld.of(domain, problem)
    number = {task.action(o): o for o in range(task.operator_count)}
    state, words = world.initial(), prepared.initial
    for step in range(30):
        facts = Facts(state)
        assert _decoded(task, words) == {a for a in state if a in _atoms(task)}
        choices = [a for a in sorted(number, key=str) if world.refusal(a, facts) is None]
        if not choices:
            break
        chosen = choices[step * 7 % len(choices)]
        state = world.apply(chosen, state, facts)
        words = _next(prepared, task, chosen, words)


def _atoms(task: object) -> set[object]:
    return {task.atom(f) for f in range(task.fact_count)} - {None}


def _decoded(task: object, words: object) -> set[object]:

    found = {task.atom(f) for f in range(task.fact_count) if is_true(words, f)}
    return found - {None}


def _next(prepared: object, task: object, action: object, words: object) -> object:
    """The successor by the one operator of this action whose precondition holds."""
    for operator in range(task.operator_count):
        if task.action(operator) != action:
            continue
        pre = task.precondition
        if all_hold(words, pre.items, pre.start[operator], pre.start[operator + 1]):
            after = np.empty_like(words)
            successor(words, operator, prepared.moves, after)
            return after
    raise AssertionError(f"no operator of {action} is applicable")


UNSOLVABLE = """(define (problem u) (:domain d) (:objects a b c - object) (:init (on a) (free)) (:goal {goal}))"""
SWITCHES = """(define (domain d) (:requirements :strips :negative-preconditions)
 (:predicates (on ?x) (free) (lit ?x))
 (:action swap :parameters (?x ?y) :precondition (and (on ?x) (not (on ?y))) :effect (and (on ?y) (not (on
 ?x))))
 (:action burn :parameters (?x) :precondition (and (on ?x) (free)) :effect (and (lit ?x) (not (free)))))"""


@pytest.mark.parametrize(
    ("goal", "reason"),
    [
        ("(and (on a) (on b))", "visited all"),
        ("(and (lit a) (lit b))", "visited all"),
        ("(and (free) (lit a))", "visited all"),
    ],
)
def test_exhausted_search_is_unsolvable(goal: str, reason: str) -> None:
    domain = parse_domain(SWITCHES)
    answer = solve(domain, parse_problem(UNSOLVABLE.format(goal=goal), domain))
    assert isinstance(answer, Unsolvable)
    assert reason in answer.reason


def test_unreachable_goals_are_unsolvable_without_search() -> None:
    domain = parse_domain(SWITCHES.replace("(free) (lit ?x)", "(free) (lit ?x) (never)"))
    answer = solve(domain, parse_problem(UNSOLVABLE.format(goal="(never)"), domain))
    assert isinstance(answer, Unsolvable)
    assert "nothing is ever deleted" in answer.reason


def test_a_goal_that_holds_has_the_empty_plan() -> None:
    domain = parse_domain(SWITCHES)
    answer = solve(domain, parse_problem(UNSOLVABLE.format(goal="(on a)"), domain))
    assert isinstance(answer, Plan)
    assert answer.actions == ()


def test_limits_are_kept() -> None:
    domain, problem = competition_task("parking-opt11-strips", "pfile04-014.pddl")
    few = solve(domain, problem, Limits(evaluations=20))
    assert few == OutOfLimits(Limit.EVALUATIONS, 20)
    small = solve(domain, problem, Limits(megabytes=1), Configuration("astar", "blind", improve=0, rungs=()))
    assert isinstance(small, OutOfLimits)
    assert small.limit is Limit.MEMORY
    short = solve(domain, problem, Limits(seconds=0.3), Configuration("astar", "max", improve=0, rungs=()))
    assert isinstance(short, OutOfLimits)
    assert short.limit is Limit.TIME


def test_planner_protocol() -> None:
    domain, problem = competition_task("gripper", "prob01.pddl")
    answer = LadderPlanner(OPTIMAL).solve(domain, problem)
    assert isinstance(answer, Plan)
    assert (answer.cost, answer.optimal) == (11.0, True)


def test_a_full_task_that_is_small_goes_before_tight_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = classic_domain("logistics")
    problem = draw(classic_template("logistics"), domain, (3,))
    monkeypatch.setattr(planning, "SMALL", 50)
    monkeypatch.setattr(planning, "most_actions", lambda *_: 51)
    stop = np.zeros(1, np.int64)
    assert [rung.full for rung in ladder(domain, problem, THOROUGH, stop)] == [True]
    assert not next(ladder(domain, problem, DEFAULT, stop)).full
    monkeypatch.setattr(planning, "FEW", 0)
    assert not next(ladder(domain, problem, THOROUGH, stop)).full
    asked, tight = solve(domain, problem, configuration=THOROUGH), solve(domain, problem)
    assert isinstance(asked, Plan)
    assert isinstance(tight, Plan)
    assert asked.cost <= tight.cost


def test_the_full_task_is_tried_before_tight_ones_get_all_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = classic_domain("logistics")
    problem = draw(classic_template("logistics"), domain, (3,))
    monkeypatch.setattr(planning, "SMALL", 50)
    monkeypatch.setattr(planning, "most_actions", lambda *_: 51)
    monkeypatch.setattr(planning, "FEW", 0)
    stop = np.zeros(1, np.int64)

    def rungs(configuration: Configuration) -> list[tuple[bool, bool]]:
        found = [rung for rung in ladder(domain, problem, configuration, stop) if not rung.narrow]
        return [(rung.full, rung.evaluations == planning.QUICK) for rung in found]

    own = rungs(DEFAULT)
    assert own == [(False, False)] * (len(own) - 1) + [(True, False)]
    assert rungs(THOROUGH) == [(False, True), (True, True), *own]
    few = replace(THOROUGH, rungs=(100, 100))
    assert [rung.evaluations for rung in ladder(domain, problem, few, stop) if not rung.narrow][:3] == [100, 100, 100]
    most = Limits(evaluations=2 * planning.MOST_EVALUATIONS)
    assert isinstance(solve(domain, problem, most, THOROUGH), Plan)
    monkeypatch.setattr(planning, "state_limit", lambda *_: 1)
    for limits in (most, Limits()):  # the quick rungs' limits are no answer, the last one's is
        answer = solve(domain, problem, limits, THOROUGH)
        assert isinstance(answer, OutOfLimits)
        assert answer.limit is Limit.MEMORY
    monkeypatch.setattr(planning, "MODEST", 0)
    assert rungs(THOROUGH) == own
