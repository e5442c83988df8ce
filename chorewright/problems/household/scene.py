"""A scene: the value from which a simulator is set up and a planning problem's initial state is made."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import atan2, degrees, hypot

from chorewright.files.plugins import show_value
from chorewright.problems.household.houses.building import Building
from chorewright.problems.household.houses.house import GRID as GRID
from chorewright.problems.household.houses.house import Point as Point
from chorewright.problems.household.houses.house import Vector as Vector
from chorewright.problems.household.kinds import Kinds, Traits

APART = 0.4
"""Metres between the middles of two agents' bodies that touch."""

HOUSE = "house"
"""The ``room_kind`` of a scene of several rooms."""

GENERATED = "house:"
"""What names of generated houses begin with."""

LOWEST, HIGHEST = 60, -30
"""The camera's steepest looks down and up, in degrees."""

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""The steps (x, z) ahead by rotation: north, east, south, west."""

NOT_STORED = {"stored": False}
"""The metadata of fields that a dataset does not store with each scene."""

Rectangle = tuple[float, float, float, float]
"""Least x, greatest x, least z, greatest z, in metres."""


def is_house_name(name: str) -> bool:
    """Return whether a scene's name is that of a generated house."""
    return name.startswith(GENERATED)


@dataclass(frozen=True, slots=True, order=True)
class Pose:
    """Where the agent stands and looks.

    ``x`` and ``z`` are in units of ``GRID``; ``rotation`` is 0 north (+z), 1 east (+x), 2 south, 3 west;
    ``horizon`` is the camera's tilt in degrees, positive downwards, a multiple of 15 in [-30, 60].
    """

    x: int
    z: int
    rotation: int
    horizon: int

    @classmethod
    def nearest(cls, x: float, z: float, rotation: float, horizon: float) -> Pose:
        """Return the pose nearest to a place in units of ``GRID``, and a rotation and a tilt in degrees."""
        return cls(round(x), round(z), round(rotation / 90) % 4, nearest_tilt(horizon))


def facing(dx: float, dz: float) -> int:
    """Return the rotation towards (dx, dz) along the dominant axis; ties look north or south."""
    if abs(dz) >= abs(dx):
        return 0 if dz >= 0 else 2
    return 1 if dx > 0 else 3


def nearest_tilt(angle: float) -> int:
    """Return the nearest tilt of the camera that looks of 15 degrees reach."""
    return max(HIGHEST, min(LOWEST, 15 * round(angle / 15)))


def horizon_towards(camera_y: float, target_y: float, distance: float) -> int:
    """Return the tilt in steps of 15 degrees that brings a point at a horizontal distance to the middle."""
    return nearest_tilt(degrees(atan2(camera_y - target_y, distance)))


