"""The files of questions: split by split, in parts, and only those that differ are written again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.generator.measuring.questions import export
from chorewright.generator.measuring.questions.export import QuestionFiles, QuestionOptions, style_of
from chorewright.generator.pddl.sources import StoredProblem
from chorewright.generator.training.exporter import ExportFolder
from chorewright.planner.plan import GroundAction
from tests.generator.measuring.questions.test_questions import LAMPS


def write(folder: Path, lamps: int, seed: int = 0) -> QuestionFiles:
    """Write the questions of a problem for each of two splits."""
    domain = parse_domain(LAMPS)
    names = [f"l{number}" for number in range(lamps)]
    dark = " ".join(f"(dark {name})" for name in names)
    text = f"(define (problem p) (:domain lamps) (:objects {' '.join(names)} - lamp) (:init {dark}) (:goal (lit l0)))"
    files = QuestionFiles(ExportFolder(folder, "questions"), style_of(QuestionOptions(each=1, seed=seed)))
    for split in ("train", "valid"):
        stored = StoredProblem(domain, parse_problem(text, domain), None)
        files.add(f"p-{split}", stored, [GroundAction("press", ("l0",))], split)
    return files


def test_files_are_those_of_splits_and_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "LARGEST", 3)
    files = write(tmp_path, 3)
    assert files.close() == sum(path.suffix == ".jsonl" for path in tmp_path.rglob("*"))
    rows = {path.name: path.read_text("utf-8").splitlines() for path in sorted((tmp_path / "data").iterdir())}
    for split in ("train", "valid"):
        own = [lines for name, lines in rows.items() if name.startswith(split)]
        assert [len(lines) for lines in own[:-1]] == [3] * (len(own) - 1)
        assert len(own) > 1
        assert [f"{split}-{number:05d}.jsonl" for number in range(len(own))] == [
            name for name in rows if name.startswith(split)
        ]
        told = [json.loads(line) for lines in own for line in lines]
        assert [row["id"] for row in told] == [f"p-{split}-{number}" for number in range(len(told))]
    assert files.questions == sum(map(len, rows.values()))
    assert files.problems == len((tmp_path / "problems.jsonl").read_text("utf-8").splitlines()) == 2
    assert write(tmp_path, 3).close() == 0
