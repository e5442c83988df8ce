"""Answers to all questions of one kind marked, and added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from chorewright.generator.measuring.eai.goals import mark_goals
from chorewright.generator.measuring.eai.marks import ERRORS, NOTHING, Mark
from chorewright.generator.measuring.eai.questions import ACTIONS, GOALS, SUBGOALS, TRANSITIONS
from chorewright.generator.measuring.eai.sequences import mark_actions
from chorewright.generator.measuring.eai.subgoals import mark_subgoals
from chorewright.generator.measuring.eai.tasks import EaiTask
from chorewright.generator.measuring.eai.transitions import mark_transitions

MARKERS: Mapping[str, Callable[[EaiTask, str], Mark]] = {
    GOALS: mark_goals,
    SUBGOALS: mark_subgoals,
    ACTIONS: mark_actions,
    TRANSITIONS: mark_transitions,
}

COUNTED = (GOALS, TRANSITIONS)
"""Kinds whose literals are compared."""


@dataclass(frozen=True, slots=True)
class Score:
    """What all answers of one kind are worth.

    Attributes:
        kind: The kind.
        marks: By the task's name; a task without an answer has none.
        missing: Tasks without an answer.
    """

    kind: str
    marks: Mapping[str, Mark]
    missing: tuple[str, ...]

    @property
    def questions(self) -> int:
        """How many questions there were."""
        return len(self.marks) + len(self.missing)

    def share(self, count: int) -> float:
        """Return a share of the questions; unanswered ones count."""
        return count / self.questions if self.questions else 0.0

    def as_json(self) -> dict[str, object]:
        """Return the figures: shares of all questions, F1 over all literals, errors by kind."""
        marks = self.marks.values()
        errors = Counter(each.error for each in marks if each.error)
        counts = sum((each.counts for each in marks), NOTHING)
        found: dict[str, object] = {
            "questions": self.questions,
            "answered": len(self.marks),
            "correct": self.share(sum(each.correct for each in marks)),
            "executable": self.share(sum(each.executable for each in marks)),
            "errors": {error: errors[error] for error in ERRORS if errors[error]},
            "additional_steps": sum(each.additional for each in marks),
        }
        if self.kind in COUNTED:
            found["precision"] = counts.right / counts.answered if counts.answered else 0.0
            found["recall"] = counts.right / counts.wanted if counts.wanted else 0.0
            found["f1"] = counts.f1
        return found


def mark_all(kind: str, tasks: Sequence[EaiTask], answers: Mapping[str, str]) -> Score:
    """Mark the answers of one kind, by the tasks' names."""
    marks = {each.name: MARKERS[kind](each, answers[each.name]) for each in tasks if each.name in answers}
    return Score(kind, marks, tuple(each.name for each in tasks if each.name not in answers))
