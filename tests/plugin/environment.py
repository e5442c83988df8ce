"""A user's packages beside chorewright: one that is installed by pip, and small ones that misbehave."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from shutil import copytree

from tests.command import ROOT, chorewright

PACKAGE = Path(__file__).parent / "package"

Run = Callable[..., subprocess.CompletedProcess[str]]


def install(package: Path, folder: Path) -> Path:
    """Install a package into a folder by pip, from a copy so that the source stays clean; return the folder."""
    source, site = folder / "source", folder / "site"
    copytree(package, source)
    words = ["pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", site, source]
    done = subprocess.run([sys.executable, "-m", *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return site


def write_package(site: Path, name: str, code: str, entry_points: Mapping[str, str]) -> Path:
    """Write an installed package of one module, with its entry points as ``group/name``; return the folder."""
    metadata = site / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / f"{name}.py").write_text(code, "utf-8")
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", "utf-8")
    lines = []
    for key, value in entry_points.items():
        group, _, entry = key.partition("/")
        lines += [f"[chorewright.{group}]", f"{entry} = {value}"]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return site


def runner(cwd: Path, *sites: Path) -> Run:
    """Return a function that runs chorewright in a folder, with packages of some other folders installed."""
    path = os.pathsep.join(map(str, (ROOT, *sites)))

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        return chorewright(*words, cwd=cwd, env={"PYTHONPATH": path, "COLUMNS": "140"})

    return run
