"""From forms to effects: adding, deleting, ``forall``, ``when``, and costs."""

from __future__ import annotations

from collections.abc import Sequence

from chorewright.domains.pddl.expressions import (
    TOTAL_COST,
    UNCERTAIN,
    atom,
    formula,
    is_name,
    number,
    show,
    variables,
)
from chorewright.domains.pddl.forms import Form, Item, Word
from chorewright.domains.pddl.source import Findings
from chorewright.domains.pddl.syntax import (
    AddEffect,
    AndEffect,
    DeleteEffect,
    Effect,
    ForallEffect,
    FunctionTerm,
    IncreaseCost,
    WhenEffect,
)

NO_EFFECT = AndEffect(())

_ASSIGNMENTS = frozenset(["assign", "decrease", "scale-up", "scale-down"])


def effect(item: Item, findings: Findings, conditional: bool = False) -> Effect | None:
    """An action's effect; ``conditional`` below ``when`` or ``forall``, where costs may not change."""
    if not isinstance(item, Form):
        hint = f"write ({show(item)})" if is_name(item) else None
        findings.error(item.offset, f"an effect in parentheses is expected here, not '{show(item)}'", hint)
        return None
    if not item.items:
        return NO_EFFECT
    head, rest = item.head, item.items[1:]
    if head == "and":
        found = [effect(inner, findings, conditional) for inner in rest]
        effects = tuple(inner for inner in found if inner is not None)
        return AndEffect(effects) if len(effects) == len(found) else None
    if head == "not":
        return _delete(item, findings)
    if head == "forall":
        bound = variables(rest[0] if rest else None, item.offset, findings, "'forall'")
        body = _only_effect(item, rest[1:], findings)
        return ForallEffect(bound, body) if bound is not None and body is not None else None
    if head == "when":
        if not rest:
            findings.error(item.offset, "'when' takes a condition and an effect")
            return None
        condition = formula(rest[0], findings)
        body = _only_effect(item, rest[1:], findings)
        return WhenEffect(condition, body) if condition is not None and body is not None else None
    if head == "increase":
        return _increase(item, findings, conditional)
    if head in _ASSIGNMENTS and any(isinstance(inner, Form) for inner in rest):
        findings.unsupported(
            item.offset,
            f"numeric effects other than increasing {TOTAL_COST} are not supported: '({head} ...'",
        )
        return None
    if head in UNCERTAIN and any(isinstance(inner, Form) for inner in rest):
        findings.unsupported(item.offset, f"non-deterministic effects are not supported: '({head} ...'")
        return None
    if head in ("or", "imply", "exists", "=", "at-least"):
        findings.error(
            item.offset, f"'{head}' cannot be an effect", "effects are atoms, not, and, forall, when"
        )
        return None
    found_atom = atom(item, findings)
    return AddEffect(found_atom) if found_atom else None


def _only_effect(item: Form, rest: Sequence[Item], findings: Findings) -> Effect | None:
    if len(rest) != 1:
        at = rest[1].offset if len(rest) > 1 else item.offset
        hint = "join several with (and ...)" if rest else None
        before = "its variables" if item.head == "forall" else "its condition"
        findings.error(at, f"'{item.head}' takes one effect after {before}, not {len(rest)}", hint)
        return None
    return effect(rest[0], findings, conditional=True)


def _delete(item: Form, findings: Findings) -> Effect | None:
    rest = item.items[1:]
    if len(rest) != 1 or not isinstance(rest[0], Form):
        findings.error(item.offset, "'not' takes one atom in an effect")
        return None
    if rest[0].head in ("not", "and", "or", "forall", "when", "="):
        findings.error(rest[0].offset, f"an effect can only negate an atom, not '({rest[0].head} ...'")
        return None
    found = atom(rest[0], findings)
    return DeleteEffect(found) if found else None


def _increase(item: Form, findings: Findings, conditional: bool) -> Effect | None:
    rest = item.items[1:]
    if len(rest) != 2 or not isinstance(rest[0], Form):
        findings.error(
            item.offset, "'increase' takes a function and an amount", f"(increase ({TOTAL_COST}) 1)"
        )
        return None
    if rest[0].names() != (TOTAL_COST,):
        findings.unsupported(
            rest[0].offset, f"numeric effects other than increasing ({TOTAL_COST}) are not supported"
        )
        return None
    if conditional:
        findings.unsupported(item.offset, "costs under 'when' or 'forall' are not supported")
        return None
    amount = rest[1]
    position = findings.position(item.offset)
    if isinstance(amount, Word):
        value = number(amount.text)
        if value is None:
            hint = f"write ({amount.text})" if is_name(amount) else None
            findings.error(
                amount.offset, f"a number or a function is expected here, not '{amount.text}'", hint
            )
            return None
        if value < 0:
            findings.error(amount.offset, f"a cost cannot be negative: {amount.text}")
            return None
        return IncreaseCost(value, position)
    if isinstance(amount, Form):
        if amount.head in ("+", "-", "*", "/"):
            findings.unsupported(
                amount.offset, "arithmetic in costs is not supported", "a number or one function"
            )
            return None
        found = function_term(amount, findings)
        return IncreaseCost(found, position) if found else None
    findings.error(amount.offset, f"a number or a function is expected here, not '{show(amount)}'")
    return None


def function_term(item: Form, findings: Findings) -> FunctionTerm | None:
    """``(function term ...)``."""
    found = atom(item, findings)
    return FunctionTerm(found.predicate, found.terms, found.position) if found else None
