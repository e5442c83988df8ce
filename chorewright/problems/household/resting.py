"""What an item lies in or on, judged from where it is: for start states that record only positions.

Tolerant of what recordings leave open: which model an item is, and furniture whose height has changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot, inf

from chorewright.problems.household.containment import is_receptacle
from chorewright.problems.household.scene import SceneObject
from chorewright.problems.household.shapes import shapes

SLACK = 0.03
"""Metres that a bottom may be off the surface it lies on, or below the bottom of what it lies in."""

FLOATING = 0.25
"""Metres that an item may float above a surface when nothing else carries it."""

OVERHANG = 0.04
"""Metres that the middle of an item may be beyond the edge of what it lies on."""

WALL = 0.02
"""Metres that the wall of a container is thick: the middle of an item is not in it."""

BESIDE = 0.02
"""Metres beyond a receptacle's box within which its items are near it."""

THIN = 0.15
"""Metres of a surface's height up to which all of it is the surface: a slab, nothing that stands on legs."""

FAR = 0.3
"""Metres from where things usually lie on furniture beyond which all heights suit it equally little."""

HANGING = 0.1
"""Metres between a hook or burner and the middle of what hangs or stands there."""


NO_LEVELS: Mapping[str, float] = {}
"""Nothing is known of where things lie in a room."""


def item_levels(objects: Sequence[SceneObject]) -> Mapping[str, float]:
    """Return the height on which the items of each receptacle lie, by its id: the middle one of their bottoms.

    A receptacle without items, or with items far from its box, is left out.
    """
    named = {thing.object_id: thing for thing in objects}
    bottoms: dict[str, list[float]] = {}
    for thing in objects:
        if thing.traits.item:
            for parent in thing.parents:
                bottoms.setdefault(parent, []).append(thing.centre[1] - thing.size[1] / 2)
    levels = {}
    for name, found in bottoms.items():
        middle, outer = sorted(found)[len(found) // 2], named.get(name)
        if outer is not None and abs(middle - outer.centre[1]) <= outer.size[1] / 2 + BESIDE:
            levels[name] = middle
    return levels


def resting_place(
    item: SceneObject, others: Sequence[SceneObject], levels: Mapping[str, float] = NO_LEVELS
) -> SceneObject | None:
    """Return the receptacle that an item lies in or on; at last the floor, if there is one.

    In turn: a hook or burner that has room for one thing of this kind; an open container or an appliance
    around it; the surface right below; a cupboard around it; a seat, shelf or lower surface that it floats
    above; a container that it floats above.

    Args:
        item: The item.
        others: What it may lie in or on, itself perhaps among it.
        levels: The heights on which things lie in this room, as far as they are known (``item_levels``).
    """
    best: tuple[float, float, str] | None = None
    found: SceneObject | None = None
    (x, _, z), (pivot_x, _, pivot_z) = item.centre, item.position
    for other in others:
        (middle_x, _, middle_z), (width, _, depth) = other.centre, other.size
        near = width / 2 + HANGING + OVERHANG
        if abs(x - middle_x) > near and abs(pivot_x - middle_x) > near:
            continue  # most are far away, which spares the rest
        near = depth / 2 + HANGING + OVERHANG
        if abs(z - middle_z) > near and abs(pivot_z - middle_z) > near:
            continue
        if other.object_id == item.object_id or not is_receptacle(other):
            continue
        cost = _cost(item, other, levels.get(other.object_id))
        if cost == inf:
            continue
        rank = (cost, other.size[0] * other.size[2], other.object_id)
        if best is None or rank < best:
            best, found = rank, other
    return found


def _cost(item: SceneObject, other: SceneObject, level: float | None) -> float:
    """Return how little a receptacle suits: whole numbers are the cases in ``resting_place``'s order."""
    kind = other.traits
    fits = other.kind in item.traits.fits
    bottom = item.centre[1] - item.size[1] / 2
    low, high = other.centre[1] - other.size[1] / 2, other.centre[1] + other.size[1] / 2
    if "single" in kind.roles and not fits:
        return inf
    if "single" in kind.roles and not kind.inside:
        return 0.0 if _hangs(item, other, bottom, low, high) else inf
    if not _over(item, other):
        return inf
    if _is_floor(other):
        return 9.0
    oddness = 0.0 if fits else 0.4
    if kind.inside:
        if not low - SLACK <= bottom <= high - SLACK:
            return 6.0 + oddness + bottom - high if high - SLACK < bottom <= high + FLOATING else inf
        cupboard = kind.closable and not kind.item and not {"heats", "chills"} & set(kind.roles)
        return (3.0 if cupboard else 1.0) + oddness
    gap = min((bottom - surface for surface in _surfaces(other, level)), key=abs)
    if abs(gap) <= SLACK:
        return 2.0 + oddness + round(abs(gap), 2)
    if low + 2 * SLACK <= bottom < high:
        return 4.0 + oddness + min(abs(bottom - _usual_surface(other, level)), FAR)
    return 5.0 + oddness + gap if 0 < gap <= FLOATING else inf


def _surfaces(other: SceneObject, level: float | None) -> tuple[float, ...]:
    """Return the heights at which things lie on a receptacle: its top, and the usual one of its kind.

    Of a slab that is thinner than it seems also its underside.
    """
    low, high = other.centre[1] - other.size[1] / 2, other.centre[1] + other.size[1] / 2
    slab = (low,) if other.size[1] <= THIN and not other.traits.item else ()
    return (high, _usual_surface(other, level), *slab)


def _usual_surface(other: SceneObject, level: float | None) -> float:
    """Return the height at which things lie on a receptacle, if it is known, or mostly do on its kind; else its top."""
    if level is not None:
        return level
    shape = shapes().get(other.kind)
    part = 1.0 if shape is None or shape.support is None else shape.support
    return other.centre[1] + (part - 0.5) * other.size[1]


def _hangs(item: SceneObject, other: SceneObject, bottom: float, low: float, high: float) -> bool:
    """Return whether an item, often larger than what holds it, is at a hook, hanger or burner."""
    apart = hypot(_nearest_gap(item, other, 0), _nearest_gap(item, other, 2))
    top = item.centre[1] + item.size[1] / 2
    return apart <= HANGING and bottom <= high + 2 * SLACK and top >= low - 2 * SLACK


def _nearest_gap(item: SceneObject, other: SceneObject, axis: int) -> float:
    """Return how far an item's pivot or middle, whichever is nearer, is from a middle along an axis."""
    return min(
        abs(item.centre[axis] - other.centre[axis]),
        abs(item.position[axis] - other.centre[axis]),
    )


def _over(item: SceneObject, other: SceneObject) -> bool:
    """Return whether an item is above or within a receptacle's area; handles do not count as area.

    What can hold things itself lies only in larger items, so that nothing lies in itself.
    """
    if not other.traits.item:
        beyond = -WALL if other.traits.inside else OVERHANG
        return all(abs(item.centre[axis] - other.centre[axis]) <= other.size[axis] / 2 + beyond for axis in (0, 2))
    ours, theirs = item.size[0] * item.size[2], other.size[0] * other.size[2]
    if ours >= (theirs if is_receptacle(item) else 4 * theirs):
        return False
    apart = hypot(item.position[0] - other.position[0], item.position[2] - other.position[2])
    return apart <= 0.45 * min(other.size[0], other.size[2])


def _is_floor(other: SceneObject) -> bool:
    """Return whether a surface is a room's floor."""
    return other.kind == "Floor"
