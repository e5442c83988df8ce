"""A house as a scene: everything in it as objects, where one can stand, and the agent's pose.

What lies on what is as the house says it. Each room has a floor of its own, on which things can lie where a rectangle
in the room covers it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from chorewright.errors import InputError
from chorewright.problems.household.containment import is_receptacle, with_taps
from chorewright.problems.household.free_space import PIVOT, largest_component
from chorewright.problems.household.houses.assets import TurnedBox, assets, kind_of, thing_parts, turn_box
from chorewright.problems.household.houses.building import Building
from chorewright.problems.household.houses.house import GRID, House, HousePart, HouseRoom, HouseThing, Point, Vector
from chorewright.problems.household.houses.standing import all_open, shut_doors, standing_points
from chorewright.problems.household.kinds import Kinds, shipped_kinds
from chorewright.problems.household.scene import HOUSE, Attributes, Pose, Scene, SceneObject

ON_FLOOR = 0.05
"""Metres above the floor up to which the bottom of a thing stands on it."""

THICK = 0.1
"""Metres of a floor's box below the floor."""

NEAR = 0.02
"""Metres beyond a part's box in which a thing still lies in or on the part."""


def house_scene(house: House, name: str, kinds: Kinds | None = None) -> Scene:
    """Return the scene of a house.

    Things whose kind or size nobody knows are left out (``find_left_out``). Where ids repeat, the later things get a
    number. Places where one can stand are those that are connected with most others, and the agent starts at one of
    them.

    Args:
        house: The house.
        name: The scene's name.
        kinds: What its things are; the shipped kinds by default.

    Raises:
        InputError: Nobody can stand in the house.
    """
    kinds = kinds or shipped_kinds()
    points = standing_points(house, kinds)
    grid = largest_component(points.keys())
    if not grid:
        raise InputError(f"nobody can stand in the house {name}", hint="its things leave no room for an agent")
    floors = {room.room_id: _floor(room, kinds) for room in house.rooms}
    objects = _Furnishing(house, kinds, floors).objects()
    rooms = tuple(dict.fromkeys(room.kind for room in house.rooms))
    return Scene(
        name,
        rooms[0] if len(house.rooms) == 1 else HOUSE,
        (*floors.values(), *_with_taps(house, objects)),
        tuple(sorted(grid)),
        round(house.rooms[0].level + PIVOT, 3),
        _agent(house, grid),
        kinds=kinds,
        building=Building(replace(house, things=()), _beyond(house, kinds, grid)),
    )


def _beyond(house: House, kinds: Kinds, grid: set[Point]) -> tuple[Point, ...]:
    """Return the points to which one can walk besides if all doors are opened."""
    if not shut_doors(house):
        return ()
    return tuple(sorted(largest_component(standing_points(all_open(house), kinds).keys()) - grid))


def find_left_out(house: House) -> tuple[str, ...]:
    """Return the ids of the things that a house's scene is without: nobody knows their kind or size."""
    return tuple(
        thing.thing_id
        for thing in house.all_things()
        if kind_of(thing.asset, thing.thing_id) is None or turn_box(thing) is None
    )


def _agent(house: House, grid: set[Point]) -> Pose:
    """Return the agent's pose, at the nearest point where one can stand."""
    if house.agent is None:
        return Pose(*min(grid), 0, 30)
    x, _, z = house.agent.position
    spot = min(grid, key=lambda point: (math.dist(point, (x / GRID, z / GRID)), point))
    return Pose.nearest(*spot, house.agent.rotation[1], house.agent.horizon)


def _floor(room: HouseRoom, kinds: Kinds) -> SceneObject:
    """Return a room's floor; its box is the largest rectangle in the room, so that floors do not overlap."""
    west, south, east, north = largest_rectangle(room)
    middle = ((west + east) / 2, room.level, (south + north) / 2)
    return SceneObject(
        f"Floor|{room.room_id}",
        "Floor",
        middle,
        (0.0, 0.0, 0.0),
        (middle[0], room.level - THICK / 2, middle[2]),
        (round(east - west, 4), THICK, round(north - south, 4)),
        receptacle=True,
        traits=kinds["Floor"],
    )


def largest_rectangle(room: HouseRoom) -> tuple[float, float, float, float]:
    """Return the largest rectangle between a room's corners (west, south, east, north) that lies in the room."""
    xs, zs = (sorted({corner[axis] for corner in room.polygon}) for axis in (0, 1))
    best = (0.0, (xs[0], zs[0], xs[-1], zs[-1]))
    for west, east in combinations(xs, 2):
        for south, north in combinations(zs, 2):
            area = (east - west) * (north - south)
            if area <= best[0]:
                continue
            middles_x = [(a + b) / 2 for a, b in pairwise(xs) if west <= a and b <= east]
            middles_z = [(a + b) / 2 for a, b in pairwise(zs) if south <= a and b <= north]
            if all(room.contains(x, z) for x in middles_x for z in middles_z):
                best = (area, (west, south, east, north))
    return best[1]


