"""The one attempt pipeline: what ``generate`` and ``check-task`` run for every benchmark.

Scene, problem, plan, lowering, replay, sight, goal conditions, words: each is a stage, and the first that fails
rejects the attempt with a reason. A benchmark gives its stages as one function, ``Pipeline.attempt``; here are
the two loops around it: candidates until the first that is accepted (``make_episode``), and the same for a task's
author, in one room after the other (``run_trials``).
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, runtime_checkable

from chorewright.errors import ChorewrightError, LimitError, UnsupportedError
from chorewright.files.plugins import note
from chorewright.files.stopwatch import Timed
from chorewright.generator.dataset.config import Assignment, GenerateConfig, random_for
from chorewright.generator.dataset.episode import Episode, Outcome, Segment
from chorewright.planner.plan import Plan

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFECT = "defect: "
"""How the reason of a rejection begins that the benchmark did not mean."""

C = TypeVar("C")
M = TypeVar("M")
CandidateT = TypeVar("CandidateT")
MadeT = TypeVar("MadeT")


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why an attempt is given up: the stage and the reason; ``evaluated`` is what a stopped search spent."""

    stage: str
    reason: str
    evaluated: int = 0

    def __str__(self) -> str:
        return f"{self.stage}: {self.reason}"


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
        return "" if self.rejection is None else str(self.rejection)


class Pipeline(Protocol[C, M]):
    """What a benchmark gives the loops: candidates, the attempt of one, and how it is written down."""

    def candidates(
        self,
        config: GenerateConfig,
        assignment: Assignment,
        rng: np.random.Generator,
        tried: Sequence[Attempt[C, M]],
    ) -> Iterator[C]:
        """Yield what to try for an assignment, the assignment itself first.

        Args:
            config: The configuration.
            assignment: What the index shall demonstrate.
            rng: The index's generator; whatever is drawn is drawn as a candidate is asked for.
            tried: The attempts so far; it grows while candidates are asked for.
        """
        ...

    def attempt(self, config: GenerateConfig, candidate: C) -> Attempt[C, M]:
        """Run all stages for a candidate, or up to the first that fails. Pure: the candidate holds its seed."""
        ...

    def write(
        self,
        config: GenerateConfig,
        assignment: Assignment,
        tried: Sequence[Attempt[C, M]],
        rng: np.random.Generator,
    ) -> Episode:
        """Say the last attempt in words and write it down, with the reasons of those before."""
        ...


@runtime_checkable
class Remarks(Protocol[CandidateT, MadeT]):
    """A pipeline that can say more of an attempt to the author of a task."""

    def remarks(self, config: GenerateConfig, attempt: Attempt[CandidateT, MadeT]) -> tuple[str, ...]:
        """Return what the author should know of an attempt besides whether it was accepted."""
        ...


@runtime_checkable
class DrawsAttempts(Protocol[CandidateT, MadeT]):
    """A pipeline that can draw where an attempt was made."""

    def map_of(self, config: GenerateConfig, attempt: Attempt[CandidateT, MadeT]) -> NDArray[np.uint8] | None:
        """Return a map, (height, width, 3); None if too little came of the attempt."""
        ...


def make_episode(pipeline: Pipeline[C, M], config: GenerateConfig, assignment: Assignment) -> Episode:
    """Return the episode of an index: of the first candidate that is accepted, else of the last."""
    rng = random_for(config, assignment.index)
    tried: list[Attempt[C, M]] = []
    for candidate in pipeline.candidates(config, assignment, rng, tried):
        with Timed("attempt"):
            tried.append(pipeline.attempt(config, candidate))
        if tried[-1].accepted:
            break
    with Timed("say"):
        return pipeline.write(config, assignment, tried, rng)


