"""Text games with numbers that change: random play agrees with the validator, state by state."""

from __future__ import annotations

import numpy as np
import pytest

from chorewright.domains.facts import Facts
from chorewright.domains.pddl import load_task
from chorewright.planner.plan import Limits, Plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import PlanWorld
from chorewright.replay.games.running import OperatorTable, RunningProblem
from tests.command import ROOT

CORPUS = ROOT / "tests" / "corpus" / "numeric"


@pytest.mark.parametrize("name", sorted(path.name for path in CORPUS.iterdir()))
def test_random_play_is_what_the_validator_says(name: str) -> None:
    domain, problem = load_task(CORPUS / name / "domain.pddl", CORPUS / name / "p1.pddl")
    world = PlanWorld.of(domain, problem)
    running = RunningProblem(OperatorTable.of(domain, problem))
    rng = np.random.default_rng(4)
    state = world.initial()
    for _ in range(60):
        assert running.state() == state
        can = [running.table.operators[each] for each in running.runnable()]
        assert all(world.refusal(step, Facts(state)) is None for step in can)
        if not can:
            break
        step = can[int(rng.integers(len(can)))]
        running.run(running.table.number(step))
        state = world.apply(step, state, Facts(state))


def test_the_expert_s_plan_is_won() -> None:
    domain, problem = load_task(CORPUS / "deliveries" / "domain.pddl", CORPUS / "deliveries" / "p1.pddl")
    answer = solve(domain, problem, Limits(cpu_seconds=30))
    assert isinstance(answer, Plan)
    running = RunningProblem(OperatorTable.of(domain, problem))
    for step in answer.actions:
        assert not running.solved
        running.run(running.table.number(step))
    assert running.solved
