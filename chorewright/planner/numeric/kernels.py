"""Numeric tasks as arrays, and compiled kernels: what an operator does to a state, and how far the goal is from it.

Estimates are of the additive relaxation: a numeric condition that is not met by d, and that an action moves by g,
takes d / g repetitions of it (Scala, Haslum and Thiébaux, IJCAI 2016). A relaxed plan is marked with its
repetitions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chorewright.jit.kernels import copy_items, njit
from chorewright.planner.search.states import pop, push

TRUE, FALSE, BOUND, CHOICE = 0, 1, 2, 3
"""Kinds of conditions."""

CONSTANT, VARIABLE, PLUS, MINUS, TIMES, OVER = 0, 1, 2, 3, 4, 5
"""Codes of programs, for expressions that are not linear."""

INCREASE, DECREASE, ASSIGN, SCALE_UP, SCALE_DOWN = 0, 1, 2, 3, 4
"""Kinds of changes."""

BITS = 28
"""Of a key of a queue: the number of what is queued; the rest is what orders it."""

FAR = 1 << 33
"""The estimate where the relaxation finds no way."""

NEAR_ZERO = 1e-9
DEPTH = 64
"""Operands that a program may leave waiting."""

ADD, FF, MAX, BLIND = 0, 1, 2, 3
"""What leads a search."""


class Expressions(NamedTuple):
    """Weighted sums of values, or programs.

    Attributes:
        term_at: Where the terms of each begin: ``term`` is a value's place, ``weight`` what it is multiplied with.
        constant: What is added to each sum.
        code_at: Where the program of each begins; it is empty where the expression is a sum.
        varying: The expressions that are not constants.
    """

    term_at: Any
    term: Any
    weight: Any
    constant: Any
    code_at: Any
    code: Any
    number: Any
    varying: Any


class Operators(NamedTuple):
    """Operators; ``*_at`` has where the parts of each begin: of operators needs and outcomes, of outcomes the rest."""

    need_at: Any
    need: Any
    outcome_at: Any
    condition_at: Any
    condition: Any
    delete_at: Any
    delete: Any
    add_at: Any
    add: Any
    change_at: Any
    change_kind: Any
    change_fluent: Any
    change_amount: Any


class NumericConditions(NamedTuple):
    """Conditions: bits, expressions that are at least 0 with an ``offset`` (``strict``: above it), and choices.

    Attributes:
        kind: What each is.
        about: Its bit, expression or choice.
        choice_at: Where the alternatives of each choice begin, and ``alternative_at`` their conditions.
    """

    kind: Any
    about: Any
    offset: Any
    strict: Any
    choice_at: Any
    alternative_at: Any
    alternative: Any


class Moves(NamedTuple):
    """The moves of the relaxation.

    Attributes:
        operator: The operator of each; -1 for an alternative of a choice, which costs nothing.
        need_at: Where the conditions that each needs begin; ``waiting`` is how many there are.
        ready_at: Where the moves begin that wait for each condition.
        make_at: Where the conditions begin that each makes true.
        gain_at: Where the expressions begin that each increases, ``gain_by`` another one; ``gain_once`` but once.
        aimed_at: Where the conditions on each expression begin.
    """

    operator: Any
    need_at: Any
    need: Any
    waiting: Any
    ready_at: Any
    ready: Any
    make_at: Any
    make: Any
    gain_at: Any
    gain_expression: Any
    gain_by: Any
    gain_once: Any
    aimed_at: Any
    aimed: Any


class Arrays(NamedTuple):
    """A numeric task as kernels read it; ``goal`` are the goal's conditions."""

    expressions: Any
    conditions: Any
    operators: Any
    moves: Any
    goal: Any


class NumericScratch(NamedTuple):
    """What the estimate of one state needs; made once for a search."""

    holds: Any
    worth: Any
    cost: Any
    support: Any
    times: Any
    waiting: Any
    spent: Any
    heap: Any
    stack: Any
    uses: Any
    operands: Any


@njit(cache=True, nogil=True)
def value_of(e: Any, values: Any, x: Any, operands: Any) -> Any:
    """The value of an expression; NaN where it is undefined."""
    if x.code_at[e] == x.code_at[e + 1]:
        total = x.constant[e]
        for i in range(x.term_at[e], x.term_at[e + 1]):
            total += x.weight[i] * values[x.term[i]]
        return total
    depth = 0
    for i in range(x.code_at[e], x.code_at[e + 1]):
        code = x.code[i]
        if code == CONSTANT:
            operands[depth] = x.number[i]
            depth += 1
        elif code == VARIABLE:
            operands[depth] = values[int(x.number[i])]
            depth += 1
        else:
            depth -= 1
            one, other = operands[depth - 1], operands[depth]
            if code == PLUS:
                operands[depth - 1] = one + other
            elif code == MINUS:
                operands[depth - 1] = one - other
            elif code == TIMES:
                operands[depth - 1] = one * other
            elif other == 0:
                operands[depth - 1] = np.nan
            else:
                operands[depth - 1] = one / other
    return operands[0]


