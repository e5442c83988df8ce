"""What the learners share: shares with their intervals, and work that a folder keeps, so that a run goes on."""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from rich.console import Console

from benchmarks.command import ROOT, benchmark_parser

MODEL = "CHOREWRIGHT_LEARNED"
"""The variable that names the file of weights."""

Z = 1.96
TERMINATED = 128 + signal.SIGTERM


def learner_parser(doc: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options that learners share."""
    parser = benchmark_parser(doc)
    parser.add_argument("--work", type=Path, required=True, help="where data, weights and trials are kept")
    return parser


def wilson(done: int, trials: int) -> tuple[float, float]:
    """Return the bounds of a share's 95 % confidence interval."""
    if not trials:
        return 0.0, 1.0
    share = done / trials
    middle = (share + Z * Z / (2 * trials)) / (1 + Z * Z / trials)
    half = Z * math.sqrt(share * (1 - share) / trials + Z * Z / (4 * trials * trials)) / (1 + Z * Z / trials)
    return middle - half, middle + half


def with_interval(done: int, trials: int) -> str:
    """Return a share in percent with its interval; nothing of no trials."""
    low, high = wilson(done, trials)
    return f"{100 * done / trials:.1f} % ({100 * low:.1f} to {100 * high:.1f}) of {trials}" if trials else ""


def megabytes(dataset: Path) -> float:
    """Return how large the episodes of a dataset are."""
    return sum(path.stat().st_size for path in (dataset / "data").iterdir()) / 1e6


def kept(path: Path, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what a file of JSON holds; it is made if it is not there."""
    if not path.exists():
        path.write_text(json.dumps(make()), "utf-8")
    value: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return value


def cpu_minutes(mark: Path, work: Callable[[], object]) -> float:
    """Do some work, unless a file says that it is done; return its CPU minutes, also of runs that were cut off."""
    told = json.loads(mark.read_text("utf-8")) if mark.exists() else {"minutes": 0.0, "done": False}
    if not told["done"]:
        before = _seconds()
        try:
            work()
            told["done"] = True
        finally:
            told["minutes"] += (_seconds() - before) / 60
            mark.write_text(json.dumps(told), "utf-8")
    return float(told["minutes"])


def _seconds() -> float:
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in spent)


def tell_memory(console: Console) -> None:
    """Say how much memory the largest process of this run took."""
    most = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    console.print(f"memory: {most / 1e3:.0f} MB", highlight=False)


def run_module(words: Sequence[str], console: Console, weights: Path | None = None) -> str:
    """Run a module of Python with a policy's weights at hand; return what it prints."""
    console.print(f"$ {' '.join(words)}", soft_wrap=True, highlight=False)
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    variables = {**os.environ, "PYTHONPATH": path, **({MODEL: str(weights)} if weights else {})}
    command = [sys.executable, "-m", *words]
    signal.signal(signal.SIGTERM, _end)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=variables) as process:
        try:
            printed = process.communicate()[0]
        except BaseException:
            process.terminate()
            raise
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return str(printed)


def _end(number: int, frame: FrameType | None) -> None:
    sys.exit(TERMINATED)
