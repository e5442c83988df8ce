"""Questions for language models: JSON lines with a prompt, the options and the right answer, in files by split.

``problems.jsonl`` has the domain, the problem and the plan that questions are about, as PDDL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from chorewright.domains.pddl.writer import write_domain, write_problem
from chorewright.errors import UsageError
from chorewright.files.english import did_you_mean
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import option
from chorewright.generator.measuring.questions.making import KINDS, QuestionStyle, questions_of
from chorewright.generator.measuring.questions.rules import rules_text
from chorewright.generator.measuring.questions.situation import ProblemQuestion, situation_of
from chorewright.generator.pddl.sources import StoredProblem, read_problem
from chorewright.generator.training.exporter import (
    Exported,
    Exporter,
    ExportFolder,
    SplitLines,
    export_folder,
    json_line,
)
from chorewright.planner.plan import GroundAction

LARGEST = 5000
"""Questions of a file."""

LETTERS = "ABCD"


@dataclass(frozen=True, slots=True)
class QuestionOptions:
    """The options of ``export --format questions``."""

    each: int = option(
        2, "So many of each kind for a problem: pairs of yes and no, or choices of four.", metavar="N", low=1, high=100
    )
    kinds: tuple[str, ...] = option(
        (), "Only this kind; may be repeated. Words are joined by '-': next-state.", flags=("--kind",), metavar="KIND"
    )
    seed: int = option(0, "Another seed, other questions.", metavar="N", low=0)


class QuestionsExporter(Exporter[QuestionOptions]):
    """Writes questions about accepted episodes of the benchmark ``pddl``."""

    name = "questions"
    accepts = ("pddl",)
    options = QuestionOptions

    def check(self) -> None:
        """Check the options; see ``Exporter.check``."""
        style_of(self.asked)

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the questions; see ``Exporter.write``."""
        folder = export_folder(episodes, target, self.name)
        files = QuestionFiles(folder, style_of(self.asked))
        for episode in folder.take(episodes):
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
        if name not in known:
            hint = did_you_mean(name, known) or f"kinds: {', '.join(known)}"
            raise UsageError(f"there is no kind of question {name!r}", hint=hint)
    kinds = tuple(known[name] for name in dict.fromkeys(options.kinds)) or KINDS
    return QuestionStyle(options.each, kinds, options.seed)


class QuestionFiles:
    """The files of an export of questions, written as they fill."""

    def __init__(self, folder: ExportFolder, style: QuestionStyle) -> None:
        """Begin an export.

        Args:
            folder: Where to write.
            style: How many questions of which kinds.
        """
        self._folder, self._style = folder, style
        self._rows = SplitLines(folder, LARGEST)
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
        domain, problem, words = about.domain, about.problem, about.wordings
        text = write_domain(domain)
        if text not in self._rules:
            self._rules[text] = rules_text(domain, words)
        made = questions_of(situation_of(domain, problem, plan, words), name, self._style, self._places)
        for number, question in enumerate(made):
            self._rows.add(split, _row(f"{name}-{number}", name, question, self._rules[text]))
            self.questions += 1
        told = {"id": name, "domain": text, "problem": write_problem(problem), "plan": list(map(str, plan))}
        self._told.append(json_line(told))
        self.problems += 1

    def close(self) -> int:
        """Write what is left, and return how many files have changed."""
        self._rows.close()
        self._folder.write(("problems.jsonl",), b"".join(self._told))
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