@dataclass(slots=True)
class _Furnishing:
    """Makes the objects of a house, in the house's order."""

    house: House
    kinds: Kinds
    floors: dict[str, SceneObject]

    def objects(self) -> tuple[SceneObject, ...]:
        """Return all objects but the floors."""
        found = []
        for thing in self.house.things:
            found += list(self._standing(thing))
        return tuple(_rename(found))

    def _standing(self, thing: HouseThing) -> Iterator[SceneObject]:
        """Yield a thing that lies in or on nothing else, or on its room's floor, and all that it holds."""
        x, _, z = thing.position
        room, box = self.house.room_at(x, z), turn_box(thing)
        on_floor = room is not None and box is not None and box.bottom <= room.level + ON_FLOOR
        yield from self._of(thing, (self.floors[room.room_id].object_id,) if room is not None and on_floor else ())

    def _of(self, thing: HouseThing, parents: tuple[str, ...]) -> Iterator[SceneObject]:
        """Yield a thing, its parts, and what lies in or on them."""
        kind, box = kind_of(thing.asset, thing.thing_id), turn_box(thing)
        parts = [self._part(part) for part in thing_parts(thing)]
        whole = None if kind is None or box is None else self._whole(thing, kind, box, parents, bool(parts))
        yield from () if whole is None else (whole,)
        yield from parts
        for child in thing.children:
            holder = _holder(child, whole, parts)
            yield from self._of(child, (holder.object_id,) if holder is not None else ())

    def _whole(
        self, thing: HouseThing, kind: str, box: TurnedBox, parents: tuple[str, ...], parted: bool
    ) -> SceneObject:
        traits, asset = self.kinds[kind], assets().get(thing.asset)
        holds = asset is None or "Receptacle" in asset.properties
        return SceneObject(
            thing.thing_id,
            kind,
            thing.position,
            thing.rotation,
            box.centre,
            box.hull,
            parents,
            asset=thing.asset,
            receptacle=holds and not (parted and "drain" in traits.roles),
            attributes=Attributes(
                is_open=bool(thing.openness), is_toggled=bool(thing.is_on), is_dirty=bool(thing.is_dirty)
            ),
            traits=traits,
        )

    def _part(self, part: HousePart) -> SceneObject:
        box = TurnedBox(part.position, part.size, part.yaw % 360)
        return SceneObject(
            part.part_id,
            part.kind,
            part.position,
            (0.0, part.yaw, 0.0),
            part.position,
            box.hull,
            controls=part.controls,
            receptacle=True,
            traits=self.kinds[part.kind],
        )


def _holder(child: HouseThing, whole: SceneObject | None, parts: Sequence[SceneObject]) -> SceneObject | None:
    """Return what holds a thing: the part that the house names, else the smallest part around it, else the whole."""
    named = [part for part in parts if part.object_id == child.within]
    around = sorted((part for part in parts if is_receptacle(part) and _is_in(child.position, part)), key=_volume)
    found = [*named, *around, *([whole] if whole is not None and is_receptacle(whole) else [])]
    return found[0] if found else None


def _is_in(place: Vector, part: SceneObject) -> bool:
    return all(abs(place[axis] - part.centre[axis]) <= part.size[axis] / 2 + NEAR for axis in range(3))


def _volume(thing: SceneObject) -> float:
    return math.prod(thing.size)


def _rename(objects: Sequence[SceneObject]) -> Iterator[SceneObject]:
    """Yield the objects; of those with the same id the second gets ``#2`` and so on.

    What lies in one of them is among the children of its own: it follows right after, and gets the new name too.
    """
    counts: Counter[str] = Counter()
    names: dict[str, str] = {}
    for thing in objects:
        counts[thing.object_id] += 1
        number = counts[thing.object_id]
        names[thing.object_id] = thing.object_id if number == 1 else f"{thing.object_id}#{number}"
        yield replace(
            thing, object_id=names[thing.object_id], parents=tuple(names.get(name, name) for name in thing.parents)
        )


def _with_taps(house: House, objects: Sequence[SceneObject]) -> tuple[SceneObject, ...]:
    """Return the objects with each basin controlled by the nearest tap in its room."""
    rooms = [house.room_at(thing.centre[0], thing.centre[2]) for thing in objects]
    told: dict[str, SceneObject] = {}
    for room in house.rooms:
        inside = [thing for thing, where in zip(objects, rooms, strict=True) if where is room]
        told.update((thing.object_id, thing) for thing in with_taps(inside))
    return tuple(told.get(thing.object_id, thing) for thing in objects)
