"""Which filled templates may succeed in which rooms: judged by the rooms' furniture, without planning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from chorewright.domains.goal_templates import GoalTemplate, candidates, unsuited
from chorewright.domains.vocabulary import Vocabulary
from chorewright.generator.sampling import Choice
from chorewright.problems.containment import is_receptacle
from chorewright.problems.kinds import kind_of
from chorewright.problems.rooms import load_room
from chorewright.problems.scene import GRID, Scene

REACH = 1.0
"""Metres from a standing point to a thing's box within which it surely has a stand pose."""


@dataclass(frozen=True, slots=True)
class RoomFacts:
    """What a room offers: kinds of items (and pieces) and useful things in reach; ``places`` hold items."""

    name: str
    room_kind: str
    kinds: frozenset[str]
    places: frozenset[str]


def facts_of(scene: Scene) -> RoomFacts:
    """Return what a room offers, before anything is spawned. Pieces are there if something sharp is."""
    points = np.array(scene.grid, float).reshape(-1, 2) * GRID
    items: dict[str, None] = {}
    fixtures: dict[str, None] = {}
    places: dict[str, None] = {}
    for thing in scene.objects:
        kind = kind_of(thing.kind)
        if kind.item:
            items[thing.kind] = None
        elif is_receptacle(thing) or kind.affordances & {"openable", "toggleable"}:
            centre = np.array((thing.centre[0], thing.centre[2]))
            half = np.array((thing.size[0], thing.size[2])) / 2
            gaps = np.maximum(np.abs(points - centre) - half, 0.0)
            if len(points) and float((gaps**2).sum(axis=1).min()) <= REACH**2:
                fixtures[thing.kind] = None
                if is_receptacle(thing):
                    places[thing.kind] = None
    if any("sharp" in kind_of(item).roles for item in items):
        items.update({piece: None for item in list(items) if (piece := kind_of(item).piece)})
    return RoomFacts(scene.name, scene.room_kind, frozenset((*items, *fixtures)), frozenset(places))


@lru_cache(maxsize=256)
def room_facts(name: str) -> RoomFacts:
    """Return what a shipped room offers."""
    return facts_of(load_room(name))


def possible_choices(
    task: str,
    template: GoalTemplate,
    vocabulary: Vocabulary,
    rooms: Sequence[RoomFacts],
    elsewhere: Sequence[str] = (),
) -> tuple[Choice, ...]:
    """Return the ways to fill a template that at least one of the rooms has the things for.

    Args:
        task: the template's name in the dataset.
        template: its ``rooms`` and ``needs`` are asked of each room, its slots of each room's kinds.
        vocabulary: where the kinds are.
        rooms: what the rooms offer, in the order of the choices' scenes.
        elsewhere: kinds of receptacles in which nothing that the goal is about may start. Nor may it in those
            that the slots name; a room must have another place for each.
    """
    suited = [room for room in rooms if not unsuited(template, (), vocabulary, room.room_kind, room.kinds)]
    found = []
    for binding in candidates(template, vocabulary):
        kinds = frozenset(kind for _, kind in binding)
        starts = _starts(kinds, vocabulary, frozenset(elsewhere))
        scenes = tuple(
            room.name
            for room in suited
            if room.kinds >= kinds and not any(room.places.isdisjoint(places) for places in starts)
        )
        if scenes:
            found.append(Choice(task, binding, scenes))
    return tuple(found)


def _starts(kinds: frozenset[str], vocabulary: Vocabulary, elsewhere: frozenset[str]) -> list[frozenset[str]]:
    """Return, for each kind of item, the kinds of receptacles in which it may start."""
    items = sorted(vocabulary.whole_of(kind) or kind for kind in kinds)
    return [kind_of(item).fits - kinds - elsewhere for item in items if kind_of(item).item]
