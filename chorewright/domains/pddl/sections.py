"""The sections of a domain and of a problem, given their meaning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, zip_longest
from math import nan
from sys import intern

from chorewright.domains.pddl import effects, expressions, syntax
from chorewright.domains.pddl.define import Sections, inside, only
from chorewright.domains.pddl.grammar import BROKEN, function_term, is_name, name, number, read_number, show
from chorewright.domains.pddl.source import Findings, Form, Item, Word
from chorewright.domains.pddl.subformulas import OBJECT
from chorewright.files.english import closest, did_you_mean

RESERVED = frozenset(["and", "or", "not", "imply", "forall", "exists", "when", "increase", "either", "define"])
ACTION_PARTS = (":parameters", ":precondition", ":effect")
OTHER_PARTS = (":duration", ":condition", ":precondition", ":vars")


def _signature(item: Item, findings: Findings, what: str) -> syntax.Signature | None:
    """``(name ?x - t ...)``; the name is in doubt where anything is wrong."""
    before = len(findings)
    found = None
    parameters: tuple[syntax.Typed, ...] = ()
    if not isinstance(item, Form) or not item.items:
        hint = f"write ({show(item)})" if is_name(item) else None
        findings.error(item.offset, f"a {what} in parentheses is expected here, not '{show(item)}'", hint)
    else:
        found = name(item.items[0], f"the name of a {what}", findings)
        if found in RESERVED:
            findings.error(item.items[0].offset, f"'{found}' has a meaning of its own and cannot name a {what}")
        parameters = expressions.read_typed_list(item.items[1:], findings, "variable")
    if len(findings) > before:
        findings.doubt_item(item.items[0] if isinstance(item, Form) and item.items else item)
    return syntax.Signature(found, parameters, findings.position(item.offset)) if found else None


def predicates(sections: Sections, findings: Findings) -> tuple[syntax.Signature, ...]:
    items = [item for item in inside(sections, ":predicates") if not _declares_equality(item)]
    found = [_signature(item, findings, "predicate") for item in items]
    return tuple(signature for signature in found if signature)


def _declares_equality(item: Item) -> bool:
    """Whether this is ``(= ?x ?y)``, which some files declare although it is known."""
    return isinstance(item, Form) and item.head == "=" and len(item.items) == 3


def functions(sections: Sections, findings: Findings) -> tuple[syntax.Signature, ...]:
    """``(f ?x - t) ... - number``; other types would be object fluents."""
    items = expressions.split_dashes(inside(sections, ":functions"))
    found: list[syntax.Signature] = []
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


def axiom(form: Form, predicates: Sequence[syntax.Signature], findings: Findings) -> syntax.Axiom:
    """One axiom; an untyped variable of its head takes the type of the predicate's declaration."""
    rest = form.items[1:]
    if len(rest) != 2:
        findings.error(form.offset, f"':derived' takes an atom and a condition, not {len(rest)} items")
    head = _signature(rest[0], findings, "predicate") if rest else None
    body = expressions.formula(rest[1], findings) if len(rest) == 2 else expressions.inner_formulas(rest[1:], findings)
    if head is None:
        head = syntax.Signature(BROKEN, expressions.variables_of(rest, findings))
    return syntax.Axiom(_read_signature(head, predicates), body, findings.position(form.offset))


def _read_signature(head: syntax.Signature, predicates: Sequence[syntax.Signature]) -> syntax.Signature:
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


def durative(form: Form, findings: Findings) -> syntax.DurativeAction:
    """One durative action, or its readable parts."""
    title, items = _title(form, findings)
    parts = _parts(items, title, findings, effects.DURATIVE_PARTS)
    given = _parameters(parts, form, items, findings)
    return effects.durative_action(title, tuple(given) if parts[":parameters"] else (), parts, form, findings)


def _title(form: Form, findings: Findings) -> tuple[str, Sequence[Item]]:
    """The name of an action, and what follows it."""
    items = form.items[1:]
    if items and isinstance(items[0], Word) and items[0].text[0] != ":":
        return name(items[0], "the name of the action", findings) or "", items[1:]
    at = items[0].offset if items else form.offset
    findings.error(at, f"the name of the action is expected after '{form.head}'")
    return "", items


def _parameters(
    parts: dict[str, list[Item]], form: Form, items: Sequence[Item], findings: Findings
) -> list[syntax.Typed]:
    return [
        entry
        for item in parts[":parameters"]
        for entry in expressions.variables(item, form.offset, findings, "':parameters'", items)
    ]


