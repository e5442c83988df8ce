"""Plain text on a terminal: broken between words there, left alone elsewhere."""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path

import pytest

from chorewright.commands.shell import console
from chorewright.files.text import Wrapping, broken, columns_of
from tests.command import ROOT, command

LINE = "  hint: a domain of your own is found as domains/NAME/domain.pddl, or given with --domain FILE"
TASK = '(define (task t) (:domain laundry) (:goal (exists (?m - mug) (holding ?m))) (:say "Hold a mug."))'


@pytest.mark.parametrize("columns", [20, 34, 60, 94])
def test_lines_are_broken_between_words(columns: int) -> None:
    parts = broken(LINE, columns).split("\n")
    assert " ".join(" ".join(parts).split()) == " ".join(LINE.split())
    assert all(len(part) <= columns or " " not in part.strip() for part in parts)
    assert all(re.match(r" {4}\S", part) for part in parts[1:])
    assert broken(LINE, len(LINE)) == LINE
    assert broken(LINE, 10) == LINE


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("told", "columns"), [("72", 72), ("1", 1), ("0", 83), ("", 83), ("-5", 83), ("wide", 83), (None, 83)]
)
def test_columns_are_the_variable_s_or_the_terminal_s_own(
    told: str | None, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Terminal, "fileno", lambda self: 7)
    monkeypatch.delenv("COLUMNS", raising=False)
    if told is not None:
        monkeypatch.setenv("COLUMNS", told)
    with monkeypatch.context() as terminals:  # pytest asks for the size of its own
        terminals.setattr(os, "get_terminal_size", {7: os.terminal_size((83, 24))}.__getitem__)
        assert columns_of(Terminal()) == columns
    assert columns_of(io.StringIO()) is None


@pytest.mark.parametrize(("told", "columns"), [("72", 72), ("abc", 120), ("-3", 120), ("", 120)])
def test_tables_in_a_pipe_are_as_wide_as_the_variable_says(
    told: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", told)
    assert console().width == columns


def test_styles_and_begun_lines_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    stream = Terminal()
    out = Wrapping(stream)
    print("one two three four five six seven eight", file=out)
    styled = "\x1b[1mone two three four five six seven eight\x1b[0m\n"
    out.write(styled)
    out.write("begun ")
    out.write("one two three four five six seven eight\n")
    first, rest = stream.getvalue().split("eight\n", 1)
    assert first == "one two three four five six\n  seven "
    assert rest == f"{styled}begun one two three four five six seven eight\n"


def test_after_progress_that_is_gone_a_line_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    stream = Terminal()
    out = Wrapping(stream)
    for progress in ("\x1b[?25l", "\r\x1b[2Kverify 1/1", "\r\x1b[1A\x1b[2K", "\x1b[?25h"):
        out.write(progress)
    print("one two three four five six seven eight", file=out)
    assert stream.getvalue().endswith("one two three four five six\n  seven eight\n")


def test_each_line_of_a_text_is_broken_but_the_rest_of_one_that_stands_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    stream = Terminal()
    out = Wrapping(stream)
    line = "one two three four five"
    parts = "one two three four\n  five"
    out.write(f"{line}\n{line}\nbegun ")
    out.write(f"{line}\n{line}\n")
    out.write("")
    out.write(line)
    assert stream.getvalue() == f"{parts}\n{parts}\nbegun {line}\n{parts}\n{parts}"


@pytest.mark.skipif(sys.platform == "win32", reason="it has no pseudo-terminals")
def test_a_verb_keeps_to_the_terminal_s_width(tmp_path: Path) -> None:
    import pty  # not on Windows

    (tmp_path / "bad.task").write_text(TASK, "utf-8")
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        os.environ.update(COLUMNS="60", PYTHONPATH=str(ROOT))
        words = command("tasks", "bad.task")
        os.execv(words[0], words)
    said = b""
    try:
        while data := os.read(terminal, 65_536):
            said += data
    except OSError:  # so ends a terminal that nobody writes to any more
        pass
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 31
    lines = said.decode().replace("\r\n", "\n").splitlines()
    assert lines[0] == "bad.task:1:27: there is no domain 'laundry'"
    assert lines[1].endswith("...")
    assert lines[2].index("^") == lines[1].index("laundry")
    assert lines[3].startswith("  hint: ")
    assert max(map(len, lines)) <= 60
