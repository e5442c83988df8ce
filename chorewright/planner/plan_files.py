"""Plan files as planners write them, read with positions, and IPC plan files written with their cost.

A step is ``(action object ...)``. Before it may stand its number or time (``0.003: (...)``), behind it a duration
(``[1.0]``); it may go over several lines. Comments begin with ``;``: ``; cost = 7 (general cost)`` is the plan's
cost, ``;;!domain:`` and ``;;!problem:`` let editors find what it belongs to. FF writes ``step 0: ACTION OBJECT``,
unified-planning and Madagascar ``action(object, object)``, mostly among lines of other kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from chorewright.domains.facts import Number, whole
from chorewright.domains.pddl.source import Findings, Source
from chorewright.errors import InputError, InputErrors, Location, UsageError
from chorewright.files.text import read_text
from chorewright.planner.plan import GroundAction, TimedStep

TOLERANCE = Fraction(1, 1000)
"""By how much a duration may differ from what is asked for, as planners print three decimals."""

SAME = 10
"""Times that differ by at most this part of the tolerance are one time, as in VAL."""


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan as its file gives it, in lower case; what is not given is None. ``lines`` are those of the steps.

    A step without a time has its number among those, from 1, as in VAL.
    """

    steps: tuple[TimedStep, ...]
    cost: float | None = None
    domain: str | None = None
    problem: str | None = None
    lines: tuple[int, ...] = field(default=(), compare=False)

    @property
    def actions(self) -> tuple[GroundAction, ...]:
        """The actions in the order of their times."""
        return tuple(step.action for step in sorted(self.steps, key=lambda step: step.time))

    def is_sequence(self, tolerance: Fraction = TOLERANCE) -> bool:
        """Whether each step is later than the one before it in the file."""
        times = [step.time for step in self.steps]
        return all(after - before > tolerance / SAME for before, after in pairwise(times))


AUTO, PLAN, LOG = "auto", "plan", "log"
FORMS = (AUTO, PLAN, LOG)
"""How to read a plan file: as what it looks like, as a plan, or as a planner's output with a plan in it."""

_NUMBER = r"\d+(?:\.\d*)?(?:e[+-]?\d{1,3})?"
_PIECE = re.compile(r";[^\n]*|[()\[\]:]|[^\s()\[\]:;]+")
_HEADER = re.compile(r";;!\s*(domain|problem):\s*(\S+)\s*$", re.IGNORECASE)
_COST = re.compile(r";\s*cost\s*=\s*([0-9.eE+-]+)\s*(?:\((unit|general) cost\))?", re.IGNORECASE)
_WHOLE_NUMBER = re.compile(rf"{_NUMBER}$", re.IGNORECASE)
_NAME = re.compile(r"^[^\s()\[\];:?]+$")
_DEFINITION = re.compile(r"(?:\s|;[^\n]*\n)*(\()\s*define\s*\(\s*(domain|problem)\b", re.IGNORECASE)


def parse_plan(text: str, path: str | None = None, form: str = AUTO) -> PlanFile:
    """Read a plan.

    Args:
        text: The text of a plan file.
        path: Where it comes from, for messages.
        form: One of ``FORMS``.

    Raises:
        InputErrors: what is wrong with the file, each with its line and column: the first ones.
    """
    source = Source(text, path)
    _refuse_definition(source)
    if form == LOG or (form == AUTO and _looks_like_log(source.text)):
        return _parse_log(source)
    reader = _Reader(source)
    for piece in _PIECE.finditer(source.text):
        reader.read(piece[0], piece.start())
    return reader.close()


def read_plan(path: str | Path, form: str = AUTO) -> PlanFile:
    """Read a plan file.

    Raises:
        UsageError: the file cannot be read.
        InputError: it is not UTF-8 text.
        InputErrors: it is malformed.
    """
    return parse_plan(read_text(path), str(path), form)


_PLANS = re.compile(r"(?:\.(?:plan|soln|sol|pddlplan)|(?:^|[._-])plan)(?:\.\d+)?$", re.IGNORECASE)


def plan_paths(given: Sequence[Path]) -> list[Path]:
    """Return the plan files that are given, with those below given folders, in order.

    Raises:
        UsageError: A folder has none.
    """
    found: list[Path] = []
    for path in given:
        below = sorted(each for each in path.rglob("*") if _PLANS.search(each.name) and each.is_file())
        if path.is_dir() and not below:
            hint = "plans are named NAME.plan, NAME.soln or sas_plan.1"
            raise UsageError(f"there is no plan file in {path}", hint=hint)
        found += below if path.is_dir() else [path]
    return found


