"""The compiled heuristics against plain Python on random states."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.corpora.planning_tasks import competition_task
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.search.heuristics.add_and_max import evaluate
from chorewright.planner.search.heuristics.delete_relaxation import ADD, FF, INFINITE, MAX, Relaxation, Scratch
from chorewright.planner.search.search import Prepared, prepare
from chorewright.planner.search.states import holds, successor
from tests.planner.tables import random_task

TASKS = [
    ("depot", "p01.pddl"),
    ("citycar-opt14-adl", "p2-2-2-1-2.pddl"),
    ("miconic-fulladl", "f1-2.pddl"),
    ("elevators-opt08-strips", "p01.pddl"),
    ("openstacks-opt08-adl", "p01.pddl"),
    ("psr-middle", "p01-s17-n2-l2-f30.pddl"),
]


def prepared_task(domain: str, problem: str) -> Prepared:
    task = ground(*competition_task(domain, problem))
    assert task is not None
    return prepare(task)


def random_states(prepared: Prepared, count: int) -> list[np.ndarray]:
    """States of a random walk."""
    rng = np.random.default_rng(5)
    states = [prepared.initial]
    pre = prepared.task.precondition
    while len(states) < count:
        state = states[int(rng.integers(len(states)))]
        usable = [o for o in range(prepared.task.operator_count) if all(holds(state, f) for f in pre.of(o))]
        if usable:
            after = np.empty_like(state)
            successor(state, int(rng.choice(usable)), prepared.moves, after)
            states.append(after)
    return states


def relaxed_costs(state: np.ndarray, r: Relaxation, combine: str) -> list[float]:
    """Costs of reaching each fact without deletions, by iteration to the fixpoint."""
    cost = [0.0 if holds(state, f) else float("inf") for f in range(r.fact_count)]
    for fact in r.free.tolist():
        cost[fact] = 0.0
    changed = True
    while changed:
        changed = False
        for a in range(len(r.need)):
            needs = [cost[f] for f in r.requires.of(a)]
            reach = float(r.cost[a]) + (sum(needs) if combine == "add" else max(needs, default=0.0))
            for fact in r.adds.of(a):
                if reach < cost[fact]:
                    cost[fact] = reach
                    changed = True
    return cost


@pytest.mark.parametrize(("domain", "problem"), TASKS)
def test_additive_and_maximum_costs(domain: str, problem: str) -> None:
    prepared = prepared_task(domain, problem)
    for state in random_states(prepared, 40):
        for mode, combine in ((ADD, "add"), (MAX, "max")):
            costs = [relaxed_costs(state, prepared.true, combine)[f] for f in prepared.task.goal.tolist()]
            expected = sum(costs) if combine == "add" else max(costs, default=0.0)
            actual = evaluate(state, prepared.true, prepared.work, mode)
            assert actual == (INFINITE if expected == float("inf") else expected)


@pytest.mark.parametrize(("domain", "problem"), TASKS)
def test_ff_is_the_cost_of_a_relaxed_plan(domain: str, problem: str) -> None:
    """h_FF lies between h_max and h_add, and is the cost of a relaxed plan, some of it preferred."""
    prepared = prepared_task(domain, problem)
    r, w = prepared.true, prepared.work
    for state in random_states(prepared, 40):
        add = evaluate(state, r, w, ADD)
        most = evaluate(state, r, w, MAX)
        value = evaluate(state, r, w, FF)
        if value == INFINITE:
            assert add == most == INFINITE
            continue
        assert most <= value <= add
        preferred = set(w.preferred[: w.counts[1]].tolist())
        applicable = w.applicable[: w.counts[0]].tolist()
        assert preferred <= set(applicable)
        pre = prepared.task.precondition
        assert applicable == [o for o in range(prepared.task.operator_count) if all(holds(state, f) for f in pre.of(o))]
        assert _supported(r, w) == value


def _supported(r: Relaxation, w: Scratch) -> int:
    """Cost of the relaxed plan that the best supporters form, collected in plain Python."""
    needed, seen, steps = list(r.goal.tolist()), set(r.goal.tolist()), set()
    while needed:
        action = int(w.supporter[needed.pop()])
        if action < 0:
            continue
        for fact in r.requires.of(action):
            if fact not in seen:
                seen.add(fact)
                needed.append(fact)
        if r.operator[action] >= 0:
            steps.add(int(r.operator[action]))
    return sum(int(r.cost[o]) for o in steps)


@pytest.mark.parametrize("seed", range(4))
def test_maximum_is_admissible(seed: int) -> None:
    from chorewright.planner.planning import OPTIMAL, solve

    domain, problem = random_task(seed, 1)
    answer = solve(domain, problem, configuration=OPTIMAL)
    task = ground(domain, problem)
    if task is not None and hasattr(answer, "cost"):
        prepared = prepare(task)
        value = evaluate(prepared.initial, prepared.true, prepared.work, MAX)
        assert value * prepared.unit <= answer.cost
