"""Start states that come out of SetObjectPoses as they went in: the same ids and the same parents.

A recorded start state tells positions only. What lies in what follows from them.
"""

from __future__ import annotations

from dataclasses import replace

from chorewright.problems.household.object_metadata import model_name
from chorewright.problems.household.scene import Scene
from chorewright.replay.household.poses import ItemPose, restore


def as_restored(room: Scene, scene: Scene) -> Scene | None:
    """Return a scene as SetObjectPoses gives it back, or None if something would have another id or parent.

    The boxes of copies are then those of the first thing of their model, as a simulator knows no others.

    Args:
        room: The room as it is at first.
        scene: The same room with other items; nothing is held.
    """
    poses = [
        ItemPose(model_name(thing.kind, thing.asset), thing.position, thing.rotation)
        for thing in scene.objects
        if thing.traits.item
    ]
    after = {thing.object_id: thing for thing in restore(room, poses).objects}
    found = []
    for thing in scene.objects:
        now = after.get(thing.object_id)
        if now is None or (thing.traits.item and now.parents != thing.parents):
            return None
        found.append(replace(thing, centre=now.centre, size=now.size))
    return replace(scene, objects=tuple(found))
