"""Static functions: the initial values that the costs of actions are read from."""

from __future__ import annotations

from collections.abc import Mapping

from chorewright.domains.pddl.syntax import Problem
from chorewright.planner.remembered import Remembered

_VALUES: Remembered[Mapping[tuple[str, ...], float]] = Remembered(4)


def function_values(problem: Problem, function: str) -> Mapping[tuple[str, ...], float]:
    """Initial values of a function by its arguments; the last problems' are remembered."""
    return _VALUES.of(
        problem, function, lambda: {v.objects: v.value for v in problem.values if v.function == function}
    )


__all__ = ["function_values"]
