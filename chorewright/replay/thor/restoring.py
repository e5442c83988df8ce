"""Start states that come out of SetObjectPoses as they went in: the same ids, the same parents.

A recorded start state tells positions only. What lies in what follows from them, so a thing must lie where its
receptacle is the one that its position tells of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chorewright.problems.thor.containment import is_receptacle
from chorewright.problems.thor.object_metadata import model_name
from chorewright.problems.thor.scene import Scene, SceneObject
from chorewright.replay.thor.poses import ItemPose, restore
from chorewright.replay.thor.resting import resting_place


def lies_as_told(thing: SceneObject, others: Sequence[SceneObject]) -> bool:
    """Return whether positions alone tell what a thing lies in, and still tell it of all that lies around it.

    Args:
        thing: An item with one parent, which is not among ``others``.
        others: Everything else in the room.
    """
    found = resting_place(thing, others)
    if (found.object_id,) != thing.parents if found is not None else bool(thing.parents):
        return False
    if not is_receptacle(thing):
        return True
    by_id = {other.object_id: other for other in others}
    for other in others:
        parents = [by_id[name] for name in other.parents if name in by_id]
        if other.traits.item and parents and resting_place(other, [*parents, thing]) is thing:
            return False
    return True


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
