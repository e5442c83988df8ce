"""The sections of a problem: its domain's name, initial state, goal and metric."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import nan
from sys import intern

from chorewright.domains.pddl.define import Sections, inside, only
from chorewright.domains.pddl.expressions import expression, formula, inner_formulas
from chorewright.domains.pddl.source import Findings, Form, Item, Word
from chorewright.domains.pddl.syntax import (
    TOTAL_COST,
    TOTAL_TIME,
    TRUE,
    Domain,
    Formula,
    FunctionValue,
    GroundAtom,
    Metric,
)
from chorewright.domains.pddl.terms import BROKEN, function_term, is_name, name, number, show
from chorewright.files.spelling import did_you_mean


def check_domain_name(sections: Sections, domain: Domain, findings: Findings) -> None:
    form = only(sections, ":domain")
    if form is None:
        if sections:
            findings.error(findings.beginning(), "the problem does not name its domain", f"add (:domain {domain.name})")
        return
    title = form.items[1] if len(form.items) == 2 else None
    found = name(title, "the name of the domain", findings) if title else None
    if title is None:
        findings.error(form.offset, "':domain' takes one name")
    elif domain.name and found is not None and found != domain.name:
        message = f"this problem is for the domain '{found}', not '{domain.name}'"
        findings.error(title.offset, message, did_you_mean(found, [domain.name]))


def goal(sections: Sections, findings: Findings) -> Formula:
    form = only(sections, ":goal")
    if form is None:
        if sections:
            findings.error(findings.beginning(), "the problem has no goal", "add (:goal (...))")
        return TRUE
    if len(form.items) != 2:
        at = form.items[2].offset if len(form.items) > 2 else form.offset
        hint = "join several with (and ...)" if len(form.items) > 2 else None
        findings.error(at, f"':goal' takes one condition, not {len(form.items) - 1}", hint)
    elif len(sections[":goal"]) == 1:
        return formula(form.items[1], findings)
    return inner_formulas(inside(sections, ":goal"), findings)


def metric(sections: Sections, domain: Domain, findings: Findings) -> str | Metric | None:
    """The function by which plans are minimised, or what else is asked for; None if by length."""
    form = only(sections, ":metric")
    if form is None:
        return None
    items = form.items[1:]
    direction = items[0] if len(items) == 2 else None
    if not isinstance(direction, Word):
        hint = f"(:metric minimize ({TOTAL_COST}))"
        findings.error(form.offset, "':metric' takes 'minimize' and an expression", hint)
        return None
    measured = items[1]
    if direction.text not in ("minimize", "maximize"):
        findings.error(direction.offset, f"'minimize' is expected here, not '{direction.text}'")
        return None
    names = measured.names() if isinstance(measured, Form) else None
    if direction.text == "minimize" and names == (TOTAL_TIME,):
        # Files of competitions ask for it where no action has a duration: all steps take equally long.
        return None
    if direction.text == "maximize" or names is None or len(names) != 1 or names[0] in _ARITHMETIC:
        return Metric(direction.text, expression(measured, findings))
    [chosen] = names
    declared = next((function for function in domain.functions if function.name == chosen), None)
    if declared is None and not findings.doubts(chosen):
        message = f"the domain '{domain.name}' declares no function '{chosen}'"
        meant = did_you_mean(chosen, [function.name for function in domain.functions])
        hint = f"add (:functions ({chosen}) - number) to the domain"
        findings.error(measured.offset, message, hint if chosen == TOTAL_COST or meant is None else meant)
    elif declared is not None and declared.parameters:
        wanted = len(declared.parameters)
        findings.error(measured.offset, f"'{chosen}' takes {wanted} argument{'s' * (wanted != 1)}, not 0")
    return chosen


_ARITHMETIC = ("+", "-", "*", "/")
_UNUSUAL = re.compile(r"[?,'`\[\]{}\\=<>:]")

Init = tuple[tuple[GroundAtom, ...], list[int], tuple[FunctionValue, ...], list[int]]


def initial_state(sections: Sections, findings: Findings) -> Init:
    """The initial atoms and function values, each with the offsets of their lists."""
    atoms: dict[GroundAtom, int] = {}
    denied: dict[GroundAtom, int] = {}
    values: dict[FunctionValue, int] = {}
    for item in inside(sections, ":init"):
        names = item.names() if isinstance(item, Form) else None
        if names and names[0] not in ("not", "and", "or") and _plain(names):
            atoms.setdefault(tuple(map(intern, names)), item.offset)
        elif (value := _plain_value(item)) is not None:
            values.setdefault(value, item.offset)
        else:
            _initial(item, atoms, denied, values, findings)
    for denied_atom, offset in denied.items():
        if denied_atom in atoms:
            findings.error(offset, f"({' '.join(denied_atom)}) is both true and false in ':init'")
    return tuple(atoms), list(atoms.values()), tuple(values), list(values.values())


def _plain(names: tuple[str, ...]) -> bool:
    """Whether all these words are names; what is not is looked at again, with more to say."""
    return "-" not in names and not _UNUSUAL.search("".join(names))


def _plain_value(item: Item) -> FunctionValue | None:
    """``(= (function object ...) number)`` where nothing is wrong with it."""
    if not isinstance(item, Form) or item.head != "=" or len(item.items) != 3:
        return None
    _, left, right = item.items
    names = left.names() if isinstance(left, Form) else None
    value = number(right.text) if isinstance(right, Word) else None
    if not names or value is None or not _plain(names):
        return None
    return FunctionValue(intern(names[0]), tuple(map(intern, names[1:])), value)


def _initial(
    item: Item,
    atoms: dict[GroundAtom, int],
    denied: dict[GroundAtom, int],
    values: dict[FunctionValue, int],
    findings: Findings,
) -> None:
    """An element of ``:init`` that is not simply a ground atom."""
    if not isinstance(item, Form):
        hint = f"write ({show(item)})" if is_name(item) else None
        findings.error(item.offset, f"an atom in parentheses is expected here, not '{show(item)}'", hint)
        return
    head, rest = item.head, item.items[1:]
    if head == "=":
        _value(item, values, findings)
    elif head == "not" and len(rest) == 1 and isinstance(rest[0], Form):
        # A closed world: saying that an atom is false adds nothing.
        if (found := _ground(rest[0], findings)) is not None and BROKEN not in found:
            denied.setdefault(found, rest[0].offset)
    elif head == "at" and len(rest) == 2 and isinstance(rest[0], Word) and isinstance(rest[1], Form):
        findings.unsupported(item.offset, "timed initial literals are not supported")
    elif head == "and":
        findings.error(item.offset, "'and' cannot stand in ':init'", "list the atoms one after the other")
        _each(rest, atoms, denied, values, findings)
    elif head in ("or", "oneof", "unknown"):
        findings.unsupported(item.offset, f"an uncertain initial state is not supported: '({head} ...'")
        _each(rest, atoms, denied, values, findings)
    elif (found := _ground(item, findings)) is not None:
        atoms.setdefault(found, item.offset)


def _each(
    items: Sequence[Item],
    atoms: dict[GroundAtom, int],
    denied: dict[GroundAtom, int],
    values: dict[FunctionValue, int],
    findings: Findings,
) -> None:
    """The lists in one that cannot stand in ``:init``."""
    for inner in items:
        if isinstance(inner, Form):
            _initial(inner, atoms, denied, values, findings)


def _ground(item: Form, findings: Findings) -> GroundAtom | None:
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
                inner.offset,
                f"an object is expected here, not '{show(inner)}'",
                "is a ')' missing before it?",
            )
            return None
        else:
            names.append(name(inner, "an object" if index else "a predicate", findings) or BROKEN)
    return tuple(names)


def _value(item: Form, values: dict[FunctionValue, int], findings: Findings) -> None:
    rest = item.items[1:]
    if len(rest) != 2 or not isinstance(rest[0], Form):
        findings.error(item.offset, "'=' takes a function and a number in ':init'", "(= (distance a b) 3)")
        return
    left = function_term(rest[0], findings)
    value = number(rest[1].text) if isinstance(rest[1], Word) else None
    if value is None:
        findings.error(rest[1].offset, f"a number is expected here, not '{show(rest[1])}'")
    values.setdefault(FunctionValue(left.function, left.terms, nan if value is None else value), item.offset)
