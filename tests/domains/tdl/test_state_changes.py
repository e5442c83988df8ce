"""The task of state changes, against the 140 recorded verdicts of the reference."""

from __future__ import annotations

import gzip
import json
from functools import lru_cache
from typing import Any

import pytest

from chorewright.domains.tdl.progress import check
from chorewright.domains.tdl.state_changes import state_changes_task, type_of_id
from chorewright.domains.tdl.world import world_of
from tests.reference import sample


@lru_cache(maxsize=1)
def _cases() -> list[dict[str, Any]]:
    with gzip.open(sample("teach/edh_cases.jsonl.gz"), "rt") as lines:
        return [json.loads(line) for line in lines]


def test_all_cases_have_the_reference_s_components_and_verdicts() -> None:
    assert len(_cases()) >= 90
    for case in _cases():
        expected = case["expected"]
        task = state_changes_task(case["state_changes"]["objects"])
        components = {
            part.key: {
                "determiner": int(part.determiner),
                "primary_condition": part.primary,
                "instance_shareable": part.shareable,
                "conditions": dict(part.conditions),
                "condition_failure_descs": [prop for prop, _ in part.failures],
            }
            for part in task.components
        }
        wanted = {
            key: {**part, "condition_failure_descs": list(part["condition_failure_descs"])}
            for key, part in expected["components"].items()
        }
        assert components == wanted, case["id"]
        progress = check(task, world_of(case["final_objects"]))
        found = (int(progress.success), progress.total, progress.satisfied)
        keys = ("success", "goal_conditions_total", "goal_conditions_satisfied")
        assert found == tuple(expected[key] for key in keys), case["id"]
        rows = sorted([int(each.success), each.total, each.satisfied] for each in progress.subgoals)
        assert rows == expected["sorted_subgoals"], case["id"]


@pytest.mark.parametrize(
    ("object_id", "kind"),
    [
        ("Mug|+00.39|+01.24|-00.02", "Mug"),
        ("Sink|-01.00|+00.90|-01.00|SinkBasin", "SinkBasin"),
        ("Bread|-00.63|+00.10|+01.93|BreadSliced_0", "BreadSliced"),
        ("Egg|-00.63|+00.10|+01.93|EggCracked_0", "EggCracked"),
    ],
)
def test_type_that_an_id_tells(object_id: str, kind: str) -> None:
    assert type_of_id(object_id) == kind
