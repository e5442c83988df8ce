"""The objects of a scene as metadata in AI2-THOR's schema; ``metadata`` is its inverse."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence

from chorewright.problems.household.containment import ancestors, contents, is_receptacle
from chorewright.problems.household.scene import GRID, Scene, SceneObject, Vector

Records = dict[str, tuple[SceneObject, Mapping[str, object]]]
"""Objects by id, each with its metadata as it was when it was last told."""


def objects_metadata(scene: Scene, kept: Records | None = None) -> list[dict[str, object]]:
    """Return the scene's objects in AI2-THOR's metadata schema, parents and contents closed transitively.

    ``visible``, ``isInteractable`` and ``distance`` (to the agent's pivot) are filled in as far as geometry
    alone tells: a simulator overrides the first two.

    Args:
        scene: The scene.
        kept: What was told of another scene; objects that are the same are not described anew.
    """
    parents = {thing.object_id: thing.parents for thing in scene.objects}
    children = contents(scene.objects, deep=True)
    eye = (scene.agent.x * GRID, scene.agent_y, scene.agent.z * GRID)
    held = scene.holding
    found = []
    for thing in scene.objects:
        name = thing.object_id
        known = kept.get(name) if kept is not None else None
        own = known[1] if known is not None and known[0] is thing else None
        record = object_metadata(thing, ancestors(name, parents), children[name], eye, name == held, own)
        if kept is not None and own is None:
            kept[name] = thing, record
        found.append(record)
    return found


def object_metadata(
    thing: SceneObject,
    parents: Sequence[str],
    children: Sequence[str],
    eye: Vector,
    held: bool = False,
    own: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """Return one object's metadata; ``parents`` are around it, ``children`` are inside it.

    ``own`` is its metadata elsewhere, if it is known: only what others have to do with it is told anew.
    """
    found = _own_metadata(thing) if own is None else dict(own)
    found["distance"] = math.dist(thing.position, eye)
    found["receptacleObjectIds"] = list(children) if found["receptacle"] else None
    found["parentReceptacles"] = list(parents) or None
    found["isPickedUp"] = held
    return found


def _own_metadata(thing: SceneObject) -> dict[str, object]:
    """Return one object's metadata in AI2-THOR's order, without what others have to do with it."""
    kind, state = thing.traits, thing.attributes
    affords = kind.affordances
    return {
        "name": _name(thing),
        "objectId": thing.object_id,
        "objectType": thing.kind,
        "assetId": thing.asset,
        "position": _axes(thing.position),
        "rotation": _axes(thing.rotation),
        "visible": False,
        "isInteractable": False,
        "distance": 0.0,
        "receptacle": is_receptacle(thing),
        "receptacleObjectIds": None,
        "parentReceptacles": None,
        "controlledObjects": list(thing.controls) or None,
        "pickupable": kind.item,
        "isPickedUp": False,
        "moveable": "moveable" in affords,
        "isMoving": False,
        "openable": "openable" in affords,
        "isOpen": state.is_open,
        "openness": 1.0 if state.is_open else 0.0,
        "toggleable": "toggleable" in affords,
        "isToggled": state.is_toggled,
        "sliceable": "sliceable" in affords,
        "isSliced": state.is_sliced,
        "cookable": "cookable" in affords,
        "isCooked": state.is_cooked,
        "dirtyable": "dirtyable" in affords,
        "isDirty": state.is_dirty,
        "breakable": "breakable" in affords,
        "isBroken": state.is_broken,
        "canFillWithLiquid": "fillable" in affords,
        "isFilledWithLiquid": state.liquid is not None,
        "fillLiquid": state.liquid,
        "canBeUsedUp": "usable" in affords,
        "isUsedUp": state.is_used_up,
        "isHeatSource": "heat_source" in affords,
        "isColdSource": "cold_source" in affords,
        "temperature": state.temperature,
        "mass": 0.0,
        "salientMaterials": None,
        "axisAlignedBoundingBox": {
            "center": _axes(thing.centre),
            "size": _axes(thing.size),
            "cornerPoints": [list(corner) for corner in _corners(thing)],
        },
        "objectOrientedBoundingBox": None,
    }


PIECE = "_Slice_"
"""What the names of pieces have between the whole's name and their number."""


def model_name(kind: str, asset: str) -> str:
    """Return ``<Kind>_<8 hex>``, the same for all copies of one model, as AI2-THOR's names of items are."""
    return f"{kind}_{hashlib.sha256(f'{kind}:{asset}'.encode()).hexdigest()[:8]}"


def piece_number(object_id: str) -> str:
    """Return the number that ends a piece's id (``Apple|..|AppleSliced_1``), else nothing."""
    name, _, number = object_id.partition("|")[2].rpartition("|")[2].rpartition("_")
    return number if name and number.isdecimal() else ""


def _name(thing: SceneObject) -> str:
    """Return the name by which an object's start can be told whatever its place: SetObjectPoses takes it.

    The pieces of a sliced thing are named after it (``Apple_2a940808_Slice_1``), as in AI2-THOR: existing code
    knows them by that.
    """
    number = piece_number(thing.object_id) if thing.traits.item else ""
    if number:
        return f"{model_name(thing.object_id.partition('|')[0], thing.asset)}{PIECE}{number}"
    if thing.asset and thing.traits.item:
        return model_name(thing.kind, thing.asset)
    return thing.object_id.replace("|", "_")


def _corners(thing: SceneObject) -> list[Vector]:
    """Return the eight corners of an object's box, in AI2-THOR's order."""
    (x, y, z), (width, height, depth) = thing.centre, thing.size
    return [
        (x + sx * width / 2, y + sy * height / 2, z + sz * depth / 2)
        for sx in (1, -1)
        for sy in (1, -1)
        for sz in (1, -1)
    ]


def _axes(vector: Vector) -> dict[str, float]:
    x, y, z = vector
    return {"x": x, "y": y, "z": z}
