"""Sight: what is in view and in reach of a pose, where to stand for a thing, and from where each is handled."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from chorewright.jit.kernels import njit
from chorewright.problems.household.navigation import LOOK, MOST_POSES, Grid
from chorewright.problems.household.scene import (
    GRID,
    LOWEST,
    STEPS,
    Point,
    Pose,
    Scene,
    SceneObject,
    Vector,
    facing,
    horizon_towards,
    nearest_tilt,
)

CAMERA = 0.75
"""Metres from the agent's pivot to its camera, as ALFRED sets it up."""
REACH = 1.45
"""Metres on the floor plane within which a stand pose must bring its thing."""
HALF_VIEW = math.tan(math.radians(30.0))
"""Half the width of ALFRED's square picture at unit distance."""
FARTHEST = 1.5
"""AI2-THOR's visibility distance."""
WIDE_VIEW = 1.0
"""The same for 90 degrees."""
TOO_NEAR = 0.5
"""Metres from the camera below which ALFRED's agent steps back."""
BESIDE = 0.35
"""Metres from the face of a surface at which to stand."""
BEFORE_DOOR = 0.65
"""Metres from the face of a thing with a door at which to stand, out of the door's way."""

Planes: TypeAlias = tuple[Vector, ...]
"""Inward normals of the planes through the camera that bound its view."""


@lru_cache(maxsize=1024)
def view_planes(rotation: float, horizon: float, ahead: float, aside: float = 1.0) -> Planes:
    """Return the four side planes of a square view.

    Args:
        rotation: Degrees about the vertical; 0 looks along +z, 90 along +x.
        horizon: Degrees below the horizontal.
        ahead, aside: The view's half width at a distance of ``aside``; sine and cosine of half its angle do, too.
    """
    turn, tilt = math.radians(rotation), math.radians(horizon)
    forward = (math.sin(turn) * math.cos(tilt), -math.sin(tilt), math.cos(turn) * math.cos(tilt))
    right = (math.cos(turn), 0.0, -math.sin(turn))
    up = (math.sin(turn) * math.sin(tilt), math.cos(tilt), math.cos(turn) * math.sin(tilt))
    return tuple(
        (
            forward[0] * ahead + sign * side[0] * aside,
            forward[1] * ahead + sign * side[1] * aside,
            forward[2] * ahead + sign * side[2] * aside,
        )
        for side in (right, up)
        for sign in (1.0, -1.0)
    )


def in_view(planes: Planes, camera: Vector, centre: Vector, size: Vector) -> bool:
    """Return whether no plane of the view has the whole box outside; a box around the camera is in view."""
    x, y, z = centre[0] - camera[0], centre[1] - camera[1], centre[2] - camera[2]
    half_x, half_y, half_z = size[0] / 2, size[1] / 2, size[2] / 2
    return all(a * x + b * y + c * z + abs(a) * half_x + abs(b) * half_y + abs(c) * half_z >= 0 for a, b, c in planes)


def floor_distance(x: float, z: float, centre: Vector, size: Vector) -> float:
    """Return the distance on the floor plane from a place to the nearest point of a box, in metres."""
    dx = max(abs(centre[0] - x) - size[0] / 2, 0.0)
    dz = max(abs(centre[2] - z) - size[2] / 2, 0.0)
    return math.hypot(dx, dz)


def sees(pose: Pose, agent_y: float, target: Vector, half_view: float = HALF_VIEW) -> bool:
    """Return whether a point is within the square view of the camera."""
    x, y, z = pose.x * GRID, agent_y + CAMERA, pose.z * GRID
    turn, tilt = math.radians(90 * pose.rotation), math.radians(pose.horizon)
    dx, dy, dz = target[0] - x, target[1] - y, target[2] - z
    side = dx * math.cos(turn) - dz * math.sin(turn)
    ahead = dx * math.sin(turn) + dz * math.cos(turn)
    depth = ahead * math.cos(tilt) - dy * math.sin(tilt)
    height = ahead * math.sin(tilt) + dy * math.cos(tilt)
    return depth > 0.0 and abs(height) <= depth * half_view and abs(side) <= depth * half_view


def reaches(pose: Pose, agent_y: float, centre: Vector, size: Vector) -> bool:
    """Return whether a box is within reach and its centre in view."""
    return floor_distance(pose.x * GRID, pose.z * GRID, centre, size) <= REACH and sees(pose, agent_y, centre)


