"""Warming: each compiled kernel that planning may use is called once, so that none is compiled later.

Which ones a problem needs depends on how hard it is: an easy one looks for no landmarks, a short plan has no
stretches that are planned again. So they are called by name, on a tiny task with conditional effects,
negation, costs and axioms.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from chorewright.domains.pddl.parser import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.jit.cache import marker
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.plan import Limits
from chorewright.planner.search import states
from chorewright.planner.search.anytime import silent
from chorewright.planner.search.configuration import DEFAULT
from chorewright.planner.search.heuristics.disjunctive_landmarks import with_disjunctions, with_reasonable_orders
from chorewright.planner.search.heuristics.landmarks import find_landmarks
from chorewright.planner.search.improvement import LONGEST, makers
from chorewright.planner.search.narrowing import narrow_task
from chorewright.planner.search.search import UNBOUNDED, Budget, Prepared, prepare

EVALUATIONS, STATES = 100, 1000

_DOMAIN = """(define (domain tiny) (:requirements :adl :action-costs :derived-predicates)
 (:predicates (at ?x) (next ?x ?y) (lit ?x) (bright)) (:functions (total-cost) - number)
 (:derived (bright) (exists (?x) (and (lit ?x) (not (at ?x)))))
 (:action go :parameters (?x ?y) :precondition (and (at ?x) (next ?x ?y) (not (at ?y)))
  :effect (and (at ?y) (not (at ?x)) (when (lit ?x) (lit ?y)) (increase (total-cost) 2)))
 (:action light :parameters (?x) :precondition (at ?x) :effect (and (lit ?x) (increase (total-cost) 1))))"""
_PROBLEM = """(define (problem tiny) (:domain tiny) (:objects a b c)
 (:init (at a) (next a b) (next b c) (next c a)) (:goal {})
 (:metric minimize (total-cost)))"""
_CARRYING = """(define (domain carrying) (:requirements :strips)
 (:predicates (at ?r ?x) (next ?x ?y) (on ?o ?x) (held ?o) (free) (robot ?r))
 (:action go :parameters (?r ?x ?y) :precondition (and (at ?r ?x) (next ?x ?y))
  :effect (and (at ?r ?y) (not (at ?r ?x))))
 (:action take :parameters (?r ?o ?x) :precondition (and (at ?r ?x) (on ?o ?x) (free))
  :effect (and (held ?o) (not (on ?o ?x)) (not (free))))
 (:action place :parameters (?r ?o ?x) :precondition (and (at ?r ?x) (held ?o) (robot ?r))
  :effect (and (on ?o ?x) (free) (not (held ?o)))))"""
_CARRIED = """(define (problem carried) (:domain carrying) (:objects a b c p q r i)
 (:init (at i a) (next a b) (next b c) (next c a) (on p b) (on q b) (on r c) (free) (robot i))
 (:goal (or (and (on p c) (on q c)) (on r a))))"""
_PLACED = _CARRIED.replace("(or (and (on p c) (on q c)) (on r a))", "(and (on p c) (on r a))")
_COUNTING = """(define (domain counting) (:predicates (up)) (:functions (n) (m))
 (:action add :precondition (up) :effect (increase (n) 2)) (:action rise :effect (and (up) (increase (m) (n)))))"""
_COUNTED = "(define (problem p) (:domain counting) (:init (= (n) 0) (= (m) 0)) (:goal (and (> (n) 3) (> (m) 4))))"
_GOALS = ("(and (at c) (exists (?x) (lit ?x)) (not (lit a)))", "(bright)")


def ensure_compiled() -> None:
    """Compile the kernels of all searches if that was never done; if it was, they are loaded when they are needed."""
    mark = marker(Path(__file__).parent)
    if mark is None or not mark.exists():
        warm()


@cache
def warm() -> None:
    """Compile the kernels of all searches, or load them if they have been."""
    domain = parse_domain(_DOMAIN)
    for goal in _GOALS:
        _warm(domain, parse_problem(_PROBLEM.format(goal), domain))
    # Invariants are looked for only where there are neither conditions of effects nor axioms.
    carrying = parse_domain(_CARRYING)
    _warm(carrying, parse_problem(_PLACED, carrying)).search("astar", "lmcut", 1, UNBOUNDED, _budget())
    mark = marker(Path(__file__).parent)
    if mark is not None:
        with suppress(OSError):
            mark.touch()


def warm_costs() -> None:
    """Compile the kernels that only costs-to-go need, or load them if they have been."""
    # Imported here: whoever only plans does without.
    from chorewright.planner.cost_to_go.costs_to_go import OPTIMAL, SATISFICING, CostToGo, Effort
    from chorewright.planner.cost_to_go.piecewise import Piecewise
    from chorewright.planner.search.start_states import SearchStart

    domain = parse_domain(_CARRYING)
    problem = parse_problem(_CARRIED, domain)
    state = frozenset(problem.init)
    costs = CostToGo(domain, problem, [state])
    for effort in (OPTIMAL, SATISFICING, Effort(provable=1)):
        costs.cost(state, effort)
    # Large tasks only are planned piece by piece.
    task = ground(domain, problem)
    assert task is not None
    start = SearchStart.of(task)
    Piecewise.of(start, [start.encode(state)], EVALUATIONS).plan(start.encode(state), EVALUATIONS)
    # Asked for only where an abstract plan cannot be followed.
    states.holds(np.zeros(1, np.uint64), 0)


def warm_numbers() -> None:
    """Compile the kernels that only problems with numbers need, or load them if they have been."""
    # Imported here: whoever plans without numbers does without.
    from chorewright.planner.numeric import solve_numeric

    domain = parse_domain(_COUNTING)
    limits = Limits(evaluations=EVALUATIONS)
    solve_numeric(domain, parse_problem(_COUNTED, domain), limits, DEFAULT, limits.alarm(), silent)


def _budget() -> Budget:
    return Budget(EVALUATIONS, STATES, np.zeros(1, np.int64))


def _warm(domain: Domain, problem: Problem) -> Prepared:
    task = ground(domain, problem)
    assert task is not None
    prepared = prepare(task)
    narrow_task(replace(task, cost=np.ones_like(task.cost)), 0)
    budget = _budget()
    single = find_landmarks(prepared.initial, prepared.guide)
    marks = with_disjunctions(prepared.initial, prepared.task, prepared.guide, single)
    marks = with_reasonable_orders(task, prepared.guide, marks)
    prepared.widen(UNBOUNDED, budget, marks)
    found = prepared.search("greedy", "ff", 1, UNBOUNDED, budget, marks, True)
    assert found.operators is not None
    prepared.search("astar", "max", 1, UNBOUNDED, budget)
    prepared.hill_climb("ff", UNBOUNDED, budget)
    _follow(prepared, np.asarray(found.operators, np.int32))
    return prepared


def _follow(prepared: Prepared, plan: np.ndarray[tuple[int], np.dtype[np.int32]]) -> None:
    """The kernels over plans."""
    initial, moves, goal = prepared.initial, prepared.moves, prepared.task.goal
    reached = states.trajectory(initial, plan, moves)
    states.facts_of(states.find_reliance(reached, plan, moves, goal)[0])
    states.runnable(initial, plan, 0, False, moves, goal, np.empty_like(plan))
    states.drop_needless(initial, plan, moves, goal)
    by_fact = makers(prepared.task, prepared.cost)
    states.contract_stretches(initial, plan, moves, goal, prepared.cost, by_fact, LONGEST)
    states.all_hold(reached[-1], goal, 0, len(goal))
    states.successor(initial, int(plan[0]), moves, reached[0])
