"""Rooms for TEACh's tasks: scattered at random, with enough of what a task needs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from chorewright.domains.tdl.properties import described
from chorewright.domains.tdl.tasks import Task, TaskComponent, needed
from chorewright.domains.vocabulary import Vocabulary
from chorewright.problems.kinds import kind_of
from chorewright.problems.scene import Scene
from chorewright.problems.spawn import SpawnRequest, spawn

MOST = 3
"""Copies of a kind, where a task needs no more."""


def teach_scene(room: Scene, task: Task, vocabulary: Vocabulary, rng: np.random.Generator) -> Scene:
    """Return a room with its items scattered, at least as many of each kind as a task needs.

    Raises:
        NoRoom: They could not be placed.
    """
    present = {thing.kind for thing in room.objects}
    counts: dict[str, int] = {}
    for names, number in items_needed(task, vocabulary, 1):
        here = [name for name in names if name in present]
        if here:
            counts[here[0]] = counts.get(here[0], 0) + number
    request = {name: (number, max(number, MOST)) for name, number in counts.items()}
    return spawn(room, rng, SpawnRequest(counts=request))


def items_needed(task: Task, vocabulary: Vocabulary, instances: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield kinds of items, of which a task needs so many; a whole stands for its pieces."""
    for part in task.components:
        if not needed(part.determiner):
            continue
        number = part.number(instances)
        if isinstance(part, TaskComponent):
            yield from items_needed(part.task, vocabulary, number)
            continue
        names: dict[str, None] = {}
        pieces = 1
        for name in described(part, vocabulary).types:
            kind = vocabulary.kind_of_type(name)
            if kind is None or "pickupable" not in kind.affordances:
                continue
            whole = vocabulary.whole_of(kind.name)
            if whole is not None:
                pieces = kind_of(whole).pieces
            names[whole or kind.name] = None
        if names:
            yield tuple(names), -(-number // pieces)
