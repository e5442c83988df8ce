"""Narrowed tasks: parts of the whole task whose plans the validator accepts, and which leave much out."""

from __future__ import annotations

import pytest

from benchmarks.handmethat_like import problems
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.grounding.relevance import relevant_objects
from chorewright.planner.plan import Limit, Limits, OutOfLimits, Plan
from chorewright.planner.planning import solve
from chorewright.planner.search.narrowing import narrow_task
from chorewright.planner.search.search import Budget, Prepared, SearchResult
from chorewright.planner.validation import validate

GIVEN = {name: (domain, problem) for name, domain, problem in problems(4, 7)}


@pytest.mark.parametrize("name", sorted(GIVEN))
def test_operators_are_some_of_the_whole(name: str) -> None:
    """Each is one of the whole task's, and at least half are left out."""
    domain, problem = GIVEN[name]
    keep = relevant_objects(domain, problem, 0)
    assert keep is not None
    assert len(keep) < len(problem.objects) / 2
    whole = ground(domain, problem, keep)
    assert whole is not None
    part = narrow_task(whole)
    assert part is not None
    actions = [str(part.action(o)) for o in range(part.operator_count)]
    assert 0 < 2 * len(actions) < whole.operator_count
    assert set(actions) <= {str(whole.action(o)) for o in range(whole.operator_count)}


@pytest.mark.parametrize("name", ["03S-flat"])
def test_its_plan_is_one_of_the_problem(name: str) -> None:
    """A search of the narrowed task alone finds a plan that the validator accepts."""
    domain, problem = GIVEN[name]
    whole = ground(domain, problem, relevant_objects(domain, problem, 0))
    assert whole is not None
    part = narrow_task(whole)
    assert part is not None
    answer = solve(domain, problem)
    assert isinstance(answer, Plan)
    assert validate(domain, problem, answer.actions).valid
    own = {str(part.action(o)) for o in range(part.operator_count)}
    assert {str(action) for action in answer.actions} <= own


@pytest.mark.parametrize("most", [2, 1000, 12_000])
def test_wider_tasks_get_half_of_the_evaluations(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def nothing(prepared: Prepared, *rest: object) -> SearchResult:
        budget = rest[-1]
        assert isinstance(budget, Budget)
        asked.append(budget.evaluations)
        return SearchResult(None, Limit.EVALUATIONS, budget.evaluations)

    monkeypatch.setattr("chorewright.planner.planning.satisfice", nothing)
    domain, problem = GIVEN["03S-flat"]
    assert solve(domain, problem, Limits(evaluations=most)) == OutOfLimits(Limit.EVALUATIONS, most)
    assert asked[0] == most // 2
    assert sum(asked) == most
