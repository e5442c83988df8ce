"""What is said of progress where there is no terminal: a line now and then."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from chorewright.commands import progress


def test_counts_are_told_in_lines_every_ten_seconds_if_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for wanted in (True, False):
        clock = iter((0.0, 9.9, 10.0, 19.0, 20.0, 21.0))
        monkeypatch.setattr(progress.time, "monotonic", lambda clock=clock: next(clock))
        monkeypatch.setattr(progress, "verbose", lambda wanted=wanted: wanted)
        with progress.counting("evaluate") as watch:
            for done in range(1, 6):
                watch(done, 5)
        lines = ["evaluate: 2 of 5, 0.2/s, about 15 s left", "evaluate: 4 of 5, 0.2/s, about 5 s left"]
        assert capsys.readouterr().err.splitlines() == (lines if wanted else [])


@pytest.mark.parametrize("width", [60, 120])
def test_counts_on_a_terminal_have_a_rate_and_keep_to_one_line(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    console = Console(file=shown, width=width, force_terminal=True)
    monkeypatch.setattr(progress, "Console", lambda **_: console)
    with progress.counting("export", "episodes") as watch:
        for done in range(4):
            watch(done, 10_000)
    lines = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.getvalue()).replace("\r", "\n").splitlines()
    assert any("3/10000 episodes " in line for line in lines)
    assert all(len(line) <= width for line in lines)


def test_the_time_left_is_told_when_enough_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    counts = progress.ProgressCounts()
    counts.begin(104, 0, 0)
    now = 90.0  # it compiled
    for _ in range(4):
        counts.episode(accepted=True)
        now += 2.0
    assert str(counts) == "4/104 episodes, 100.0 % accepted"
    counts.episode(accepted=False)
    assert counts.left == pytest.approx(198)
    assert str(counts) == "5/104 episodes, 80.0 % accepted, 3.1/min, about 3 min left"
    counts.lost(2, 1)
    assert counts.left is None


@pytest.mark.parametrize(("seconds", "said"), [(0.4, "0 s"), (90, "90 s"), (150, "2 min"), (9_000, "2.5 h")])
def test_times_are_told_in_the_unit_that_suits(seconds: float, said: str) -> None:
    assert progress.duration(seconds) == said


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_bar_keeps_to_one_line(width: int) -> None:
    bar = progress.Bar(Console(file=io.StringIO(), width=width, force_terminal=True))
    bar.begin(10_000, 4, 4)
    [task] = bar.progress.tasks
    assert (task.total, task.completed) == (10_000, 4)
    for _ in range(2):
        bar.episode(accepted=True)
    assert (task.total, task.completed) == (10_000, 6)
    lines = bar.progress.console.render_lines(bar.progress.get_renderable())
    assert len(lines) == 1
    assert ("generate" in "".join(each.text for each in lines[0])) == (width >= 80)
    assert "6/10000 episodes, 100.0 % accepted" in "".join(each.text for each in lines[0])
