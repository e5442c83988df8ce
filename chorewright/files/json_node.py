"""What JSON values must be, checked where they are read: a value with its place, and methods named after types.

>>> node["steps"].items(), node["count"].whole(most=20), node.get("noun")
Each method returns the plain value, or raises an error that names file, line, column and JSON path.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeGuard

from chorewright.errors import ChorewrightError, InputError, InputErrors
from chorewright.files.english import did_you_mean
from chorewright.files.json_source import LEAST_WHOLE, MOST_WHOLE, JsonSource, JsonValue, Steps, json_path

LARGEST = 1e9
"""No length, angle, time, weight or cost of a household is larger."""

MOST_TEXT = 1_000_000
"""Characters of a text; a file in a file may have more."""

MOST_LINE = 10_000
"""Characters of a name, or of a text on one line."""

_SHOWN = 40


def is_number(value: object, least: float = -LARGEST, most: float = LARGEST) -> TypeGuard[int | float]:
    """Whether a value of a JSON document is a number in a range; NaN, true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def show_value(value: object) -> str:
    """Return the beginning of a value as messages show it, whatever it is and however large."""
    if isinstance(value, str) and len(value) > _SHOWN:
        return f"{json.dumps(value[:_SHOWN], ensure_ascii=False)[: _SHOWN - 3]}..."
    if isinstance(value, int) and not isinstance(value, bool) and not LEAST_WHOLE <= value <= MOST_WHOLE:
        return "a larger whole number"
    if isinstance(value, list | tuple | dict):
        shown = "".join(islice(json.JSONEncoder(default=str, ensure_ascii=False).iterencode(value), _SHOWN))
    else:
        shown = json.dumps(value, default=str, ensure_ascii=False)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 3]}..."


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a JSON document, and the way to it."""

    source: JsonSource
    value: JsonValue
    steps: Steps = ()

    @property
    def path(self) -> str | None:
        """The document's file."""
        return self.source.path

    @property
    def where(self) -> str:
        """The JSON path: ``$.steps[3].name``."""
        return json_path(self.steps)

    def error(self, message: str, hint: str | None = None) -> InputError:
        """Return an error about the value."""
        return self.source.error(self.steps, message, hint)

    def expected(self, what: str, hint: str | None = None) -> InputError:
        """Return the error that the value is something else: ``expected a list, found 3``."""
        return self.error(f"expected {what}, found {show_value(self.value)}", hint)

    @contextmanager
    def locate(self) -> Iterator[None]:
        """Give errors that the block raises about the bare value the line and column of their JSON path."""
        with self.source.locate(self.steps):
            yield

    @contextmanager
    def blame(self) -> Iterator[None]:
        """Make errors that the block raises, and that name no JSON path, errors about the value."""
        try:
            yield
        except ChorewrightError as error:
            if error.location is not None and error.location.json_path is not None:
                raise
            raise self.error(error.message, error.hint) from error

    def __contains__(self, key: str) -> bool:
        """Whether it is an object that has a member that is not null."""
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def __getitem__(self, key: str) -> Node:
        """Return a member of an object.

        Raises:
            InputError: It is no object, or lacks the member.
        """
        if not isinstance(self.value, dict):
            raise self.expected("an object")
        if key not in self.value:
            raise self.error(f"the key {key!r} is missing", did_you_mean(key, self.value))
        return Node(self.source, self.value[key], (*self.steps, key))

    def get(self, key: str) -> Node | None:
        """Return a member of an object, None if it is missing or null.

        Raises:
            InputError: It is no object.
        """
        if not isinstance(self.value, dict):
            raise self.expected("an object")
        value = self.value.get(key)
        return None if value is None else Node(self.source, value, (*self.steps, key))

    def members(self, what: str = "an object") -> Iterator[tuple[str, Node]]:
        """Yield the keys and values of an object.

        Raises:
            InputError: It is no object.
        """
        if not isinstance(self.value, dict):
            raise self.expected(what)
        for key, value in self.value.items():
            yield key, Node(self.source, value, (*self.steps, key))

    def items(self, what: str = "a list") -> Iterator[Node]:
        """Yield the values of a list.

        Raises:
            InputError: It is no list.
        """
        if not isinstance(self.value, list | tuple):
            raise self.expected(what)
        for number, value in enumerate(self.value):
            yield Node(self.source, value, (*self.steps, number))

    def only(self) -> Node:
        """Return the one value of a list.

        Raises:
            InputError: There is none, or several.
        """
        values = list(self.items())
        if len(values) != 1:
            raise self.error(f"expected exactly one entry, found {len(values)}")
        return values[0]

    def text(self, what: str = "a string", most: int = MOST_TEXT) -> str:
        """Return a text.

        Raises:
            InputError: It is none, or has more than ``most`` characters.
        """
        if not isinstance(self.value, str):
            raise self.expected(what)
        if len(self.value) > most:
            raise self.expected(f"{what} of at most {most:,} characters")
        return self.value

    def line(self, what: str = "a string") -> str:
        """Return a text of one line that says something: printable, and not blank.

        Raises:
            InputError: It is none, or longer than any line.
        """
        found = self.text(what, MOST_LINE)
        if not found.isprintable() or not found.strip():
            raise self.expected(what)
        return found

    def texts(self, what: str = "a list of strings") -> tuple[str, ...]:
        """Return a list of strings.

        Raises:
            InputError: It is none.
        """
        if not isinstance(self.value, list):
            raise self.expected(what)
        return tuple(each.text(f"a string, as in {what}") for each in self.items(what))

    def one_of(self, words: Sequence[str]) -> str:
        """Return a text that is one of some words.

        Raises:
            InputError: It is none of them.
        """
        if self.value not in words:
            close = did_you_mean(self.value, words) if isinstance(self.value, str) else None
            raise self.expected(" or ".join(json.dumps(word) for word in words), close)
        return str(self.value)

    def flag(self) -> bool:
        """Return true or false.

        Raises:
            InputError: It is neither.
        """
        if not isinstance(self.value, bool):
            raise self.expected("true or false")
        return self.value

    def whole(self, least: int = 0, most: int = MOST_WHOLE) -> int:
        """Return a number without fraction.

        Raises:
            InputError: It is none, or out of range.
        """
        value = self.value
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        span = f"of {least} or more" if most == MOST_WHOLE else f"from {least} to {most}"
        raise self.expected(f"a whole number {span}")

    def number(self, least: float = -LARGEST, most: float = LARGEST) -> float:
        """Return a number, with or without fraction.

        Raises:
            InputError: It is none, or out of range.
        """
        if not is_number(self.value, least, most):
            raise self.expected(f"a number from {least:g} to {most:g}".replace("e+0", "e"))
        return float(self.value)


@dataclass(slots=True)
class JsonFindings:
    """Errors that are collected, so that one run tells all of them."""

    errors: list[ChorewrightError] = field(default_factory=list)

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Collect the error that ends the block, if one does."""
        try:
            yield
        except InputErrors as found:
            self.errors.extend(found.errors)
        except InputError as found:
            self.errors.append(found)

    def report(self, most: int | None = None) -> None:
        """Raise what was collected, if anything.

        Args:
            most: How many are told at most.

        Raises:
            InputError: The only error.
            InputErrors: Several errors.
        """
        if self.errors:
            raise self.errors[0] if len(self.errors) == 1 else InputErrors(self.errors[:most])


def root(source: JsonSource) -> Node:
    """Return a document's value."""
    return Node(source, source.value)
