"""A benchmark's command line: the options that all of them share, and how a run's result is kept.

    parser = benchmark_parser(__doc__)
    parser.add_argument("--episodes", type=int, default=300)
    arguments = parser.parse_args()
    ...
    keep(arguments, Report(...))

``--json FILE`` writes the result to a file, ``--save`` to ``benchmarks/results/NAME.json``, which
``python -m benchmarks.figures`` reads; ``--conditions TEXT`` says what else has to be known. Figures of single
cases, from which an interrupted run can go on, are another file: ``--rows``.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from rich.table import Table as RichTable
from rich.text import Text

from benchmarks.results import RESULTS, Machine, Report, Result, Run, Table, table, write
from chorewright.files.processes import usable_cores

ROOT = Path(__file__).resolve().parents[1]
MADE = (f":!benchmarks/{RESULTS.name}", ":!docs/figures.md")
"""What runs change by writing their results."""


def benchmark_parser(doc: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options that all benchmarks share; let modules be compiled once.

    Args:
        doc: The benchmark's docstring: its help.
    """
    # The processes that a benchmark starts find compiled modules, as a user's do.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    group = parser.add_argument_group("result")
    group.add_argument("--json", type=Path, metavar="FILE", help="write the result to this file")
    group.add_argument("--save", action="store_true", help=f"write it to benchmarks/{RESULTS.name}, for the figures")
    group.add_argument("--conditions", metavar="TEXT", help="what has to be known of the run, such as other jobs")
    return parser


def given_path(text: str) -> Path:
    """Return the path of a file or folder that is read, which must be there.

    Raises:
        ArgumentTypeError: It is not.
    """
    path = Path(text)
    if not path.exists():
        raise argparse.ArgumentTypeError(f"there is no {path}")
    return path


def keep(arguments: argparse.Namespace, report: Report) -> None:
    """Write a run's result to where the command line asks for it; say where on standard error."""
    targets = [arguments.json] if arguments.json else []
    if arguments.save:
        targets.append(RESULTS / f"{report.name}.json")
    if targets:
        conditions = "; ".join(filter(None, (report.conditions, arguments.conditions)))
        result = Result(replace(report, conditions=conditions), this_run(sys.argv))
        for path in targets:
            write(result, path)
            print(f"result: {path}", file=sys.stderr)


def this_run(arguments: Sequence[str]) -> Run:
    """Return what this process knows of itself, its code and its machine.

    Args:
        arguments: The words of the command line, as ``sys.argv`` has them.
    """
    return Run(command_of(arguments), commit(), date.today().isoformat(), machine(), platform.python_version())


def command_of(arguments: Sequence[str]) -> str:
    """Return the command that makes a result again, without where it is kept and without paths of a machine.

    A file's absolute path becomes the name of its option: ``--rows ROWS``.
    """
    program, *words = arguments
    kept: list[str] = []
    options = iter(words)
    for word in options:
        name, _, value = word.partition("=")
        if name in ("--json", "--conditions"):
            if not value:
                next(options, None)
        elif word != "--save":
            before = kept[-1] if kept else ""
            path = Path(value or word).is_absolute()
            word = (before.lstrip("-").upper() or "FILE") if path and not value else word
            kept.append(f"{name}={name.lstrip('-').upper()}" if path and value else word)
    parts = Path(program).with_suffix("").parts
    inside = parts[len(parts) - parts[::-1].index("benchmarks") :] if "benchmarks" in parts else parts[-1:]
    return f"python -m benchmarks.{'.'.join(inside)} {shlex.join(kept)}".strip()


def commit() -> str:
    """Return the short name of the checkout's commit, with ``-dirty`` if more than results differs."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", *MADE)
    return git("rev-parse", "--short=8", "HEAD") + ("-dirty" if changed else "")


def machine() -> Machine:
    """Return the cores that this process may use and the processor's model."""
    described = Path("/proc/cpuinfo")
    lines = described.read_text("utf-8").splitlines() if described.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return Machine(usable_cores(), models[0] if models else platform.processor())


def from_rich(shown: RichTable, caption: str = "", sources: Mapping[str, str] | None = None) -> Table:
    """Return a table that is printed with rich as a value."""
    columns = [_plain([column.header])[0] for column in shown.columns]
    rows = zip(*(_plain(column.cells) for column in shown.columns), strict=True)
    return table(columns, list(rows), caption, sources)


def _plain(cells: Iterable[object]) -> list[str]:
    return [each.plain if isinstance(each, Text) else str(each) for each in cells]


__all__ = ["benchmark_parser", "command_of", "commit", "from_rich", "keep", "machine", "this_run"]
