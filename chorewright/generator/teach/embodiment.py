"""A Commander with a body: where it stands, and how it turns to what it speaks of.

TEACh's simulator can give both agents a body (``commander_embodied``, two agents in AI2-THOR); its published
sessions do without. The body stands in the room: the Follower walks around it, and it may hide things. Where the
Commander looks something up, it turns to it first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from chorewright.errors import InputError
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.spawning import room_of
from chorewright.generator.teach.demonstration import TeachDemonstration
from chorewright.generator.teach.dialogue import SEARCH, SELECT, Utterance
from chorewright.problems.household.free_space import PIVOT, largest_component
from chorewright.problems.household.navigation import TEACH_LOOK, Grid
from chorewright.problems.household.scene import GRID, Bystander, Point, Pose, Scene, points_around
from chorewright.problems.household.sight import facing, floor_distance
from chorewright.problems.household.spawn import NoRoom
from chorewright.rsa.teach import COMMANDER

NAME = f"agent_{COMMANDER}"

EXTRA = "commander"
"""The extra of an episode that tells the Commander's pose at the start."""

TILT = 30
"""Degrees by which TEACh's wrapper tilts both agents' cameras down at the start."""

NEAREST = 0.75
"""Metres between both agents at the start, at least."""

LOW = 0.3
"""Metres above the floor up to which a thing is no furniture that one stands beside."""

ROOMY = 3
"""One of so many standing points may be the Commander's: those farthest from furniture."""


def with_commander(scene: Scene, rng: np.random.Generator) -> Scene:
    """Return a scene with the Commander's body in it, out of the way as far as can be.

    It stands far from furniture, where the other standing points stay connected, and looks at the Follower.

    Raises:
        NoRoom: There is no such place.
    """
    points = Grid.of(scene, TEACH_LOOK).reachable(scene.agent)
    far = [point for point in sorted(points) if _apart(point, scene.agent) >= NEAREST]
    far.sort(key=lambda point: (-_clearance(scene, point), point))
    choices = far[: max(1, len(far) // ROOMY)]
    for place in rng.permutation(len(choices)):
        x, z = choices[place]
        left = frozenset(points) - points_around(x, z)
        if (scene.agent.x, scene.agent.z) in left and len(largest_component(left)) == len(left):
            pose = Pose(x, z, facing(scene.agent.x - x, scene.agent.z - z), TILT)
            return replace(scene, bystanders=(Bystander(NAME, pose),))
    raise NoRoom(f"{scene.name} has no place where a second agent is not in the way")


def _apart(point: Point, agent: Pose) -> float:
    return float(np.hypot(point[0] - agent.x, point[1] - agent.z)) * GRID


def _clearance(scene: Scene, point: Point) -> float:
    """Return the metres from a standing point to the nearest furniture."""
    floor = scene.agent_y - PIVOT
    gaps = (
        floor_distance(point[0] * GRID, point[1] * GRID, body.centre, body.size)
        for body in scene.objects
        if not body.traits.item and body.centre[1] + body.size[1] / 2 > floor + LOW
    )
    return round(min(gaps, default=0.0), 3)


def commander_pose(scene: Scene) -> Pose | None:
    """Return the pose of the Commander's body; None if it has none."""
    return next((each.pose for each in scene.bystanders if each.name == NAME), None)


def pose_text(scene: Scene) -> str:
    """Return the pose of the Commander's body as an episode's extra."""
    pose = commander_pose(scene)
    assert pose is not None
    return json.dumps([pose.x, pose.z, pose.rotation, pose.horizon])


def start_scene(episode: Episode) -> Scene:
    """Return the scene at the start of a session, with the Commander's body if it has one.

    Raises:
        InputError: Its record of the Commander's pose is none.
    """
    text = dict(episode.extras).get(EXTRA)
    if text is None:
        return room_of(episode)
    try:
        x, z, rotation, horizon = (int(value) for value in json.loads(text))
    except (TypeError, ValueError) as error:
        raise InputError(f"episode {episode.index} has no pose of the Commander: {error}") from error
    return replace(room_of(episode), bystanders=(Bystander(NAME, Pose(x, z, rotation, horizon)),))


def with_turns(said: Sequence[Utterance], demonstration: TeachDemonstration) -> tuple[Utterance, ...]:
    """Return a dialogue in which the Commander turns to what it looks up, if it has a body."""
    scene = demonstration.compiled.scene
    pose = commander_pose(scene)
    if pose is None:
        return tuple(said)
    centres = {body.object_id: body.centre for state in (*demonstration.stages, scene) for body in state.objects}
    found: list[Utterance] = []
    for number, each in enumerate(said):
        if each.action in (SEARCH, SELECT):
            about = said[number + 1].details.get("about", "")
            if about in centres:
                x, _, z = centres[about]
                wanted = facing(x - pose.x * GRID, z - pose.z * GRID)
                for name, rotation in _turns(pose.rotation, wanted):
                    pose = replace(pose, rotation=rotation)
                    found.append(Utterance(each.before, COMMANDER, name, details={"pose": _tell(scene, pose)}))
        found.append(each)
    return tuple(found)


def _turns(rotation: int, wanted: int) -> Iterator[tuple[str, int]]:
    """Yield the turns from one heading to another, each with the heading after it."""
    quarters = (wanted - rotation) % 4
    step, name = (-1, "Turn Left") if quarters == 3 else (1, "Turn Right")
    while rotation != wanted:
        rotation = (rotation + step) % 4
        yield name, rotation


def _tell(scene: Scene, pose: Pose) -> list[float]:
    """Return a pose as steps tell it: metres, then tilt and heading in degrees."""
    return [pose.x * GRID, round(scene.agent_y, 4), pose.z * GRID, float(pose.horizon), 90.0 * pose.rotation, 0.0]
