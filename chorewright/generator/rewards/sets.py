"""Fixed sets of tasks as files: JSON lines or Parquet with prompts, facts and right answers, a checksum and a card."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chorewright import __version__
from chorewright.domains.pddl.writer import write_domain
from chorewright.errors import StorageError
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import option
from chorewright.generator.dataset.store.records import plain
from chorewright.generator.pddl.sources import ProblemSource, read_problem
from chorewright.generator.rewards.drawing import SPLITS, STYLES, SolvedProblem, split_of
from chorewright.generator.rewards.judging import tasks
from chorewright.generator.rewards.plans import PlanKind
from chorewright.generator.rewards.task import RewardTask, check_choice
from chorewright.generator.training import exporter
from chorewright.planner.plan import Plan
from chorewright.planner.validation import validate
from chorewright.problems.pddl.scenes import told_key
from chorewright.rsa.words.verbaliser import Verbaliser

FORMATS = ("jsonl", "parquet")
LARGEST = 5_000
"""Tasks of a file."""

_CARD = """---
configs:
- config_name: default
  data_files:
  - split: {split}
    path: "data/*.{ending}"
---
# Tasks of the kind {kind}

{count} tasks with judges, drawn by chorewright {version} with seed {seed}. A row has `prompt`, `gold` (an answer that
scores 1), `difficulty` and `facts`, which must not be shown to a model.
`chorewright.rewards.score(row, answer)` scores an answer.

Checksum of the tasks: `{sha256}`. `set.json` says how they were drawn; the same options draw the same ones.
Please do not train on a set for evaluation: draw tasks with `split="train"`, which no set for evaluation shares.
"""


@dataclass(frozen=True, slots=True)
class TasksOptions:
    """The options of ``export --format tasks``.

    Attributes:
        style: How problems are told.
    """

    style: str = option(STYLES[0], choices=STYLES)


class TasksExporter(exporter.Exporter[TasksOptions]):
    """Writes the problems of the benchmark ``pddl`` as tasks to find plans, in the splits of tasks that are drawn."""

    name = "tasks"
    accepts = ("pddl",)
    options = TasksOptions

    def write(self, episodes: Iterable[Episode], target: Path) -> exporter.Exported:
        """Write the tasks; see ``Exporter.write``."""
        folder = exporter.export_folder(episodes, target, self.name)
        kinds = {split: PlanKind(style=self.asked.style, split=split) for split in SPLITS}
        lines = exporter.SplitLines(folder, LARGEST)
        for episode in folder.take(self.follow(episodes)):
            solved = _solution_of(episode)
            split = split_of(told_key(solved.domain, solved.problem))
            lines.add(split, row_of(kinds[split].about(solved, 0, episode.index)))
        lines.close()
        return folder.report()


def _solution_of(episode: Episode) -> SolvedProblem:
    stored = read_problem(episode)
    domain, cost = stored.domain, validate(stored.domain, stored.problem, episode.plan).cost
    says = Verbaliser.of(domain, (), stored.wordings)
    source = ProblemSource(domain, write_domain(domain), says, "", None, None, {})
    return SolvedProblem(domain.name, source, stored.problem, Plan(episode.plan, cost, "", ""), "")


def row_of(task: RewardTask) -> dict[str, str]:
    """Return a task as a row of plain columns; ``difficulty`` and ``facts`` are JSON."""
    plain = {"difficulty": dict(task.difficulty), "facts": dict(task.facts)}
    texts = {"name": task.name, "kind": task.kind, "split": task.split, "prompt": task.prompt, "gold": task.gold}
    return texts | {key: json.dumps(value, sort_keys=True) for key, value in plain.items()}


def write_set(
    folder: Path, kind: str, count: int, seed: int, form: str = "jsonl", **source: Any
) -> dict[str, int | str]:
    """Write tasks to a folder, and return how many there are, their checksum, and how many files have changed.

    Args:
        folder: A new folder, or one with the same set.
        kind: The kind of tasks.
        count: How many.
        seed: Other tasks for each.
        form: One of ``FORMATS``.
        source: The kind's options.

    Raises:
        UsageError: There is no such format, kind, option or value, or no such task.
        StorageError: The folder holds something else, another set too, or cannot be written.
    """
    check_choice("format", form, FORMATS)
    drawn = tasks(kind, count, seed, **source)
    rows = [row_of(task) for task in drawn]
    digest = hashlib.sha256(b"".join(map(exporter.json_line, rows)))
    split = rows[0]["split"] if rows else str(source.get("split", "train"))
    told = {
        "kind": kind,
        "count": count,
        "seed": seed,
        "source": {key: plain(value) for key, value in source.items()},
        "sha256": digest.hexdigest(),
    }
    target = exporter.ExportFolder(folder, "tasks")
    described = told | {"version": __version__, "format": form}
    if (target.folder / "set.json").exists() and not target.has_json(("set.json",), described):
        target.seal()  # the set that is there stays whole
        raise StorageError(f"{folder} holds another set of tasks", hint="a set never changes: choose a new folder")
    (_write_parquet if form == "parquet" else _write_lines)(target, split, rows)
    target.write_json(("set.json",), described)
    card = _CARD.format(**told, split=split, ending=form, version=__version__)
    target.write(("README.md",), card.encode())
    target.seal()
    return {"tasks": len(rows), "sha256": digest.hexdigest(), "files_changed": target.changed}


def _write_lines(target: exporter.ExportFolder, split: str, rows: Iterable[Mapping[str, str]]) -> None:
    lines = exporter.SplitLines(target, LARGEST)
    for row in rows:
        lines.add(split, row)
    lines.close()


def _write_parquet(target: exporter.ExportFolder, split: str, rows: Sequence[Mapping[str, str]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for number, start in enumerate(range(0, len(rows), LARGEST)):
        content = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(list(rows[start : start + LARGEST])), content)
        target.write(("data", f"{split}-{number:05d}.parquet"), content.getvalue())
