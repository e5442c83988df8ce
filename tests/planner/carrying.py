"""Small random tasks of carrying things: exclusive facts, alike objects, hands, and what breaks them."""

from __future__ import annotations

import heapq
from collections import defaultdict
from math import inf

import numpy as np

from chorewright.domains.formulas import holds
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem, State
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.validation import PlanWorld

HEADER = """(:requirements :adl :action-costs)
 (:types agent place item - object cup box - item)
 (:predicates (at ?a - agent ?p - place) (free ?a - agent) (holds ?a - agent ?x - item)
  (on ?x - item ?p - place) (in ?x - item ?b - box) (open ?b - box) (dirty ?x - item)
  (basin ?p - place) (road ?p ?q - place))
 (:functions (total-cost) - number (far ?p ?q - place) - number)"""

ACTIONS = {
    "go": """(:parameters (?a - agent ?p ?q - place) :precondition (and (at ?a ?p) (not (= ?p ?q)))
 :effect (and (not (at ?a ?p)) (at ?a ?q) (increase (total-cost) (far ?p ?q))))""",
    "take": """(:parameters (?a - agent ?x - item ?p - place)
 :precondition (and (at ?a ?p) (on ?x ?p) (free ?a))
 :effect (and (holds ?a ?x) (not (on ?x ?p)) (not (free ?a)) (increase (total-cost) 1)))""",
    "put": """(:parameters (?a - agent ?x - item ?p - place) :precondition (and (at ?a ?p) (holds ?a ?x))
 :effect (and (on ?x ?p) (not (holds ?a ?x)) (free ?a) (increase (total-cost) 1)))""",
    "fill": """(:parameters (?a - agent ?x - cup ?b - box ?p - place)
 :precondition (and (at ?a ?p) (holds ?a ?x) (on ?b ?p) (open ?b))
 :effect (and (in ?x ?b) (not (holds ?a ?x)) (free ?a) (increase (total-cost) 1)))""",
    "empty": """(:parameters (?a - agent ?x - cup ?b - box ?p - place)
 :precondition (and (at ?a ?p) (in ?x ?b) (on ?b ?p) (open ?b) (free ?a))
 :effect (and (holds ?a ?x) (not (in ?x ?b)) (not (free ?a)) (increase (total-cost) 1)))""",
    "unlock": """(:parameters (?a - agent ?b - box ?p - place)
 :precondition (and (at ?a ?p) (on ?b ?p) (free ?a))
 :effect (and (open ?b) (increase (total-cost) 1)))""",
    "shut": """(:parameters (?a - agent ?b - box ?p - place) :precondition (and (at ?a ?p) (on ?b ?p))
 :effect (and (not (open ?b)) (increase (total-cost) 1)))""",
    "wash": """(:parameters (?a - agent ?x - item ?p - place)
 :precondition (and (at ?a ?p) (basin ?p) (holds ?a ?x) (dirty ?x))
 :effect (and (not (dirty ?x)) (increase (total-cost) 2)))""",
    # What breaks the invariants, or is worth doing once only.
    "lose": """(:parameters (?a - agent ?x - item) :precondition (holds ?a ?x)
 :effect (and (not (holds ?a ?x)) (free ?a) (increase (total-cost) 0)))""",
    "copy": """(:parameters (?x - cup ?p ?q - place) :precondition (and (on ?x ?p) (basin ?p) (road ?p ?q))
 :effect (and (on ?x ?q) (increase (total-cost) 3)))""",
    "throw": """(:parameters (?a - agent ?x - item ?p ?q - place)
 :precondition (and (at ?a ?p) (holds ?a ?x) (road ?p ?q))
 :effect (and (not (holds ?a ?x)) (free ?a) (on ?x ?q) (dirty ?x) (increase (total-cost) 1)))""",
    "swap": """(:parameters (?a - agent ?x ?y - item ?p - place)
 :precondition (and (at ?a ?p) (holds ?a ?x) (on ?y ?p) (not (= ?x ?y)))
 :effect (and (not (holds ?a ?x)) (holds ?a ?y) (on ?x ?p) (not (on ?y ?p)) (increase (total-cost) 1)))""",
    "call": """(:parameters (?a - agent ?q - place) :precondition (free ?a)
 :effect (and (forall (?p - place) (not (at ?a ?p))) (at ?a ?q) (increase (total-cost) 5)))""",
}
ALWAYS = ("go", "take", "put")

