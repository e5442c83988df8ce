"""JSON read with the place of every value: a file's path, a JSON path, line and column.

Reading takes 2 to 3 times what ``json.loads`` takes; places are only looked for when an error needs one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import TypeAlias

from chorewright.errors import ChorewrightError, InputError, InputErrors, LimitError, Location
from chorewright.files.text import read_text

JsonValue: TypeAlias = "str | int | float | bool | Sequence[JsonValue] | Mapping[str, JsonValue] | None"

Steps: TypeAlias = tuple[str | int, ...]
"""The way from a document's root to a value: keys and indices."""

MOST_BYTES = 4_000_000
MOST_NESTED = 60

MOST_VALUES = 2_000_000
"""So many take at most 200 MB."""

MOST_MISTAKES = 20
"""Of so many mistakes in keys, numbers and strings it is told at once."""

LEAST_WHOLE, MOST_WHOLE = -(2**63), 2**63 - 1
"""Whole numbers of 64 bits."""

_OPENERS = ("{", "[", ",")
"""What stands before a value, or an object's key."""

_NESTED = frozenset((dict, list))
_CONSTANTS = ("NaN", "Infinity", "-Infinity")
_WHOLE = re.compile(r"-?[0-9]+")
_DIGITS = 19
_ALIKE = bytes.maketrans(b"123456789E", b"000000000e")
_LARGE = (b"0" * _DIGITS, b"e000", b"e+000")
"""How numbers look that may be too large, when all digits are 0."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

_TOKEN = re.compile(r'"(?:[^"\\]+|\\.)*(?:"|\\?\Z)|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_BLANK = re.compile(r"[ \t\n\r]*")
_VALUE = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class JsonSource:
    """A JSON document.

    Attributes:
        path: The file.
        text: What it holds.
        value: The document.
    """

    path: str | None
    text: str
    value: JsonValue

    def location(self, steps: Steps) -> Location:
        """Return where a value stands (for a member of an object: its key).

        Of one that is missing, it is where the object stands that lacks it. A document that was no text (``bare``)
        has no lines.
        """
        if not self.text:
            return Location(self.path, json_path=json_path(steps))
        return _location(self.path, self.text, _offset(self.text, steps), steps)

    def error(self, steps: Steps, message: str, hint: str | None = None) -> InputError:
        """Return an error about a value."""
        return InputError(message, location=self.location(steps), hint=hint)

    @property
    def members(self) -> Mapping[str, JsonValue]:
        """The document if it is an object.

        Raises:
            InputError: It is none.
        """
        if not isinstance(self.value, dict):
            raise self.error((), "expected a JSON object")
        return self.value

    @contextmanager
    def locate(self, steps: Steps = ()) -> Iterator[None]:
        """Give errors that the block raises about a bare value the line and column of their JSON path.

        Args:
            steps: Which value of the document it is; the errors' paths begin there.
        """
        try:
            yield
        except InputErrors as errors:
            raise InputErrors([self._locate(error, steps) for error in errors.errors]) from None
        except InputError as error:
            found = self._locate(error, steps)
            if found is error:
                raise
            raise found from error

    def _locate(self, error: ChorewrightError, steps: Steps) -> ChorewrightError:
        place = error.location
        if not isinstance(error, InputError) or place is None or place.json_path is None or place.line is not None:
            return error
        behind = place.json_path.removeprefix("$")
        value = reduce(_child, steps, self.value)
        at = self.location((*steps, *_steps(value, behind)))
        location = Location(self.path, at.line, at.column, at.source_line, json_path(steps) + behind)
        return type(error)(error.message, location=location, hint=error.hint)


def bare(value: JsonValue, path: str | None = None) -> JsonSource:
    """Return a value that is in memory as a document without text."""
    return JsonSource(path, "", value)


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


def load_json(path: str | Path, most: int = MOST_BYTES, *, strict: bool = True) -> JsonSource:
    """Read a JSON file.

    Args:
        path: The file.
        most: The most bytes that it may have.
        strict: See ``parse_json``.

    Raises:
        UsageError: The file cannot be read.
        InputError: It is not UTF-8, or see ``parse_json``.
        LimitError: It is larger than the limit, or see ``parse_json``.
    """
    return parse_json(read_text(path, most), str(path), strict=strict)


def parse_json(text: str, path: str | None = None, *, strict: bool = True) -> JsonSource:
    """Read a JSON text.

    Args:
        text: The text.
        path: Of the file, for errors.
        strict: Refuse NaN and Infinity, which are no JSON, but which Python's writer writes. Other programs' files
            are read without; ``Node.number`` refuses them where a number is meant.

    Raises:
        InputError, InputErrors: It is not JSON, an object has a key twice, a number fits neither 64 bits nor a float,
            or a string has half of a surrogate pair, so that it cannot be written as UTF-8.
        LimitError: It is nested deeper than the limit, or has more values.
    """
    _require_few(text, path)
    repeated: list[str] = []

    def members(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        found = dict(pairs)
        if len(found) != len(pairs):
            repeated.append("")
        return found

    try:
        value: JsonValue = json.loads(text, object_pairs_hook=members, parse_constant=_refuse if strict else None)
    except json.JSONDecodeError as error:
        _require_shallow(text, path)
        raise InputError(f"not JSON: {error.msg}", location=_location(path, text, error.pos)) from None
    except RecursionError:
        _require_shallow(text, path)
        raise LimitError("nested too deeply", location=Location(path, 1, 1)) from None
    except ValueError as error:  # NaN, or a number of thousands of digits
        _require_plain(text, path, strict)
        raise InputError(f"not JSON: {error}", location=Location(path, 1, 1)) from None
    if is_deep(value):
        _require_shallow(text, path)
    if repeated or _is_suspect(text):
        _require_plain(text, path, strict)
    return JsonSource(path, text, value)


def _refuse(name: str) -> JsonValue:
    raise ValueError(f"{name} is not a JSON number")


def _is_suspect(text: str) -> bool:
    """Whether a text may have a number that is too large, or a surrogate."""
    alike = text.encode("utf-8", "surrogatepass").translate(_ALIKE)
    return any(each in alike for each in _LARGE) or ("\\u" in text and _SURROGATE.search(text) is not None)


def is_deep(value: object, most: int = MOST_NESTED) -> bool:
    """Return whether a JSON value has more than so many levels within it."""
    level = [value]
    for _ in range(most):
        deeper: list[object] = []
        for each in level:
            inner = each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
            if not _NESTED.isdisjoint(map(type, inner)):
                deeper += [value for value in inner if type(value) in _NESTED]
        if not deeper:
            return False
        level = deeper
    return True


def _child(value: JsonValue, step: str | int) -> JsonValue:
    """Return a member of an object or an element of a list; None if there is none."""
    if isinstance(value, dict) and isinstance(step, str):
        return value.get(step)
    return value[step] if isinstance(value, list) and isinstance(step, int) and step < len(value) else None


def _steps(value: JsonValue, path: str) -> Steps:
    """Return the steps of a JSON path whose keys may be written bare: the longest key that fits is meant."""
    steps: list[str | int] = []
    while path:
        if isinstance(value, dict) and path.startswith("."):
            fitting = [key for key in value if path[1:].startswith(key) and path[1 + len(key) :][:1] in ("", ".", "[")]
            if not fitting:
                break
            key = max(fitting, key=len)
            steps.append(key)
            value, path = value[key], path[1 + len(key) :]
        elif match := re.match(r'\[(?:(\d{1,9})|("(?:[^"\\]|\\.)*"))\]', path):
            step: str | int = int(match[1]) if match[1] else str(json.loads(match[2]))
            steps.append(step)
            value, path = _child(value, step), path[match.end() :]
        else:
            break
    return tuple(steps)


def _offset(text: str, steps: Steps) -> int:
    """Return where a value of a JSON text stands, or the innermost one that is there on the way to it."""
    at = found = _skip(text, 0)
    for step in steps:
        opening = text[at : at + 1]
        if opening != ("[" if isinstance(step, int) else "{"):
            break
        inner = _element(text, at, step) if isinstance(step, int) else _member(text, at, step)
        if inner is None:
            break
        found, at = inner
    return found


def _element(text: str, at: int, index: int) -> tuple[int, int] | None:
    """Return twice where an element of the list at an offset stands; None if there is none."""
    at = _skip(text, at + 1)
    while text[at] != "]":
        if index == 0:
            return at, at
        index -= 1
        at = _behind(text, at)
    return None


def _member(text: str, at: int, key: str) -> tuple[int, int] | None:
    """Return where the key and the value of a member of the object at an offset stand; None if there is none.

    Of a key that occurs twice, the last one counts, as for Python.
    """
    found = None
    at = _skip(text, at + 1)
    while text[at] != "}":
        name, end = _VALUE.raw_decode(text, at)
        value = _skip(text, _skip(text, end) + 1)
        if name == key:
            found = at, value
        at = _behind(text, value)
    return found


def _behind(text: str, at: int) -> int:
    """Return where the next value (or key, or closing bracket) stands behind the value at an offset."""
    at = _skip(text, _VALUE.raw_decode(text, at)[1])
    return _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _location(path: str | None, text: str, offset: int, steps: Steps | None = None) -> Location:
    offset = min(offset, len(text))
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    line = text[start : end if end >= 0 else len(text)].rstrip("\r")
    where = None if steps is None else json_path(steps)
    return Location(path, text.count("\n", 0, offset) + 1, offset - start + 1, line, where)


def _require_shallow(text: str, path: str | None) -> None:
    depth = 0
    for token in _TOKEN.finditer(text):
        if token.group() in "{[":
            depth += 1
            if depth > MOST_NESTED:
                message = f"nested deeper than {MOST_NESTED} levels"
                raise LimitError(message, location=_location(path, text, token.start()))
        elif token.group() in "}]":
            depth -= 1


def _require_few(text: str, path: str | None) -> None:
    """Check that a text has no more values than the limit, before memory is taken for them."""
    if sum(map(text.count, _OPENERS)) > MOST_VALUES:
        openers = (token for token in _TOKEN.finditer(text) if token.group() in _OPENERS)
        beyond = next(islice(openers, MOST_VALUES, None), None)
        if beyond is not None:
            message = f"more than {MOST_VALUES:,} values"
            raise LimitError(message, location=_location(path, text, beyond.start()))


def _require_plain(text: str, path: str | None, strict: bool) -> None:
    """Check the keys, numbers and strings of a text that is JSON."""
    found = islice(_mistakes(text, path, strict), MOST_MISTAKES)
    errors: list[ChorewrightError] = list(found)
    if errors:
        raise errors[0] if len(errors) == 1 else InputErrors(errors)


def _mistakes(text: str, path: str | None, strict: bool) -> Iterator[InputError]:
    """Yield what is wrong with the keys, numbers and strings of a text that is JSON."""
    here: list[str | int] = []  # the steps to the innermost open object or array, and to its current member
    keys: list[set[str]] = []
    key_next = False
    for token in _TOKEN.finditer(text):
        word = token.group()
        if word in "}]":
            del here[-1:], keys[-1:]
            key_next = False
        elif word == "," and here:
            if isinstance(here[-1], int):
                here[-1] += 1
            else:
                key_next = True
        elif word in "{[":
            here.append("" if word == "{" else 0)
            keys.append(set())
            key_next = word == "{"
        elif word not in ",:":
            if key_next:
                here[-1] = key = str(json.loads(word))
                wrong = (f"the key {word} occurs twice", None) if key in keys[-1] else _mistake(word, strict)
                keys[-1].add(key)
                key_next = False
            else:
                wrong = _mistake(word, strict)
            if wrong is not None:
                message, hint = wrong
                yield InputError(message, location=_location(path, text, token.start(), tuple(here)), hint=hint)


def _mistake(word: str, strict: bool) -> tuple[str, str | None] | None:
    """Return what is wrong with a number or string, and a hint; None if nothing is."""
    if word.startswith('"'):
        if "\\u" in word and any("\ud800" <= letter <= "\udfff" for letter in json.loads(word)):
            return "a string has half of a surrogate pair, which is no character", "write the character itself"
    elif word in _CONSTANTS:
        return (f"not JSON: {word} is not a JSON number", None) if strict else None
    elif _WHOLE.fullmatch(word):
        digits = len(word.lstrip("-"))
        if digits > _DIGITS or not LEAST_WHOLE <= int(word) <= MOST_WHOLE:
            return f"a whole number of {digits} digits is too large", f"expected {LEAST_WHOLE} to {MOST_WHOLE}"
    elif word[-1].isdecimal() and not isfinite(float(word)):
        return "a number is too large", "expected less than 1.8e308"
    return None
