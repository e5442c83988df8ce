"""Fast Downward from the wheel ``up-fast-downward``, as a peer; a test is skipped where it is absent."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from chorewright.domains.pddl import write_domain, write_problem
from chorewright.domains.pddl.syntax import Domain, Problem

NO_PLAN = (10, 11, 12)
"""Exit codes: proven unsolvable (by the translator or the search), or the search space was exhausted."""

REFUSED = (30, 31, 33, 34)
"""Exit codes: the translator fails on the input, or the search does not take what it says."""

LANDMARKS = "astar(lmcut())"
BLIND = "astar(blind())"


class Refused(Exception):
    """Fast Downward does not read the task."""


def driver() -> Path:
    """The driver script, of the installed wheel or in the folder ``$CHOREWRIGHT_FAST_DOWNWARD``."""
    folder = os.environ.get("CHOREWRIGHT_FAST_DOWNWARD")
    if folder is None:
        found = importlib.util.find_spec("up_fast_downward")
        folder = str(Path(found.origin).parent / "downward") if found and found.origin else None
    script = Path(folder or ".") / "fast-downward.py"
    if folder is None or not script.exists():
        pytest.skip(
            "Fast Downward is not here: pip install up-fast-downward, or set CHOREWRIGHT_FAST_DOWNWARD to the"
            " folder of fast-downward.py"
        )
    return script


def optimal_cost_of_peer(domain: Domain, problem: Problem, folder: Path) -> tuple[float | None, str]:
    """Cost of an optimal plan, None if there is none, and the search that found it.

    The search is A* with LM-cut, or blind where Fast Downward refuses LM-cut (axioms, conditional effects).

    Raises:
        Refused: Fast Downward does not read the task.
    """
    script = driver()
    (folder / "domain.pddl").write_text(write_domain(domain, expand_at_least=True))
    (folder / "problem.pddl").write_text(write_problem(problem, expand_at_least=True))
    for search in (LANDMARKS, BLIND):
        command = [sys.executable, str(script), "domain.pddl", "problem.pddl", "--search", search]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240, check=False)
        if done.returncode in NO_PLAN:
            return None, search
        cost = re.search(r"Plan cost: (\d+)", done.stdout)
        if cost:
            return float(cost.group(1)), search
        assert done.returncode in REFUSED, done.stdout + done.stderr
    raise Refused(done.stdout + done.stderr)
