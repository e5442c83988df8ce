"""Marking answers: which are right, by kind of question, beside what guessing would get."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from chorewright.errors import InputError, Location, UsageError
from chorewright.files.text import read_text

FOLDER = "data"


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of one kind of question.

    Attributes:
        kind: The kind; ``all`` for the mean of all kinds.
        asked: How many questions there are.
        answered: How many have an answer.
        right: How many answers are right.
        chance: The share that guessing gets right.
    """

    kind: str
    asked: int
    answered: int
    right: int
    chance: float

    @property
    def accuracy(self) -> float:
        """The share of right answers among all questions."""
        return self.right / self.asked if self.asked else 0.0


def mark(questions: Iterable[Mapping[str, object]], answers: Mapping[str, str]) -> tuple[Marks, ...]:
    """Return the marks by kind, in the order of the questions; an answer may be an option or its letter.

    Args:
        questions: Rows of an export.
        answers: The answers by the questions' ids.
    """
    counts: dict[str, list[float]] = {}
    for row in questions:
        options = [str(each) for each in _list(row["options"])]
        found = counts.setdefault(str(row["kind"]), [0, 0, 0, 0.0])
        found[0] += 1
        found[3] += 1 / len(options)
        given = answers.get(str(row["id"]))
        if given is not None:
            found[1] += 1
            found[2] += _plain(given) in _right(options, str(row["answer"]))
    return tuple(
        Marks(kind, int(asked), int(answered), int(right), chance / asked)
        for kind, (asked, answered, right, chance) in counts.items()
    )


def _right(options: list[str], answer: str) -> set[str]:
    return {_plain(answer), chr(ord("a") + options.index(answer))}


def _plain(answer: str) -> str:
    return answer.strip().rstrip(".)").strip().lower()


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def read_questions(folder: Path) -> Iterator[dict[str, object]]:
    """Yield the questions of an export.

    Raises:
        UsageError: There are none.
        InputError: A line is no question.
    """
    files = sorted((folder / FOLDER).glob("*.jsonl")) if folder.is_dir() else [folder] if folder.is_file() else []
    if not files:
        raise UsageError(f"there are no questions in {folder}", hint="give a folder of export --format questions")
    for path in files:
        for number, row in _lines(path):
            if not all(name in row for name in ("id", "kind", "options", "answer")):
                message = "a question with 'id', 'kind', 'options' and 'answer' is expected here"
                raise InputError(message, location=Location(str(path), number))
            yield row


def read_answers(path: Path) -> dict[str, str]:
    """Return answers by ids, of lines like ``{"id": "...", "answer": "yes"}``.

    Raises:
        UsageError: The file cannot be read.
        InputError: A line is no answer, or an id is answered twice.
    """
    found: dict[str, str] = {}
    for number, row in _lines(path):
        name, answer = row.get("id"), row.get("answer")
        where = Location(str(path), number)
        if not isinstance(name, str) or not isinstance(answer, str | int):
            raise InputError("an answer is expected here", location=where, hint='{"id": "...", "answer": "yes"}')
        if name in found:
            raise InputError(f"the question {name!r} is answered twice", location=where)
        found[name] = str(answer)
    return found


def _lines(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            where = Location(str(path), number, getattr(error, "colno", None))
            raise InputError(f"this is not JSON: {error}", location=where) from error
        if not isinstance(row, dict):
            raise InputError("a JSON object is expected here", location=Location(str(path), number))
        yield number, row