def touches(pose: Pose, agent_y: float, centre: Vector, size: Vector, view: float = WIDE_VIEW) -> bool:
    """Return whether an agent there can handle a box at all: near enough, and partly before the camera.

    Wider than ``reaches``: AI2-THOR's 1.5 m, and 45 degrees to each side of what is looked at.
    """
    x, y, z = pose.x * GRID, agent_y + CAMERA, pose.z * GRID
    if floor_distance(x, z, centre, size) > FARTHEST:
        return False
    offset = (centre[0] - x, centre[1] - y, centre[2] - z)
    return all(
        sum(a * b + abs(a) * length / 2 for a, b, length in zip(inward, offset, size, strict=True)) >= 0
        for inward in view_planes(90.0 * pose.rotation, float(pose.horizon), view)
    )


def handles(scene: Scene, pose: Pose, thing: SceneObject, view: float = WIDE_VIEW) -> bool:
    """Return whether an agent there can handle a thing of a scene: it ``touches`` it, and no wall is between them."""
    if not touches(pose, scene.agent_y, thing.centre, thing.size, view):
        return False
    return scene.building is None or scene.building.shows(pose.x * GRID, pose.z * GRID, thing.centre, thing.size)


def item_pose(grid: Grid, agent_y: float, position: Vector) -> Pose | None:
    """Return the demonstrations' stand pose for a thing at a position (ALFRED's ``get_obj_coords``).

    The nearest standing point that no wall parts from the thing; the rotation along the dominant axis; if the camera
    would be nearer than half a metre, one step back where the grid allows; the horizon towards the thing. None without
    such points.
    """
    x, y, z = position
    spot = grid.nearest(x, z)
    if spot is None:
        return None
    dx, dz = x - spot[0] * GRID, z - spot[1] * GRID
    rotation = facing(dx, dz)
    if math.sqrt(dx * dx + dz * dz + (agent_y + CAMERA - y) ** 2) < TOO_NEAR:
        back = (spot[0] - STEPS[rotation][0], spot[1] - STEPS[rotation][1])
        if back in grid and grid.is_open(back, x, z):
            spot = back
            dx, dz = x - spot[0] * GRID, z - spot[1] * GRID
    return Pose(*spot, rotation, horizon_towards(agent_y + CAMERA, y, max(abs(dx), abs(dz))))


def poses_around(grid: Grid, agent_y: float, thing: SceneObject) -> list[Pose]:
    """Return poses that reach a thing with its middle in view, the nearest first; of each point one."""
    x, y, z = thing.centre
    found = []
    for point in _gaps(grid, thing.centre, thing.size):
        dx, dz = x - point[0] * GRID, z - point[1] * GRID
        pose = Pose(*point, facing(dx, dz), horizon_towards(agent_y + CAMERA, y, max(abs(dx), abs(dz))))
        if reaches(pose, agent_y, thing.centre, thing.size):
            found.append((round(abs(dx) + abs(dz), 6), pose))
    return [pose for _, pose in sorted(found)]


def stand_pose(scene: Scene, grid: Grid, thing: SceneObject) -> Pose | None:
    """Return where to stand to see and reach a thing, or None if there is no such place.

    Items, and fixtures that hold nothing (lamps): ALFRED's policy, where that reaches the thing; else the
    best place that does. Receptacles: the best place before the face that one can stand at.
    """
    kind = thing.traits
    if kind.item or not kind.receptacle:
        pose = item_pose(grid, scene.agent_y, thing.position)
        if pose is not None and reaches(pose, scene.agent_y, thing.centre, thing.size):
            return pose
    return fixture_pose(grid, scene.agent_y, thing)


def fixture_pose(grid: Grid, agent_y: float, thing: SceneObject) -> Pose | None:
    """Return the best place to stand before a box, or None if it is out of reach from everywhere.

    Good places are close (further off where a door opens), before the middle, and on the side that the
    thing's front turns to; the spot looked at must be in the middle of ALFRED's view, 60 degrees wide.
    """
    kind = thing.traits
    yaw = round(thing.rotation[1] / 90) % 4 if kind.closable and kind.roles & _FRONTED else None
    key = (agent_y, thing.position, thing.centre, thing.size, kind.closable, kind.inside, yaw)
    kept = grid.poses.get(key)
    if kept is None:
        if len(grid.poses) >= MOST_POSES:
            grid.poses.clear()
        kept = grid.poses[key] = (_fixture_pose(grid, *key),)
    return kept[0]


_FRONTED = frozenset(("chills", "heats"))
"""Roles of things whose yaw says where their front is; of cabinets and drawers it does not."""


