"""Plans and the planner's answers, as plain values."""

from __future__ import annotations

import html
import threading
from dataclasses import astuple, dataclass
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
