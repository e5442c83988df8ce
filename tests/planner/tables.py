"""Plain Python twins of the compiled parts, and small random tasks: what the tests compare against."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.formulas import Facts, holds
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem, State
from chorewright.planner.plan import GroundAction
from chorewright.planner.search.search import Prepared
from chorewright.planner.search.states import trajectory
from chorewright.planner.validation import PlanWorld


def all_actions(world: PlanWorld) -> Iterator[GroundAction]:
    """Every well-typed ground action."""
    for action in world.domain.actions:
        choices = [world.universe.members(p.types) for p in action.parameters]
        for arguments in product(*choices):
            yield GroundAction(action.name, tuple(arguments))


def successors(world: PlanWorld, state: State) -> Iterator[tuple[GroundAction, float, State]]:
    """Applicable actions with cost and successor, straight from the definitions."""
    facts = Facts(state)
    for action in all_actions(world):
        if world.refusal(action, facts) is None:
            yield action, world.cost(action) or 0.0, world.apply(action, state, facts)


def optimal_cost(world: PlanWorld, goal_holds: object, most: int = 20_000) -> float | None:
    """Cheapest cost by Dijkstra's algorithm over states; None if there is no plan."""
    assert callable(goal_holds)
    start = world.initial()
    queue: list[tuple[float, int, State]] = [(0.0, 0, start)]
    best = {start: 0.0}
    number = 0
    while queue:
        cost, _, state = heapq.heappop(queue)
        if cost > best[state]:
            continue
        if goal_holds(state):
            return cost
        assert len(best) < most, "too large for brute force"
        for _, price, after in successors(world, state):
            if cost + price < best.get(after, float("inf")):
                best[after] = cost + price
                number += 1
                heapq.heappush(queue, (cost + price, number, after))
    return None


def distances(world: PlanWorld) -> dict[State, float]:
    """True cost-to-go of every reachable state, by iteration to the fixpoint."""
    edges: dict[State, list[tuple[float, State]]] = {}
    queue = [world.initial()]
    while queue:
        state = queue.pop()
        if state not in edges:
            edges[state] = [(cost, after) for _, cost, after in successors(world, state)]
            queue.extend(after for _, after in edges[state])
    problem_goal = world.problem.goal
    value = {s: 0.0 if holds(problem_goal, s, world.universe) else float("inf") for s in edges}
    changed = True
    while changed:
        changed = False
        for state, following in edges.items():
            best = min((cost + value[after] for cost, after in following), default=float("inf"))
            if best < value[state]:
                value[state] = best
                changed = True
    return value


TYPES = "(:types thing place - object key - thing)"

PREDICATES = """(:predicates (at ?x - thing ?p - place) (link ?p ?q - place) (open ?p - place) (held ?x -
thing)
 (wet ?x - thing) (free) (dry-place ?p - place))"""

ACTIONS = (
    """(:action move :parameters (?x - thing ?p ?q - place)
 :precondition (and (at ?x ?p) (or (link ?p ?q) (link ?q ?p)) (open ?q) (not (held ?x)))
 :effect (and (not (at ?x ?p)) (at ?x ?q) (when (not (dry-place ?q)) (wet ?x))
 (increase (total-cost) (far ?p ?q))))""",
    """(:action unlock :parameters (?k - key ?p - place)
 :precondition (and (held ?k) (not (open ?p)) (exists (?q - place) (and (link ?q ?p) (at ?k ?q))))
 :effect (and (open ?p) (increase (total-cost) 2)))""",
    """(:action lift :parameters (?x - thing)
 :precondition (and (free) (forall (?y - thing) (not (held ?y))) (not (wet ?x)))
 :effect (and (held ?x) (not (free)) (increase (total-cost) 1)))""",
    """(:action drop :parameters (?x - thing) :precondition (held ?x)
 :effect (and (not (held ?x)) (free) (increase (total-cost) 1)))""",
    """(:action rain :parameters (?p - place) :precondition (imply (free) (exists (?x - thing) (wet ?x)))
 :effect (and (forall (?x - thing) (when (and (at ?x ?p) (not (dry-place ?p))) (wet ?x)))
 (increase (total-cost) 1)))""",
    """(:action sun :parameters () :precondition (or (free) (forall (?p - place) (open ?p)))
 :effect (and (forall (?x - thing ?p - place) (when (and (at ?x ?p) (open ?p) (wet ?x)) (not (wet ?x))))
 (increase (total-cost) 3)))""",
)

