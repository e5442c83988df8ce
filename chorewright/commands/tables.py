"""Tables on terminals: lines where words would be cut; and a dataset's loss budget, attempts and rejections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

from chorewright.files.english import say_count
from chorewright.generator.showing.view import safe

if TYPE_CHECKING:
    from chorewright.generator.dataset.store.dataset import Dataset
    from chorewright.generator.dataset.store.measures import Measures
    from chorewright.generator.dataset.store.tally import Tally
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
    counts = f"{manifest.accepted} of {manifest.config.episodes} episodes accepted, {manifest.left_out}"
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
