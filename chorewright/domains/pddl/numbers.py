"""From forms to numeric expressions, comparisons, and effects that change numbers."""

from __future__ import annotations

from chorewright.domains.pddl.forms import Form, Item, Word
from chorewright.domains.pddl.source import Findings
from chorewright.domains.pddl.syntax import (
    DURATION,
    TOTAL_COST,
    AndEffect,
    Arithmetic,
    ChangeNumber,
    Comparison,
    Effect,
    Expression,
    Formula,
    FunctionTerm,
    IncreaseCost,
)
from chorewright.domains.pddl.terms import BROKEN, function_term, is_name, number, show

COMPARISONS = ("<", "<=", "=", ">=", ">")
CHANGES = ("assign", "increase", "decrease", "scale-up", "scale-down")
_OPERANDS = {"+": "2 or more", "*": "2 or more", "-": "1 or 2", "/": "2"}
_BROKEN = FunctionTerm(BROKEN, ())


def compares_numbers(item: Form) -> bool:
    """Whether ``(= left right)`` is about numbers: one side is a list, or a number beside ``?duration``."""
    return any(isinstance(side, Form) or show(side) == DURATION for side in item.items[1:])


def comparison(item: Form, findings: Findings) -> Formula:
    """``(operator left right)``; a broken side is ``BROKEN``."""
    sides = item.items[1:]
    if len(sides) != 2:
        findings.error(item.offset, f"'{item.head}' takes 2 numbers, not {len(sides)}", f"({item.head} (fuel ?x) 3)")
    left, right, *_ = (*(expression(side, findings) for side in sides[:2]), _BROKEN, _BROKEN)
    return Comparison(item.head, left, right, findings.position(item.offset))


def expression(item: Item, findings: Findings) -> Expression:
    """A number, ``(function term ...)``, ``?duration``, or arithmetic on them; ``BROKEN`` if it is none of these."""
    if isinstance(item, Word):
        if item.text == DURATION:
            return FunctionTerm(DURATION, (), findings.position(item.offset))
        value = number(item.text)
        if value is not None:
            return value
        if item.text == "#t":
            findings.unsupported(item.offset, "continuous effects are not supported: '#t'")
            return _BROKEN
        hint = f"write ({item.text})" if is_name(item) else None
        findings.error(item.offset, f"a number or a function is expected here, not '{item.text}'", hint)
        return _BROKEN
    if not isinstance(item, Form):
        findings.error(item.offset, f"a number or a function is expected here, not '{show(item)}'")
        return _BROKEN
    if item.head == "is-violated":
        findings.unsupported(item.offset, "preferences are not supported: '(is-violated ...'")
        return _BROKEN
    if item.head not in _OPERANDS:
        return function_term(item, findings)
    operands = tuple(expression(inner, findings) for inner in item.items[1:])
    if not operands or (item.head != "-" and len(operands) < 2) or (item.head in "-/" and len(operands) > 2):
        wanted = _OPERANDS[item.head]
        findings.error(item.offset, f"'{item.head}' takes {wanted} numbers, not {len(operands)}")
    return Arithmetic(item.head, operands)


def change(item: Form, findings: Findings, conditional: bool) -> Effect:
    """``(increase (function term ...) amount)`` and its like; a plain increase is one of a cost.

    Args:
        item: The effect.
        findings: Where errors go.
        conditional: Whether it stands below ``when`` or ``forall``, where it is no plain cost.
    """
    rest = item.items[1:]
    if len(rest) != 2 or not isinstance(rest[0], Form):
        hint = f"({item.head} ({TOTAL_COST}) 1)"
        findings.error(item.offset, f"'{item.head}' takes a function and an amount", hint)
        return AndEffect(())
    target = function_term(rest[0], findings)
    amount = expression(rest[1], findings)
    if BROKEN in (target.function, getattr(amount, "function", None)):
        return AndEffect(())
    if item.head == "increase" and not conditional:
        position = findings.position(item.offset)
        if isinstance(amount, float) and amount >= 0:
            return IncreaseCost(amount, position, target.function, target.terms)
        if isinstance(amount, float) and target.function == TOTAL_COST:
            findings.error(rest[1].offset, f"a cost cannot be negative: {show(rest[1])}")
            return AndEffect(())
        if isinstance(amount, FunctionTerm) and amount.function != DURATION:
            return IncreaseCost(amount, position, target.function, target.terms)
    return ChangeNumber(item.head, target, amount)
