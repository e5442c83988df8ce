"""Texts in and out: files read and written in one way, and lines as wide as a terminal.

A file that is not there is wrong usage; one that is no UTF-8 text is bad input with its place.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import re
import secrets
import stat
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from chorewright.errors import InputError, LimitError, Location, UsageError

_KINDS = (
    (b"\xff\xfe\x00\x00", "UTF-32 text"),
    (b"\x00\x00\xfe\xff", "UTF-32 text"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
    (b"\x1f\x8b", "a compressed file (gzip)"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"PAR1", "a Parquet file"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"\x7fELF", "a program"),
    (b"%PDF", "a PDF document"),
)
"""How files begin that are often taken for text."""


def readable(path: Path) -> Path:
    """Return a path given as an argument if it is a file that can be read; what it holds is not looked at.

    Raises:
        UsageError: It is missing, a folder, or not readable.
    """
    try:
        if stat.S_ISDIR(path.stat().st_mode):
            raise _unreadable(path, _FOLDER)
        if os.access(path, os.R_OK):
            return path
    except (OSError, ValueError) as error:
        raise _unreadable(path, _reason(error)) from None
    raise _unreadable(path, "permission denied")


def read_bytes(path: str | Path, most: int | None = None) -> bytes:
    """Return what a file holds.

    Args:
        path: The file.
        most: The most bytes that it may have.

    Raises:
        UsageError: It is missing, a folder, or not readable.
        LimitError: It is larger.
    """
    try:
        with Path(path).open("rb") as stream:
            data = stream.read() if most is None else stream.read(most + 1)
    except IsADirectoryError:
        raise _unreadable(path, _FOLDER) from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, _reason(error)) from error
    if most is not None and len(data) > most:
        raise LimitError(f"the file is larger than {most} bytes", location=Location(str(path)))
    return data


def read_text(path: str | Path, most: int | None = None) -> str:
    """Return the text of a UTF-8 file, without a byte order mark and with line ends of any system as ``\\n``.

    Args:
        path: The file.
        most: The most bytes that it may have.

    Raises:
        UsageError: It is missing, a folder, or not readable.
        InputError: It is not UTF-8; the error has line and column.
        LimitError: It is larger.
    """
    text = decode(read_bytes(path, most), str(path))
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def refuse_other_kinds(data: bytes, path: str | None = None) -> None:
    """Refuse what is no UTF-8 text at all, by one line; single bytes that do not belong into text pass.

    Raises:
        InputError: The bytes begin as another kind of file does, have a zero in every other place, or many that no
            text has.
    """
    kind = next((name for mark, name in _KINDS if data.startswith(mark)), None)
    start = data[:4096]
    zeros = [start[place::2].count(0) for place in (0, 1)]
    if kind is None and len(start) >= 8 and max(zeros) > len(start) // 4 and min(zeros) <= len(start) // 32:
        kind = "UTF-16 text"
    strange = len(start.translate(None, _TEXT)) - start.count(0) + 4 * start.count(0)
    if kind is None and len(start) >= 64 and strange > len(start) // 16:
        kind = "binary"
    if kind is not None:
        advice = ": save it as UTF-8" if kind.endswith("text") else ""
        raise InputError(f"not UTF-8 text, but {kind}{advice}", location=Location(path, 1, 1))


_TEXT = bytes((*b"\t\n\v\f\r", *range(0x20, 0x7F), *range(0x80, 0x100)))
"""Bytes of text, in UTF-8 or older encodings."""


def decode(data: bytes, path: str | None = None) -> str:
    """Return the text of UTF-8 bytes, without a byte order mark.

    Args:
        data: The bytes.
        path: Of the file, for errors.

    Raises:
        InputError: They are not UTF-8; the error has line and column.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    for mark, kind in _KINDS:
        if data.startswith(mark):
            message = f"not UTF-8 text, but {kind}"
            hint = "save it as UTF-8" if kind.endswith("text") else None
            raise InputError(message, location=Location(path, 1, 1), hint=hint)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        start = data.rfind(b"\n", 0, error.start) + 1
        end = data.find(b"\n", error.start)
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[start : error.start].decode("utf-8").removeprefix("\ufeff")) + 1
        shown = data[start : end if end >= 0 else len(data)].decode("utf-8", "replace").rstrip("\r")
        binary = b"\0" in data[:4096]
        message = "not UTF-8 text, but binary" if binary else f"not UTF-8 text: byte 0x{data[error.start]:02x}"
        location = Location(path, line, column, None if binary else shown.removeprefix("\ufeff"))
        raise InputError(message, location=location) from None
    raise AssertionError("utf-8 and utf-8-sig accept the same bytes")


_FOLDER = "it is a folder (a directory), not a file"


def _reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)


def _unreadable(path: str | Path, reason: str) -> UsageError:
    return UsageError(f"cannot read the file: {reason}", location=Location(str(path)))


# Files that are whole or absent, whatever happens while they are written.


_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
"""A new file, never one that is there: neither a link nor another name of somebody's file is written through."""

_LONGEST = 200
"""How many bytes of a long name a temporary one holds: file systems allow 255."""

_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{16}\.tmp", re.DOTALL)


def write_atomically(
    path: Path, data: bytes, temporary: Path | None = None, *, flush: bool = True, keep_mode: bool = False
) -> None:
    """Write a file under another name, and rename it; arguments and errors as for ``whole``."""
    with whole(path, temporary, flush=flush, keep_mode=keep_mode) as stream:
        stream.write(data)


