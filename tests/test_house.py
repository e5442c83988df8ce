"""The house itself: light to import, lazy where it is heavy, whole when it is packed."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.command import ROOT, command, environment

HEAVY = ("numpy", "numba", "pyarrow", "networkx", "rich.table", "lark", "unified_planning", "scipy", "PIL")


def imported(code: str) -> set[str]:
    """The modules that are loaded after some code has run."""
    script = f"{code}\nimport sys; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


@pytest.mark.parametrize("code", ["import chorewright", "import chorewright.cli", "import chorewright.errors"])
def test_importing_loads_nothing_heavy(code: str) -> None:
    """What keeps ``import chorewright`` and ``chorewright --help`` quick, whatever the machine's speed."""
    assert not imported(code) & set(HEAVY)


def test_help_loads_nothing_heavy() -> None:
    words = [sys.executable, "-X", "importtime", *command("--help")[1:]]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment())
    loaded = {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines() if "|" in line}
    assert not loaded & set(HEAVY)


@pytest.mark.parametrize("room", ["domains", "problems", "planner", "rsa", "replay", "generator"])
def test_every_module_says_its_idea_first(room: str) -> None:
    for path in sorted((ROOT / "chorewright" / room).rglob("*.py")):
        assert path.read_text("utf-8").startswith('"""'), path


def test_no_path_of_a_machine_is_written_down() -> None:
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, cwd=ROOT, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in listed.stdout.split():
        path = ROOT / name
        if path.suffix in (".py", ".md", ".cfg", ".toml", ".json", ".task", ".pddl") and path.exists():
            assert "/" + "work/" not in path.read_text("utf-8"), name


@pytest.mark.slow
def test_a_wheel_holds_all_data_files(tmp_path: Path) -> None:
    words = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(tmp_path),
        str(ROOT),
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if "No module named" in done.stderr:
        pytest.skip("setuptools or wheel is not installed here")
    assert done.returncode == 0, done.stderr
    [wheel] = tmp_path.glob("*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    for path in sorted((ROOT / "chorewright").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            assert str(path.relative_to(ROOT)) in packed
