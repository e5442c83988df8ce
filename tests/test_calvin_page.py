"""docs/calvin.md: its Python and console blocks run and print what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import ROOT
from tests.test_authoring import BLOCK, commands, matches, run

DOCUMENT = ROOT / "docs" / "calvin.md"
BLOCKS: list[tuple[str, str, str]] = BLOCK.findall(DOCUMENT.read_text(encoding="utf-8"))


@pytest.mark.parametrize("code", [text for language, _, text in BLOCKS if language == "python"])
def test_the_code_runs(code: str) -> None:
    if "TabletopWorld" in code:
        pytest.importorskip("pybullet", reason="PyBullet (extra 'calvin') is not installed")
    exec(compile(code, str(DOCUMENT), "exec"), {})


@pytest.mark.slow
def test_the_commands_print_what_the_page_says(tmp_path: Path) -> None:
    for language, name, text in BLOCKS:
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
        if language == "console":
            for command, expected in commands(text):
                done = run(command, tmp_path)
                assert matches(expected, done.stdout + done.stderr), f"$ {command}\n{done.stdout}\n{done.stderr}"
