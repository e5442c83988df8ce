"""The sections of a domain: predicates, functions, axioms and actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest

from chorewright.domains.pddl.define import Sections, inside
from chorewright.domains.pddl.effects import DURATIVE_PARTS, durative_action, effect
from chorewright.domains.pddl.expressions import (
    formula,
    inner_formulas,
    read_typed_list,
    split_dashes,
    variables,
    variables_of,
)
from chorewright.domains.pddl.source import Findings, Form, Item, Word
from chorewright.domains.pddl.subformulas import OBJECT
from chorewright.domains.pddl.syntax import Action, And, AndEffect, Axiom, DurativeAction, Signature, Typed
from chorewright.domains.pddl.terms import BROKEN, is_name, name, show
from chorewright.files.spelling import closest

RESERVED = frozenset(["and", "or", "not", "imply", "forall", "exists", "when", "increase", "either", "define"])
ACTION_PARTS = (":parameters", ":precondition", ":effect")
OTHER_PARTS = (":duration", ":condition", ":precondition", ":vars")


def _signature(item: Item, findings: Findings, what: str) -> Signature | None:
    """``(name ?x - t ...)``; the name is in doubt where anything is wrong."""
    before = len(findings)
    found = None
    parameters: tuple[Typed, ...] = ()
    if not isinstance(item, Form) or not item.items:
        hint = f"write ({show(item)})" if is_name(item) else None
        findings.error(item.offset, f"a {what} in parentheses is expected here, not '{show(item)}'", hint)
    else:
        found = name(item.items[0], f"the name of a {what}", findings)
        if found in RESERVED:
            message = f"'{found}' has a meaning of its own and cannot name a {what}"
            findings.error(item.items[0].offset, message)
        parameters = read_typed_list(item.items[1:], findings, "variable")
    if len(findings) > before:
        findings.doubt_item(item.items[0] if isinstance(item, Form) and item.items else item)
    return Signature(found, parameters, findings.position(item.offset)) if found else None


def predicates(sections: Sections, findings: Findings) -> tuple[Signature, ...]:
    items = [item for item in inside(sections, ":predicates") if not _declares_equality(item)]
    found = [_signature(item, findings, "predicate") for item in items]
    return tuple(signature for signature in found if signature)


def _declares_equality(item: Item) -> bool:
    """Whether this is ``(= ?x ?y)``, which some files declare although it is known."""
    return isinstance(item, Form) and item.head == "=" and len(item.items) == 3


def functions(sections: Sections, findings: Findings) -> tuple[Signature, ...]:
    """``(f ?x - t) ... - number``; other types would be object fluents."""
    items = split_dashes(inside(sections, ":functions"))
    found: list[Signature] = []
    at = 0
    while at < len(items):
        item = items[at]
        at += 1
        if not (isinstance(item, Word) and item.text == "-"):
            signature = _signature(item, findings, "function")
            if signature:
                found.append(signature)
            continue
        kind = items[at] if at < len(items) else None
        at += 1
        if kind is None:
            findings.error(item.offset, "a type is missing after '-'", "functions are '- number'")
        elif not (isinstance(kind, Word) and kind.text == "number"):
            findings.unsupported(kind.offset, f"object fluents are not supported: '- {show(kind)}'", "write '- number'")
    return tuple(found)


def axiom(form: Form, predicates: Sequence[Signature], findings: Findings) -> Axiom:
    """One axiom; an untyped variable of its head takes the type of the predicate's declaration."""
    rest = form.items[1:]
    if len(rest) != 2:
        findings.error(form.offset, f"':derived' takes an atom and a condition, not {len(rest)} items")
    head = _signature(rest[0], findings, "predicate") if rest else None
    body = formula(rest[1], findings) if len(rest) == 2 else inner_formulas(rest[1:], findings)
    if head is None:
        head = Signature(BROKEN, variables_of(rest, findings))
    return Axiom(_read_signature(head, predicates), body, findings.position(form.offset))


def _read_signature(head: Signature, predicates: Sequence[Signature]) -> Signature:
    declared = next((each for each in predicates if each.name == head.name), None)
    if declared is None:
        return head
    fitting = len(declared.parameters) == len(head.parameters)
    parameters = tuple(
        replace(given, types=known.types if known and fitting else ()) if given.types == (OBJECT,) else given
        for given, known in zip_longest(head.parameters, declared.parameters)
        if given
    )
    return replace(head, parameters=parameters)


