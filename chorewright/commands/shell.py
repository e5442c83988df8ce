"""How verbs meet the shell: errors shown once, exit codes, plain or JSON output."""

from __future__ import annotations

import functools
import json
import os
import re
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, NoReturn, ParamSpec, TypeVar, cast

import typer

from chorewright import errors
from chorewright.files.processes import is_exhausted, usable_cores
from chorewright.files.stopping import Terminated, exit_code, stop_behind, stoppable
from chorewright.files.text import NARROWEST, columns_of, columns_told, write_atomically
from chorewright.files.text import readable as readable

if TYPE_CHECKING:
    from rich.console import Console

    from chorewright.domains.pddl.source import Remark
    from chorewright.domains.pddl.syntax import Domain, Problem

_PADDING = re.compile(r" +(?=\n)")

P = ParamSpec("P")
R = TypeVar("R")

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON value instead of text.")]


def verb(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function a verb: its errors are printed once and become the exit code, never a traceback.

    So does a signal that ends it: Ctrl-C 130, SIGTERM 143, SIGHUP 129.
    """

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        as_json = bool(kwargs.get("as_json"))
        try:
            if str(kwargs.get("out")) == "-":
                raise errors.UsageError("--out takes the name of a file or folder, not '-'")
            with stoppable():
                return function(*args, **kwargs)
        except errors.ChorewrightError as error:
            if os.environ.get("CHOREWRIGHT_DEBUG"):
                traceback.print_exc()
            _let_go(error)
            fail(error, as_json=as_json)
        except KeyboardInterrupt as stop:
            _let_go(stop)
            fail_stopped(stop, as_json=as_json)
        except BrokenPipeError:  # the reader of our output has gone, as `| head` does
            _drop_output()
            sys.exit(141)
        except typer.Exit as ended:  # typer's own way to end a verb
            sys.exit(ended.exit_code)
        except OSError as error:  # the machine refuses something that no room foresaw, e.g. a full disk
            if is_exhausted(error):
                fail(errors.ChorewrightError("out of memory"), errors.ExitCode.OUT_OF_MEMORY, as_json=as_json)
            if error.filename is None:
                _drop_output()
            fail(errors.StorageError(f"{error.strerror or error}: {error.filename or 'output'}"), as_json=as_json)
        except Exception as error:
            if os.environ.get("CHOREWRIGHT_DEBUG"):
                traceback.print_exc()
            _let_go(error)
            stopped = stop_behind(error)
            if stopped is not None:
                fail_stopped(stopped, as_json=as_json)
            if is_exhausted(error):
                fail(errors.ChorewrightError("out of memory"), errors.ExitCode.OUT_OF_MEMORY, as_json=as_json)
            text = f"internal error: {errors.first_line(error)}"
            hint = "set CHOREWRIGHT_DEBUG=1 to see where; please report it"
            fail(errors.ChorewrightError(text, hint=hint), as_json=as_json)

    return run


def _let_go(error: BaseException) -> None:
    """Let go of what the functions hold that an error went through.

    Their generators are closed now, with the processes that these wait for, and not when Python ends.
    """
    traceback.clear_frames(error.__traceback__)


def open_closed_output() -> None:
    """Make standard output that is closed (``>&-``) an error for whoever writes to it, not silence."""
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")


def _drop_output() -> None:
    """Let what waits in standard output, and cannot be written, go nowhere when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fail(error: errors.ChorewrightError, code: int | None = None, *, as_json: bool) -> NoReturn:
    """Say what is wrong on standard error, with ``--json`` on standard output also as JSON, and exit."""
    show_error(error)
    exit_with(error, code, as_json=as_json)


def show_error(error: errors.ChorewrightError) -> None:
    """Say on standard error what is wrong, with as much of the line as a terminal is wide, and a caret."""
    columns = columns_of(sys.stderr)
    # Two columns before a line, three dots on either side of a part of it.
    room = errors.SHOWN_COLUMNS if columns is None else min(errors.SHOWN_COLUMNS, max(columns - 8, NARROWEST))
    print(printable(errors.render(error, room)), file=sys.stderr)


def show_remarks(remarks: Iterable[Remark]) -> None:
    """Say on standard error what is doubtful in files that can be read."""
    for each in remarks:
        print(fold(f"{each.location}: warning: {each.message}", sys.stderr), file=sys.stderr)


def fail_stopped(stop: KeyboardInterrupt, advice: str | None = None, *, as_json: bool) -> NoReturn:
    """Say that a signal has ended a verb, and exit with the signal's code.

    Args:
        stop: The signal.
        advice: What to say besides "interrupted" or "terminated".
        as_json: Whether to say it on standard output, too, as JSON.
    """
    said = "terminated" if isinstance(stop, Terminated) else "interrupted"
    fail(errors.ChorewrightError(f"{said}: {advice}" if advice else said), exit_code(stop), as_json=as_json)


def exit_with(error: errors.ChorewrightError, code: int | None = None, *, as_json: bool) -> NoReturn:
    """Exit for an error that has been said; with ``--json``, say it on standard output as JSON."""
    code = int(error.exit_code if code is None else code)
    if as_json:
        print_json({"status": "error", "errors": errors_json(error), "exit_code": code})
    sys.exit(code)


def errors_json(error: errors.ChorewrightError) -> list[dict[str, object]]:
    """Return an error, or each of several, as JSON values: path, line, column, message and hint."""
    every = error.errors if isinstance(error, errors.InputErrors) else (error,)
    rows: list[dict[str, object]] = []
    for one in every:
        place = one.location or errors.Location()
        row: dict[str, object] = {"path": place.path, "line": place.line, "column": place.column}
        if place.json_path is not None:
            row["json_path"] = place.json_path
        rows.append({**row, "message": one.message, "hint": one.hint})
    return rows


def write_text(path: Path, text: str, fresh: bool = False) -> None:
    """Write a file as UTF-8, bytes of names that are not UTF-8 as escapes; else as ``write_bytes``."""
    write_bytes(path, text.encode(errors="backslashreplace"), fresh)


def write_bytes(path: Path, data: bytes, fresh: bool = False) -> None:
    """Write a file, whole or not at all; its folder must be there.

    Raises:
        StorageError: it cannot be written, or it must be a ``fresh`` one and is there already.
    """
    try:
        if fresh and path.exists():
            raise errors.StorageError(f"{path} exists already", hint="choose another name or folder")
        if path.exists() and not path.is_file():  # /dev/stdout, a pipe; or a folder, which refuses
            path.write_bytes(data)
        else:  # through a link, to the file that it means
            write_atomically(path.resolve(), data, flush=False, keep_mode=True)
    except (OSError, ValueError) as error:
        raise errors.StorageError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from error


def make_folder(folder: Path) -> None:
    """Make a folder with those above it, if it is not there.

    Raises:
        StorageError: It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise errors.StorageError(f"cannot make {folder}: {getattr(error, 'strerror', None) or error}") from error


def write_task(folder: Path, domain: Domain, problem: Problem) -> None:
    """Write ``domain.pddl`` and ``problem.pddl`` into a folder, which is made."""
    from chorewright.domains.pddl.writer import pddl_files

    make_folder(folder)
    for name, text in pddl_files(domain, problem).items():
        write_text(folder / name, text)


def print_json(value: object) -> None:
    """Print a value as indented JSON."""
    print(json.dumps(value, indent=2))


def answer(as_json: bool, value: object, *lines: str) -> None:
    """Print what a verb has to say: one JSON value, or lines that cannot steer a terminal."""
    if as_json:
        print_json(value)
    else:
        for line in lines:
            print(printable(line))


def show_failure(file: Path, status: str, reason: str, as_json: bool) -> None:
    """Print why a file has no answer."""
    if as_json:
        print_json({"status": status, "reason": reason})
    else:
        print(fold(f"{file}: {status}: {reason}", sys.stderr), file=sys.stderr)


def print_entry(text: str, head: str = "  ", indent: int = 4) -> None:
    """Print a line as wide as the terminal, behind a head; what does not fit goes on below, indented."""
    width = max(indent + 30, 40, console().width)
    print(textwrap.fill(printable(text), width, initial_indent=head, subsequent_indent=" " * indent))


def exit_unless(well: bool) -> None:
    """Exit with the code of a negative verdict unless all is well."""
    if not well:
        sys.exit(int(errors.ExitCode.NEGATIVE))


def check_seed(seed: int, name: str = "seed") -> int:
    """Return a seed; raise UsageError if it is negative."""
    if seed < 0:
        raise errors.UsageError(f"the {name} must not be negative, but is {seed}")
    return seed


def processes(workers: int | None) -> int:
    """Return how many processes ``--workers`` asks for, by default one for each core; UsageError if it is negative."""
    if workers is not None and workers < 0:
        raise errors.UsageError(f"--workers must not be negative, but is {workers}")
    return usable_cores() if workers is None else workers


def printable(text: str) -> str:
    """Return a text that cannot steer a terminal: control and direction characters become ``\\x1b`` and the
    like."""
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def fold(text: str, file: IO[str] | None = None) -> str:
    """Return a message in lines of at most 80 columns, but for longer words; further lines are indented.

    Where no terminal shows ``file`` (standard output by default), its lines stay whole: other programs read them.
    """
    if not (file or sys.stdout).isatty():
        return printable(text)
    return "\n".join(
        "\n".join(textwrap.wrap(line, 80, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))
        for line in printable(text).split("\n")
    )


class _Trimmed:
    """Standard output without the blanks with which tables fill up their lines."""

    def __init__(self) -> None:
        self.encoding = sys.stdout.encoding

    def isatty(self) -> bool:
        return False

    def write(self, text: str) -> int:
        sys.stdout.write(_PADDING.sub("", text))
        return len(text)

    def flush(self) -> None:
        sys.stdout.flush()


def console() -> Console:
    """Return a console for tables and styled text; markup in data is never interpreted.

    What is not written to a terminal has no blanks at the ends of its lines. A table that would have to cut words is
    printed as lines.
    """
    from chorewright.commands.tables import FittingConsole

    if sys.stdout.isatty():
        return FittingConsole(markup=False, highlight=False, emoji=False)
    wide = columns_told() or 120
    return FittingConsole(markup=False, highlight=False, emoji=False, width=wide, file=cast("IO[str]", _Trimmed()))


def parse_slice(text: str | None) -> tuple[int, int] | None:
    """Return (i, N) of ``i/N``.

    Raises:
        UsageError: it is not of that form.
    """
    if text is None:
        return None
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    if found is None:
        raise errors.UsageError(f"{text!r} is no slice", hint="write i/N, for example --shard 2/8")
    one, number = found.groups()
    if int(number) < 1:
        raise errors.UsageError(f"there are no {number} slices", hint="write i/N with N at least 1")
    if not 1 <= int(one) <= int(number):
        raise errors.UsageError(f"there is no slice {text}", hint=f"slices are 1/{number} to {number}/{number}")
    return int(one), int(number)
