"""The start of processes: what each verb takes to print its help or to check a small file, beside Python and pyperplan.

What the README's example takes to its first plan where no kernel is compiled yet is measured once, too.

    python -m benchmarks.start [--runs 5] [--save] [--json FILE]

Each command runs several times; the least of its times and the most of its memory count. Seconds by the clock have the
start of a bare Python in them, which starts the command.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.table import Table

from benchmarks.command import ROOT, benchmark_parser, from_rich, keep
from benchmarks.plan_batch import DOMAIN, problem
from benchmarks.results import Figure, Report, Target

SECONDS, MEGABYTES = 0.25, 60
"""What a verb of continuous integration may take."""

FIRST_PLAN = 10
"""Seconds that the first plan of a fresh installation may take."""

MUG = (
    "alfred/pick_heat_then_place_in_recep --slot object=Mug --slot receptacle=CoffeeMachine --scene FloorPlan10 "
    "--seed 3 --out mug"
)
"""The task of the README."""

PLAN = "(go r0 r1)\n"
VERBS = (
    "--help",
    "validate --help",
    "generate --help",
    "generate alfred --help",
    "export --help",
    "validate domain.pddl problem.pddl wrong.plan",
    "check domain.pddl problem.pddl",
    "fmt --check domain.pddl",
)
CALLS = ("pass", "import chorewright", "import chorewright.domains.pddl", "import chorewright.interface.problems")


@dataclass(frozen=True, slots=True)
class Start:
    """What a command took: seconds by the clock, CPU seconds, and peak megabytes."""

    elapsed: float
    cpu: float
    megabytes: float


def start(words: Sequence[str], folder: Path, runs: int) -> Start:
    """Run a command several times; return the least times and the most memory. See ``run``."""
    some = [run(words, folder, {}) for _ in range(runs + 1)][1:]  # the first one compiles the modules
    least = (min(each.elapsed for each in some), min(each.cpu for each in some))
    return Start(*least, max(each.megabytes for each in some))


def run(words: Sequence[str], folder: Path, variables: Mapping[str, str]) -> Start:
    """Run a command with these variables of the environment; return what it took.

    Raises:
        SystemExit: It ended in another way than with exit code 0 or 1.
    """
    target = folder / "took.json"
    launch = [sys.executable, "-S", "-m", "benchmarks.launch", str(target), *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    begin = perf_counter()
    done = subprocess.run(launch, cwd=folder, env=environment, capture_output=True)
    elapsed = perf_counter() - begin
    took = json.loads(target.read_text("utf-8"))
    if took["exit"] not in (0, 1):
        raise SystemExit(f"{' '.join(words)}: exit code {took['exit']}: {done.stderr.decode()}")
    return Start(elapsed, float(took["seconds"]), float(took["megabytes"]))


def first_plan(folder: Path) -> Start:
    """Return what the first plan of the README's example takes where nothing has been compiled."""
    verb = [sys.executable, "-m", "chorewright"]
    run([*verb, "compile", *MUG.split()], folder, {})
    files = ("mug/domain.pddl", "mug/problem.pddl")
    return run([*verb, "plan", *files, "--improve", "0"], folder, {"NUMBA_CACHE_DIR": str(folder / "nothing")})


def commands() -> dict[str, list[str]]:
    """Return the words of each command by what the table calls it."""
    python = sys.executable
    found = {f'python -c "{call}"': [python, "-c", call] for call in CALLS}
    found |= {f"chorewright {verb}": [python, "-m", "chorewright", *verb.split()] for verb in VERBS}
    return found | {"pyperplan --help": [python, "-m", "pyperplan", "--help"]}


def main() -> None:
    """Print what each command took."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--runs", type=int, default=5, help="how often each command runs")
    arguments = parser.parse_args()
    table = Table("command", "seconds", "CPU seconds", "times pyperplan --help", "MB")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in (("domain.pddl", DOMAIN), ("problem.pddl", problem(0)), ("wrong.plan", PLAN)):
            (folder / file).write_text(text, encoding="utf-8")
        took = {label: start(words, folder, arguments.runs) for label, words in commands().items()}
        cold = first_plan(folder)
    peer = took["pyperplan --help"]
    for label, each in took.items():
        ratio = f"{each.elapsed / peer.elapsed:.2f}"
        table.add_row(label, f"{each.elapsed:.2f}", f"{each.cpu:.2f}", ratio, f"{each.megabytes:.0f}")
    Console(width=120).print(table)
    ours = [each for label, each in took.items() if label.startswith("chorewright")]
    figures = (
        Figure(
            "longest",
            "the longest of the verbs",
            max(each.elapsed for each in ours),
            "s",
            digits=2,
            target=Target("at most", SECONDS),
        ),
        Figure(
            "largest",
            "the most memory of a verb",
            max(each.megabytes for each in ours),
            "MB",
            digits=0,
            target=Target("at most", MEGABYTES),
        ),
        Figure(
            "first_plan",
            "the first plan of the README's example, with no kernel compiled",
            cold.elapsed,
            "s",
            digits=1,
            target=Target("at most", FIRST_PLAN),
        ),
    )
    explanation = (
        "Verbs that print help or check small PDDL files, each in a process of its own, and their peers; a first plan."
    )
    title = "The start of a verb"
    keep(arguments, Report("start", "Command line and store", title, explanation, figures, (from_rich(table),)))


if __name__ == "__main__":
    main()