def blank_episode(
    config: GenerateConfig, assignment: Assignment, tried: Sequence[Attempt[C, M]], seed: int, domain_sha256: str
) -> Episode:
    """Return an episode of what is known before a problem is there: the assignment, and how its tries went.

    Args:
        config: The configuration.
        assignment: What was to be demonstrated.
        tried: The attempts, of which the last counts.
        seed: Of the last attempt.
        domain_sha256: SHA-256 of the domain's text.
    """
    last = tried[-1]
    return Episode(
        benchmark=config.benchmark,
        index=assignment.index,
        seed=seed,
        task=assignment.task,
        parameters=assignment.parameters,
        split=assignment.split,
        scene=None,
        domain_sha256=domain_sha256,
        problem_sha256="",
        goal="",
        plan=(),
        plan_cost=0.0,
        planner="",
        planner_configuration="",
        segments=(),
        steps=(),
        instructions=(),
        outcome=Outcome(last.accepted, last.reason),
        attempts=len(tried),
        rejections=tuple(each.reason for each in tried if not each.accepted),
    )


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
class Trial:
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
        draw: Returns a map of where the last attempt was made; None where nothing draws it.
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
    """What to try of a task: its trials, not yet run, and how many scenes and fillings suit it at all.

    Attributes:
        task: The task's name.
        places: What its scenes are called: rooms, scenes, states.
        suited: How many of them suit the task.
        fillings: How many fillings of its slots there are; 0 where it has no slots.
        stages: The names of the stages, in order.
        trials: Functions that each run one.
        note: What the author should know besides; usually empty.
        hint: Gives what may help, from the reasons why no attempt was accepted; empty if nothing is known to.
    """

    task: str
    places: str
    suited: int
    fillings: int
    stages: tuple[str, ...]
    trials: tuple[Callable[[], Trial], ...] = field(repr=False)
    note: str = ""
    hint: Callable[[Mapping[str, int]], str] = field(default=lambda reasons: "", repr=False)


@dataclass(frozen=True, slots=True)
class TrialReport:
    """What came of a task's trials."""

    task: str
    places: str
    suited: int
    fillings: int
    stages: tuple[str, ...]
    trials: tuple[Trial, ...]
    note: str = ""
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


def defect(error: Exception) -> str:
    """Return the reason of a rejection that an exception of the benchmark means; addresses in it are left out."""
    return DEFECT + re.sub(r"0x[0-9a-fA-F]+", "0x", f"{type(error).__name__}: {error}")


def run_trials(trials: TaskTrials, tell: Callable[[Trial], None] = lambda trial: None) -> TrialReport:
    """Run the trials of a task one after the other; ``tell`` hears of each."""
    done: list[Trial] = []
    for trial in trials.trials:
        try:
            with redirect_stdout(sys.stderr):
                done.append(trial())
        except KeyboardInterrupt:
            note(f"stopped in attempts of {trials.task}, after {len(done)} of {len(trials.trials)} {trials.places}")
            raise
        except (UnsupportedError, LimitError) as error:
            done.append(Trial("", 0, (), (Rejection("attempt", error.message),), False, 0, 0, ""))
        except (ChorewrightError, OSError, MemoryError, ImportError):
            raise
        except Exception as error:
            if os.environ.get("CHOREWRIGHT_DEBUG"):
                raise
            why = Rejection(DEFECT.strip(" :"), defect(error).removeprefix(DEFECT))
            done.append(Trial("", 0, (), (why,), False, 0, 0, ""))
        tell(done[-1])
    facts = (trials.task, trials.places, trials.suited, trials.fillings, trials.stages)
    report = TrialReport(*facts, trials=tuple(done), note=trials.note)
    return report if report.solved else replace(report, hint=trials.hint(dict(report.reasons)))


def run_trial(
    pipeline: Pipeline[C, M],
    config: GenerateConfig,
    assignment: Assignment,
    attempts: int,
    uncounted: Collection[str] = (),
) -> Trial:
    """Make the first attempts that ``make_episode`` makes for an assignment, and tell what came of them.

    Args:
        pipeline: Whose attempts.
        config: The configuration.
        assignment: What the attempts demonstrate.
        attempts: How many at most.
        uncounted: Stages whose failures leave the number of attempts as it is, for scenes that do not suit.
    """
    rng = random_for(config, assignment.index)
    tried: list[Attempt[C, M]] = []
    for candidate in pipeline.candidates(config, assignment, rng, tried):
        tried.append(pipeline.attempt(config, candidate))
        failed = tried[-1].rejection
        attempts -= failed is None or failed.stage not in uncounted
        if failed is None or attempts == 0:
            break
    episode = pipeline.write(config, assignment, tried, rng)
    said = [each.text for each in episode.instructions]
    return Trial(
        scene=assignment.scene or f"seed {episode.seed}",
        seed=episode.seed,
        binding=episode.parameters,
        rejected=tuple(each.rejection for each in tried if each.rejection is not None),
        accepted=tried[-1].accepted,
        actions=len(episode.plan),
        steps=len(episode.steps),
        sentence=said[0] if said else "",
        remarks=pipeline.remarks(config, tried[-1]) if isinstance(pipeline, Remarks) else (),
        draw=partial(pipeline.map_of, config, tried[-1]) if isinstance(pipeline, DrawsAttempts) else None,
    )
