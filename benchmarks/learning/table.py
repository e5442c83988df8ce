"""One policy over CALVIN's 34 tasks, learned from generated data: how well it does them, and what of the data decides.

    python -m benchmarks.learning.table --work FOLDER [--variants usual quiet retreat ...] [--env PATH]
                                        [--chains 100] [--rollouts 10] [--save] [--json FILE]

Needs torch (benchmarks/learning/requirements.txt) and the extra ``calvin``. For each variant it makes data by the
commands that it prints, trains a perceptron (``table_training``) and evaluates it by ``chorewright evaluate calvin``:
each task by itself, and the published chains by CALVIN's protocol; with ``--env`` in a checkout of calvin_env, not
in our world. What the folder holds is not made again. Minutes are CPU minutes of all processes.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.command import ROOT, benchmark_parser, from_rich, keep
from benchmarks.learning.table_policy import MODEL
from benchmarks.results import Figure, Report, Target

POLICY = "benchmarks.learning.table_policy:TablePolicy"
Z = 1.96

CHAINS = "-n {chains_made} --seed 2 --scatter 0.05 --start-hand 0.05"
SINGLES = "--per-task {singles} --seed 1 --scatter 0.15 --start-hand 0.1"
BRIEF, NOISE = "--no-holds", "--noise 0.01"
QUARTER = 1 / 4
USUAL, FEWER = "usual", 0.4
"""The variant to which targets apply, and the share of its trials that the others get. It is told CALVIN's held-out
sentences; the others, whose data have too few sentences, are told the task's name."""


@dataclass(frozen=True, slots=True)
class Variant:
    """Data and training of one policy.

    Attributes:
        what: What is different, in words.
        flags: Of ``generate calvin``, for all datasets.
        share: How many of the episodes that the command line asks for are made.
        taken: How many of these are learned from.
        segments: Where data are cut.
        training: Further flags of ``table_training``.
        sets: The datasets.
    """

    what: str
    flags: str = f"{BRIEF} {NOISE}"
    share: float = 1.0
    taken: float = 1.0
    segments: str = "detection"
    training: str = ""
    sets: tuple[str, ...] = (CHAINS, SINGLES)

    def commands(self, asked: argparse.Namespace) -> list[list[str]]:
        """Return the words of its commands, without the folder."""
        numbers = {name: max(1, round(self.share * getattr(asked, name))) for name in ("chains_made", "singles")}
        flags = f"{self.flags} --segments {self.segments} --replays none".split()
        return [[*each.format(**numbers).split(), *flags] for each in self.sets]


VARIANTS = {
    USUAL: Variant("all of it"),
    "quarter": Variant("a quarter of the episodes", taken=QUARTER),
    "eighth": Variant("an eighth", taken=1 / 8),
    "sixteenth": Variant("a sixteenth", taken=1 / 16),
    "quiet": Variant("a quarter, no noise", BRIEF, QUARTER),
    "holds": Variant("a quarter, the hand stands still around grasps", NOISE, QUARTER),
    "still": Variant("a quarter, frames in which nothing moves are kept", taken=QUARTER, training="--still"),
    "retreat": Variant("a quarter, tasks end when the hand has drawn back", share=QUARTER, segments="retreat"),
    "speeds": Variant("a quarter, speeds from 0.7 to 1.4 of the usual", f"{BRIEF} {NOISE} --speed 0.7..1.4", QUARTER),
    "varied": Variant("a quarter, several grasps and heights", f"{BRIEF} {NOISE} --vary", QUARTER),
    "default": Variant(
        "a quarter, the flags' defaults: chains of five",
        "",
        QUARTER,
        segments="retreat",
        sets=("-n {chains_made} --seed 2",),
    ),
}
"""What is tried, by name. Knobs are compared at a quarter of the episodes."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What came of a variant."""

    name: str
    what: str
    commands: tuple[str, ...]
    minutes: float
    megabytes: float
    training: float
    demonstrations: int
    frames: int
    fewest: int
    single: tuple[int, int]
    chains: tuple[int, ...]

    @property
    def length(self) -> tuple[float, float]:
        """The mean number of tasks in a row, and half its confidence interval."""
        count = max(1, len(self.chains))
        mean = sum(self.chains) / count
        spread = sum((each - mean) ** 2 for each in self.chains) / max(1, count - 1)
        return mean, Z * math.sqrt(spread / count)


