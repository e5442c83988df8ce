"""From forms to effects: adding, deleting, ``forall``, ``when``, and changes of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.expressions import CHANGES, UNCERTAIN, change, comparison, formula, variables
from chorewright.domains.pddl.grammar import atom, is_name, number, refuse_atom, show
from chorewright.domains.pddl.scopes import Symbols, bound, check_condition, check_effect, check_variables
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


def check_durative(action: syntax.DurativeAction, symbols: Symbols, findings: Findings) -> None:
    """Record everything that is wrong with a durative action."""
    check_variables(action.parameters, symbols, findings, f"the parameters of action '{action.name}'")
    scope = {**bound(action.parameters), syntax.DURATION: ()}
    for timed in (*action.durations, *action.conditions):
        check_condition(timed.condition, symbols, scope, findings)
    for changed in action.effects:
        check_variables(changed.variables, symbols, findings, "this list")
        inner = {**scope, **bound(changed.variables)}
        for timed in changed.conditions:
            check_condition(timed.condition, symbols, inner, findings)
        check_effect(changed.effect, symbols, inner, findings)


def _time(item: Form) -> str:
    """The time that a list begins with: ``at start``, ``at end`` or ``over all``; nothing if there is none."""
    words = [inner.text for inner in item.items[:2] if isinstance(inner, Word)]
    return " ".join(words) if len(words) == 2 and len(item.items) == 3 else ""


def _durations(item: Item, time: str, findings: Findings) -> list[syntax.TimedCondition]:
    if not isinstance(item, Form):
        findings.error(
            item.offset, f"a duration is expected here, not '{show(item)}'", f"write (= {syntax.DURATION} 5)"
        )
        return []
    if not item.items:
        return []
    if item.head == "and":
        return [each for inner in item.items[1:] for each in _durations(inner, time, findings)]
    if _time(item) in EFFECT_TIMES:
        return _durations(item.items[2], _time(item), findings)
    if item.head not in ("=", "<=", ">="):
        message = f"a duration is compared by '=', '<=' or '>=', not '{show(item)}'"
        findings.error(item.offset, message, f"write (= {syntax.DURATION} 5)")
        return []
    found = comparison(item, findings)
    left = found.left if isinstance(found, syntax.Comparison) else None
    if getattr(left, "function", syntax.DURATION) != syntax.DURATION or isinstance(left, float):
        findings.error(item.offset, f"'{syntax.DURATION}' is expected on the left of '{item.head}'")
    return [syntax.TimedCondition(time, found)]


def _conditions(item: Item, findings: Findings) -> list[syntax.TimedCondition]:
    if not isinstance(item, Form):
        findings.error(item.offset, f"a condition with its time is expected here, not '{show(item)}'", _HINT)
        return []
    if not item.items:
        return []
    if item.head == "and":
        return [each for inner in item.items[1:] for each in _conditions(inner, findings)]
    if item.head == "forall" and len(item.items) == 3:
        given = variables(item.items[1], item.offset, findings, "'forall'", item.items)
        return [
            syntax.TimedCondition(each.time, syntax.Forall(given, each.condition))
            for each in _conditions(item.items[2], findings)
        ]
    if item.head == "preference" and len(item.items) > 2:
        findings.unsupported(item.offset, "preferences in durative actions are not supported")
        return _conditions(item.items[-1], findings)
    if _time(item) not in CONDITION_TIMES:
        message = f"'at start', 'over all' or 'at end' is expected here, not '{show(item)}'"
        findings.error(item.offset, message, _HINT)
        return []
    return [syntax.TimedCondition(_time(item), formula(item.items[2], findings))]


def _effects(item: Item, findings: Findings) -> list[syntax.TimedEffect]:
    if not isinstance(item, Form):
        findings.error(item.offset, f"an effect with its time is expected here, not '{show(item)}'", _HINT)
        return []
    if not item.items:
        return []
    if item.head == "and":
        return [each for inner in item.items[1:] for each in _effects(inner, findings)]
    if item.head == "forall" and len(item.items) == 3:
        given = variables(item.items[1], item.offset, findings, "'forall'", item.items)
        inner_effects = _effects(item.items[2], findings)
        return [replace(each, variables=(*given, *each.variables)) for each in inner_effects]
    if item.head == "when" and len(item.items) == 3:
        told = tuple(_conditions(item.items[1], findings))
        return [replace(each, conditions=(*told, *each.conditions)) for each in _effects(item.items[2], findings)]
    if item.head in ("increase", "decrease"):
        findings.unsupported(item.offset, f"continuous effects are not supported: '({item.head} ...'")
        return []
    if _time(item) not in EFFECT_TIMES:
        findings.error(item.offset, f"'at start' or 'at end' is expected here, not '{show(item)}'", _HINT)
        return []
    return [syntax.TimedEffect(_time(item), effect(item.items[2], findings, conditional=True))]