def _refuse_definition(source: Source) -> None:
    """Refuse a file of another kind by one error, in place of one for each of its lines.

    Raises:
        InputErrors: the text defines a domain or a problem.
    """
    found = _DEFINITION.match(source.text)
    if found is None:
        return
    hint = "the order is: domain, problem, plans"
    message = f"this is a {found[2].lower()} file where a plan is expected"
    raise InputErrors([InputError(message, location=source.location(found.start(1)), hint=hint)])


class _Reader:
    """Reads a plan piece by piece: words, signs and comments."""

    def __init__(self, source: Source) -> None:
        self._source, self._findings = source, Findings(source)
        self._steps: list[TimedStep] = []
        self._lines: list[int] = []
        self._headers: dict[str, str] = {}
        self._cost: float | None = None
        self._unstamped = 0
        self._stamp: tuple[str, int] | None = None  # a number before a step, and whether its colon was there
        self._colon = False
        self._names: list[str] | None = None
        self._opened = 0
        self._duration: list[str] | None = None
        self._skipped = 0  # the line in which the rest is left out
        self._second: int | None = None  # a second '[' after a step

    def read(self, piece: str, at: int) -> None:
        """Read the next piece, which stands at an offset."""
        if piece[0] == ";":
            self._read_comment(piece, at)
        elif self._skipped == self._line(at):
            return
        elif self._names is not None:
            self._read_inside(piece, at)
        elif self._duration is not None:
            self._read_duration(piece, at)
        else:
            self._read_between(piece, at)

    def close(self) -> PlanFile:
        """Return the plan.

        Raises:
            InputErrors: something was wrong.
        """
        if self._names is not None:
            self._never_closed()
        elif self._duration is not None:
            self._findings.error(self._opened, "'[' is never closed", "add ']' after the duration")
        elif self._stamp is not None:
            self._refuse_stamp()
        self._findings.close()
        return PlanFile(tuple(self._steps), self._cost, **self._headers, lines=tuple(self._lines))

    def _line(self, at: int) -> int:
        return self._source.position(at).line

    def _read_comment(self, piece: str, at: int) -> None:
        if header := _HEADER.match(piece.strip()):
            self._headers[header[1].lower()] = header[2].lower()
        elif cost := _COST.search(piece):
            try:
                self._cost = float(cost[1])
            except ValueError:
                self._findings.error(at + cost.start(1), "the cost is not a number")

    def _read_inside(self, piece: str, at: int) -> None:
        """Read a piece of ``(action object ...)``."""
        assert self._names is not None
        if piece == ")":
            if self._names:
                self._add(GroundAction(self._names[0], tuple(self._names[1:])))
            else:
                self._findings.error(self._opened, "an action without a name")
            self._names = None
        elif piece == "(" and self._line(at) != self._line(self._opened):
            self._never_closed()
            self._names, self._opened = [], at
        elif piece == ":" and self._names and self._line(at) != self._line(self._opened):
            self._never_closed()  # the next step begins with its time
            self._stamp, self._colon, self._names = (self._names[-1], at), True, None
        elif piece == "(":
            self._findings.error(at, "'(' inside an action")
            self._leave(at)
        elif _NAME.match(piece):
            self._names.append(piece.lower())
        else:
            self._findings.error(at, f"'{piece}' is not a name")
            self._names.append(piece)

    def _never_closed(self) -> None:
        self._findings.error(self._opened, "'(' is never closed", "add ')' at the end of the action")
        self._stamp = None

    def _leave(self, at: int) -> None:
        """Leave out the rest of a line."""
        self._skipped, self._names, self._stamp, self._colon = self._line(at), None, None, False

    def _add(self, action: GroundAction) -> None:
        self._unstamped += self._stamp is None
        if self._second is not None:
            self._findings.error(self._second, "a second '[' after a step", "VAL reads none of the steps after it")
            self._second = None
        time = self._unstamped if self._stamp is None else _number(self._stamp[0])
        self._steps.append(TimedStep(time, action))
        self._lines.append(self._line(self._opened))
        self._stamp, self._colon = None, False

    def _read_duration(self, piece: str, at: int) -> None:
        """Read a piece of ``[1.0]``, after a step."""
        assert self._duration is not None
        if piece != "]" and not self._duration and _WHOLE_NUMBER.match(piece):
            self._duration.append(piece)
            return
        if piece != "]" or not self._duration:
            self._findings.error(at, f"a duration is expected here, not '{piece}'", "for example [1.5]")
            self._leave(at)
        elif self._second is None:
            self._steps[-1] = replace(self._steps[-1], duration=_number(self._duration[0]))
        self._duration = None

    def _read_between(self, piece: str, at: int) -> None:
        """Read a piece that is not within a step: its time, or what opens it."""
        expected = self._stamp is None or self._colon
        if piece == "(" and expected:
            self._names, self._opened = [], at
        elif piece == "[" and self._stamp is None and self._steps and self._steps[-1].duration is None:
            self._duration, self._opened = [], at
        elif piece == "[" and self._stamp is None and self._steps:
            self._second, self._duration, self._opened = at, [], at  # after the last step it does no harm
        elif piece == ":" and self._stamp is not None and not self._colon:
            self._colon = True
        elif self._stamp is None and _WHOLE_NUMBER.match(piece):
            self._stamp = piece, at
        elif piece.lower() == "time" and self._source.position(at).column == 1:
            self._skipped = self._line(at)  # "Time 0.1": how long the planner took
        elif piece == ")":
            self._findings.error(at, "')' without '('")
            self._leave(at)
        elif self._stamp is not None and not self._colon:
            self._refuse_stamp()
            self._leave(at)
        else:
            hint = "one action per line: (name object ...); --plan-format log reads a planner's whole output"
            self._findings.error(at, f"expected '(' before '{piece}'", hint)
            self._leave(at)

    def _refuse_stamp(self) -> None:
        assert self._stamp is not None
        stamp, at = self._stamp
        if self._colon:
            self._findings.error(at, f"no action follows '{stamp}:'")
        else:
            hint = f"a number or time before an action ends with ':', as in {stamp}: (name object ...)"
            self._findings.error(at, f"expected '(' before '{stamp}'", hint)


