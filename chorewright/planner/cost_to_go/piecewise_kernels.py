"""Compiled steps of plans made piece by piece: which part of the goal comes next, by which operators."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chorewright.jit.kernels import njit
from chorewright.planner.grounding.task import CsrLists, Int32
from chorewright.planner.search.heuristics.add_and_max import evaluate
from chorewright.planner.search.heuristics.delete_relaxation import ADD, INFINITE
from chorewright.planner.search.search_kernels import slot_of, trace
from chorewright.planner.search.states import all_hold, holds, successor

MOST_PARTS = 100
"""Parts after which no more are tried: those that undo each other could go on for ever."""

AVOIDED = 2**30
"""What operators that undo a part of the goal cost in relaxed plans: more than any other way."""


class PartTables(NamedTuple):
    """What the choice of the next part reads.

    Attributes:
        undoers: The operators that may make each fact false.
        arguments: Those of each operator (operators x most arguments; the rest is -1).
        objects: How many there are.
        kind: A number of each fact's predicate and sign; that of facts without a predicate is the last one.
        names: The arguments of each fact (facts x most arguments; the rest is -1).
        earlier: Marks of pairs of kinds of one object: the first is made true before the second (kinds x kinds).
    """

    undoers: CsrLists
    arguments: Int32
    objects: int
    kind: Int32
    names: Int32
    earlier: NDArray[np.bool_]


@njit(cache=True, nogil=True)
def leaves(r: Any, w: Any, done: Any, todo: Any) -> Any:
    """Follow the goal of the last evaluation through axioms down to facts that hold or that operators make.

    Marks the former in ``done``, writes the latter into ``todo`` and returns how many those are. The goal must be
    within reach: what is not has no supporter.
    """
    seen = np.zeros(r.fact_count, np.bool_)
    stack = np.empty(r.fact_count, np.int64)
    size = 0
    for k in range(r.goal.shape[0]):
        if not seen[r.goal[k]]:
            seen[r.goal[k]] = True
            stack[size] = r.goal[k]
            size += 1
    count = 0
    while size > 0:
        size -= 1
        f = stack[size]
        a = w.supporter[f]
        if a < 0:
            done[f] = True
        elif r.operator[a] >= 0:
            todo[count] = f
            count += 1
        else:
            for i in range(r.requires.start[a], r.requires.start[a + 1]):
                g = r.requires.items[i]
                if not seen[g]:
                    seen[g] = True
                    stack[size] = g
                    size += 1
    return count


@njit(cache=True, nogil=True)
def is_shared(one: Any, other: Any, names: Any) -> Any:
    """Whether two facts speak of one object; ``names`` has the arguments of each."""
    for i in range(names.shape[1]):
        for j in range(names.shape[1]):
            if names[one, i] >= 0 and names[one, i] == names[other, j]:
                return True
    return False


@njit(cache=True, nogil=True)
def _cheapest(todo: Any, w: Any, t: Any) -> Any:
    """The cheapest fact that none of the others comes before; any, if there are only such."""
    kind, names, earlier = t.kind, t.names, t.earlier
    part = np.int64(-1)
    for waiting in (False, True):
        for f in todo:
            late = False
            for g in todo:
                late = late or (f != g and earlier[kind[g], kind[f]] and is_shared(f, g, names))
            if late and not waiting:
                continue
            if part < 0 or w.cost[f] < w.cost[part] or (w.cost[f] == w.cost[part] and f < part):
                part = f
        if part >= 0:
            break
    return part


@njit(cache=True, nogil=True)
def _among(part: Any, r: Any, w: Any, t: Any, chosen: Any) -> Any:
    """Write the operators over the objects of the last relaxed plan for a fact; returns how many they are."""
    arguments = t.arguments
    kept = np.zeros(t.objects, np.bool_)
    seen = np.zeros(r.fact_count, np.bool_)
    stack = np.empty(r.fact_count, np.int64)
    stack[0] = part
    seen[part] = True
    size = 1
    while size > 0:
        size -= 1
        a = w.supporter[stack[size]]
        if a < 0:
            continue
        o = r.operator[a]
        if o >= 0:
            for i in range(arguments.shape[1]):
                if arguments[o, i] >= 0:
                    kept[arguments[o, i]] = True
        for i in range(r.requires.start[a], r.requires.start[a + 1]):
            f = r.requires.items[i]
            if not seen[f]:
                seen[f] = True
                stack[size] = f
                size += 1
    count = 0
    for o in range(arguments.shape[0]):
        fits = True
        for i in range(arguments.shape[1]):
            fits = fits and (arguments[o, i] < 0 or kept[arguments[o, i]])
        if fits:
            chosen[count] = o
            count += 1
    return count


@njit(cache=True, nogil=True)
def following(state: Any, r: Any, w: Any, done: Any, t: Any) -> Any:
    """The part to be made true next and the operators for it; -1 if the goal is out of reach.

    ``done`` are facts that operators ought not to undo; those of the goal that hold are added.
    """
    for f in range(done.shape[0]):
        if done[f]:
            for i in range(t.undoers.start[f], t.undoers.start[f + 1]):
                r.cost[t.undoers.items[i]] += AVOIDED
    value = evaluate(state, r, w, ADD)
    for f in range(done.shape[0]):
        if done[f]:
            for i in range(t.undoers.start[f], t.undoers.start[f + 1]):
                r.cost[t.undoers.items[i]] -= AVOIDED
    chosen = np.empty(t.arguments.shape[0], np.int64)
    if value >= INFINITE:
        return np.int64(-1), chosen[:0]
    todo = np.empty(r.fact_count, np.int64)
    count = leaves(r, w, done, todo)
    part = _cheapest(todo[:count], w, t)
    if part < 0:
        return part, chosen[:0]
    size = _among(part, r, w, t, chosen)
    return part, chosen[:size].copy()


@njit(cache=True, nogil=True)
def follow(state: Any, operators: Any, m: Any, goal: Any, done: Any, undone: Any) -> Any:
    """Apply operators to the state, mark what was ``done`` and does not hold between; whether the goal does.

    What does not hold in the end is not done any more.
    """
    following = np.empty_like(state)
    for k in range(operators.shape[0]):
        successor(state, operators[k], m, following)
        state[:] = following
        for f in range(done.shape[0]):
            if done[f] and not holds(state, f):
                undone[f] = True
    for f in range(done.shape[0]):
        done[f] = done[f] and holds(state, f)
    return all_hold(state, goal, 0, goal.shape[0])


@njit(cache=True, nogil=True)
def undoable(done: Any, operators: Any, m: Any) -> Any:
    """What of all that is done some of the operators may undo."""
    found = np.zeros(done.shape[0], np.bool_)
    for o in operators:
        for e in range(m.effect_start[o], m.effect_start[o + 1]):
            for i in range(m.delete.start[e], m.delete.start[e + 1]):
                f = m.delete.items[i]
                found[f] = found[f] or done[f]
            for i in range(m.add.start[e], m.add.start[e + 1]):
                f = m.complement[m.add.items[i]]
                if f >= 0:
                    found[f] = found[f] or done[f]
    return found


@njit(cache=True, nogil=True)
def _shortest(state: Any, operators: Any, m: Any, wanted: Any, most: Any) -> Any:
    """A shortest sequence of some operators after which facts hold; empty if it is not among so many states.

    Axioms are left out.
    """
    goal = np.flatnonzero(wanted)
    words = state.shape[0]
    states = np.empty((most + 1, words), np.uint64)
    states[0] = state
    parent = np.full(most + 1, -1, np.int32)
    reached_by = np.full(most + 1, -1, np.int32)
    size = 1
    while size < 4 * most:
        size *= 2
    table = np.zeros(size, np.int32)
    table[slot_of(table, states, state)] = 1
    count, node = 1, 0
    while node < count:
        for o in operators:
            first, last = m.precondition.start[o], m.precondition.start[o + 1]
            if not all_hold(states[node], m.precondition.items, first, last):
                continue
            following = states[count]
            successor(states[node], o, m, following)
            slot = slot_of(table, states, following)
            if table[slot] != 0:
                continue
            parent[count], reached_by[count] = node, o
            if all_hold(following, goal, 0, goal.shape[0]):
                return trace(parent, reached_by, count).astype(np.int64)
            count += 1
            table[slot] = count
            if count > most:
                return np.empty(0, np.int64)
        node += 1
    return np.empty(0, np.int64)


@njit(cache=True, nogil=True)
def pieces(
    state: Any, mask: Any, r: Any, w: Any, m: Any, bare: Any, goal: Any, t: Any, most: Any
) -> Any:  # fmt: skip
    """Whether a plan was found, and the plan, whose pieces are shortest ones among their operators.

    ``bare`` are the moves ``m`` without axioms, which no operator may read. ``state`` is changed.
    """
    facts = r.fact_count
    done = np.zeros(facts, np.bool_)
    gone = np.zeros(facts, np.bool_)
    plan = np.empty(64, np.int64)
    length = 0
    reached = all_hold(state, goal, 0, goal.shape[0])
    looked = False
    for _ in range(MOST_PARTS):
        if reached:
            break
        own = state & mask
        if not looked:
            if evaluate(own, r, w, ADD) >= INFINITE:
                break
            leaves(r, w, done, np.empty(facts, np.int64))
            looked = True
        part, chosen = following(own, r, w, done, t)
        if part < 0:
            break
        wanted = undoable(done, chosen, m)
        wanted[part] = True
        steps = _shortest(own, chosen, bare, wanted, most)
        if steps.shape[0] == 0:
            break
        while length + steps.shape[0] > plan.shape[0]:
            longer = np.empty(2 * plan.shape[0], np.int64)
            longer[:length] = plan[:length]
            plan = longer
        plan[length : length + steps.shape[0]] = steps
        length += steps.shape[0]
        reached = follow(state, steps, m, goal, done, gone)
        done[part] = True
    return reached, plan[:length].copy()
