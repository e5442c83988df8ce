"""Plans and the planner's answers, as plain values; plans as text."""

from __future__ import annotations

import html
import threading
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, field
from typing import Protocol, TypeAlias

from chorewright.domains.facts import Number, number_text
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import UsageError
from chorewright.files.english import say_count
from chorewright.files.processes import resident_megabytes
from chorewright.files.stopping import Alarm
from chorewright.files.stopping import Limit as Limit

SATISFICING = "satisficing: metric not optimised"
"""The note of a plan for which the metric was not looked at."""

NAME = "chorewright"
"""The engine of this package."""


@dataclass(frozen=True, slots=True)
class GroundAction:
    """An action schema's name and the objects it is applied to."""

    name: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"({' '.join((self.name, *self.arguments))})"


@dataclass(frozen=True, slots=True)
class TimedStep:
    """An action, when it starts, and how long it takes; no ``duration`` is one that takes no time."""

    time: Number
    action: GroundAction
    duration: Number | None = None

    def __str__(self) -> str:
        duration = "" if self.duration is None else f" [{number_text(self.duration)}]"
        return f"{number_text(self.time)}: {self.action}{duration}"


@dataclass(frozen=True, slots=True)
class Plan:
    """A validated sequence of ground actions.

    ``cost`` is the metric's value (the number of actions where the problem has no metric); ``planner`` and
    ``configuration`` say how it was found; ``evaluated`` counts heuristic evaluations; ``note`` is what has to be
    known of it. ``schedule`` has the actions with their times, in a plan in which times matter.
    """

    actions: tuple[GroundAction, ...]
    cost: float
    planner: str
    configuration: str
    optimal: bool = False
    evaluated: int = 0
    note: str = ""
    schedule: tuple[TimedStep, ...] = ()

    @property
    def steps(self) -> tuple[GroundAction | TimedStep, ...]:
        """The actions, with times where they matter."""
        return self.schedule or self.actions

    @property
    def summary(self) -> str:
        """How long it is and what it costs."""
        return f"{say_count(len(self.actions), 'step')}, cost {self.cost:g}"

    def record(self, status: str = "solved") -> dict[str, object]:
        """Return the plan as a JSON value."""
        return {
            "status": status,
            "cost": self.cost,
            "steps": len(self.actions),
            "optimal": self.optimal,
            "planner": self.planner,
            "configuration": self.configuration,
            "evaluated": self.evaluated,
            **({"note": self.note} if self.note else {}),
            "plan": [str(step) for step in self.steps],
        }

    def __str__(self) -> str:
        return "\n".join(map(str, self.steps))

    def _repr_html_(self) -> str:
        """Return the plan as a list for a notebook."""
        steps = "".join(f"<li><code>{html.escape(str(action))}</code></li>" for action in self.steps)
        proven = ", optimal" if self.optimal else ""
        return f"<b>{say_count(len(self.actions), 'action')}, cost {self.cost:g}{proven}</b><ol>{steps}</ol>"


@dataclass(frozen=True, slots=True)
class Unsolvable:
    """No plan exists: the goal is unreachable even without deletions, or the search was exhausted."""

    reason: str


@dataclass(frozen=True, slots=True)
class OutOfLimits:
    """The search stopped at a limit before it found a plan or a proof that there is none."""

    limit: Limit
    evaluated: int


