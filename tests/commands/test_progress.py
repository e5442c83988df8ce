"""What is said of progress where there is no terminal: a line now and then."""

from __future__ import annotations

import pytest

from chorewright.commands import progress


def test_counts_are_told_in_lines_every_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter((0.0, 9.9, 10.0, 10.0, 19.0, 20.0, 20.0, 21.0))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with progress.counting("evaluate") as watch:
        for done in range(1, 6):
            watch(done, 5)
    assert capsys.readouterr().err.splitlines() == ["evaluate: 2 of 5", "evaluate: 4 of 5"]
