"""The order in which a human works: one part of the goal after the other, as far as that costs nothing.

Of equally cheap plans a planner returns any, such as one that goes from one part of the goal to another and
back. A human finishes what they have begun: the paper speaks of "a subset of the subgoals" that "has been
achieved" (section 5), and its released humans do one part after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from chorewright.domains.formulas import Facts, Universe, conjuncts, satisfying, support
from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.subformulas import subformulas
from chorewright.domains.pddl.syntax import And, Atom, Exists, Formula, GroundAtom, State
from chorewright.domains.rewriting import substitute
from chorewright.planner.plan import GroundAction
from chorewright.problems.handmethat.scene import HUMAN

ORDERS = 12
"""So many orders of a goal's parts are tried."""

_MOVE = "move"
_FREE = ("hand-empty", HUMAN)


@dataclass(frozen=True, slots=True)
class _Trip:
    """What is done from empty hands to empty hands, without the ways between.

    Attributes:
        actions: Each with where the human is for it.
        changed: The atoms that are no longer as before; those about the human alone are left out.
        asked: The atoms that its actions ask for, likewise.
        part: The first of the goal's parts that it does something for, for good; -1 if it prepares others.
    """

    actions: tuple[tuple[str, GroundAction], ...]
    changed: frozenset[GroundAtom]
    asked: frozenset[GroundAtom]
    part: int

    def disturbs(self, other: _Trip) -> bool:
        """Whether doing one before the other may not be the same as doing it after."""
        return not (self.changed.isdisjoint(other.changed | other.asked) and self.asked.isdisjoint(other.changed))


def lines(goal: Formula, facts: Facts, universe: Universe) -> tuple[Formula, ...]:
    """Return the parts of a goal that holds: also of those under ``exists``, said of the first that fit."""
    match goal:
        case And():
            return tuple(line for part in conjuncts(goal) for line in lines(part, facts, universe))
        case Exists(body=body):
            return lines(substitute(body, next(satisfying(goal, facts, universe))), facts, universe)
        case _:
            return (goal,)


def achievements(states: Sequence[State], parts: Sequence[Formula], universe: Universe) -> tuple[tuple[int, ...], ...]:
    """Return when a plan achieves each part of its goal for good.

    Args:
        states: The states along the plan; all parts hold in the last.
        parts: The parts of the goal.

    Returns:
        For each part, for each literal that makes it true at the end, the number of actions after which it
        stays true, in rising order; 0 for those that are never false.
    """
    facts = Facts(states[-1])
    return tuple(
        tuple(
            sorted(
                max((at + 1 for at, state in enumerate(states) if (atom in state) != value), default=0)
                for atom, value in support(part, facts, universe)
            )
        )
        for part in parts
    )


def part_by_part(
    actions: Sequence[GroundAction],
    states: Sequence[State],
    goal: Formula,
    universe: Universe,
    rng: np.random.Generator,
) -> tuple[GroundAction, ...]:
    """Return a plan's actions in an order that changes the least from one part of the goal to another.

    Trips are only exchanged where neither minds the other, so that the end is the same. Parts come in an
    order that is drawn; a plan that takes more actions is not taken.

    Args:
        actions: The human's plan.
        states: The states along it.
        goal: What holds at its end.
        rng: What orders are drawn from.
    """
    parts = lines(goal, Facts(states[-1]), universe)
    trips = _trips(actions, states, achievements(states, parts, universe))
    if len({trip.part for trip in trips if trip.part >= 0}) < 2:
        return tuple(actions)
    start, last = _place(states[0]), [] if _FREE in states[-1] else [trips.pop()]
    before = [{at for at in range(later) if trips[at].disturbs(trips[later])} for later in range(len(trips))]
    best, fewest = tuple(actions), _changes([*trips, *last])
    for _ in range(ORDERS):
        order = [*_order(trips, before, rng.permutation(len(parts)).tolist()), *last]
        found = _with_ways(start, order)
        if len(found) <= len(actions) and (_changes(order), len(found)) < (fewest, len(best)):
            best, fewest = found, _changes(order)
    return best


def _trips(actions: Sequence[GroundAction], states: Sequence[State], done: Sequence[Sequence[int]]) -> list[_Trip]:
    """Cut a plan into trips; the last one may end with something in the hands."""
    part_of = {at - 1: part for part, times in reversed(list(enumerate(done))) for at in times}

    def trip(numbers: Sequence[int]) -> _Trip:
        return _Trip(
            tuple((_place(states[number]), actions[number]) for number in numbers),
            _ours(states[numbers[0]] ^ states[numbers[-1] + 1]),
            _ours(atom for number in numbers for atom in _ask(actions[number])),
            min((part_of[number] for number in numbers if number in part_of), default=-1),
        )

    found: list[_Trip] = []
    begun: list[int] = []
    for at, action in enumerate(actions):
        begun += [at] if action.name != _MOVE else []
        if begun and (_FREE in states[at + 1] or at == len(actions) - 1):
            found.append(trip(begun))
            begun = []
    return found


def _ask(action: GroundAction) -> Iterable[GroundAtom]:
    schema = handmethat_domain().action(action.name)
    names = [parameter.name for parameter in schema.parameters]
    ground = substitute(schema.precondition, dict(zip(names, action.arguments, strict=True)))
    return [(each.predicate, *each.terms) for each in subformulas(ground) if isinstance(each, Atom)]


def _ours(atoms: Iterable[GroundAtom]) -> frozenset[GroundAtom]:
    """Leave out what is about the human: between trips their hands are empty, and they go anywhere."""
    return frozenset(atom for atom in atoms if HUMAN not in atom)


def _place(state: State) -> str:
    return next(atom[2] for atom in state if atom[:2] == ("at", HUMAN))


def _order(trips: Sequence[_Trip], before: Sequence[set[int]], parts: Sequence[int]) -> list[_Trip]:
    """Return the trips, those for one part after those for another, each after what has to come before it."""
    left = dict.fromkeys(range(len(trips)))
    found: list[_Trip] = []

    def do(number: int) -> None:
        for earlier in sorted(before[number]):
            if earlier in left:
                do(earlier)
        if number in left:
            del left[number]
            found.append(trips[number])

    for part in (*parts, -1):
        for number, trip in enumerate(trips):
            if trip.part == part:
                do(number)
    return found


def _with_ways(start: str, trips: Iterable[_Trip]) -> tuple[GroundAction, ...]:
    """Return the actions of trips with the ways between them."""
    at = start
    found: list[GroundAction] = []
    for trip in trips:
        for place, action in trip.actions:
            if place != at:
                found.append(GroundAction(_MOVE, (HUMAN, at, place)))
            found.append(action)
            at = place
    return tuple(found)


def _changes(trips: Iterable[_Trip]) -> int:
    """How often a part of the goal follows another."""
    parts = [trip.part for trip in trips if trip.part >= 0]
    return sum(one != other for one, other in pairwise(parts))
