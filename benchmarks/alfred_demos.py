"""ALFRED's recorded demonstrations as scenes of our rooms: what both ALFRED benchmarks start from.

A demonstration stores the poses of its pickupable objects and nothing else of the room. The fixtures are
those of the shipped room, under the names by which the recording calls them (``match_fixtures``); what lies
in what follows from the positions. The same rules serve every demonstration, of any fold.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from chorewright.problems.household.free_space import largest_component
from chorewright.problems.household.kinds import shapes, shipped_kinds
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.scene import GRID, Attributes, Point, Pose, Scene, SceneObject, Vector
from chorewright.replay.household.server.older import older_fixtures
from chorewright.replay.household.setup import ItemPose, restore

OLDER_NAMES = {"Glassbottle": "Bottle", "Cart": "SideTable"}
"""Kinds that AI2-THOR 2.1.0 had under another name."""

NEAR = 0.5
"""Metres within which a fixture of the same kind is the recorded one."""

SAME_PLACE = 0.15
"""Metres within which a receptacle of another kind is the recorded one, its type having changed."""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """One recorded demonstration; ``record`` is its line of the reference data."""

    record: Mapping[str, Any]

    @property
    def name(self) -> str:
        return str(self.record["path"])

    @property
    def task(self) -> str:
        return str(self.record["task_type"])

    @property
    def floor_plan(self) -> str:
        return f"FloorPlan{self.record['scene_num']}"

    def parameter(self, name: str) -> str:
        """Return a slot's kind in today's names, or an empty text."""
        value = str(self.record["pddl_params"][name] or "")
        return OLDER_NAMES.get(value, value)

    @property
    def sliced(self) -> bool:
        return bool(self.record["pddl_params"]["object_sliced"])

    @property
    def steps(self) -> list[list[object]]:
        """The low-level actions: [name, segment, object id, receptacle id]."""
        steps: list[list[object]] = self.record["low"]
        return steps

    @property
    def segments(self) -> list[Mapping[str, object]]:
        segments: list[Mapping[str, object]] = self.record["high"]
        return segments


def demonstrations(path: Path) -> Iterator[Demonstration]:
    """Yield the demonstrations of a ``.jsonl.gz`` file in its order."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield Demonstration(json.loads(line))


def demonstration_scene(demonstration: Demonstration, points: Sequence[Point] | None = None) -> Scene:
    """Return the start of a demonstration as a scene; fixtures and items bear the recorded names.

    Args:
        demonstration: What was recorded.
        points: Where one can stand, if not where the shipped room says.
    """
    record = demonstration.record
    known = older_fixtures().get(demonstration.floor_plan, ())
    room = _room(demonstration.floor_plan, tuple(sorted({*known, *fixture_ids(demonstration)})))
    x, y, z, rotation, horizon = record["init"]
    poses = [ItemPose(name, (px, py, pz), (rx, ry, rz)) for name, px, py, pz, rx, ry, rz in record["object_poses"]]
    toggles = {str(entry["objectType"]): bool(entry["isOn"]) for entry in record["object_toggles"]}
    scene = restore(room, poses, OLDER_NAMES)
    dirty = bool(record["dirty_and_empty"])
    return replace(
        scene,
        objects=tuple(_started(body, toggles, dirty) for body in scene.objects),
        grid=scene.grid if points is None else tuple(sorted(points)),
        agent_y=float(y),
        agent=Pose(round(x / GRID), round(z / GRID), round(rotation / 90) % 4, round(horizon)),
        dirty_and_empty=dirty,
    )


def on_foot(scene: Scene) -> Scene:
    """Return a scene with the agent on the nearest connected standing point."""
    return replace(scene, agent=snap(Grid.of(scene).points, scene.agent))


def snap(points: Collection[Point], pose: Pose) -> Pose:
    """Return a pose at the nearest of the points that are connected with most others; on these, as it is."""
    main = largest_component(frozenset(points))
    if not main or (pose.x, pose.z) in main:
        return pose
    x, z = min(main, key=lambda point: (math.dist(point, (pose.x, pose.z)), point))
    return replace(pose, x=x, z=z)


def recorded_kind(object_id: str) -> str:
    """Return the kind, in today's names, of a recorded object id."""
    parts = object_id.split("|")
    word = parts[4].split("_")[0] if len(parts) > 4 else parts[0]
    return OLDER_NAMES.get(word, word)


def recorded_position(object_id: str) -> Vector:
    """Return the position that a recorded object id carries."""
    x, y, z = (float(part) for part in object_id.split("|")[1:4])
    return x, y, z


def fixture_ids(demonstration: Demonstration) -> set[str]:
    """Return the ids of the fixtures that a demonstration acts on."""
    names = {str(name) for step in demonstration.steps for name in step[2:]}
    kinds = shipped_kinds()
    return {name for name in names if (kind := recorded_kind(name)) in kinds and not kinds[kind].item}


