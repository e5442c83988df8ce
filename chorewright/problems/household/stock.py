"""Things of a user's kinds in the shipped rooms, which know nothing of them."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import numpy as np

from chorewright.problems.household.kinds import Traits
from chorewright.problems.household.scene import Scene, SceneObject, Vector
from chorewright.problems.household.shapes import shapes
from chorewright.problems.household.spawn import place_among

USUAL: Vector = (0.1, 0.15, 0.1)
"""The size of an item whose kind has none, in metres."""


def stocked(scene: Scene) -> Scene:
    """Return a room with one item of each kind that wants to be in such rooms, somewhere that it fits.

    Where it lies follows from the names of room and kind alone. A room that has no place for it stays without.
    """
    present = {thing.kind for thing in scene.objects}
    missing = [
        traits
        for traits in scene.kinds.values()
        if not set(traits.rooms).isdisjoint(scene.room_kinds()) and traits.item and traits.name not in present
    ]
    for traits in missing:
        seed = int.from_bytes(sha256(f"{scene.name} {traits.name}".encode()).digest()[:8], "big")
        thing = place_among(scene, _new(traits), np.random.Generator(np.random.PCG64(seed)))
        if thing is not None:
            scene = replace(scene, objects=(*scene.objects, thing))
    return scene


def _new(traits: Traits) -> SceneObject:
    """Return an item that is nowhere yet: the middle of its box is at the origin."""
    shape = shapes().get(traits.name)
    size = traits.size or (shape.size if shape else None) or USUAL
    origin = (0.0, 0.0, 0.0)
    return SceneObject(
        traits.name,
        traits.name,
        origin,
        origin,
        origin,
        size,
        asset=f"{traits.name}_1",
        receptacle=bool(traits.receptacle),
        traits=traits,
    )
