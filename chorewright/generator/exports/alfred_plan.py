"""ALFRED's plan: ``high_pddl``, ``low_actions`` and the frames, from an episode's segments and steps."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from chorewright.errors import Location, UnsupportedError
from chorewright.generator.episode import Episode, Segment, Step
from chorewright.generator.exports.alfred_names import Json, alfred_class, alfred_id, alfred_names, fail
from chorewright.problems.scene import GRID, Scene, Vector

ENDS = ("NoOp", "End")
MACROS = ("CleanObject", "HeatObject", "CoolObject")
VOCABULARY = ("GotoLocation", "PickupObject", "PutObject", "SliceObject", "ToggleObject", *MACROS)
_MOVES = ("MoveAhead", "RotateLeft", "RotateRight", "LookUp", "LookDown")
_GROUND = "Floor"


def _kind_of_id(ident: str, scene: Scene) -> str:
    """Return the class that an id's object counts as: its kind, for a piece that of the whole."""
    for thing in scene.objects:
        if thing.object_id == ident:
            return thing.kind
    parts = ident.split("|")
    return parts[0] if len(parts) < 5 or re.search(r"_\d+$", parts[4]) else parts[4]


def _whole(ident: str) -> str:
    """Return the id of what a piece was cut from; other ids as they are."""
    return "|".join(ident.split("|")[:4]) if re.search(r"_\d+$", ident) else ident


def _coordinate(ident: str, episode: Episode, where: str) -> list[Json]:
    """Return ``[class, [x, x, z, z, y, y]]`` in units of the grid, from where the object is at the start."""
    whole = _whole(ident)
    for thing in episode.scene.objects:
        if thing.object_id == whole:
            return _placed(thing.kind, thing.position)
    parts = whole.split("|")
    try:
        x, y, z = (float(part) for part in parts[1:4])
    except ValueError:
        raise fail(episode, where, f"{ident!r} is neither in the scene nor an AI2-THOR object id") from None
    return _placed(_kind_of_id(whole, episode.scene), (x, y, z))


def _placed(kind: str, position: Vector) -> list[Json]:
    x, y, z = (float(value) / GRID for value in position)
    return [alfred_class(kind), [x, x, z, z, y, y]]


def _details(episode: Episode, segment: Segment, number: int) -> dict[str, Json]:
    try:
        details = json.loads(segment.details)
    except ValueError as error:
        raise fail(episode, f"segments[{number}].details", f"not JSON: {error}") from error
    needed = "location" if segment.action == "GotoLocation" else "objectId"
    if not isinstance(details, dict) or not isinstance(details.get(needed), str):
        raise fail(episode, f"segments[{number}].details", f"{segment.action} lacks {needed!r}")
    return details


def high_actions(episode: Episode, segments: Sequence[Segment]) -> list[Json]:
    """Return ``high_pddl``: one entry a segment, and the end."""
    for number, segment in enumerate(segments):
        if segment.action not in VOCABULARY:
            raise UnsupportedError(
                f"ALFRED has no subgoal {segment.action!r}",
                location=Location(f"episode {episode.index}", json_path=f"segments[{number}]"),
            )
    details = [_details(episode, segment, number) for number, segment in enumerate(segments)]
    actions: list[Json] = []
    for number, segment in enumerate(segments):
        following = segments[number + 1].action if number + 1 < len(segments) else ""
        goal = (following, details[number + 1]) if following else ("", {})
        args = _arguments(episode, segment.action, details[number], goal)
        actions.append(
            {
                "discrete_action": {"action": segment.action, "args": args},
                "high_idx": number,
                "planner_action": _planner_action(episode, segment.action, details[number], number),
            }
        )
    actions.append(
        {
            "discrete_action": {"action": "NoOp", "args": []},
            "high_idx": len(segments),
            "planner_action": {"action": "End", "value": 1},
        }
    )
    return actions


def _arguments(
    episode: Episode, action: str, details: Mapping[str, Json], following: tuple[str, Mapping[str, Json]]
) -> list[str]:
    """Return the lower-case class names of a discrete high action."""

    def name(ident: Json) -> str:
        return alfred_class(_kind_of_id(_whole(str(ident)), episode.scene)).lower()

    if action == "GotoLocation":
        there, facts = following
        receptacle = facts.get("receptacleObjectId")
        at_object = not receptacle or there in ("SliceObject", "ToggleObject")
        if receptacle and _kind_of_id(str(receptacle), episode.scene) == _GROUND:
            at_object = True
        target = facts.get("objectId") if at_object else receptacle
        return [name(target)] if target else []
    if action == "PutObject":
        return [name(details["objectId"]), name(details.get("receptacleObjectId", ""))]
    return [name(details["objectId"])]