def action(form: Form, findings: Findings) -> syntax.Action:
    """One action, or its readable parts."""
    title, items = _title(form, findings)
    before = len(findings)
    parts = _parts(items, title, findings)
    whole = len(findings) == before
    asked = [effects.read_condition(item, effects.NOW, findings) for item in parts[":precondition"]]
    conditions = [condition for condition, _ in asked]
    made = [effects.effect(item, findings) for item in parts[":effect"]]
    given = _parameters(parts, form, items, findings)
    return syntax.Action(
        title,
        tuple(given) if whole or parts[":parameters"] else expressions.variables_of(items, findings),
        conditions[0] if len(conditions) == 1 else syntax.And(tuple(conditions)),
        made[0] if len(made) == 1 else syntax.AndEffect(tuple(made)),
        findings.position(form.offset),
        tuple(each for _, preferences in asked for each in preferences),
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
        if parts.get(part) and show(keyword) == part:
            findings.error(keyword.offset, f"'{show(keyword)}' occurs twice in action '{title}'")
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


# The sections of a problem: its domain's name, initial state, goal and metric.


def goal(sections: Sections, findings: Findings) -> tuple[syntax.Formula, tuple[syntax.Constraint, ...]]:
    """What must hold at the end, and what is preferred to."""
    form = only(sections, ":goal")
    if form is None:
        if sections:
            findings.error(findings.beginning(), "the problem has no goal", "add (:goal (...))")
        return syntax.TRUE, ()
    if len(form.items) != 2:
        at = form.items[2].offset if len(form.items) > 2 else form.offset
        hint = "join several with (and ...)" if len(form.items) > 2 else None
        findings.error(at, f"':goal' takes one condition, not {len(form.items) - 1}", hint)
    elif len(sections[":goal"]) == 1:
        return effects.read_condition(form.items[1], effects.AT_END, findings)
    return expressions.inner_formulas(inside(sections, ":goal"), findings), ()


def metric(sections: Sections, domain: syntax.Domain, findings: Findings) -> str | syntax.Metric | None:
    """The function by which plans are minimised, or what else is asked for; None if by length."""
    form = only(sections, ":metric")
    if form is None:
        return None
    items = form.items[1:]
    direction = items[0] if len(items) == 2 else None
    if not isinstance(direction, Word):
        hint = f"(:metric minimize ({syntax.TOTAL_COST}))"
        findings.error(form.offset, "':metric' takes 'minimize' and an expression", hint)
        return None
    measured = items[1]
    if direction.text not in ("minimize", "maximize"):
        findings.error(direction.offset, f"'minimize' is expected here, not '{direction.text}'")
        return None
    names = measured.names() if isinstance(measured, Form) else (show(measured),) if is_name(measured) else None
    names = None if names and number(names[0]) is not None else names
    if direction.text == "minimize" and names == (syntax.TOTAL_TIME,):
        # Files of competitions ask for it where no action has a duration: all steps take equally long.
        return None
    if direction.text == "maximize" or names is None or len(names) != 1 or names[0] in _ARITHMETIC:
        return syntax.Metric(direction.text, expressions.expression(measured, findings))
    [chosen] = names
    declared = next((function for function in domain.functions if function.name == chosen), None)
    if declared is None and not findings.doubts(chosen):
        message = f"the domain '{domain.name}' declares no function '{chosen}'"
        meant = did_you_mean(chosen, [function.name for function in domain.functions])
        hint = f"add (:functions ({chosen}) - number) to the domain"
        findings.error(measured.offset, message, hint if chosen == syntax.TOTAL_COST or meant is None else meant)
    elif declared is not None and declared.parameters:
        wanted = len(declared.parameters)
        findings.error(measured.offset, f"'{chosen}' takes {wanted} argument{'s' * (wanted != 1)}, not 0")
    return chosen


_ARITHMETIC = ("+", "-", "*", "/")
_UNUSUAL = re.compile(r"[?,'`\[\]{}\\=<>:]")


@dataclass(frozen=True, slots=True)
class Init:
    """The initial atoms, what is said to be false, and function values, with the offsets of their lists."""

    atoms: dict[syntax.GroundAtom, int] = field(default_factory=dict)
    denied: dict[syntax.GroundAtom, int] = field(default_factory=dict)
    values: dict[syntax.FunctionValue, int] = field(default_factory=dict)
    timed: list[syntax.TimedLiteral] = field(default_factory=list)


def initial_state(sections: Sections, findings: Findings) -> Init:
    """Read what stands in ``:init``."""
    init = Init()
    for item in inside(sections, ":init"):
        names = item.names() if isinstance(item, Form) else None
        if names and names[0] not in ("not", "and", "or") and _plain(names):
            init.atoms.setdefault(tuple(map(intern, names)), item.offset)
        elif (value := _plain_value(item)) is not None:
            init.values.setdefault(value, item.offset)
        elif isinstance(item, Form) and effects.is_timed(item):
            init.timed.extend(filter(None, [effects.read_timed(item, findings)]))
        else:
            _initial(item, init, findings)
    for atom, offset in init.denied.items():
        if atom in init.atoms:
            findings.error(offset, f"({' '.join(atom)}) is both true and false in ':init'")
    return init


def _plain(names: tuple[str, ...]) -> bool:
    """Whether all these words are names; what is not is looked at again, with more to say."""
    return "-" not in names and not _UNUSUAL.search("".join(names))


def _plain_value(item: Item) -> syntax.FunctionValue | None:
    """``(= (function object ...) number)`` where nothing is wrong with it."""
    if not isinstance(item, Form) or item.head != "=" or len(item.items) != 3:
        return None
    _, left, right = item.items
    names = left.names() if isinstance(left, Form) else None
    value = number(right.text) if isinstance(right, Word) else None
    if not names or value is None or not _plain(names):
        return None
    return syntax.FunctionValue(intern(names[0]), tuple(map(intern, names[1:])), value)


def _initial(item: Item, init: Init, findings: Findings) -> None:
    """An element of ``:init`` that is not simply a ground atom."""
    if not isinstance(item, Form):
        hint = f"write ({show(item)})" if is_name(item) else None
        findings.error(item.offset, f"an atom in parentheses is expected here, not '{show(item)}'", hint)
        return
    head, rest = item.head, item.items[1:]
    if head == "=":
        _value(item, init, findings)
    elif head == "not" and len(rest) == 1 and isinstance(rest[0], Form):
        # A closed world: saying that an atom is false adds nothing.
        if (found := _ground(rest[0], findings)) is not None and BROKEN not in found:
            init.denied.setdefault(found, rest[0].offset)
    elif head == "and":
        findings.error(item.offset, "'and' cannot stand in ':init'", "list the atoms one after the other")
        _each(rest, init, findings)
    elif head in ("or", "oneof", "unknown"):
        findings.unsupported(item.offset, f"an uncertain initial state is not supported: '({head} ...'")
        _each(rest, init, findings)
    elif (found := _ground(item, findings)) is not None:
        init.atoms.setdefault(found, item.offset)


def _each(items: Sequence[Item], init: Init, findings: Findings) -> None:
    """The lists in one that cannot stand in ``:init``."""
    for inner in items:
        if isinstance(inner, Form):
            _initial(inner, init, findings)


def _ground(item: Form, findings: Findings) -> syntax.GroundAtom | None:
    """A ground atom, ``BROKEN`` in place of what is no name."""
    if not item.items:
        findings.error(item.offset, "an atom is expected here, not '()'")
        return None
    names: list[str] = []
    for index, inner in enumerate(item.items):
        if isinstance(inner, Word) and inner.text.startswith("?"):
            findings.error(inner.offset, f"a variable cannot stand in ':init': '{inner.text}'")
            names.append(BROKEN)
        elif isinstance(inner, Form) and inner.items:
            findings.error(
                inner.offset, f"an object is expected here, not '{show(inner)}'", "is a ')' missing before it?"
            )
            return None
        else:
            names.append(name(inner, "an object" if index else "a predicate", findings) or BROKEN)
    return tuple(names)


def _value(item: Form, init: Init, findings: Findings) -> None:
    rest = item.items[1:]
    if len(rest) != 2 or not (isinstance(rest[0], Form) or is_name(rest[0])):
        findings.error(item.offset, "'=' takes a function and a number in ':init'", "(= (distance a b) 3)")
        return
    left = function_term(rest[0], findings)
    value = read_number(rest[1], findings)
    init.values.setdefault(
        syntax.FunctionValue(left.function, left.terms, nan if value is None else value), item.offset
    )