# A planner's output: lines that are steps, among others.


_MARK = re.compile(r"^\s*(?:step\s+\d+\s*:|(?:sequential|timetriggered)plan:|ff: )", re.IGNORECASE | re.MULTILINE)
_STAMP = rf"\s*(?:step\s+)?(?:({_NUMBER})\s*:)?\s*"
_LENGTH = rf"\s*(?:\[\s*(?:D:)?({_NUMBER})[^\]]*\])?\s*$"
_CALLS = r"((?:[^\s()\[\],:;?]+\([^()]*\)\s*)+)"
_IN_LOG = re.compile(rf"{_STAMP}(?:\(([^()\[\]]+)\)|{_CALLS}){_LENGTH}", re.IGNORECASE)
_BARE = re.compile(rf"\s*(?:step\s+)?({_NUMBER})\s*:\s*([^\s()\[\],:;?]+(?:\s+[^\s()\[\],:;?]+)*)\s*$", re.IGNORECASE)
_WITH_COST = re.compile(r"([^\s()\[\],:;?]+(?: [^\s()\[\],:;?]+)*) \(\d+\)$")
_CALL = re.compile(r"([^\s()\[\],:;?]+)\(([^()]*)\)")
_ONLY_CALLS = re.compile(rf"{_CALLS}\s*$")
_PRETENDED = "reach-goal"
"""The last step of FF's plans for goals that are no conjunction: no action of the domain."""


def _looks_like_log(text: str) -> bool:
    if _MARK.search(text):
        return True
    lines = [line.split(";", 1)[0].strip() for line in text.splitlines()]
    return any(lines) and all(_ONLY_CALLS.match(line) for line in lines if line)


def _parse_log(source: Source) -> PlanFile:
    """Read the last run of lines that are steps.

    Raises:
        InputErrors: there is none.
    """
    plan: list[tuple[TimedStep, int]] = []
    unstamped, fresh = 0, True
    for number, line in enumerate(source.text.split("\n"), 1):
        found = list(_steps_of(line.rstrip()))
        if found and fresh:
            plan, unstamped, fresh = [], 0, False
        for time, words, duration in found:
            unstamped += time is None
            step = TimedStep(unstamped if time is None else time, GroundAction(words[0], tuple(words[1:])), duration)
            plan.append((step, number))
        if not found and line.strip() and not line.lstrip().startswith(";"):
            fresh = True
    if not plan:
        message = "no line of this file is a step of a plan"
        raise InputErrors([InputError(message, location=Location(source.path), hint="(name object ...)")])
    return PlanFile(tuple(step for step, _ in plan), lines=tuple(number for _, number in plan))


def _steps_of(line: str) -> Iterator[tuple[Number | None, list[str], Number | None]]:
    """Yield the steps that a line of output holds, each with its time, words and duration."""
    line = line.lower()
    if bare := _BARE.match(line):
        if bare[2] != _PRETENDED:
            yield _number(bare[1]), bare[2].split(), None
    elif cost := _WITH_COST.match(line):
        yield None, cost[1].split(), None
    elif found := _IN_LOG.match(line):
        time = None if found[1] is None else _number(found[1])
        duration = None if found[4] is None else _number(found[4])
        if found[2] is not None and found[2].split():
            yield time, found[2].split(), duration
        for call in _CALL.finditer(found[3] or ""):
            yield time, [call[1], *call[2].replace(",", " ").split()], duration


def _number(text: str) -> Number:
    return whole(Fraction(text))
