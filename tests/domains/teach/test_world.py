"""The task of state changes, against the 140 recorded verdicts of the reference."""

from __future__ import annotations

import gzip
import json
from functools import lru_cache
from typing import Any

import pytest

from benchmarks.corpora.reference import Corpus
from benchmarks.originals.edh_rules import verdict
from chorewright.domains.teach.progress import check
from chorewright.domains.teach.world import LAST_PARENT, state_changes_task, type_of_id, world_of
from tests.reference import each_corpus

KEYS = ("success", "goal_conditions_total", "goal_conditions_satisfied")


@lru_cache(maxsize=2)
def _cases(corpus: Corpus) -> list[dict[str, Any]]:
    with gzip.open(corpus("teach/edh_cases.jsonl.gz"), "rt") as lines:
        return [json.loads(line) for line in lines]


@each_corpus
def test_all_cases_have_the_reference_s_components_and_verdicts(corpus: Corpus) -> None:
    cases = _cases(corpus)
    assert len(cases) >= 90
    for case in cases:
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
        assert found == tuple(expected[key] for key in KEYS), case["id"]
        rows = sorted([int(each.success), each.total, each.satisfied] for each in progress.subgoals)
        assert rows == expected["sorted_subgoals"], case["id"]


@each_corpus
def test_the_rules_written_from_the_description_are_the_reference_s(corpus: Corpus) -> None:
    """Then they may judge where no verdict is recorded."""
    for case in _cases(corpus):
        success, *counts = verdict(case["state_changes"]["objects"], case["final_objects"])
        assert [int(success), *counts] == [case["expected"][key] for key in KEYS], case["id"]


@pytest.mark.parametrize("last", ["absent", None, "CounterTop|1|1|1", "Sink|1|1|1|SinkBasin"])
@pytest.mark.parametrize("wanted", [None, "CounterTop|1|1|1", "Sink|1|1|1|SinkBasin", "Tables|2"])
def test_null_is_null(last: str | None, wanted: str | None) -> None:
    """What was picked up lies nowhere; what lies somewhere, or never was picked up, is no such thing."""
    knife = {"objectId": "Knife|1|1|1", "objectType": "Knife", "simbotObjectClass": ["Knife"]}
    around = [
        {"objectId": "CounterTop|1|1|1", "objectType": "CounterTop", "simbotObjectClass": ["CounterTop"]},
        {"objectId": "Sink|1|1|1|SinkBasin", "objectType": "SinkBasin", "simbotObjectClass": ["SinkBasin", "Sink"]},
    ]
    things = [{**knife, **({} if last == "absent" else {LAST_PARENT: last})}, *around]
    changes = {"Knife|1|1|1": {LAST_PARENT: wanted}}
    progress = check(state_changes_task(changes), world_of(things))
    assert progress.success == (last == wanted)
    assert (progress.success, progress.total, progress.satisfied) == verdict(changes, things)


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
