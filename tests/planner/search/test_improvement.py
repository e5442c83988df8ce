"""Improved plans stay plans, cost no more, and take no detours."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.grounding.joins.derivation import NEVER
from chorewright.planner.search.improvement import LONGEST, improve_orders, makers, regroup
from chorewright.planner.search.search import UNBOUNDED, Budget, Prepared, SearchResult, prepare
from chorewright.planner.search.states import all_hold, contract_stretches, drop_needless, holds, successor
from tests.planner.tables import random_strips, random_task, states_of

WALK = """(define (domain walk) (:requirements :adl :action-costs) (:types place)
  (:predicates (at ?p - place) (seen ?p - place)) (:functions (total-cost) - number)
  (:action go :parameters (?a ?b - place) :precondition (and (at ?a) (not (= ?a ?b)))
    :effect (and (not (at ?a)) (at ?b) (increase (total-cost) 3)))
  (:action look :parameters (?a - place) :precondition (at ?a)
    :effect (and (seen ?a) (increase (total-cost) 1))))"""
PROBLEM = """(define (problem p) (:domain walk) (:objects a b c d e - place) (:init (at a))
  (:goal (and (seen d) (at e))) (:metric minimize (total-cost)))"""


def eliminate(prepared: Prepared, plan: list[int]) -> list[int]:
    given = np.asarray(plan, np.int32)
    return list(drop_needless(prepared.initial, given, prepared.moves, prepared.task.goal).tolist())


def contract(prepared: Prepared, plan: list[int]) -> list[int]:
    given, by_fact = np.asarray(plan, np.int32), makers(prepared.task, prepared.cost)
    goal = prepared.task.goal
    found = contract_stretches(prepared.initial, given, prepared.moves, goal, prepared.cost, by_fact, LONGEST)
    return list(found.tolist())


def steps(prepared: Prepared, text: list[str]) -> list[int]:
    names = [str(prepared.task.action(o)) for o in range(prepared.task.operator_count)]
    return [names.index(name) for name in text]


@pytest.mark.parametrize(
    ("plan", "contracted"),
    [
        (["(go a b)", "(go b d)", "(look d)", "(go d e)"], ["(go a d)", "(look d)", "(go d e)"]),
        (["(go a b)", "(go b c)", "(go c d)", "(look d)", "(go d e)"], ["(go a d)", "(look d)", "(go d e)"]),
        (["(go a d)", "(look d)", "(go d c)", "(go c b)", "(go b e)"], ["(go a d)", "(look d)", "(go d e)"]),
        (["(go a d)", "(look d)", "(go d e)"], ["(go a d)", "(look d)", "(go d e)"]),
    ],
)
def test_detours_are_contracted(plan: list[str], contracted: list[str]) -> None:
    domain = parse_domain(WALK)
    task = ground(domain, parse_problem(PROBLEM, domain))
    assert task is not None
    prepared = prepare(task)
    found = contract(prepared, steps(prepared, plan))
    assert [str(task.action(o)) for o in found] == contracted


@pytest.mark.parametrize("seed", range(30))
def test_improved_random_walks_reach_the_goal_at_no_more_cost(seed: int) -> None:
    task = ground(*random_task(seed, seed % 3))
    if task is None:
        return
    prepared = prepare(task)
    rng = np.random.default_rng(seed)
    state, walk = prepared.initial, []
    for _ in range(200):
        if all_hold(state, task.goal, 0, len(task.goal)):
            break
        usable = [o for o in range(task.operator_count) if all(holds(state, f) for f in task.precondition.of(o))]
        if not usable:
            return
        walk.append(int(rng.choice(usable)))
        after = np.empty_like(state)
        successor(state, walk[-1], prepared.moves, after)
        state = after
    if not all_hold(state, task.goal, 0, len(task.goal)):
        return
    for change in (eliminate, contract):
        better = change(prepared, walk)
        end = states_of(prepared, better)[-1]
        assert all_hold(end, task.goal, 0, len(task.goal))
        assert prepared.plan_cost(better) <= prepared.plan_cost(walk)


SOLVABLE = [seed for seed in range(40) if ground(*random_strips(seed)) is not None]
WITH_AXIOMS = [seed for seed in range(20) if ground(*random_task(seed, 0)) is not None]


def walk_of(prepared: Prepared, seed: int, most: int) -> list[int]:
    """Operators drawn at random, each of which can be run after those before it."""
    rng = np.random.default_rng(seed)
    state, walk = prepared.initial, []
    for _ in range(most):
        usable = [o for o in range(prepared.task.operator_count) if runs(prepared, state, o)]
        if not usable:
            break
        walk.append(int(rng.choice(usable)))
        state = states_of(prepared, walk)[-1]
    return walk


def runs(prepared: Prepared, state: NDArray[np.uint64], operator: int) -> bool:
    return all(holds(state, fact) for fact in prepared.task.precondition.of(operator))


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("seed", SOLVABLE)
def test_other_orders_of_a_walk_can_be_run_and_end_where_it_ends(seed: int, backwards: bool) -> None:
    task = ground(*random_strips(seed))
    assert task is not None
    prepared = prepare(task)
    walk = walk_of(prepared, seed, 40)
    order = regroup(prepared, np.asarray(walk, np.int32), backwards).tolist()
    assert sorted(order) == sorted(walk)
    visited = states_of(prepared, order)
    assert (visited[-1] == states_of(prepared, walk)[-1]).all()
    assert all(runs(prepared, before, o) for before, o in zip(visited, order, strict=False))


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("seed", WITH_AXIOMS)
def test_orders_with_conditional_effects_that_can_be_run_end_where_the_walk_ends(seed: int, backwards: bool) -> None:
    task = ground(*random_task(seed, 0))
    assert task is not None
    prepared = prepare(task)
    walk = walk_of(prepared, seed, 30)
    order = regroup(prepared, np.asarray(walk, np.int32), backwards).tolist()
    visited = states_of(prepared, order)
    if all(runs(prepared, before, o) for before, o in zip(visited, order, strict=False)):  # axioms may decide
        assert (visited[-1] == states_of(prepared, walk)[-1]).all()


CUPS = """(define (domain cups) (:requirements :typing) (:types cup)
    (:predicates (clean ?c - cup) (boiled ?c - cup) (full ?c - cup))
    (:action wash :parameters (?c - cup) :effect (clean ?c))
    (:action boil :parameters (?c - cup) :effect (boiled ?c))
    (:action fill :parameters (?c - cup) :precondition (and (clean ?c) (boiled ?c)) :effect (full ?c)))"""


def cups() -> Prepared:
    """A task of three cups to be filled."""
    domain = parse_domain(CUPS)
    text = "(define (problem p) (:domain cups) (:objects a b c - cup) (:init) (:goal (and (full a) (full b) (full c))))"
    task = ground(domain, parse_problem(text, domain))
    assert task is not None
    return prepare(task)


@pytest.mark.parametrize("backwards", [False, True])
def test_what_leads_to_one_goal_stands_together(backwards: bool) -> None:
    prepared = cups()
    turns = ["wash a", "wash b", "boil a", "wash c", "boil c", "boil b", "fill c", "fill a", "fill b"]
    plan = steps(prepared, [f"({step})" for step in turns])
    order = [str(prepared.task.action(o)) for o in regroup(prepared, np.asarray(plan, np.int32), backwards).tolist()]
    first, second = ("boil", "wash") if backwards else ("wash", "boil")
    assert order == [f"({verb} {cup})" for cup in "cab" for verb in (first, second, "fill")]


@pytest.mark.parametrize(("most", "stop"), [(7, False), (UNBOUNDED, True)])
def test_orders_are_left_alone_without_evaluations_and_when_stopped(most: int, stop: bool) -> None:
    prepared = cups()
    plan = steps(prepared, [f"({verb} {cup})" for verb in ("wash", "boil", "fill") for cup in "abc"] * 3)
    found = SearchResult(tuple(plan), None, 7)
    asked: list[object] = []
    budget = Budget(10**6, 10**6, np.array([int(stop)]))
    assert improve_orders(prepared, found, budget, asked.append, most) == found
    assert asked == []
    better = improve_orders(prepared, found, Budget(10**6, 10**6, NEVER), asked.append)
    assert better.evaluations >= 7
    assert prepared.cost_of(better) == 9
    assert len(asked) > 0
