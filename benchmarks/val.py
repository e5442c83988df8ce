"""VAL (KCL-Planning/VAL), the validator of the competitions, as a process: what it says of a plan."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path

UNREAD = ("Problem in domain definition", "Bad problem", "Type problem", "Parser failed")
"""What VAL prints where it does not read a domain or a problem."""

BAD_PLAN = "Bad plan description"
"""What VAL prints of a plan with wrong names; of a right plan, where it has misread the domain."""


def run_val(program: Path, folder: Path, text: str) -> str | None:
    """Return what VAL prints of a plan; None where it does not read the domain or the problem, or does not end."""
    (folder / "plan").write_text(text)
    words = [str(program), "-t", "0.001", "domain.pddl", "problem.pddl", "plan"]
    with suppress(subprocess.TimeoutExpired):
        done = subprocess.run(
            words, cwd=folder, capture_output=True, text=True, errors="replace", timeout=60, check=False
        )
        said = done.stdout + done.stderr
        return None if done.returncode < 0 or any(each in said for each in UNREAD) else said
    return None


def val_says(program: Path, folder: Path, text: str) -> bool | None:
    """Return whether VAL calls a plan valid; None where it does not read the domain or the problem, or does not end."""
    said = run_val(program, folder, text)
    return None if said is None else "Plan valid" in said
