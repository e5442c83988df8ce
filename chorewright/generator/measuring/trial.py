"""What a trial is: one measured play of a benchmark's episodes by an agent, with a log on which it goes on.

A benchmark declares its trial as a dataclass of options, which become the flags of ``evaluate``. Nothing is imported
here that help would have to wait for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from chorewright.generator.dataset.options import check_option, declare, option


@dataclass(frozen=True, slots=True)
class Trial:
    """What all trials have: how much is played, where, and what is kept of it.

    A benchmark's trial adds what is played, by whom and with which limits: ``dataset_option``, ``agent_option``, and
    options of its own.

    Attributes:
        episodes: Only so many episodes, from the first.
        workers: Processes; 0 for this one only.
        log: A file that each episode is written to; the same command again goes on there.
        resume: Go on where the log ends, or begin it anew.
    """

    episodes: int | None = option(None, flags=("-n",), low=1, shown="all of them")
    workers: int | None = option(None, low=0, shown="all cores")
    log: str = option("", metavar="FILE")
    resume: bool = True

    APART: ClassVar[tuple[str, ...]] = ("dataset", "episodes", "workers", "log", "resume")
    """Options on which the score of an episode does not depend; of a dataset, its content counts."""

    def check(self) -> None:
        """Raise if a value is not in its option's range.

        Raises:
            UsageError: One is not.
        """
        for each in declare(type(self)):
            if (value := getattr(self, each.name)) != each.default:
                check_option(each, value)

    def identity(self) -> Mapping[str, object]:
        """Return the options on which scores depend."""
        every = {each.name: getattr(self, each.name) for each in declare(type(self)) if each.name not in self.APART}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in every.items()}


def dataset_option(required: bool = True) -> Any:
    """Return the option of what is played: a word without a flag."""
    return option("", metavar="FOLDER", argument=True, required=required)


def agent_option(*flags: str, required: bool = True) -> Any:
    """Return the option of who plays: one of the shipped agents, or the user's own."""
    return option("", flags=flags, required=required)


@dataclass(frozen=True, slots=True)
class QuestionsTrial(Trial):
    """Answers to questions about problems.

    Attributes:
        dataset: An export of questions, or one of its files.
        answers: JSON lines like {"id": "...", "answer": "yes"}.
    """

    dataset: str = dataset_option()
    answers: str = option("", metavar="ANSWERS", argument=True, required=True)


@dataclass(frozen=True, slots=True)
class DescriptionsTrial(Trial):
    """Problems written of descriptions.

    Attributes:
        dataset: An export of descriptions, or one of its files.
        answers: JSON lines like {"id": "...", "problem": "(define ..."}.
        evaluations: What each search for a difference may evaluate.
    """

    dataset: str = dataset_option()
    answers: str = option("", metavar="ANSWERS", argument=True, required=True)
    evaluations: int = option(20_000, low=1)


@dataclass(frozen=True, slots=True)
class EaiTrial(Trial):
    """Answers to the questions of the Embodied Agent Interface.

    Attributes:
        dataset: What export --format eai made, or a folder of eai-eval's with its problem_pddl.
        answers: A JSON list of {identifier, llm_output}; may be repeated, one for each kind.
        kind: What the answers are to, in their order; by default as the files' names begin.
        questions: Instead, write the questions into this folder.
        details: With --json: also the mark of each answer.
    """

    dataset: str = dataset_option()
    answers: tuple[str, ...] = option((), metavar="FILE")
    kind: tuple[str, ...] = option((), metavar="KIND")
    questions: str = option("", metavar="FOLDER")
    details: bool = False

    APART: ClassVar[tuple[str, ...]] = (*Trial.APART, "details")
