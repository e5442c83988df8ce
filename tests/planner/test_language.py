"""Much of the language on small domains: solved, and judged by the plain simulator, which reads it literally.

Conditional effects within quantifiers, derived predicates over several strata with negation, nested
quantifiers, disjunctions, deep and repeated types, ``either``, constants, prices as functions, names used
twice, and the rare forms of ``oddities.pddl``.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

import numpy as np
import pytest

from chorewright.domains.pddl import parse_domain, parse_problem, write_domain, write_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.planner.plan import Plan, Unsolvable
from chorewright.planner.planning import Configuration, solve
from chorewright.planner.validation import validate
from tests.planner.plain_simulator import PlainSimulator
from tests.planner.small_tasks import GENERATORS, corpus_domain
from tests.planner.test_validation_mutations import mutants
from tests.planner.unusual import ADL

FULL = Configuration(rungs=(), improve=0)
BLIND = Configuration("astar", "blind", improve=0, rungs=())
MUTANTS = 12
"""Of each plan; a third where there are derived predicates, which the plain simulator derives slowly."""


def task(family: str, seed: int) -> tuple[Domain, Problem]:
    domain = corpus_domain(family)
    return domain, parse_problem(GENERATORS[family](np.random.default_rng(1000 + seed)), domain)


def check(family: str, seed: int) -> str:
    """Solve a task in three ways, judge the plans and spoilt ones by two validators; what came of it."""
    domain, problem = task(family, seed)
    plain = PlainSimulator(domain, problem)
    answers = [solve(domain, problem), solve(domain, problem, configuration=FULL)]
    best = solve(domain, problem, configuration=BLIND)
    for answer in (*answers, best):
        assert isinstance(answer, Plan | Unsolvable)
        assert type(answer) is type(best)
        if isinstance(answer, Plan) and isinstance(best, Plan):
            assert plain.valid(answer.actions)
            verdict = validate(domain, problem, answer.actions)
            assert (verdict.valid, verdict.cost) == (True, answer.cost)
            assert answer.cost >= best.cost
    if isinstance(best, Plan):
        objects = [thing.name for thing in (*domain.constants, *problem.objects)]
        for plan in islice(mutants(best.actions, objects, seed), MUTANTS // (3 if domain.axioms else 1)):
            assert validate(domain, problem, plan).valid == plain.valid(plan), "\n".join(map(str, plan))
    return type(best).__name__


@pytest.mark.parametrize("family", GENERATORS)
def test_plans_are_judged_as_by_the_plain_simulator(family: str) -> None:
    results = Counter(check(family, seed) for seed in range(4 if family in ADL else 2))
    assert results["Plan"]


@pytest.mark.slow
@pytest.mark.parametrize("family", GENERATORS)
def test_more_plans_are_judged_as_by_the_plain_simulator(family: str) -> None:
    for seed in range(4, 40):
        check(family, seed)


@pytest.mark.parametrize("family", GENERATORS)
def test_what_is_written_is_what_was_read(family: str) -> None:
    domain, problem = task(family, 0)
    again = parse_domain(write_domain(domain))
    assert again == domain
    assert parse_problem(write_problem(problem), again) == problem
