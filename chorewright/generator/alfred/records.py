"""A demonstration in ALFRED's own words: discrete actions, planner actions with ids and coordinates, and
legs to say.

The details of a segment are the fields of ``planner_action`` in ALFRED's ``traj_data.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from chorewright.files.records import reader_of
from chorewright.generator.dataset.episode import Segment, Step
from chorewright.generator.household.demonstration import Demonstration
from chorewright.problems.household.kinds import Kinds
from chorewright.problems.household.scene import GRID, Pose, Scene, SceneObject
from chorewright.rsa.household.directives import Leg
from chorewright.rsa.household.segments import CLEAN, COOL, END, GOTO, HEAT, PICKUP, POUR, PUT, SLICE, Subgoal


@dataclass(frozen=True, slots=True)
class _Things:
    """The problem's names as the scene's objects; a piece stands for its item, with an id of its own."""

    ids: Mapping[str, str]
    objects: Mapping[str, SceneObject]

    def object_of(self, name: str) -> SceneObject:
        object_id = self.ids[name]
        return self.objects.get(object_id) or self.objects[object_id.rsplit("|", 1)[0]]

    def word(self, name: str) -> str:
        """Return the kind in ALFRED's discrete actions: lower case, a piece by its item."""
        return self.object_of(name).kind.lower()

    def coordinates(self, name: str) -> list[object]:
        """Return ALFRED's [kind, [x, x, z, z, y, y]] in grid units."""
        thing = self.object_of(name)
        x, y, z = (round(value / GRID, 2) for value in thing.position)
        return [thing.kind, [x, x, z, z, y, y]]


def segment_records(demonstration: Demonstration, scene: Scene) -> tuple[Segment, ...]:
    """Return the segments with ALFRED's arguments and planner actions."""
    household = demonstration.household
    things = _Things(household.ids, {thing.object_id: thing for thing in scene.objects})
    return tuple(
        Segment(
            subgoal.action,
            tuple(things.word(name) for name in _speak(subgoal)),
            json.dumps(_planner_action(subgoal, things, household.poses), separators=(",", ":")),
        )
        for subgoal in demonstration.subgoals
    )


def _speak(subgoal: Subgoal) -> tuple[str, ...]:
    """Return the arguments that ALFRED's discrete action shows: no receptacle but in PutObject (and PourObject)."""
    return subgoal.arguments[: 2 if subgoal.action in (PUT, POUR) else 1]


def _planner_action(subgoal: Subgoal, things: _Things, poses: Mapping[str, Pose]) -> dict[str, object]:
    if subgoal.action == END:
        return {"action": "End", "value": 1}
    record: dict[str, object] = {"action": subgoal.action}
    if subgoal.action == GOTO:
        pose = poses[subgoal.pose]
        record["location"] = f"loc|{pose.x}|{pose.z}|{pose.rotation}|{pose.horizon}"
        return record
    item, *others = subgoal.arguments
    record["forceVisible"] = True
    record["coordinateObjectId"] = things.coordinates(item)
    if subgoal.action in (HEAT, COOL, CLEAN):
        record["objectId"] = things.ids[others[0]]
        record["coordinateReceptacleObjectId"] = things.coordinates(others[0])
        if subgoal.action == CLEAN:
            record["cleanObjectId"] = things.ids[item]
        return record
    record["objectId"] = things.ids[item]
    if subgoal.action in (PICKUP, PUT, POUR):
        record["coordinateReceptacleObjectId"] = things.coordinates(others[0])
    if subgoal.action in (PUT, POUR):
        record["receptacleObjectId"] = things.ids[others[0]]
    return record


def step_records(demonstration: Demonstration) -> tuple[Step, ...]:
    """Return the low-level actions with ALFRED's names, the simulator call and what it changed."""
    return tuple(
        Step(
            action=step.action.name,
            segment=step.action.segment,
            arguments=json.dumps(
                {"action": step.action.call.action, **step.action.call.arguments}, separators=(",", ":")
            ),
            success=step.success,
            added=step.added,
            removed=step.removed,
        )
        for step in demonstration.execution.steps
    )


def legs(demonstration: Demonstration, start: Pose) -> list[Leg]:
    """Return the segments as the words need them: ids, the pose before each, and its low-level actions."""
    household = demonstration.household
    names: list[list[str]] = [[] for _ in demonstration.subgoals]
    for action in demonstration.actions:
        names[action.segment].append(action.name)
    pose = start
    found = []
    for subgoal, actions in zip(demonstration.subgoals, names, strict=True):
        item, receptacle = _say(subgoal, household.ids)
        found.append(Leg(subgoal.action, item, receptacle, pose, tuple(actions)))
        if subgoal.action == GOTO:
            pose = household.poses[subgoal.pose]
    return found


def _say(subgoal: Subgoal, ids: Mapping[str, str]) -> tuple[str, str]:
    """Return the ids of the thing and the receptacle that a sentence about the subgoal may name."""
    if subgoal.action in (GOTO, END):
        return "", ""
    if subgoal.action == SLICE:
        cut = next(action for action in subgoal.actions if action.name == "slice")
        return ids[cut.arguments[0]], ids[cut.arguments[2]]
    item, *others = subgoal.arguments
    return ids[item], ids[others[0]] if others else ""


# ALFRED's names for our kinds, tasks and slots, from ``data/names.json``.


@dataclass(frozen=True, slots=True)
class AlfredNames:
    """The tables of ``data/names.json``."""

    classes: Mapping[str, str]
    ground: str
    slots: Mapping[str, tuple[str, ...]]
    sliced_suffix: str
    test_splits: tuple[str, ...]
    frames: Mapping[str, int]
    before: Mapping[str, int]
    cool_close: int


names_in_alfred = reader_of(AlfredNames, "chorewright.generator.alfred", "data/names.json")
"""Returns ALFRED's names."""


def class_in_alfred(kind: str) -> str:
    """Return ALFRED's name of a class."""
    return names_in_alfred().classes.get(kind, kind)


def id_in_alfred(ident: str) -> str:
    """Return an object id with ALFRED's class names."""
    kind, bar, rest = ident.partition("|")
    return class_in_alfred(kind) + bar + rest


@lru_cache(maxsize=1024)
def slots(parameters: tuple[tuple[str, str], ...], kinds: Kinds) -> Mapping[str, str]:
    """Return what fills ALFRED's slots: by the names of the parameters, and the others by their kinds.

    The first parameter that has no name of ALFRED's and can be picked up is the object, the next one that
    holds things is movable; the first receptacle that cannot be picked up is the receptacle, the first thing
    that can be switched on, and does not hold anything, the lamp.
    """
    filled = {key.lstrip("?").lower(): value for key, value in parameters}
    found: dict[str, str] = {}
    for name, aliases in names_in_alfred().slots.items():
        named = next((alias for alias in aliases if alias in filled), None)
        if named is not None:
            found[name] = filled.pop(named)
    for value in filled.values():
        kind = kinds[value]
        fitting = []
        if kind.item:
            fitting = ["object", "movable"] if kind.receptacle else ["object"]
        elif kind.receptacle:
            fitting = ["receptacle"]
        elif "toggleable" in kind.affordances:
            fitting = ["lamp"]
        free = next((name for name in fitting if name not in found), None)
        if free is not None:
            found[free] = value
    return found
