"""Tallies: stages read from the texts of rejections, reasons counted, sums; and what the manifest says of attempts."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from chorewright.generator.dataset.episode import RejectedIndex
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.dataset_folder import Measures, read_measures
from chorewright.generator.dataset.store.manifest import (
    OTHERS,
    SHOWN,
    Tally,
    rejection_json,
    rejection_of,
    sum_up,
    tally,
)
from chorewright.generator.production.attempts import Rejection
from chorewright.generator.production.line import run
from chorewright.generator.production.verify import verify
from tests.generator.toy import toy_config


@pytest.mark.parametrize(
    ("text", "stage", "reason"),
    [
        ("plan: out of time after 3 evaluations", "plan", "out of time after 3 evaluations"),
        ("replay of dark: the arm: stuck", "replay of dark", "the arm: stuck"),
        ("pick_two object=Mug receptacle=Desk: sight: it stays hidden", "sight", "it stays hidden"),
        ("tidy_up: check: 1 of 2; missed: a clean mug", "check", "1 of 2; missed: a clean mug"),
        ("the die fell off the table", "", "the die fell off the table"),
        ("folding: the sheet is too large", "", "folding: the sheet is too large"),
        ("", "", ""),
    ],
)
def test_reasons_are_what_texts_say_after_the_stage(text: str, stage: str, reason: str) -> None:
    found = tally(1, [(stage, text)])
    assert found.rejections == ((stage, reason, 1),)
    assert found.stage_of(text) == stage


def test_a_finished_dataset_keeps_its_stages_when_it_is_taken_apart() -> None:
    known = tally(3, [("plan", "plan: none"), ("replay of dark", "replay of dark: stuck"), ("", "odd: it fell")])
    again = [(known.stage_of(text), text) for text in ("Mug: plan: none", "replay of dark: lost", "odd: it fell")]
    assert again == [("plan", "Mug: plan: none"), ("replay of dark", "replay of dark: lost"), ("", "odd: it fell")]


def test_a_reason_is_a_text_that_keeps_its_stage() -> None:
    reason = Rejection("sight", "hidden").text("Mug")
    assert (reason, reason.stage) == ("Mug: sight: hidden", "sight")
    for again in (pickle.loads(pickle.dumps(reason)), copy.deepcopy(reason)):
        assert (again, again.stage) == (reason, "sight")


def test_rare_reasons_are_counted_together() -> None:
    texts = [("plan", f"plan: {number}") for number in range(SHOWN + 5)]
    found = tally(100, [*texts, ("plan", "plan: 7"), ("sight", "sight: hidden")])
    assert found.stages == {"plan": SHOWN + 6, "sight": 1}
    assert found.rejections[0] == ("plan", "7", 2)
    assert ("plan", OTHERS, 5) in found.rejections
    assert Tally.from_json(json.loads(json.dumps(found.to_json()))) == found
    both = sum_up([found, tally(1, [("plan", "plan: 7")])])
    assert (both.attempts, both.stages["plan"], both.rejections[0]) == (101, SHOWN + 7, ("plan", "7", 3))
    assert Tally.from_json({}) == Tally()


def test_the_manifest_counts_attempts(tmp_path: Path) -> None:
    run(toy_config(20, 8, reject=5, crash=3), tmp_path / "d", workers=0)
    found = Dataset(tmp_path / "d").manifest.tally
    assert (found.attempts, found.stages) == (20, {"": 4, "defect": 1})
    shards = json.loads((tmp_path / "d/manifest.json").read_text())["shards"]
    assert [each["attempts"] for each in shards] == [8, 8, 4]


def test_a_rejected_index_keeps_the_reasons_of_all_its_attempts() -> None:
    one = RejectedIndex(3, "task", "Room1", "plan: none")
    several = replace(one, tries=("spawn: no room", "plan: none"))
    assert one.attempts == ("plan: none",)
    assert "tries" not in rejection_json(one)
    for each in (one, several):
        assert rejection_of(json.loads(json.dumps(rejection_json(each)))) == each
    assert len(several.attempts) == 2


def test_what_two_runs_took_is_added_field_by_field() -> None:
    one, other = Measures(1, 2.5, 3, 4, {"plan": 1.5, "say": 0.25}), Measures(2, 1.0, 5, 7, {"write": 2.0, "say": 1.0})
    both = Measures(3, 3.5, 8, 11, {"plan": 1.5, "say": 1.25, "write": 2.0})
    assert one.plus(other) == other.plus(one) == both
    assert one.plus(Measures()) == one


def test_what_runs_took_stands_beside_the_dataset_and_is_no_part_of_it(tmp_path: Path) -> None:
    folder, config = tmp_path / "d", toy_config(10, 5)
    run(config, folder, workers=0, slice_of=(1, 2))
    run(config, folder, workers=0, slice_of=(2, 2))
    assert sorted(path.name for path in folder.glob("*.json")) == [
        "manifest.json",
        "report-1-of-2.json",
        "report-2-of-2.json",
    ]
    found = read_measures(folder)
    assert (found.runs, found.lost_workers, set(found.stages)) == (2, 0, {"attempt", "say", "write"})
    (folder / "report.json").write_text(json.dumps(Measures(1, 2.5, 3, 2, {"plan": 1.5}).to_json()))
    assert read_measures(folder).stages["plan"] == 1.5
    before = (folder / "report.json").read_bytes()
    run(config, folder, workers=0)
    assert (folder / "report.json").read_bytes() == before, "a run that had nothing to do has taken nothing"
    for content in (b"", b"[]", b'{"runs": "many"}'):
        (folder / "report.json").write_bytes(content)
        assert read_measures(folder).runs == 2
    assert not verify(folder).problems
    (folder / "manifest.json").unlink()
    run(config, folder, workers=0)
    assert not verify(folder).problems
