"""From forms to effects: adding, deleting, ``forall``, ``when``, and changes of numbers."""

from __future__ import annotations

from collections.abc import Sequence

from chorewright.domains.pddl.expressions import UNCERTAIN, formula, variables
from chorewright.domains.pddl.forms import Form, Item, Word
from chorewright.domains.pddl.numbers import CHANGES, change
from chorewright.domains.pddl.source import Findings
from chorewright.domains.pddl.syntax import (
    AddEffect,
    AndEffect,
    DeleteEffect,
    Effect,
    ForallEffect,
    WhenEffect,
)
from chorewright.domains.pddl.terms import atom, is_name, number, refuse_atom, show

NO_EFFECT = AndEffect(())


def effect(item: Item, findings: Findings, conditional: bool = False) -> Effect:
    """An action's effect, or its readable parts.

    ``conditional`` is for what stands below ``when`` or ``forall``, where no increase is one of a plain cost.
    """
    if not isinstance(item, Form):
        hint = f"write ({show(item)})" if is_name(item) else None
        findings.error(item.offset, f"an effect in parentheses is expected here, not '{show(item)}'", hint)
        return NO_EFFECT
    if not item.items:
        return NO_EFFECT
    head, rest = item.head, item.items[1:]
    if head == "and":
        return AndEffect(tuple(effect(inner, findings, conditional) for inner in rest))
    if head == "not":
        return _delete(item, findings)
    if head == "forall":
        bound = variables(rest[0] if rest else None, item.offset, findings, "'forall'", rest)
        if not rest or not isinstance(rest[0], Form):
            return ForallEffect(bound, _inner_effects(rest, findings))
        return ForallEffect(bound, _only_effect(item, rest[1:], findings))
    if head == "when":
        if not rest:
            findings.error(item.offset, "'when' takes a condition and an effect")
            return NO_EFFECT
        return WhenEffect(formula(rest[0], findings), _only_effect(item, rest[1:], findings))
    if head == "increase" or (head in CHANGES and _of_numbers(rest)):
        return change(item, findings, conditional)
    return _changed(item, findings)


def _of_numbers(items: Sequence[Item]) -> bool:
    """Whether there is a list or a number among what an assignment assigns to or from."""
    return any(isinstance(item, Form) or (isinstance(item, Word) and number(item.text) is not None) for item in items)


def _changed(item: Form, findings: Findings) -> Effect:
    """An atom that is added, or what cannot be an effect."""
    head, rest = item.head, item.items[1:]
    lists = any(isinstance(inner, Form) for inner in rest)
    if head in UNCERTAIN and lists:
        findings.unsupported(item.offset, f"non-deterministic effects are not supported: '({head} ...'")
        return _inner_effects(rest, findings)
    if head in ("or", "imply", "exists", "=", "at-least"):
        findings.error(item.offset, f"'{head}' cannot be an effect", "effects are atoms, not, and, forall, when")
        return NO_EFFECT if head == "=" else WhenEffect(formula(item, findings), NO_EFFECT)
    if not isinstance(item.items[0], Word):
        refuse_atom(item, findings)
        return _inner_effects(item.items, findings)
    return AddEffect(atom(item, findings))


def _inner_effects(items: Sequence[Item], findings: Findings) -> Effect:
    """The lists among some items as effects: what is left of a broken one, to be checked."""
    found = (effect(inner, findings, conditional=True) for inner in items if isinstance(inner, Form))
    return AndEffect(tuple(found))


def _only_effect(item: Form, rest: Sequence[Item], findings: Findings) -> Effect:
    if len(rest) != 1:
        at = rest[1].offset if len(rest) > 1 else item.offset
        hint = "join several with (and ...)" if rest else None
        before = "its variables" if item.head == "forall" else "its condition"
        findings.error(at, f"'{item.head}' takes one effect after {before}, not {len(rest)}", hint)
        return _inner_effects(rest, findings)
    return effect(rest[0], findings, conditional=True)


def _delete(item: Form, findings: Findings) -> Effect:
    rest = item.items[1:]
    if len(rest) != 1 or not isinstance(rest[0], Form):
        findings.error(item.offset, "'not' takes one atom in an effect")
        return _inner_effects(rest, findings)
    inner = rest[0]
    if inner.head in ("not", "and", "or", "forall", "when", "="):
        findings.error(inner.offset, f"an effect can only negate an atom, not '({inner.head} ...'")
        return _inner_effects(inner.items if inner.head in ("not", "and") else (), findings)
    if not inner.items or not isinstance(inner.items[0], Word):
        refuse_atom(inner, findings)
        return NO_EFFECT
    return DeleteEffect(atom(inner, findings))