def wilson(done: int, trials: int) -> tuple[float, float]:
    """Return the bounds of a share's 95 % confidence interval."""
    if not trials:
        return 0.0, 1.0
    share = done / trials
    middle = (share + Z * Z / (2 * trials)) / (1 + Z * Z / trials)
    half = Z * math.sqrt(share * (1 - share) / trials + Z * Z / (4 * trials * trials)) / (1 + Z * Z / trials)
    return middle - half, middle + half


class Bench:
    """Makes data, trains and evaluates in a folder; what is there is not made again."""

    def __init__(self, asked: argparse.Namespace, console: Console) -> None:
        self._asked, self._console = asked, console
        self._folder: Path = asked.work
        self._folder.mkdir(parents=True, exist_ok=True)
        found = json.loads(_run(("chorewright", "tasks", "--json"), None))
        names = [str(each["name"]).removeprefix("calvin/") for each in found if each["name"].startswith("calvin/")]
        (self._folder / "names.yaml").write_text("".join(f"{name}:\n- {name}\n" for name in names), "utf-8")

    def learn(self, name: str) -> Learned:
        """Return what comes of a variant."""
        variant, asked = VARIANTS[name], self._asked
        exports, minutes, megabytes, commands = [], 0.0, 0.0, []
        for words in variant.commands(asked):
            called = "_".join(word.removeprefix("calvin/").strip("-").replace(".", "") for word in words)
            made, exported = self._folder / "data" / called, self._folder / "export" / called
            commands.append(f"generate calvin {' '.join(words)}")
            minutes += self._cached(made, "generate", "calvin", *words)
            export = ("--format", "lerobot", "--pictures", "none", "--segments", variant.segments)
            minutes += self._cached(exported, "export", str(made), *export)
            megabytes += sum(path.stat().st_size for path in (made / "data").iterdir()) / 1e6
            exports.append(exported)
        weights = self._folder / f"{name}.npz"
        training = ["benchmarks.learning.table_training", *map(str, exports), "--out", str(weights)]
        training += ["--epochs", str(asked.epochs), "--share", str(variant.taken), *variant.training.split()]
        trained = self._json(weights.with_suffix(".json"), *training)
        share = 1.0 if name == USUAL else FEWER
        trials = round(share * asked.chains), round(share * asked.rollouts)
        evaluated = self._folder / f"{name}-{'real' if asked.env else 'ours'}-{trials[0]}-{trials[1]}.json"
        told = () if name == USUAL else ("--instructions", str(self._folder / "names.yaml"))
        found = self._json(evaluated, "chorewright", *self._evaluation(evaluated, trials), *told, model=weights)
        return Learned(
            name,
            variant.what,
            tuple(commands),
            minutes * variant.taken,
            megabytes * variant.taken,
            trained["cpu_seconds"] / 60,
            trained["segments"],
            trained["frames"],
            trained["fewest"],
            _single(found),
            tuple((found["lh_mtlc"] or {"lengths": []})["lengths"]),
        )

    def _evaluation(self, path: Path, trials: tuple[int, int]) -> list[str]:
        asked = self._asked
        words = ["evaluate", "calvin", "--agent", POLICY, "-n", str(trials[0]), "--rollouts", str(trials[1])]
        words += ["--no-pictures", "--json", "--workers", "2", "--log", str(path.with_suffix(".jsonl"))]
        return words + (["--calvin-env", str(asked.env)] if asked.env else [])

    def _cached(self, folder: Path, *words: str) -> float:
        """Let chorewright fill a folder unless it is full; return the CPU minutes that it took."""
        mark = folder.with_name(f"{folder.name}.minutes")
        if not mark.exists():
            command = ("chorewright", *words, "--out", str(folder))
            self._console.print(f"$ {' '.join(command)}", soft_wrap=True, highlight=False)
            before = _seconds()
            _run(command, None)
            mark.write_text(f"{(_seconds() - before) / 60}", "utf-8")
        return float(mark.read_text("utf-8"))

    def _json(self, path: Path, *words: str, model: Path | None = None) -> dict[str, Any]:
        if not path.exists():
            self._console.print(f"$ {' '.join(words)}", soft_wrap=True, highlight=False)
            path.write_text(_run(words, model), "utf-8")
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return found


