"""Tables on narrow terminals: no word is cut, and wide terminals show tables as ever."""

from __future__ import annotations

import io

import pytest
from rich.table import Table

from chorewright.commands.tables import FittingConsole


def printed(width: int) -> str:
    table = Table("room", "filling", "sentence", title="rooms")
    table.add_row("FloorPlan301", "object=BasketBall", "Put a basketball on the bed.")
    table.add_row("FloorPlan1", "", "Chill a tomato.")
    stream = io.StringIO()
    FittingConsole(file=stream, width=width, markup=False, highlight=False).print(table)
    return stream.getvalue()


@pytest.mark.parametrize("width", [34, 40, 47, 60, 100])
def test_no_word_is_cut(width: int) -> None:
    shown = printed(width)
    assert all(word in shown for word in ("FloorPlan301", "object=BasketBall", "basketball", "sentence"))
    assert max(map(len, shown.splitlines())) <= width


def test_a_wide_terminal_shows_a_table() -> None:
    assert "┏" in printed(60)
    assert "┏" not in printed(40)
    assert "FloorPlan1\n  sentence: Chill a tomato.\n" in printed(40)
