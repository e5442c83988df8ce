"""What a benchmark run found: figures and tables with the command, commit, machine and date that they come from.

A ``Report`` is what a benchmark knows: its figures, their targets and what peers publish. A ``Run`` is where
they come from. Both together are a ``Result``, one JSON file of ``benchmarks/results``. Reading a file checks
it: an error names the file, the JSON path and what was expected. ``benchmarks.figures`` makes the page of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from datetime import date
from pathlib import Path
from types import UnionType
from typing import Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from chorewright.errors import InputError, Location

RESULTS = Path(__file__).parent / "results"
GROUPS = (
    *("ALFRED", "TEACh", "HandMeThat", "CALVIN", "BEHAVIOR", "ObjectNav", "Any PDDL domain"),
    *("Planner", "Rooms and pictures", "Command line and store"),
)
"""Sections of the page, in its order."""

LONGEST = 300
"""Characters of an explanation: it has to fit one line of the page."""

NAME = re.compile(r"[a-z0-9]+([_-][a-z0-9]+)*")
QUOTED = re.compile(r"(?P<number>\d[\d,]*(\.(?P<decimals>\d+))?)(?P<unit>( \S+)?)$")
COMMIT = re.compile(r"[0-9a-f]{7,40}(-dirty)?")
Value = TypeVar("Value")


class ResultError(InputError):
    """A result that says too little, contradicts itself, or is no result."""


@dataclass(frozen=True, slots=True)
class Target:
    """What was aimed at: a bound in the figure's unit, in per cent for a share."""

    bound: Literal["at least", "at most"]
    value: float

    def met(self, reading: float) -> bool:
        """Return whether a number keeps the bound."""
        return reading >= self.value if self.bound == "at least" else reading <= self.value


@dataclass(frozen=True, slots=True)
class Peer:
    """The same figure of another work, as text, and where it stands."""

    name: str
    value: str
    source: str

    def __post_init__(self) -> None:
        _require(
            bool(self.name and self.value and self.source), f"a peer's figure needs all of name, value, source: {self}"
        )


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure.

    Attributes:
        name: Its name within the report, for references such as ``alfred_corpus/met``.
        label: What was measured, as the page says it.
        value: The number; or text where it is no single number ("0.40 to 0.52").
        unit: The unit of the value, as it is printed behind it.
        of: The number of cases that a count is a share of.
        digits: Decimals that are printed: of a float's value, or of a share's percentage.
        target: The aim, if there is one; only a number can have one.
        met: Whether the target is met. Follows from the others; files state it for their readers.
        peers: What others report.
        note: What has to be known to read it.
    """

    name: str
    label: str
    value: int | float | str
    unit: str = ""
    of: int | None = None
    digits: int | None = None
    target: Target | None = None
    met: bool | None = None
    peers: tuple[Peer, ...] = ()
    note: str = ""

    def __post_init__(self) -> None:
        where = f"figure {self.name!r}"
        _require(bool(NAME.fullmatch(self.name)), f"{where}: a name is of small letters, digits, - and _")
        _require(bool(self.label), f"{where} has no label")
        if isinstance(self.value, str):
            _require(self.target is None and self.of is None, f"{where}: text has no target and is no share")
        elif self.of is not None:
            _require(isinstance(self.value, int) and 0 <= self.value <= self.of and self.of > 0,
                     f"{where}: {self.value} of {self.of} is no share")  # fmt: skip
            _require(not self.unit, f"{where}: a share has no unit")
        else:
            _require(isinstance(self.value, int) or self.digits is not None, f"{where}: a float needs 'digits'")
        met = None if self.target is None else self.target.met(self.reading)
        _require(self.met in (None, met), f"{where} says met: {self.met}, but its value and target say {met}")
        object.__setattr__(self, "met", met)

    @property
    def reading(self) -> float:
        """The number that a target bounds: the value, or a share's percentage."""
        if isinstance(self.value, str):
            raise ResultError(f"figure {self.name!r} is text")
        return self.value if self.of is None else 100 * self.value / self.of

    @property
    def forms(self) -> tuple[str, ...]:
        """The ways in which a text may quote the figure, the shortest first."""
        unit = f" {self.unit}" if self.unit else ""
        if isinstance(self.value, str):
            return (self.value + unit,)
        if self.of is None:
            return (f"{self.value:,}{unit}" if self.digits is None else f"{self.value:,.{self.digits}f}{unit}",)
        percent = f"{self.reading:.{self.digits if self.digits is not None else 1}f} %"
        return (percent, f"{self.value:,} of {self.of:,}")

    def rounded(self, digits: int) -> str:
        """Return the number, or a share's percentage, with so many decimals and its unit."""
        unit = " %" if self.of is not None else f" {self.unit}" if self.unit else ""
        return f"{self.reading:,.{digits}f}{unit}"

    def ends(self, text: str) -> bool:
        """Return whether a text ends with the figure: as the page has it, or rounded, with or without its unit."""
        if text.endswith(self.forms):
            return True
        number = QUOTED.search(text)
        if isinstance(self.value, str) or number is None:
            return False
        rounded = self.rounded(len(number["decimals"] or ""))
        return rounded == number["number"] + number["unit"] or rounded.split(" ")[0] == number[0]

    @property
    def text(self) -> str:
        """The figure as the page prints it."""
        if self.of is None or self.value == self.of:
            return self.forms[-1]
        return f"{self.forms[1]} ({self.forms[0]})"


