"""docs/teach.md is executed: its files are written, its commands and Python run, their output compared."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from chorewright.domains.tdl.definitions import load_definitions, shipped_definitions
from chorewright.generator.teach.trial import try_teach
from tests.command import ROOT
from tests.test_authoring import BLOCK, commands, matches, run

DOCUMENT = ROOT / "docs" / "teach.md"


def test_the_task_of_the_tutorial_is_planned_and_replayed(tmp_path: Path) -> None:
    (text,) = (text for language, _, text in BLOCK.findall(DOCUMENT.read_text("utf-8")) if language == "json")
    (tmp_path / "task.json").write_text(text.replace("Plate of Toast", "Plate Of Toast"), encoding="utf-8")
    definitions = load_definitions(tmp_path, base=shipped_definitions())
    report = try_teach("afternoon-snack", ("1", "CounterTop"), 1, 0, definitions)
    assert report.solved == 1, report.reasons


@pytest.mark.slow
def test_the_tutorial_works_as_written(tmp_path: Path) -> None:
    blocks = BLOCK.findall(DOCUMENT.read_text(encoding="utf-8"))
    assert len(blocks) == 6
    code = 0
    for language, name, text in blocks:
        if name:
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        if language == "python":
            (tmp_path / "page.py").write_text(text, encoding="utf-8")
            done = run(f'"{sys.executable}" page.py', tmp_path)
            assert done.returncode == 0, done.stderr
        for command, expected in commands(text) if language == "console" else ():
            if command == "echo $?":
                assert expected == [str(code)]
                continue
            done = run(command, tmp_path)
            code = done.returncode
            assert matches(expected, done.stdout + done.stderr), f"$ {command}\n{done.stdout}\n{done.stderr}"
            if code:
                shown = "\n".join((f"$ {command}", *expected, "$ echo $?", str(code)))
                assert shown in text
