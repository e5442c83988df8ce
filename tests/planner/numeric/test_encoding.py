"""What kernels start from: the values of the first state, and what the metric is there."""

from __future__ import annotations

import numpy as np
import pytest

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.planner.numeric.encoding import encode
from chorewright.planner.numeric.expressions import Constant, Ground, Operation, Variable
from chorewright.planner.numeric.grounding import ground_numeric

DOMAIN = parse_domain("""(define (domain d) (:requirements :numeric-fluents) (:predicates (done))
  (:functions (fuel) (paid))
  (:action work :precondition (>= (fuel) 2) :effect (and (done) (decrease (fuel) 2) (increase (paid) 3))))""")
PROBLEM = parse_problem(
    "(define (problem p) (:domain d) (:init (= (fuel) 7) (= (paid) 4)) (:goal (and (done) (>= (paid) 6))))", DOMAIN
)


@pytest.mark.parametrize(
    ("weights", "start"),
    [({"paid": 1}, 4), ({"paid": 3}, 12), ({"fuel": 2, "paid": 1}, 18), ({"fuel": -1}, -7), ({}, 0)],
)
def test_the_metric_begins_with_what_it_is_in_the_first_state(weights: dict[str, int], start: float) -> None:
    task = ground_numeric(DOMAIN, PROBLEM, np.zeros(1, np.int64), ("fuel", "paid"))
    assert task is not None
    places = {fluent[0]: number for number, fluent in enumerate(task.fluents)}
    metric: Ground = Constant(0)
    for name, weight in weights.items():
        metric = Operation("+", (metric, Operation("*", (Constant(weight), Variable(places[name])))))
    *values, found = encode(task, metric if weights else None).values
    assert set(values) == {7, 4}
    assert found == start
