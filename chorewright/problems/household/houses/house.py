"""A house as a value: rooms, walls as segments with holes, doors and windows, and things that may be turned.

The format is that of ProcTHOR (Deitke et al., 2022) in schema 1.0.0, which AI2-THOR 5 builds by ``CreateHouse``. Every
part has a ``rest``: the members of its record that chorewright has no use for, which are written as they were read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import dist
from typing import TypeAlias

from chorewright.files.json_source import JsonValue

# Places: metres and the grid.


GRID = 0.25
"""Metres between neighbouring standing points."""

Vector: TypeAlias = tuple[float, float, float]
"""x (east), y (up), z (north), in metres; or degrees about these axes."""

Point: TypeAlias = tuple[int, int]
"""A standing point (x, z) in units of ``GRID``."""


Corner: TypeAlias = tuple[float, float]
"""x (east) and z (north), in metres."""

Rest: TypeAlias = Mapping[str, JsonValue]

ROOM_TYPES = {"Kitchen": "kitchen", "LivingRoom": "living_room", "Bedroom": "bedroom", "Bathroom": "bathroom"}
"""Our words for ProcTHOR's four types of rooms."""

PASSABLE = 0.5
"""How far, from 0 to 1, a door is open at most that lets nobody through."""

EXTERIOR = "exterior"
"""The ``room_id`` of walls that face outwards."""


@dataclass(frozen=True, slots=True)
class Material:
    """What a floor, wall or ceiling is made of, with red, green and blue (and alpha) from 0 to 1 where given."""

    name: str
    color: tuple[float, ...] | None = None
    rest: Rest = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class HouseRoom:
    """A room of a house.

    ``kind`` is kitchen, living_room, bedroom or bathroom. ``polygon`` has the floor's corners in their order, without
    the first one again; there may be corners on a straight line. ``level`` is the floor's height.
    """

    room_id: str
    kind: str
    polygon: tuple[Corner, ...]
    floor: Material
    level: float = 0.0
    rest: Rest = field(default_factory=dict, hash=False)

    @property
    def area(self) -> float:
        """The floor's area in square metres."""
        return abs(area_with_sign(self.polygon))

    def contains(self, x: float, z: float) -> bool:
        """Return whether a place lies on the room's floor; of places on the edge, either may come out."""
        inside = False
        for (x0, z0), (x1, z1) in edges(self.polygon):
            if (z0 > z) != (z1 > z) and x < x0 + (z - z0) / (z1 - z0) * (x1 - x0):
                inside = not inside
        return inside


@dataclass(frozen=True, slots=True)
class Wall:
    """One side of a wall: a segment on the plan, from ``bottom`` to ``top``.

    Between two rooms there are two walls, one for each. An ``empty`` wall is none: the rooms are open to each other.
    """

    wall_id: str
    room_id: str
    start: Corner
    end: Corner
    bottom: float
    top: float
    material: Material | None = None
    empty: bool | None = None
    rest: Rest = field(default_factory=dict, hash=False)

    @property
    def length(self) -> float:
        """Metres from start to end."""
        return dist(self.start, self.end)

    def at(self, metres: float) -> Corner:
        """Return the place so many metres from its start, to a tenth of a millimetre."""
        share = metres / self.length
        (x0, z0), (x1, z1) = self.start, self.end
        return round(x0 + share * (x1 - x0), 4), round(z0 + share * (z1 - z0), 4)

    @property
    def exterior(self) -> bool:
        """Whether it faces outwards."""
        return self.room_id == EXTERIOR or self.wall_id.split("|")[1:2] == [EXTERIOR]


@dataclass(frozen=True, slots=True)
class Opening:
    """A door or a window.

    ``rooms`` and ``walls`` are the ids of those that it joins; a door to the outside names its room twice. ``low`` and
    ``high`` are the corners of its hole and ``position`` the middle of its asset, in the frame of the first wall: x
    metres from the wall's start, y metres up. Frames without a leaf are neither ``openable`` nor have an ``openness``
    (0 shut to 1 open).
    """

    opening_id: str
    asset: str
    rooms: tuple[str, ...]
    walls: tuple[str, ...]
    low: Vector
    high: Vector
    position: Vector
    openable: bool | None = None
    openness: float | None = None
    rest: Rest = field(default_factory=dict, hash=False)

    @property
    def outside(self) -> bool:
        """Whether it joins a room and the outside."""
        return len(set(self.rooms)) == 1

    @property
    def passable(self) -> bool:
        """Whether one can walk through as it stands: it is a frame, or more open than shut."""
        return self.openness is None or self.openness > PASSABLE


