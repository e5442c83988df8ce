"""One attempt and what is told of it: its rejection, its record in an episode, and a task's trials for its author.

Scene, problem, plan, lowering, replay, sight, goal conditions, words: each is a stage, and the first that fails
rejects the attempt with a reason. The loop around it, for ``generate`` and ``check-task``, is
``Benchmark.make_attempts``.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from chorewright.domains.evaluation import holds
from chorewright.domains.pddl.syntax import Domain, Formula, Problem, State
from chorewright.domains.pddl.writer import write_domain, write_formula, write_problem
from chorewright.errors import ChorewrightError, LimitError, UnsupportedError
from chorewright.files.processes import Timed
from chorewright.generator.dataset.config import Assignment, GenerateConfig, text_sha256
from chorewright.generator.dataset.episode import Episode, RejectionReason, Segment, Step
from chorewright.planner.plan import Answer, GroundAction, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.search.configuration import DEFAULT, Configuration
from chorewright.planner.stages import solve_with_parts
from chorewright.planner.validation import PlanWorld as Rules
from chorewright.problems.pddl.scenes import PddlScene
from chorewright.replay.games.simulator import PddlSimulator, plain_call
from chorewright.replay.simulator import Simulator, SimulatorAction

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

    What it cannot do, and its defects, are of one episode. What the next try could do better (memory, files, a missing
    extra) is raised again.
    """
    if isinstance(error, UnsupportedError | LimitError):
        return Rejection("attempt", error.message)
    ends = isinstance(error, ChorewrightError | OSError | MemoryError | ImportError)
    if ends or os.environ.get("CHOREWRIGHT_DEBUG"):
        raise error
    return Rejection(DEFECT, re.sub(r"0x[0-9a-fA-F]+", "0x", f"{type(error).__name__}: {error}"))


# A planning problem solved and carried out: the stages start, plan, replay and goal of attempts that plan in PDDL.


STAGES = ("start", "plan", "replay", "goal")
"""The stages of ``solve_and_carry_out``, in order."""

PlannerCall: TypeAlias = Callable[[Domain, Problem, Limits], Answer]
"""Finds a plan within limits."""


def planner_of(config: GenerateConfig) -> PlannerCall:
    """Return what finds plans for a dataset: our own planner, or the engine that its effort names.

    Raises:
        UsageError: There is no such engine.
        MissingPlugin: The configuration comes out of a file, and names code.
    """
    if not config.effort.engine:
        return solve_with_parts
    from chorewright.planner.engines.lookup import find_engine  # rarely needed

    engine = find_engine(config.effort.engine, config.origin)
    return lambda domain, problem, limits: engine.solve(domain, problem, replace(limits, evaluations=None))


Lower: TypeAlias = Callable[[GroundAction], Sequence[SimulatorAction]]
"""Returns the calls of the simulator that an action of a plan becomes."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What came of a planning problem, as far as it came.

    Attributes:
        domain: The problem's domain.
        problem: What was planned.
        start: The state at the start.
        plan: The plan; None if there is none.
        steps: The calls of the simulator that were done, each with the number of its action as segment.
        end: The state after them.
        conditions: The goal's conditions with whether they hold at the end.
        rejection: Why the problem is not solved; None if it is.
    """

    domain: Domain
    problem: Problem
    start: State = frozenset()
    plan: Plan | None = None
    steps: tuple[Step, ...] = ()
    end: State = frozenset()
    conditions: tuple[tuple[str, bool], ...] = ()
    rejection: Rejection | None = None

    def rejected(self, stage: str, reason: str) -> Solution:
        """Return the solution as one that fails at a stage."""
        return replace(self, rejection=Rejection(stage, reason))

    def record(self, blank: Episode) -> Episode:
        """Return an episode with the problem and what came of it; each action of the plan is a segment."""
        told = replace(
            blank,
            domain_sha256=text_sha256(write_domain(self.domain)),
            problem_sha256=text_sha256(write_problem(self.problem)),
            goal=write_formula(self.problem.goal),
            steps=self.steps,
            outcome=replace(blank.outcome, conditions=self.conditions),
        )
        return told if self.plan is None else with_plan(told, self.plan)


def solve_and_carry_out(
    domain: Domain,
    problem: Problem,
    limits: Limits,
    conditions: Sequence[tuple[str, Formula]] = (),
    *,
    simulator: Callable[[], Simulator[PddlScene]] | None = None,
    scene: PddlScene | None = None,
    lower: Lower | None = None,
    configuration: Configuration = DEFAULT,
    fits: Callable[[Plan], Rejection | None] = lambda plan: None,
    planner: PlannerCall | None = None,
) -> Solution:
    """Plan for a problem, run the plan in a simulator, and check the goal there; the first stage that fails rejects.

    Args:
        domain: The domain.
        problem: What to solve.
        limits: Of the search.
        conditions: The goal's parts by name, to be told of one by one; without them, the goal is the only one.
        simulator: Makes what the plan is run in; by default the domain's own actions.
        scene: What the simulator is reset to; by default the problem's start.
        lower: How actions become calls; by default one call each, named like the action.
        configuration: How the planner searches.
        fits: Says why a plan is not wanted; None if it is.
        planner: What finds the plan; by default our own by the configuration.
    """
    find = planner or partial(solve_with_parts, configuration=configuration)
    rules = Rules.of(domain, problem)
    found = Solution(domain, problem, rules.initial())
    if holds(problem.goal, found.start, rules.universe):
        return found.rejected("start", HOLDS)
    answer = find(domain, problem, limits)
    if not isinstance(answer, Plan):
        return replace(found, rejection=without_plan(answer))
    found = replace(found, plan=answer, rejection=fits(answer))
    if found.rejection is not None:
        return found
    calls = lower or (lambda action: (plain_call(domain, action),))
    world = simulator() if simulator is not None else PddlSimulator(domain)
    found = _carry_out(found, world, scene or PddlScene.of(problem), calls)
    if found.rejection is not None:
        return found
    end = rules.closed(found.end)
    told = tuple((name, holds(part, end, rules.universe)) for name, part in conditions or (("goal", problem.goal),))
    found = replace(found, end=end, conditions=told)
    missed = [name for name, met in told if not met] or ["goal"] * (not holds(problem.goal, end, rules.universe))
    return found.rejected("goal", f"not met: {', '.join(missed)}") if missed else found


@Timed("replay")
def _carry_out(found: Solution, simulator: Simulator[PddlScene], scene: PddlScene, lower: Lower) -> Solution:
    """Run a solution's plan in a simulator, up to the first call that is refused."""
    assert found.plan is not None
    event = simulator.reset(scene)
    if not event.success:
        return found.rejected("replay", f"reset: {event.error_message}")
    start = state = frozenset(simulator.state())
    steps: list[Step] = []
    refusal = ""
    for number, action in enumerate(found.plan.actions):
        for call in lower(action):
            event = simulator.step(call)
            if not event.success:
                refusal = f"{action}: {event.error_message}"
                break
            before, state = state, frozenset(simulator.state())
            steps.append(step_of(call, number, before, state))
        if refusal:
            break
    done = replace(found, start=start, steps=tuple(steps), end=state)
    return done.rejected("replay", refusal) if refusal else done


def step_of(call: SimulatorAction, segment: int, before: State, after: State) -> Step:
    """Return a call that was done, with what it changed."""
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    return Step(call.action, segment, arguments, True, tuple(sorted(after - before)), tuple(sorted(before - after)))
