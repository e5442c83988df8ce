"""One attempt and what is told of it: its rejection, its record in an episode, and a task's trials for its author.

Scene, problem, plan, lowering, replay, sight, goal conditions, words: each is a stage, and the first that fails
rejects the attempt with a reason. The loop around it, for ``generate`` and ``check-task``, is
``Benchmark.make_attempts``.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from chorewright.errors import ChorewrightError, LimitError, UnsupportedError
from chorewright.generator.dataset.config import Assignment
from chorewright.generator.dataset.episode import Episode, RejectionReason, Segment
from chorewright.planner.plan import OutOfLimits, Plan, Unsolvable
from chorewright.problems.pddl.scenes import NoScene

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFECT = "defect"
"""The stage of a rejection that the benchmark did not mean."""

C = TypeVar("C")
M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why an attempt is given up: the stage and the reason; ``evaluated`` is what a stopped search spent."""

    stage: str
    reason: str
    evaluated: int = 0

    def __str__(self) -> str:
        return self.text()

    def text(self, candidate: str = "") -> RejectionReason:
        """Return the rejection as an episode has it, behind what names the candidate, if anything does."""
        return RejectionReason(self.stage, ": ".join(filter(None, (candidate, self.stage, self.reason))))


@dataclass(frozen=True, slots=True)
class Attempt(Generic[C, M]):
    """One try of a candidate.

    Attributes:
        candidate: What was tried.
        made: What came of it, also of an attempt that is rejected late; None if too little came of it.
        rejection: Why it is not accepted; None if it is.
    """

    candidate: C
    made: M | None
    rejection: Rejection | None = None

    @property
    def accepted(self) -> bool:
        """Whether no stage has failed."""
        return self.rejection is None

    @property
    def reason(self) -> str:
        """Stage and reason of the rejection as one text; empty if there is none."""
        return "" if self.rejection is None else self.rejection.text()


OUT_OF = "out of "
"""How the reason of a search begins that ended at its limit."""

HOLDS = "the goal holds already"
"""Why an attempt is rejected that has nothing to do."""


def without_plan(answer: Unsolvable | OutOfLimits) -> Rejection:
    """Return the rejection of an attempt that has no plan."""
    if isinstance(answer, Unsolvable):
        return Rejection("plan", answer.reason)
    return Rejection("plan", f"{OUT_OF}{answer.limit.value} after {answer.evaluated} evaluations", answer.evaluated)


def with_plan(blank: Episode, plan: Plan) -> Episode:
    """Return an episode with a plan, of which each action is a segment."""
    return replace(
        blank,
        plan=plan.actions,
        plan_cost=plan.cost,
        planner=plan.planner,
        planner_configuration=plan.configuration,
        segments=tuple(Segment(action.name, action.arguments) for action in plan.actions),
    )


@dataclass(frozen=True, slots=True)
class TaskTrial:
    """The attempts in one room or scene as the author of a task sees them; ``reason`` is empty if one was accepted.

    Attributes:
        scene: The room, scene or state of a table.
        seed: Of the last attempt.
        binding: The slots as the last attempt filled them.
        rejected: Why the attempts were not accepted, in order.
        accepted: Whether the last one was.
        actions: The number of actions of the plan, 0 if there is none.
        steps: The number of steps in the simulator.
        sentence: What the episode says of its goal.
        remarks: What the author should know besides.
        draw: Returns a map of where the last attempt was made; see ``Benchmark.map_of``. None where none was made.
    """

    scene: str
    seed: int
    binding: tuple[tuple[str, str], ...]
    rejected: tuple[Rejection, ...]
    accepted: bool
    actions: int
    steps: int
    sentence: str
    remarks: tuple[str, ...] = ()
    draw: Callable[[], NDArray[np.uint8] | None] | None = field(default=None, repr=False, compare=False)

    @property
    def attempts(self) -> int:
        """The number of attempts."""
        return len(self.rejected) + self.accepted

    @property
    def stage(self) -> str:
        """The stage at which the last attempt failed; empty if it did not."""
        return "" if self.accepted or not self.rejected else self.rejected[-1].stage

    @property
    def reason(self) -> str:
        """Stage and reason of the last attempt's rejection; empty if it was accepted."""
        return "" if self.accepted or not self.rejected else str(self.rejected[-1])


@dataclass(frozen=True, slots=True)
class TaskTrials:
    """What to try of a task, and how many scenes and fillings suit it at all.

    Attributes:
        task: The task's name.
        places: What its scenes are called: rooms, scenes, states.
        suited: How many of them suit the task.
        fillings: How many fillings of its slots there are; 0 where it has no slots.
        assignments: What each trial demonstrates.
        note: What the author should know besides; usually empty.
        uncounted: Stages whose failures do not count as attempts, for scenes that do not suit.
    """

    task: str
    places: str
    suited: int
    fillings: int
    assignments: Sequence[Assignment] = field(repr=False)
    note: str = ""
    uncounted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TrialReport:
    """What came of a task's trials.

    Attributes:
        asked: What was tried.
        stages: The names of the stages, in order.
        trials: What came of each.
        hint: What may help where no attempt was accepted; empty if nothing is known to.
    """

    asked: TaskTrials
    stages: tuple[str, ...]
    trials: tuple[TaskTrial, ...]
    hint: str = ""

    @property
    def solved(self) -> int:
        """The number of rooms or scenes in which an attempt was accepted."""
        return sum(trial.accepted for trial in self.trials)

    @property
    def attempts(self) -> int:
        """The number of attempts."""
        return sum(trial.attempts for trial in self.trials)

    @property
    def reasons(self) -> tuple[tuple[str, int], ...]:
        """Why attempts were rejected, most frequent first."""
        counts = Counter(str(each) for trial in self.trials for each in trial.rejected)
        return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    @property
    def remarks(self) -> tuple[tuple[str, int], ...]:
        """What there is to know besides, each with the number of rooms or scenes, most frequent first."""
        counts = Counter(each for trial in self.trials for each in trial.remarks)
        return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    @property
    def failed(self) -> Mapping[str, int]:
        """How many attempts failed at each stage, in the order of the stages."""
        counts = Counter(each.stage for trial in self.trials for each in trial.rejected)
        names = (*self.stages, *sorted(set(counts) - set(self.stages)))
        return {name: counts[name] for name in names}


def rejection_of(error: Exception) -> Rejection:
    """Return the rejection that an exception of the benchmark means; addresses in it are left out.

    What it cannot do, a scene that is not there, and its defects, are of one episode. What the next try could do
    better (memory, files, a missing extra) is raised again.
    """
    if isinstance(error, UnsupportedError | LimitError | NoScene):
        return Rejection("attempt", error.message)
    ends = isinstance(error, ChorewrightError | OSError | MemoryError | ImportError)
    if ends or os.environ.get("CHOREWRIGHT_DEBUG"):
        raise error
    return Rejection(DEFECT, re.sub(r"0x[0-9a-fA-F]+", "0x", f"{type(error).__name__}: {error}"))
