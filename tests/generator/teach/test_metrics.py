"""TEACh's metrics, against the recorded tuples of the reference and by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.corpora.reference import sample
from chorewright.generator.teach.metrics import Conditions, Measured, scores, scores_json


def _cases() -> dict[str, Any]:
    value: dict[str, Any] = json.loads(sample("teach/metrics_cases.json").read_text())
    return value


def _measured(case: dict[str, Any], more: dict[str, Any]) -> Measured:
    return Measured(
        bool(case["success"]),
        Conditions(case["init_total"], case["init_sat"]),
        Conditions(case["final_total"], case["final_sat"]),
        case["ref_len"],
        case["traj_len"],
        bool(more["predicted_stop"]),
        more["num_api_fails"],
        bool(more["error"]),
    )


def _row(one: Measured) -> dict[str, int | float]:
    """Return a trajectory's metrics in the words of the benchmark's code."""
    success, conditions, length = int(one.success), one.goal_conditions, one.reference_length
    return {
        "success": success,
        "completed_goal_conditions": one.completed,
        "total_goal_conditions": one.needed,
        "goal_condition_success": conditions,
        "success_spl": success * one.weight,
        "path_len_weighted_success_spl": success * one.weight * length,
        "goal_condition_spl": conditions * one.weight,
        "path_len_weighted_goal_condition_spl": conditions * one.weight * length,
        "gt_path_len": length,
        "traj_len": one.length,
        "predicted_stop": int(one.stopped),
        "num_api_fails": one.failures,
        "error": int(one.error),
    }


def test_the_reference_s_figures_of_each_trajectory_and_of_all() -> None:
    cases = _cases()
    found = []
    assert len(cases["per_instance"]) >= 80
    for case, more in zip(cases["per_instance"], cases["aggregate_input"].values(), strict=True):
        one = _measured(case, more)
        row = _row(one)
        for key, value in {**case["expected"], **more}.items():
            assert row[key] == pytest.approx(value, rel=1e-12, abs=1e-12), (case, key)
        found.append(one)
    all_of_them = scores_json(scores(found))
    for key, value in cases["aggregate_expected"].items():
        assert all_of_them[key] == pytest.approx(value, rel=1e-12), key


@pytest.mark.parametrize(
    ("success", "initial", "final", "lengths", "completed", "goal_conditions", "weight"),
    [
        (True, (4, 1), (4, 4), (10, 10), 3, 1.0, 1.0),
        (False, (4, 1), (4, 2), (10, 40), 1, 1 / 3, 0.25),
        (False, (4, 1), (4, 0), (10, 5), -1, -1 / 3, 1.0),  # worse than before
        (False, (4, 4), (4, 3), (10, 10), -1, 1.0, 1.0),  # nothing was to be done
        (True, (0, 0), (0, 0), (0, 0), 0, 1.0, 1.0),
        (False, (4, 9), (5, 2), (1, 2), -3, 1.0, 0.5),  # more satisfied than there are
    ],
)
def test_one_trajectory(
    success: bool,
    initial: tuple[int, int],
    final: tuple[int, int],
    lengths: tuple[int, int],
    completed: int,
    goal_conditions: float,
    weight: float,
) -> None:
    one = Measured(success, Conditions(*initial), Conditions(*final), *lengths)
    assert one.completed == completed
    assert one.goal_conditions == pytest.approx(goal_conditions)
    assert one.weight == weight


def test_both_readings_of_the_averages() -> None:
    short = Measured(True, Conditions(1, 0), Conditions(1, 1), 10, 20)
    long = Measured(False, Conditions(9, 0), Conditions(9, 3), 90, 90)
    found = scores([short, long])
    assert found.success_rate == 0.5
    assert found.goal_conditions_micro == pytest.approx(4 / 10)
    assert found.goal_conditions_macro == pytest.approx((1 + 1 / 3) / 2)
    assert found.weighted_success == pytest.approx(0.5 * 10 / 100)
    assert found.mean_weighted_success == pytest.approx(0.25)
    assert found.weighted_goal_conditions == pytest.approx((0.5 * 10 + 90 / 3) / 100)
    assert found.mean_weighted_goal_conditions == pytest.approx((0.5 + 1 / 3) / 2)


def test_nothing_to_average() -> None:
    nothing_needed = Measured(True, Conditions(0, 0), Conditions(0, 0), 0, 3)
    for measured in ([], [nothing_needed]):
        found = scores(measured)
        assert (found.goal_conditions_micro, found.weighted_success) == (0.0, 0.0)
        assert found.evaluated == len(measured)


@pytest.mark.parametrize(("length", "failures", "ends"), [(999, 29, (0, 0)), (1000, 30, (1, 1))])
def test_ends_by_the_limits(length: int, failures: int, ends: tuple[int, int]) -> None:
    found = scores([Measured(False, Conditions(1, 0), Conditions(1, 0), 5, length, False, failures)])
    assert (found.by_length, found.by_failures) == ends
