"""The first minutes of a new user: a fresh clone, and a built wheel on several Pythons, to a dataset that is verified.

    python -m benchmarks.demo [--python PYTHON ...] [--save] [--json FILE]

``make demo`` runs in a clone of this checkout's commit: it makes the virtual environment, compiles what it needs and
makes 50 episodes. For each Python that is named, the clone's wheel is installed into an environment of its own, and
``chorewright demo`` runs outside the repository. Nothing that was compiled before is used.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.command import ROOT, benchmark_parser, keep
from benchmarks.results import Figure, Report, Target
from chorewright.generator.dataset.store.dataset import Dataset

TARGET = Target("at most", 120)


def timed(command: Sequence[str | Path], folder: Path, compiled: Path) -> tuple[float, float]:
    """Run a command; return its seconds by the clock and of the processor.

    Args:
        command: The program and its arguments.
        folder: Where it runs.
        compiled: The cache folder that it sees.

    Raises:
        SystemExit: It failed.
    """
    environment = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "PYTHONPATH")}
    started, before = time.monotonic(), _processor()
    done = subprocess.run(
        command,
        cwd=folder,
        env={**environment, "XDG_CACHE_HOME": str(compiled)},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        raise SystemExit(f"exit code {done.returncode}: {command}\n{done.stdout}{done.stderr}")
    return time.monotonic() - started, _processor() - before


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def clone_figures(folder: Path) -> tuple[Path, list[Figure]]:
    """Run ``make demo`` in a fresh clone; return the clone and what it took."""
    clone = folder / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    clock, processor = timed(["make", "demo", f"PYTHON={sys.executable}"], clone, folder / "cache-clone")
    episodes = sum(len(Dataset(path.parent)) for path in (clone / "demo").glob("*/manifest.json"))
    print(f"clone: {episodes} episodes in {clock:.0f} s by the clock, {processor:.0f} s of the processor", flush=True)
    return clone, [
        Figure(
            "clone_seconds", f"`make demo` in a fresh clone, {episodes} episodes: by the clock", clock, "s", digits=0
        ),
        Figure("clone_cpu_seconds", "the same: of the processor", processor, "s", digits=0),
    ]


def wheel_figures(folder: Path, clone: Path, pythons: Sequence[str]) -> list[Figure]:
    """Install the clone's wheel for each Python and run ``chorewright demo``; return what that took."""
    wheels = folder / "wheels"
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", wheels, clone], check=True)
    [wheel] = wheels.glob("*.whl")
    figures = []
    for python in pythons:
        words = [python, "-c", "import platform; print(platform.python_version())"]
        version = subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()
        place = folder / version
        subprocess.run([python, "-m", "venv", place], check=True)
        subprocess.run([place / "bin" / "pip", "install", "--quiet", wheel], check=True)
        work = place / "work"
        work.mkdir()
        clock, processor = timed([place / "bin" / "chorewright", "demo"], work, place / "cache")
        print(f"wheel, Python {version}: {clock:.0f} s by the clock, {processor:.0f} s of the processor", flush=True)
        minor = ".".join(version.split(".")[:2])
        label = f"`chorewright demo` of an installed wheel, Python {minor}: by the clock"
        note = f"{processor:.0f} s of the processor"
        name = f"wheel_{minor.replace('.', '_')}"
        figures.append(Figure(name, label, clock, "s", digits=0, target=TARGET, note=note))
    return figures


def main() -> None:
    """Print how long the first dataset takes."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--python", action="append", default=[], help="install the wheel for this one; may be repeated")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clone, figures = clone_figures(folder)
        figures += wheel_figures(folder, clone, arguments.python)
    explanation = (
        "From a fresh clone, and after the installation of the wheel, to a dataset of 50 episodes that is verified and "
        "shown; virtual environment of the clone and all compiling included."
    )
    keep(arguments, Report("demo", "Command line and store", "The first dataset", explanation, tuple(figures)))


if __name__ == "__main__":
    main()
