"""Tables on terminals: lines where words would be cut; a dataset's loss budget, attempts and rejections; and what a run
would cost.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

from chorewright.files.english import say_count
from chorewright.generator.showing.view import safe

if TYPE_CHECKING:
    from chorewright.generator.dataset.config import GenerateConfig
    from chorewright.generator.dataset.store.dataset import Dataset
    from chorewright.generator.dataset.store.dataset_folder import Measures
    from chorewright.generator.dataset.store.manifest import Tally
    from chorewright.generator.dataset.store.places import Place
    from chorewright.generator.production.line import RunReport


class FittingConsole(Console):
    """A console that prints a table as lines where its columns would have to cut words."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print objects as ``Console.print`` does."""
        if len(objects) == 1 and isinstance(objects[0], Group):
            for each in objects[0].renderables:
                self.print(each, **options)
        elif len(objects) == 1 and isinstance(objects[0], Table) and self._lacks_room(objects[0]):
            for line in lines_of(objects[0]):
                super().print(line, **options)
        else:
            super().print(*objects, **options)

    def on_broken_pipe(self) -> None:
        """Let the verb end as one does whose output nobody reads any more."""
        raise BrokenPipeError

    def _lacks_room(self, table: Table) -> bool:
        wide = self.options.update(width=10_000)
        borders = 3 * len(table.columns) + 1
        needed = 0
        for column in table.columns:
            cells = [column.header, *column.cells]
            measured = [Measurement.get(self, wide, cell) for cell in cells]
            each = max(one.maximum if column.no_wrap else one.minimum for one in measured)
            needed += max(each, column.width or 0, column.min_width or 0)
        return needed + borders > self.width


def lines_of(table: Table) -> Iterator[Text]:
    """Yield a table's title, and each row: its first cell, then the others with their headers."""
    if table.title:
        yield Text(str(table.title), style="bold")
    headers = [str(column.header) for column in table.columns]
    for row in zip(*(list(column.cells) for column in table.columns), strict=True):
        first, *others = (cell if isinstance(cell, Text) else Text(str(cell)) for cell in row)
        yield Text.assemble((first.plain, "bold"))
        shown = [(header, cell) for header, cell in zip(headers[1:], others, strict=True) if cell.plain.strip()]
        for header, cell in shown:
            yield Text.assemble(f"  {header}: ", cell)


# The loss budget of a dataset: attempts, rejections by stage and reason, and what the runs took.


_UNKNOWN = "(none)"
"""How the stage of a rejection is shown that names none."""


def run_lines(report: RunReport) -> Iterable[str]:
    """Yield what ``generate`` says of its losses: attempts and rejections by stage, lost workers, seconds by stage."""
    tally, spent = report.tally, report.measures
    if tally.attempts:
        rejected = ", ".join(f"{stage or _UNKNOWN} {count}" for stage, count in tally.stages.items())
        yield f"attempts: {tally.attempts}" + (f"; rejected by stage: {rejected}" if rejected else ", none rejected")
    if spent.lost_workers:
        yield f"workers lost: {spent.lost_workers}; episodes tried again for that: {spent.retries}"
    if spent.stages:
        yield f"seconds by stage: {', '.join(f'{name} {each:.1f}' for name, each in _by_time(spent))}"


def run_json(report: RunReport) -> dict[str, object]:
    """Return the same as JSON values."""
    lost = sum(each.lost for each in report.rejected)
    return {"lost": lost, **report.tally.to_json(), "run": report.measures.to_json()}


def budget_json(dataset: Dataset, spent: Measures) -> dict[str, object]:
    """Return a dataset's loss budget as JSON values; ``run`` is what its runs took."""
    manifest = dataset.manifest
    return {
        "folder": str(dataset.folder),
        "episodes": manifest.config.episodes,
        "accepted": manifest.accepted,
        "rejected": len(manifest.rejected) - len(manifest.lost),
        "lost": len(manifest.lost),
        **manifest.tally.to_json(),
        "run": spent.to_json(),
    }


def budget_table(dataset: Dataset, spent: Measures) -> RenderableType:
    """Return a dataset's loss budget as tables: rejected attempts, and what its runs took."""
    manifest, tally = dataset.manifest, dataset.manifest.tally
    counts = f"{manifest.accepted} of {say_count(manifest.config.episodes, 'episode')} accepted, {manifest.left_out}"
    attempts = f"; {say_count(tally.attempts, 'attempt')}" if tally.attempts else ""
    parts: list[RenderableType] = [Text(f"{safe(str(dataset.folder))}: {counts}{attempts}")]
    if tally.rejections:
        parts.append(_rejections(tally))
    if spent.runs:
        parts.append(_measures(spent))
    return Group(*parts)


