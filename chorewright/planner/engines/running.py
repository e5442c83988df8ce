"""Running another planner: a process that keeps the limits whatever it does, and plans that are checked.

Processes have a fixed hash seed, since some planners' plans depend on it.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import EngineError, UsageError
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.validation import validate


def check_plan(
    domain: Domain, problem: Problem, actions: Sequence[GroundAction], planner: str, configuration: str
) -> Plan:
    """Another planner's actions as a plan, with our validator's cost.

    Args:
        domain: The domain.
        problem: The problem.
        actions: What the planner has found.
        planner: Its name.
        configuration: How it searched.

    Raises:
        EngineError: the validator does not accept them.
    """
    verdict = validate(domain, problem, actions)
    if not verdict.valid:
        raise EngineError(f"{planner} gave a plan that is not valid: {verdict.message}")
    return Plan(tuple(actions), verdict.cost, planner, configuration)


@dataclass(frozen=True, slots=True)
class Finished:
    """How a process ended: its exit code (None if it was stopped at the time limit) and what it printed."""

    code: int | None
    output: str


def run_process(command: Sequence[str], folder: Path, limits: Limits) -> Finished:
    """Run a planner in a folder; at the time limit it and all its children are killed.

    Args:
        command: The program and its arguments.
        folder: Where it runs.
        limits: Of these, the seconds.

    Raises:
        OSError: the program cannot be started.
    """
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=limits.seconds)
        except BaseException as error:
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
            process.wait()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            return Finished(None, "")
        return Finished(process.returncode, output)


def refuse_evaluations(name: str, limits: Limits) -> None:
    """Refuse a limit that only our own planner keeps.

    Raises:
        UsageError: There is one.
    """
    if limits.evaluations is not None:
        raise UsageError(f"{name} cannot be limited by evaluations", hint="use a time limit")


def write_task(folder: Path, domain: str, problem: str) -> None:
    """Write ``domain.pddl`` and ``problem.pddl`` into a folder."""
    (folder / "domain.pddl").write_text(domain, encoding="utf-8")
    (folder / "problem.pddl").write_text(problem, encoding="utf-8")


def last_line(output: str) -> str:
    """Return the last line with words of what a process has said."""
    lines = [line.strip() for line in output.splitlines() if re.search(r"\w", line)]
    return lines[-1] if lines else "it said nothing"


__all__ = ["Finished", "check_plan", "last_line", "refuse_evaluations", "run_process", "write_task"]
