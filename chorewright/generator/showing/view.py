"""Datasets and episodes as people read them: an overview, one episode sentence by sentence, rejected tries by reason.

Everything that comes from data is escaped: nothing in a name can steer the terminal. An index tries scene after scene
until one is accepted; why those before were not is stored with its episode.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from chorewright.files.english import say_count
from chorewright.generator.dataset.episode import PERTURBED, Episode, Instruction, Step, starts, stored_json
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.manifest import ShardEntry
from chorewright.generator.dataset.store.places import Place
from chorewright.generator.dataset.store.reading import read_shard
from chorewright.generator.dataset.store.records import plain


@dataclass(frozen=True, slots=True)
class TaskFigures:
    """The figures of the episodes of one task."""

    task: str
    episodes: int
    steps: float
    segments: float
    conditions: float
    scenes: int


@dataclass(frozen=True, slots=True)
class DatasetOverview:
    """What a dataset holds, by task; ``places`` is what its scenes are called: rooms, or scenes.

    ``lost`` of the rejections are indices that hung or killed their workers.
    """

    folder: str
    benchmark: str
    attempted: int
    accepted: int
    splits: tuple[tuple[str, int], ...]
    groups: tuple[TaskFigures, ...]
    rejections: tuple[tuple[int, str, str], ...]
    lost: int
    places: str = "rooms"


def overview(dataset: Dataset) -> DatasetOverview:
    """Return a dataset's figures; reads every episode once."""
    by_task: dict[str, list[tuple[int, int, int, str]]] = {}
    splits: Counter[str] = Counter()
    rooms = True
    for episode in dataset:
        rooms = rooms and episode.scene is not None
        figures = (len(episode.steps), len(episode.segments), len(episode.outcome.conditions), place_of(episode))
        by_task.setdefault(episode.task, []).append(figures)
        splits[episode.split] += 1
    manifest = dataset.manifest
    return DatasetOverview(
        folder=str(dataset.folder),
        benchmark=manifest.config.benchmark,
        attempted=manifest.config.episodes,
        accepted=manifest.accepted,
        splits=tuple(sorted(splits.items())),
        groups=tuple(
            TaskFigures(
                task,
                len(rows),
                round_mean(row[0] for row in rows),
                round_mean(row[1] for row in rows),
                round_mean(row[2] for row in rows),
                len({row[3] for row in rows} - {""}),
            )
            for task, rows in sorted(by_task.items())
        ),
        rejections=tuple((r.index, r.task, r.reason) for r in manifest.rejected),
        lost=len(manifest.lost),
        places="rooms" if rooms else "scenes",
    )


def overview_json(value: DatasetOverview) -> dict[str, object]:
    """Return an overview as JSON values."""
    return {
        **{f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.name not in ("groups", "splits")},
        "splits": dict(value.splits),
        "tasks": [dataclasses.asdict(group) for group in value.groups],
        "rejections": [{"index": i, "task": task, "reason": reason} for i, task, reason in value.rejections],
    }


def overview_table(value: DatasetOverview) -> RenderableType:
    """Return an overview as a table."""
    table = Table()
    table.add_column("task", overflow="fold", min_width=24)
    for name in ("episodes", value.places, "steps", "segments", "conditions"):
        table.add_column(name, justify="right", overflow="fold")
    for group in value.groups:
        table.add_row(
            safe(group.task),
            str(group.episodes),
            str(group.scenes),
            f"{group.steps:.1f}",
            f"{group.segments:.2f}",
            f"{group.conditions:.2f}",
        )
    splits = ", ".join(f"{safe(name)} {count}" for name, count in value.splits)
    lost = f" ({value.lost} lost)" if value.lost else ""
    counts = f"{value.accepted} of {say_count(value.attempted, 'episode')}{lost}"
    head = f"{safe(value.folder)}: {counts} of {safe(value.benchmark)}{'; ' if splits else ''}{splits}"
    lines = [Text(f"rejected {index} {safe(task)}: {safe(reason)}") for index, task, reason in value.rejections[:20]]
    return Group(Text(head), *([table] if value.groups else []), *lines)


def episode_json(episode: Episode) -> dict[str, object]:
    """Return an episode as JSON values; JSON texts inside it are parsed."""
    value = plain(episode)
    assert isinstance(value, dict)
    for step in value["steps"]:
        step["arguments"] = stored_json(step["arguments"], f"arguments of the step {step['action']!r}")
    for segment in value["segments"]:
        segment["details"] = stored_json(segment["details"], f"details of the segment {segment['action']!r}")
    return value


def place_of(episode: Episode) -> str:
    """Return the name of where an episode is: of its room, or what its benchmark calls the scene; else empty."""
    return episode.scene.name if episode.scene else dict(episode.extras).get("scene", "")


