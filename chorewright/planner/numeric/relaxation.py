"""The additive relaxation with numbers: steps to make each condition true alone, and what begins a relaxed plan.

A numeric condition that is not met by d, and that an action moves by g, takes d / g repetitions of it (Scala, Haslum
and Thiébaux, IJCAI 2016). Amounts that depend on the state are those of the state that is asked about.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush

from chorewright.domains.facts import Number
from chorewright.planner.numeric.expressions import ANY, Constant, Interval, bounds, combine, variables_of
from chorewright.planner.numeric.task import Bound, Condition, FluentChange, NumericTask, State, change_values


@dataclass(frozen=True, slots=True)
class RelaxedEstimate:
    """The steps to each part of the goal, added up (None if there is no relaxed plan); operators that begin one."""

    steps: int | None
    helpful: frozenset[int] = frozenset()


@dataclass(slots=True)
class _Move:
    """One outcome of an operator, or one alternative of a choice (``operator`` -1, no cost).

    ``gains`` are constant steps of bounds; ``changes`` are those that depend on the state, and ``touched`` the bounds
    that they may move.
    """

    operator: int
    cost: int
    needs: tuple[int, ...]
    makes: tuple[int, ...]
    gains: tuple[tuple[int, Number], ...] = ()
    changes: tuple[FluentChange, ...] = ()
    touched: tuple[int, ...] = ()


@dataclass(slots=True)
class _Names:
    """The numbers of the conditions that are aimed at: literals, bounds, choices."""

    known: dict[object, int] = field(default_factory=dict)
    choices: list[tuple[int, tuple[Condition, ...]]] = field(default_factory=list)

    def of(self, name: object) -> int:
        return self.known.setdefault(name, len(self.known))

    def needs(self, condition: Condition) -> tuple[int, ...]:
        """Return the numbers of the parts of a condition."""
        found = [self.of(("true", bit)) for bit in bits_of(condition.true)]
        found += [self.of(("false", bit)) for bit in bits_of(condition.false)]
        found += [self.of(("bound", bound)) for bound in condition.bounds]
        for choice in condition.choices:
            before = len(self.known)
            number = self.of(("choice", choice))
            if number == before:
                self.choices.append((number, choice))
            found.append(number)
        return tuple(dict.fromkeys(found))


def bits_of(number: int) -> Iterator[int]:
    """Yield the places of the bits of a number that are set."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


class NumericRelaxation:
    """A task made ready for estimates from many states."""

    def __init__(self, task: NumericTask) -> None:
        names = _Names()
        self._goal = names.needs(task.goal)
        needed = [
            [tuple(dict.fromkeys(names.needs(each.condition) + names.needs(outcome.condition)))
             for outcome in each.outcomes]
            for each in task.operators
        ]  # fmt: skip
        moves: list[_Move] = []
        for number, choice in names.choices:  # grows while choices within choices are met
            moves += [_Move(-1, 0, names.needs(each), (number,)) for each in choice]
        literals = {name: number for name, number in names.known.items() if isinstance(name, tuple)}
        self._true = [(number, 1 << name[1]) for name, number in literals.items() if name[0] == "true"]
        self._false = [(number, 1 << name[1]) for name, number in literals.items() if name[0] == "false"]
        self._bounds = [(number, task.bounds[name[1]]) for name, number in literals.items() if name[0] == "bound"]
        reads = [(number, bound, frozenset(variables_of(bound.expression))) for number, bound in self._bounds]
        for index, operator in enumerate(task.operators):
            for outcome, needs in zip(operator.outcomes, needed[index], strict=True):
                makes = [literals[key] for bit in bits_of(outcome.added) if (key := ("true", bit)) in literals]
                makes += [literals[key] for bit in bits_of(outcome.deleted) if (key := ("false", bit)) in literals]
                move = _Move(index, 1, needs, tuple(makes))
                _numeric_part(move, outcome.changes, reads)
                if move.makes or move.gains or move.touched:
                    moves.append(move)
        self._moves = moves
        self._count = len(names.known)
        self._bound_of = dict(self._bounds)
        self._needed_by: list[list[int]] = [[] for _ in range(self._count)]
        for index, move in enumerate(moves):
            for need in move.needs:
                self._needed_by[need].append(index)
        self._waiting = [len(move.needs) for move in moves]
        self._free = [index for index, move in enumerate(moves) if not move.needs]

    def estimate(self, state: State) -> RelaxedEstimate:
        """Return how far the goal is from a state."""
        bits, values = state
        costs: list[int] = [-1] * self._count
        support: list[tuple[int, int] | None] = [None] * self._count
        deficits: dict[int, Number] = {}
        heap: list[tuple[int, int]] = []
        for number, mask in self._true:
            if bits & mask:
                costs[number] = 0
                heap.append((0, number))
        for number, mask in self._false:
            if not bits & mask:
                costs[number] = 0
                heap.append((0, number))
        for number, bound in self._bounds:
            value = bound.value(values)
            if value is not None and (value > 0 or (value == 0 and not bound.strict)):
                costs[number] = 0
                heap.append((0, number))
            elif value is not None:
                deficits[number] = -value
        heap.sort()
        waiting = self._waiting.copy()
        spent = [0] * len(self._moves)
        left = set(self._goal)

        def reach(number: int, cost: int, index: int, times: int) -> None:
            if costs[number] < 0 or cost < costs[number]:
                costs[number] = cost
                support[number] = (index, times)
                heappush(heap, (cost, number))

        def fire(index: int) -> None:
            move = self._moves[index]
            cost = spent[index] + move.cost
            for number in move.makes:
                reach(number, cost, index, 1)
            for number, gain in move.gains:
                if number in deficits:
                    times = _times(deficits[number], gain, self._bound_of[number].strict)
                    reach(number, spent[index] + times, index, times)
            if move.touched:
                for number, times in self._moved(move, state, deficits):
                    reach(number, spent[index] + times, index, times)

        for index in self._free:
            fire(index)
        while heap:
            cost, number = heappop(heap)
            if cost > costs[number]:
                continue
            left.discard(number)
            if not left:
                break
            for index in self._needed_by[number]:
                spent[index] += cost
                waiting[index] -= 1
                if waiting[index] == 0:
                    fire(index)
        if left:
            return RelaxedEstimate(None)
        return RelaxedEstimate(sum(costs[number] for number in self._goal), self._helpful(support))

    def _moved(self, move: _Move, state: State, deficits: dict[int, Number]) -> Iterator[tuple[int, int]]:
        """Yield the bounds that changes which depend on the state bring about, and how often that takes."""
        after = change_values(move.changes, state[1])
        if after is None:
            return
        for number in move.touched:
            bound = self._bound_of[number]
            if number in deficits:
                value = bound.value(after)
                gain = None if value is None else value + deficits[number]
            else:
                value = bound.value(after)
                gain = value
            if value is None or gain is None:
                continue
            if value > 0 or (value == 0 and not bound.strict):
                yield number, 1
            elif gain > 0 and number in deficits:
                yield number, _times(deficits[number], gain, bound.strict)

    def _helpful(self, support: list[tuple[int, int] | None]) -> frozenset[int]:
        """Return the operators of the relaxed plan that can be run at once."""
        helpful: set[int] = set()
        stack = list(self._goal)
        seen = set(stack)
        while stack:
            found = support[stack.pop()]
            if found is None:
                continue
            move = self._moves[found[0]]
            new = [need for need in move.needs if need not in seen]
            seen.update(new)
            stack += new
            if move.operator >= 0 and all(support[need] is None for need in move.needs):
                helpful.add(move.operator)
        return frozenset(helpful)


