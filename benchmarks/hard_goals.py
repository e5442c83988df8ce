"""Long household goals: whether they are planned in the rooms that have what is needed, how fast, by how many steps.

    python -m benchmarks.hard_goals [--rooms K] [--save] [--json FILE]

The tasks are those of ``benchmarks/hard_goals``: a table for four, breakfast for two, dishes, a whole house tidied.
Each is tried once in K rooms that suit it (houses for ``tidy-house``), as ``check-task`` does. A room has what is
needed if its start can be made and no proof says that the goal cannot be reached.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from rich.console import Console

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report, Table, Target
from chorewright.generator.production.attempts import OUT_OF, TaskTrial
from chorewright.generator.production.trying import attempts_of

FOLDER = Path(__file__).parent / "hard_goals"
HOUSE = "tidy-house"
SECONDS, SHARE = 20.0, 95.0
"""Processor seconds of an attempt at most, and per cent of the rooms that have what is needed at least."""


@dataclass(slots=True)
class TaskRow:
    """What came of one task: rooms that have what is needed, plans, their lengths, seconds of the attempts."""

    name: str
    rooms: int = 0
    planned: int = 0
    accepted: int = 0
    lengths: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, trial: TaskTrial, seconds: float) -> None:
        """Count an attempt."""
        why = trial.rejected[-1] if trial.rejected and not trial.accepted else None
        if why is not None and (why.stage in ("spawn", "start") or (why.stage == "plan" and OUT_OF not in why.reason)):
            return
        self.rooms += 1
        self.planned += why is None or why.stage != "plan"
        self.accepted += trial.accepted
        self.seconds.append(seconds)
        if trial.actions:
            self.lengths.append(trial.actions)


def try_task(path: Path, rooms: int) -> TaskRow:
    """Try a task once in so many rooms."""
    row = TaskRow(path.stem)
    given: Mapping[str, object] = {"scenes": [f"house:{n}" for n in range(rooms)] if path.stem == HOUSE else None}
    attempts = attempts_of(str(path), rooms, 0, given, attempts=1)
    started = time.process_time()

    def count(trial: TaskTrial) -> None:
        nonlocal started
        row.add(trial, time.process_time() - started)
        started = time.process_time()

    attempts.run(count)
    return row


def report_on(rows: list[TaskRow]) -> Report:
    """Return the figures and the table of all tasks."""
    rooms, planned = sum(row.rooms for row in rows), sum(row.planned for row in rows)
    seconds = [each for row in rows for each in row.seconds]
    lengths = [each for row in rows for each in row.lengths]
    share = Target("at least", SHARE)
    figures = [
        Figure("planned", "planned in the rooms that have what is needed", planned, of=rooms, target=share),
        Figure(
            "in_time",
            f"attempts within {SECONDS:g} CPU seconds, rendering and replay included",
            sum(each <= SECONDS for each in seconds),
            of=len(seconds),
            target=share,
        ),
        Figure("length", "actions of a plan, median", float(median(lengths)), digits=0),
        Figure("seconds", "CPU seconds of an attempt, median", median(seconds), "s", digits=1),
    ]
    lines = tuple(
        (
            row.name,
            str(row.rooms),
            str(row.planned),
            str(row.accepted),
            f"{min(row.lengths, default=0)} to {max(row.lengths, default=0)}",
            f"{max(row.seconds, default=0):.1f}",
        )
        for row in rows
    )
    heads = ("task", "rooms", "planned", "accepted", "actions", "CPU s at most")
    explanation = (
        "Twelve tasks of benchmarks/hard_goals, tried once in each of several rooms or houses that suit them, by the "
        "attempts of check-task; rooms whose start cannot be made, or whose goal is proven out of reach, do not count."
    )
    tables = (Table(heads, lines, "By task"),)
    return Report("hard_goals", "Planner", "Long household goals", explanation, tuple(figures), tables)


def main() -> None:
    """Measure, and print or save the figures."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--rooms", type=int, default=10)
    arguments = parser.parse_args()
    console, rows = Console(), []
    for path in sorted(FOLDER.glob("*.task")):
        rows.append(try_task(path, arguments.rooms))
        console.print(str(rows[-1]))
    report = report_on(rows)
    for figure in report.figures:
        console.print(f"{figure.label}: {figure.text}")
    keep(arguments, report)


if __name__ == "__main__":
    main()
