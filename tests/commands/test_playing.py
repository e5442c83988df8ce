"""What a player types, line by line."""

from __future__ import annotations

import io

import pytest

from chorewright.commands.playing import read_typed_lines


@pytest.mark.parametrize(
    ("typed", "lines"),
    [("look\n\n  go north \nquit", ["look", "go north", "quit"]), ("", []), ("\n \n", []), (None, [])],
)
def test_lines_come_without_blanks_until_the_input_ends(
    typed: str | None, lines: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", None if typed is None else io.StringIO(typed))
    assert list(read_typed_lines(lambda text, number: None)) == lines
    assert capsys.readouterr().out.splitlines() == [f"> {line}" for line in lines]