def _rejections(tally: Tally) -> Table:
    table = Table("stage", Column("reason", overflow="fold"), Column("rejected", justify="right"))
    for stage, reason, count in tally.rejections:
        table.add_row(safe(stage) or _UNKNOWN, safe(reason), str(count))
    return table


def _measures(spent: Measures) -> Table:
    counts = {"runs": spent.runs, "workers lost": spent.lost_workers, "retries": spent.retries}
    seconds = {"by the clock": spent.seconds} | {f"of workers: {safe(name)}": each for name, each in _by_time(spent)}
    table = Table("the runs took", Column("", justify="right"))
    for name, count in counts.items():
        table.add_row(name, str(count))
    for name, each in seconds.items():
        table.add_row(f"seconds {name}", f"{each:.1f}")
    return table


def _by_time(spent: Measures) -> list[tuple[str, float]]:
    return sorted(spent.stages.items(), key=lambda each: (-each[1], each[0]))


# What a run would cost: a few of its episodes are made in this process, and nothing is written.


SAMPLED = 12
"""At most so many episodes are made."""

ENOUGH = 30.0
"""No further episode is begun after so many seconds."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is left of a run, measured on a sample.

    Attributes:
        episodes: The indices that are this run's share.
        missing: Those of them that are not made yet.
        sampled: How many were made to measure.
        accepted: How many of these would have rows.
        seconds: Processor seconds for an index.
        size: Bytes of an accepted episode in a shard.
    """

    episodes: int
    missing: int
    sampled: int
    accepted: int
    seconds: float
    size: float

    @property
    def core_hours(self) -> float:
        """Processor time of what is missing, in hours of one core."""
        return self.missing * self.seconds / 3600

    @property
    def bytes(self) -> int:
        """Bytes of what is missing."""
        return round(self.missing * self.accepted / self.sampled * self.size) if self.sampled else 0


def estimate(config: GenerateConfig, folder: str | Place, slice_of: tuple[int, int] | None = None) -> Estimate:
    """Make a few episodes of a run and return what all that are missing would cost; write nothing.

    The first episode counts only where it is the only one: it also compiles and loads.

    Raises:
        ChorewrightError: Bad options, or a folder that cannot be used.
    """
    from chorewright.generator.dataset.episode import Episode
    from chorewright.generator.dataset.options import settle
    from chorewright.generator.dataset.store.dataset_folder import open_dataset_folder, plain
    from chorewright.generator.dataset.store.parts import part_path
    from chorewright.generator.dataset.store.places import locate
    from chorewright.generator.dataset.store.records import to_table
    from chorewright.generator.dataset.store.shards import bytes_of_each, find_finished_shards
    from chorewright.generator.production.agenda import assign, make_episode
    from chorewright.generator.production.benchmark import BENCHMARKS
    from chorewright.generator.production.line import share

    benchmark = BENCHMARKS.find(config.benchmark, config.origin)
    config = settle(benchmark, config)
    target = open_dataset_folder(plain(locate(folder)), config)
    mine, _ = share(target, slice_of)
    kept = find_finished_shards(target, sorted({shard for shard, _ in mine}), hashed=())
    missing = [
        index
        for shard, part in mine
        if shard not in kept and not part_path(target, part).exists() and not part.stop <= target.held
        for index in part
    ]
    every = sum(len(part) for _, part in mine)
    assignments = assign(benchmark, target)
    made: list[Episode] = []
    seconds: list[float] = []
    begun = time.monotonic()
    for index in _spread(missing, SAMPLED):
        before = time.process_time()
        one = make_episode(benchmark, config, assignments[index])
        seconds.append(time.process_time() - before)
        if isinstance(one, Episode):
            made.append(one)
        if time.monotonic() - begun > ENOUGH:
            break
    timed = seconds[1:] or seconds
    size = bytes_of_each(to_table(made)) if made else 0.0
    return Estimate(every, len(missing), len(seconds), len(made), sum(timed) / max(1, len(timed)), size)


def _spread(indices: Sequence[int], count: int) -> list[int]:
    """Return so many of some indices, evenly spread; all if there are no more."""
    count = min(count, len(indices))
    return [indices[number * len(indices) // count] for number in range(count)]
