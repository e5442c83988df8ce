"""Marks of transition modelling: definitions compared literal by literal, and tried by planning with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from chorewright.domains.pddl.parser import parse_domain
from chorewright.domains.pddl.subformulas import signed_atoms, subformulas
from chorewright.domains.pddl.syntax import (
    Action,
    AddEffect,
    AndEffect,
    AtLeast,
    Atom,
    DeleteEffect,
    Domain,
    Effect,
    Exists,
    Forall,
    ForallEffect,
    Formula,
    WhenEffect,
)
from chorewright.domains.pddl.writer import write_domain
from chorewright.errors import ChorewrightError, InputErrors
from chorewright.generator.measuring.eai.answers import Unreadable, read_definitions
from chorewright.generator.measuring.eai.marks import GOAL, HALLUCINATION, PARSING, Counts, Mark, failed
from chorewright.generator.measuring.eai.questions import used_actions
from chorewright.generator.measuring.eai.tasks import EaiTask
from chorewright.planner.plan import Limits, Plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import validate

EVALUATIONS = 20_000

Part: TypeAlias = tuple[str, ...]
"""A literal of an action: the action, precondition or effect, its sign, predicate and arguments by position."""


def mark_transitions(task: EaiTask, text: str) -> Mark:
    """Mark definitions of actions.

    They are correct if a plan made with them is valid by the task's own domain. The counts compare literals of
    preconditions and effects with the domain's.
    """
    names = used_actions(task)
    wanted = [part for each in task.domain.actions if each.name in names for part in parts_of(each)]
    try:
        answered = _answered(task, text)
    except Unreadable as error:
        return failed(PARSING, error.message, Counts(0, 0, len(set(wanted))))
    except InputErrors as error:
        message = str(error).splitlines()[0]
        unknown = re.search(r"unknown|no (predicate|action|type)|not declared", message) is not None
        return failed(HALLUCINATION if unknown else PARSING, message, Counts(0, 0, len(set(wanted))))
    own = {each.name: each for each in answered.actions}
    counts = Counts.of([part for name in names if name in own for part in parts_of(own[name])], wanted)
    missing = [name for name in names if name not in own]
    if missing:
        return failed(PARSING, f"{', '.join(missing)} not defined", counts)
    mixed = tuple(own.get(each.name, each) if each.name in names else each for each in task.domain.actions)
    try:
        found = solve(replace(task.domain, actions=mixed), task.problem, Limits(evaluations=EVALUATIONS))
    except ChorewrightError as error:
        return failed(GOAL, error.message, counts)
    if not isinstance(found, Plan):
        return failed(GOAL, "with these definitions the planner finds no plan", counts)
    verdict = validate(task.domain, task.problem, found.actions)
    if verdict.valid:
        return Mark(True, True, counts=counts)
    return failed(GOAL, f"the plan made with these definitions fails: {verdict.message}", counts)


def _answered(task: EaiTask, text: str) -> Domain:
    """The domain with nothing but the answered actions."""
    definitions = read_definitions(text)
    frame = write_domain(replace(task.domain, actions=())).rstrip().removesuffix(")")
    found = parse_domain(f"{frame}\n{definitions}\n)", "the answer")
    heads = {each.name: len(each.parameters) for each in task.domain.actions}
    for each in found.actions:
        if each.name not in heads:
            raise Unreadable(f"nobody asked for an action {each.name!r}")
        if len(each.parameters) != heads[each.name]:
            raise Unreadable(f"{each.name} has {heads[each.name]} parameters, not {len(each.parameters)}")
    return found


def parts_of(action: Action) -> tuple[Part, ...]:
    """Return the literals of an action's precondition and effect; variables are numbered in their order."""
    numbers = {each.name: f"?{place}" for place, each in enumerate(action.parameters)}
    for part in subformulas(action.precondition):
        _count(part, numbers)
    needs = signed_atoms(action.precondition)
    found = [_part(action.name, "precondition", atom, sign, numbers) for atom, sign in needs]
    found += [_part(action.name, kind, atom, sign, numbers) for kind, atom, sign in _effects(action.effect, numbers)]
    return tuple(dict.fromkeys(found))


def _part(name: str, kind: str, atom: Atom, sign: bool, numbers: dict[str, str]) -> Part:
    terms = (numbers.get(each, each) for each in atom.terms)
    return (name, kind, "+" if sign else "-", atom.predicate, *terms)


def _count(formula: Formula, numbers: dict[str, str]) -> None:
    """Number the variables that a quantifier binds."""
    if isinstance(formula, Exists | Forall | AtLeast):
        for each in formula.variables:
            numbers.setdefault(each.name, f"?{len(numbers)}")


def _effects(effect: Effect, numbers: dict[str, str]) -> Iterator[tuple[str, Atom, bool]]:
    match effect:
        case AndEffect(effects):
            for each in effects:
                yield from _effects(each, numbers)
        case ForallEffect(variables, inner):
            for variable in variables:
                numbers.setdefault(variable.name, f"?{len(numbers)}")
            yield from _effects(inner, numbers)
        case WhenEffect(condition, inner):
            for part in subformulas(condition):
                _count(part, numbers)
            yield from (("condition", atom, sign) for atom, sign in signed_atoms(condition))
            yield from _effects(inner, numbers)
        case AddEffect(atom):
            yield "effect", atom, True
        case DeleteEffect(atom):
            yield "effect", atom, False
        case _:
            return
