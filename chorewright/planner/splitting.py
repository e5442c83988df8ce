"""Durative actions as actions without duration (start, end, and what holds between), and which exclude each other.

The start and the end of ``drive`` are actions ``drive at start`` and ``drive at end``, which no PDDL name can be.
Their last parameter is ``?duration``. An effect at the end whose conditions are of other times is an action of its
own, and so is a timed literal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chorewright.domains.facts import Fluent, Universe
from chorewright.domains.formulas import Facts, holds
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import function_terms, numbers_in, parts

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


# Which actions must not take place at the same time: PDDL 2.1's rule of no moving targets.


@dataclass(slots=True)
class Footprint:
    """What an action reads and changes.

    ``reads`` are atoms of conditions, and fluents of conditions and amounts; ``changed`` are fluents with whether
    the changes only add to them.
    """

    reads: set[syntax.GroundAtom] = field(default_factory=set)
    values: set[Fluent] = field(default_factory=set)
    added: set[syntax.GroundAtom] = field(default_factory=set)
    deleted: set[syntax.GroundAtom] = field(default_factory=set)
    changed: dict[Fluent, bool] = field(default_factory=dict)

    def read(self, formula: syntax.Formula, universe: Universe, binding: Mapping[str, str]) -> None:
        """Add what a condition reads."""
        for is_value, name in read_by(formula, universe, dict(binding)):
            (self.values if is_value else self.reads).add(name)

    def read_derived(self, domain: syntax.Domain, universe: Universe) -> None:
        """Add what the derived atoms that are read can be derived from: all that their rules mention, as in VAL."""
        waiting = list(self.reads)
        while waiting:
            predicate, *terms = waiting.pop()
            for axiom in domain.axioms:
                if axiom.head.name != predicate:
                    continue
                binding = dict(zip((each.name for each in axiom.head.parameters), terms, strict=True))
                for is_value, name in read_by(axiom.body, universe, binding):
                    if is_value:
                        self.values.add(name)
                    elif name not in self.reads:
                        self.reads.add(name)
                        waiting.append(name)

    def read_effect(self, effect: syntax.Effect, facts: Facts, universe: Universe, env: dict[str, str]) -> None:
        """Add what the amounts of an effect read, and the conditions that hold, as in VAL."""
        match effect:
            case syntax.AndEffect(effects):
                for inner in effects:
                    self.read_effect(inner, facts, universe, env)
            case syntax.ForallEffect(variables, inner):
                for found in universe.bindings(variables):
                    self.read_effect(inner, facts, universe, {**env, **found})
            case syntax.WhenEffect(condition, inner):
                if holds(condition, facts, universe, env):
                    self.read(condition, universe, env)
                    self.read_effect(inner, facts, universe, env)
            case syntax.IncreaseCost(amount=amount) | syntax.ChangeNumber(amount=amount):
                for read in function_terms(amount):
                    self.values.add((read.function, *[env.get(term, term) for term in read.terms]))
            case _:
                return

    def interferes(self, other: Footprint) -> str | None:
        """Return what two actions at the same time both touch, so that their order would matter; None if nothing."""
        for one, two in ((self, other), (other, self)):
            touched = sorted(one.reads & (two.added | two.deleted)) or sorted(one.added & two.deleted)
            touched = touched or sorted(one.values & two.changed.keys())
            if touched:
                return f"({' '.join(touched[0])})"
        for fluent, additive in sorted(self.changed.items()):
            if fluent in other.changed and not (additive and other.changed[fluent]):
                return f"({' '.join(fluent)})"
        return None


def read_by(formula: syntax.Formula, universe: Universe, env: dict[str, str]) -> Iterator[tuple[bool, tuple[str, ...]]]:
    """Yield the ground atoms that a formula mentions (False) and the fluents that it reads (True)."""
    match formula:
        case syntax.Atom(predicate, terms):
            yield False, (predicate, *[env.get(term, term) for term in terms])
        case syntax.Comparison():
            for read in numbers_in(formula):
                yield True, (read.function, *[env.get(term, term) for term in read.terms])
        case syntax.Forall(variables, body) | syntax.Exists(variables, body) | syntax.AtLeast(_, variables, body):
            for inner in universe.bindings(variables):
                yield from read_by(body, universe, {**env, **inner})
        case _:
            for part in parts(formula):
                yield from read_by(part, universe, env)
