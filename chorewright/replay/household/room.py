"""The changing state of a THOR room: where things are, what holds what, where the agent stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import cos, radians, sin
from typing import Any

from chorewright.problems.household.containment import switches_of
from chorewright.problems.household.free_space import AGENT_RADIUS
from chorewright.problems.household.houses.building import Segment
from chorewright.problems.household.houses.house import PASSABLE
from chorewright.problems.household.houses.standing import door_objects, in_doorway, shut_doors, swung
from chorewright.problems.household.kinds import Traits
from chorewright.problems.household.scene import GRID, Point, Pose, Scene, SceneObject, Vector
from chorewright.problems.household.sight import Planes, floor_distance, in_view, view_planes
from chorewright.replay.household import refusals
from chorewright.replay.household.sweep import Brick, displace, draw_back, place_in_hand


@dataclass(frozen=True, slots=True)
class RoomSettings:
    """How the agent sees, reaches and slices.

    Attributes:
        reach: Metres on the floor plane from the camera to the nearest point of an object's box.
        field_of_view: Degrees; ALFRED renders with 60, TEACh and AI2-THOR by default with 90.
        margin: Degrees beyond the edge of the picture in which a box still counts as seen, since real objects are
            smaller and lie otherwise in their boxes than we know.
        camera_height: Metres above the agent's pivot (ALFRED: 0.75).
        turn: Default degrees of RotateLeft and RotateRight.
        tilt: Default degrees of LookUp and LookDown (AI2-THOR 30, ALFRED 15).
        knife_to_slice: Whether slicing asks for something sharp in the hand, as ALFRED's and TEACh's
            wrappers do.
        any_tilt: Whether a teleport may tilt the camera beyond what looking up and down reach, as in AI2-THOR 2.
        first_piece: The number in the id of a sliced thing's first piece: 1 in AI2-THOR 2 (ALFRED), 0 from 3 on.
    """

    reach: float = 1.5
    field_of_view: float = 90.0
    margin: float = 5.0
    camera_height: float = 0.675
    turn: float = 90.0
    tilt: float = 30.0
    knife_to_slice: bool = True
    first_piece: int = 1
    any_tilt: bool = False


POINT: Vector = (0.0, 0.0, 0.0)
"""The size of a point."""

EASE = 0.1
"""Metres short of its reach within which the agent likes to put things."""

CLEAR = AGENT_RADIUS - 1e-6
"""Metres from furniture that has been moved within which nobody can stand."""

ALFRED_SETTINGS = RoomSettings(field_of_view=60.0, camera_height=0.75, tilt=15.0)
TEACH_SETTINGS = RoomSettings(field_of_view=90.0, tilt=30.0, first_piece=0)


class Room:
    """A scene that changes. Objects are replaced, never edited, so a scene taken from it stays as it was.

    ``x`` and ``z`` of the agent are in units of ``GRID``, ``rotation`` and ``horizon`` in degrees.
    ``stretched`` is how far the hand has been moved from where it usually is: right, up and ahead in metres.
    ``contents`` maps each receptacle to what lies directly in it, in order of arrival. ``grid`` is where
    nothing is put, for the agent stands there; ``walkable``, where it may go, can be more, and is less where
    other agents stand. ``carried`` are the objects in other agents' hands. ``doors`` are those of a house, which
    are no objects of the scene: no task is about them. ``building`` is the house as its doors are now, ``kept_out``
    the points of ``grid`` and of ``walkable`` that shut doors and furniture that has been moved take. ``sides`` are the
    walls of a room as far as they are known, ``openness`` how far things are open that are neither shut nor quite open.
    """

    __slots__ = (
        "building",
        "bystanders",
        "carried",
        "contents",
        "doors",
        "grid",
        "holding",
        "horizon",
        "kept_out",
        "objects",
        "openness",
        "origin",
        "rotation",
        "settings",
        "sides",
        "standing",
        "stretched",
        "switches",
        "walkable",
        "x",
        "z",
    )

    def __init__(self, scene: Scene, settings: RoomSettings) -> None:
        self.origin = scene
        self.settings = settings
        self.objects: dict[str, SceneObject] = {body.object_id: body for body in scene.objects}
        self.contents: dict[str, list[str]] = {}
        for body in scene.objects:
            for parent in body.parents:
                self.contents.setdefault(parent, []).append(body.object_id)
        self.grid = frozenset(scene.grid)
        self.bystanders = scene.bystanders
        self.carried: frozenset[str | None] = frozenset()
        self.walkable = self.grid - scene.taken()
        self.hold(scene.holding)
        self.place_agent(scene.agent)
        self.standing = True
        self.switches = switches_of(scene)
        self.building = scene.building
        self.openness: dict[str, float] = {}
        self.sides: tuple[Segment, ...] = ()
        self.doors: dict[str, SceneObject] = {}
        self.kept_out: dict[str, tuple[frozenset[Point], frozenset[Point]]] = {}
        if scene.building is not None:
            self.doors = {door.object_id: door for door in door_objects(scene.building)}
            self.grid |= frozenset(scene.building.beyond)
            self.walkable |= frozenset(scene.building.beyond)
            for door in shut_doors(scene.building.house):
                self._keep_out(door.opening_id, self._in_doorway(door.opening_id))

    # Looking things up.

    def find(self, object_id: str) -> SceneObject:
        """Return an object by its id.

        Raises:
            Refusal: There is no such object.
        """
        body = self.objects.get(object_id) or self.doors.get(object_id)
        if body is None:
            raise refusals.Refusal(refusals.UNKNOWN_OBJECT, what=object_id)
        return body

    def kind(self, object_id: str) -> Traits:
        return self.objects[object_id].traits

    def within(self, object_id: str) -> Iterator[str]:
        """Yield everything in or on an object, however deep, each once."""
        stack = list(reversed(self.contents.get(object_id, ())))
        seen = {object_id}
        while stack:
            inner = stack.pop()
            if inner not in seen:
                seen.add(inner)
                yield inner
                stack.extend(reversed(self.contents.get(inner, ())))

    def around(self, object_id: str) -> Iterator[str]:
        """Yield every receptacle that holds an object, however indirectly, each once, nearest first."""
        queue = list(self.objects[object_id].parents)
        seen: set[str] = set()
        for outer in queue:
            if outer not in seen and outer in self.objects:
                seen.add(outer)
                yield outer
                queue.extend(self.objects[outer].parents)

    def bricks(self, object_id: str, centre: Vector | None = None) -> list[Brick]:
        """Return the boxes of a thing and of all that it holds, as they are or with the thing's middle elsewhere."""
        by = (0.0, 0.0, 0.0) if centre is None else displace(centre, self.objects[object_id].centre, -1.0)
        return [Brick.of(self.objects[name], by) for name in (object_id, *self.within(object_id))]

    # The agent and its camera.

    def place_agent(self, pose: Pose) -> None:
        """Put the agent at a pose, whatever is there."""
        self.x: float = pose.x
        self.z: float = pose.z
        self.rotation: float = 90.0 * pose.rotation
        self.horizon: float = pose.horizon

    def pose(self) -> Pose:
        """Return the agent's pose, at the nearest standing point and quarter turn."""
        return Pose.nearest(self.x, self.z, self.rotation, self.horizon)

    def place(self) -> Vector:
        """Return the agent's position in metres."""
        return (self.x * GRID, self.origin.agent_y, self.z * GRID)

    def camera(self) -> Vector:
        """Return the camera's position in metres."""
        height = self.settings.camera_height if self.standing else 0.0
        return (self.x * GRID, self.origin.agent_y + height, self.z * GRID)

    def heading(self) -> tuple[float, float]:
        """Return the unit vector (x, z) of the direction that the agent faces."""
        turn = radians(self.rotation)
        return (sin(turn), cos(turn))

    def view(self, margin: float) -> Planes:
        """Return the planes that bound the present view, widened by a margin in degrees."""
        half = radians(min(max(self.settings.field_of_view / 2 + margin, 1.0), 89.0))
        return view_planes(self.rotation, self.horizon, sin(half), cos(half))

    def closed_around(self, object_id: str) -> str | None:
        """Return the closed receptacle that hides an object, if there is one."""
        for outer in self.around(object_id):
            if self.objects[outer].traits.closable and not self.objects[outer].attributes.is_open:
                return outer
        return None

    def visible(self, body: SceneObject) -> bool:
        """Return whether an object is in reach, in view and not shut in."""
        return body.object_id == self.holding or self.obstacle_to(body) is None

    def frames(self, point: Vector) -> bool:
        """Return whether a point is well in reach and in the picture, whatever may be around it."""
        return self.shows(point, POINT, -self.settings.margin, EASE)

    def shows(self, centre: Vector, size: Vector, margin: float, ease: float = 0.0) -> bool:
        """Return whether some of a box is in reach less metres and in the picture widened by degrees, hidden or not."""
        x, _, z = self.camera()
        return floor_distance(x, z, centre, size) <= self.settings.reach - ease and self.sees(centre, size, margin)

    def sees(self, centre: Vector, size: Vector, margin: float) -> bool:
        """Return whether some of a box is in the picture widened by degrees, however far, and no wall before it."""
        camera, building = self.camera(), self.building
        return in_view(self.view(margin), camera, centre, size) and (
            building is None or building.shows(camera[0], camera[2], centre, size)
        )

    def obstacle_to(self, body: SceneObject) -> tuple[refusals.RefusalReason, dict[str, object]] | None:
        """Return why an object cannot be seen and reached, or None if it can."""
        what: dict[str, object] = {"what": body.object_id}
        if body.is_consumed:
            return refusals.CONSUMED, what
        outer = self.closed_around(body.object_id) if body.parents else None
        if outer is not None:
            return refusals.SHUT_IN, what | {"where": outer}
        x, _, z = self.camera()
        metres = floor_distance(x, z, body.centre, body.size)
        if metres > self.settings.reach:
            return refusals.TOO_FAR, what | {"metres": round(metres, 2), "reach": self.settings.reach}
        return None if self.sees(body.centre, body.size, self.settings.margin) else (refusals.NOT_VISIBLE, what)

    def touch(self, object_id: str, forced: bool) -> SceneObject:
        """Return an object that the agent may act on.

        Args:
            object_id: The object's id.
            forced: AI2-THOR's ``forceAction``: any object will do, seen or not.

        Raises:
            Refusal: There is no such object, it has been sliced, or it is out of reach or view, or shut in.
        """
        body = self.find(object_id)
        if body.is_consumed:
            raise refusals.Refusal(refusals.CONSUMED, what=object_id)
        if not forced and object_id != self.holding:
            obstacle = self.obstacle_to(body)
            if obstacle is not None:
                raise refusals.Refusal(obstacle[0], **obstacle[1])
        return body

    # Changing things.

    def swing(self, door_id: str, openness: float) -> None:
        """Open a door of a house so far, or close it; one that is hardly open stops walking, view and reach.

        Raises:
            Refusal: Somebody stands in the doorway that is to be closed.
        """
        assert self.building is not None
        if openness <= PASSABLE:
            standing = {each.name: (each.pose.x, each.pose.z) for each in self.bystanders}
            for name, point in {"the agent": (round(self.x), round(self.z)), **standing}.items():
                if in_doorway(self.building.house, door_id, (point,)):
                    raise refusals.Refusal(refusals.IN_DOORWAY, what=door_id, where=name)
        self._let_in(door_id)
        if openness <= PASSABLE:
            self._keep_out(door_id, self._in_doorway(door_id))
        door = self.doors[door_id]
        self.doors[door_id] = replace(door, attributes=replace(door.attributes, is_open=openness > 0))
        self.building = swung(self.building, door_id, openness)

    def shift(self, object_id: str, centre: Vector) -> None:
        """Let a thing stand elsewhere, with everything in it; nobody can stand where furniture now does."""
        self.move(object_id, centre)
        body = self.objects[object_id]
        if not body.traits.item:
            self._let_in(object_id)
            ground = self.grid | self.walkable
            near = (p for p in ground if floor_distance(p[0] * GRID, p[1] * GRID, body.centre, body.size) < CLEAR)
            self._keep_out(object_id, frozenset(near))

    def _in_doorway(self, door_id: str) -> frozenset[Point]:
        assert self.building is not None
        return in_doorway(self.building.house, door_id, self.grid | self.walkable)

    def _keep_out(self, name: str, near: frozenset[Point]) -> None:
        """Let nobody stand at points, because of a door or a thing."""
        self.kept_out[name] = (self.grid & near, self.walkable & near)
        self.grid -= near
        self.walkable -= near

    def _let_in(self, name: str) -> None:
        """Undo it."""
        grid, walkable = self.kept_out.pop(name, (frozenset(), frozenset()))
        self.grid |= grid
        self.walkable |= walkable

    def change(self, object_id: str, **attributes: bool | str | None) -> None:
        """Replace attributes of an object."""
        body = self.objects[object_id]
        values: dict[str, Any] = attributes  # each has a type of its own, which its name tells
        self.objects[object_id] = replace(body, attributes=replace(body.attributes, **values))

    def attach(self, object_id: str, receptacle_id: str) -> None:
        """Let an object that lies nowhere lie in a receptacle."""
        self.objects[object_id] = replace(self.objects[object_id], parents=(receptacle_id,))
        self.contents.setdefault(receptacle_id, []).append(object_id)

    def detach(self, object_id: str) -> None:
        """Take an object out of whatever it lies in."""
        body = self.objects[object_id]
        for parent in body.parents:
            self.contents[parent].remove(object_id)
        self.objects[object_id] = replace(body, parents=())

    def move(self, object_id: str, centre: Vector) -> None:
        """Move an object's box, with everything in it, to a new centre."""
        old = self.objects[object_id].centre
        shift = (centre[0] - old[0], centre[1] - old[1], centre[2] - old[2])
        for moved in (object_id, *self.within(object_id)):
            body = self.objects[moved]
            self.objects[moved] = replace(
                body, centre=_shift(body.centre, shift), position=_shift(body.position, shift)
            )

    def consume(self, object_id: str) -> None:
        """Take a sliced object out of what it lies in; what it held lies nowhere."""
        self.detach(object_id)
        for inner in self.contents.pop(object_id, []):
            body = self.objects[inner]
            left = tuple(parent for parent in body.parents if parent != object_id)
            self.objects[inner] = replace(body, parents=left)
        self.change(object_id, is_sliced=True)

    def hand(self, size: Vector) -> Vector:
        """Return where the middle of a thing of a size is held: before the camera, low in its picture."""
        lens = radians(self.settings.field_of_view)
        return place_in_hand(self.camera(), radians(self.rotation), radians(self.horizon), lens, size, self.stretched)

    def grip(self, object_id: str) -> Vector:
        """Return where a thing is held: the hand draws it back to the agent before the walls of a house.

        Furniture does not stop what an agent carries, as it does not where clients force the moves of AI2-THOR's.
        """
        place = self.hand(self.objects[object_id].size)
        if self.building is None:
            return place
        start = (self.x * GRID, place[1], self.z * GRID)
        return draw_back(self.building.walls, self.bricks(object_id, start), start, place)

    def hold(self, object_id: str | None) -> None:
        """Let the hand, where it usually is, hold a thing or nothing."""
        self.holding, self.stretched = object_id, (0.0, 0.0, 0.0)

    def carry(self) -> None:
        """Bring what is held to where the hand is now."""
        if self.holding is not None:
            self.move(self.holding, self.grip(self.holding))

    def scene(self) -> Scene:
        """Return the present state; the agent is put on the nearest standing point and quarter turn."""
        self.carry()
        return replace(
            self.origin,
            objects=tuple(self.objects.values()),
            agent=self.pose(),
            holding=self.holding,
            bystanders=self.bystanders,
            building=self.building,
        )


def _shift(point: Vector, shift: Vector) -> Vector:
    return round(point[0] + shift[0], 4), round(point[1] + shift[1], 4), round(point[2] + shift[2], 4)