@dataclass(frozen=True, slots=True)
class Table:
    """Figures of one kind, as cells of text: a row for each task, problem or agent.

    Attributes:
        columns: Their headings; the first names the rows.
        rows: As many cells each as there are columns.
        caption: What the table shows, if the explanation does not say it.
        sources: Where the columns of other works come from: pairs of what and where.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    sources: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        _require(bool(self.rows), f"the table {self.caption or self.columns} has no rows")
        for row in self.rows:
            _require(len(row) == len(self.columns), f"row {row} does not have the {len(self.columns)} columns")


@dataclass(frozen=True, slots=True)
class Report:
    """What a benchmark has to say of one run.

    Attributes:
        name: The name of its file in ``benchmarks/results``.
        group: The section of the page, of ``GROUPS``.
        title: The heading.
        explanation: One line: what is measured, against what.
        figures: Its key figures.
        tables: The rest.
        conditions: What has to be known of the run, such as other jobs on the machine.
        caveat: What makes the figures differ from those of the present code.
    """

    name: str
    group: str
    title: str
    explanation: str
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    conditions: str = ""
    caveat: str = ""

    def __post_init__(self) -> None:
        _require(bool(NAME.fullmatch(self.name)), f"{self.name!r} is no name of small letters, digits, - and _")
        _require(self.group in GROUPS, f"{self.group!r} is no group: they are {', '.join(GROUPS)}")
        _require(bool(self.title), "there is no title")
        one_line = 0 < len(self.explanation) <= LONGEST and "\n" not in self.explanation
        _require(one_line, f"the explanation is not one line of at most {LONGEST} characters")
        _require(bool(self.figures or self.tables), "there are neither figures nor tables")
        names = [figure.name for figure in self.figures]
        _require(len(set(names)) == len(names), f"two figures have one name: {', '.join(sorted(names))}")


@dataclass(frozen=True, slots=True)
class Machine:
    """The cores that the run could use, and the processor's model as the system tells it (empty: not known)."""

    cores: int
    processor: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """Where figures come from.

    Attributes:
        command: What makes them again; "by hand: ..." where no command does.
        commit: The commit of the code, with ``-dirty`` if the tree had changes.
        date: The day, as YYYY-MM-DD.
        machine: What it ran on.
        python: The Python version (empty: not known).
    """

    command: str
    commit: str
    date: str
    machine: Machine
    python: str = ""

    def __post_init__(self) -> None:
        _require(bool(self.command) and "\n" not in self.command, "the command is not one line")
        _require(bool(COMMIT.fullmatch(self.commit)), f"{self.commit!r} is no commit")
        try:
            date.fromisoformat(self.date)
        except ValueError:
            raise ResultError(f"{self.date!r} is no date such as 2026-11-22") from None
        _require(self.machine.cores > 0, "a machine has one core at least")


@dataclass(frozen=True, slots=True)
class Result:
    """A report and the run that it is of."""

    report: Report
    run: Run


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ResultError(message)