@njit(cache=True, nogil=True)
def check_conditions(bits: Any, values: Any, x: Any, conditions: Any, worth: Any, holds: Any, operands: Any) -> None:
    """Work out all expressions, and say of each condition whether it holds; alternatives stand before their choice."""
    for i in range(x.varying.shape[0]):
        worth[x.varying[i]] = value_of(x.varying[i], values, x, operands)
    kinds, abouts, offset, strict, choice_at, alternative_at, alternative = conditions
    for c in range(kinds.shape[0]):
        kind, about = kinds[c], abouts[c]
        if kind == BOUND:
            value = worth[about] + offset[c]
            holds[c] = 1 if (value > NEAR_ZERO if strict[c] else value >= -NEAR_ZERO) else 0
        elif kind == CHOICE:
            holds[c] = 0
            for j in range(choice_at[about], choice_at[about + 1]):
                if all_met(alternative_at[j], alternative_at[j + 1], alternative, holds):
                    holds[c] = 1
                    break
        else:
            set_bit = (bits[about >> 6] >> np.uint64(about & 63)) & np.uint64(1)
            holds[c] = set_bit if kind == TRUE else np.uint64(1) - set_bit


@njit(cache=True, nogil=True)
def all_met(first: Any, last: Any, conditions: Any, holds: Any) -> Any:
    """Whether conditions hold."""
    for i in range(first, last):
        if not holds[conditions[i]]:
            return False
    return True


@njit(cache=True, nogil=True)
def run_operator(o: Any, bits: Any, values: Any, a: Any, s: Any, new_bits: Any, new_values: Any) -> Any:
    """Write the state after an operator whose conditions hold; False where a value would be undefined."""
    x, p = a.expressions, a.operators
    copy_items(new_bits, bits, bits.shape[0])
    copy_items(new_values, values, values.shape[0])
    first, last = p.outcome_at[o], p.outcome_at[o + 1]
    if last - first > 1:
        check_conditions(bits, values, x, a.conditions, s.worth, s.holds, s.operands)
    for t in range(first, last):
        if all_met(p.condition_at[t], p.condition_at[t + 1], p.condition, s.holds):
            for i in range(p.delete_at[t], p.delete_at[t + 1]):
                new_bits[p.delete[i] >> 6] &= ~(np.uint64(1) << np.uint64(p.delete[i] & 63))
    for t in range(first, last):
        if not all_met(p.condition_at[t], p.condition_at[t + 1], p.condition, s.holds):
            continue
        for i in range(p.add_at[t], p.add_at[t + 1]):
            new_bits[p.add[i] >> 6] |= np.uint64(1) << np.uint64(p.add[i] & 63)
        for i in range(p.change_at[t], p.change_at[t + 1]):
            amount = value_of(p.change_amount[i], values, x, s.operands)
            kind, fluent = p.change_kind[i], p.change_fluent[i]
            if kind == INCREASE:
                new_values[fluent] += amount
            elif kind == DECREASE:
                new_values[fluent] -= amount
            elif kind == ASSIGN:
                new_values[fluent] = amount
            elif kind == SCALE_UP:
                new_values[fluent] *= amount
            elif amount == 0:
                return False
            else:
                new_values[fluent] /= amount
            if np.isnan(new_values[fluent]):
                return False
            new_values[fluent] += 0.0  # no negative zero: states are compared by their bytes
    return True


@njit(cache=True, nogil=True)
def may_run(o: Any, bits: Any, values: Any, a: Any, s: Any) -> Any:
    """Whether an operator can be run in a state whose conditions were not worked out."""
    p, kinds, abouts = a.operators, a.conditions.kind, a.conditions.about
    for i in range(p.need_at[o], p.need_at[o + 1]):
        c = p.need[i]
        about = abouts[c]
        if kinds[c] == CHOICE:
            check_conditions(bits, values, a.expressions, a.conditions, s.worth, s.holds, s.operands)
            return all_met(p.need_at[o], p.need_at[o + 1], p.need, s.holds)
        if kinds[c] == BOUND:
            value = value_of(about, values, a.expressions, s.operands) + a.conditions.offset[c]
            if not (value > NEAR_ZERO if a.conditions.strict[c] else value >= -NEAR_ZERO):
                return False
        elif ((bits[about >> 6] >> np.uint64(about & 63)) & np.uint64(1)) != (1 if kinds[c] == TRUE else 0):
            return False
    return True


