"""Plan files in the format of the planning competitions, read with positions and written with cost.

One ``(action object ...)`` per line, comments after ``;``, and at the end ``; cost = 7 (general cost)``.
The two comments ``;;!domain:`` and ``;;!problem:`` let editors find what a plan belongs to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import ChorewrightError, InputError, InputErrors, Location, UnsupportedError
from chorewright.planner.plan import GroundAction

_TOKEN = re.compile(r"[()\[\]]|[^\s()\[\];]+")
_HEADER = re.compile(r";;!\s*(domain|problem):\s*(\S+)\s*$", re.IGNORECASE)
_COST = re.compile(r";\s*cost\s*=\s*([0-9.eE+-]+)\s*(?:\((unit|general) cost\))?", re.IGNORECASE)
_TIME = re.compile(r"^\d+(\.\d*)?:?$")
_NAME = re.compile(r"^[^\s()\[\];:?]+$")


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan as its file gives it, in lower case; what is not given is None."""

    actions: tuple[GroundAction, ...]
    cost: float | None = None
    domain: str | None = None
    problem: str | None = None


def parse_plan(text: str, path: str | None = None) -> PlanFile:
    """Read a plan.

    Raises:
        InputErrors: everything that is wrong with the file, each with its line and column.
    """
    errors: list[ChorewrightError] = []
    actions: list[GroundAction] = []
    headers: dict[str, str] = {}
    cost: float | None = None
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        header = _HEADER.match(line.strip())
        if header:
            headers[header[1].lower()] = header[2].lower()
            continue
        comment = _COST.search(line)
        if comment:
            try:
                cost = float(comment[1])
            except ValueError:
                errors.append(
                    _error(InputError, "the cost is not a number", path, number, comment.start(1), line)
                )
        code = line.split(";", 1)[0]
        actions.extend(_line(code, line, number, path, errors))
    if errors:
        raise InputErrors(errors)
    return PlanFile(tuple(actions), cost, headers.get("domain"), headers.get("problem"))


def _line(
    code: str, line: str, number: int, path: str | None, errors: list[ChorewrightError]
) -> list[GroundAction]:
    """Actions of one line; what is wrong goes into ``errors``."""
    found: list[GroundAction] = []
    names: list[str] | None = None
    opened = 0
    for match in _TOKEN.finditer(code):
        token, column = match[0], match.start()
        if token == "(":
            if names is not None:
                errors.append(_error(InputError, "'(' inside an action", path, number, column, line))
                return found
            names, opened = [], column
        elif token == ")":
            if names is None:
                errors.append(_error(InputError, "')' without '('", path, number, column, line))
                return found
            if not names:
                errors.append(_error(InputError, "an action without a name", path, number, opened, line))
            else:
                found.append(GroundAction(names[0], tuple(names[1:])))
            names = None
        elif names is None:
            if _TIME.match(token) or token in "[]":
                message = "this is a temporal plan (it gives times or durations), which is not supported"
                errors.append(_error(UnsupportedError, message, path, number, column, line))
                return found
            message = f"expected '(' before '{token}'"
            hint = "one action per line: (name object ...)"
            errors.append(_error(InputError, message, path, number, column, line, hint))
            return found
        elif not _NAME.match(token):
            errors.append(_error(InputError, f"'{token}' is not a name", path, number, column, line))
            names.append(token.lower())
        else:
            names.append(token.lower())
    if names is not None:
        hint = "add ')' at the end of the action"
        errors.append(_error(InputError, "'(' is never closed", path, number, opened, line, hint))
    return found


def _error(
    kind: type[ChorewrightError],
    message: str,
    path: str | None,
    line: int,
    column: int,
    source: str,
    hint: str | None = None,
) -> ChorewrightError:
    return kind(message, location=Location(path, line, column + 1, source), hint=hint)


def read_plan(path: str | Path) -> PlanFile:
    """Read a plan file.

    Raises:
        InputErrors: the file cannot be read or is malformed.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        message = f"not UTF-8 text: byte {error.start} is 0x{error.object[error.start]:02x}"
        raise InputErrors([InputError(message, location=Location(str(path)))]) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputErrors(
            [InputError(f"cannot read the plan: {reason}", location=Location(str(path)))]
        ) from None
    return parse_plan(text, str(path))


def write_plan(
    actions: Sequence[GroundAction], cost: float, domain: Domain | None = None, problem: Problem | None = None
) -> str:
    """The text of a plan file. The cost is called general if the problem has a metric, else unit."""
    lines = []
    if domain is not None:
        lines.append(f";;!domain: {domain.name}")
    if problem is not None:
        lines.append(f";;!problem: {problem.name}")
    lines.extend(str(action) for action in actions)
    general = problem is not None and problem.minimize_cost
    shown = str(int(cost)) if cost == int(cost) else repr(cost)
    lines.append(f"; cost = {shown} ({'general' if general else 'unit'} cost)")
    return "\n".join(lines) + "\n"
