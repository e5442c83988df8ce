"""Containment: direct parents from AI2-THOR's lists of all parents, and those lists again from direct parents."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from chorewright.problems.household.kinds import Traits
from chorewright.problems.household.scene import SceneObject

TOUCHING = 0.05
"""Metres between a thing's bottom and the surface that it lies on."""


def is_receptacle(thing: SceneObject) -> bool:
    """Whether things may lie in or on an object; of a few kinds, only some objects are receptacles."""
    receptacle = thing.traits.receptacle
    return receptacle == "always" or (receptacle == "sometimes" and thing.receptacle)


def matters(thing: SceneObject) -> bool:
    """Whether an action may concern it: items, receptacles, what opens, runs or holds liquid."""
    kind = thing.traits
    return bool(
        kind.item
        or is_receptacle(thing)
        or kind.affordances & {"openable", "toggleable", "fillable"}
        or "drain" in kind.roles
    )


def direct_parents(objects: Sequence[SceneObject], held: str | None = None) -> tuple[SceneObject, ...]:
    """Return the objects with at most one parent each: the receptacle that holds the object directly.

    AI2-THOR lists every receptacle whose trigger box an object touches: ancestors, the chairs under a table,
    two neighbouring burners. Of those the best by ``_misfit`` is the direct one. An item that has none, and
    is not held, lies where the boxes say: in or on the receptacle that fits best, at last on the floor.
    Fixtures keep a parent only if it carries them.
    """
    named = {thing.object_id: thing for thing in objects}
    result = []
    for thing in objects:
        kind = thing.traits
        listed = [named[name] for name in thing.parents if name in named and name != thing.object_id]
        if thing.object_id == held:
            parent = None
        elif kind.item:
            parent = _best(thing, listed) or supporting_receptacle(thing, objects)
        else:
            parent = _best(thing, [other for other in listed if _carries(other, thing)])
        result.append(replace(thing, parents=(parent.object_id,) if parent else ()))
    return _without_cycles(result)


def supporting_receptacle(thing: SceneObject, objects: Sequence[SceneObject]) -> SceneObject | None:
    """Return the receptacle that a thing lies in or on, judged by boxes alone; the floor if no other fits."""
    under = [
        other
        for other in objects
        if other.object_id != thing.object_id
        and other.kind != "Floor"
        and is_receptacle(other)
        and _above(thing, other)
        and _misfit(thing, other) <= TOUCHING * 2
        and _volume(other) > _volume(thing)
    ]
    fitting = [other for other in under if other.kind in thing.traits.fits]
    floors = [other for other in objects if other.kind == "Floor"]
    return _best(thing, fitting) or _best(thing, under) or (floors[0] if floors else None)


def _best(thing: SceneObject, candidates: Sequence[SceneObject]) -> SceneObject | None:
    if not candidates:
        return None
    return min(
        candidates,
        key=lambda other: (
            other.kind == "Floor",
            other.kind not in thing.traits.fits,
            round(_misfit(thing, other), 2),
            _volume(other),
            other.object_id,
        ),
    )


def _misfit(thing: SceneObject, other: SceneObject) -> float:
    """Return by how many metres a thing's height does not fit to lying in or on a receptacle."""
    bottom = thing.centre[1] - thing.size[1] / 2
    low, high = other.centre[1] - other.size[1] / 2, other.centre[1] + other.size[1] / 2
    kind: Traits = other.traits
    if kind.inside or other.kind == "Shelf":
        return max(low - TOUCHING - thing.centre[1], thing.centre[1] - high - TOUCHING, 0.0)
    if low <= bottom < high - 0.2:  # the seat of a chair, the mattress of a bed: somewhere below the box's top
        return 0.1
    return abs(bottom - high)


def _above(thing: SceneObject, other: SceneObject) -> bool:
    return all(abs(thing.centre[axis] - other.centre[axis]) <= other.size[axis] / 2 + 0.02 for axis in (0, 2))


def _volume(thing: SceneObject) -> float:
    return thing.size[0] * max(thing.size[1], 0.01) * thing.size[2]


def _carries(other: SceneObject, thing: SceneObject) -> bool:
    if not is_receptacle(other) or other.traits.item or other.traits.closable:
        return False
    if other.kind == "Floor":
        return True
    bottom, low = thing.centre[1] - thing.size[1] / 2, other.centre[1] - other.size[1] / 2
    smaller = thing.size[0] * thing.size[2] <= other.size[0] * other.size[2] * 1.05
    return smaller and bottom > low - 0.02 and _above(thing, other)


def _without_cycles(objects: Sequence[SceneObject]) -> tuple[SceneObject, ...]:
    named = {thing.object_id: thing for thing in objects}
    for thing in objects:
        seen = [thing.object_id]
        current = named[thing.object_id]
        while current.parents:
            parent = current.parents[0]
            if parent in seen:
                named[current.object_id] = replace(current, parents=())
                break
            seen.append(parent)
            current = named[parent]
    return tuple(named[thing.object_id] for thing in objects)


def ancestors(name: str, parents: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the receptacles around an object, nearest first, given every object's direct parents."""
    found: list[str] = []
    border = list(parents.get(name, ()))
    while border:
        parent = border.pop(0)
        if parent not in found and parent != name:
            found.append(parent)
            border.extend(parents.get(parent, ()))
    return tuple(found)


def contents(objects: Sequence[SceneObject], *, deep: bool = False) -> dict[str, tuple[str, ...]]:
    """Return the contents of each object, in the scene's order: direct ones only, or all."""
    parents = {thing.object_id: thing.parents for thing in objects}
    held: dict[str, list[str]] = {thing.object_id: [] for thing in objects}
    for thing in objects:
        for parent in ancestors(thing.object_id, parents) if deep else thing.parents:
            if parent in held:
                held[parent].append(thing.object_id)
    return {name: tuple(names) for name, names in held.items()}


def with_taps(objects: Sequence[SceneObject]) -> tuple[SceneObject, ...]:
    """Return the objects with each basin controlled by its nearest tap.

    AI2-THOR does not say so; ALFRED's and TEACh's wrappers go by distance. What already controls something
    keeps it.
    """
    taps = [thing for thing in objects if "rinses" in thing.traits.roles]
    basins = [thing for thing in objects if "drain" in thing.traits.roles and is_receptacle(thing)]
    rinsed: dict[str, list[str]] = {tap.object_id: [] for tap in taps}
    for basin in basins:
        if taps:
            nearest = min(taps, key=lambda tap: (math.dist(tap.position, basin.centre), tap.object_id))
            rinsed[nearest.object_id].append(basin.object_id)
    return tuple(
        replace(thing, controls=tuple(rinsed[thing.object_id]))
        if rinsed.get(thing.object_id) and not thing.controls
        else thing
        for thing in objects
    )
