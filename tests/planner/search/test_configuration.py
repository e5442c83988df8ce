"""The turns of the default search: which queues, which costs, and how many evaluations each has."""

from __future__ import annotations

import pytest

from benchmarks.corpora.planning_tasks import competition_task
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.grounding.joins.derivation import NEVER
from chorewright.planner.plan import Limit
from chorewright.planner.search.configuration import satisfice
from chorewright.planner.search.heuristics.landmarks import Landmarks
from chorewright.planner.search.search import UNBOUNDED, Budget, Prepared, SearchResult, prepare
from tests.planner.tables import states_of

FIRST = [(1000, "ff"), (3000, "both")]
WIDE = (1000, "wide")


@pytest.mark.parametrize(
    ("domain", "problem", "turns"),
    [
        (
            "gripper",
            "prob01.pddl",
            [*FIRST, WIDE, (10_000, "ff"), (20_000, "wide"), (30_000, "steps"), (30_000, "both"), (50, "ff")],
        ),
        (
            "transport-opt08-strips",
            "p01.pddl",
            [*FIRST, (3000, "steps"), WIDE, (30_000, "steps"), (10_000, "ff"), (20_000, "wide"), (50, "both")],
        ),
    ],
)
def test_turns_grow_and_steps_count_early_where_costs_differ(
    domain: str, problem: str, turns: list[tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def search(
        led: Prepared,
        search: str,
        heuristic: str,
        weight: int,
        bound: int,
        budget: Budget,
        marks: Landmarks | None,
        novel: bool,
        ahead: bool,
    ) -> SearchResult:
        assert not (marks is None and novel)
        assert ahead == (marks is not None and not novel)
        assert marks is None or novel or not led.costs_differ
        seen.append((budget.evaluations, "ff" if marks is None else "both" if novel else "steps"))
        return SearchResult(None, Limit.EVALUATIONS, budget.evaluations)

    def widen(led: Prepared, bound: int, budget: Budget, marks: Landmarks) -> SearchResult:
        assert not led.costs_differ
        seen.append((budget.evaluations, "wide"))
        return SearchResult(None, Limit.EVALUATIONS, budget.evaluations)

    task = ground(*competition_task(domain, problem))
    assert task is not None
    prepared = prepare(task)
    monkeypatch.setattr(Prepared, "search", search)
    monkeypatch.setattr(Prepared, "widen", widen)
    most = sum(evaluations for evaluations, _ in turns)
    found = satisfice(prepared, "greedy", "ff", "turns", 1, UNBOUNDED, Budget(most, 1 << 30, NEVER))
    assert (found.evaluations, seen) == (most, turns)


def test_a_plan_led_by_steps_is_one_of_the_task() -> None:
    task = ground(*competition_task("transport-opt08-strips", "p01.pddl"))
    assert task is not None
    prepared = prepare(task)
    steps = prepared.by_steps()
    assert prepared.costs_differ
    assert not steps.costs_differ
    found = steps.search("greedy", "ff", 1, UNBOUNDED, Budget(10_000, 1 << 30, NEVER))
    assert found.operators
    end = states_of(prepared, found.operators)[-1]
    assert all(int(end[fact >> 6]) >> (fact & 63) & 1 for fact in prepared.guide.goal.tolist())


def test_a_width_search_that_has_seen_all_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def search(led: Prepared, *rest: object) -> SearchResult:
        budget = rest[4]
        assert isinstance(budget, Budget)
        return SearchResult(None, Limit.EVALUATIONS, budget.evaluations)

    def widen(led: Prepared, bound: int, budget: Budget, marks: Landmarks) -> SearchResult:
        asked.append(budget.evaluations)
        return SearchResult(None, None, 7, pruned=True)

    task = ground(*competition_task("gripper", "prob01.pddl"))
    assert task is not None
    monkeypatch.setattr(Prepared, "search", search)
    monkeypatch.setattr(Prepared, "widen", widen)
    found = satisfice(prepare(task), "greedy", "ff", "turns", 1, UNBOUNDED, Budget(10**6, 1 << 30, NEVER))
    assert (asked, found.limit) == ([1000], Limit.EVALUATIONS)
