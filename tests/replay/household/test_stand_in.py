"""The stand-in for AI2-THOR's builds is written where its clients look for them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from chorewright.errors import ExitCode
from chorewright.replay.household.server.program import main


def test_nothing_of_others_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["chorewright-thor", "--stand-in", str(tmp_path)])
    assert main() == 0
    first = capsys.readouterr().out
    assert main() == 0, "what is ours is written anew"
    again = capsys.readouterr().out
    assert again == first
    lines = again.splitlines()
    programs = [line for line in lines[:-1] if not line.endswith(".json")]
    assert [os.access(line, os.X_OK) for line in programs] == [True] * 5
    Path(lines[0]).write_bytes(b"\x7fELF a real build")
    assert main() == ExitCode.STORAGE
    assert "does not belong to chorewright" in capsys.readouterr().err
