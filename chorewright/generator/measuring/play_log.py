"""A log of an evaluation: what was played is written line by line, and a broken run goes on where it ends.

The first line says what is evaluated and by which version, each later one how an episode went, in their
order.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from chorewright.errors import InputError, Location, StorageError, UsageError
from chorewright.generator.dataset.store.lock import locked

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Played = TypeVar("Played", bound="DataclassInstance")
"""How an episode went: a dataclass of texts, numbers and booleans."""

VERSION = "chorewright"
"""The key of the version in the first line: another one may play otherwise, so it begins a log of its own."""


@contextmanager
def open_log(
    path: Path, header: Mapping[str, object], kind: type[Played]
) -> Iterator[tuple[list[Played], Callable[[Sequence[Played]], None]]]:
    """Open a log, new or begun before; yield what it has and what adds to it.

    A last line that a broken run did not finish is dropped. Nobody else can write it meanwhile.

    Args:
        path: The file.
        header: What is evaluated, with ``VERSION``.
        kind: How an episode went.

    Raises:
        InputError: The file is no log.
        UsageError: It is that of another evaluation or version.
        StorageError: It cannot be written, or somebody else writes it.
    """
    with ExitStack() as stack:
        with _storing(path):
            if not path.parent.exists():
                raise StorageError(
                    f"the log cannot be written: there is no folder {path.parent}",
                    location=Location(str(path)),
                    hint=f"make it first: mkdir -p {shlex.quote(str(path.parent))}",
                )
            stack.enter_context(locked(path.with_name(f"{path.name}.lock")))
            file = stack.enter_context(path.open("ab+"))
            file.seek(0)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        before = _read(whole.decode("utf-8", "replace").splitlines(), header, path, kind)

        def add(values: Sequence[Mapping[str, object]]) -> None:
            with _storing(path):
                file.write("".join(f"{json.dumps(each)}\n" for each in values).encode())
                file.flush()
                os.fsync(file.fileno())

        with _storing(path):
            file.truncate(len(whole))
        if not whole:
            add([header])
        yield before, lambda played: add([asdict(each) for each in played])


@contextmanager
def _storing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        said = error.strerror or str(error)
        raise StorageError(f"the log cannot be written: {said}", location=Location(str(path))) from error


def _read(lines: Sequence[str], header: Mapping[str, object], path: Path, kind: type[Played]) -> list[Played]:
    types = {each.name: str(each.type) for each in fields(kind)}
    found: list[Played] = []
    for number, line in enumerate(lines, 1):
        value = _object(line, path, number)
        if number > 1:
            if value.keys() != types.keys() or any(type(each).__name__ != types[name] for name, each in value.items()):
                raise InputError("not how an episode went", location=Location(str(path), number))
            values: dict[str, Any] = value
            found.append(kind(**values))
        else:
            _check(value, header, Location(str(path), number))
    return found


def _check(value: Mapping[str, object], header: Mapping[str, object], location: Location) -> None:
    """Check that the first line of a log is that of this evaluation."""
    if {VERSION, *value} != header.keys():
        raise InputError("not the log of an evaluation", location=location)
    if value.get(VERSION) != header[VERSION]:
        other = f"version {value[VERSION]!s:.60}" if VERSION in value else "an unknown version"
        message = f"the log is of {other} of chorewright, not {header[VERSION]}"
    elif value != header:
        name = next(name for name in header if value[name] != header[name])
        message = f"the log is of another evaluation: {name} {value[name]!r:.60}, not {header[name]!r:.60}"
    else:
        return
    raise UsageError(message, location=location, hint="give another file, or delete this one")


def _object(line: str, path: Path, number: int) -> dict[str, object]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}", location=Location(str(path), number)) from error
    if not isinstance(value, dict):
        raise InputError("expected a JSON object", location=Location(str(path), number))
    return value
