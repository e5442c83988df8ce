"""Potentials, against costs that are plain to see: places around a hub, each to be visited."""

from __future__ import annotations

import numpy as np
import pytest

from chorewright.domains.pddl.parser import parse_domain, parse_problem
from chorewright.planner.cost_to_go.bounded_tasks import choose_potentials, height, values_of
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.grounding.task import pack
from chorewright.planner.search.heuristics.delete_relaxation import relax
from chorewright.planner.search.heuristics.landmark_cut import cuts, landmark_cut

DOMAIN = parse_domain("""(define (domain rounds) (:requirements :strips :action-costs)
  (:predicates (at ?x) (seen ?x) (way ?x ?y)) (:functions (toll ?x ?y) (total-cost))
  (:action go :parameters (?x ?y) :precondition (and (at ?x) (way ?x ?y))
    :effect (and (at ?y) (seen ?y) (not (at ?x)) (increase (total-cost) (toll ?x ?y)))))""")


@pytest.mark.parametrize(
    "tolls", [[(1, 1), (1, 1), (1, 1)], [(5, 2), (3, 2), (7, 2), (4, 2)], [(3, 9), (3, 4), (8, 6)]]
)
def test_returns_are_counted(tolls: list[tuple[int, int]]) -> None:
    """``tolls``: of going to each place, and of coming back to the hub from it."""
    places = [f"p{number}" for number in range(len(tolls))]
    ways = [(pair, cost) for place, (to, back) in zip(places, tolls, strict=True)
            for pair, cost in ((f"hub {place}", to), (f"{place} hub", back))]  # fmt: skip
    problem = parse_problem(
        f"(define (problem r) (:domain rounds) (:objects hub {' '.join(places)}) (:init (at hub) "
        + " ".join(f"(way {pair}) (= (toll {pair}) {cost})" for pair, cost in ways)
        + f") (:goal (and {' '.join(f'(seen {place})' for place in places)})) (:metric minimize (total-cost)))",
        DOMAIN,
    )
    task = ground(DOMAIN, problem)
    assert task is not None
    cost = np.array(task.cost, np.int64)
    relaxation = relax(task, cost)
    atoms = [task.atom(fact) or () for fact in range(task.fact_count)]
    group = np.array([fact for fact, atom in enumerate(atoms) if atom[0] == "at"], np.int32)
    state = pack(np.array([atom == ("at", "hub") for atom in atoms]))
    outward = [o for o in range(task.operator_count) if task.action(o).arguments[0] == "hub"]
    potentials, bound = choose_potentials(state, relaxation, cuts(relaxation), cost, values_of(task, group), outward)
    there, back = (sum(each) for each in zip(*tolls, strict=True))
    least = min(each for _, each in tolls)
    assert landmark_cut(state, relaxation, cuts(relaxation)) == there
    assert bound == there + (len(tolls) - 1) * least <= there + back - max(each for _, each in tolls)
    assert height(state, potentials) == least
