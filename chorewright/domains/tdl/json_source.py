"""JSON text with the position of every value: a file's path, a JSON path, line and column."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from chorewright.errors import ChorewrightError, InputError, InputErrors, LimitError, Location

JsonValue: TypeAlias = "str | int | float | bool | Sequence[JsonValue] | Mapping[str, JsonValue] | None"

Steps: TypeAlias = tuple[str | int, ...]
"""The way from a document's root to a value: keys and indices."""

MOST_BYTES = 4_000_000
MOST_NESTED = 60

_TOKEN = re.compile(r'"(?:[^"\\]+|\\.)*(?:"|\\?\Z)|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


@dataclass(frozen=True, slots=True)
class JsonSource:
    """A JSON document and where its values stand.

    Attributes:
        path: The file.
        text: What it holds.
        value: The document.
        places: The offset of each value (for a member of an object: of its key).
    """

    path: str | None
    text: str
    value: JsonValue
    places: Mapping[Steps, int]

    def location(self, steps: Steps) -> Location:
        """Return the position of a value; for a missing one, the position of the object that lacks it."""
        known = steps
        while known and known not in self.places:
            known = known[:-1]
        offset = self.places.get(known, 0)
        line, column, source = _line_at(self.text, offset)
        return Location(self.path, line, column, source, json_path(steps))

    def error(self, steps: Steps, message: str, hint: str | None = None) -> InputError:
        return InputError(message, location=self.location(steps), hint=hint)


def json_path(steps: Steps) -> str:
    """Return ``$.components["#0"].conditions`` and the like."""
    parts = ["$"]
    for step in steps:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", step):
            parts.append(f".{step}")
        else:
            parts.append(f"[{json.dumps(step)}]")
    return "".join(parts)


def load_json(path: str | Path, most: int = MOST_BYTES) -> JsonSource:
    """Read a JSON file with a limit on its size in bytes.

    Raises:
        InputError: The file cannot be read or is not JSON, or an object has a key twice.
        LimitError: It is larger or nested deeper than the limits.
    """
    name = str(path)
    try:
        with Path(path).open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot read the file: {reason}", location=Location(name)) from None
    if len(data) > most:
        raise LimitError(f"the file is larger than {most} bytes", location=Location(name))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("the file is not UTF-8 text", location=Location(name, line, 1)) from None
    return parse_json(text, name)


def parse_json(text: str, path: str | None = None) -> JsonSource:
    """Read a JSON text; errors as for ``load_json``."""
    _require_shallow(text, path)
    try:
        value: JsonValue = json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        line, column, source = _line_at(text, error.pos)
        raise InputError(f"not JSON: {error.msg}", location=Location(path, line, column, source)) from None
    except ValueError as error:  # a number of thousands of digits, or NaN
        raise InputError(f"not JSON: {error}", location=Location(path, 1, 1)) from None
    return JsonSource(path, text, value, _places(text, path))


def _refuse(name: str) -> JsonValue:
    raise ValueError(f"{name} is not a JSON number")


def _line_at(text: str, offset: int) -> tuple[int, int, str]:
    """Return the line (from 1), the column (from 1) and the line's text at an offset."""
    offset = min(offset, len(text))
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    line = text[start : end if end >= 0 else len(text)].rstrip("\r")
    return text.count("\n", 0, offset) + 1, offset - start + 1, line


def _require_shallow(text: str, path: str | None) -> None:
    depth = 0
    for token in _TOKEN.finditer(text):
        if token.group() in "{[":
            depth += 1
            if depth > MOST_NESTED:
                line, column, source = _line_at(text, token.start())
                raise LimitError(
                    f"nested deeper than {MOST_NESTED} levels", location=Location(path, line, column, source)
                )
        elif token.group() in "}]":
            depth -= 1


def _places(text: str, path: str | None) -> dict[Steps, int]:
    """Return the offsets of the values of a text that is JSON.

    Raises:
        InputErrors: Keys that occur twice in one object.
    """
    places: dict[Steps, int] = {}
    errors: list[ChorewrightError] = []
    here: list[str | int] = []  # the steps to the innermost open object or array, and to its current member
    key_next = False
    for token in _TOKEN.finditer(text):
        word = token.group()
        if word in "}]":
            here.pop()
            key_next = False
        elif word == ",":
            if isinstance(here[-1], int):
                here[-1] += 1
            else:
                key_next = True
        elif key_next:
            here[-1] = json.loads(word, strict=False)
            if tuple(here) in places:
                line, column, source = _line_at(text, token.start())
                location = Location(path, line, column, source, json_path(tuple(here)))
                errors.append(InputError(f"the key {word} occurs twice", location=location))
            places[tuple(here)] = token.start()
            key_next = False
        elif word != ":":
            places.setdefault(tuple(here), token.start())
            if word == "{":
                here.append("")
                key_next = True
            elif word == "[":
                here.append(0)
    if errors:
        raise errors[0] if len(errors) == 1 else InputErrors(errors)
    return places
