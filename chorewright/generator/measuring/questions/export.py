"""Questions for language models, as JSON lines with options and right answers by split; and answers to them marked.

``problems.jsonl`` has the domain, the problem and the plan that questions are about, as PDDL.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.pddl.writer import write_domain, write_problem
from chorewright.errors import InputError, StorageError
from chorewright.files.english import require_known
from chorewright.files.records import decode_record
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import option
from chorewright.generator.measuring.evaluation import (
    Episodes,
    Evaluation,
    Summary,
    checksum,
    mean,
    read_answers,
    read_asked,
)
from chorewright.generator.measuring.questions.making import KINDS, QuestionStyle, QuestionTime, questions_of
from chorewright.generator.measuring.questions.rules import rules_text
from chorewright.generator.measuring.questions.situation import ProblemQuestion, situation_of
from chorewright.generator.measuring.trial import QuestionsTrial
from chorewright.generator.pddl.sources import StoredProblem, read_problem
from chorewright.generator.training import exporter
from chorewright.generator.training.export_marker import MARKER
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.planning import solve

LARGEST = 5000
"""Questions of a file."""

LETTERS = "ABCD"


@dataclass(frozen=True, slots=True)
class QuestionOptions:
    """The options of ``export --format questions``.

    Attributes:
        each: So many of each kind for a problem: pairs of yes and no, or choices of four.
        kinds: Only this kind; may be repeated. Words are joined by '-': next-state.
        seed: Another seed, other questions.
    """

    each: int = option(2, metavar="N", low=1, high=100)
    kinds: tuple[str, ...] = option((), flags=("--kind",), metavar="KIND")
    seed: int = option(0, metavar="N", low=0)


class QuestionsExporter(exporter.Exporter[QuestionOptions]):
    """Writes questions about accepted episodes of the benchmark ``pddl``."""

    name = "questions"
    accepts = ("pddl",)
    options = QuestionOptions

    def check(self) -> None:
        """Check the options; see ``Exporter.check``."""
        style_of(self.asked)

    def write(self, episodes: Iterable[Episode], target: Path) -> exporter.Exported:
        """Write the questions; see ``Exporter.write``."""
        folder = exporter.export_folder(episodes, target, self.name)
        files = QuestionFiles(folder, style_of(self.asked))
        for episode in folder.take(self.follow(episodes)):
            stored = read_problem(episode)
            files.add(f"{stored.domain.name}-{episode.index}", stored, episode.plan, episode.split)
        files.close()
        return folder.report()


def style_of(options: QuestionOptions) -> QuestionStyle:
    """Return how questions are made by some options.

    Raises:
        UsageError: There is no such kind.
    """
    known = {kind.replace(" ", "-"): kind for kind in KINDS}
    for name in options.kinds:
        require_known(name, known, f"there is no kind of question {name!r}", f"kinds: {', '.join(known)}")
    kinds = tuple(known[name] for name in dict.fromkeys(options.kinds)) or KINDS
    return QuestionStyle(options.each, kinds, options.seed)


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions about one problem as rows of a file, and the problem's row."""

    rows: tuple[Mapping[str, object], ...]
    about: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class KeptProblem:
    """What was made for one problem.

    Attributes:
        key: Stands for all that it was made from.
        asked: The questions; None without a plan.
        places: How many choices of each kind there were after it.
    """

    key: str
    asked: Asked | None
    places: Mapping[str, int]


@dataclass(slots=True)
class KeptQuestions:
    """Questions that are made, problem by problem, in a file from which an interrupted run goes on.

    Attributes:
        path: The file.
        before: What earlier runs have made, by its key.
    """

    path: Path
    before: dict[str, KeptProblem] = field(default_factory=dict)

    @staticmethod
    def of(path: Path) -> KeptQuestions:
        """Read what is there; a line that was not written to its end counts for nothing."""
        kept = KeptQuestions(path)
        for line in path.read_text("utf-8").splitlines() if path.is_file() else ():
            with suppress(InputError):
                one = decode_record(KeptProblem, line)
                kept.before[one.key] = one
        return kept

    def add(self, one: KeptProblem) -> None:
        """Append what was made."""
        with self.path.open("ab") as file:
            file.write(exporter.json_line(asdict(one)))

    def forget(self) -> None:
        """Remove the file: the run is done."""
        self.path.unlink(missing_ok=True)


def require_same_problems(folder: Path, domain: Domain, problems: Mapping[str, Problem]) -> None:
    """Check that what questions in a folder are about is among some problems of a domain.

    Raises:
        StorageError: They are about others.
        InputError: ``problems.jsonl`` is damaged.
    """
    path, told = folder / "problems.jsonl", {name: write_problem(each) for name, each in problems.items()}
    ours = path.is_file() and (folder / MARKER).is_file()
    for _, row in read_asked(path, "questions", {"id": str, "domain": str, "problem": str}) if ours else ():
        if (row["domain"], row["problem"]) != (write_domain(domain), told.get(row["id"])):
            message = f"{folder} holds questions about other problems, such as {row['id']!r}"
            raise StorageError(message, hint="choose a new folder, or delete this one first")


