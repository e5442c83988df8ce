"""Tables on terminals that are too narrow for them: each row as a few lines, so that no word is cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Console, Group
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text


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