def _run(words: Sequence[str], model: Path | None) -> str:
    path = os.pathsep.join((str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)))
    variables = {**os.environ, "PYTHONPATH": path.strip(os.pathsep), **({MODEL: str(model)} if model else {})}
    command = [sys.executable, "-m", *words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=variables).stdout


def _seconds() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _single(found: dict[str, Any]) -> tuple[int, int]:
    each = (found["mtlc"] or {"tasks": {}})["tasks"].values()
    return sum(one["done"] for one in each), sum(one["rollouts"] for one in each)


def show(rows: Sequence[Learned], where: str) -> Table:
    """Return a table of variants."""
    table = Table(title=f"one policy over 34 tasks, evaluated in {where}")
    for column in (
        "",
        "data",
        "MB",
        "tasks shown",
        "of one",
        "frames",
        "made, min",
        "trained, min",
        "single tasks",
        "in a row",
    ):
        table.add_column(column, justify="left" if column in ("", "data") else "right")
    for row in rows:
        low, high = wilson(*row.single)
        done, count = row.single
        mean, half = row.length
        single = f"{100 * done / count:.1f} % ({100 * low:.1f} to {100 * high:.1f}) of {count}" if count else ""
        chains = f"{mean:.2f} ± {half:.2f} of {len(row.chains)}" if row.chains else ""
        table.add_row(
            row.name, row.what, f"{row.megabytes:.0f}", f"{row.demonstrations}", f"{row.fewest}", f"{row.frames}",
            f"{row.minutes:.1f}", f"{row.training:.1f}", single, chains,
        )  # fmt: skip
    return table


def figures(rows: Sequence[Learned], real: bool) -> list[Figure]:
    """Return the figures of variants; the targets are those of the usual one."""
    found = []
    for row in rows:
        usual, (done, count), (mean, half) = row.name == USUAL, row.single, row.length
        if count:
            target = Target("at least", 85 if real else 90) if usual else None
            found.append(Figure(f"{row.name}_single", f"single tasks, {row.what}", done, of=count, target=target))
        if row.chains:
            target = Target("at least", 3.0 if real else 3.5) if usual else None
            label = f"tasks in a row of {len(row.chains)} chains, {row.what}"
            found.append(Figure(f"{row.name}_length", label, mean, digits=2, target=target, note=f"± {half:.2f}"))
        found.append(Figure(f"{row.name}_demonstrations", f"demonstrations, {row.what}", row.demonstrations))
        minutes = row.minutes + row.training
        target = Target("at most", 40) if usual else None
        found.append(
            Figure(f"{row.name}_minutes", f"data and training, {row.what}", minutes, "CPU min", digits=1, target=target)
        )
    return found


def main() -> None:
    """Run the variants."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--work", type=Path, required=True, help="where data, weights and logs are kept")
    parser.add_argument("--variants", nargs="+", choices=list(VARIANTS), default=[USUAL])
    parser.add_argument("--chains-made", type=int, default=500, help="chains of five to learn from")
    parser.add_argument("--singles", type=int, default=40, help="episodes of each single task")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--chains", type=int, default=100, help="published chains")
    parser.add_argument("--rollouts", type=int, default=10, help="starts of each task")
    parser.add_argument("--env", type=Path, help="a checkout of calvin_env, to be driven instead of our world")
    asked, console = parser.parse_args(), Console()
    bench = Bench(asked, console)
    rows = [bench.learn(name) for name in asked.variants]
    where = "calvin_env" if asked.env else "our world"
    table = show(rows, where)
    for command in rows[0].commands:
        console.print(f"data: chorewright {command}", highlight=False, soft_wrap=True)
    console.print(table)
    keep(
        asked,
        Report(
            name="learning_table-real" if asked.env else "learning_table",
            group="CALVIN",
            title=f"One policy over CALVIN's 34 tasks, learned from generated data, in {where}",
            explanation="A perceptron from CALVIN's exact numbers and the task; figures of policies that see pictures "
            "are not comparable. 95 % intervals.",
            figures=tuple(figures(rows, bool(asked.env))),
            tables=(from_rich(table),),
        ),
    )


if __name__ == "__main__":
    main()
