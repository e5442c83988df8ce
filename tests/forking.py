"""Commands run in processes that are forked from one that has imported the package and loaded its kernels.

A command takes a second of processor time less so, which a gate of thousands of tests feels. What the process is like
is the same: its words, folder, environment, output and exit code are its own. Tests that ask how a process starts or
how it is ended start one by themselves.

``python -m tests.forking`` is the process that forks: requests come in as lines of JSON, answers go out as such.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

APART = ("PYTHON", "NUMBA", "OMP", "CHOREWRIGHT_", "XDG_", "HOME", "LC_", "LANG", "PATH", "LD_")
"""What begins the names of variables that are read while a program starts: with others a process is started."""

PRELOADED = (
    "chorewright.__main__",
    "chorewright.cli",
    "chorewright.commands.generating",
    "chorewright.commands.planning",
    "chorewright.commands.progress",
    "chorewright.generator.alfred.benchmark",
    "chorewright.generator.dataset.store.dataset",
    "chorewright.generator.household.spawning",
    "chorewright.generator.production.line",
    "pyarrow",
)
"""Modules that most commands need."""


class Forker:
    """The process that forks; it is started when it is first needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(
        self, words: Sequence[str], cwd: Path | None, env: Mapping[str, str], timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end.

        Raises:
            TimeoutExpired: It took too long; it is killed.
        """
        if self._process is None or self._process.poll() is not None:
            self._start(env)
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            request = {
                "words": list(words), "cwd": str(cwd or Path.cwd()), "env": dict(env),
                "out": str(out), "err": str(err), "timeout": timeout,
            }  # fmt: skip
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            code = json.loads(self._process.stdout.readline())
            texts = [each.read_bytes().decode("utf-8").replace("\r\n", "\n") for each in (out, err)]
        if code is None:
            raise subprocess.TimeoutExpired(list(words), timeout, *texts)
        return subprocess.CompletedProcess(list(words), code, *texts)

    def _start(self, env: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.forking"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=dict(env),
            cwd=Path(__file__).resolve().parents[1],
        )
        atexit.register(self._process.kill)


def serve() -> None:
    """Import what commands need, and run them until there are no more requests."""
    for name in PRELOADED:
        import_module(name)
    import_module("chorewright.planner.warming").warm()
    answers, requests = os.dup(1), os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    with os.fdopen(requests) as lines, os.fdopen(answers, "w") as told:
        for line in lines:
            request = json.loads(line)
            child = os.fork()
            if child == 0:
                os.closerange(3, max(lines.fileno(), told.fileno()) + 1)
                _run(request)
            print(json.dumps(_wait(child, request["timeout"])), file=told, flush=True)


def _wait(child: int, timeout: float) -> int | None:
    """Return a process's exit code, as ``subprocess`` gives it; None if it had to be killed."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _run(request: Mapping[str, Any]) -> NoReturn:
    """Become the process of a command."""
    os.chdir(request["cwd"])
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(request[name], os.O_WRONLY | os.O_CREAT, 0o600), number)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
    os.environ.clear()
    os.environ.update(request["env"])
    sys.modules["chorewright.commands.planning"].__dict__["STARTED"] = time.monotonic()  # its age is the command's
    sys.argv = ["chorewright", *request["words"]]
    sys.path[0] = request["cwd"]
    code: object = 1
    try:
        from chorewright.__main__ import main

        main()
        code = 0
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 0 if code is None else 1)


if __name__ == "__main__":
    serve()
