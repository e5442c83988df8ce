"""The verb ``fmt``: PDDL files laid out in one way."""

from __future__ import annotations

import sys
from difflib import unified_diff
from pathlib import Path
from typing import Annotated

import typer

from chorewright.commands.shell import printable, show_error, verb, write_bytes
from chorewright.errors import ChorewrightError, ExitCode, UsageError
from chorewright.files.terminal import tell
from chorewright.files.text import read_bytes, refuse_other_kinds

STANDARD_INPUT = Path("-")


@verb
def fmt(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="PDDL files, folders of them, or - for standard input.")
    ],
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit code 1 if a file would change.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Write nothing; print what would change.")] = False,
) -> None:
    """Lay PDDL files out in one way; comments, names and the order of everything stay.

    A file that is laid out already is not touched. Task files keep their own layout.
    """
    code, changed = ExitCode.OK, 0
    every = pddl_files(files)
    for path in every:
        try:
            if _format(path, check, diff):
                changed += 1
        except ChorewrightError as error:
            code = max(code, error.exit_code)
            show_error(error)
    if not diff and every != [STANDARD_INPUT]:
        would = "would be" if check else "were"
        tell(f"{changed} of {len(every)} files {would} changed")
    if check and changed:
        code = max(code, ExitCode.NEGATIVE)
    sys.exit(int(code))


def pddl_files(given: list[Path], suffixes: tuple[str, ...] = (".pddl",)) -> list[Path]:
    """Return the files that are given, with those of these kinds below given folders, in order.

    Raises:
        UsageError: A folder has none.
    """
    found: list[Path] = []
    for path in given:
        if not path.is_dir():
            found.append(path)
            continue
        below = sorted(each for suffix in suffixes for each in path.rglob(f"*{suffix}") if each.is_file())
        if not below:
            raise UsageError(f"there is no {' or '.join(suffixes)} file in {path}")
        found += below
    return list(dict.fromkeys(found))


def _format(path: Path, check: bool, diff: bool) -> bool:
    """Format a file, or say that or how it would change; return whether it is not laid out yet."""
    from chorewright.domains.pddl.formatting import format_pddl

    if path.suffix == ".task":
        raise UsageError(f"{path}: fmt lays out PDDL, not task files")
    piped = path == STANDARD_INPUT
    data = sys.stdin.buffer.read() if piped else read_bytes(path)
    name = "<stdin>" if piped else str(path)
    refuse_other_kinds(data, name)
    old = data.decode("utf-8", errors="surrogateescape").removeprefix("\ufeff")
    new = format_pddl(old, name)
    if b"\r\n" in data:
        new = new.replace("\n", "\r\n")
    if diff:
        lines = unified_diff(old.splitlines(), new.splitlines(), name, name, lineterm="")
        print("".join(f"{printable(line)}\n" for line in lines), end="")
    elif check and old != new and not piped:
        print(printable(f"{path}: would be changed"))
    elif not check and piped:
        sys.stdout.buffer.write(new.encode("utf-8", errors="surrogateescape"))
    elif not check and old != new:
        write_bytes(path, new.encode("utf-8", errors="surrogateescape"))
    return old != new
