"""The command line as the tests run it: a process of its own, its exit code, output and errors."""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from chorewright.cli import build
from chorewright.generator.dataset.store.dataset_folder import REPORT
from tests.forking import APART, Forker

ROOT = Path(__file__).resolve().parents[1]
FORKER = Forker()


def environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment with the repository importable (for the toy benchmark), and changes."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "140", **(changes or {})}


def command(*arguments: object) -> list[str]:
    """The words of a ``chorewright`` command."""
    return [sys.executable, "-m", "chorewright", *map(str, arguments)]


def invoke(words: Sequence[str], **options: Any) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(build(list(words)), list(words), **options)


def run_here(words: Iterable[object]) -> object:
    """Run a command in this process; what it raises is raised, and what it prints is printed."""
    texts = [str(word) for word in words]
    return build(texts)(texts, standalone_mode=False)


def chorewright(
    *arguments: object, cwd: Path | None = None, env: Mapping[str, str] | None = None, timeout: float = 240
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    if not any(name.startswith(APART) for name in env or ()):
        return FORKER.run(list(map(str, arguments)), cwd, environment(env), timeout)
    return subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cwd,
        env=environment(env),
        timeout=timeout,
        check=False,
    )


def run_line(line: str, cwd: Path, env: Mapping[str, str], timeout: float = 600) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell in an environment; a plain command of ours is forked."""
    if line.startswith("chorewright ") and not set("|<>&$`*;()~") & set(line):
        return FORKER.run(shlex.split(line, comments=True)[1:], cwd, env, timeout)
    return subprocess.run(
        ["bash", "-c", line],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
    )


def digests(folder: Path) -> dict[str, str]:
    """Every file below a folder with its checksum, but for what a dataset's runs took."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.match(REPORT)
    }
