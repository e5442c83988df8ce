"""The words of TEACh's game files: actions with their numbers, agents, tasks, and the states of a room."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TypeAlias

from chorewright.domains.tdl.state_changes import CHECKED
from chorewright.domains.tdl.tasks import Task, TaskComponent
from chorewright.domains.tdl.world import TYPE
from chorewright.problems.teach.metadata import custom_metadata
from chorewright.problems.thor.object_metadata import objects_metadata
from chorewright.problems.thor.scene import GRID, Scene

Json: TypeAlias = object
"""Any value that JSON can say."""

CAMERA_HEIGHT = 2.4
"""Metres above the floor of the Commander's camera, which is no body."""

Properties: TypeAlias = Mapping[str, Mapping[str, Json]]
"""Of each object, by id, the properties that tell of its state."""


@dataclass(frozen=True, slots=True)
class Format:
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


@lru_cache(maxsize=1)
def teach_format() -> Format:
    """Return the shipped data of the format."""
    path = resources.files("chorewright.generator.exports.teach") / "data" / "format.json"
    document = json.loads(path.read_text("utf-8"))
    document.pop("about")
    return Format(**document)


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


def task_document(task: Task) -> dict[str, Json]:
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


def state_document(scene: Scene, time: float) -> dict[str, Json]:
    """Return a state: both agents and all objects, TEACh's own properties with them and by object id."""
    custom = custom_metadata(scene)
    agent = scene.agent
    east, north = agent.x * GRID, agent.z * GRID
    return {
        "time_start": time,
        "agents": [
            {
                "thirdPartyCameraId": 0,
                "position": {"x": east, "y": CAMERA_HEIGHT, "z": north},
                "rotation": {"x": 90.0, "y": 0.0, "z": 0.0},
                "fieldOfView": 90.0,
            },
            {
                "name": "agent",
                "position": {"x": east, "y": float(scene.agent_y), "z": north},
                "rotation": {"x": 0.0, "y": 90.0 * agent.rotation, "z": 0.0},
                "cameraHorizon": float(agent.horizon),
                "isStanding": True,
                "inHighFrictionArea": False,
            },
        ],
        "objects": [{**thing, **custom.get(str(thing["objectId"]), {})} for thing in objects_metadata(scene)],
        "custom_object_metadata": custom,
    }


def properties_of(things: Sequence[Mapping[str, Json]]) -> dict[str, dict[str, Json]]:
    """Return of each object what state changes are told of."""
    return {str(thing["objectId"]): {name: thing[name] for name in CHECKED if name in thing} for thing in things}


def changes(before: Properties, after: Properties) -> dict[str, Json]:
    """Return a state difference: of each object the properties that are other than before.

    Of an object that has come to be, such as a slice, that is its type and what is true of it.
    """
    objects: dict[str, dict[str, Json]] = {}
    for name, now in after.items():
        then = before.get(name)
        if then is None:
            objects[name] = {prop: value for prop, value in now.items() if prop == TYPE or value}
        else:
            changed = {prop: value for prop, value in now.items() if then.get(prop) != value}
            if changed:
                objects[name] = changed
    return {"agents": {}, "objects": objects}
