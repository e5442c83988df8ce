"""The task of docs/teach.md can be done."""

from __future__ import annotations

from pathlib import Path

from chorewright.generator.production.trying import attempts_of
from tests.command import ROOT
from tests.documents import blocks

DOCUMENT = ROOT / "docs" / "teach.md"


def test_the_task_of_the_tutorial_is_planned_and_replayed(tmp_path: Path) -> None:
    (text,) = (block.text for block in blocks("teach.md", DOCUMENT.read_text("utf-8")) if block.language == "json")
    (tmp_path / "task.json").write_text(text.replace("Plate of Toast", "Plate Of Toast"), encoding="utf-8")
    given = {"definitions": [str(tmp_path)], "params": ["1 CounterTop"]}
    report = attempts_of("teach/afternoon-snack", 1, 0, given).run()
    assert report.solved == 1, report.reasons
