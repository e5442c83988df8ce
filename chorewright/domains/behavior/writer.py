"""BDDL text from an activity; reading it gives an equal activity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from chorewright.domains.behavior.syntax import Activity, Condition, Connective, Literal, Quantified
from chorewright.domains.pddl.syntax import Atom, Typed

WIDTH = 100
"""Columns that a line keeps to where it can."""


def write_activity(activity: Activity) -> str:
    """Return the text of an activity."""
    lines = [f"(define (problem {activity.name})", f"  (:domain {activity.domain})", "  (:objects"]
    for synset, run in groupby(activity.objects, lambda each: each.types[0]):
        lines.append(f"    {' '.join(each.name for each in run)} - {synset}")
    lines[-1] += ")"
    lines.append("  (:init")
    lines += [f"    {_literal(each)}" for each in activity.init]
    lines[-1] += ")"
    lines.append("  (:goal")
    for each in (activity.goal, *activity.unread):
        lines += _lines(each, 4)
    lines[-1] += "))"
    return "\n".join(lines) + "\n"


def write_condition(condition: Condition, indentation: int = 0) -> str:
    """Return the text of a condition, each line indented by so many columns."""
    return "\n".join(_lines(condition, indentation))


def _literal(literal: Literal) -> str:
    return _atom(literal.atom) if literal.positive else f"(not {_atom(literal.atom)})"


def _atom(atom: Atom) -> str:
    return f"({' '.join((atom.predicate, *atom.terms))})"


def _lines(condition: Condition, indentation: int) -> list[str]:
    """A condition on one line if it fits, else its parts on lines of their own."""
    whole = " " * indentation + _flat(condition)
    if len(whole) <= WIDTH or isinstance(condition, Atom):
        return [whole]
    opening = " ".join(("(" + condition.word, *_bindings(condition)))
    lines = [" " * indentation + opening]
    for each in _parts(condition):
        lines += _lines(each, indentation + 2)
    lines[-1] += ")"
    return lines


def _flat(condition: Condition) -> str:
    if isinstance(condition, Atom):
        return _atom(condition)
    return f"({' '.join((condition.word, *_bindings(condition), *map(_flat, _parts(condition))))})"


def _parts(condition: Connective | Quantified) -> Sequence[Condition]:
    return condition.operands if isinstance(condition, Connective) else (condition.body,)


def _bindings(condition: Connective | Quantified) -> Iterator[str]:
    if isinstance(condition, Quantified):
        if condition.count is not None:
            yield f"({condition.count})"
        yield from map(_variable, condition.variables)


def _variable(variable: Typed) -> str:
    return f"({variable.name} - {variable.types[0]})"
