"""The first problem of each domain of competitions' checkouts, and plans of them that are found at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.first_plans import instances, natural
from chorewright.domains.pddl.syntax import Domain
from chorewright.planner.plan import TimedStep
from chorewright.planner.plan_files import parse_plan

SECONDS = 5
"""Processor seconds for a plan."""


def first_problems(folder: Path) -> Iterator[tuple[str, Path, Path]]:
    """Yield names, domains and problems; the problems lie with their domain, or in a folder ``instances``."""
    within = sorted(folder.rglob("instances"))
    if not within:
        for one in instances(folder, [0]):
            yield one.name, one.domain, one.problem
    for place in within:
        series = place.parent
        for problem in sorted(place.glob("*.pddl"), key=natural)[:1]:
            own = series / "domains" / problem.name.replace("instance", "domain")
            domain = own if own.exists() else series / "domain.pddl"
            if domain.exists():
                yield f"{series.relative_to(folder)}/{problem.stem}", domain, problem


def quick_plan(domain: Path, problem: Path, parsed: Domain) -> tuple[TimedStep, ...]:
    """Return a plan, of kairos where there are durations; without steps where none is found in time."""
    timed = bool(parsed.durative_actions)
    with TemporaryDirectory() as name:
        plan = Path(name) / "plan"
        words = [sys.executable, "-m", "chorewright", "plan", str(domain), str(problem), "--out", str(plan)]
        words += ["--cpu-limit", str(SECONDS), *(("--engine", "kairos") if timed else ("--improve", "0"))]
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(words, capture_output=True, timeout=30 * SECONDS, check=False)
        if not plan.exists():
            return ()
        found = parse_plan(plan.read_text())
    return found.steps if timed else tuple(TimedStep(place, action) for place, action in enumerate(found.actions, 1))
