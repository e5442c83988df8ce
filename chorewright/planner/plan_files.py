"""Plan files in the format of the planning competitions, read with positions and written with cost.

One ``(action object ...)`` per line, comments after ``;``, and at the end ``; cost = 7 (general cost)``.
Before an action may stand its number or time (``3: (action object ...)``), as VAL and ENHSP write it.
The two comments ``;;!domain:`` and ``;;!problem:`` let editors find what a plan belongs to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from chorewright.domains.facts import Number, number_text, whole
from chorewright.domains.pddl.source import MAX_FINDINGS
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import ChorewrightError, InputError, InputErrors, Location, UnsupportedError
from chorewright.files.text import read_text
from chorewright.planner.plan import GroundAction

_TOKEN = re.compile(r"[()\[\]]|[^\s()\[\];]+")
_HEADER = re.compile(r";;!\s*(domain|problem):\s*(\S+)\s*$", re.IGNORECASE)
_COST = re.compile(r";\s*cost\s*=\s*([0-9.eE+-]+)\s*(?:\((unit|general) cost\))?", re.IGNORECASE)
_STAMP = re.compile(r"^\d+(\.\d*)?(e[+-]?\d+)?:$", re.IGNORECASE)
_UNMARKED = re.compile(r"^\d+(\.\d*)?(e[+-]?\d+)?$", re.IGNORECASE)
_NAME = re.compile(r"^[^\s()\[\];:?]+$")
_DEFINITION = re.compile(r"(?:\s|;[^\n]*\n)*(\()\s*define\s*\(\s*(domain|problem)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan as its file gives it, in lower case; what is not given is None. ``lines`` are those of the actions."""

    actions: tuple[GroundAction, ...]
    cost: float | None = None
    domain: str | None = None
    problem: str | None = None
    lines: tuple[int, ...] = field(default=(), compare=False)


def parse_plan(text: str, path: str | None = None) -> PlanFile:
    """Read a plan.

    Args:
        text: The text of a plan file.
        path: Where it comes from, for messages.

    Raises:
        InputErrors: what is wrong with the file, each with its line and column: durations and the order of
            times once for all, of everything else the first ones.
    """
    text = text.removeprefix("\ufeff")
    _refuse_definition(text, path)
    findings = _Findings(path)
    actions: list[GroundAction] = []
    lines: list[int] = []
    stamps: list[str] = []
    headers: dict[str, str] = {}
    cost: float | None = None
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line.strip())
        if header:
            headers[header[1].lower()] = header[2].lower()
            continue
        here = _Line(line, number, path, findings)
        comment = _COST.search(line)
        if comment:
            try:
                cost = float(comment[1])
            except ValueError:
                here.wrong("the cost is not a number", comment.start(1))
        actions.extend(here.actions(stamps))
        lines.extend([number] * (len(actions) - len(lines)))
    findings.close()
    return PlanFile(tuple(actions), cost, headers.get("domain"), headers.get("problem"), tuple(lines))


def _refuse_definition(text: str, path: str | None) -> None:
    """Refuse a file of another kind by one error, in place of one for each of its lines.

    Raises:
        InputErrors: the text defines a domain or a problem.
    """
    found = _DEFINITION.match(text)
    if found is None:
        return
    before = text[: found.start(1)]
    start = before.rfind("\n") + 1
    location = Location(path, before.count("\n") + 1, len(before) - start + 1, text[start:].splitlines()[0])
    hint = "the order is: domain, problem, plans"
    message = f"this is a {found[2].lower()} file where a plan is expected"
    raise InputErrors([InputError(message, location=location, hint=hint)])


