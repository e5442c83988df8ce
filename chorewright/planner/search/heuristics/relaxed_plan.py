"""The FF heuristic: the cost of a plan for the task without deletions, and the operators that it prefers.

``h_add`` has found the costs of the facts and what supports each of them; following the supporters back from the goals
gives the relaxed plan (Hoffmann and Nebel 2001; with h-add's supporters, Keyder and Geffner 2008).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chorewright.jit.kernels import njit
from chorewright.planner.search.heuristics.scratch import INFINITE
from chorewright.planner.search.states import all_hold


@njit(cache=True, nogil=True)
def relaxed_plan(state: Any, r: Any, w: Any) -> Any:
    """Cost of the relaxed plan that the supporters form; its applicable operators are the preferred ones."""
    stack = w.stack
    depth = 0
    facts = 0
    touched = 0
    total = np.int64(0)
    # Facts are put on the stack once; ``w.heap`` remembers which marks to clear.
    for k in range(r.goal.shape[0]):
        f = r.goal[k]
        if not w.marked_fact[f]:
            w.marked_fact[f] = True
            stack[depth] = f
            depth += 1
            w.heap[facts] = f
            facts += 1
    while depth > 0:
        depth -= 1
        a = w.supporter[stack[depth]]
        if a < 0:
            continue
        for k in range(r.requires.start[a], r.requires.start[a + 1]):
            f = r.requires.items[k]
            if not w.marked_fact[f]:
                w.marked_fact[f] = True
                stack[depth] = f
                depth += 1
                w.heap[facts] = f
                facts += 1
        o = r.operator[a]
        if o >= 0 and not w.marked_operator[o]:
            w.marked_operator[o] = True
            w.preferred[touched] = o
            touched += 1
            total += r.cost[o]
    for k in range(facts):
        w.marked_fact[w.heap[k]] = False
    preferred = 0
    for k in range(touched):
        o = w.preferred[k]
        w.marked_operator[o] = False
        if all_hold(state, r.requires.items, r.requires.start[o], r.requires.start[o + 1]):
            w.preferred[preferred] = o
            preferred += 1
    # Insertion sort: few operators are preferred, and their order decides ties.
    for i in range(1, preferred):
        o = w.preferred[i]
        j = i - 1
        while j >= 0 and w.preferred[j] > o:
            w.preferred[j + 1] = w.preferred[j]
            j -= 1
        w.preferred[j + 1] = o
    w.counts[1] = preferred
    w.counts[2] = touched
    w.counts[3] = facts
    return min(total, INFINITE - 1)


__all__ = ["relaxed_plan"]
