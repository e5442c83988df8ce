"""Improved plans stay plans, cost no more, and take no detours."""

from __future__ import annotations

import numpy as np
import pytest

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.search.improvement import LONGEST, makers, regroup
from chorewright.planner.search.search import Prepared, prepare
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


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_other_orders_of_a_walk_can_be_run_and_end_where_it_ends(seed: int, backwards: bool) -> None:
    task = ground(*random_strips(seed))
    if task is None:
        return
    prepared = prepare(task)
    rng = np.random.default_rng(seed)
    state, walk = prepared.initial, []
    for _ in range(40):
        usable = [o for o in range(task.operator_count) if all(holds(state, f) for f in task.precondition.of(o))]
        if not usable:
            break
        walk.append(int(rng.choice(usable)))
        state = states_of(prepared, walk)[-1]
    order = regroup(prepared, np.asarray(walk, np.int32), backwards).tolist()
    assert sorted(order) == sorted(walk)
    visited = states_of(prepared, order)
    assert (visited[-1] == state).all()
    for before, o in zip(visited, order, strict=False):
        assert all(holds(before, f) for f in task.precondition.of(o))


@pytest.mark.parametrize("backwards", [False, True])
def test_what_leads_to_one_goal_stands_together(backwards: bool) -> None:
    domain = parse_domain(
        """(define (domain cups) (:requirements :typing) (:types cup) (:predicates (clean ?c - cup) (full ?c - cup))
        (:action wash :parameters (?c - cup) :effect (clean ?c))
        (:action fill :parameters (?c - cup) :precondition (clean ?c) :effect (full ?c)))"""
    )
    text = "(define (problem p) (:domain cups) (:objects a b c - cup) (:init) (:goal (and (full a) (full b) (full c))))"
    task = ground(domain, parse_problem(text, domain))
    assert task is not None
    prepared = prepare(task)
    plan = steps(prepared, ["(wash a)", "(wash b)", "(wash c)", "(fill c)", "(fill a)", "(fill b)"])
    order = [str(task.action(o)) for o in regroup(prepared, np.asarray(plan, np.int32), backwards).tolist()]
    assert order == ["(wash c)", "(fill c)", "(wash a)", "(fill a)", "(wash b)", "(fill b)"]
