"""Containment: direct parents from AI2-THOR's lists of all parents and back, and the objects' metadata."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from chorewright.problems.household.kinds import Traits
from chorewright.problems.household.scene import GRID, Scene, SceneObject, Vector
from chorewright.problems.household.sight import floor_distance

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
    bottom = thing.bottom
    low, high = other.bottom, other.top
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
    bottom, low = thing.bottom, other.bottom
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


# The objects of a scene as metadata in AI2-THOR's schema; ``metadata`` is its inverse.


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


def with_carriers(objects: Sequence[SceneObject], ids: Collection[str]) -> list[SceneObject]:
    """Return items by their ids, and the items that they lie in or on; ids of nothing else."""
    named = {thing.object_id: thing for thing in objects if thing.traits.item}
    found: dict[str, SceneObject] = {}
    left = [name for name in ids if name in named]
    while left:
        name = left.pop(0)
        found[name] = named[name]
        left += [parent for parent in named[name].parents if parent in named and parent not in found]
    return list(found.values())


DOUBLE_SINK = 0.5
"""Metres between the second faucet of a sink and its basin."""


def switches_of(scene: Scene) -> dict[str, tuple[str, ...]]:
    """Return what each switch works on.

    Unless the scene says, each basin has its nearest faucet (TEACh); a faucet left without, the second of a
    double sink, works on the nearest basin (ALFRED). A house says it all: its basins may be far from any faucet.
    """
    switches = {body.object_id: body.controls for body in scene.objects if body.controls}
    faucets = [body for body in scene.objects if "rinses" in body.traits.roles]
    basins = [body for body in scene.objects if "drain" in body.traits.roles and is_receptacle(body)]
    told = {basin for faucet in faucets for basin in faucet.controls}
    for basin in basins:
        if faucets and basin.object_id not in told and scene.building is None:
            nearest = min(faucets, key=lambda faucet: math.dist(faucet.position, basin.position))
            switches[nearest.object_id] = (*switches.get(nearest.object_id, ()), basin.object_id)
    for faucet in faucets:
        x, _, z = faucet.centre
        close = [
            (floor_distance(x, z, basin.centre, basin.size), basin.size[0] * basin.size[2], basin.object_id)
            for basin in basins
            if faucet.object_id not in switches
        ]
        if close and min(close)[0] <= DOUBLE_SINK:
            switches[faucet.object_id] = (min(close)[2],)
    return switches
