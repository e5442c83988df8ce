"""The sample of the reference data is small and complete, and a clone without the whole says what it holds back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.corpora.reference import SAMPLE, reference, sample
from tests.command import ROOT, environment

CORPUS = ROOT / "tests" / "corpus"


def test_the_corpora_are_small() -> None:
    assert sum(path.stat().st_size for path in CORPUS.rglob("*") if path.is_file()) <= 8_000_000


def test_the_notice_names_every_source() -> None:
    notice = (ROOT / "NOTICE").read_text("utf-8")
    assert [path.name for path in sorted(SAMPLE.iterdir()) if f"\n{path.name}/\n" not in notice] == []


def test_what_is_not_there_is_an_error_and_no_silent_skip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match=r"python -m benchmarks\.corpora\.reference"):
        sample("nothing.json")
    monkeypatch.setattr("benchmarks.corpora.reference.DATA", tmp_path)
    with pytest.raises(FileNotFoundError, match="is marked 'reference'"):
        reference("ipc")


def test_without_the_whole_data_the_tests_of_it_are_counted_and_named(tmp_path: Path) -> None:
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "every_demonstration"]
    done = subprocess.run(
        [sys.executable, *words, "tests/domains/templates/test_alfred_templates.py"],
        cwd=ROOT,
        env=environment({"CHOREWRIGHT_REFERENCE": str(tmp_path / "nowhere"), "PYTEST_ADDOPTS": ""}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 skipped: the whole reference data are not at " in done.stdout
    assert "test_alfred_templates.py::test_every_demonstration_is_among_the_candidates\n" in done.stdout
