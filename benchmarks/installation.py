"""A package that one user has installed and others run: without a home, and on a read-only file system.

    python -m benchmarks.installation [--cold] [--save] [--json FILE]

A copy of the package is warmed by ``doctor --warm``. Then each verb runs in each of five ways in which it can write no
compiled code. All have to succeed, and none may compile. ``--cold`` leaves the copy as it was installed: each run then
compiles in memory. It needs Linux, root, ``setpriv`` and ``unshare``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.command import ROOT, benchmark_parser, keep
from benchmarks.plan_batch import DOMAIN, problem
from benchmarks.results import Figure, Report, Target

OTHER = "setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+dac_read_search --ambient-caps=+dac_read_search"
"""Another user, who may read everything (an interpreter in root's home, too) and write nothing."""

READ_ONLY = "unshare --mount sh -c"
REMOUNT = 'mount --make-rprivate / && mount -o remount,ro,bind / && mount -o remount,ro,bind /dev/shm; exec "$@"'
WAYS: tuple[tuple[str, bool, bool, dict[str, str]], ...] = (
    ("another user, no home", True, False, {"HOME": "/nonexistent"}),
    ("another user, HOME unset", True, False, {}),
    ("another user, no cache folder", True, False, {"HOME": "/nonexistent", "NUMBA_CACHE_DIR": "/nonexistent"}),
    ("read-only file system", False, True, {"HOME": "/root"}),
    ("read-only, another user", True, True, {"HOME": "/nonexistent"}),
)
"""Each way's name, whether it is another user, whether the file system is read-only, and its environment."""

TASK = "alfred/pick_and_place_simple"


def verbs(folder: Path) -> tuple[tuple[str, ...], ...]:
    """Return the commands that are run."""
    domain, first, second = (str(folder / f"{name}.pddl") for name in ("domain", "p0", "p1"))
    return (
        ("plan", domain, first),
        ("plan", domain, first, "--search", "astar", "--heuristic", "lmcut"),
        ("plan", domain, first, "--time-limit", "60", "--memory-limit", "2000"),
        ("plan", domain, first, second, "--json"),
        ("validate", domain, first, str(folder / "p0.plan")),
        ("tasks",),
        ("check-task", TASK, "--rooms", "1"),
        ("doctor",),
    )


def install(folder: Path) -> Path:
    """Copy the package as an installation has it, without compiled code."""
    site = folder / "site"
    shutil.copytree(ROOT / "chorewright", site / "chorewright", ignore=shutil.ignore_patterns("__pycache__"))
    domain = folder / "domain.pddl"
    domain.write_text(DOMAIN, "utf-8")
    for number in range(2):
        (folder / f"p{number}.pddl").write_text(problem(number), "utf-8")
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return site


def run(site: Path, words: tuple[str, ...], other: bool, fixed: bool, env: dict[str, str]) -> float | None:
    """Run a verb; return its processor seconds, or None, after a message, if it failed."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    environment = {**kept, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1", **env}
    command = [*(OTHER.split() if other else ()), sys.executable, "-m", "chorewright", *words]
    if fixed:
        command = [*READ_ONLY.split(), REMOUNT, "sh", *command]
    with tempfile.NamedTemporaryFile() as said:
        launch = [sys.executable, "-S", "-m", "benchmarks.launch", said.name, *command]
        # The launcher is ours; its child gets the environment by ``env``.
        launch[5:5] = ["env", "-i", *(f"{name}={value}" for name, value in environment.items())]
        done = subprocess.run(launch, cwd=ROOT, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        took = json.loads(Path(said.name).read_text("utf-8"))
    if took["exit"] != 0:
        print(f"exit code {took['exit']}: {done.stderr or done.stdout}", file=sys.stderr)
        return None
    return float(took["seconds"])


def main() -> None:
    """Print how each verb went in each way."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--cold", action="store_true", help="without doctor --warm")
    arguments = parser.parse_args()
    seconds: list[float] = []
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        site = install(folder)
        plan = ("plan", str(folder / "domain.pddl"), str(folder / "p0.pddl"), "-o", str(folder / "p0.plan"))
        warm = {"HOME": "/root", "NUMBA_CACHE_DIR": ""}
        if run(site, ("doctor", "--warm"), False, False, warm) is None:
            raise SystemExit("doctor --warm failed")
        if run(site, plan, False, False, warm) is None:
            raise SystemExit("the first plan failed")
        (folder / "p0.plan").chmod(0o644)
        if arguments.cold:
            shutil.rmtree(site / "chorewright" / "__pycache__" / "kernels")
        for way, other, fixed, env in WAYS:
            for words in verbs(folder):
                took = run(site, words, other, fixed, env)
                failed += took is None
                seconds += [] if took is None else [took]
                print(f"{way:32} {words[0]:12} {'failed' if took is None else f'{took:.2f} s'}", flush=True)
    runs = len(seconds) + failed
    print(f"{runs - failed} of {runs} succeeded; the longest took {max(seconds, default=0):.2f} CPU seconds")
    figures = (
        Figure("succeeded", "runs that succeeded", runs - failed, of=runs, target=Target("at least", 100)),
        Figure("longest", "the longest run, CPU", max(seconds, default=0.0), "s", digits=1),
    )
    explanation = "Verbs of a package that root installed and warmed, run where no compiled code can be written."
    keep(arguments, Report("installation", "Command line and store", "Read-only installation", explanation, figures))


if __name__ == "__main__":
    main()