@contextmanager
def whole(
    path: Path, temporary: Path | None = None, *, flush: bool = True, keep_mode: bool = False
) -> Iterator[BinaryIO]:
    """Yield a stream into a file of another name, which is renamed at the end of the block.

    Args:
        path: The file. If it is a link, the link is replaced.
        temporary: The other name, on the same file system, and nobody's yet; by default beside the file, hidden, with
            random digits. It is gone afterwards, also after an error.
        flush: Whether the file is on the disk when the block has ended, so that a power cut cannot take it away.
        keep_mode: Whether the permissions of a file that is replaced are kept.

    Raises:
        OSError: The file cannot be written; what it was before is left.
    """
    if temporary is None:
        temporary = path.with_name(f".{os.fsdecode(os.fsencode(path.name)[:_LONGEST])}.{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, _FLAGS, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            if keep_mode:
                with suppress(OSError):
                    temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            if flush:
                os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    if flush and hasattr(os, "O_DIRECTORY"):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def digest_file(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal.

    Raises:
        OSError: It cannot be read.
    """
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def is_leftover(path: Path) -> bool:
    """Return whether a file has the name that one has by default until it is whole: a killed writer leaves it."""
    return _TEMPORARY.fullmatch(path.name) is not None


def clear_leftovers(folder: Path) -> None:
    """Remove what killed writers left in a folder and below it; nobody else may be writing there."""
    for path in folder.rglob(".*.tmp"):
        if is_leftover(path):
            with suppress(OSError):  # it stays then; nothing reads it
                path.unlink()


# Where a user's own files are.


def user_folder(kind: str, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return our folder for a user's settings or kept code, as freedesktop.org's base directories have it.

    platformdirs is not used: every verb looks for settings, so that its import would cost each start 35 ms; and on
    macOS it looks elsewhere than in the one place that the pages name.

    Args:
        kind: ``config`` or ``cache``.
        environment: The environment variables.

    Returns:
        ``$XDG_CONFIG_HOME/chorewright`` or ``~/.config/chorewright``; None if the user has no home.
    """
    named = environment.get(f"XDG_{kind.upper()}_HOME", "")
    folder = named if os.path.isabs(named) else os.path.expanduser(f"~/.{kind}")
    return Path(folder, "chorewright") if os.path.isabs(folder) else None


# Plain text on a terminal: lines that are wider than it are broken between words.


NARROWEST = 20
"""On fewer columns nothing is broken."""


def columns_told() -> int:
    """Return how many columns ``COLUMNS`` asks for; 0 where it asks for none."""
    told = os.environ.get("COLUMNS", "")
    return int(told) if re.fullmatch("[0-9]{1,9}", told) else 0


def columns_of(stream: TextIO) -> int | None:
    """Return how many columns the terminal of a stream has, by ``COLUMNS`` or its own word; None if it is none."""
    try:
        if not stream.isatty():
            return None
        return columns_told() or os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return None


def broken(line: str, columns: int) -> str:
    """Return a line in parts of so many columns, but for longer words; further parts are indented by two more."""
    if len(line) <= columns or columns < NARROWEST:
        return line
    indent = " " * min(len(line) - len(line.lstrip(" ")) + 2, columns // 2)
    parts = textwrap.wrap(
        line,
        columns,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        expand_tabs=False,
        replace_whitespace=False,
    )
    return "\n".join(parts) if parts else line


_STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Wrapping:
    """A terminal's stream that breaks lines between words. What styles text or moves the cursor passes as it is."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._begun = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write text; only lines that begin in it are broken."""
        columns = None if "\x1b" in text or "\r" in text else columns_of(self._stream)
        if columns is not None:
            lines = text.split("\n")
            whole = [line if self._begun and not place else broken(line, columns) for place, line in enumerate(lines)]
            self._stream.write("\n".join(whole))
        else:
            self._stream.write(text)
        if plain := _STYLE.sub("", text):
            self._begun = not plain.endswith(("\n", "\r"))
        return len(text)


def wrap_output() -> None:
    """Let standard output and standard error break lines where they are terminals."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and columns_of(stream) is not None:
            setattr(sys, name, Wrapping(stream))


# Notices: what goes to standard error and is neither an error nor a result, as notes and progress.


QUIET = "CHOREWRIGHT_QUIET"
"""The environment variable that silences notices; worker processes inherit it."""

VERBOSE = "CHOREWRIGHT_VERBOSE"
"""The environment variable that asks for more notices."""


def quiet() -> bool:
    """Return whether notices are unwanted."""
    return os.environ.get(QUIET, "") not in ("", "0")


def verbose() -> bool:
    """Return whether more notices are wanted than usual."""
    return os.environ.get(VERBOSE, "") not in ("", "0")


def tell(message: str) -> None:
    """Print a line on standard error unless notices are unwanted; a closed stream is no error."""
    if not quiet():
        with suppress(OSError, ValueError, AttributeError):
            coding = sys.stderr.encoding or "ascii"
            print(message.encode(coding, "backslashreplace").decode(coding), file=sys.stderr, flush=True)


@cache  # once in a process
def note(message: str) -> None:
    """Tell the user something on standard error."""
    tell(f"note: {message}")


_ARGUMENTS = re.compile(r"^(?:Args|Attributes):\n((?: .*\n?|\n(?= ))+)", re.MULTILINE)
_ARGUMENT = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)


def read_docstring(docstring: str | None) -> tuple[str, dict[str, str]]:
    """Return a docstring without what it says of arguments or attributes, and that by name: the help of options."""
    text = inspect.cleandoc(docstring or "")
    section = _ARGUMENTS.search(text)
    if section is None:
        return text, {}
    told = {name: " ".join(said.split()) for name, said in _ARGUMENT.findall(section[1])}
    return f"{text[: section.start()]}{text[section.end() :]}".strip(), told