@dataclass(slots=True)
class _Findings:
    """What is wrong with a plan file, in the order of its lines.

    Attributes:
        path: The file.
        errors: The errors so far.
        once: For what is said once: its place among the errors, and in how many further places it is so.
        more: Whether there were more errors than are kept.
    """

    path: str | None
    errors: list[ChorewrightError] = field(default_factory=list)
    once: dict[str, tuple[int, int]] = field(default_factory=dict)
    more: bool = False

    def add(self, error: ChorewrightError, once: str | None) -> None:
        """Keep an error, unless there are enough; of those with the same ``once`` only the first."""
        if once in self.once:
            place, further = self.once[once]
            self.once[once] = place, further + 1
        elif once is None and len(self.errors) - len(self.once) >= MAX_FINDINGS:
            self.more = True
        else:
            if once is not None:
                self.once[once] = len(self.errors), 0
            self.errors.append(error)

    def close(self) -> None:
        """End the run.

        Raises:
            InputErrors: there are findings.
        """
        for place, further in self.once.values():
            if further:
                found = self.errors[place]
                places = "1 further place" if further == 1 else f"{further} further places"
                message = f"{found.message} (as in {places})"
                self.errors[place] = type(found)(message, location=found.location, hint=found.hint)
        if self.more:
            message = f"more errors are not shown: only the first {MAX_FINDINGS} are kept"
            self.errors.append(InputError(message, location=Location(self.path)))
        if self.errors:
            raise InputErrors(self.errors)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a plan file; what is wrong with it goes into ``findings``."""

    text: str
    number: int
    path: str | None
    findings: _Findings

    def wrong(
        self,
        message: str,
        column: int,
        hint: str | None = None,
        kind: type[ChorewrightError] = InputError,
        once: str | None = None,
    ) -> None:
        """Record an error at a column, counted from 0; of those with the same ``once`` only the first."""
        location = Location(self.path, self.number, column + 1, self.text)
        self.findings.add(kind(message, location=location, hint=hint), once)

    def actions(self, stamps: list[str]) -> list[GroundAction]:
        """The actions up to an error; numbers and times before them are added to ``stamps``."""
        code = self.text.split(";", 1)[0]
        found: list[GroundAction] = []
        names: list[str] | None = None
        opened = 0
        stamped = False
        for match in _TOKEN.finditer(code):
            token, column = match[0], match.start()
            if token == "(":
                if names is not None:
                    self.wrong("'(' inside an action", column)
                    return found
                names, opened, stamped = [], column, False
            elif token == ")":
                if names is None:
                    self.wrong("')' without '('", column)
                    return found
                if not names:
                    self.wrong("an action without a name", opened)
                else:
                    found.append(GroundAction(names[0], tuple(names[1:])))
                names = None
            elif names is not None:
                if not _NAME.match(token):
                    self.wrong(f"'{token}' is not a name", column)
                names.append(token.lower())
            elif stamped or not _STAMP.match(token):
                self._refuse(token, column)
                return found
            else:
                stamped = True
                self._stamp(token, column, stamps)
        if names is not None:
            self.wrong("'(' is never closed", opened, "add ')' at the end of the action")
        elif stamped:
            self.wrong(f"no action follows '{stamps[-1]}'", code.rindex(stamps[-1]))
        return found

    def _stamp(self, token: str, column: int, stamps: list[str]) -> None:
        if stamps and float(token[:-1]) < float(stamps[-1][:-1]):
            message = f"'{token}' follows '{stamps[-1]}': steps are run in the order of the file"
            self.wrong(message, column, "sort the steps by their times", once="order")
        stamps.append(token)

    def _refuse(self, token: str, column: int) -> None:
        if token in "[]":
            message = "this is a temporal plan (it gives durations), which is not supported"
            self.wrong(message, column, kind=UnsupportedError, once="durations")
            return
        hint = "one action per line: (name object ...)"
        if _UNMARKED.match(token):
            hint = f"a number or time before an action ends with ':', as in {token}: (name object ...)"
        self.wrong(f"expected '(' before '{token}'", column, hint)


def read_plan(path: str | Path) -> PlanFile:
    """Read a plan file.

    Raises:
        UsageError: the file cannot be read.
        InputError: it is not UTF-8 text.
        InputErrors: it is malformed.
    """
    return parse_plan(read_text(path), str(path))


def write_plan(
    actions: Sequence[GroundAction], cost: float, domain: Domain | None = None, problem: Problem | None = None
) -> str:
    """Return the text of a plan file.

    Args:
        actions: The plan.
        cost: Its cost; it is called general if the problem has a metric, else unit.
        domain: The domain to name in a header; None for no header, as with the problem.
        problem: The problem to name.
    """
    lines = []
    if domain is not None:
        lines.append(f";;!domain: {domain.name}")
    if problem is not None:
        lines.append(f";;!problem: {problem.name}")
    lines.extend(str(action) for action in actions)
    general = problem is not None and (problem.minimize_cost or problem.metric is not None)
    shown = str(int(cost)) if cost == int(cost) else repr(cost)
    lines.append(f"; cost = {shown} ({'general' if general else 'unit'} cost)")
    return "\n".join(lines) + "\n"


# Plans with times: ``time: (action object ...) [duration]``, one a line, in any order.


_NUMBER = r"\d+(?:\.\d*)?(?:e[+-]?\d+)?"
_STEP = re.compile(rf"\s*({_NUMBER})\s*:\s*\(([^()\[\]]*)\)\s*(?:\[\s*({_NUMBER})\s*\])?\s*$", re.IGNORECASE)
_TIMED_PLANS_NAME = re.compile(r"[^\s()\[\];:?]+$")


@dataclass(frozen=True, slots=True)
class TimedStep:
    """An action, when it starts, and how long it takes; no ``duration`` is one that takes no time."""

    time: Number
    action: GroundAction
    duration: Number | None = None

    def __str__(self) -> str:
        duration = "" if self.duration is None else f" [{number_text(self.duration)}]"
        return f"{number_text(self.time)}: {self.action}{duration}"


def parse_timed_plan(text: str, path: str | None = None) -> tuple[TimedStep, ...]:
    """Read a plan with times; comments after ``;`` mean nothing.

    Raises:
        InputErrors: lines are no steps; each with its line and column.
    """
    found: list[TimedStep] = []
    errors: list[ChorewrightError] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        code = line.split(";", 1)[0]
        if not code.strip():
            continue
        match = _STEP.match(code)
        names = match[2].lower().split() if match else []
        if match and names and all(map(_TIMED_PLANS_NAME.match, names)):
            duration = None if match[3] is None else _number(match[3])
            found.append(TimedStep(_number(match[1]), GroundAction(names[0], tuple(names[1:])), duration))
            continue
        column = len(code) - len(code.lstrip()) + 1
        hint = "a step of a plan with durations: 0.5: (drive van depot) [3.25]"
        message = f"a step with its time is expected here, not '{code.strip()[:60]}'"
        errors.append(InputError(message, location=Location(path, number, column, line), hint=hint))
    if errors:
        raise InputErrors(errors[:MAX_FINDINGS])
    return tuple(found)


def _number(text: str) -> Number:
    return whole(Fraction(text))