class QuestionFiles:
    """The files of an export of questions, written as they fill."""

    def __init__(self, folder: exporter.ExportFolder, style: QuestionStyle, limit: QuestionTime | None = None) -> None:
        """Begin an export.

        Args:
            folder: Where to write.
            style: How many questions of which kinds.
            limit: The time for them; none is set by default.
        """
        self._folder, self._style, self._limit = folder, style, limit or QuestionTime()
        self._rows = exporter.SplitLines(folder, LARGEST)
        self._places: Counter[str] = Counter()
        self._told: list[bytes] = []
        self._rules: dict[str, str] = {}
        self.problems = self.questions = 0

    def add(self, name: str, about: StoredProblem, plan: Sequence[GroundAction], split: str) -> None:
        """Write the questions of a problem.

        Args:
            name: A name for the problem, which no other has.
            about: The problem, with its domain and wordings; guesses serve for what is not worded.
            plan: A plan for it.
            split: The split that the questions belong to.

        Raises:
            UnsupportedError: The domain has durative actions.
        """
        self._write(split, self._ask(name, about, plan))

    def ask(self, name: str, about: StoredProblem, evaluations: int, kept: KeptQuestions) -> bool:
        """Plan a problem and write its questions, or those that an interrupted run has kept.

        Args:
            name: A name for the problem, which no other has.
            about: The problem, with its domain and wordings.
            evaluations: What the planner may evaluate.
            kept: What earlier runs have made; it gets what this one makes.

        Returns:
            Whether there are questions: none without a plan of a step or more.

        Raises:
            Stopped: The time for all questions is over.
            UnsupportedError: The domain has durative actions.
        """
        texts = write_domain(about.domain), write_problem(about.problem), repr(about.wordings)
        given = *texts, name, evaluations, self._style, self._limit.each, sorted(self._places.items())
        key = hashlib.sha256(repr(given).encode()).hexdigest()
        before = kept.before.get(key)
        if before is not None:
            self._places = Counter(before.places)
        else:
            plan = solve(about.domain, about.problem, Limits(self._limit.rest(), evaluations=evaluations))
            self._limit.rest()
            steps = plan.actions if isinstance(plan, Plan) else ()
            before = KeptProblem(key, self._ask(name, about, steps) if steps else None, dict(self._places))
            kept.add(before)
        if before.asked is not None:
            self._write("train", before.asked)
        return before.asked is not None

    def _ask(self, name: str, about: StoredProblem, plan: Sequence[GroundAction]) -> Asked:
        domain, problem, words = about.domain, about.problem, about.wordings
        text = write_domain(domain)
        if text not in self._rules:
            self._rules[text] = rules_text(domain, words)
        situation = situation_of(domain, problem, plan, words)
        made = questions_of(situation, name, self._style, self._places, self._limit)
        rows = tuple(_row(f"{name}-{number}", name, each, self._rules[text]) for number, each in enumerate(made))
        told = {"id": name, "domain": text, "problem": write_problem(problem), "plan": list(map(str, plan))}
        return Asked(rows, told)

    def _write(self, split: str, asked: Asked) -> None:
        for row in asked.rows:
            self._rows.add(split, row)
        self.questions += len(asked.rows)
        self._told.append(exporter.json_line(asked.about))
        self.problems += 1

    def close(self) -> int:
        """Write what is left, and return how many files have changed."""
        self._rows.close()
        self._folder.write(("problems.jsonl",), b"".join(self._told))
        self._folder.seal()
        return self._folder.changed


def _row(name: str, problem: str, question: ProblemQuestion, rules: str) -> dict[str, object]:
    return {
        "id": name,
        "kind": question.kind,
        "problem": problem,
        "prompt": prompt_of(question, rules),
        "options": list(question.options),
        "answer": question.answer,
        "formal": dict(question.formal),
    }


def prompt_of(question: ProblemQuestion, rules: str) -> str:
    """Return a question as one text: the rules, what is known, what is asked, and the options."""
    if question.options == ("yes", "no"):
        options = "Answer yes or no."
    else:
        options = "\n".join(f"{letter}) {each}" for letter, each in zip(LETTERS, question.options, strict=False))
    return f"{rules}\n\n{question.told}\n\n{question.asked}\n{options}"


# Answers to questions marked: which are right, by kind of question, beside what guessing would get.


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
        answers = read_answers(Path(trial.answers), "answer", str | int, "question", (str(row["id"]) for row in rows))
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


def mark(question: Mapping[str, Any], answers: Mapping[str, str]) -> QuestionScore:
    """Return the mark of a question; an answer may be an option or its letter.

    Args:
        question: A row of an export.
        answers: Answers by the questions' ids.
    """
    plain = list(map(_plain, question["options"]))
    name, answer = str(question["id"]), _plain(question["answer"])
    given = answers.get(name)
    right = given is not None and _plain(given) in (answer, chr(ord("a") + plain.index(answer)))
    return QuestionScore(name, str(question["kind"]), given is not None, right, 1 / len(plain))


def _plain(answer: object) -> str:
    return str(answer).strip().rstrip(".)").strip().lower()


def read_questions(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the questions of an export.

    Raises:
        UsageError: There are none.
        InputError: A line is no question, or its answer is none of its options.
    """
    for where, row in read_asked(
        folder, "questions", {"id": object, "kind": object, "options": list, "answer": object}
    ):
        if _plain(row["answer"]) not in map(_plain, row["options"]):
            raise InputError(f"the answer {row['answer']!r} is none of the options", location=where)
        yield row
