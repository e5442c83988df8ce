"""The landmark-cut heuristic: admissible, and A* with it optimal, by brute force."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.corpora.planning_tasks import competition_task
from chorewright.domains.formulas import Facts, holds
from chorewright.domains.pddl.syntax import State
from chorewright.errors import UnsupportedError
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.grounding.task import pack
from chorewright.planner.plan import Plan, Unsolvable
from chorewright.planner.planning import Configuration, solve
from chorewright.planner.search.heuristics.add_and_max import evaluate
from chorewright.planner.search.heuristics.delete_relaxation import FF, INFINITE, MAX
from chorewright.planner.search.heuristics.landmark_cut import landmark_cut
from chorewright.planner.search.search import Prepared, prepare
from chorewright.planner.search.states import close, successor
from chorewright.planner.validation import PlanWorld
from tests.planner.tables import GOALS, distances, optimal_cost, random_strips, random_task

LANDMARKS = Configuration("astar", "lmcut", improve=0, rungs=())
WITHOUT_AXIOMS = range(len(GOALS) - 1)


def encoded(prepared: Prepared, state: State) -> np.ndarray:
    """A state in the task's facts; auxiliary facts by the task's own axioms."""
    task = prepared.task
    bits = np.zeros(task.fact_count, np.bool_)
    for fact in range(task.fact_count):
        atom = task.atom(fact)
        if atom is not None:
            bits[fact] = atom in state
    for fact in range(task.fact_count):
        if task.complement[fact] >= 0 and task.complement[fact] < fact:
            bits[fact] = not bits[task.complement[fact]]
    result = pack(bits)
    if prepared.moves.strata:
        close(result, prepared.moves)
    return result


@pytest.mark.parametrize("goal", WITHOUT_AXIOMS)
@pytest.mark.parametrize("seed", range(4))
def test_never_above_the_true_cost_of_any_state(seed: int, goal: int) -> None:
    domain, problem = random_task(seed, goal)
    world = PlanWorld.of(domain, problem)
    truth = distances(world)
    task = ground(domain, problem)
    if task is None:
        assert set(truth.values()) == {float("inf")}
        return
    prepared = prepare(task)
    for state, cost in truth.items():
        value = landmark_cut(encoded(prepared, state), prepared.true, prepared.cuts)
        assert value * prepared.unit <= cost + 1e-9
        if value == INFINITE:
            assert cost == float("inf")


@pytest.mark.parametrize("goal", WITHOUT_AXIOMS)
@pytest.mark.parametrize("seed", range(6))
def test_costs_with_conditional_effects_are_those_of_brute_force(seed: int, goal: int) -> None:
    domain, problem = random_task(seed, goal)
    world = PlanWorld.of(domain, problem)
    expected = optimal_cost(world, lambda state: holds(problem.goal, state, world.universe))
    answer = solve(domain, problem, configuration=LANDMARKS)
    if expected is None:
        assert isinstance(answer, Unsolvable)
    else:
        assert isinstance(answer, Plan)
        assert answer.optimal
        assert answer.cost == expected


def test_axioms_are_refused_by_name() -> None:
    refused = 0
    for seed in range(6):
        domain, problem = random_task(seed, len(GOALS) - 1)
        if ground(domain, problem) is None:
            continue
        with pytest.raises(UnsupportedError, match=r"derived predicate (soaked|safe)"):
            solve(domain, problem, configuration=LANDMARKS)
        refused += 1
    assert refused


@pytest.mark.parametrize(
    ("domain", "problem"),
    [
        ("depot", "p01.pddl"),
        ("miconic-fulladl", "f1-2.pddl"),
        ("elevators-opt08-strips", "p01.pddl"),
        ("openstacks-opt08-adl", "p01.pddl"),
    ],
)
def test_at_least_the_maximum_heuristic(domain: str, problem: str) -> None:
    """Cuts dominate h_max where there are no conditional effects; infinite for the same states always."""
    task = ground(*competition_task(domain, problem))
    assert task is not None
    prepared = prepare(task)
    rng = np.random.default_rng(3)
    state = prepared.initial
    conditional = bool((np.diff(task.effect_condition.start) > 0).any())
    for _ in range(60):
        value = landmark_cut(state, prepared.true, prepared.cuts)
        most = evaluate(state, prepared.true, prepared.work, MAX)
        assert (value == INFINITE) == (most == INFINITE)
        assert conditional or value >= most
        evaluate(state, prepared.true, prepared.work, FF)
        usable = prepared.work.applicable[: prepared.work.counts[0]]
        if not len(usable):
            break
        after = np.empty_like(state)
        successor(state, int(rng.choice(usable)), prepared.moves, after)
        state = after


@pytest.mark.parametrize("seed", range(120, 180))
def test_costs_of_strips_tasks_are_those_of_brute_force(seed: int) -> None:
    domain, problem = random_strips(seed)
    world = PlanWorld.of(domain, problem)
    expected = optimal_cost(world, lambda state: holds(problem.goal, Facts(state), world.universe))
    answer = solve(domain, problem, configuration=LANDMARKS)
    assert (answer.cost if isinstance(answer, Plan) else None) == expected
