"""How the progress of a run or an evaluation is shown: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich import progress as bars
from rich.console import Console
from rich.table import Column
from rich.text import Text

from chorewright.files.english import say_count
from chorewright.files.text import quiet, tell, verbose

_SECONDS_BETWEEN_LINES = 10.0

_LATEST = 64
"""Of how many of the latest episodes the pace is taken."""

_ENOUGH = 5
"""How many episodes a run needs before it says how long the others will take."""

_WIDE = 80
"""On fewer columns there is no bar beside the figures."""


class ProgressCounts:
    """The figures of a run: indices in all, done, accepted, and done by this run."""

    def __init__(self) -> None:
        self.episodes = 0
        self.done = 0
        self.accepted = 0
        self.done_here = 0
        self.started = time.monotonic()
        self._latest: deque[float] = deque(maxlen=_LATEST)

    def begin(self, episodes: int, kept: int, kept_accepted: int) -> None:
        self.episodes, self.done, self.accepted, self.done_here = episodes, kept, kept_accepted, 0
        self.started = time.monotonic()
        self._latest.clear()

    def episode(self, accepted: bool) -> None:
        self.done += 1
        self.done_here += 1
        self.accepted += accepted
        self._latest.append(time.monotonic())

    def lost(self, episodes: int, accepted: int) -> None:
        self.done -= episodes
        self.done_here -= episodes
        self.accepted -= accepted
        self._latest.clear()

    @property
    def rate(self) -> float:
        """Episodes a second, of this run."""
        return self.done_here / max(1e-9, time.monotonic() - self.started)

    @property
    def left(self) -> float | None:
        """Seconds that the rest will take at the pace of the latest episodes; None before there are enough.

        The time before the first one is left out: it goes into reading and compiling.
        """
        if len(self._latest) < _ENOUGH:
            return None
        pace = (self._latest[-1] - self._latest[0]) / (len(self._latest) - 1)
        return pace * (self.episodes - self.done)

    def __str__(self) -> str:
        share = f", {100 * self.accepted / self.done:.1f} % accepted" if self.done else ""
        left = self.left
        pace = "" if left is None else f", {pace_of(self.rate)}, about {duration(left)} left"
        return f"{self.done}/{say_count(self.episodes, 'episode')}{share}{pace}"


def pace_of(rate: float) -> str:
    """Return a number of episodes a second in words; slow ones by the minute."""
    return f"{rate:.1f}/s" if rate >= 0.1 else f"{60 * rate:.1f}/min"


def duration(seconds: float) -> str:
    """Return a time in words, in the unit that suits it."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 120 * 60 else f"{seconds / 3600:.1f} h"


class Lines(ProgressCounts):
    """Progress as plain lines, one every ten seconds."""

    def __init__(self) -> None:
        super().__init__()
        self._last = time.monotonic()

    def begin(self, episodes: int, kept: int, kept_accepted: int) -> None:
        super().begin(episodes, kept, kept_accepted)
        if kept:
            self.note(f"{kept} of {say_count(episodes, 'episode')} {'is' if kept == 1 else 'are'} there already")

    def episode(self, accepted: bool) -> None:
        super().episode(accepted)
        if time.monotonic() - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            self.note(str(self))

    def note(self, message: str) -> None:
        tell(message)


class _Said(bars.ProgressColumn):
    """A column that says something of a task."""

    def __init__(self, say: Callable[[bars.Task], str]) -> None:
        super().__init__(table_column=Column(no_wrap=True))
        self._say = say

    def render(self, task: bars.Task) -> Text:
        return Text(self._say(task))


class Bar(ProgressCounts):
    """Progress as a bar on the terminal."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        counts = _Said(lambda _: str(self))
        wide = (bars.TextColumn("generate"), bars.BarColumn(None, table_column=Column(ratio=1)))
        columns = (*wide, counts) if console.width >= _WIDE else (counts,)
        self.progress = bars.Progress(*columns, console=console, expand=True)
        self._task: bars.TaskID = self.progress.add_task("generate", total=None)

    def begin(self, episodes: int, kept: int, kept_accepted: int) -> None:
        super().begin(episodes, kept, kept_accepted)
        self.progress.update(self._task, total=episodes, completed=kept)

    def episode(self, accepted: bool) -> None:
        super().episode(accepted)
        self.progress.update(self._task, completed=self.done)

    def lost(self, episodes: int, accepted: int) -> None:
        super().lost(episodes, accepted)
        self.progress.update(self._task, completed=self.done)

    def note(self, message: str) -> None:
        self.progress.console.print(message)


@contextmanager
def watching() -> Iterator[Bar | Lines]:
    """Yield what shows a run's progress on standard error, fit for what that is."""
    console = Console(stderr=True, markup=False, highlight=False)
    if not console.is_terminal or quiet():
        yield Lines()
        return
    bar = Bar(console)
    with bar.progress:
        yield bar


@contextmanager
def counting(label: str, unit: str = "") -> Iterator[Callable[[int, int], object]]:
    """Yield what is told how many of how many are done, and shows it with the rate and the time left.

    It is shown on standard error where that is a terminal; elsewhere with ``--verbose`` only, in lines.

    Args:
        label: What is done.
        unit: Of what, in the plural.
    """
    console = Console(stderr=True, markup=False, highlight=False)
    if not console.is_terminal or quiet():
        yield _count_lines(label) if verbose() else lambda done, total: None
        return
    wide = (bars.BarColumn(),) if console.width >= _WIDE else ()
    before = f"{unit} " if unit else ""
    rate = _Said(lambda task: "" if task.speed is None else f"{before}{pace_of(task.speed)}")
    columns = (bars.TextColumn(label), *wide, bars.MofNCompleteColumn(), rate, bars.TimeRemainingColumn())
    with bars.Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task(label, total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)


def _count_lines(label: str) -> Callable[[int, int], None]:
    first = last = time.monotonic()

    def hear(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _SECONDS_BETWEEN_LINES:
            last = now
            rate = done / (now - first)
            left = f", {pace_of(rate)}, about {duration((total - done) / rate)} left" if rate else ""
            tell(f"{label}: {done} of {total}{left}")

    return hear
