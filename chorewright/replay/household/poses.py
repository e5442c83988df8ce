"""Items put at given poses: AI2-THOR's SetObjectPoses, and a recorded start state made a scene.

Such a list of (name, position, rotation) is the only state that ALFRED stores; what lies in what follows
from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import cos, radians, sin

from chorewright.problems.household.containment import PIECE, model_name
from chorewright.problems.household.kinds import Traits, shapes
from chorewright.problems.household.places import item_levels, resting_place
from chorewright.problems.household.scene import Scene, SceneObject, Vector
from chorewright.problems.household.spawn import object_id

UNKNOWN_SIZE: Vector = (0.1, 0.1, 0.1)
"""The box of an item of a kind that no room has."""

UPRIGHT = 20.0
"""Degrees of tilt up to which an item stands like its model."""

_NO_NAMES: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class ItemPose:
    """An item's name (``Mug_2a940808``: kind, then model), position in metres, rotation in degrees."""

    name: str
    position: Vector
    rotation: Vector


def restore(
    scene: Scene,
    poses: Iterable[ItemPose],
    names: Mapping[str, str] = _NO_NAMES,
    levels: Mapping[str, float] | None = None,
) -> Scene:
    """Return the scene with exactly one item per pose; every other item is gone, the fixtures stay.

    Args:
        scene: The room; an item of the same model, else of the same kind, lends its box and state.
        poses: Where the items are; what is there already keeps its id.
        names: Other names of kinds, as older simulators used them.
        levels: The heights on which things lie (``resting.item_levels``), if not as they do in the scene.

    Poses whose name is no known kind of item are left out.
    """
    fixtures = [body for body in scene.objects if not body.traits.item]
    models: dict[str, SceneObject] = {}
    for body in scene.objects:
        models.setdefault(body.kind, body)
        models.setdefault(model_name(body.kind, body.asset), body)
    there = {_place(body.kind, body.position): body.object_id for body in scene.objects}
    items: list[SceneObject] = []
    taken = {body.object_id for body in fixtures}
    for pose in poses:
        kind = kind_name(pose.name, names)
        if PIECE in pose.name:
            kind = scene.kinds[kind].piece or kind
        if not scene.kinds[kind].item:
            continue
        model = models.get(pose.name.split("(")[0]) or models.get(kind)
        name = there.get(_place(kind, pose.position), "")
        item = _item(scene.kinds[kind], pose, model, taken, name)
        taken.add(item.object_id)
        items.append(item)
    known = item_levels(scene.objects) if levels is None else levels
    return replace(scene, objects=tuple(fixtures + _lying(items, fixtures, known)), holding=None)


def kind_name(name: str, names: Mapping[str, str] = _NO_NAMES) -> str:
    """Return the kind that an item's name starts with."""
    word = name.split("_")[0].split("(")[0].split("|")[0]
    return names.get(word, word)


def _place(kind: str, position: Vector) -> tuple[str, float, float, float]:
    """Return a kind and where it is in whole centimetres: what is there already keeps its id."""
    x, y, z = (round(value, 2) for value in position)
    return kind, x, y, z


def _item(traits: Traits, pose: ItemPose, model: SceneObject | None, taken: set[str], known: str) -> SceneObject:
    kind = traits.name
    centre, size = _box(traits, pose, model)
    x, y, z = pose.position
    name = known or object_id(kind, pose.position)
    while name in taken:
        x += 0.01
        name = object_id(kind, (x, y, z))
    receptacle = traits.receptacle == "always"
    item = SceneObject(name, kind, pose.position, pose.rotation, centre, size, receptacle=receptacle, traits=traits)
    if model is None:
        return item
    state = replace(model.attributes, is_sliced=False)
    return replace(item, asset=model.asset, attributes=state)


def _box(traits: Traits, pose: ItemPose, model: SceneObject | None) -> tuple[Vector, Vector]:
    """Return the centre and size of an item's box: the model's, turned about the vertical.

    Where the model is tilted otherwise (a pen upright in a cup), the size is the middle one of the kind.
    """
    x, y, z = pose.position
    shape = shapes().get(traits.name)
    usual = traits.size or (shape.size if shape else None) or UNKNOWN_SIZE
    if model is None:
        return _round_off((x, y + usual[1] / 2, z)), usual
    tilted = any(_is_turned(pose.rotation[axis] - model.rotation[axis]) for axis in (0, 2))
    turn = radians(pose.rotation[1] - model.rotation[1])
    c, s = cos(turn), sin(turn)
    east, up, north = (model.centre[axis] - model.position[axis] for axis in range(3))
    width, height, depth = usual if tilted else model.size
    centre = (x + c * east + s * north, y + up, z - s * east + c * north)
    size = (abs(c) * width + abs(s) * depth, height, abs(s) * width + abs(c) * depth)
    return _round_off(centre), _round_off(size)


def _is_turned(degrees: float) -> bool:
    return abs((degrees + 180.0) % 360.0 - 180.0) > UPRIGHT


def _lying(items: list[SceneObject], fixtures: list[SceneObject], levels: Mapping[str, float]) -> list[SceneObject]:
    everything = fixtures + items
    result = []
    for item in items:
        parent = resting_place(item, everything, levels)
        result.append(replace(item, parents=(parent.object_id,) if parent else ()))
    return result


def _round_off(vector: Vector) -> Vector:
    return (round(vector[0], 4), round(vector[1], 4), round(vector[2], 4))


# Start states that come out of SetObjectPoses as they went in: the same ids and the same parents.
#
# A recorded start state tells positions only. What lies in what follows from them.


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