def episode_text(episode: Episode) -> RenderableType:
    """Return an episode to read: room, task, goal, then each sentence with its segment and steps, then the
    verdict."""
    parameters = ", ".join(f"{name} {value}" for name, value in episode.parameters)
    head = Table.grid(padding=(0, 2))
    head.add_row("  task", Text(safe(f"{episode.task}: {parameters}" if parameters else episode.task)))
    if (scene := episode.scene) is not None:
        for name, told in starts().lines(scene, episode.seed):
            head.add_row(f"  {name}", Text(safe(told)))
    elif place := place_of(episode):
        head.add_row("  scene", Text(safe(place)))
    head.add_row("  goal", Text("\n".join(map(safe, episode.goal.splitlines()))))
    if episode.planner:
        plan = [f"{say_count(len(episode.plan), 'action')}, cost {episode.plan_cost:g}, by {episode.planner}"]
        head.add_row("  plan", Text("\n".join(map(safe, [*plan, *map(str, episode.plan)]))))
    lines: list[RenderableType] = [
        Text(f"Episode {episode.index} ({safe(episode.split)})", style="bold"),
        head,
        Text(""),
    ]
    annotations = sorted({i.annotation for i in episode.instructions})
    goals = (each for annotation in annotations for each in _instructions(episode.instructions, annotation, None))
    lines += [line(2, f'"{instruction.text}"', "italic") for instruction in goals]
    lines.append(Text(""))
    for number, segment in enumerate(episode.segments):
        lines.append(Text(safe(f"{number:>3}. {segment.action}({', '.join(segment.arguments)})"), style="bold"))
        said = (each for annotation in annotations for each in _instructions(episode.instructions, annotation, number))
        lines += [line(5, f'"{instruction.text}"', "italic") for instruction in said]
        steps = [step for step in episode.steps if step.segment == number]
        if steps:
            lines.append(line(5, _steps(steps)))
        for step in steps:
            if "objectId" in stored_json(step.arguments, "arguments of a step") and (step.added or step.removed):
                lines.append(line(7, _changes(step), "dim"))
    lines.append(Text(""))
    for name, holds in episode.outcome.conditions:
        lines.append(line(2, f"{'met    ' if holds else 'NOT MET'} {name}", "green" if holds else "red"))
    verdict = "accepted" if episode.outcome.accepted else f"rejected: {episode.outcome.reason}"
    lines.append(line(2, f"{verdict} after {episode.attempts} attempt{'s' if episode.attempts != 1 else ''}"))
    return Group(*lines)


def line(indent: int, text: str, style: str = "") -> RenderableType:
    """Return a text whose wrapped lines keep the indent."""
    return Padding(Text(safe(text), style=style), (0, 0, 0, indent))


def _instructions(instructions: Iterable[Instruction], annotation: int, segment: int | None) -> list[Instruction]:
    return [i for i in instructions if i.annotation == annotation and i.segment == segment]


def _steps(steps: list[Step]) -> str:
    """Return low-level actions on one line, runs of the same one counted: ``MoveAhead x4, RotateLeft``."""
    runs: list[tuple[str, int]] = []
    for step in steps:
        name = step.action if step.success else f"{step.action} (failed)"
        arguments = stored_json(step.arguments, "arguments of a step")
        name += " (astray)" if arguments.get(PERTURBED) else ""
        target, receptacle = arguments.get("objectId", ""), arguments.get("receptacleObjectId", "")
        shown = f"{name} {target}{' -> ' if receptacle else ''}{receptacle}".strip()
        shown = arguments.get("command", shown)
        if runs and runs[-1][0] == shown:
            runs[-1] = (shown, runs[-1][1] + 1)
        else:
            runs.append((shown, 1))
    return ", ".join(f"{name} x{count}" if count > 1 else name for name, count in runs)


def _changes(step: Step) -> str:
    """Return what a step changed; the pieces of one thing that change alike are shown as one: ``_1..7``."""
    runs: list[tuple[str, list[int]]] = []
    for sign, atoms in (("+", step.added), ("-", step.removed)):
        for atom in atoms:
            piece = re.fullmatch(r"(.+_[0-9]+_)([0-9]+)", atom[1]) if len(atom) > 1 else None
            words = (atom[0], piece[1] + "#", *atom[2:]) if piece else atom
            shown = f"{sign}({' '.join(words)})"
            number = int(piece[2]) if piece else 0
            if piece and (run := next((run for run in runs if run[0] == shown), None)):
                run[1].append(number)
            else:
                runs.append((shown, [number]))
    return " ".join(shown.replace("#", _numbers(numbers)) for shown, numbers in runs)


def _numbers(numbers: list[int]) -> str:
    ordered = sorted(numbers)
    if len(ordered) > 1 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"{ordered[0]}..{ordered[-1]}"
    return ",".join(map(str, ordered))


def round_mean(values: Iterable[int]) -> float:
    """Return the mean of values to four digits, 0 of none."""
    found = list(values)
    return round(sum(found) / len(found), 4) if found else 0.0


SHOWN = 12
"""So many reasons of rejected tries are told; the others are counted together."""

MOST_SHOWN = 20_000
"""Characters of a text that are shown."""


def safe(text: str) -> str:
    """Return a text without line breaks or control characters: they are shown as escapes; of a long one the start."""
    if len(text) > MOST_SHOWN:
        return f"{safe(text[:MOST_SHOWN])} ... ({len(text) - MOST_SHOWN:,} more characters)"
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def count_reasons(rejections: Iterable[str]) -> Mapping[str, int]:
    """Return how many of some tries ``TASK: REASON`` have each reason, the most frequent first."""
    found = Counter(each.partition(": ")[2] for each in rejections)
    return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))


def count_rejections(folder: Place, entries: Sequence[ShardEntry]) -> Mapping[str, int]:
    """Return how many tries of the accepted episodes of some shards were rejected, by reason.

    Raises:
        DatasetCorrupt: A shard is not what its entry says.
    """
    rows = (row for each in entries for row in read_shard(folder, each)["rejections"].to_pylist())
    return count_reasons(reason for row in rows for reason in row)


def tries_lines(tries: Mapping[str, int], accepted: int) -> Iterable[str]:
    """Yield a heading and one line for each reason; nothing where no try was rejected."""
    count = sum(tries.values())
    if not count:
        return
    each = f", {count / accepted:.1f} for each episode" if accepted else ""
    yield f"rejected attempts by reason ({count}{each}):"
    shown = dict(list(tries.items())[:SHOWN])
    rest = count - sum(shown.values())
    for reason, number in (*shown.items(), *((("other reasons", rest),) if rest else ())):
        yield f"{number:>7}  {safe(reason)}"