@dataclass(frozen=True, slots=True)
class HousePart:
    """A part of a thing that tasks handle by itself: a drawer, a basin, a burner, a knob, a cabinet.

    AI2-THOR makes parts from the asset, or has none; it does not read this member of the file.

    Attributes:
        part_id: Its id, which is that of no other part or thing of the house.
        kind: AI2-THOR's objectType (``Drawer``).
        position: The middle of its box, in the house.
        size: Its box before it is turned, in metres.
        yaw: Degrees about y, clockwise from above; its front looks to its own +z, which is north at 0.
        controls: Ids of the parts that it switches: a knob's burner, a tap's basin.
    """

    part_id: str
    kind: str
    position: Vector
    size: Vector
    yaw: float = 0.0
    controls: tuple[str, ...] = ()
    rest: Rest = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class HouseThing:
    """A thing: an asset at a place, with its parts and with what lies on or in it.

    ``position`` is the middle of the asset's box, ``rotation`` the angles about x, y and z in degrees. ``within`` is
    the id of the part of its parent that the thing lies in or on. A thing without ``parts`` has those that its asset
    is known to have.
    """

    thing_id: str
    asset: str
    position: Vector
    rotation: Vector
    kinematic: bool = False
    openness: float | None = None
    is_on: bool | None = None
    is_dirty: bool | None = None
    children: tuple[HouseThing, ...] = ()
    rest: Rest = field(default_factory=dict, hash=False)
    parts: tuple[HousePart, ...] = ()
    within: str | None = None

    def walk(self) -> Iterator[HouseThing]:
        """Yield the thing, and all that lies on or in it."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class AgentStart:
    """Where the agent starts: its position, its rotation in degrees, and the camera's tilt (positive downwards)."""

    position: Vector
    rotation: Vector
    horizon: float
    standing: bool | None = None
    rest: Rest = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Hole:
    """A hole in a wall: metres from the wall's start and above the wall's bottom."""

    opening_id: str
    left: float
    right: float
    bottom: float
    top: float


@dataclass(frozen=True, slots=True)
class House:
    """A whole house.

    ``things`` are those that stand on the floor or hang at walls; what lies on them is among their children.
    ``parameters`` are the file's ``proceduralParameters`` (ceiling, lights, sky), ``metadata`` its metadata without
    agent and schema, and ``rest`` its other members.
    """

    rooms: tuple[HouseRoom, ...]
    walls: tuple[Wall, ...]
    doors: tuple[Opening, ...] = ()
    windows: tuple[Opening, ...] = ()
    things: tuple[HouseThing, ...] = ()
    agent: AgentStart | None = None
    parameters: Rest = field(default_factory=dict, hash=False)
    metadata: Rest = field(default_factory=dict, hash=False)
    rest: Rest = field(default_factory=dict, hash=False)

    def all_things(self) -> Iterator[HouseThing]:
        """Yield all things, each before what lies on it."""
        for thing in self.things:
            yield from thing.walk()

    def room_at(self, x: float, z: float) -> HouseRoom | None:
        """Return the room on whose floor a place lies, None outside."""
        return next((room for room in self.rooms if room.contains(x, z)), None)

    def holes(self, wall: Wall) -> tuple[Hole, ...]:
        """Return the holes of doors and windows in a wall.

        A hole is given in the frame of the opening's first wall; the second one runs the other way, as a rule.
        """
        starts = {each.wall_id: each.start for each in self.walls}
        found = []
        for each in (*self.doors, *self.windows):
            if wall.wall_id not in each.walls:
                continue
            left, right = each.low[0], each.high[0]
            first = starts[each.walls[0]]
            if dist(first, wall.start) > dist(first, wall.end):
                left, right = wall.length - right, wall.length - left
            found.append(Hole(each.opening_id, left, right, each.low[1], each.high[1]))
        return tuple(found)


def edges(polygon: tuple[Corner, ...]) -> Iterator[tuple[Corner, Corner]]:
    """Yield each corner and the next one, round about."""
    return zip(polygon, (*polygon[1:], *polygon[:1]), strict=True)


def area_with_sign(polygon: tuple[Corner, ...]) -> float:
    """Return the area in square metres, negative if the corners run clockwise (seen from above, z up)."""
    return sum(x0 * z1 - x1 * z0 for (x0, z0), (x1, z1) in edges(polygon)) / 2
