"""Fast Downward as an engine: its driver from the ``up-fast-downward`` wheel, in a process of its own."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from chorewright.domains.pddl.plain import write_plain
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import EngineError, MissingExtra, UnsupportedError
from chorewright.files.plugins import pip_install
from chorewright.planner.engines.running import check_plan, last_line, refuse_evaluations, run_process, write_task
from chorewright.planner.plan import UNLIMITED, Answer, Limit, Limits, OutOfLimits, Unsolvable
from chorewright.planner.plan_files import parse_plan

FAST_DOWNWARD = "fast-downward"


@dataclass(frozen=True, slots=True)
class FastDownward:
    """Fast Downward from the ``up-fast-downward`` wheel, by default in its ``lama-first`` configuration.

    ``python`` is the interpreter whose environment has the wheel.
    """

    alias: str = "lama-first"
    python: str = field(default_factory=lambda: sys.executable)

    def solve(self, domain: Domain, problem: Problem, limits: Limits = UNLIMITED) -> Answer:
        """Return a plan that the validator accepts, or why there is none.

        Raises:
            MissingExtra: the wheel is not installed.
            EngineError: Fast Downward failed, or its plan is not valid.
        """
        refuse_evaluations(FAST_DOWNWARD, limits)
        driver = fast_downward_driver(self.python)
        if driver is None:
            hint = pip_install("fast-downward")
            raise MissingExtra(f"{FAST_DOWNWARD} is not installed", hint=hint)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            command = [self.python, str(driver), "--alias", self.alias, "--plan-file", "plan"]
            if limits.megabytes is not None:
                command += ["--overall-memory-limit", f"{limits.megabytes}M"]
            write_task(folder, *write_plain(domain, problem))
            finished = run_process([*command, "domain.pddl", "problem.pddl"], folder, limits)
            found = (folder / "plan").read_text(encoding="utf-8") if (folder / "plan").exists() else None
        if finished.code in (0, 1, 2, 3) and found is not None:
            return check_plan(domain, problem, parse_plan(found).actions, FAST_DOWNWARD, self.alias)
        if finished.code in (10, 11):
            return Unsolvable(f"{FAST_DOWNWARD} proves that there is no plan")
        if finished.code in (None, 21, 23):
            return OutOfLimits(Limit.TIME, 0)
        if finished.code in (20, 22, 24):
            return OutOfLimits(Limit.MEMORY, 0)
        message = f"{FAST_DOWNWARD} failed with exit code {finished.code}: {last_line(finished.output)}"
        raise UnsupportedError(message) if finished.code == 34 else EngineError(message)


def fast_downward_driver(python: str = sys.executable) -> Path | None:
    """Where the driver of the ``up-fast-downward`` wheel lies in an interpreter's environment, if it does."""
    if python == sys.executable:
        spec = importlib.util.find_spec("up_fast_downward")
        folder = None if spec is None or spec.origin is None else Path(spec.origin).parent
    else:
        code = "import importlib.util as u; print(u.find_spec('up_fast_downward').origin)"
        try:
            asked = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
        except OSError:
            return None
        folder = None if asked.returncode else Path(asked.stdout.strip()).parent
    driver = None if folder is None else folder / "downward" / "fast-downward.py"
    return driver if driver is not None and driver.exists() else None


__all__ = ["FAST_DOWNWARD", "FastDownward", "fast_downward_driver"]
