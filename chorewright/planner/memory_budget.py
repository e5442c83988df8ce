"""The memory budget: how much memory grounding may use, asked before arrays are made."""

from __future__ import annotations

from dataclasses import dataclass

from chorewright.errors import LimitError

USUAL = 2000
"""Megabytes for the arrays of one step where nobody sets a limit."""


class OutOfMemory(Exception):
    """Grounding would take more memory than the user allows."""


@dataclass(frozen=True, slots=True)
class MemoryBudget:
    """A memory limit in megabytes, or None; half of it is for the largest array of a step."""

    megabytes: int | None = None

    @property
    def size(self) -> int:
        """Bytes that one step's arrays may take."""
        return USUAL * 1_000_000 if self.megabytes is None else self.megabytes * 500_000

    def rows(self, columns: int) -> int:
        """How many rows of so many 32-bit columns there is room for, with what goes along with a row."""
        return self.size // (4 * columns + 24)

    def check(self, rows: int, columns: int, what: str) -> None:
        """Ask for room for a table of numbers.

        Args:
            rows: The table's rows.
            columns: Its columns, of 32 bits each.
            what: The beginning of the error's message.

        Raises:
            OutOfMemory: there is a limit, and the table is too large for it.
            LimitError: there is none, but no machine should be asked for such a table.
        """
        if rows > self.rows(columns):
            self.refuse(f"{what} {rows} rows of {columns} columns")

    def refuse(self, reason: str) -> None:
        """Say that there is no room.

        Raises:
            OutOfMemory: there is a limit.
            LimitError: there is none.
        """
        if self.megabytes is not None:
            raise OutOfMemory(reason)
        raise LimitError(f"the problem is too large to ground: {reason}")


UNLIMITED_MEMORY = MemoryBudget()
"""Without a limit."""

__all__ = ["UNLIMITED_MEMORY", "MemoryBudget", "OutOfMemory"]
