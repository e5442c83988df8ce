"""What of a ground task can be reached and what can matter: two compiled fixpoints over literals.

Literal ``2 * f`` is fact ``f``, ``2 * f + 1`` its negation; effect heads are ``2 * f`` (adds) and ``2 * f +
1`` (deletes), so an effect's head is the literal that it makes true.
"""

from __future__ import annotations

from typing import Any

from chorewright.jit.kernels import njit


@njit(cache=True, nogil=True, inline="never")
def _all(flags: Any, start: Any, items: Any, i: Any) -> Any:
    for k in range(start[i], start[i + 1]):  # a loop: compiled code knows no generators in all()
        item = items[k]
        if not flags[item]:
            return False
    return True


@njit(cache=True, nogil=True)
def reach(
    reached: Any,
    pre_start: Any,
    pre: Any,
    effect_operator: Any,
    cond_start: Any,
    cond: Any,
    head_start: Any,
    head: Any,
    axiom_head: Any,
    body_start: Any,
    body: Any,
    operator_on: Any,
    effect_on: Any,
    axiom_on: Any,
) -> None:
    """Close ``reached`` (by literal) under operators and axioms, deletions only making negations true."""
    changed = True
    while changed:
        changed = False
        for o in range(operator_on.shape[0]):
            if not operator_on[o] and _all(reached, pre_start, pre, o):
                operator_on[o] = True
                changed = True
        for e in range(effect_on.shape[0]):
            if effect_on[e] or not operator_on[effect_operator[e]]:
                continue
            if _all(reached, cond_start, cond, e):
                effect_on[e] = True
                changed = True
                for k in range(head_start[e], head_start[e + 1]):
                    reached[head[k]] = True
        for a in range(axiom_on.shape[0]):
            if not axiom_on[a] and _all(reached, body_start, body, a):
                axiom_on[a] = True
                changed = True
                reached[2 * axiom_head[a]] = True


@njit(cache=True, nogil=True)
def relevant(
    wanted: Any,
    fixed: Any,
    pre_start: Any,
    pre: Any,
    effect_operator: Any,
    cond_start: Any,
    cond: Any,
    head_start: Any,
    head: Any,
    axiom_head: Any,
    body_start: Any,
    body: Any,
    operator_on: Any,
    effect_on: Any,
    axiom_on: Any,
    operator_used: Any,
    effect_used: Any,
    axiom_used: Any,
) -> None:
    """Close ``wanted`` (by literal) backwards: what can bring about a wanted literal, and what may spoil one.

    ``fixed`` literals never change and are never wanted. An effect that can falsify a wanted literal is
    kept with its operator, and the negation of its condition becomes wanted, but it does not make its
    operator wanted.
    """
    changed = True
    while changed:
        changed = False
        for a in range(axiom_on.shape[0]):
            if not axiom_on[a] or axiom_used[a]:
                continue
            negated = wanted[2 * axiom_head[a] + 1]
            if wanted[2 * axiom_head[a]] or negated:
                axiom_used[a] = True
                changed = True
                for k in range(body_start[a], body_start[a + 1]):
                    if not fixed[body[k]]:
                        wanted[body[k]] = True
        for a in range(axiom_on.shape[0]):
            if axiom_used[a] and wanted[2 * axiom_head[a] + 1]:
                for k in range(body_start[a], body_start[a + 1]):
                    if not fixed[body[k] ^ 1] and not wanted[body[k] ^ 1]:
                        wanted[body[k] ^ 1] = True
                        changed = True
        for e in range(effect_on.shape[0]):
            if not effect_on[e]:
                continue
            useful = False
            harmful = False
            for k in range(head_start[e], head_start[e + 1]):
                useful = useful or wanted[head[k]]
                harmful = harmful or wanted[head[k] ^ 1]
            o = effect_operator[e]
            if useful and not operator_used[o]:
                operator_used[o] = True
                changed = True
                for k in range(pre_start[o], pre_start[o + 1]):
                    if not fixed[pre[k]]:
                        wanted[pre[k]] = True
            if useful and effect_used[e] != 1:
                effect_used[e] = 1
                changed = True
                for k in range(cond_start[e], cond_start[e + 1]):
                    if not fixed[cond[k]]:
                        wanted[cond[k]] = True
            if harmful and operator_used[o]:
                if effect_used[e] == 0:
                    effect_used[e] = 2
                    changed = True
                for k in range(cond_start[e], cond_start[e + 1]):
                    literal = cond[k] ^ 1
                    if not fixed[literal] and not wanted[literal]:
                        wanted[literal] = True
                        changed = True
