"""The process: its age is that of the program, and SIGTERM ends planning with a message from its start on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import environment

_AGE = "from chorewright.commands.planning import age; print(age())"
_BURN = "import time\nwhile time.process_time() < {}: pass\n" + _AGE
_TERMINATED_AT = """
import os, signal, sys

class Asked:
    def find_spec(self, name, path=None, target=None):
        if name == {!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGTERM)

sys.meta_path.insert(0, Asked())
sys.argv = ["chorewright", "plan", "domain.pddl", "problem.pddl"]
from chorewright.cli import main
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize(
    ("before", "code", "least", "most"),
    [
        ("", _AGE, 0.0, 3.0),
        ("sleep 2; exec", _AGE, 0.0, 2.0),  # the shell that slept becomes the program
        ("", _BURN.format(0.5), 0.5, 3.5),
        ("", _BURN.format(2), 1.0, 2.0),  # what was done before the import counts a second at most
    ],
)
def test_the_age_is_that_of_the_program(before: str, code: str, least: float, most: float) -> None:
    words = ["bash", "-c", f'{before} "$0" -c "$1"', sys.executable, code]
    done = subprocess.run(words, capture_output=True, text=True, env=environment(), check=True)
    assert least < float(done.stdout) < most


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize(
    "module", ["chorewright.domains.pddl.parser", "chorewright.planner.planning", "chorewright.planner.plan"]
)
def test_termination_while_a_plan_is_still_to_be_searched(tmp_path: Path, module: str) -> None:
    words = [sys.executable, "-c", _TERMINATED_AT.format(module)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=environment(), check=False)
    assert (done.returncode, done.stdout) == (143, "")
    assert "terminated" in done.stderr
    assert "Traceback" not in done.stderr
