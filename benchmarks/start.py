"""The start of processes: what each verb takes to print its help or to check a small file, beside Python and pyperplan.

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
from collections.abc import Sequence
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
    """Run a command several times; return the least times and the most memory.

    Raises:
        SystemExit: It ended in another way than with exit code 0 or 1.
    """
    target = folder / "took.json"
    launch = [sys.executable, "-S", "-m", "benchmarks.launch", str(target), *words]
    elapsed, cpu, megabytes = [], [], []
    for _ in range(runs + 1):  # the first run compiles the modules
        begin = perf_counter()
        done = subprocess.run(launch, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True)
        elapsed.append(perf_counter() - begin)
        took = json.loads(target.read_text("utf-8"))
        if took["exit"] not in (0, 1):
            raise SystemExit(f"{' '.join(words)}: exit code {took['exit']}: {done.stderr.decode()}")
        cpu.append(float(took["seconds"]))
        megabytes.append(float(took["megabytes"]))
    return Start(min(elapsed[1:]), min(cpu[1:]), max(megabytes[1:]))


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
    )
    explanation = "Verbs that print help or check small PDDL files, each in a process of its own, and their peers."
    title = "The start of a verb"
    keep(arguments, Report("start", "Command line and store", title, explanation, figures, (from_rich(table),)))


if __name__ == "__main__":
    main()
