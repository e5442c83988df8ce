"""Static functions: the initial values that the costs of actions are read from."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from chorewright.domains.pddl.syntax import Problem
from chorewright.planner.remembered import Remembered

Values = Mapping[tuple[str, ...], float]

_VALUES: Remembered[Mapping[str, Values]] = Remembered(4)
_function, _entry = attrgetter("function"), attrgetter("objects", "value")


def function_values(problem: Problem, function: str) -> Values:
    """Return the initial values of a function by its arguments, in the problem's unit; empty if it has none.

    Those of the last problems are remembered.
    """
    return _VALUES.of(problem, None, lambda: _by_function(problem)).get(function, {})


def _by_function(problem: Problem) -> Mapping[str, Values]:
    names = tuple(dict.fromkeys(map(_function, problem.values)))
    if len(names) == 1:  # mostly: there are thousands of distances between places, and nothing else
        return {names[0]: dict(map(_entry, problem.values))}
    return {name: dict(_entry(v) for v in problem.values if v.function == name) for name in names}


__all__ = ["function_values"]
