"""Maps for the author of a task or a scene: the room from above, with what a goal is about and what is reached."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.pddl.syntax import Formula
from chorewright.domains.rewriting import mentioned_types
from chorewright.problems.household.containment import matters
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.nearness import touching
from chorewright.problems.household.scene import Scene, SceneObject, Vector
from chorewright.replay.household.pixels.map_view import map_view
from chorewright.replay.household.pixels.renderer import Renderer

SIZE = 600
"""Pixels on a side."""
MOST = 24
"""Things that are numbered on a map."""


def scene_map(scene: Scene, goal: Formula | None = None, size: int = SIZE) -> NDArray[np.uint8]:
    """Return a map of a scene, (height, size, 3), with a legend below it.

    Numbered are the things of the kinds that a goal speaks of; without a goal, what nobody can reach.

    Args:
        scene: The scene.
        goal: A filled goal.
        size: Pixels on a side.
    """
    things = [thing for thing in scene.objects if thing.traits.item or matters(thing)]
    reached = {object_id for object_id, _ in touching(scene, Grid.of(scene), things)}
    types = set() if goal is None else set(mentioned_types(goal))
    wholes = {scene.kinds.vocabulary.whole_of(thing) for thing in scene.kinds if thing.lower() in types}
    kinds = {name for name in scene.kinds if name.lower() in types} | wholes
    marks: dict[str, Vector] = {}
    counts: Counter[str] = Counter()
    for thing in things:
        out = thing.object_id not in reached
        if len(marks) < MOST and (out if goal is None else thing.kind in kinds):
            counts[thing.kind] += 1
            marks[_label(thing, counts[thing.kind], out)] = thing.centre
    return map_view(Renderer(), scene, size, (), marks)


def _label(thing: SceneObject, number: int, out: bool) -> str:
    return f"{thing.kind} {number}{': out of reach' if out else ''}"
