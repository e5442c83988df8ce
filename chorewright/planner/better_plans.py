"""Anytime search as a sequence of plans: each as soon as it is found, until the caller has enough."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.planner.plan import Answer, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import solve
from chorewright.planner.search.alarm import Alarm
from chorewright.planner.search.configuration import Configuration


def better_plans(
    domain: Domain, problem: Problem, limits: Limits, configuration: Configuration
) -> Iterator[tuple[Answer, bool]]:
    """Yield each better plan, and at last the answer, which is marked as the last.

    The search runs in a thread, and is stopped when the iterator is closed.

    Args:
        domain: The domain.
        problem: The problem.
        limits: Seconds, megabytes and evaluations.
        configuration: How to search.

    Yields:
        A plan or the answer, and whether it is the last.

    Raises:
        LimitError: the problem is too large to ground, and there is no memory limit.
    """
    search = _Search(domain, problem, limits, configuration, Alarm.of(limits))
    thread = threading.Thread(target=search.run, daemon=True)
    thread.start()
    try:
        while True:
            found = search.found.get()
            if isinstance(found, Plan):
                yield found, False
            elif isinstance(found, _End):
                yield found.answer, True
                return
            else:
                raise found
    finally:
        search.alarm.flag[0] = 1
        thread.join()


@dataclass(frozen=True, slots=True)
class _End:
    answer: Plan | Unsolvable | OutOfLimits


@dataclass(frozen=True, slots=True)
class _Search:
    """What is searched for, and what was found."""

    domain: Domain
    problem: Problem
    limits: Limits
    configuration: Configuration
    alarm: Alarm
    found: queue.SimpleQueue[Plan | _End | Exception] = field(default_factory=queue.SimpleQueue)

    def run(self) -> None:
        """Search; whatever happens is said to the other thread."""
        try:
            answer = solve(self.domain, self.problem, self.limits, self.configuration, self.found.put, self.alarm)
        except Exception as error:  # raised again where the plans are waited for
            self.found.put(error)
        else:
            self.found.put(_End(answer))


__all__ = ["better_plans"]
