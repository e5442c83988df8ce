"""From forms to effects (adding, deleting, ``forall``, ``when``, changes of numbers), and to constraints on plans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from chorewright.domains.pddl import scopes, syntax
from chorewright.domains.pddl.expressions import CHANGES, UNCERTAIN, change, comparison, formula, variables
from chorewright.domains.pddl.grammar import atom, function_term, is_name, number, read_number, refuse_atom, show
from chorewright.domains.pddl.source import Findings, Form, Item, Word

NO_EFFECT = syntax.AndEffect(())


def effect(item: Item, findings: Findings, conditional: bool = False) -> syntax.Effect:
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
        return syntax.AndEffect(tuple(effect(inner, findings, conditional) for inner in rest))
    if head == "not":
        return _delete(item, findings)
    if head == "forall":
        bound = variables(rest[0] if rest else None, item.offset, findings, "'forall'", rest)
        if not rest or not isinstance(rest[0], Form):
            return syntax.ForallEffect(bound, _inner_effects(rest, findings))
        return syntax.ForallEffect(bound, _only_effect(item, rest[1:], findings))
    if head == "when":
        if not rest:
            findings.error(item.offset, "'when' takes a condition and an effect")
            return NO_EFFECT
        return syntax.WhenEffect(formula(rest[0], findings), _only_effect(item, rest[1:], findings))
    if head == "increase" or (head in CHANGES and _of_numbers(rest)):
        return change(item, findings, conditional)
    return _read_atom_effect(item, findings)


def _of_numbers(items: Sequence[Item]) -> bool:
    """Whether there is a list or a number among what an assignment assigns to or from."""
    return any(isinstance(item, Form) or (isinstance(item, Word) and number(item.text) is not None) for item in items)


def _read_atom_effect(item: Form, findings: Findings) -> syntax.Effect:
    """An atom that is added, or what cannot be an effect."""
    head, rest = item.head, item.items[1:]
    lists = any(isinstance(inner, Form) for inner in rest)
    if head in UNCERTAIN and lists:
        findings.unsupported(item.offset, f"non-deterministic effects are not supported: '({head} ...'")
        return _inner_effects(rest, findings)
    if head in ("or", "imply", "exists", "=", "at-least"):
        findings.error(item.offset, f"'{head}' cannot be an effect", "effects are atoms, not, and, forall, when")
        return NO_EFFECT if head == "=" else syntax.WhenEffect(formula(item, findings), NO_EFFECT)
    if not isinstance(item.items[0], Word):
        refuse_atom(item, findings)
        return _inner_effects(item.items, findings)
    return syntax.AddEffect(atom(item, findings))


def _inner_effects(items: Sequence[Item], findings: Findings) -> syntax.Effect:
    """The lists among some items as effects: what is left of a broken one, to be checked."""
    found = (effect(inner, findings, conditional=True) for inner in items if isinstance(inner, Form))
    return syntax.AndEffect(tuple(found))


def _only_effect(item: Form, rest: Sequence[Item], findings: Findings) -> syntax.Effect:
    if len(rest) != 1:
        at = rest[1].offset if len(rest) > 1 else item.offset
        hint = "join several with (and ...)" if rest else None
        before = "its variables" if item.head == "forall" else "its condition"
        findings.error(at, f"'{item.head}' takes one effect after {before}, not {len(rest)}", hint)
        return _inner_effects(rest, findings)
    return effect(rest[0], findings, conditional=True)


def _delete(item: Form, findings: Findings) -> syntax.Effect:
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
    return syntax.DeleteEffect(atom(inner, findings))


# Durative actions of PDDL 2.1 level 3: durations, and conditions and effects with their times.


DURATIVE_PARTS = (":parameters", ":duration", ":condition", ":effect")
CONDITION_TIMES = ("at start", "over all", "at end")
EFFECT_TIMES = ("at start", "at end")
_HINT = "for example (at start (...))"


def durative_action(
    title: str, parameters: tuple[syntax.Typed, ...], parts: dict[str, list[Item]], form: Form, findings: Findings
) -> syntax.DurativeAction:
    """A durative action of its parts, or what is readable of it."""
    if not parts[":duration"]:
        hint = f":duration (= {syntax.DURATION} 5)"
        findings.error(form.offset, f"the durative action '{title}' has no ':duration'", hint)
    durations = [each for item in parts[":duration"] for each in _durations(item, "at start", findings)]
    conditions = [each for item in parts[":condition"] for each in _conditions(item, findings)]
    effects = [each for item in parts[":effect"] for each in _effects(item, findings)]
    position = findings.position(form.offset)
    return syntax.DurativeAction(title, parameters, tuple(durations), tuple(conditions), tuple(effects), position)


def check_durative(action: syntax.DurativeAction, symbols: scopes.Symbols, findings: Findings) -> None:
    """Record everything that is wrong with a durative action."""
    scopes.check_variables(action.parameters, symbols, findings, f"the parameters of action '{action.name}'")
    scope = {**scopes.bound(action.parameters), syntax.DURATION: ()}
    for timed in (*action.durations, *action.conditions):
        scopes.check_condition(timed.condition, symbols, scope, findings)
    for changed in action.effects:
        scopes.check_variables(changed.variables, symbols, findings, "this list")
        inner = {**scope, **scopes.bound(changed.variables)}
        for timed in changed.conditions:
            scopes.check_condition(timed.condition, symbols, inner, findings)
        scopes.check_effect(changed.effect, symbols, inner, findings)


def _time(item: Form) -> str:
    """The time that a list begins with: ``at start``, ``at end`` or ``over all``; nothing if there is none."""
    words = [inner.text for inner in item.items[:2] if isinstance(inner, Word)]
    return " ".join(words) if len(words) == 2 and len(item.items) == 3 else ""


def _lists(item: Item, what: str, hint: str, findings: Findings) -> Iterator[Form]:
    """Yield the lists that a (nested) conjunction joins; any other list is its own only one."""
    if not isinstance(item, Form):
        findings.error(item.offset, f"{what} is expected here, not '{show(item)}'", hint)
    elif item.head == "and":
        for inner in item.items[1:]:
            yield from _lists(inner, what, hint, findings)
    elif item.items:
        yield item


def _durations(item: Item, time: str, findings: Findings) -> Iterator[syntax.TimedCondition]:
    hint = f"write (= {syntax.DURATION} 5)"
    for form in _lists(item, "a duration", hint, findings):
        if _time(form) in EFFECT_TIMES:
            yield from _durations(form.items[2], _time(form), findings)
        elif form.head not in ("=", "<=", ">="):
            message = f"a duration is compared by '=', '<=' or '>=', not '{show(form)}'"
            findings.error(form.offset, message, hint)
        else:
            found = comparison(form, findings)
            left = found.left if isinstance(found, syntax.Comparison) else None
            if getattr(left, "function", syntax.DURATION) != syntax.DURATION or isinstance(left, float):
                findings.error(form.offset, f"'{syntax.DURATION}' is expected on the left of '{form.head}'")
            yield syntax.TimedCondition(time, found)


def _conditions(item: Item, findings: Findings) -> Iterator[syntax.TimedCondition]:
    for form in _lists(item, "a condition with its time", _HINT, findings):
        if form.head == "forall" and len(form.items) == 3:
            given = variables(form.items[1], form.offset, findings, "'forall'", form.items)
            for each in _conditions(form.items[2], findings):
                yield replace(each, condition=syntax.Forall(given, each.condition))
        elif form.head == "preference" and len(form.items) > 2:
            findings.unsupported(form.offset, "preferences in durative actions are not supported")
            yield from _conditions(form.items[-1], findings)
        elif _time(form) not in CONDITION_TIMES:
            message = f"'at start', 'over all' or 'at end' is expected here, not '{show(form)}'"
            findings.error(form.offset, message, _HINT)
        else:
            yield syntax.TimedCondition(_time(form), formula(form.items[2], findings))


def _effects(item: Item, findings: Findings) -> Iterator[syntax.TimedEffect]:
    for form in _lists(item, "an effect with its time", _HINT, findings):
        if form.head == "forall" and len(form.items) == 3:
            given = variables(form.items[1], form.offset, findings, "'forall'", form.items)
            for each in _effects(form.items[2], findings):
                yield replace(each, variables=(*given, *each.variables))
        elif form.head == "when" and len(form.items) == 3:
            told = tuple(_conditions(form.items[1], findings))
            for each in _effects(form.items[2], findings):
                yield replace(each, conditions=(*told, *each.conditions))
        elif form.head in ("increase", "decrease"):
            findings.unsupported(form.offset, f"continuous effects are not supported: '({form.head} ...'")
        elif _time(form) not in EFFECT_TIMES:
            findings.error(form.offset, f"'at start' or 'at end' is expected here, not '{show(form)}'", _HINT)
        else:
            yield syntax.TimedEffect(_time(form), effect(form.items[2], findings, conditional=True))


# From forms to PDDL 3.0's preferences and trajectory constraints, and to PDDL 2.2's timed initial literals.
#
# A preference is a constraint with a name whose violations the metric counts (Gerevini and Long, 2005). One in the goal
# is about the end; one in an action's precondition is about the state in which the action is run.


AT_END, NOW = "at end", "now"
KINDS = {**syntax.TRAJECTORIES, AT_END: (0, 1)}
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
        return [], [syntax.Constraint(kind, (formula(body, findings),), (), outer, (), name, place, kind == AT_END)]
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
    times = [read_number(each, findings) for each in rest[:numbers]]
    read = tuple(formula(each, findings) for each in rest[numbers:])
    known = tuple(time or 0.0 for time in times)
    yield syntax.Constraint(kind, read, known, outer, inner, preference, findings.position(item.offset))


def check_constraints(entries: Iterable[syntax.Constraint], symbols: scopes.Symbols, findings: Findings) -> None:
    """Record everything that is wrong with the names in constraints."""
    for each in entries:
        scopes.check_variables((*each.variables, *each.shared), symbols, findings, "this list")
        for condition in each.conditions:
            scopes.check_formula(condition, symbols, (*each.variables, *each.shared), findings)


def is_timed(item: Form) -> bool:
    """Whether an element of ``:init`` is a timed literal: ``(at 5 (not (open shop)))``, ``(at 9 (= (price) 3))``."""
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
        value = read_number(right, findings)
        if value is None:
            return None
        return syntax.TimedLiteral(time, syntax.ChangeNumber("assign", function_term(left, findings), value))
    return syntax.TimedLiteral(time, effect(what, findings))
