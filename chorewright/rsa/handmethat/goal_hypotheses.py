"""Goals that a watched human may have: goal templates, filled as far as the actions determine them.

An instance of a template is consistent with actions if everything that was handled can matter for it: nobody who
plans well handles what does not matter. Slots to which nothing handled belongs stay open at first; the doors that
were opened tell a little about them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from math import prod

import numpy as np

from chorewright.domains.formulas import Universe, conjunction, holds, rename_types, types_mentioned_in
from chorewright.domains.handmethat.object_space import object_space
from chorewright.domains.library import load_shipped_library
from chorewright.domains.pddl.syntax import TRUE, And, AtLeast, Exists, Forall, Formula, State
from chorewright.domains.templates.goal_templates import Binding, Goal, GoalTemplate, candidates
from chorewright.domains.templates.goal_templates import instantiate as fill
from chorewright.domains.templates.slots import in_order, random_fillings, slot_groups
from chorewright.planner.plan import GroundAction
from chorewright.problems.handmethat.goals import feasible, universe_of
from chorewright.problems.handmethat.scene import HandMeThatScene, relevant
from chorewright.problems.handmethat.states import DOMAIN, state_of

_TRIES = 10
"""Fillings that are tried for each one that is wanted, and for three more: some hold already, or serve no request."""


@dataclass(frozen=True)
class Watched:
    """The actions that were watched, and what they touched.

    Attributes:
        start: s_0, the scene before the human's actions.
        actions: Ω.
    """

    start: HandMeThatScene
    actions: Sequence[GroundAction]

    @cached_property
    def handled(self) -> tuple[str, ...]:
        """Everything touched, in order: things, tools, and the places they were taken from or put."""
        return self._named(("move", "open", "close"))

    @cached_property
    def opened(self) -> frozenset[str]:
        """Everything touched or opened."""
        return frozenset(self._named(("move",)))

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The categories of movables that were touched."""
        things = [self.start.by_name[name].category for name in self.handled]
        return tuple(dict.fromkeys(each.name for each in things if each.movable))

    @cached_property
    def state(self) -> State:
        """The state before the actions."""
        return state_of(self.start)

    @cached_property
    def universe(self) -> Universe:
        """The objects."""
        return universe_of(self.start)

    def _named(self, left_out: tuple[str, ...]) -> tuple[str, ...]:
        steps = [step for step in self.actions if not step.name.startswith(left_out)]
        return tuple(dict.fromkeys(name for step in steps for name in step.arguments[1:]))


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A template, with those slots filled to which something handled belongs.

    Attributes:
        template: The template.
        binding: The filled slots.
        elsewhere: Kinds that were handled for the sake of others, which no slot is filled with.
        goal: The goal, without what open slots alone are about.
        widest: The goal with open slots all that they may be: what matters for an instance matters for it.
        share: Which share of the template's fillings (with what the scene has) agrees.
    """

    template: GoalTemplate
    binding: Binding
    elsewhere: frozenset[str]
    goal: Formula
    widest: Formula
    share: float

    def instances(
        self, watched: Watched, rng: np.random.Generator, most: int, serves: Callable[[Goal], bool] = bool
    ) -> tuple[list[Goal], float]:
        """Draw consistent instances: possible at the start, not true there, and in need of everything handled.

        They need also what was opened; where none does, others will do. No two are the same goal, with alike
        slots filled in another order.

        Args:
            watched: What was watched.
            rng: What they are drawn from.
            most: How many are wanted.
            serves: Which are wanted: all, if this is not given.

        Returns:
            The instances, and which share of those drawn is wanted and needs all that was handled.
        """
        filled = dict(self.binding)
        groups = [
            [each for each in group if _agrees(each, filled, self.elsewhere)]
            for group in _present(self.template, watched.start)
        ]
        state, universe, handled = watched.state, watched.universe, frozenset(watched.handled)
        found: list[Goal] = []
        others: list[Goal] = []
        known: set[Formula] = set()
        tried = 0
        for binding in islice(random_fillings(groups, rng), (most + 3) * _TRIES):
            goal = fill(self.template, in_order(binding, self.template), load_shipped_library().vocabulary(DOMAIN))
            same = _in_order(goal.goal)
            if same in known or holds(goal.goal, state, universe) or not feasible(goal.goal, state, universe):
                continue
            known.add(same)
            tried += 1
            needed = relevant(watched.start, goal.goal)
            if handled <= needed and serves(goal):
                (found if watched.opened <= needed else others).append(goal)
                if len(found) == most:
                    break
        return found or others[:most], (len(found) + len(others)) / max(1, tried)


def hypotheses(template: GoalTemplate, watched: Watched) -> list[Hypothesis]:
    """Return how a template may be filled, given a human's actions from the start.

    Alike ones (a fruit may be the first or the second of two that go to the same place) are one.
    """
    start, kinds, handled = watched.start, watched.kinds, frozenset(watched.handled)
    groups = _present(template, start)
    if not all(groups):
        return []
    spare = {kind for name in types_mentioned_in(template.goal) for kind in object_space().members(name)}
    found: dict[Formula, Hypothesis] = {}
    for filled in _assignments(kinds, groups, spare | _means(), {}):
        elsewhere = frozenset(kinds) - set(filled.values())
        types = {f"?{name}": kind for name, kind in filled.items()}
        whole, open_slots = rename_types(template.goal, types), _open(groups, filled, elsewhere)
        goal, widest = _without(whole, open_slots), _widen(whole, open_slots)
        known = found.get(goal)
        if known is None and not any(handled <= relevant(start, each) for each in (goal, widest)):
            continue
        agreeing = [sum(_agrees(each, filled, elsewhere) for each in group) / len(group) for group in groups]
        share = prod(agreeing) + (known.share if known else 0.0)
        binding = known.binding if known else in_order(filled, template)
        found[goal] = Hypothesis(template, binding, elsewhere, goal, widest, share)
    return list(found.values())


def _assignments(
    kinds: Sequence[str], groups: Sequence[Sequence[Binding]], spare: Collection[str], filled: Mapping[str, str]
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


def _means() -> frozenset[str]:
    """Kinds that are handled for the sake of others: containers, and tools with something to do."""
    space = object_space().categories.values()
    tools = {tool for each in space for tool in each.cleaned_by}
    return frozenset(each.name for each in space if each.receptacle or each.roles or each.name in tools)


def _agrees(binding: Binding, filled: Mapping[str, str], elsewhere: Collection[str] = ()) -> bool:
    return all(filled.get(name, kind) == kind and kind not in elsewhere for name, kind in binding)


def _present(template: GoalTemplate, start: HandMeThatScene) -> list[list[Binding]]:
    """The fillings of each group of related slots with kinds that the scene has."""
    return [
        [each for each in group if all(kind in start.by_category for _, kind in each)] for group in _list_all(template)
    ]


@lru_cache(maxsize=512)
def _list_all(template: GoalTemplate) -> tuple[tuple[Binding, ...], ...]:
    return tuple(
        candidates(group, load_shipped_library().vocabulary(DOMAIN)) for group in slot_groups(template) if group.slots
    )


def _open(
    groups: Sequence[Sequence[Binding]], filled: Mapping[str, str], elsewhere: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """Return what each slot that is not filled may be, by its variable."""
    found: dict[str, dict[str, None]] = {}
    for binding in (each for group in groups for each in group if _agrees(each, filled, elsewhere)):
        for name, kind in binding:
            if name not in filled:
                found.setdefault(f"?{name}", {})[kind] = None
    return {name: tuple(kinds) for name, kinds in found.items()}


def _in_order(formula: Formula) -> Formula:
    """Put what is joined in one order: alike slots filled in another way then give the same goal."""
    match formula:
        case And(operands):
            return And(tuple(sorted(map(_in_order, operands), key=str)))
        case Forall(_, body) | Exists(_, body) | AtLeast(_, _, body):
            return replace(formula, body=_in_order(body))
        case _:
            return formula


def _widen(formula: Formula, open_slots: Mapping[str, tuple[str, ...]]) -> Formula:
    """Let open slots be all that they may be: for that goal all matters that does for one of an instance."""
    match formula:
        case And(operands):
            return And(tuple(_widen(each, open_slots) for each in operands))
        case Forall(variables, body) | Exists(variables, body) | AtLeast(_, variables, body):
            known = tuple(replace(each, types=_kinds(each.types, open_slots)) for each in variables)
            return replace(formula, variables=known, body=_widen(body, open_slots))
        case _:
            return formula


def _without(formula: Formula, open_slots: Mapping[str, tuple[str, ...]]) -> Formula:
    """Leave out what is said of open slots alone."""
    match formula:
        case And(operands):
            return conjunction(sorted((_without(each, open_slots) for each in operands), key=str))
        case Forall(variables, body) | Exists(variables, body) | AtLeast(_, variables, body):
            inner = _without(body, open_slots)
            known = tuple(replace(each, types=_kinds(each.types, open_slots)) for each in variables)
            if inner == TRUE or (known != variables and not _is_quantified(inner)):
                return TRUE
            return replace(formula, variables=known, body=inner)
        case _:
            return formula


def _kinds(types: Sequence[str], open_slots: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(kind for name in types for kind in open_slots.get(name, (name,)))


def _is_quantified(formula: Formula) -> bool:
    """Whether something is said of all or some things of other kinds."""
    match formula:
        case Forall() | Exists() | AtLeast():
            return True
        case And(operands):
            return any(map(_is_quantified, operands))
        case _:
            return False
