"""Durative actions as actions without duration: what happens at the start, at the end, and what holds between.

The start and the end of ``drive`` are actions ``drive at start`` and ``drive at end``, which no PDDL name can be. Their
last parameter is ``?duration``. An effect at the end whose conditions are of other times is an action of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from chorewright.domains.pddl.syntax import (
    DURATION,
    TRUE,
    Action,
    And,
    AndEffect,
    Domain,
    DurativeAction,
    Effect,
    ForallEffect,
    Formula,
    TimedCondition,
    TimedEffect,
    Typed,
    WhenEffect,
)

START, END, ALL = "at start", "at end", "over all"


@dataclass(frozen=True, slots=True)
class Delayed:
    """An effect at the end for those values of its variables for which conditions at other times held."""

    action: str
    variables: tuple[Typed, ...]
    start: Formula
    between: Formula
    end: Formula


@dataclass(frozen=True, slots=True)
class Split:
    """A durative action taken apart: its durations, what holds between, and its delayed effects."""

    action: DurativeAction
    between: Formula
    delayed: tuple[Delayed, ...]

    def name(self, time: str) -> str:
        """Return the name of its start or its end."""
        return f"{self.action.name} {time}"


def split(domain: Domain) -> tuple[Domain, dict[str, Split]]:
    """Return the domain with its durative actions taken apart, and how, by their names."""
    actions: list[Action] = list(domain.actions)
    found: dict[str, Split] = {}
    for durative in domain.durative_actions:
        delayed = [each for each in durative.effects if any(told.time != each.time for told in each.conditions)]
        simple = [each for each in durative.effects if each not in delayed]
        parameters = (*durative.parameters, Typed(DURATION, ()))
        actions.append(Action(durative.name, durative.parameters, TRUE, AndEffect(()), durative.position))
        for time in (START, END):
            effect = AndEffect(tuple(_effect(each) for each in simple if each.time == time))
            condition = _at(durative.conditions, time)
            actions.append(Action(f"{durative.name} {time}", parameters, condition, effect, durative.position))
        late = []
        for number, each in enumerate(delayed):
            name = f"{durative.name} effect {number}"
            actions.append(Action(name, (*parameters, *each.variables), TRUE, each.effect, durative.position))
            late.append(Delayed(name, each.variables, *(_at(each.conditions, time) for time in (START, ALL, END))))
        found[durative.name] = Split(durative, _at(durative.conditions, ALL), tuple(late))
    return replace(domain, actions=tuple(actions), durative_actions=()), found


def _at(conditions: Iterable[TimedCondition], time: str) -> Formula:
    return And(tuple(each.condition for each in conditions if each.time == time))


def _effect(timed: TimedEffect) -> Effect:
    effect = timed.effect
    if timed.conditions:
        effect = WhenEffect(And(tuple(each.condition for each in timed.conditions)), effect)
    return ForallEffect(timed.variables, effect) if timed.variables else effect
