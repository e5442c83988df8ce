"""Which filled templates may succeed in which rooms: judged by the rooms' furniture, without planning."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from chorewright.domains.pddl.syntax import (
    And,
    AtLeast,
    Atom,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
)
from chorewright.problems.containment import is_receptacle
from chorewright.problems.kinds import kind_of
from chorewright.problems.rooms import load_room
from chorewright.problems.scene import GRID, Scene

REACH = 1.0
"""Metres from a standing point to a thing's box within which it surely has a stand pose."""


@dataclass(frozen=True, slots=True)
class RoomFacts:
    """What a room offers: kinds of items (and pieces) and of things in reach, and what these can do."""

    name: str
    room_kind: str
    items: frozenset[str]
    fixtures: frozenset[str]
    roles: frozenset[str]

    @property
    def kinds(self) -> frozenset[str]:
        """All kinds that a slot may be filled with here."""
        return self.items | self.fixtures


def facts_of(scene: Scene) -> RoomFacts:
    """Return what a room offers, before anything is spawned."""
    points = np.array(scene.grid, float).reshape(-1, 2) * GRID
    items: set[str] = set()
    fixtures: set[str] = set()
    roles: set[str] = set()
    for thing in scene.objects:
        kind = kind_of(thing.kind)
        if kind.item:
            items.add(thing.kind)
            roles |= kind.roles & {"sharp"}
            continue
        useful = is_receptacle(thing) or kind.affordances & {"openable", "toggleable"}
        if not useful or not len(points):
            continue
        centre = np.array((thing.centre[0], thing.centre[2]))
        half = np.array((thing.size[0], thing.size[2])) / 2
        gaps = np.maximum(np.abs(points - centre) - half, 0.0)
        if math.sqrt(float((gaps**2).sum(axis=1).min())) <= REACH:
            fixtures.add(thing.kind)
            roles |= kind.roles
    if "sharp" in roles:
        items |= {piece for item in sorted(items) if (piece := kind_of(item).piece)}
    return RoomFacts(scene.name, scene.room_kind, frozenset(items), frozenset(fixtures), frozenset(roles))


@lru_cache(maxsize=256)
def room_facts(name: str) -> RoomFacts:
    """Return what a shipped room offers."""
    return facts_of(load_room(name))


def predicates(formula: Formula) -> Iterator[str]:
    """Yield the predicates of a formula's atoms that are not under a negation."""
    if isinstance(formula, Atom):
        yield formula.predicate
    elif isinstance(formula, And | Or):
        for operand in formula.operands:
            yield from predicates(operand)
    elif isinstance(formula, Exists | Forall | AtLeast):
        yield from predicates(formula.body)
    elif isinstance(formula, Imply):
        yield from predicates(formula.consequent)
    elif isinstance(formula, Not):
        return


def possible(kinds: Sequence[str], needs: Sequence[str], rooms: Sequence[str], facts: RoomFacts) -> bool:
    """Whether slots filled with these kinds may succeed in a room.

    Args:
        kinds: the kinds in the slots.
        needs: roles that something in the room must have (e.g. ``heats``).
        rooms: kinds of rooms that the task is for; empty means all.
        facts: the room.
    """
    return (
        (not rooms or facts.room_kind in rooms)
        and facts.kinds.issuperset(kinds)
        and facts.roles.issuperset(needs)
    )


def needed_roles(goal: Formula, needs: Mapping[str, str]) -> tuple[str, ...]:
    """Return the roles that a goal asks of the room, by the predicates that it mentions."""
    return tuple(dict.fromkeys(needs[name] for name in predicates(goal) if name in needs))