def _fixture_pose(
    grid: Grid,
    agent_y: float,
    position: Vector,
    centre: Vector,
    size: Vector,
    door: bool,
    inside: bool,
    yaw: int | None,
) -> Pose | None:
    gaps = _gaps(grid, centre, size)
    if not door and min(gaps.values(), default=1.0) == 0.0:
        # One can stand within the box, as of an L-shaped counter: its own position shows where it is.
        centre, size = (position[0], centre[1], position[2]), (0.2, size[1], 0.2)
        gaps = _gaps(grid, centre, size)
        if not any(gap <= REACH for gap in gaps.values()):
            # The floor: it is everywhere, even where its own position is not.
            spot = grid.nearest(position[0], position[2])
            if spot is None:
                return None
            return Pose(*spot, facing(position[0] - spot[0] * GRID, position[2] - spot[1] * GRID), LOWEST)
    near = [point for point, gap in gaps.items() if gap <= REACH]
    front = yaw if yaw is not None else (_front(near, centre, size) if door else None)
    for place in _spots(near, centre, size, door, front):
        pose, target = _looking(place, agent_y, centre, size, inside)
        if sees(pose, agent_y, target):
            return pose
    return None


def _gaps(grid: Grid, centre: Vector, size: Vector) -> dict[Point, float]:
    """Return the standing points within reach of a box, and a few more at its corners, with their distances from it."""
    reach = REACH + 1e-6
    around = grid.within(centre[0], centre[2], size[0] / 2 + reach, size[2] / 2 + reach)
    return {(x, z): floor_distance(x * GRID, z * GRID, centre, size) for x, z in around}


Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_Spot = tuple[float, int, int, int, float, float]
"""What a place to stand costs, the place, the rotation, and metres to what is looked at, ahead and aside."""


def _spots(points: list[Point], centre: Vector, size: Vector, door: bool, front: int | None) -> list[_Spot]:
    """Return places before a box, with each rotation that has it ahead, the best first."""
    if not points:
        return []
    beside = BEFORE_DOOR if door else BESIDE
    found = _measure(np.array(points, np.int64), *centre[::2], *size[::2], beside, -1 if front is None else front)
    cost, *others = (column.tolist() for column in found)
    return sorted(zip([round(each, 6) for each in cost], *others, strict=True))


@njit()
def _measure(
    points: Ints, x: float, z: float, width: float, depth: float, beside: float, front: int
) -> tuple[Floats, Ints, Ints, Ints, Floats, Floats]:
    """Return of each spot what ``_Spot`` tells.

    Args:
        points: Standing points, one a row.
        x, z: The middle of the box.
        width, depth: Its sides along x and z.
        beside: Metres from the face of the box at which to stand.
        front: The side that its front is on, or -1.
    """
    most = 4 * len(points)
    costs, into, aside = np.empty(most), np.empty(most), np.empty(most)
    column, row, turned = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    count = 0
    for number in range(len(points)):
        dx, dz = x - points[number, 0] * GRID, z - points[number, 1] * GRID
        for rotation in range(4):
            sx, sz = STEPS[rotation]
            ahead, side = dx * sx + dz * sz, dx * sz - dz * sx
            half_depth, half_width = (width / 2, depth / 2) if sx else (depth / 2, width / 2)
            gap = ahead - half_depth
            if gap < -0.1:
                continue
            past = side - max(-half_width, min(half_width, side))  # what one looks past the box
            cost = abs(gap - beside) + 0.5 * abs(side) + abs(past)
            if front >= 0 and (rotation + 2) % 4 != front:
                cost += 2.0
            costs[count], into[count], aside[count] = cost, max(gap, 0.1) + min(half_depth, 0.25), past
            column[count], row[count], turned[count] = points[number, 0], points[number, 1], rotation
            count += 1
    return costs[:count], column[:count], row[:count], turned[:count], into[:count], aside[:count]


def _looking(spot: _Spot, agent_y: float, centre: Vector, size: Vector, inside: bool) -> tuple[Pose, Vector]:
    """Return the pose at a place that looks at a box, and the point of the box that it looks at."""
    _, x, z, rotation, into, aside = spot
    sx, sz = STEPS[rotation]
    target_y = centre[1] if inside else centre[1] + size[1] / 2
    pose = Pose(x, z, rotation, horizon_towards(agent_y + CAMERA, target_y, math.hypot(into, aside)))
    return pose, (x * GRID + sx * into + sz * aside, target_y, z * GRID + sz * into - sx * aside)


