"""Memory that runs out: known by what an error comes from, whatever its kind; the exit code is 22."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path

import pytest

from chorewright.errors import ExitCode
from chorewright.files.processes import EXHAUSTED, is_exhausted
from tests.command import command, environment
from tests.verbs import DOMAIN, PROBLEM

LINKER = "libllvmlite.so: failed to map segment from shared object"

LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]), int(sys.argv[1])))
os.execv(sys.argv[2], sys.argv[2:])
"""


COMPILE = "compile alfred/look_at_obj_in_light --slot object=Pen --slot lamp=DeskLamp --scene FloorPlan301"


def test_the_exit_code_is_the_one_of_the_table() -> None:
    assert EXHAUSTED == ExitCode.OUT_OF_MEMORY


@pytest.mark.parametrize(
    ("error", "exhausted"),
    [
        (MemoryError(), True),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), True),
        (OSError(LINKER), True),
        (ImportError(LINKER), True),
        (RuntimeError("can't start new thread"), True),
        (SystemError("error return without exception set"), True),
        (SystemError("<function compile_task> returned NULL without setting an exception"), True),
        (OSError(errno.ENOSPC, "No space left on device"), False),
        (ImportError("No module named 'numba'"), False),
    ],
    ids=str,
)
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_what_an_error_comes_from_is_looked_at(error: Exception, exhausted: bool, depth: int) -> None:
    """llvmlite, numpy and others raise an error of their own, of no kind that says memory."""
    for _ in range(depth):
        outer = OSError("Could not find/load shared object file 'libllvmlite.so'")
        outer.__context__ = error
        error = outer
    assert is_exhausted(error) is exhausted


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux limits a process's addresses")
@pytest.mark.parametrize(("verb", "megabytes"), [("plan domain.pddl problem.pddl", 30), (COMPILE, 140)])
def test_memory_that_runs_out_while_libraries_load_has_its_exit_code(tmp_path: Path, verb: str, megabytes: int) -> None:
    """With 30 MB no library is loaded, with 140 MB not those that a room needs."""
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "problem.pddl").write_text(PROBLEM)
    words = command(*verb.split(), "--json")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(megabytes << 20), *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment({"OPENBLAS_NUM_THREADS": "1"}),
        check=False,
    )
    assert (done.returncode, done.stderr) == (ExitCode.OUT_OF_MEMORY, "out of memory\n")
    assert json.loads(done.stdout)["exit_code"] == ExitCode.OUT_OF_MEMORY