def _times(deficit: Number, gain: Number, strict: bool) -> int:
    """How often a gain must be made until a deficit is gone."""
    return int(deficit // gain) + 1 if strict else int(-(-deficit // gain))


def _numeric_part(
    move: _Move, changes: tuple[FluentChange, ...], reads: list[tuple[int, Bound, frozenset[int]]]
) -> None:
    """Work out which bounds an outcome's changes move, and by how much where that is always the same."""
    if not changes:
        return
    index = {change.index for change in changes}
    constant = all(
        isinstance(change.amount, Constant) and change.operator in ("increase", "decrease") for change in changes
    )
    deltas: dict[int, Number] = {}
    for change in changes:
        if isinstance(change.amount, Constant):
            sign = 1 if change.operator == "increase" else -1
            deltas[change.index] = deltas.get(change.index, 0) + sign * change.amount.value
    gains: list[tuple[int, Number]] = []
    touched: list[int] = []
    for number, bound, fluents in reads:
        if not fluents & index:
            continue
        if constant and bound.linear is not None:
            gain = sum(weight * deltas.get(fluent, 0) for fluent, weight in bound.linear.weights)
            if gain > 0:
                gains.append((number, gain))
        else:
            touched.append(number)
    move.gains, move.touched = tuple(gains), tuple(touched)
    move.changes = changes if touched else ()


# The interval relaxation: fluents only ever widen to intervals, and nothing that was true becomes false.
#
# What cannot be reached here cannot be reached at all (Scala, Haslum, Thiébaux and Ramirez, ECAI 2016). An effect that
# can be repeated to push a value up or down pushes it to infinity at once, so that the fixpoint is reached in few
# rounds.


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

    def _widen(self, change: FluentChange, quickly: bool) -> bool:
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


# What the relaxation proves: atoms that never hold together, and atoms that no plan does without.


def companions(task: NumericTask) -> list[int]:
    """Return for each atom the atoms that may hold together with it, as bits; itself if it may ever hold.

    Two atoms that are no companions never hold in the same reachable state: pairs are reached by the fixpoint h² of
    Haslum and Geffner (AIPS 2000). Numbers, disjunctions and what must not hold are taken for true.
    """
    initial = task.initial[0]
    found = [initial if initial >> bit & 1 else 0 for bit in range(len(task.atoms))]
    moves = []
    for operator in task.operators:
        first, possible = operator.outcomes[0], 0
        for outcome in operator.outcomes[1:]:
            possible |= outcome.added
        for outcome in operator.outcomes:
            needs = operator.condition.true | outcome.condition.true
            added = first.added | outcome.added
            kept = ~(first.deleted | outcome.deleted)
            moves.append((needs, list(bits_of(needs)), kept, added, list(bits_of(added)), possible))
    grown = True
    while grown:
        grown = False
        possible_atoms = sum(1 << bit for bit, others in enumerate(found) if others >> bit & 1)
        for needs, needed, kept, added, made, possible in moves:
            common = possible_atoms
            for bit in needed:
                common &= found[bit]
            if common & needs != needs:
                continue
            after = (common & kept) | added
            for bit in made:
                new = (after | possible) & ~found[bit]
                if new:
                    grown = True
                    found[bit] |= new
                    for other in bits_of(new):
                        found[other] |= 1 << bit
    return found


def is_landmark(task: NumericTask, bit: int) -> bool:
    """Whether the goal cannot be reached without making an atom true, even when nothing is ever deleted."""
    without = tuple(each for each in task.operators if not (each.outcomes[0].added | each.condition.true) >> bit & 1)
    return not may_reach(replace(task, operators=without), task.initial)