def _front(points: list[Point], centre: Vector, size: Vector) -> int | None:
    """Return the side of a box with the most standing points within a metre of its face."""
    counts = []
    for sx, sz in STEPS:
        width = size[2] if sx else size[0]
        depth = (size[0] if sx else size[2]) / 2
        away = [(x * GRID - centre[0], z * GRID - centre[2]) for x, z in points]
        before = [
            0.0 <= dx * sx + dz * sz - depth <= 1.0 and abs(dx * sz - dz * sx) <= width / 2 + 0.3 for dx, dz in away
        ]
        counts.append(sum(before) / (width + 0.6))
    return max(range(4), key=lambda side: (counts[side], -side)) if any(counts) else None


class Touching:
    """The poses from which each thing of a scene can be handled: pairs of an object's id and a pose.

    From the pose the agent sees and reaches the object. An item has one pose: its own, if it lies on furniture or if
    both it and the container around it are touched from there; else that of what it lies in. The furniture that an item
    lies in is near the item's pose too. A switch is touched from wherever what it works on is touched and the switch is
    at hand, as ALFRED's demonstrators turn on the tap at the sink. What is held, what lies in it, and what cannot be
    reached on foot from the agent's pose has no pose.

    Args:
        scene: The scene.
        grid: Its navigable grid.
        things: The objects that matter; others are left out.
        chosen: The poses of some things, by id, where the usual ones will not do.
    """

    def __init__(
        self, scene: Scene, grid: Grid, things: Sequence[SceneObject], chosen: Mapping[str, Pose] | None = None
    ) -> None:
        self.scene, self.grid = scene, grid
        self.things = {thing.object_id: thing for thing in things}
        self.walkable = grid.reachable(scene.agent)
        self.switches: dict[str, list[str]] = {}
        for thing in things:
            for controlled in self._find_controls(thing):
                self.switches.setdefault(controlled, []).append(thing.object_id)
        self._found: dict[str, Pose | None] = {**(chosen or {})}

    def __iter__(self) -> Iterator[tuple[str, Pose]]:
        for thing in self.things.values():
            pose = self.pose(thing.object_id)
            if pose is None or self.scene.holding in (thing.object_id, *thing.parents):
                continue
            yield thing.object_id, pose
            touched = [thing.object_id]
            if thing.traits.item:
                touched += [name for name in thing.parents if name in self.things and not self.things[name].traits.item]
            for name in touched[1:]:
                yield name, pose
            for switch in dict.fromkeys(switch for name in touched for switch in self.switches.get(name, ())):
                if self.at_hand(pose, self.things[switch]):
                    yield switch, pose

    def at_hand(self, pose: Pose, thing: SceneObject) -> bool:
        """Whether a thing is in reach and partly in ALFRED's picture."""
        return handles(self.scene, pose, thing, HALF_VIEW)

    def pose(self, name: str) -> Pose | None:
        """Return the main pose of a thing, the first that is told of it; None if it cannot be reached."""
        if name not in self._found:
            self._found[name] = self._pose(self.things[name])
        return self._found[name]

    def _pose(self, thing: SceneObject) -> Pose | None:
        if thing.traits.item:
            around = next((self.things[name] for name in thing.parents if name in self.things), None)
            if around is None:
                return self._standing(thing)
            if around.traits.item:
                return self.pose(around.object_id)
            own = self._standing(thing)
            if around.traits.closable and (own is None or not self.at_hand(own, around)):
                return self.pose(around.object_id)
            return own
        controlled = self._find_controls(thing)
        if not controlled:
            return self._before_switches(thing)
        shared = (self.pose(name) for name in controlled)
        return next((pose for pose in shared if pose and self.at_hand(pose, thing)), None) or self._standing(thing)

    def _before_switches(self, thing: SceneObject) -> Pose | None:
        """The best place; tilted, or the switch's, if only so the thing and its switch are both at hand."""
        pose = self._standing(thing)
        for name in self.switches.get(thing.object_id, ()):
            switch = self.things[name]
            if pose is None or self.at_hand(pose, switch):
                continue
            tilts = (pose.horizon + steps * LOOK for steps in (-1, 1, -2, 2))
            tilted = (replace(pose, horizon=tilt) for tilt in tilts if tilt == nearest_tilt(tilt))
            for other in (*tilted, self._standing(switch)):
                if other is not None and self.at_hand(other, thing) and self.at_hand(other, switch):
                    return other
        return pose

    def _standing(self, thing: SceneObject) -> Pose | None:
        pose = stand_pose(self.scene, self.grid, thing)
        return pose if pose is not None and (pose.x, pose.z) in self.walkable else None

    def _find_controls(self, thing: SceneObject) -> list[str]:
        return [name for name in thing.controls if name in self.things and name != thing.object_id]