@dataclass(frozen=True, slots=True)
class Box:
    """An axis-aligned box of space, by its lowest and highest corner (x, y, z) in metres."""

    low: Vector
    high: Vector

    @classmethod
    def around(cls, centre: Vector, size: Vector) -> Box:
        """Return the box with a middle and sides."""
        (x, y, z), (dx, dy, dz) = centre, (side / 2 for side in size)
        return cls((x - dx, y - dy, z - dz), (x + dx, y + dy, z + dz))

    @classmethod
    def at(cls, point: Vector) -> Box:
        """Return the box of a point."""
        return cls(point, point)

    def join(self, other: Box) -> Box:
        """Return the smallest box around both."""
        low = tuple(map(min, self.low, other.low))
        high = tuple(map(max, self.high, other.high))
        return Box((low[0], low[1], low[2]), (high[0], high[1], high[2]))

    @property
    def centre(self) -> Vector:
        """The middle."""
        return ((self.low[0] + self.high[0]) / 2, (self.low[1] + self.high[1]) / 2, (self.low[2] + self.high[2]) / 2)

    def sides(self) -> Vector:
        """Return the lengths of its sides."""
        return (self.high[0] - self.low[0], self.high[1] - self.low[1], self.high[2] - self.low[2])

    def is_near(self, other: Box, gap: float) -> bool:
        """Return whether two boxes are no farther apart than a gap in metres along each axis."""
        return all(self.low[k] <= other.high[k] + gap and other.low[k] <= self.high[k] + gap for k in range(3))

    def gap(self, other: Box) -> float:
        """Return the free distance between two boxes on the floor plane."""
        return hypot(*(max(self.low[k] - other.high[k], other.low[k] - self.high[k], 0.0) for k in (0, 2)))

    def seen(self, pose: Pose) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the intervals that it takes to the right and ahead of a pose, in metres."""
        ahead_x, ahead_z = STEPS[pose.rotation]
        corners = [
            (x - pose.x * GRID, z - pose.z * GRID)
            for x in (self.low[0], self.high[0])
            for z in (self.low[2], self.high[2])
        ]
        rights = [x * ahead_z - z * ahead_x for x, z in corners]
        aheads = [x * ahead_x + z * ahead_z for x, z in corners]
        return (min(rights), max(rights)), (min(aheads), max(aheads))


@dataclass(frozen=True, slots=True)
class Attributes:
    """The part of an object's state that actions change, in AI2-THOR's terms.

    The second group is what the benchmarks' wrappers remember: ``cleaned``, ``heated`` and ``cooled`` are
    ALFRED's sets of object ids, the others TEACh's custom properties (``cooked`` by any heat source,
    ``boiled``, ``watered`` for "has held water", ``handled`` for "was picked up once", ``brewed`` for "filled
    by a coffee machine while empty").
    """

    is_open: bool = False
    is_toggled: bool = False
    is_dirty: bool = False
    is_broken: bool = False
    is_used_up: bool = False
    is_cooked: bool = False
    is_sliced: bool = False
    liquid: str | None = None  # "water", "coffee", "wine"
    temperature: str = "RoomTemp"  # "Hot", "Cold"
    cleaned: bool = False
    heated: bool = False
    cooled: bool = False
    cooked: bool = False
    boiled: bool = False
    watered: bool = False
    handled: bool = False
    brewed: bool = False


@dataclass(frozen=True, slots=True)
class SceneObject:
    """One object of a scene.

    ``object_id`` is AI2-THOR's (``Mug|+00.12|+00.93|-01.20``), ``kind`` its objectType. ``centre`` and
    ``size`` are its axis-aligned box. ``parents`` are the receptacles that hold it directly, ``controls``
    what a switch works on (stove knob: burner; faucet: basin). ``receptacle`` says of the kinds that hold
    things only sometimes whether this one does. ``traits`` are its kind's; they follow from the vocabulary, so
    a dataset does not store them with every object.
    """

    object_id: str
    kind: str
    position: Vector
    rotation: Vector
    centre: Vector
    size: Vector
    parents: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()
    asset: str = ""
    receptacle: bool = False
    attributes: Attributes = Attributes()
    traits: Traits = field(kw_only=True, hash=False, repr=False, metadata=NOT_STORED)

    @property
    def is_consumed(self) -> bool:
        """Whether it has been sliced: its pieces are there in its place, and it is only still told of."""
        return self.attributes.is_sliced

    @property
    def bottom(self) -> float:
        """The height of its box's underside."""
        return self.centre[1] - self.size[1] / 2

    @property
    def top(self) -> float:
        """The height of its box's upper side."""
        return self.centre[1] + self.size[1] / 2

    @property
    def footprint(self) -> Rectangle:
        """What its box covers on the floor."""
        (x, _, z), (width, _, depth) = self.centre, self.size
        return x - width / 2, x + width / 2, z - depth / 2, z + depth / 2


@dataclass(frozen=True, slots=True)
class Bystander:
    """Another agent than the one that acts, by its name in pictures (``agent_1``)."""

    name: str
    pose: Pose


@dataclass(frozen=True, slots=True)
class Scene:
    """A room or a house with everything in it, its navigable grid, and the agent's pose.

    ``holding`` is the id of the object in the agent's hand, which has no parents. A sliced item stays among the
    objects, ``consumed``, as AI2-THOR keeps it: it lies in nothing, is not seen and cannot be acted on. Its pieces
    ``<its id>|<Kind>Sliced_<k>`` lie in its place. ``kinds`` are all kinds that there may be, those of the objects'
    traits among them. ``bystanders`` are the agents besides the one that acts: nobody walks through them, and they
    hide what is behind them. ``building`` has the rooms and walls of a house; a room has none, its objects tell.
    """

    name: str
    room_kind: str  # kitchen, living_room, bedroom, bathroom, or house
    objects: tuple[SceneObject, ...]
    grid: tuple[Point, ...]
    agent_y: float
    agent: Pose
    dirty_and_empty: bool = False
    holding: str | None = None
    kinds: Kinds = field(kw_only=True, hash=False, repr=False, metadata=NOT_STORED)
    bystanders: tuple[Bystander, ...] = field(default=(), kw_only=True, metadata=NOT_STORED)
    building: Building | None = field(default=None, kw_only=True, hash=False, repr=False, metadata=NOT_STORED)

    def room_kinds(self) -> tuple[str, ...]:
        """Return the kinds of its rooms, each once."""
        return self.building.room_kinds if self.building is not None else (self.room_kind,)

    def kind_of_room(self, x: float, z: float) -> str:
        """Return the kind of the room of a place in metres; of a place in no room of a house, the scene's."""
        room = None if self.building is None else self.building.house.room_at(x, z)
        return self.room_kind if room is None else room.kind

    def taken(self) -> frozenset[Point]:
        """Return the standing points where a bystander's body is in the way."""
        return frozenset(point for each in self.bystanders for point in points_around(each.pose.x, each.pose.z))

    def __repr__(self) -> str:
        return f"Scene({self.name!r}: {self.room_kind}, {len(self.objects)} objects, {len(self.grid)} standing points)"

    def _repr_png_(self) -> object:
        """Return the map of the scene as a notebook shows it."""
        return show_value(self, "chorewright.interface.drawing:scene_png")


def points_around(x: float, z: float) -> frozenset[Point]:
    """Return the standing points where no second agent fits besides one that stands at a place.

    Args:
        x, z: The place, in units of ``GRID``.
    """
    steps = range(-2, 3)
    near = ((round(x) + dx, round(z) + dz) for dx in steps for dz in steps)
    return frozenset(point for point in near if hypot(point[0] - x, point[1] - z) * GRID < APART)