def durative(form: Form, findings: Findings) -> DurativeAction:
    """One durative action, or its readable parts."""
    title, items = _title(form, findings)
    parts = _parts(items, title, findings, DURATIVE_PARTS)
    given = _parameters(parts, form, items, findings)
    return durative_action(title, tuple(given) if parts[":parameters"] else (), parts, form, findings)


def _title(form: Form, findings: Findings) -> tuple[str, Sequence[Item]]:
    """The name of an action, and what follows it."""
    items = form.items[1:]
    if items and isinstance(items[0], Word) and items[0].text[0] != ":":
        return name(items[0], "the name of the action", findings) or "", items[1:]
    at = items[0].offset if items else form.offset
    findings.error(at, f"the name of the action is expected after '{form.head}'")
    return "", items


def _parameters(parts: dict[str, list[Item]], form: Form, items: Sequence[Item], findings: Findings) -> list[Typed]:
    return [
        entry
        for item in parts[":parameters"]
        for entry in variables(item, form.offset, findings, "':parameters'", items)
    ]


def action(form: Form, findings: Findings) -> Action:
    """One action, or its readable parts."""
    title, items = _title(form, findings)
    before = len(findings)
    parts = _parts(items, title, findings)
    whole = len(findings) == before
    if whole and not parts[":effect"]:
        findings.error(form.offset, f"the action '{title}' has no ':effect'")
    conditions = [formula(item, findings) for item in parts[":precondition"]]
    effects = [effect(item, findings) for item in parts[":effect"]]
    given = _parameters(parts, form, items, findings)
    return Action(
        title,
        tuple(given) if whole or parts[":parameters"] else variables_of(items, findings),
        conditions[0] if len(conditions) == 1 else And(tuple(conditions)),
        effects[0] if len(effects) == 1 else AndEffect(tuple(effects)),
        findings.position(form.offset),
    )


def _parts(
    items: Sequence[Item], title: str, findings: Findings, known: Sequence[str] = ACTION_PARTS
) -> dict[str, list[Item]]:
    """What stands behind each keyword of an action, a misspelt one taken as what is meant.

    There is more than one item only where something is wrong, which is recorded.
    """
    starts = [index for index, item in enumerate(items) if show(item).startswith(":")]
    written = frozenset(show(items[start]) for start in starts)
    parts: dict[str, list[Item]] = {part: [] for part in known}
    if items and 0 not in starts:
        _superfluous(items[0], title, findings)
    for start, end in pairwise([*starts, len(items)]):
        keyword, values = items[start], items[start + 1 : end]
        part = _part(keyword, written, findings, known)
        if parts.get(part) and show(keyword) not in OTHER_PARTS:
            message = f"'{show(keyword)}' occurs twice in action '{title}'"
            findings.error(keyword.offset, message)
        if not values:
            findings.error(keyword.offset, f"'{show(keyword)}' has nothing after it")
        elif isinstance(values[0], Form) and len(values) > 1:
            _superfluous(values[1], title, findings)
        if part:
            parts[part] += [*values[:1], *(item for item in values[1:] if isinstance(item, Form))]
    return parts


def _superfluous(item: Item, title: str, findings: Findings) -> None:
    hint = "join several conditions or effects with (and ...)" if isinstance(item, Form) else None
    findings.error(item.offset, f"a keyword is expected here in action '{title}', not '{show(item)}'", hint)


def _part(keyword: Item, written: frozenset[str], findings: Findings, known: Sequence[str]) -> str:
    """The part of an action that a keyword begins or seems to; empty where that is not clear."""
    text = show(keyword)
    if text in known:
        return text
    if text == ":vars":
        findings.unsupported(keyword.offset, "PDDL 1.2 variables are not supported: ':vars'")
        return ":parameters"
    if text in OTHER_PARTS:
        one, other = "durative actions", "actions without duration"
        of, hint = (one, "write (:durative-action ...") if known == ACTION_PARTS else (other, "write ':condition'")
        findings.error(keyword.offset, f"only {of} have a part '{text}'", hint)
        return "" if known == ACTION_PARTS else ":condition"
    meant = closest(text, known)
    hint = f"did you mean '{meant}'?" if meant else f"an action has {', '.join(known)}"
    findings.error(keyword.offset, f"'{text}' is not a part of an action", hint)
    return "" if meant is None or meant in written else meant
