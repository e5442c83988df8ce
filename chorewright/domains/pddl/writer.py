"""Readable canonical PDDL from a domain or problem; parsing it gives the same value again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import expanded, parts

WIDTH = 100
"""Columns that a line keeps to where it can."""

_OBJECT = ("object",)
AT_START = "at start"


def pddl_name(name: str) -> str:
    """Return a name as PDDL allows it; a user's scene may be called anything."""
    plain = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-")
    return plain if plain[:1].isalpha() else f"scene-{plain}".rstrip("-")


def write_domain(domain: syntax.Domain, expand_at_least: bool = False) -> str:
    """Write a domain.

    Args:
        domain: a checked domain.
        expand_at_least: write ``at-least`` as plain PDDL, for other planners (see ``expanded``).
    """
    lines = [f"(define (domain {domain.name})"]
    if domain.requirements:
        lines.append(f"  (:requirements {' '.join(domain.requirements)})")
    lines += _section(":types", _groups(domain.types))
    lines += _section(":constants", _groups(domain.constants))
    lines += _section(":predicates", [_signature(signature) for signature in domain.predicates], one_each=True)
    lines += _section(":functions", [f"{_signature(f)} - number" for f in domain.functions], one_each=True)
    for axiom in domain.axioms:
        lines += ["", *_axiom(axiom, expand_at_least)]
    for action in domain.actions:
        lines += ["", *_action(action, expand_at_least)]
    for durative in domain.durative_actions:
        lines += ["", *_durative_action(durative, expand_at_least)]
    lines += _constraints(domain.constraints, expand_at_least)
    return "\n".join(lines) + ")\n"


def pddl_files(domain: syntax.Domain, problem: syntax.Problem) -> dict[str, str]:
    """Return ``domain.pddl`` and ``problem.pddl`` in PDDL that other planners read."""
    texts = write_domain(domain, expand_at_least=True), write_problem(problem, expand_at_least=True)
    return dict(zip(("domain.pddl", "problem.pddl"), texts, strict=True))


def write_problem(problem: syntax.Problem, expand_at_least: bool = False) -> str:
    """Write a problem; ``expand_at_least`` as in ``write_domain``."""
    lines = [f"(define (problem {problem.name})", f"  (:domain {problem.domain})"]
    lines += _section(":objects", _groups(problem.objects))
    initial = [f"({' '.join(atom)})" for atom in problem.init]
    numbers = {value: _number(value) for value in {value for _, _, value in problem.values}}
    initial += [
        f"(= ({function} {' '.join(objects)}) {numbers[value]})" if objects else f"(= ({function}) {numbers[value]})"
        for function, objects, value in problem.values
    ]
    initial += [_literal_at(timed) for timed in problem.timed]
    lines += _section(":init", initial, one_each=True) or ["  (:init)"]
    goal = expanded(problem.goal) if expand_at_least else problem.goal
    wanted = [each for each in problem.constraints if each.is_of_goal]
    if wanted:
        soft = [_constraint(each, 6, expand_at_least) for each in wanted]
        lines += _close(
            ["  (:goal", *_close(["    (and", *_formula(goal, 6), *(line for each in soft for line in each)])]
        )
    else:
        lines += _close(["  (:goal", *_formula(goal, 4)])
    lines += _constraints([each for each in problem.constraints if not each.is_of_goal], expand_at_least)
    if problem.minimize_cost:
        lines.append(f"  (:metric minimize ({problem.cost_function}))")
    elif problem.metric is not None:
        metric = problem.metric
        lines.append(f"  (:metric {metric.direction} {write_expression(metric.expression)})")
    return "\n".join(lines) + ")\n"


def write_formula(formula: syntax.Formula, indentation: int = 0) -> str:
    """Write a formula, each line indented by this many columns."""
    return "\n".join(_formula(formula, indentation))


def write_formula_line(formula: syntax.Formula) -> str:
    """Write a formula on one line."""
    return " ".join(write_formula(formula).split())


def write_expression(expression: syntax.Expression) -> str:
    """Write a numeric expression on one line."""
    match expression:
        case syntax.FunctionTerm(function, terms):
            return function if function == syntax.DURATION else f"({' '.join((function, *terms))})"
        case syntax.Arithmetic(operator, operands):
            return f"({' '.join((operator, *map(write_expression, operands)))})"
        case _:
            return _number(float(expression))


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def write_types(types: Sequence[str]) -> str:
    """Return types as a declaration has them; several are ``(either ...)``."""
    return types[0] if len(types) == 1 else f"(either {' '.join(types)})"


