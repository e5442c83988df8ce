"""A numeric task as arrays for kernels: conditions, expressions, operators, and the moves of the relaxation.

Values are floating-point numbers; where all numbers are whole after scaling, they are exact. The last value of a state
is the metric, which tells no states apart: functions that only the metric reads are no part of states.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.facts import Number
from chorewright.planner.numeric import kernels
from chorewright.planner.numeric.expressions import Constant, Ground, Operation, Variable, evaluate, linear
from chorewright.planner.numeric.kernels import BOUND, FALSE, INCREASE, TRUE, Arrays, NumericScratch
from chorewright.planner.numeric.moves import ADDITIVE, TaskNumbers, after_changes
from chorewright.planner.numeric.relaxation import bits_of
from chorewright.planner.numeric.task import FluentChange, NumericTask

KINDS = {
    "increase": INCREASE,
    "decrease": kernels.DECREASE,
    "assign": kernels.ASSIGN,
    "scale-up": kernels.SCALE_UP,
    "scale-down": kernels.SCALE_DOWN,
}
CODES = {"+": kernels.PLUS, "-": kernels.MINUS, "*": kernels.TIMES, "/": kernels.OVER}
USUAL_COST = 100
"""What an operator costs in estimates on average, where they count the metric."""

IDLE = 1e300
"""The offset of a spare condition, which always holds: goals of windows set another."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A task for kernels.

    Attributes:
        arrays: The task.
        bits: The first state's bits.
        values: Its values, the metric last.
        prices: What operators cost in the metric, in whole numbers above 0.
        simple: Whether what the relaxation cannot reach is out of reach.
        exact: Whether values are whole numbers.
        falling: Whether an operator may make the metric smaller.
        numbers: The numbers of conditions on atoms, by kind and bit.
        spares: The number of each linear expression's spare condition.
    """

    arrays: Arrays
    bits: NDArray[np.uint64]
    values: NDArray[np.float64]
    prices: NDArray[np.int64]
    simple: bool
    exact: bool
    falling: bool
    numbers: Mapping[tuple[int, int], int]
    spares: Mapping[int, int]

    def scratch(self) -> NumericScratch:
        """Return what the estimates of one search work with."""
        x, conditions, operators, moves, _ = self.arrays
        aims = int(np.diff(moves.aimed_at)[moves.gain_expression].sum()) if len(moves.gain_expression) else 0
        count = len(conditions.kind)
        return NumericScratch(
            holds=np.zeros(count, np.uint8),
            worth=x.constant.copy(),
            cost=np.zeros(count, np.int64),
            support=np.zeros(count, np.int32),
            times=np.zeros(count, np.int64),
            waiting=np.zeros(len(moves.waiting), np.int32),
            spent=np.zeros(len(moves.waiting), np.int64),
            heap=np.zeros(count + len(moves.make) + aims + 2, np.int64),
            stack=np.zeros(max(count, len(moves.waiting)) + 1, np.int32),
            uses=np.zeros(len(operators.need_at) - 1, np.int64),
            operands=np.zeros(kernels.DEPTH, np.float64),
        )


def encode(task: NumericTask, metric: Ground | None) -> Encoded:
    """Encode a task.

    Args:
        task: The task; it has the fluents that the metric reads.
        metric: What is to be small; the variable after the task's last fluent is the number of steps. None: the steps.
    """
    return _Encoder(task, Variable(len(task.fluents)) if metric is None else metric).encode()


class _Rows:
    """Lists of numbers, one after the other, and where each begins."""

    def __init__(self, rows: Iterable[Iterable[float]] = ()) -> None:
        self.at, self.items = [0], list[float]()
        for row in rows:
            self.add(row)

    def add(self, row: Iterable[float]) -> None:
        self.items += row
        self.at.append(len(self.items))

    def arrays(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        return np.asarray(self.at, np.int32), np.asarray(self.items, np.int32)


class _Encoder(TaskNumbers):
    """Writes the numbers of a task down."""

    def encode(self) -> Encoded:
        """Number conditions and expressions, and write all of them down."""
        task = self.task
        goal = self.needs_of(task.goal)
        needs = [self.needs_of(each.condition) for each in task.operators]
        outcomes = [[self.needs_of(each.condition) for each in operator.outcomes] for operator in task.operators]
        self.add_moves(needs, outcomes)
        rows = list(self.rows)
        aimed = [number for number in self.forms if not isinstance(rows[number], Operation)]
        spares = {
            number: self.conditions.setdefault((BOUND, number, IDLE, False), len(self.conditions)) for number in aimed
        }
        for number, spare in spares.items():
            self.forms[number].aims.append((spare, Constant(0), False))
        written = _Operators(self).written()
        return Encoded(
            self._arrays(goal, needs, outcomes, written),
            self._bits(),
            np.asarray([*self._values(), self._metric_at_start()], np.float64),
            written.prices(),
            self.simple,
            self.scale > 0,
            written.falling,
            {key[:2]: number for key, number in self.conditions.items() if key[0] in (TRUE, FALSE)},
            spares,
        )

    def _bits(self) -> NDArray[np.uint64]:
        words = max(1, -(-len(self.task.atoms) // 64))
        return np.asarray([self.task.initial[0] >> 64 * word & (1 << 64) - 1 for word in range(words)], np.uint64)

    def _values(self) -> list[float]:
        values = [self.task.initial[1][index] for index in self.columns]
        return [math.nan if each is None else float(each * (self.scale or 1)) for each in values]

    def _metric_at_start(self) -> float:
        total = Fraction(0)
        for index, weight in self.weights.items():
            value = self.task.initial[1][index] if index < len(self.task.fluents) else 0
            total += Fraction(weight) * Fraction(value or 0)
        return float(total)

    def _arrays(
        self, goal: list[int], needs: list[list[int]], outcomes: list[list[list[int]]], written: _Operators
    ) -> Arrays:
        every = list(self.conditions)
        choice_at, alternatives = _Rows(), _Rows()
        for choice in self.choices:
            for each in choice:
                alternatives.add(each)
            choice_at.add([0] * len(choice))
        ready: list[list[int]] = [[] for _ in every]
        for index, move in enumerate(self.moves):
            for need in move.needs:
                ready[need].append(index)
        gains = [gain for move in self.moves for gain in move.gains]
        terms, code = _Rows(), _Rows()
        weights, constants, numbers = list[float](), list[float](), list[float]()
        for row in self.rows:
            if isinstance(row, Operation):
                program = list(self._program(row))
                terms.add(())
                constants.append(0.0)
            else:
                program = []
                assert isinstance(row, tuple)
                terms.add([column for column, _ in row[0]])
                weights += [weight for _, weight in row[0]]
                constants.append(row[1])
            code.add([each for each, _ in program])
            numbers += [number for _, number in program]
        aims = [
            [each[0] for each in self.forms[number].aims] if number in self.forms else []
            for number in self.rows.values()
        ]
        varying = [
            number
            for number, row in enumerate(self.rows)
            if isinstance(row, Operation) or terms.at[number] < terms.at[number + 1]
        ]
        return Arrays(
            kernels.Expressions(
                *terms.arrays(),
                np.asarray(weights, np.float64),
                np.asarray(constants, np.float64),
                *code.arrays(),
                np.asarray(numbers, np.float64),
                np.asarray(varying, np.int32),
            ),
            kernels.NumericConditions(
                np.asarray([each[0] for each in every], np.int32),
                np.asarray([each[1] for each in every], np.int32),
                np.asarray([each[2] for each in every], np.float64),
                np.asarray([each[3] for each in every], np.bool_),
                np.asarray(choice_at.at, np.int32),
                *alternatives.arrays(),
            ),
            kernels.Operators(
                *_Rows(needs).arrays(),
                np.asarray(np.cumsum([0, *map(len, outcomes)]), np.int32),
                *_Rows(each for operator in outcomes for each in operator).arrays(),
                *written.deleted.arrays(),
                *written.added.arrays(),
                *written.changes(),
            ),
            kernels.Moves(
                np.asarray([move.operator for move in self.moves], np.int32),
                *_Rows(move.needs for move in self.moves).arrays(),
                np.asarray([len(move.needs) for move in self.moves], np.int32),
                *_Rows(ready).arrays(),
                *_Rows(move.makes for move in self.moves).arrays(),
                np.asarray(np.cumsum([0, *(len(move.gains) for move in self.moves)]), np.int32),
                np.asarray([gain[0] for gain in gains], np.int32),
                np.asarray([gain[1] for gain in gains], np.int32),
                np.asarray([gain[2] for gain in gains], np.bool_),
                *_Rows(aims).arrays(),
            ),
            np.asarray(goal, np.int32),
        )

    def _program(self, ground: Ground) -> Iterator[tuple[int, float]]:
        if isinstance(ground, Constant):
            yield kernels.CONSTANT, float(ground.value)
        elif isinstance(ground, Variable):
            yield kernels.VARIABLE, float(self.columns[ground.index])
        elif len(ground.operands) == 1:
            yield from self._program(Operation("-", (Constant(0), *ground.operands)))
        else:
            yield from self._program(ground.operands[0])
            for operand in ground.operands[1:]:
                yield from self._program(operand)
                yield CODES[ground.operator], 0.0


class _Operators:
    """The outcomes of operators as they are written down, with the metric as the last value."""

    def __init__(self, encoder: _Encoder) -> None:
        self.encoder = encoder
        self.deleted, self.added = _Rows(), _Rows()
        self.falling = False
        self._changes: list[list[tuple[int, int, int]]] = []
        self._prices: list[float] = []

    def written(self) -> _Operators:
        steps = self.encoder.weights.get(len(self.encoder.task.fluents), 0)
        for operator in self.encoder.task.operators:
            self._prices.append(0.0)
            for place, outcome in enumerate(operator.outcomes):
                self.deleted.add(bits_of(outcome.deleted))
                self.added.add(bits_of(outcome.added))
                self._changes.append([])
                if place == 0 and steps:
                    self._pay(Constant(1), steps, True)
                for change in outcome.changes:
                    self._write(change, place == 0)
        return self

    def _write(self, change: FluentChange, always: bool) -> None:
        encoder = self.encoder
        if change.index in encoder.columns:
            place = encoder.columns[change.index]
            self._changes[-1].append((KINDS[change.operator], place, encoder.expression(change.amount)))
        if change.index in encoder.weights:
            variable, weight = Variable(change.index), encoder.weights[change.index]
            additive = change.operator in ADDITIVE
            by = change.amount if additive else Operation("-", (after_changes(variable, [change]), variable))
            self._pay(by, -weight if change.operator == "decrease" else weight, always)

    def _pay(self, by: Ground, weight: Number, always: bool) -> None:
        """The metric grows by an expression times a weight."""
        encoder = self.encoder
        self._changes[-1].append((INCREASE, len(encoder.columns), encoder.expression(by, weight, True)))
        value = evaluate(by, encoder.task.initial[1])
        form = linear(by)
        if value is None or form is None or form.weights or value * weight < 0:
            self.falling = True
        if always and value is not None:
            self._prices[-1] += float(value * weight)

    def changes(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        flat = np.asarray([each for row in self._changes for each in row], np.int32).reshape(-1, 3)
        kind, fluent, amount = (np.ascontiguousarray(flat[:, column]) for column in range(3))
        return np.asarray(np.cumsum([0, *map(len, self._changes)]), np.int32), kind, fluent, amount

    def prices(self) -> NDArray[np.int64]:
        prices = np.maximum(np.asarray(self._prices, np.float64), 0)
        mean = prices[prices > 0].mean() if (prices > 0).any() else 1.0
        scaled: NDArray[np.float64] = np.maximum(1, np.rint(np.minimum(prices / mean, 1e4) * USUAL_COST))
        return scaled.astype(np.int64)
