"""Plans with times: ``time: (action object ...) [duration]``, one a line, in any order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from chorewright.domains.pddl.source import MAX_FINDINGS
from chorewright.domains.values import Number, number_text, whole
from chorewright.errors import ChorewrightError, InputError, InputErrors, Location
from chorewright.files.text import read_text
from chorewright.planner.plan import GroundAction

_NUMBER = r"\d+(?:\.\d*)?(?:e[+-]?\d+)?"
_STEP = re.compile(rf"\s*({_NUMBER})\s*:\s*\(([^()\[\]]*)\)\s*(?:\[\s*({_NUMBER})\s*\])?\s*$", re.IGNORECASE)
_NAME = re.compile(r"[^\s()\[\];:?]+$")


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
        if match and names and all(map(_NAME.match, names)):
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


def read_timed_plan(path: str | Path) -> tuple[TimedStep, ...]:
    """Read a plan file with times.

    Raises:
        UsageError: The file cannot be read.
        InputErrors: It is malformed.
    """
    return parse_timed_plan(read_text(path), str(path))
