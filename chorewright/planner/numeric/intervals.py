"""The interval relaxation: fluents only ever widen to intervals, and nothing that was true becomes false.

What cannot be reached here cannot be reached at all (Scala, Haslum, Thiébaux and Ramirez, ECAI 2016). An effect that
can be repeated to push a value up or down pushes it to infinity at once, so that the fixpoint is reached in few rounds.
"""

from __future__ import annotations

import math

from chorewright.domains.values import Number
from chorewright.planner.numeric.expressions import ANY, Interval, bounds, combine
from chorewright.planner.numeric.task import Bound, Change, Condition, NumericTask, State

WIDENING = 20
"""Rounds after which a bound that still moves becomes infinite."""


def may_reach(task: NumericTask, state: State) -> bool:
    """Whether the goal is reachable from a state in the interval relaxation; if not, there is no plan."""
    return _Relaxed(task, state).run()


UNDEFINED: Interval = (math.inf, -math.inf)
"""The interval of a fluent that has no value yet."""


class _Relaxed:
    """Bits that can be true, bits that can be false, and the interval of each fluent."""

    def __init__(self, task: NumericTask, state: State) -> None:
        self._task = task
        self._true, self._false = state[0], ~state[0]
        self._intervals = [UNDEFINED if value is None else (value, value) for value in state[1]]

    def run(self) -> bool:
        """Widen until nothing changes; return whether the goal may hold then."""
        rounds, grown = 0, True
        while grown:
            if self._may(self._task.goal):
                return True
            rounds += 1
            grown = False
            for operator in self._task.operators:
                if not self._may(operator.condition):
                    continue
                for outcome in operator.outcomes:
                    if not self._may(outcome.condition):
                        continue
                    true, false = self._true | outcome.added, self._false | outcome.deleted
                    grown = grown or (true, false) != (self._true, self._false)
                    self._true, self._false = true, false
                    for change in outcome.changes:
                        grown = self._widen(change, rounds > WIDENING) or grown
        return False

    def _may(self, condition: Condition) -> bool:
        if self._true & condition.true != condition.true or self._false & condition.false != condition.false:
            return False
        if not all(self._may_hold(self._task.bounds[number]) for number in condition.bounds):
            return False
        return all(any(map(self._may, choice)) for choice in condition.choices)

    def _may_hold(self, bound: Bound) -> bool:
        upper = bounds(bound.expression, self._intervals)[1]
        return _unknown(upper) or upper > 0 or (upper == 0 and not bound.strict)

    def _widen(self, change: Change, quickly: bool) -> bool:
        """Apply a change again and again; return whether the interval has become wider."""
        before = self._intervals[change.index]
        low, high = before
        amount = bounds(change.amount, self._intervals)
        if amount[0] > amount[1] or (low > high and change.operator != "assign"):
            return False
        if change.operator == "assign":
            low, high = min(low, amount[0]), max(high, amount[1])
        elif change.operator in ("increase", "decrease"):
            down, up = amount if change.operator == "increase" else (-amount[1], -amount[0])
            low, high = (-math.inf if down < 0 else low), (math.inf if up > 0 else high)
        else:
            scaled = combine("*" if change.operator == "scale-up" else "/", before, amount)
            low, high = min(low, scaled[0]), max(high, scaled[1])
        if _unknown(low) or _unknown(high):
            low, high = ANY
        if quickly:
            low, high = (-math.inf if low < before[0] else low), (math.inf if high > before[1] else high)
        self._intervals[change.index] = (low, high)
        return (low, high) != before


def _unknown(bound: Number | float) -> bool:
    """Whether a bound is the sum of opposite infinities."""
    return isinstance(bound, float) and math.isnan(bound)


__all__ = ["Interval", "may_reach"]
