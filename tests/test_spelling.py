"""Spelling of documentation, docstrings, help and messages; pyproject.toml lists what codespell takes for wrong."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.command import ROOT


def test_nothing_is_misspelt() -> None:
    pytest.importorskip("codespell_lib")
    words = [sys.executable, "-m", "codespell_lib"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