def _groups(entries: Iterable[syntax.Typed]) -> list[str]:
    """Runs of neighbours with the same types, each as one text."""
    runs = [(types, [entry.name for entry in run]) for types, run in groupby(entries, lambda entry: entry.types)]
    return [f"{' '.join(names)} - {write_types(types)}" for types, names in runs]


def _write_types(entries: Iterable[syntax.Typed]) -> str:
    """A typed list on one line; types are left out where all are ``object``."""
    known = tuple(entries)
    if all(entry.types == _OBJECT for entry in known):
        return " ".join(entry.name for entry in known)
    return " ".join(_groups(known))


def _signature(signature: syntax.Signature) -> str:
    return f"({' '.join([signature.name, *filter(None, [_write_types(signature.parameters)])])})"


def _section(name: str, entries: Sequence[str], one_each: bool = False) -> list[str]:
    """A section on one line if it fits, otherwise an entry a line (long ones wrapped)."""
    if not entries:
        return []
    whole = f"  ({name} {' '.join(entries)})"
    if len(entries) == 1 and len(whole) <= WIDTH:
        return [whole]
    lines = [f"  ({name}"]
    if one_each:
        lines += [f"    {entry}" for entry in entries]
    else:
        for entry in entries:
            lines += wrap(entry, 4)
    return _close(lines)


def wrap(text: str, indentation: int) -> list[str]:
    """Break a text between words into lines of at most ``WIDTH``, the further ones indented by two more."""
    lines: list[str] = []
    line = " " * indentation
    for word in text.split(" "):
        if len(line) + len(word) > WIDTH and line.strip():
            lines.append(line.rstrip())
            line = " " * (indentation + 2)
        line += word + " "
    return [*lines, line.rstrip()]


def _close(lines: list[str]) -> list[str]:
    return [*lines[:-1], lines[-1] + ")"]


def _constraints(constraints: Sequence[syntax.Constraint], expand: bool) -> list[str]:
    if not constraints:
        return []
    return _close(["  (:constraints", *_block("and", [_constraint(each, 6, expand) for each in constraints], 4)])


def _constraint(constraint: syntax.Constraint, indentation: int, expand: bool) -> list[str]:
    """A constraint; of a goal's or a precondition's preference, the condition alone."""
    outer, inner = constraint.variables, constraint.shared
    named = constraint.preference is not None
    depth = indentation + 2 * bool(outer) + 2 * named + 2 * bool(inner)
    conditions = [expanded(each) if expand else each for each in constraint.conditions]
    if constraint.is_of_goal or constraint.kind == "now":
        lines = _formula(conditions[0], depth)
    else:
        words = " ".join([constraint.kind, *map(_number, constraint.times)])
        lines = _block(words, [_formula(each, depth + 2) for each in conditions], depth)
    if inner:
        depth -= 2
        lines = _block(f"forall ({_write_types(inner)})", [lines], depth)
    if named:
        depth -= 2
        lines = _block(f"preference {constraint.preference}", [lines], depth)
    return _block(f"forall ({_write_types(outer)})", [lines], indentation) if outer else lines


def _literal_at(timed: syntax.TimedLiteral) -> str:
    effect = timed.effect
    if isinstance(effect, syntax.ChangeNumber):
        what = f"(= {write_expression(effect.target)} {write_expression(effect.amount)})"
    else:
        what = " ".join(line.strip() for line in _effect(effect, 0, False))
    return f"(at {_number(timed.time)} {what})"


def _axiom(axiom: syntax.Axiom, expand: bool) -> list[str]:
    body = expanded(axiom.body) if expand else axiom.body
    return _close([f"  (:derived {_signature(axiom.head)}", *_formula(body, 4)])


def _action(action: syntax.Action, expand: bool) -> list[str]:
    lines = [f"  (:action {action.name}"]
    lines += _part(":parameters", [f"    ({_write_types(action.parameters)})"])
    precondition = expanded(action.precondition) if expand else action.precondition
    if action.preferences:
        soft = [_constraint(each, 6, expand) for each in action.preferences]
        lines += _part(":precondition", _block("and", [_formula(precondition, 6), *soft], 4))
    elif precondition != syntax.And(()):
        lines += _part(":precondition", _formula(precondition, 4))
    return _close(lines + _part(":effect", _effect(action.effect, 4, expand)))


