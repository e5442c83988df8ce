"""Durative actions as actions without duration: what happens at the start, at the end, and what holds between.

The start and the end of ``drive`` are actions ``drive at start`` and ``drive at end``, which no PDDL name can be.
Their last parameter is ``?duration``. An effect at the end whose conditions are of other times is an action of its
own, and so is a timed literal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from chorewright.domains.pddl import syntax

START, END, ALL = "at start", "at end", "over all"


@dataclass(frozen=True, slots=True)
class Delayed:
    """An effect at the end for those values of its variables for which conditions at other times held."""

    action: str
    variables: tuple[syntax.Typed, ...]
    start: syntax.Formula
    between: syntax.Formula
    end: syntax.Formula


@dataclass(frozen=True, slots=True)
class SplitAction:
    """A durative action taken apart: its durations, what holds between, and its delayed effects."""

    action: syntax.DurativeAction
    between: syntax.Formula
    delayed: tuple[Delayed, ...]

    def name(self, time: str) -> str:
        """Return the name of its start or its end."""
        return f"{self.action.name} {time}"


def split(
    domain: syntax.Domain, timed: Sequence[syntax.TimedLiteral] = ()
) -> tuple[syntax.Domain, dict[str, SplitAction]]:
    """Return the domain with its durative actions taken apart, and how, by their names.

    Timed literals are actions of it, too. It has no preferences and constraints any more.
    """
    actions = [replace(each, preferences=()) for each in domain.actions]
    for place, literal in enumerate(timed):
        actions.append(syntax.Action(literal_name(place), (), syntax.TRUE, literal.effect))
    found: dict[str, SplitAction] = {}
    for durative in domain.durative_actions:
        delayed = [each for each in durative.effects if any(told.time != each.time for told in each.conditions)]
        simple = [each for each in durative.effects if each not in delayed]
        parameters = (*durative.parameters, syntax.Typed(syntax.DURATION, ()))
        actions.append(
            syntax.Action(durative.name, durative.parameters, syntax.TRUE, syntax.AndEffect(()), durative.position)
        )
        for time in (START, END):
            effect = syntax.AndEffect(tuple(_effect(each) for each in simple if each.time == time))
            condition = _at(durative.conditions, time)
            actions.append(syntax.Action(f"{durative.name} {time}", parameters, condition, effect, durative.position))
        late = []
        for number, each in enumerate(delayed):
            name = f"{durative.name} effect {number}"
            actions.append(
                syntax.Action(name, (*parameters, *each.variables), syntax.TRUE, each.effect, durative.position)
            )
            late.append(Delayed(name, each.variables, *(_at(each.conditions, time) for time in (START, ALL, END))))
        found[durative.name] = SplitAction(durative, _at(durative.conditions, ALL), tuple(late))
    return replace(domain, actions=tuple(actions), durative_actions=(), constraints=()), found


def literal_name(place: int) -> str:
    """Return the name of the action that a timed literal is."""
    return f"timed literal {place + 1}"


def _at(conditions: Iterable[syntax.TimedCondition], time: str) -> syntax.Formula:
    return syntax.And(tuple(each.condition for each in conditions if each.time == time))


def _effect(timed: syntax.TimedEffect) -> syntax.Effect:
    effect = timed.effect
    if timed.conditions:
        effect = syntax.WhenEffect(syntax.And(tuple(each.condition for each in timed.conditions)), effect)
    return syntax.ForallEffect(timed.variables, effect) if timed.variables else effect