def match_item(scene: Scene, object_id: str) -> str | None:
    """Return the item that a recorded id means: of that name, else the nearest of its kind at the start."""
    if any(body.object_id == object_id for body in scene.objects):
        return object_id
    kind, where = recorded_kind(object_id), recorded_position(object_id)
    near = [
        (math.dist(body.position, where), index, body.object_id)
        for index, body in enumerate(scene.objects)
        if body.kind == kind
    ]
    return min(near)[2] if near else None


@lru_cache(maxsize=256)
def _room(name: str, recorded: tuple[str, ...]) -> Scene:
    """Return a room whose fixtures bear their recorded names and kinds."""
    scene = load_room(name)
    matched = match_fixtures(scene, recorded)
    names = {ours: theirs for theirs, ours in matched.items() if ours is not None}
    objects = []
    for body in scene.objects:
        called = names.get(body.object_id, body.object_id)
        kind = recorded_kind(called) if called != body.object_id else body.kind
        fixture = replace(
            body,
            object_id=called,
            kind=kind,
            traits=scene.kinds[kind],
            parents=tuple(names.get(parent, parent) for parent in body.parents),
            controls=tuple(names.get(worked, worked) for worked in body.controls),
        )
        if called != body.object_id:
            fixture = _at_home(fixture, recorded_position(called))
        objects.append(fixture)
    objects += [_new_fixture(theirs) for theirs, ours in matched.items() if ours is None]
    return replace(scene, objects=tuple(objects))


def match_fixtures(scene: Scene, recorded: tuple[str, ...]) -> dict[str, str | None]:
    """Return our fixture for each recorded id: by id, then type and distance; None where the room has none.

    In turn: the same id; the nearest of the same kind whose box is within ``NEAR``; a receptacle of another
    kind at the same place; one of the same kind elsewhere, that has been moved. Each fixture has one id.
    """
    fixtures = {body.object_id: body for body in scene.objects if not body.traits.item}
    found: dict[str, str | None] = {theirs: theirs for theirs in recorded if theirs in fixtures}

    def assign(pairs: list[tuple[float, str, str]]) -> None:
        for _, theirs, ours in sorted(pairs):
            if theirs not in found and ours not in found.values():
                found[theirs] = ours

    def pairs(limit: float, same_kind: bool, boxes: bool) -> list[tuple[float, str, str]]:
        result = []
        for theirs in recorded:
            for ours, body in fixtures.items():
                if same_kind != (body.kind == recorded_kind(theirs)):
                    continue
                if not same_kind and not body.receptacle:
                    continue
                where = recorded_position(theirs)
                gap = math.dist(body.position, where)
                away = _box_distance(body, where) if boxes else gap
                if away <= limit:
                    result.append((round(away + 0.01 * gap, 4), theirs, ours))
        return result

    assign(pairs(NEAR, same_kind=True, boxes=False))
    assign(pairs(NEAR, same_kind=True, boxes=True))
    assign(pairs(SAME_PLACE, same_kind=False, boxes=False))
    assign(pairs(math.inf, same_kind=True, boxes=False))
    return {theirs: found.get(theirs) for theirs in recorded}


def _box_distance(body: SceneObject, point: Vector) -> float:
    return math.hypot(*(max(abs(point[axis] - body.centre[axis]) - body.size[axis] / 2, 0.0) for axis in range(3)))


def _at_home(body: SceneObject, where: Vector) -> SceneObject:
    """Return a fixture moved, on the floor plane, to where the recording has it."""
    if _box_distance(body, where) <= NEAR:
        return body
    dx, dz = where[0] - body.position[0], where[2] - body.position[2]
    return replace(
        body,
        position=(where[0], body.position[1], where[2]),
        centre=(body.centre[0] + dx, body.centre[1], body.centre[2] + dz),
    )


def _new_fixture(object_id: str) -> SceneObject:
    """Return a fixture that our room lacks, of its kind's middle size."""
    kind, where = recorded_kind(object_id), recorded_position(object_id)
    shape = shapes().get(kind)
    size = (shape.size if shape else None) or (0.4, 0.2, 0.4)
    traits = shipped_kinds()[kind]
    receptacle = bool(traits.receptacle)
    return SceneObject(object_id, kind, where, (0.0, 0.0, 0.0), where, size, receptacle=receptacle, traits=traits)


def _started(body: SceneObject, toggles: Mapping[str, bool], dirty: bool) -> SceneObject:
    """Return an object in the state that the recording starts from."""
    attributes: Attributes = body.attributes
    if body.kind in toggles:
        attributes = replace(attributes, is_toggled=toggles[body.kind])
    affordances = body.traits.affordances
    if dirty and "dirtyable" in affordances:
        attributes = replace(attributes, is_dirty=True)
    if dirty and "fillable" in affordances:
        attributes = replace(attributes, liquid=None)
    return body if attributes is body.attributes else replace(body, attributes=attributes)