_BY_CLOCK = ("time", "cpu", "no-improvement")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a search may use; ``evaluations`` is the only limit whose effect is deterministic.

    Attributes:
        seconds: The time by the clock; None for no limit, as with the others.
        megabytes: The memory.
        evaluations: The heuristic evaluations.
        cpu_seconds: The processor time.
        barren: Seconds without a cheaper plan after which a plan is improved no more.
        searching: The heuristic evaluations before the first plan.

    Raises:
        UsageError: a limit is not positive, or the seconds are not finite or more than a clock can count.
    """

    seconds: float | None = None
    megabytes: int | None = None
    evaluations: int | None = None
    cpu_seconds: float | None = None
    barren: float | None = None
    searching: int | None = None

    def __post_init__(self) -> None:
        names = ("time", "memory", "evaluations", "cpu", "no-improvement", "search")
        for name, value in zip(names, astuple(self), strict=True):
            if value is not None and not value > 0:
                raise UsageError(f"the {name} limit must be positive, but is {value}")
            if value is not None and name in _BY_CLOCK and value > threading.TIMEOUT_MAX:
                raise UsageError(f"the {name} limit must be at most {threading.TIMEOUT_MAX:g} seconds")

    def alarm(self) -> Alarm:
        """Return a search's alarm; the memory is what comes on top of what the process takes now."""
        megabytes = None if self.megabytes is None else self.megabytes + resident_megabytes()
        return Alarm(self.seconds, self.cpu_seconds, megabytes)


UNLIMITED = Limits()
"""No limits: search until there is an answer."""


Answer: TypeAlias = Plan | Unsolvable | OutOfLimits


@dataclass(slots=True)
class Course:
    """The plans of one problem in the order in which they were there: the first and each cheaper one.

    ``clock`` tells the seconds; ``plans`` are the plans, each with the seconds at which it was there.
    """

    clock: Callable[[], float]
    plans: list[tuple[float, Plan]] = field(default_factory=list)

    def add(self, plan: Plan) -> None:
        """Keep a plan that has just been found."""
        self.plans.append((self.clock(), plan))

    @property
    def best(self) -> Plan | None:
        """The cheapest plan so far."""
        return self.plans[-1][1] if self.plans else None

    def tell_last(self) -> str:
        """Say when the last plan was there."""
        seconds, plan = self.plans[-1]
        return f"{seconds:.2f} s: {plan.summary}"

    def tell_end(self) -> str:
        """Say what improvement has gained, and how long it took."""
        (first, one), (_, last), now = self.plans[0], self.plans[-1], self.clock()
        gained = f"cost {one.cost:g} to {last.cost:g}" if last.cost < one.cost else "nothing cheaper"
        return f"{now:.2f} s: the end; {now - first:.2f} s of improvement: {gained}"

    def record(self) -> dict[str, object]:
        """Return when the plans were there, as JSON values."""
        rows = [{"seconds": round(at, 3), "cost": plan.cost, "steps": len(plan.actions)} for at, plan in self.plans]
        return {"plans": rows, "seconds": round(self.clock(), 3)}


class Planner(Protocol):
    """Same problem, same configuration: same plan, on every machine and under every hash seed."""

    def solve(self, domain: Domain, problem: Problem, limits: Limits = Limits()) -> Answer:
        """Return a plan that the validator accepts, or why there is none.

        Args:
            domain: The domain.
            problem: A problem of it.
            limits: What the search may use: seconds, megabytes, evaluations.

        Raises:
            ChorewrightError: the planner cannot take the problem, or has failed.
        """
        ...


def write_plan(
    actions: Sequence[GroundAction | TimedStep],
    cost: float,
    domain: Domain | None = None,
    problem: Problem | None = None,
) -> str:
    """Return the text of a plan file.

    Args:
        actions: The plan, with times where they matter.
        cost: Its cost; it is called general if the problem has a metric (without one, if it does not count actions),
            else unit.
        domain: The domain to name in a header; None for no header, as with the problem.
        problem: The problem to name.
    """
    lines = []
    if domain is not None:
        lines.append(f";;!domain: {domain.name}")
    if problem is not None:
        lines.append(f";;!problem: {problem.name}")
    lines.extend(str(action) for action in actions)
    general = cost != len(actions) if problem is None else problem.minimize_cost or problem.metric is not None
    shown = str(int(cost)) if cost == int(cost) else repr(cost)
    lines.append(f"; cost = {shown} ({'general' if general else 'unit'} cost)")
    return "\n".join(lines) + "\n"