@njit(cache=True, nogil=True)
def estimate(bits: Any, values: Any, a: Any, costs: Any, by: Any, s: Any) -> Any:
    """How far the goal is; ``holds`` and, but for a blind estimate, ``uses`` of the scratch are those of the state."""
    check_conditions(bits, values, a.expressions, a.conditions, s.worth, s.holds, s.operands)
    s.uses[:] = 0
    if by == BLIND:
        return 0
    kinds, offset, strict = a.conditions.kind, a.conditions.offset, a.conditions.strict
    operator, ready_at, ready, make_at, make = (
        a.moves.operator,
        a.moves.ready_at,
        a.moves.ready,
        a.moves.make_at,
        a.moves.make,
    )
    gain_at, gain_expression, gain_by = a.moves.gain_at, a.moves.gain_expression, a.moves.gain_by
    gain_once, aimed_at, aimed = a.moves.gain_once, a.moves.aimed_at, a.moves.aimed
    holds, worth, cost, support, times = s.holds, s.worth, s.cost, s.support, s.times
    waiting, spent, heap, stack = s.waiting, s.spent, s.heap, s.stack
    goal = a.goal
    copy_items(waiting, a.moves.waiting, waiting.shape[0])
    spent[:] = 0
    for c in range(kinds.shape[0]):
        support[c] = -1
        cost[c] = 0 if holds[c] else -1
        if holds[c]:
            for i in range(ready_at[c], ready_at[c + 1]):
                waiting[ready[i]] -= 1
    left = 0
    for i in range(goal.shape[0]):
        left += 0 if holds[goal[i]] else 1
    size = 0
    fired = 0
    for m in range(waiting.shape[0]):
        if waiting[m] == 0:
            stack[fired] = m
            fired += 1
    while left:
        for f in range(fired):
            m = stack[f]
            price = costs[operator[m]] if operator[m] >= 0 else 0
            total = spent[m] + price
            for i in range(make_at[m], make_at[m + 1]):
                c = make[i]
                if cost[c] < 0 or total < cost[c]:
                    cost[c], support[c], times[c] = total, m, 1
                    size = push(heap, size, (min(total, FAR) << BITS) | c)
            for i in range(gain_at[m], gain_at[m + 1]):
                gain, e = worth[gain_by[i]], gain_expression[i]
                if not gain > NEAR_ZERO or np.isnan(worth[e]):
                    continue
                for j in range(aimed_at[e], aimed_at[e + 1]):
                    c = aimed[j]
                    if holds[c]:
                        continue
                    missing = -worth[e] - offset[c]
                    many = np.int64(min(np.ceil((missing - NEAR_ZERO) / gain), 1e9))
                    if strict[c] and many * gain <= missing + NEAR_ZERO:
                        many += 1
                    many = max(many, 1)
                    total = spent[m] + many * price
                    if (cost[c] < 0 or total < cost[c]) and not (many > 1 and gain_once[i]):
                        cost[c], support[c], times[c] = total, m, many
                        size = push(heap, size, (min(total, FAR) << BITS) | c)
        fired = 0
        if size == 0:
            break
        size = pop(heap, size)
        c = heap[size] & ((1 << BITS) - 1)
        if holds[c] or (heap[size] >> BITS) > cost[c]:
            continue
        holds[c] = 2  # settled
        for i in range(goal.shape[0]):
            left -= 1 if goal[i] == c else 0
        for i in range(ready_at[c], ready_at[c + 1]):
            m = ready[i]
            spent[m] = max(spent[m], cost[c]) if by == MAX else spent[m] + cost[c]
            waiting[m] -= 1
            if waiting[m] == 0:
                stack[fired] = m
                fired += 1
    for c in range(kinds.shape[0]):
        if holds[c] == 2:
            holds[c] = 0
    if left:
        return FAR
    far = np.int64(0)
    for i in range(goal.shape[0]):
        far = max(far, cost[goal[i]]) if by == MAX else far + cost[goal[i]]
    marked = mark_relaxed_plan(a, costs, s)
    return min(marked if by == FF else far, FAR - 1)


@njit(cache=True, nogil=True)
def mark_relaxed_plan(a: Any, costs: Any, s: Any) -> Any:
    """Count in ``uses`` how often each operator of a relaxed plan is run; -n where it can be run n times at once."""
    need_at, need, operator = a.moves.need_at, a.moves.need, a.moves.operator
    size = 0
    for i in range(a.goal.shape[0]):
        if s.support[a.goal[i]] >= 0:
            s.cost[a.goal[i]] = -1  # it is on the stack
            s.stack[size] = a.goal[i]
            size += 1
    while size:
        size -= 1
        c = s.stack[size]
        m = s.support[c]
        ready = True
        for i in range(need_at[m], need_at[m + 1]):
            n = need[i]
            ready = ready and s.support[n] < 0
            if s.support[n] >= 0 and s.cost[n] >= 0:
                s.cost[n] = -1
                s.stack[size] = n
                size += 1
        o = operator[m]
        if o >= 0:
            times = max(abs(s.uses[o]), s.times[c])
            s.uses[o] = -times if ready or s.uses[o] < 0 else times
    total = 0
    for o in range(s.uses.shape[0]):
        total += abs(s.uses[o]) * costs[o]
    return total
