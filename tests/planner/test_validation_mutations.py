"""The validator's verdict on thousands of spoilt plans: the same as two others' that share no code."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
import pytest

from benchmarks.corpora.planning_tasks import competition_problems, competition_task
from chorewright.domains.library import household_domain
from chorewright.domains.pddl import parse_formula
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import UnsupportedError
from chorewright.generator.alfred.benchmark import AlfredBenchmark
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import validate
from chorewright.problems.household.problem import household_problem
from tests.planner.plain_simulator import PlainSimulator

MUTANTS = 80
"""Of each problem: 28 competition domains and 3 household problems make some 2,300."""

WITH_AXIOMS = 12
"""Of each problem with derived predicates, which the plain simulator derives slowly."""

PEER_OBJECTS = 60
"""unified-planning's validator expands quantifiers over all objects: larger problems are too slow there."""


def mutants(plan: Sequence[GroundAction], objects: Sequence[str], seed: int) -> Iterator[list[GroundAction]]:
    """Plans with one or two faults: a step dropped, two swapped, one repeated, or a wrong object."""
    rng = np.random.default_rng(seed)
    while True:
        spoilt = list(plan)
        for _ in range(int(rng.integers(1, 3))):
            if not spoilt:
                break
            at, other = (int(rng.integers(len(spoilt))) for _ in range(2))
            match int(rng.integers(4)):
                case 0:
                    del spoilt[at]
                case 1:
                    spoilt[at], spoilt[other] = spoilt[other], spoilt[at]
                case 2:
                    spoilt.insert(other, spoilt[at])
                case _:
                    step = spoilt[at]
                    if step.arguments:
                        arguments = list(step.arguments)
                        arguments[int(rng.integers(len(arguments)))] = str(rng.choice(objects))
                        spoilt[at] = GroundAction(step.name, tuple(arguments))
        yield spoilt


class Peer:
    """unified-planning's validator on a problem, or nothing where it cannot take it."""

    def __init__(self, domain: Domain, problem: Problem) -> None:
        from unified_planning.engines import SequentialPlanValidator

        from chorewright.planner.engines.unified_planning import to_unified

        self.problem = to_unified(domain, problem)
        self.judge = SequentialPlanValidator()
        self.judge.skip_checks = True  # it refuses static cost functions, but validates them rightly
        self.actions = {action.name: action for action in self.problem.actions}
        self.objects = {thing.name: thing for thing in self.problem.all_objects}

    def verdict(self, plan: Sequence[GroundAction]) -> bool | None:
        """Valid or not; None where its semantics differ from PDDL's: an atom both deleted and added."""
        from unified_planning.plans import ActionInstance, SequentialPlan

        expressions = self.problem.environment.expression_manager
        try:
            steps = [
                ActionInstance(
                    self.actions[step.name], tuple(expressions.ObjectExp(self.objects[x]) for x in step.arguments)
                )
                for step in plan
            ]
            result = self.judge.validate(self.problem, SequentialPlan(steps, self.problem.environment))
        except Exception as error:  # a wrong type of object is an assertion or an error of its own there
            if "type" not in str(error):
                raise
            return False
        if any("Conflicting" in entry.message for entry in result.log_messages or ()):
            return None
        return bool(result)


def peer_of(domain: Domain, problem: Problem) -> Peer | None:
    """The peer where it can be asked at a bearable price."""
    pytest.importorskip("unified_planning")
    if len(domain.constants) + len(problem.objects) > PEER_OBJECTS:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return Peer(domain, problem)
        except UnsupportedError:
            return None


def compare(domain: Domain, problem: Problem, seed: int) -> None:
    answer = solve(domain, problem, Limits(seconds=120))
    assert isinstance(answer, Plan)
    objects = [thing.name for thing in (*domain.constants, *problem.objects)]
    plain, peer = PlainSimulator(domain, problem), peer_of(domain, problem)
    assert plain.valid(answer.actions)
    count = WITH_AXIOMS if domain.axioms else MUTANTS
    for number, plan in enumerate(islice(mutants(answer.actions, objects, seed), count)):
        verdict = validate(domain, problem, plan)
        text = "\n".join(map(str, plan))
        assert verdict.valid == plain.valid(plan), f"{verdict.message}\n{text}"
        said = peer.verdict(plan) if peer is not None and number < MUTANTS // 4 else None
        assert said in (None, verdict.valid), f"{verdict.message}\n{text}"


def smallest() -> list[tuple[str, str]]:
    """The first problem of each competition domain."""
    try:
        problems = competition_problems()
    except pytest.skip.Exception:
        return []
    return list({domain: (domain, file) for domain, file in reversed(problems)}.values())


@pytest.mark.slow
@pytest.mark.parametrize(("domain_name", "file"), smallest())
def test_on_competition_problems(domain_name: str, file: str) -> None:
    domain, problem = competition_task(domain_name, file)
    compare(domain, problem, sum(map(ord, domain_name)))


@pytest.mark.slow
@pytest.mark.parametrize("index", range(3))
def test_on_household_problems(index: int) -> None:
    benchmark, domain, config = AlfredBenchmark(), household_domain(), GenerateConfig("alfred", 3, 5)
    episode = benchmark.episode(index, config, benchmark.assign(config, 3)[index])
    problem = household_problem(episode.scene, parse_formula(episode.goal, domain)).problem
    compare(domain, problem, index)
