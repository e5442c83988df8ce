"""How verbs meet the shell: errors shown once, exit codes, plain or JSON output."""

from __future__ import annotations

import functools
import json
import os
import sys
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, ParamSpec, TypeVar

import typer

from chorewright.errors import ChorewrightError, ExitCode, UsageError, render

if TYPE_CHECKING:
    from rich.console import Console

P = ParamSpec("P")
R = TypeVar("R")

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON value instead of text.")]


def verb(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function a verb: its errors are printed once and become the exit code, never a traceback."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except ChorewrightError as error:
            if os.environ.get("CHOREWRIGHT_DEBUG"):
                traceback.print_exc()
            print(printable(render(error)), file=sys.stderr)
            sys.exit(int(error.exit_code))
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            sys.exit(int(ExitCode.INTERRUPTED))
        except BrokenPipeError:  # the reader of our output has gone, as `| head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(141)
        except MemoryError:
            print("out of memory", file=sys.stderr)
            sys.exit(int(ExitCode.OUT_OF_MEMORY))
        except OSError as error:  # the machine refuses something that no room foresaw, e.g. a full disk
            print(printable(f"{error.strerror or error}: {error.filename or 'output'}"), file=sys.stderr)
            sys.exit(int(ExitCode.STORAGE))
        except Exception as error:
            if os.environ.get("CHOREWRIGHT_DEBUG"):
                traceback.print_exc()
            text = printable(f"{type(error).__name__}: {error}".splitlines()[0])
            print(f"internal error: {text}", file=sys.stderr)
            print("hint: set CHOREWRIGHT_DEBUG=1 to see where; please report it", file=sys.stderr)
            sys.exit(int(ExitCode.INTERNAL))

    return run


def print_json(value: object) -> None:
    """Print a value as indented JSON."""
    print(json.dumps(value, indent=2))


def printable(text: str) -> str:
    """Return a text that cannot steer a terminal: control and direction characters become ``\\x1b`` and the
    like."""
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def console() -> Console:
    """Return a console for tables and styled text; markup in data is never interpreted."""
    from rich.console import Console

    wide = None if sys.stdout.isatty() else int(os.environ.get("COLUMNS", "0")) or 120
    return Console(markup=False, highlight=False, emoji=False, width=wide)


def parse_slice(text: str | None) -> tuple[int, int] | None:
    """Return (i, N) of ``i/N``.

    Raises:
        UsageError: it is not of that form.
    """
    if text is None:
        return None
    one, slash, number = text.partition("/")
    if not (slash and one.isascii() and one.isdigit() and number.isascii() and number.isdigit()):
        raise UsageError(f"{text!r} is no slice", hint="write i/N, for example --shard 2/8")
    if not 1 <= int(one) <= int(number):
        raise UsageError(f"there is no slice {text}", hint=f"slices are 1/{number} to {number}/{number}")
    return int(one), int(number)