def _planner_action(
    episode: Episode, action: str, details: Mapping[str, Json], number: int
) -> dict[str, Json]:
    """Return a ``planner_action`` as ALFRED's files have it (section 5 of the format's description)."""
    if action == "GotoLocation":
        return {"action": action, "location": str(details["location"])}
    where = f"segments[{number}].details"
    thing, receptacle = str(details["objectId"]), str(details.get("receptacleObjectId", ""))
    if not receptacle and action in ("PutObject", *MACROS):
        raise fail(episode, where, f"{action} lacks 'receptacleObjectId'")
    if action == "PickupObject" and _kind_of_id(receptacle, episode.scene) == _GROUND:
        receptacle = ""
    planned: dict[str, Json] = {"action": action, "forceVisible": True, "objectId": alfred_id(thing)}
    at = _given(details, "coordinateObjectId") or _coordinate(thing, episode, where)
    if action == "ToggleObject":
        beneath: list[Json] | None = at
    else:
        beneath = _given(details, "coordinateReceptacleObjectId")
        if beneath is None and receptacle and action != "SliceObject":
            beneath = _coordinate(receptacle, episode, where)
    if action in MACROS:
        planned["objectId"] = alfred_id(receptacle)
    if action == "CleanObject":
        planned["cleanObjectId"] = alfred_id(_whole(thing))
    if action == "PutObject":
        planned["receptacleObjectId"] = alfred_id(receptacle)
    if action not in ("HeatObject", "CoolObject"):
        planned["coordinateObjectId"] = at
    if beneath is not None:
        planned["coordinateReceptacleObjectId"] = beneath
    return planned


def _given(details: Mapping[str, Json], key: str) -> list[Json] | None:
    """Return a coordinate that the details give themselves, ``[class, [x, y, z]]`` in metres."""
    value = details.get(key)
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[1], list) or len(value[1]) != 3:
        return None
    x, y, z = (float(part) for part in value[1])
    return _placed(str(value[0]), (x, y, z))


def low_action(episode: Episode, number: int) -> dict[str, Json]:
    """Return one entry of ``low_actions``: without masks the discrete action has no arguments."""
    step = episode.steps[number]
    name = step.action.partition("_")[0]
    api: dict[str, Json] = {"action": name}
    if name in _MOVES:
        api["forceAction"] = True
        if name == "MoveAhead":
            api["moveMagnitude"] = GRID
    elif step.action not in alfred_names().frames:
        raise UnsupportedError(
            f"ALFRED has no low-level action {step.action!r}",
            location=Location(f"episode {episode.index}", json_path=f"steps[{number}]"),
        )
    else:
        arguments = json.loads(step.arguments)
        keys = ("objectId", "receptacleObjectId") if name == "PutObject" else ("objectId",)
        for key in keys:
            if not isinstance(arguments, dict) or not isinstance(arguments.get(key), str):
                raise fail(episode, f"steps[{number}].arguments", f"{step.action} lacks {key!r}")
            api[key] = alfred_id(arguments[key])
        if name == "PutObject":
            api |= {"forceAction": True, "placeStationary": True}
    return {
        "api_action": api,
        "discrete_action": {"action": step.action, "args": {}},
        "high_idx": step.segment,
    }


def images(steps: Sequence[Step], segments: Sequence[Segment]) -> list[Json]:
    """Return the list of frames that ALFRED's recorder would save for these steps."""
    names = alfred_names()
    frames: list[Json] = []
    cooled: set[int] = set()
    for number, step in enumerate(steps):
        count = names.frames.get(step.action, 0)
        cooling = step.segment < len(segments) and segments[step.segment].action == "CoolObject"
        if cooling and step.action == "CloseObject" and step.segment not in cooled:
            cooled.add(step.segment)
            count += names.cool_close
        for _ in range(count):
            image = {"high_idx": step.segment, "image_name": f"{len(frames):09d}.png", "low_idx": number}
            frames.append(image)
    return frames