def write(result: Result, path: Path) -> None:
    """Write a result as JSON; what is empty is left out."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(_full(asdict(result)), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _full(value: object) -> object:
    """Return plain data without the fields that are empty or None."""
    if isinstance(value, dict):
        return {key: _full(each) for key, each in value.items() if each not in (None, "", (), [])}
    if isinstance(value, tuple | list):
        return [_full(each) for each in value]
    return value


def read(path: Path) -> Result:
    """Read and check a result.

    Raises:
        ResultError: The file is no JSON, lacks a field, has one of another type or too many, or contradicts
            itself; the location has the JSON path.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ResultError(f"this is no JSON file: {error}", location=Location(path.name)) from error
    return _load(Result, data, path.name, "$")


def read_all(folder: Path = RESULTS) -> dict[str, Result]:
    """Read a folder's results, by name.

    Raises:
        ResultError: As ``read``; or a file is not named after its report.
    """
    found = {}
    for path in sorted(folder.glob("*.json")):
        found[path.stem] = result = read(path)
        if result.report.name != path.stem:
            message = f"the report's name is {result.report.name!r}"
            raise ResultError(message, location=Location(path.name), hint=f"name the file {result.report.name}.json")
    return found


def _load(kind: type[Value], data: object, path: str, where: str) -> Value:
    """Return plain data as a frozen value, each field of its declared type."""
    found: dict[str, object] = {}
    try:
        _require(isinstance(data, dict), f"expected an object for a {kind.__name__}, got {type(data).__name__}")
        assert isinstance(data, dict)
        types = get_type_hints(kind)
        unknown = sorted(set(data) - set(types))
        _require(not unknown, f"a {kind.__name__} has no field {', '.join(unknown)}")
        lacking = [name for name in _needed(kind) if name not in data]
        _require(not lacking, f"a {kind.__name__} needs {', '.join(lacking)}")
        for name, value in data.items():
            found[name] = _typed(types[name], value, path, f"{where}.{name}")
        return kind(**found)
    except ResultError as error:
        if error.location is None:
            raise ResultError(error.message, location=Location(path, json_path=where)) from None
        raise


def _needed(kind: type) -> Iterator[str]:
    return (each.name for each in fields(kind) if each.default is MISSING)


def _typed(kind: object, value: object, path: str, where: str) -> object:
    """Return a field's value, of the type that its annotation says.

    Raises:
        ResultError: It is of another type.
    """
    origin, inner = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and is_dataclass(kind):
        return _load(kind, value, path, where)
    if origin is tuple and isinstance(value, list):
        kinds = [inner[0]] * len(value) if inner[-1] is Ellipsis else inner
        if len(kinds) == len(value):
            return tuple(_typed(k, v, path, f"{where}[{i}]") for i, (k, v) in enumerate(zip(kinds, value, strict=True)))
    if origin in (Union, UnionType):
        nested = [each for each in inner if isinstance(each, type) and is_dataclass(each)]
        if nested and value is not None:
            return _load(nested[0], value, path, where)
        if type(value) in inner:
            return value
    if (origin is Literal and value in inner) or type(value) is kind:
        return value
    if kind is float and type(value) is int:
        return float(value)
    raise ResultError(f"{value!r} is not of the type {kind}", location=Location(path, json_path=where))


def from_markdown(text: str, caption: str = "", sources: Mapping[str, str] | None = None) -> Table:
    """Return a markdown table as a value; its text may have nothing else.

    Raises:
        ResultError: It is no table, or its rows differ in length.
    """
    lines = [line.strip() for line in text.strip().splitlines()]
    _require(len(lines) > 2 and set(lines[1]) <= set("|-: "), f"this is no markdown table: {text[:60]!r}")
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return table(head, rows, caption, sources)


def table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "", sources: Mapping[str, str] | None = None
) -> Table:
    """Return a table of any sequences."""
    return Table(tuple(columns), tuple(map(tuple, rows)), caption, tuple((sources or {}).items()))


__all__ = [
    "GROUPS", "RESULTS", "Figure", "Machine", "Peer", "Report", "Result", "ResultError", "Run", "Table", "Target",
    "from_markdown", "read", "read_all", "table", "write",
]  # fmt: skip
