"""What a human may want who has been seen to act: goal templates, filled as far as the actions tell.

An instance of a template is consistent with actions if all that was handled can matter for it: nobody who
plans well carries about what does not. Slots that nothing handled belongs to stay open at first; the doors
that were opened tell a little about them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from math import prod

import numpy as np

from chorewright.domains.fillings import in_order, random_fillings, slot_groups
from chorewright.domains.formulas import conjunction, holds, mentioned_types, rename_types
from chorewright.domains.goal_templates import Binding, Goal, GoalTemplate, candidates
from chorewright.domains.goal_templates import instantiate as fill
from chorewright.domains.library import shipped_vocabulary
from chorewright.domains.object_space import object_space
from chorewright.domains.pddl.syntax import TRUE, And, AtLeast, Exists, Forall, Formula
from chorewright.planner.plan import GroundAction
from chorewright.problems.handmethat.feasibility import feasible
from chorewright.problems.handmethat.goals import universe_of
from chorewright.problems.handmethat.relevance import relevant
from chorewright.problems.handmethat.scene import Scene
from chorewright.problems.handmethat.states import DOMAIN, state_of

_TRIES = 10
"""Fillings that are tried for each one that is wanted: some hold already, or do not explain a door."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A template with the slots filled that something handled belongs to.

    Attributes:
        template: The template.
        binding: The filled slots.
        goal: The goal, without what open slots are about.
        share: Which share of the template's fillings (with what the scene has) agrees.
    """

    template: GoalTemplate
    binding: Binding
    goal: Formula
    share: float

    def instances(
        self, start: Scene, observed: Sequence[GroundAction], rng: np.random.Generator, most: int
    ) -> list[Goal]:
        """Draw instances that agree: possible at the start, not true there, in need of all that was opened.

        Where none needs all of that, others will do.
        """
        filled = dict(self.binding)
        groups = [
            [each for each in group if _agrees(each, filled)] for group in _present(self.template, start)
        ]
        state, universe, opened = state_of(start), universe_of(start), set(_handled(observed, opened=True))
        found: list[Goal] = []
        others: list[Goal] = []
        for binding in islice(random_fillings(groups, rng), most * _TRIES):
            goal = fill(self.template, in_order(binding, self.template), shipped_vocabulary(DOMAIN))
            if not holds(goal.goal, state, universe) and feasible(goal.goal, state, universe):
                (found if opened <= relevant(start, goal.goal) else others).append(goal)
                if len(found) == most:
                    break
        return found or others[:most]


def hypotheses(template: GoalTemplate, start: Scene, observed: Sequence[GroundAction]) -> list[Hypothesis]:
    """Return how a template may be filled, given a human's actions from the start.

    Alike ones (a fruit may be the first or the second of two that go to the same place) are one.
    """
    groups = _present(template, start)
    if not all(groups):
        return []
    handled = _handled(observed)
    kinds = list(
        dict.fromkeys(
            start.by_name[name].category.name for name in handled if start.by_name[name].category.movable
        )
    )
    spare = {kind for name in mentioned_types(template.goal) for kind in object_space().members(name)}
    found: dict[Formula, Hypothesis] = {}
    for filled in _assignments(kinds, groups, spare | _means(), {}):
        open_slots = {slot.variable for slot in template.slots if slot.name not in filled}
        types = {f"?{name}": kind for name, kind in filled.items()}
        goal = _without(rename_types(template.goal, types), open_slots)
        known = found.get(goal)
        if known is None and not set(handled) <= relevant(start, goal):
            continue
        agreeing = [sum(_agrees(each, filled) for each in group) / len(group) for group in groups]
        share = prod(agreeing) + (known.share if known else 0.0)
        binding = known.binding if known else in_order(filled, template)
        found[goal] = Hypothesis(template, binding, goal, share)
    return list(found.values())


def _handled(observed: Sequence[GroundAction], opened: bool = False) -> list[str]:
    """What was touched, in order: things, tools, and where they were taken from or put; what was opened."""
    left_out = ("move",) if opened else ("move", "open", "close")
    names = [name for step in observed if not step.name.startswith(left_out) for name in step.arguments[1:]]
    return list(dict.fromkeys(names))


def _assignments(
    kinds: Sequence[str],
    groups: Sequence[Sequence[Binding]],
    spare: Collection[str],
    filled: Mapping[str, str],
) -> Iterator[dict[str, str]]:
    """Yield the ways to fill slots with the kinds, each in one slot; ``spare`` ones may be in none."""
    if not kinds:
        yield dict(filled)
        return
    if kinds[0] in spare:
        yield from _assignments(kinds[1:], groups, spare, filled)
    for group in groups:
        for name, _ in group[0]:
            wider = {**filled, name: kinds[0]}
            if name not in filled and any(_agrees(each, wider) for each in group):
                yield from _assignments(kinds[1:], groups, spare, wider)


@lru_cache(maxsize=1)
def _means() -> frozenset[str]:
    """Kinds that are handled for the sake of others: containers, and tools with something to do."""
    space = object_space().categories.values()
    tools = {tool for each in space for tool in each.cleaned_by}
    return frozenset(each.name for each in space if each.receptacle or each.roles or each.name in tools)


def _agrees(binding: Binding, filled: Mapping[str, str]) -> bool:
    return all(filled.get(name, kind) == kind for name, kind in binding)


def _present(template: GoalTemplate, start: Scene) -> list[list[Binding]]:
    """The fillings of each group of related slots with kinds that the scene has."""
    return [
        [each for each in group if all(kind in start.by_category for _, kind in each)]
        for group in _listed(template)
    ]


@lru_cache(maxsize=512)
def _listed(template: GoalTemplate) -> tuple[tuple[Binding, ...], ...]:
    return tuple(
        candidates(group, shipped_vocabulary(DOMAIN)) for group in slot_groups(template) if group.slots
    )


def _without(formula: Formula, open_slots: set[str]) -> Formula:
    """Leave out what is said of all or some things of an open slot."""
    match formula:
        case And(operands):
            return conjunction(sorted((_without(each, open_slots) for each in operands), key=str))
        case Forall(variables, body) | Exists(variables, body) | AtLeast(_, variables, body):
            if any(name in open_slots for variable in variables for name in variable.types):
                return TRUE
            inner = _without(body, open_slots)
            if inner == TRUE:
                return TRUE
            if isinstance(formula, Forall):
                return Forall(variables, inner)
            if isinstance(formula, Exists):
                return Exists(variables, inner)
            return AtLeast(formula.count, variables, inner, formula.position)
        case _:
            return formula
