"""Fixed sets of tasks: the same bytes, rows that can be scored, and no training on published seeds."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import chorewright as cw
from chorewright.errors import StorageError, UsageError
from chorewright.generator.rewards.judging import published_seeds
from chorewright.generator.rewards.sets import write_set
from chorewright.generator.training.export_marker import export_problems
from chorewright.rewards import score, tasks
from tests.command import chorewright

SOURCE = {"domain": "gripper", "band": "easy", "split": "eval"}


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_set_has_rows_that_can_be_scored_and_never_changes(tmp_path: Path, form: str) -> None:
    found = write_set(tmp_path / "set", "plan", 3, 7, form, **SOURCE)
    [file] = (tmp_path / "set" / "data").iterdir()
    rows = pq.read_table(file).to_pylist() if form == "parquet" else [*map(json.loads, file.read_text().splitlines())]
    assert [score(row, row["gold"]).reward for row in rows] == [1.0] * 3
    assert [row["prompt"] for row in rows] == [task.prompt for task in tasks("plan", 3, 7, **SOURCE)]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    assert found["sha256"] == hashlib.sha256(lines.encode()).hexdigest()
    assert str(found["sha256"]) in (tmp_path / "set" / "README.md").read_text()
    assert write_set(tmp_path / "set", "plan", 3, 7, form, **SOURCE)["files_changed"] == 0
    with pytest.raises(StorageError, match="another set"):
        write_set(tmp_path / "set", "plan", 3, 8, form, **SOURCE)
    assert list(export_problems(tmp_path / "set")) == []


def test_problems_of_a_dataset_are_exported_as_tasks(tmp_path: Path) -> None:
    cw.generate("pddl", tmp_path / "data", episodes=4, workers=1, seed=3, domain="gripper", bands=["easy"])
    chorewright("export", tmp_path / "data", "--format", "tasks", "--style", "both", "--out", tmp_path / "tasks")
    rows = [
        json.loads(line)
        for path in sorted((tmp_path / "tasks").rglob("*.jsonl"))
        for line in path.open(encoding="utf-8")
    ]
    assert [score(row, row["gold"]).reward for row in rows] == [1.0] * 4
    assert {row["split"] for row in rows} <= {"train", "eval"}
    assert all("(define (domain" in row["prompt"] and row["kind"] == "plan" for row in rows)


def test_seeds_of_published_sets_are_refused_for_training() -> None:
    for seed in published_seeds().values():
        with pytest.raises(UsageError, match="evaluation set"):
            tasks("plan", 1, seed, domain="gripper")
        assert next(tasks("plan", 1, seed, **SOURCE)).split == "eval"


def test_the_verb_writes_a_set_and_names_mistakes(tmp_path: Path) -> None:
    where = str(tmp_path / "set")
    done = chorewright("rewards", "plan", "-o", where, "-n", "2", "--domain", "gripper", "--band", "easy", "--json")
    assert json.loads(done.stdout)["tasks"] == 2
    wrong = chorewright("rewards", "plam", "-o", where)
    assert wrong.returncode == 2
    assert "plan" in wrong.stderr
