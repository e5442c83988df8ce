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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.command import from_rich, given_path, keep
from benchmarks.learning.kept import (
    Z,
    cpu_minutes,
    kept,
    learner_parser,
    megabytes,
    run_module,
    tell_memory,
    with_interval,
)
from benchmarks.results import Figure, Report, Target
from chorewright.problems.calvin.tasks import tasks

POLICY = "benchmarks.learning.table_policy:TablePolicy"

CHAINS = "-n {chains_made} --seed 2 --scatter 0.05 --start-hand 0.05"
SINGLES = "--per-task {singles} --seed 1 --scatter 0.15 --start-hand 0.1"
BRIEF, NOISE = "--no-holds", "--noise 0.01"
QUARTER = 1 / 4
USUAL = "usual"
"""The variant to which targets apply. It is told CALVIN's held-out sentences; the others, whose data have too few
sentences, are told the task's name."""

SHARES = ("sixteenth", "eighth", "quarter", USUAL)
"""The variants that differ in the number of demonstrations only."""


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
    "quarter": Variant("a quarter of the episodes", share=QUARTER),
    "eighth": Variant("an eighth", share=QUARTER, taken=1 / 2),
    "sixteenth": Variant("a sixteenth", share=QUARTER, taken=1 / 4),
    "quiet": Variant("a quarter, no noise", BRIEF, QUARTER),
    "holds": Variant("a quarter, the hand stands still around grasps", NOISE, QUARTER),
    "still": Variant("a quarter, frames in which nothing moves are kept", share=QUARTER, training="--still"),
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


def write_names(folder: Path) -> Path:
    """Write a file of instructions by which a policy is told the tasks' names; return its path."""
    path = folder / "names.yaml"
    path.write_text("".join(f"{name}:\n- {name}\n" for name in tasks()), "utf-8")
    return path


class Bench:
    """Makes data, trains and evaluates in a folder; what is there is not made again."""

    def __init__(self, asked: argparse.Namespace, console: Console) -> None:
        self._asked, self._console = asked, console
        self._folder: Path = asked.work
        self._folder.mkdir(parents=True, exist_ok=True)
        self._names = write_names(self._folder)

    def learn(self, name: str) -> Learned:
        """Return what comes of a variant."""
        variant, asked = VARIANTS[name], self._asked
        exports, minutes, size, commands = [], 0.0, 0.0, []
        for words in variant.commands(asked):
            called = "_".join(word.removeprefix("calvin/").strip("-").replace(".", "") for word in words)
            made, exported = self._folder / "data" / called, self._folder / "export" / called
            commands.append(f"generate calvin {' '.join(words)}")
            minutes += self._minutes(made, "generate", "calvin", *words)
            export = ("--format", "lerobot", "--pictures", "none", "--segments", variant.segments)
            minutes += self._minutes(exported, "export", str(made), *export)
            size += megabytes(made)
            exports.append(exported)
        weights = self._folder / f"{name}.npz"
        training = ["benchmarks.learning.table_training", *map(str, exports), "--out", str(weights)]
        training += ["--epochs", str(asked.epochs), "--share", str(variant.taken), *variant.training.split()]
        trained = self._told(weights.with_suffix(".json"), training)
        trials, path = (asked.chains, asked.rollouts), f"{name}-{'real' if asked.env else 'ours'}"
        evaluated = self._folder / f"{path}-{trials[0]}-{trials[1]}.json"
        found = self._told(evaluated, self._evaluation(name, evaluated), weights)
        return Learned(
            name,
            variant.what,
            tuple(commands),
            minutes * variant.taken,
            size * variant.taken,
            trained["cpu_seconds"] / 60,
            trained["segments"],
            trained["frames"],
            trained["fewest"],
            _single(found),
            tuple((found["lh_mtlc"] or {"lengths": []})["lengths"]),
        )

    def _evaluation(self, name: str, path: Path) -> list[str]:
        asked = self._asked
        words = ["chorewright", "evaluate", "calvin", "--agent", POLICY, "--no-pictures", "--json"]
        words += ["-n", str(asked.chains), "--rollouts", str(asked.rollouts), "--workers", str(asked.workers)]
        words += ["--log", str(path.with_suffix(".jsonl"))]
        words += [] if name == USUAL else ["--instructions", str(self._names)]
        return words + (["--calvin-env", str(asked.env)] if asked.env else [])

    def _told(self, path: Path, words: Sequence[str], weights: Path | None = None) -> dict[str, Any]:
        """Return the JSON that a module prints; it is run unless a file has it."""
        return kept(path, lambda: json.loads(run_module(words, self._console, weights)))

    def _minutes(self, folder: Path, *words: str) -> float:
        """Let chorewright fill a folder unless it is full; return the CPU minutes that it took."""
        command = ("chorewright", *words, "--workers", str(self._asked.workers), "--out", str(folder))
        return cpu_minutes(folder.with_name(f"{folder.name}.minutes"), lambda: run_module(command, self._console))


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
        mean, half = row.length
        chains = f"{mean:.2f} ± {half:.2f} of {len(row.chains)}" if row.chains else ""
        table.add_row(
            row.name, row.what, f"{row.megabytes:.0f}", f"{row.demonstrations}", f"{row.fewest}", f"{row.frames}",
            f"{row.minutes:.1f}", f"{row.training:.1f}", with_interval(*row.single), chains,
        )  # fmt: skip
    return table


def figures(rows: Sequence[Learned], real: bool) -> list[Figure]:
    """Return the figures of variants; the targets are those of the usual one."""
    found = []
    for row in rows:
        usual, (done, count), (mean, half) = row.name == USUAL, row.single, row.length
        if count:
            target = Target("at least", 85 if real else 90) if usual else None
            note = with_interval(done, count)
            found.append(
                Figure(f"{row.name}_single", f"single tasks, {row.what}", done, of=count, target=target, note=note)
            )
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
    parser = learner_parser(__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--variants", nargs="+", choices=list(VARIANTS), default=[USUAL])
    parser.add_argument("--chains-made", type=int, default=500, help="chains of five to learn from")
    parser.add_argument("--singles", type=int, default=40, help="episodes of each single task")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--chains", type=int, default=100, help="published chains")
    parser.add_argument("--rollouts", type=int, default=10, help="starts of each task")
    parser.add_argument("--env", type=given_path, help="a checkout of calvin_env, to be driven instead of our world")
    asked, console = parser.parse_args(), Console()
    bench = Bench(asked, console)
    rows = [bench.learn(name) for name in asked.variants]
    where, few = "calvin_env" if asked.env else "our world", set(asked.variants) <= set(SHARES[:-1])
    knobs = USUAL not in asked.variants and not few
    table = show(rows, where)
    for command in rows[0].commands:
        console.print(f"data: chorewright {command}", highlight=False, soft_wrap=True)
    console.print(table)
    tell_memory(console)
    keep(
        asked,
        Report(
            name=f"learning_table{'-few' * few}{'-knobs' * knobs}{'-real' if asked.env else ''}",
            group="CALVIN",
            title=f"One policy over CALVIN's 34 tasks, {'one knob of the' if knobs else 'learned from generated'} data"
            f"{' changed' * knobs}, in {where}{', fewer demonstrations' * few}",
            explanation="A perceptron from CALVIN's exact numbers and the task; figures of policies that see pictures "
            "are not comparable. 95 % intervals.",
            figures=tuple(figures(rows, bool(asked.env))),
            tables=(from_rich(table),),
        ),
    )


if __name__ == "__main__":
    main()