GOALS = (
    "(forall (?x - cup) (on ?x p0))",
    "(exists (?b - box) (forall (?x - cup) (in ?x ?b)))",
    "(forall (?x - cup) (exists (?b - box) (and (in ?x ?b) (not (open ?b)))))",
    "(and (forall (?x - item) (not (dirty ?x))) (free a0))",
    "(or (on c0 p1) (and (on c1 p2) (not (dirty c1))))",
    "(at-least 2 (?x - item) (and (on ?x p1) (not (dirty ?x))))",
    "(and (at a0 p2) (exists (?x - cup) (holds a0 ?x)) (on b0 p1))",
    "(and (on c0 p0) (in c1 b0))",
)


def carrying_task(seed: int, goal: int) -> tuple[Domain, Problem]:
    """Two or three cups, a box, an agent, now and then a second one, three places, some further actions."""
    rng = np.random.default_rng([seed, goal])
    names = [name for name in ACTIONS if name in ALWAYS or rng.random() < 0.45]
    actions = " ".join(f"(:action {name} {ACTIONS[name][1:]}" for name in names)
    domain = parse_domain(f"(define (domain carrying) {HEADER} {actions})")
    places = ["p0", "p1", "p2"]
    cups = ["c0", "c1", "c2"][: int(rng.integers(2, 4))]
    agents = ["a0", "a1"] if len(cups) == 2 and rng.random() < 0.3 else ["a0"]
    init = [f"(at {a} {rng.choice(places)}) (free {a})" for a in agents]
    init += [f"(on {x} {rng.choice(places)})" for x in (*cups, "b0")]
    init += [f"(dirty {x})" for x in cups if rng.random() < 0.4]
    init += [f"(basin {p})" for p in places if rng.random() < 0.5] + ["(open b0)"] * int(rng.integers(2))
    init += [f"(road {p} {q})" for p in places for q in places if p != q and rng.random() < 0.4]
    init += [f"(= (far {p} {q}) {rng.integers(0, 3)})" for p in places for q in places]
    text = (
        f"(define (problem carrying-{seed}) (:domain carrying) (:objects {' '.join(agents)} - agent"
        f" {' '.join(places)} - place {' '.join(cups)} - cup b0 - box)"
        f" (:init {' '.join(init)} (= (total-cost) 0)) (:goal {GOALS[goal]}) (:metric minimize (total-cost)))"
    )
    return domain, parse_problem(text, domain)


def true_costs(domain: Domain, problem: Problem, most: int) -> dict[State, float] | None:
    """The cost-to-go of every reachable state, backwards from the goal; None if there are too many states.

    Operators are those of the ground task (which other tests compare with the definitions), states are sets.
    """
    world = PlanWorld.of(domain, problem)
    task = ground(domain, problem)
    if task is None:
        return None
    atoms = [task.atom(fact) or () for fact in range(task.fact_count)]
    operators = []
    for o in range(task.operator_count):
        pre = task.precondition.of(o)
        needs = frozenset(atoms[f] for f in pre if atoms[f])
        lacks = frozenset(atoms[task.complement[f]] for f in pre if not atoms[f])
        effects = range(task.effect_start[o], task.effect_start[o + 1])
        adds = frozenset(atoms[f] for e in effects for f in task.effect_add.of(e) if atoms[f])
        deletes = frozenset(atoms[f] for e in effects for f in task.effect_delete.of(e) if atoms[f])
        operators.append((needs, lacks, adds, deletes, float(task.cost[o])))
    fluent = frozenset(atom for atom in atoms if atom)
    rest = world.initial() - fluent
    queue = [world.initial() & fluent]
    into: dict[State, list[tuple[float, State]]] = defaultdict(list)
    seen = set(queue)
    while queue:
        state = queue.pop()
        for needs, lacks, adds, deletes, cost in operators:
            if needs <= state and not lacks & state:
                after = (state - deletes) | adds
                into[after].append((cost, state))
                if after not in seen:
                    seen.add(after)
                    queue.append(after)
        if len(seen) > most:
            return None
    found = {s: 0.0 for s in seen if holds(problem.goal, frozenset(s | rest), world.universe)}
    heap = [(0.0, number, state) for number, state in enumerate(found)]
    count = len(heap)
    while heap:
        cost, _, state = heapq.heappop(heap)
        if cost > found[state]:
            continue
        for price, before in into[state]:
            if cost + price < found.get(before, inf):
                found[before] = cost + price
                count += 1
                heapq.heappush(heap, (cost + price, count, before))
    return {frozenset(state | rest): found.get(state, inf) for state in seen}
