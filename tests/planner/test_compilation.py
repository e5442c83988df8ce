"""Preferences over several objects: one that must hold for all is paid once, one for each as often as it is broken."""

from __future__ import annotations

import pytest

from chorewright.planner.plan import Plan
from chorewright.planner.planning import OPTIMAL, solve
from tests.planner.test_constraints import task


@pytest.mark.parametrize(
    ("preference", "cost"),
    [
        ("(preference p (forall (?x - lamp) (always (not (on ?x)))))", 1 + 10),
        ("(forall (?x - lamp) (preference p (always (not (on ?x)))))", 1 + 10),
        ("(preference p (forall (?x - lamp) (sometime (on ?x))))", 2),
        ("(preference p (forall (?x - lamp) (always (not (hot ?x)))))", 1),
        ("(preference p (forall (?x - lamp) (at end (not (on ?x)))))", 1 + 10),
        ("(forall (?x - lamp) (preference p (sometime (hot ?x))))", 4),
    ],
)
def test_a_broken_preference_is_paid_once_for_each_that_it_is_about(preference: str, cost: int) -> None:
    """One lamp must be on, which costs 1; to break the preference costs 10."""
    domain, problem = task(preference, metric="(+ (work) (* 10 (is-violated p)))")
    found = solve(domain, problem, configuration=OPTIMAL)
    assert isinstance(found, Plan)
    assert found.cost == cost
