"""The words of TEACh's game files: actions with their numbers, agents, tasks, and the states of a room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from chorewright.domains.teach.definition import TaskComponent, TeachTask
from chorewright.domains.teach.world import CHECKED
from chorewright.files.records import reader_of
from chorewright.generator.teach.dialogue import commander_pose
from chorewright.problems.household.scene import GRID, Pose, Scene
from chorewright.replay.household.room import TEACH_SETTINGS, Room
from chorewright.replay.teach.world import NO_MEMORY, Memory, custom_metadata, teach_metadata

Json: TypeAlias = object
"""Any value that JSON can say."""

CAMERA_HEIGHT = 2.4
"""Metres above the floor of the Commander's camera, which is no body."""

Properties: TypeAlias = Mapping[str, Mapping[str, Json]]
"""Of each object, by id, its metadata with TEACh's own properties, in the simulator's order."""

MOST_ACTS = 3
"""Dialogue acts, and the parts of an utterance that they are of, have so many places in the format."""


@dataclass(frozen=True, slots=True)
class TeachFormat:
    """The data of the format; see the data file for what each entry is."""

    version: str
    task_type: str
    agents: Sequence[Mapping[str, Json]]
    status: Sequence[Mapping[str, Json]]
    world_types: Mapping[str, str]
    actions: Sequence[Mapping[str, Json]]

    def action(self, name: str) -> Mapping[str, Json]:
        """Return an action by its name.

        Raises:
            KeyError: There is none.
        """
        return self.actions[self.index(name)]

    def index(self, name: str) -> int:
        """Return the ``action_idx`` of an action."""
        for place, action in enumerate(self.actions):
            if action["action_name"] == name:
                return place
        raise KeyError(name)

    def speaker(self, agent: int) -> str:
        """Return the name of an agent."""
        return str(self.agents[agent]["agent_name"])


teach_format = reader_of(TeachFormat, "chorewright.generator.teach.export", "data/format.json")
"""Returns the shipped data of the format."""


def format_definitions() -> dict[str, Json]:
    """Return what every game file defines."""
    form = teach_format()
    return {
        "version": form.version,
        "agents": list(form.agents),
        "actions": list(form.actions),
        "status": list(form.status),
        "tasks": [],
    }


def task_document(task: TeachTask) -> dict[str, Json]:
    """Return a task with its parameters filled in, its sub-tasks within it."""
    components: dict[str, Json] = {}
    for part in task.components:
        determiner = part.determiner
        if isinstance(part, TaskComponent):
            components[part.key] = {
                "determiner": determiner,
                "task_name": part.task.name,
                "task_params": list(part.task.params),
                "task": task_document(part.task),
            }
        else:
            components[part.key] = {
                "determiner": determiner,
                "primary_condition": part.primary,
                "instance_shareable": part.shareable,
                "conditions": dict(part.conditions),
                "condition_failure_descs": dict(part.failures),
            }
    return {
        "task_id": task.task_id,
        "task_name": task.name,
        "task_params": list(task.params),
        "task_nparams": len(task.params),
        "task_anchor_object": task.anchor,
        "desc": task.desc,
        "components": components,
        "relations": [
            {
                "property": "parentReceptacles",
                "tail_entity_list": [relation.tail],
                "tail_determiner_list": [relation.tail_determiner],
                "head_entity_list": [key for key, _ in relation.heads],
                "head_determiner_list": [determiner for _, determiner in relation.heads],
                "failure_desc": relation.failure,
            }
            for relation in task.relations
        ],
        "comments": "",
    }


def state_document(scene: Scene, time: float, memory: Memory = NO_MEMORY) -> dict[str, Json]:
    """Return a state: both agents and all objects, TEACh's own properties with them and by object id."""
    commander = commander_pose(scene)
    return {
        "time_start": time,
        "agents": [_camera(scene) if commander is None else _body(scene, commander), _body(scene, scene.agent)],
        "objects": _objects(scene, memory),
        "custom_object_metadata": custom_metadata(scene, memory),
    }


def _camera(scene: Scene) -> dict[str, Json]:
    """Return the camera that a Commander without a body looks through."""
    return {
        "thirdPartyCameraId": 0,
        "position": {"x": scene.agent.x * GRID, "y": CAMERA_HEIGHT, "z": scene.agent.z * GRID},
        "rotation": {"x": 90.0, "y": 0.0, "z": 0.0},
        "fieldOfView": 90.0,
    }


def _body(scene: Scene, pose: Pose) -> dict[str, Json]:
    return {
        "name": "agent",
        "position": {"x": pose.x * GRID, "y": float(scene.agent_y), "z": pose.z * GRID},
        "rotation": {"x": 0.0, "y": 90.0 * pose.rotation, "z": 0.0},
        "cameraHorizon": float(pose.horizon),
        "isStanding": True,
        "inHighFrictionArea": False,
    }


def pose_document(pose: Sequence[float]) -> list[Json]:
    """Return a pose as TEACh's recorder writes it: ahead, left, up, then 0, tilt and turn to the left.

    Args:
        pose: x, y and z in metres, the camera's tilt and the agent's heading in degrees, as AI2-THOR has them.
    """
    x, y, z, horizon, rotation = pose
    return [z, 0.0 - x, y, 0, horizon, 0.0 - rotation]


def properties_of(scene: Scene, memory: Memory) -> Properties:
    """Return the metadata of each object, from which state differences are made."""
    return {str(thing["objectId"]): thing for thing in _objects(scene, memory)}


def _objects(scene: Scene, memory: Memory) -> list[dict[str, Json]]:
    """Return the objects as AI2-THOR 3.1.0 tells them: seen or not, and heat by the name that it has there."""
    room = Room(scene, TEACH_SETTINGS)
    found = []
    for thing in teach_metadata(scene, memory):
        body = room.objects.get(str(thing["objectId"]))
        seen = body is not None and room.visible(body)
        told = {**thing, "visible": seen, "isInteractable": seen, "ObjectTemperature": thing["temperature"]}
        del told["temperature"]
        found.append(told)
    return found


def difference(before: Properties, after: Properties) -> dict[str, dict[str, dict[str, Json]]]:
    """Return a state difference: of each object the properties that are other than before, or new.

    Added to the state before, it gives the state after: false and null are properties like others. TEACh makes a
    piece that has come to be from what it was cut from, as that was or as that is now; it is told by what is other
    than in either.
    """
    objects: dict[str, dict[str, Json]] = {}
    for name, now in after.items():
        changed = _changes(before, name, now)
        whole = _whole(name)
        if name not in before and whole in after:
            changed |= {prop: now[prop] for prop, value in after[whole].items() if prop in now and now[prop] != value}
        if changed:
            objects[name] = changed
    return {"agents": {}, "objects": objects}


def changes(before: Properties, after: Properties) -> dict[str, dict[str, Json]]:
    """Return of each object the changed properties that TEACh checks at the end of an EDH instance."""
    found = {}
    for name, now in after.items():
        changed = _changes(before, name, now)
        checked = {prop: changed[prop] for prop in CHECKED if prop in changed}
        if checked:
            found[name] = checked
    return found


def _changes(before: Properties, name: str, now: Mapping[str, Json]) -> dict[str, Json]:
    """Return the properties of an object that are other than before; a piece is told by what it was cut from."""
    then = before.get(name) or before.get(_whole(name), {})
    return {
        prop: value
        for prop, value in now.items()
        if prop not in then or type(then[prop]) is not type(value) or then[prop] != value
    }


def _whole(name: str) -> str:
    """Return the id of what a piece was cut from; of what is no piece, its own."""
    return "|".join(name.split("|")[:4])
