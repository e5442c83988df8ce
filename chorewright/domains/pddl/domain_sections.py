"""The sections of a domain: predicates, functions, axioms and actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chorewright.domains.pddl.define import Sections, only
from chorewright.domains.pddl.effects import effect
from chorewright.domains.pddl.expressions import formula, is_name, name, show, typed_list, variables
from chorewright.domains.pddl.forms import Form, Item, Word
from chorewright.domains.pddl.source import Findings, did_you_mean
from chorewright.domains.pddl.syntax import TRUE, Action, Axiom, Formula, Signature, Typed
from chorewright.domains.pddl.types import OBJECT

RESERVED = frozenset(
    ["and", "or", "not", "imply", "forall", "exists", "when", "increase", "either", "define"]
)
ACTION_PARTS = (":parameters", ":precondition", ":effect")
UNSUPPORTED_PARTS = {
    ":duration": "durative actions",
    ":condition": "durative actions",
    ":vars": "PDDL 1.2 variables",
}


def _signature(item: Item, findings: Findings, what: str) -> Signature | None:
    if not isinstance(item, Form) or not item.items:
        hint = f"write ({show(item)})" if is_name(item) else None
        findings.error(item.offset, f"a {what} in parentheses is expected here, not '{show(item)}'", hint)
        return None
    found = name(item.items[0], f"the name of a {what}", findings)
    if found in RESERVED:
        findings.error(item.items[0].offset, f"'{found}' has a meaning of its own and cannot name a {what}")
    parameters = typed_list(item.items[1:], findings, "variable")
    return Signature(found, parameters, findings.position(item.offset)) if found else None


def predicates(sections: Sections, findings: Findings) -> tuple[Signature, ...]:
    form = only(sections, ":predicates")
    found = [_signature(item, findings, "predicate") for item in (form.items[1:] if form else ())]
    return tuple(signature for signature in found if signature)


def functions(sections: Sections, findings: Findings) -> tuple[Signature, ...]:
    """``(f ?x - t) ... - number``; other types would be object fluents."""
    form = only(sections, ":functions")
    items = form.items[1:] if form else ()
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
            findings.error(item.offset, "a type is missing behind '-'", "functions are '- number'")
        elif not (isinstance(kind, Word) and kind.text == "number"):
            findings.unsupported(
                kind.offset, f"object fluents are not supported: '- {show(kind)}'", "write '- number'"
            )
    return tuple(found)


def axiom(form: Form, predicates: Sequence[Signature], findings: Findings) -> Axiom | None:
    """One axiom; a variable of its head without a type has that of the predicate's declaration."""
    rest = form.items[1:]
    if len(rest) != 2:
        findings.error(form.offset, f"':derived' takes an atom and a condition, not {len(rest)} items")
        return None
    head = _signature(rest[0], findings, "predicate")
    body = formula(rest[1], findings)
    if head is None or body is None:
        return None
    return Axiom(_typed(head, predicates), body, findings.position(form.offset))


def _typed(head: Signature, predicates: Sequence[Signature]) -> Signature:
    declared = next((each for each in predicates if each.name == head.name), None)
    if declared is None or len(declared.parameters) != len(head.parameters):
        return head
    parameters = tuple(
        replace(given, types=known.types) if given.types == (OBJECT,) else given
        for given, known in zip(head.parameters, declared.parameters, strict=True)
    )
    return replace(head, parameters=parameters)


def action(form: Form, findings: Findings) -> Action | None:
    items = form.items[1:]
    if not items or not is_name(items[0]):
        findings.error(
            items[0].offset if items else form.offset, "the name of the action is expected behind ':action'"
        )
        return None
    title = name(items[0], "the name of the action", findings)
    parts = _parts(items[1:], title or "", findings)
    if parts is None or title is None:
        return None
    found: dict[str, Item] = {}
    sound = True
    for keyword, value in parts:
        if keyword.text in found:
            findings.error(
                keyword.offset, f"'{keyword.text}' is here for the second time in action '{title}'"
            )
            sound = False
        found.setdefault(keyword.text, value)
    parameters: tuple[Typed, ...] | None = ()
    if ":parameters" in found:
        parameters = variables(found[":parameters"], form.offset, findings, "':parameters'")
    precondition: Formula | None = TRUE
    if ":precondition" in found:
        precondition = formula(found[":precondition"], findings)
    if ":effect" not in found:
        findings.error(form.offset, f"the action '{title}' has no ':effect'")
        return None
    result = effect(found[":effect"], findings)
    if parameters is None or precondition is None or result is None or not sound:
        return None
    return Action(title, parameters, precondition, result, findings.position(form.offset))


def _parts(items: Sequence[Item], title: str, findings: Findings) -> list[tuple[Word, Item]] | None:
    """The keyword-value pairs of an action; None where something in them is wrong."""
    parts: list[tuple[Word, Item]] = []
    sound = True
    at = 0
    while at < len(items):
        keyword = items[at]
        value = items[at + 1] if at + 1 < len(items) else None
        if not isinstance(keyword, Word) or not keyword.text.startswith(":"):
            hint = "join several conditions or effects with (and ...)" if isinstance(keyword, Form) else None
            message = f"a keyword is expected here in action '{title}', not '{show(keyword)}'"
            findings.error(keyword.offset, message, hint)
            return None
        if keyword.text in UNSUPPORTED_PARTS:
            findings.unsupported(
                keyword.offset, f"{UNSUPPORTED_PARTS[keyword.text]} are not supported: '{keyword.text}'"
            )
            sound = False
        elif keyword.text not in ACTION_PARTS:
            hint = did_you_mean(keyword.text, ACTION_PARTS) or f"an action has {', '.join(ACTION_PARTS)}"
            findings.error(keyword.offset, f"'{keyword.text}' is not a part of an action", hint)
            sound = False
        if value is None or (isinstance(value, Word) and value.text.startswith(":")):
            findings.error(keyword.offset, f"'{keyword.text}' has nothing behind it")
            sound = False
            at += 1
            continue
        parts.append((keyword, value))
        at += 2
    return parts if sound else None