def _durative_action(action: syntax.DurativeAction, expand: bool) -> list[str]:
    lines = [f"  (:durative-action {action.name}"]
    lines += _part(":parameters", [f"    ({_write_types(action.parameters)})"])
    durations = [
        _write_timed(each, 6, expand) if each.time != AT_START else _formula(each.condition, 6)
        for each in action.durations
    ]
    lines += _part(":duration", durations[0] if len(durations) == 1 else _block("and", durations, 4))
    lines += _part(":condition", _block("and", [_write_timed(each, 6, expand) for each in action.conditions], 4))
    effects = [_write_timed_effect(each, 6, expand) for each in action.effects]
    return _close(lines + _part(":effect", _block("and", effects, 4)))


def _write_timed(timed: syntax.TimedCondition, indentation: int, expand: bool) -> list[str]:
    condition = expanded(timed.condition) if expand else timed.condition
    return _block(timed.time, [_formula(condition, indentation + 2)], indentation)


def _write_timed_effect(timed: syntax.TimedEffect, indentation: int, expand: bool) -> list[str]:
    depth = indentation + 2 * bool(timed.variables) + 2 * bool(timed.conditions)
    lines = _block(timed.time, [_effect(timed.effect, depth + 2, expand)], depth)
    if timed.conditions:
        depth -= 2
        told = [_write_timed(each, depth + 4, expand) for each in timed.conditions]
        lines = _block("when", [_block("and", told, depth + 2), lines], depth)
    return _block(f"forall ({_write_types(timed.variables)})", [lines], indentation) if timed.variables else lines


def _part(keyword: str, lines: list[str]) -> list[str]:
    return [f"    {keyword} {lines[0].lstrip()}", *(f"  {line}" for line in lines[1:])]


def _block(head: str, inner: Sequence[list[str]], indentation: int) -> list[str]:
    """``(head inner ...)`` on one line if it fits, otherwise an operand a line."""
    space = " " * indentation
    if all(len(lines) == 1 for lines in inner):
        whole = f"{space}({' '.join([head, *(lines[0].lstrip() for lines in inner)])})"
        if len(whole) <= WIDTH - 12:
            return [whole]
    return _close([f"{space}({head}", *(line for lines in inner for line in lines)])


_HEADS = {
    syntax.Not: "not",
    syntax.And: "and",
    syntax.Or: "or",
    syntax.Imply: "imply",
    syntax.Forall: "forall",
    syntax.Exists: "exists",
}


def write_head(formula: syntax.Formula) -> str:
    """Return what stands first in a formula that has parts: ``forall``, or ``at-least 2``."""
    return f"at-least {formula.count}" if isinstance(formula, syntax.AtLeast) else _HEADS[type(formula)]


def _formula(formula: syntax.Formula, indentation: int) -> list[str]:
    space = " " * indentation
    match formula:
        case syntax.Atom(predicate, terms):
            return [f"{space}({' '.join((predicate, *terms))})"]
        case syntax.Equals(left, right):
            return [f"{space}(= {left} {right})"]
        case syntax.Comparison(operator, one, other):
            return [f"{space}({operator} {write_expression(one)} {write_expression(other)})"]
        case syntax.Forall(variables) | syntax.Exists(variables) | syntax.AtLeast(variables=variables):
            head = f"{write_head(formula)} ({_write_types(variables)})"
        case _:
            head = write_head(formula)
    return _block(head, [_formula(part, indentation + 2) for part in parts(formula)], indentation)


def _effect(effect: syntax.Effect, indentation: int, expand: bool) -> list[str]:
    deeper = indentation + 2
    match effect:
        case syntax.AddEffect(atom):
            return _formula(atom, indentation)
        case syntax.DeleteEffect(atom):
            return _formula(syntax.Not(atom), indentation)
        case syntax.AndEffect(effects):
            return _block("and", [_effect(inner, deeper, expand) for inner in effects], indentation)
        case syntax.ForallEffect(variables, inner):
            return _block(f"forall ({_write_types(variables)})", [_effect(inner, deeper, expand)], indentation)
        case syntax.WhenEffect(condition, inner):
            shown = expanded(condition) if expand else condition
            return _block("when", [_formula(shown, deeper), _effect(inner, deeper, expand)], indentation)
        case syntax.IncreaseCost() | syntax.ChangeNumber():
            changed = f"{write_expression(effect.target)} {write_expression(effect.amount)}"
            return [f"{' ' * indentation}({effect.operator} {changed})"]
