"""Marking problems that were written of descriptions: a problem is right if it is equivalent to the one described."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from chorewright.domains.pddl.parser import parse_domain, parse_problem
from chorewright.errors import ChorewrightError, InputError, Location
from chorewright.files.text import read_text
from chorewright.planner.equivalence import compare_problems
from chorewright.planner.plan import Limits

VERDICTS = ("equivalent", "different", "undecided", "unreadable", "missing")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of one answer: one of ``VERDICTS``, and why."""

    id: str
    level: str
    verdict: str
    reason: str


def judge(rows: Iterable[Mapping[str, object]], answers: Mapping[str, str], evaluations: int) -> tuple[Verdict, ...]:
    """Return the verdicts on problems, in the order of the descriptions.

    Args:
        rows: Rows of an export of descriptions.
        answers: Problems as PDDL, by the descriptions' ids.
        evaluations: What each search for a difference may evaluate.
    """
    found = []
    for row in rows:
        name, level = str(row["id"]), str(row["level"])
        if name not in answers:
            found.append(Verdict(name, level, "missing", "there is no answer"))
            continue
        domain = parse_domain(str(row["domain"]))
        wanted = parse_problem(str(row["problem"]), domain)
        try:
            given = parse_problem(answers[name], domain, name)
        except ChorewrightError as error:
            found.append(Verdict(name, level, "unreadable", str(error).splitlines()[0]))
            continue
        said = compare_problems(domain, wanted, given, Limits(evaluations=evaluations))
        found.append(Verdict(name, level, said.likeness.value, said.reason))
    return tuple(found)


def counts(verdicts: Iterable[Verdict]) -> dict[str, Counter[str]]:
    """Return the number of each verdict by level, in the order of the verdicts."""
    found: dict[str, Counter[str]] = {}
    for each in verdicts:
        found.setdefault(each.level, Counter())[each.verdict] += 1
    return found


def read_rows(path: Path, fields: tuple[str, ...]) -> list[dict[str, str]]:
    """Return the lines of a JSON file, each an object with these texts.

    Raises:
        UsageError: The file cannot be read.
        InputError: A line is something else.
    """
    rows = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip():
            continue
        where = Location(str(path), number)
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"this is not JSON: {error}", location=where) from error
        if not isinstance(row, dict) or not all(isinstance(row.get(name), str) for name in fields):
            raise InputError(f"an object with the texts {', '.join(fields)} is expected here", location=where)
        rows.append(row)
    return rows
