"""All reachable states of a problem where they are few, with ways to them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeVar

from chorewright.domains.facts import Facts, Fluent, value_atom
from chorewright.domains.pddl.syntax import TRUE, Domain, GroundAtom, Problem, State
from chorewright.errors import LimitError
from chorewright.planner.grounding.joins.derivation import Stopped
from chorewright.planner.numeric.grounding import ground_numeric
from chorewright.planner.numeric.relaxation import bits_of
from chorewright.planner.numeric.solving import Successors
from chorewright.planner.numeric.task import State as Packed
from chorewright.planner.plan import GroundAction
from chorewright.planner.progression import applicable
from chorewright.planner.search.interruption import Alarm
from chorewright.planner.validation import PlanWorld

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class StateSpace:
    """The reachable states in the order in which they were found, and the step that found each.

    ``steps`` are, for each state, the actions that can be run there and change something, with the states after them.
    """

    states: tuple[State, ...]
    found_by: tuple[tuple[int, GroundAction] | None, ...]
    steps: tuple[tuple[tuple[GroundAction, int], ...], ...]

    def plan_to(self, number: int) -> tuple[GroundAction, ...]:
        """Return a shortest way to a state."""
        steps: list[GroundAction] = []
        entry = self.found_by[number]
        while entry is not None:
            before, action = entry
            steps.append(action)
            entry = self.found_by[before]
        return tuple(reversed(steps))


def reachable_states(domain: Domain, problem: Problem, most: int, alarm: Alarm) -> StateSpace | None:
    """Return all reachable states, breadth first.

    Args:
        domain: The domain.
        problem: The problem; its goal means nothing.
        most: The most states.
        alarm: The clock, which runs.

    Returns:
        The states, derived atoms included; None if they are more, or cannot be listed: with durative actions.
    """
    if domain.durative_actions:
        return None
    if domain.axioms:
        return _one_by_one(PlanWorld.of(domain, problem), most, alarm)
    anything = replace(problem, goal=TRUE)
    try:
        task = ground_numeric(domain, anything, alarm.flag, [each.name for each in domain.functions])
    except (Stopped, LimitError):
        return None
    if task is None:
        return None
    successors, operators = Successors(task), task.operators
    base = frozenset(problem.init) - frozenset(task.atoms)

    def steps_of(state: Packed) -> Iterator[tuple[GroundAction, Packed]]:
        return ((operators[index].action, after) for index, after in successors.of(state))

    return _explore(task.initial, steps_of, lambda state: _plain(state, task.atoms, task.fluents, base), most, alarm)


def _explore(
    first: T,
    steps_of: Callable[[T], Iterable[tuple[GroundAction, T]]],
    plain: Callable[[T], State],
    most: int,
    alarm: Alarm,
) -> StateSpace | None:
    """List states breadth first; None if they are more than ``most``, or the clock has run out."""
    order = [first]
    numbers = {first: 0}
    found: list[tuple[int, GroundAction] | None] = [None]
    steps: list[tuple[tuple[GroundAction, int], ...]] = []
    while len(steps) < len(order):
        at, here = len(steps), []
        for action, after in steps_of(order[at]):
            if alarm.flag[0]:
                return None
            number = numbers.setdefault(after, len(order))
            if number == len(order):
                if number == most:
                    return None
                order.append(after)
                found.append((at, action))
            if number != at:
                here.append((action, number))
        steps.append(tuple(here))
    return StateSpace(tuple(map(plain, order)), tuple(found), tuple(steps))


def _one_by_one(world: PlanWorld, most: int, alarm: Alarm) -> StateSpace | None:
    """List the states of a domain with derived predicates: what is derived is derived once for each state."""
    derived = {axiom.head.name for axiom in world.domain.axioms}
    closed = cache(world.closed)

    def steps_of(state: State) -> Iterator[tuple[GroundAction, State]]:
        facts = Facts(closed(state))
        for action in applicable(world.domain, world.universe, facts):
            if world.refusal(action, facts) is None:
                deleted, added = world.effects(action, facts)
                yield action, _without_derived((facts.atoms - deleted) | added, derived)

    return _explore(_without_derived(world.initial(), derived), steps_of, closed, most, alarm)


def _without_derived(state: Collection[GroundAtom], derived: Collection[str]) -> State:
    """Return what actions made true."""
    return frozenset(atom for atom in state if atom[0] not in derived)


def _plain(state: Packed, atoms: Sequence[GroundAtom], fluents: Sequence[Fluent], base: State) -> State:
    values = [value_atom(fluent, value) for fluent, value in zip(fluents, state[1], strict=True) if value is not None]
    return base.union((atoms[bit] for bit in bits_of(state[0])), values)
