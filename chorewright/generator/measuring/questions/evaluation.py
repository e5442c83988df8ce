"""Answers to questions marked: which are right, by kind of question, beside what guessing would get."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from chorewright.errors import InputError, Location, UsageError
from chorewright.files.text import readable
from chorewright.generator.measuring.evaluation import Episodes, Evaluation, Summary, checksum, mean, read_rows
from chorewright.generator.measuring.trial import QuestionsTrial

FOLDER = "data"


@dataclass(frozen=True, slots=True)
class QuestionScore:
    """The mark of one question.

    Attributes:
        id: The question.
        kind: Its kind.
        answered: Whether it has an answer.
        right: Whether that is right.
        chance: The share that guessing gets right.
    """

    id: str
    kind: str
    answered: bool
    right: bool
    chance: float


class QuestionsEvaluation(Evaluation[QuestionsTrial, QuestionScore]):
    """Mark answers to questions, by kind; an answer may be an option or its letter. What is missing counts as wrong."""

    options = QuestionsTrial

    def open(self, trial: QuestionsTrial) -> Episodes[QuestionScore]:
        """Return the questions of an export, each with its answer."""
        rows = list(read_questions(Path(trial.dataset)))
        answers = read_answers(readable(Path(trial.answers)))
        unknown = sorted(answers.keys() - {str(row["id"]) for row in rows})
        if unknown:
            others = len(unknown) - 1
            raise UsageError(f"there is no question {unknown[0]!r}, which is answered (as are {others} others)")
        content = partial(checksum, (rows, answers))
        return Episodes(QuestionScore, len(rows), content, lambda index: mark(rows[index], answers), chunk=10_000)

    def summary(self, trial: QuestionsTrial, scores: Sequence[QuestionScore], columns: int) -> Summary:
        """Return the marks by kind, in the order of the questions, and their mean."""
        kinds = by_kind(scores)
        overall = mean(each["accuracy"] for each in kinds.values())
        lines = [
            f"{kind:18} {each['right']} of {each['asked']} right ({100 * each['accuracy']:.1f} %), "
            f"guessing {100 * each['chance']:.0f} %"
            for kind, each in kinds.items()
        ]
        return Summary(
            {"kinds": kinds, "mean_accuracy": overall}, (*lines, f"{'mean of kinds':18} {100 * overall:.1f} %")
        )


def by_kind(scores: Sequence[QuestionScore]) -> dict[str, dict[str, float]]:
    """Return how many questions of each kind were asked, answered and right, in the order of the questions."""
    kinds: dict[str, dict[str, float]] = {}
    for kind in dict.fromkeys(each.kind for each in scores):
        every = [each for each in scores if each.kind == kind]
        kinds[kind] = {
            "asked": len(every),
            "answered": sum(each.answered for each in every),
            "right": sum(each.right for each in every),
            "accuracy": mean(each.right for each in every),
            "chance": mean(each.chance for each in every),
        }
    return kinds


def mark(question: Mapping[str, object], answers: Mapping[str, str]) -> QuestionScore:
    """Return the mark of a question; an answer may be an option or its letter.

    Args:
        question: A row of an export.
        answers: Answers by the questions' ids.
    """
    options = question["options"]
    plain = [_plain(str(each)) for each in options] if isinstance(options, list) else []
    name, answer = str(question["id"]), _plain(str(question["answer"]))
    given = answers.get(name)
    right = given is not None and _plain(given) in (answer, chr(ord("a") + plain.index(answer)))
    return QuestionScore(name, str(question["kind"]), given is not None, right, 1 / len(plain))


def _plain(answer: str) -> str:
    return answer.strip().rstrip(".)").strip().lower()


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
        yield from read_rows(path, keys=("id", "kind", "options", "answer"))


def read_answers(path: Path) -> dict[str, str]:
    """Return answers by ids, of lines like ``{"id": "...", "answer": "yes"}``.

    Raises:
        UsageError: The file cannot be read.
        InputError: A line is no answer, or an id is answered twice.
    """
    answers: dict[str, str] = {}
    for row in read_rows(path, ("id",), ("answer",)):
        name, answer = row["id"], row["answer"]
        if name in answers or not isinstance(answer, str | int):
            said = "is answered twice" if name in answers else "has an answer that is no text"
            raise InputError(f"the question {name!r} {said}", location=Location(str(path)))
        answers[name] = str(answer)
    return answers
