"""Static functions: the initial values that the costs of actions are read from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter

from chorewright.domains.pddl.syntax import FunctionValue, Problem
from chorewright.files.lazily import Remembered

Values = Mapping[tuple[str, ...], float]

_VALUES: Remembered[Mapping[str, Values]] = Remembered(4)
_function, _entry = attrgetter("function"), attrgetter("objects", "value")


def function_values(problem: Problem, function: str) -> Values:
    """Return the initial values of a function by its arguments, in the problem's unit; empty if it has none.

    Those of the last problems are remembered, and shared by problems that differ in other things only.
    """
    return _VALUES.of(problem.values, None, lambda: _by_function(problem.values)).get(function, {})


def _by_function(values: Sequence[FunctionValue]) -> Mapping[str, Values]:
    names = tuple(dict.fromkeys(map(_function, values)))
    if len(names) == 1:  # mostly: there are thousands of distances between places, and nothing else
        return {names[0]: dict(map(_entry, values))}
    return {name: dict(_entry(v) for v in values if v.function == name) for name in names}


__all__ = ["function_values"]
