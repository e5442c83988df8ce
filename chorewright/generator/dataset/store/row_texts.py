"""The JSON texts in a dataset's rows, checked as they are read: extras, arguments of steps, details of segments.

A benchmark that ships a file ``data/rows.json`` says there what its texts hold. A shape is ``"text"`` (no JSON:
any text), ``"any"``, ``"string"``, ``"string?"`` (or null), ``"number"``, ``"whole"``, ``"flag"``, ``[shape]``, or an
object of shapes by key; a key that ends in ``?`` may be missing or null, and ``*`` stands for all others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import resources
from typing import Any, TypeAlias

from chorewright.errors import DatasetCorrupt, InputError, LimitError
from chorewright.files.json_node import Node, root
from chorewright.files.json_source import parse_json

Shape: TypeAlias = "str | Sequence[Shape] | Mapping[str, Shape]"

Check: TypeAlias = Callable[[int, Sequence[Any]], None]
"""Checks the values of a field of rows, whose first number is given."""

_ANY, _OTHERS = "any", "*"


@dataclass(frozen=True, slots=True)
class RowTexts:
    """What the texts of a benchmark's rows hold.

    Attributes:
        extras: By name.
        required: The extras that every row has.
        arguments: Of steps.
        details: Of segments.
    """

    extras: Mapping[str, Shape]
    required: frozenset[str]
    arguments: Shape
    details: Shape

    @property
    def checks(self) -> Mapping[str, Check]:
        """The checks of an episode's fields."""
        return {"extras": self._check_extras, "steps": self._check_steps, "segments": self._check_segments}

    def _check_extras(self, first: int, rows: Sequence[Sequence[tuple[str, str]]]) -> None:
        for row, extras in enumerate(rows, first):
            names = [name for name, _ in extras]
            if len(set(names)) < len(names):
                raise DatasetCorrupt(f"row {row} has an extra twice: {', '.join(sorted(names))}")
            if missing := sorted(self.required - set(names)):
                raise DatasetCorrupt(f"row {row} lacks the extra {missing[0]!r}")
            for name, text in extras:
                _require(self.extras.get(name, "text"), text, f"row {row}, extra {name}")

    def _check_steps(self, first: int, rows: Sequence[Iterable[Any]]) -> None:
        for row, steps in enumerate(rows, first):
            for number, step in enumerate(steps):
                _require(self.arguments, step.arguments, f"row {row}, arguments of step {number}")

    def _check_segments(self, first: int, rows: Sequence[Iterable[Any]]) -> None:
        for row, segments in enumerate(rows, first):
            for number, segment in enumerate(segments):
                _require(self.details, segment.details, f"row {row}, details of segment {number}")


@lru_cache(maxsize=32)
def shipped_texts(benchmark: str) -> RowTexts:
    """Return what the texts of a benchmark's rows hold; without a file, any, but steps and segments have objects."""
    folder = resources.files("chorewright.generator")
    source = folder / benchmark / "data" / "rows.json" if benchmark.isidentifier() else folder / "data"
    told = json.loads(source.read_text("utf-8")) if source.is_file() else {}
    extras: Mapping[str, Shape] = told.get("extras", {})
    return RowTexts(
        {name.removesuffix("?"): shape for name, shape in extras.items()},
        frozenset(name for name in extras if not name.endswith("?")),
        told.get("arguments", {_OTHERS: _ANY}),
        told.get("details", {_OTHERS: _ANY}),
    )


def _require(shape: Shape, text: str, where: str) -> None:
    """Check a text.

    Raises:
        DatasetCorrupt: It does not have the shape.
    """
    if shape == "text":
        return
    problem = _problem(_frozen(shape), text)
    if problem:
        raise DatasetCorrupt(f"{where}: {problem}", hint="the dataset was altered after it was made: generate it anew")


def _frozen(shape: Shape) -> str:
    return json.dumps(shape)


@lru_cache(maxsize=4096)
def _problem(shape: str, text: str) -> str:
    """Return what is wrong with a text, or nothing; texts of steps repeat."""
    try:
        _fit(root(parse_json(text)), json.loads(shape))
    except (InputError, LimitError) as error:
        place = error.location.json_path if error.location else None
        return f"{place}: {error.message}" if place else error.message
    return ""


_PLAIN: Mapping[str, Callable[[Node], object]] = {
    "any": lambda node: None,
    "string": Node.text,
    "string?": lambda node: None if node.value is None else node.text(),
    "number": Node.number,
    "whole": partial(Node.whole, least=-(10**6)),
    "flag": Node.flag,
}


def _fit(node: Node, shape: Shape) -> None:
    """Check a value.

    Raises:
        InputError: It does not have the shape.
    """
    if isinstance(shape, str):
        _PLAIN[shape](node)
    elif isinstance(shape, Mapping):
        named = {name.removesuffix("?") for name in shape}
        for name, inner in shape.items():
            member = node.get(name.removesuffix("?")) if name.endswith("?") else None
            if member is not None:
                _fit(member, inner)
            elif not name.endswith("?") and name != _OTHERS:
                _fit(node[name], inner)
        for key, member in node.members():
            if key not in named and _OTHERS in shape:
                _fit(member, shape[_OTHERS])
    else:
        for member in node.items():
            _fit(member, shape[0])
