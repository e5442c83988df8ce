"""From forms to PDDL 3.0's preferences and trajectory constraints, and to PDDL 2.2's timed initial literals.

A preference is a constraint with a name whose violations the metric counts (Gerevini and Long, 2005). One in the goal
is about the end; one in an action's precondition is about the state in which the action is run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from chorewright.domains.pddl import scopes, syntax
from chorewright.domains.pddl.effects import effect
from chorewright.domains.pddl.expressions import formula, variables
from chorewright.domains.pddl.grammar import function_term, is_name, number, show
from chorewright.domains.pddl.source import Findings, Form, Item, Word

AT_END, NOW = "at end", "now"
KINDS = {
    "always": (0, 1),
    "sometime": (0, 1),
    "at-most-once": (0, 1),
    "sometime-after": (0, 2),
    "sometime-before": (0, 2),
    "within": (1, 1),
    "hold-after": (1, 1),
    "always-within": (1, 2),
    "hold-during": (2, 1),
    AT_END: (0, 1),
}
"""Each kind of constraint with how many numbers and conditions it takes."""

ANONYMOUS = "anonymous"
"""The name of a preference that has none, as VAL calls it."""

Bound = tuple[syntax.Typed, ...]


def read_condition(item: Item, kind: str, findings: Findings) -> tuple[syntax.Formula, tuple[syntax.Constraint, ...]]:
    """Read a goal or a precondition, which may hold preferences.

    Args:
        item: The condition.
        kind: When its preferences are looked at: ``AT_END`` or ``NOW``.
        findings: Where errors go.

    Returns:
        What must hold, and the preferences.
    """
    text = findings.source.text if findings.source else ""
    if not isinstance(item, Form) or "preference" not in text[item.offset : item.end].lower():
        return formula(item, findings), ()
    hard, soft = _split(item, (), kind, findings)
    return hard[0] if len(hard) == 1 else syntax.And(tuple(hard)), tuple(soft)


def _split(
    item: Item, outer: Bound, kind: str, findings: Findings
) -> tuple[list[syntax.Formula], list[syntax.Constraint]]:
    """Take a condition apart into what must hold and preferences."""
    head = item.head if isinstance(item, Form) else ""
    if isinstance(item, Form) and head == "preference" and not _is_atom(item):
        name, body = _preference(item, findings)
        if body is None:
            return [], []
        place = findings.position(item.offset)
        return [], [syntax.Constraint(kind, (formula(body, findings),), (), outer, (), name, place)]
    if isinstance(item, Form) and head == "and":
        parts = [_split(inner, outer, kind, findings) for inner in item.items[1:]]
        return [each for hard, _ in parts for each in hard], [each for _, soft in parts for each in soft]
    if isinstance(item, Form) and head == "forall" and len(item.items) == 3 and _has_preference(item.items[2]):
        bound = variables(item.items[1], item.offset, findings, "'forall'", item.items)
        hard, soft = _split(item.items[2], (*outer, *bound), kind, findings)
        return [syntax.Forall(bound, syntax.And(tuple(hard)))] if hard else [], soft
    return [formula(item, findings)], []


def _has_preference(item: Item) -> bool:
    waiting = [item]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Form):
            if each.head == "preference" and not _is_atom(each):
                return True
            waiting.extend(each.items if each.head in ("and", "forall") else ())
    return False


def _is_atom(item: Form) -> bool:
    """Whether ``(preference x y)`` is an atom of a predicate of that name."""
    return not any(isinstance(inner, Form) for inner in item.items)


def _preference(item: Form, findings: Findings) -> tuple[str, Item | None]:
    """Return the name of a preference, and its condition."""
    rest = item.items[1:]
    named = len(rest) == 2 and is_name(rest[0]) and isinstance(rest[0], Word)
    if not named and len(rest) != 1:
        hint = "(preference fast (< (total-cost) 3))"
        findings.error(item.offset, "'preference' takes a name and one condition", hint)
        return ANONYMOUS, None
    if named and isinstance(rest[0], Word):
        return rest[0].text, rest[1]
    return ANONYMOUS, rest[0]


def read_constraints(items: Sequence[Item], findings: Findings) -> tuple[syntax.Constraint, ...]:
    """Read what stands in ``(:constraints ...)``."""
    return tuple(each for item in items for each in _constraints(item, (), (), None, findings))


def _constraints(
    item: Item, outer: Bound, inner: Bound, preference: str | None, findings: Findings
) -> Iterator[syntax.Constraint]:
    if not isinstance(item, Form):
        findings.error(item.offset, f"a constraint in parentheses is expected here, not '{show(item)}'")
        return
    head, rest = item.head, item.items[1:]
    if head == "and":
        for each in rest:
            yield from _constraints(each, outer, inner, preference, findings)
    elif head == "forall" and len(rest) == 2:
        bound = variables(rest[0], item.offset, findings, "'forall'", rest)
        if preference is None:
            outer = (*outer, *bound)
        else:
            inner = (*inner, *bound)
        yield from _constraints(rest[1], outer, inner, preference, findings)
    elif head == "preference" and preference is None:
        name, body = _preference(item, findings)
        if body is not None:
            yield from _constraints(body, outer, inner, name, findings)
    else:
        yield from _constraint(item, outer, inner, preference, findings)


def _constraint(
    item: Form, outer: Bound, inner: Bound, preference: str | None, findings: Findings
) -> Iterator[syntax.Constraint]:
    kind, rest = item.head, item.items[1:]
    if kind == "at" and rest and show(rest[0]) == "end":
        kind, rest = AT_END, rest[1:]
    if kind not in KINDS:
        message = f"a constraint is expected here, not '{show(item)}'"
        findings.error(item.offset, message, f"constraints are {', '.join(KINDS)}")
        return
    numbers, conditions = KINDS[kind]
    if len(rest) != numbers + conditions:
        wanted = f"{numbers} number{'s' * (numbers > 1)} and " if numbers else ""
        findings.error(item.offset, f"'{kind}' takes {wanted}{conditions} condition{'s' * (conditions > 1)}")
        return
    times = [number(each.text) if isinstance(each, Word) else None for each in rest[:numbers]]
    for each, time in zip(rest, times, strict=False):
        if time is None:
            findings.error(each.offset, f"a number is expected here, not '{show(each)}'")
    read = tuple(formula(each, findings) for each in rest[numbers:])
    known = tuple(time or 0.0 for time in times)
    yield syntax.Constraint(kind, read, known, outer, inner, preference, findings.position(item.offset))


def check_constraints(entries: Iterable[syntax.Constraint], symbols: scopes.Symbols, findings: Findings) -> None:
    """Record everything that is wrong with the names in constraints."""
    for each in entries:
        scopes.check_variables((*each.variables, *each.shared), symbols, findings, "this list")
        for condition in each.conditions:
            scopes.check_formula(condition, symbols, (*each.variables, *each.shared), findings)


# Timed initial literals: ``(at 5 (open shop))``, ``(at 9 (not (open shop)))``, ``(at 9 (= (price) 3))``.


def is_timed(item: Form) -> bool:
    """Whether an element of ``:init`` is a timed literal."""
    rest = item.items[1:]
    return item.head == "at" and len(rest) == 2 and isinstance(rest[0], Word) and isinstance(rest[1], Form)


_NO_LITERALS = ("and", "forall", "when", "assign", "increase", "decrease", "scale-up", "scale-down")


def read_timed(item: Form, findings: Findings) -> syntax.TimedLiteral | None:
    """Read a timed literal; None if it is broken, which is recorded."""
    _, when, what = item.items
    time = number(when.text) if isinstance(when, Word) else None
    if time is None or not isinstance(what, Form):
        findings.error(when.offset, f"a time is expected here, not '{show(when)}'", "(at 5 (open shop))")
        return None
    if time < 0:
        findings.error(when.offset, f"a time from 0 on is expected here, not '{show(when)}'")
        return None
    if what.head in _NO_LITERALS:
        findings.error(what.offset, f"one literal is expected here, not '({what.head} ...'", "write one for each")
        return None
    if what.head == "=" and len(what.items) == 3:
        left, right = what.items[1:]
        value = number(right.text) if isinstance(right, Word) else None
        if value is None or not isinstance(left, Form):
            findings.error(right.offset, f"a number is expected here, not '{show(right)}'")
            return None
        return syntax.TimedLiteral(time, syntax.ChangeNumber("assign", function_term(left, findings), value))
    return syntax.TimedLiteral(time, effect(what, findings))