GOALS = (
    "(and (at t1 p2) (not (wet t1)))",
    "(forall (?x - thing) (exists (?p - place) (and (at ?x ?p) (dry-place ?p))))",
    "(or (held k1) (and (open p1) (open p2)))",
    "(at-least 2 (?x - thing) (at ?x p2))",
    "(not (at-least 2 (?x - thing) (or (wet ?x) (held ?x))))",
    "(exists (?x ?y - thing) (and (not (= ?x ?y)) (wet ?x) (held ?y)))",
    "(imply (wet t1) (at t1 p0))",
    "(and (soaked) (at k1 p1))",
)

AXIOMS = "(:derived (soaked) (forall (?x - thing) (or (wet ?x) (safe ?x)))) (:derived (safe ?x - thing) (held ?x))"


def random_task(seed: int, goal: int) -> tuple[Domain, Problem]:
    """A small task with every feature of the language."""
    rng = np.random.default_rng(seed)
    derived = "(soaked) (safe ?x - thing))"
    domain = parse_domain(
        f"(define (domain toy) (:requirements :adl :derived-predicates :action-costs) {TYPES}"
        f" {PREDICATES[:-1]} {derived} (:functions (total-cost) - number (far ?p ?q - place) - number)"
        f" {AXIOMS} {' '.join(ACTIONS)})"
    )
    places, things = ["p0", "p1", "p2"], ["t1", "k1"]
    init = [f"(at {x} {rng.choice(places)})" for x in things]
    init += [f"(link {p} {q})" for p in places for q in places if p != q and rng.random() < 0.6]
    init += [f"(open {p})" for p in places if rng.random() < 0.6]
    init += [f"(dry-place {p})" for p in places if rng.random() < 0.5]
    init += [f"(wet {x})" for x in things if rng.random() < 0.3] + ["(free)"]
    init += [f"(= (far {p} {q}) {rng.integers(1, 6)})" for p in places for q in places if rng.random() < 0.9]
    problem = parse_problem(
        f"(define (problem toy-{seed}) (:domain toy) (:objects p0 p1 p2 - place t1 - thing k1 - key)"
        f" (:init {' '.join(init)}) (:goal {GOALS[goal]}) (:metric minimize (total-cost)))",
        domain,
    )
    return domain, problem


def random_strips(seed: int) -> tuple[Domain, Problem]:
    """A small task over facts without arguments: positive and negative preconditions, costs from zero."""
    rng = np.random.default_rng(seed)
    facts = [f"f{i}" for i in range(14)]

    def some(least: int, most: int) -> list[str]:
        return [str(f) for f in rng.choice(facts, int(rng.integers(least, most + 1)), replace=False)]

    actions = []
    for number in range(20):
        conditions = [f"({f})" if rng.random() < 0.85 else f"(not ({f}))" for f in some(1, 3)]
        adds = some(1, 3)
        deletes = [f for f in some(0, 2) if f not in adds]
        effects = [*(f"({f})" for f in adds), *(f"(not ({f}))" for f in deletes)]
        actions.append(
            f"(:action a{number} :parameters () :precondition (and {' '.join(conditions)})"
            f" :effect (and {' '.join(effects)} (increase (total-cost) {rng.integers(0, 7)})))"
        )
    domain = parse_domain(
        "(define (domain bits) (:requirements :strips :negative-preconditions :action-costs)"
        f" (:predicates {' '.join(f'({f})' for f in facts)}) (:functions (total-cost) - number)"
        f" {' '.join(actions)})"
    )
    problem = parse_problem(
        f"(define (problem bits-{seed}) (:domain bits) (:init {' '.join(f'({f})' for f in some(2, 4))}"
        f" (= (total-cost) 0)) (:goal (and {' '.join(f'({f})' for f in some(3, 5))}))"
        " (:metric minimize (total-cost)))",
        domain,
    )
    return domain, problem


def states_of(prepared: Prepared, operators: Sequence[int]) -> list[NDArray[np.uint64]]:
    """The packed states that a plan passes through, the initial one first."""
    return list(trajectory(prepared.initial, np.asarray(operators, np.int32), prepared.moves))
