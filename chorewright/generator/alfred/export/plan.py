"""ALFRED's plan, ``high_pddl`` and ``low_actions`` of an episode, and its pictures with boxes and masks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import InputError, Location, UnsupportedError
from chorewright.generator.alfred.benchmark import world_for_alfred
from chorewright.generator.alfred.demonstration import class_in_alfred, id_in_alfred, names_in_alfred, slots
from chorewright.generator.dataset.episode import Episode, Segment, Step, json_object
from chorewright.generator.household.moments import HouseholdMoments
from chorewright.generator.household.noise import noise_of
from chorewright.generator.household.outlook import SIZE, SMALLEST
from chorewright.generator.household.spawning import room_of
from chorewright.generator.showing.moments import png
from chorewright.problems.household.scene import GRID, Scene
from chorewright.replay.household.pixels.camera import Camera, agent_camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.pointing import runs
from chorewright.replay.household.room import ALFRED_SETTINGS, Room

Json: TypeAlias = object

ENDS = ("NoOp", "End")
_AT, _BENEATH = "coordinateObjectId", "coordinateReceptacleObjectId"
FIELDS: Mapping[str, tuple[str, ...]] = {
    "GotoLocation": ("location",),
    "PickupObject": ("objectId", "forceVisible", _AT, _BENEATH),
    "PutObject": ("objectId", "receptacleObjectId", "forceVisible", _AT, _BENEATH),
    "SliceObject": ("objectId", "forceVisible", _AT),
    "ToggleObject": ("objectId", "forceVisible", _AT, _BENEATH),
    "CleanObject": ("objectId", "cleanObjectId", "forceVisible", _AT, _BENEATH),
    "HeatObject": ("objectId", "forceVisible", _BENEATH),
    "CoolObject": ("objectId", "forceVisible", _BENEATH),
    "PourObject": ("objectId", "receptacleObjectId", "forceVisible", _AT, _BENEATH),
    "OpenObject": ("objectId", "forceVisible", _AT),
    "CloseObject": ("objectId", "forceVisible", _AT),
}
"""ALFRED's subgoals and the fields of their planner actions; the last three are ours, in the same form."""

_ALONE = ("PickupObject", "SliceObject", "OpenObject", "CloseObject")
"""Subgoals that may have no receptacle."""

_MOVES = ("MoveAhead", "RotateLeft", "RotateRight", "LookUp", "LookDown")


def high_actions(episode: Episode, segments: Sequence[Segment]) -> list[Json]:
    """Return ``high_pddl``: one entry a segment, and the end.

    Raises:
        UnsupportedError: a segment is not in ALFRED's vocabulary.
        InputError: a segment's details are not the fields of its planner action.
    """
    for number, segment in enumerate(segments):
        if segment.action not in FIELDS:
            raise UnsupportedError(
                f"ALFRED has no subgoal {segment.action!r}",
                location=Location(f"episode {episode.index}", json_path=f"segments[{number}]"),
            )
    planned = [_planner_action(episode, segment, number) for number, segment in enumerate(segments)]
    actions: list[Json] = []
    for number, (segment, plan) in enumerate(zip(segments, planned, strict=True)):
        following = planned[number + 1] if number + 1 < len(planned) else None
        if segment.action == "GotoLocation":
            args = _goal_of(following) if following else [_destination(episode, planned, number)]
        else:
            args = _arguments(plan)
        actions.append(
            {
                "discrete_action": {"action": segment.action, "args": args},
                "high_idx": number,
                "planner_action": dict(plan.fields),
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


@dataclass(frozen=True, slots=True)
class _Planned:
    """A planner action: its fields, and the classes of the item and the receptacle that it deals with."""

    action: str
    fields: Mapping[str, Json]
    item: str = ""
    receptacle: str = ""


def _planner_action(episode: Episode, segment: Segment, number: int) -> _Planned:
    """Read a segment's details as ALFRED's planner action, with ALFRED's class names and fields."""
    action, where = segment.action, f"segments[{number}].details"
    try:
        details = json.loads(segment.details)
    except ValueError as error:
        raise error_at(episode, where, f"not JSON: {error}") from error
    if not isinstance(details, dict):
        raise error_at(episode, where, "not a JSON object")
    if action == "GotoLocation":
        return _Planned(action, {"action": action, "location": _text(episode, details, "location", where)})
    item = _coordinate(episode, details, _AT, where)
    beneath = None
    if action == "ToggleObject":
        beneath = item
    elif _BENEATH in details or action not in _ALONE:
        beneath = _coordinate(episode, details, _BENEATH, where)
        if beneath[0] == names_in_alfred().ground:
            beneath = None
    values: dict[str, Json] = {"action": action, "forceVisible": True, _AT: item}
    if beneath is not None:
        values[_BENEATH] = beneath
    for key in ("objectId", "receptacleObjectId", "cleanObjectId"):
        if key in FIELDS[action]:
            values[key] = id_in_alfred(_text(episode, details, key, where))
    if action == "CleanObject":
        values["cleanObjectId"] = _whole(str(values["cleanObjectId"]))
    fields = {key: value for key, value in values.items() if key in ("action", *FIELDS[action])}
    return _Planned(action, fields, str(item[0]), str(beneath[0]) if beneath else "")


def _text(episode: Episode, details: Mapping[str, Json], key: str, where: str) -> str:
    value = details.get(key)
    if not isinstance(value, str):
        raise error_at(episode, where, f"lacks {key!r}")
    return value


def _coordinate(episode: Episode, details: Mapping[str, Json], key: str, where: str) -> list[Json]:
    """Return a coordinate ``[class, [x, x, z, z, y, y]]`` of the details with ALFRED's class name."""
    value = details.get(key)
    if isinstance(value, list) and len(value) == 2 and isinstance(value[1], list) and len(value[1]) == 6:
        return [class_in_alfred(str(value[0])), [float(number) for number in value[1]]]
    raise error_at(episode, where, f"lacks {key!r} as [class, [x, x, z, z, y, y]]")


def _whole(ident: str) -> str:
    """Return the id of what a piece was cut from; other ids as they are."""
    return "|".join(ident.split("|")[:4]) if re.search(r"_\d+$", ident) else ident


def _goal_of(following: _Planned) -> list[str]:
    """Return the argument of a GotoLocation: the next receptacle's class, else the next object's."""
    own = following.action in ("SliceObject", "ToggleObject", "OpenObject", "CloseObject")
    return [(following.item if own or not following.receptacle else following.receptacle).lower()]


def _destination(episode: Episode, planned: Sequence[_Planned], last: int) -> str:
    """Return the class that the last GotoLocation leads to: what was dealt with there, else the task's goal.

    A plan may end in a walk: to the lamp that was turned on before the object was fetched.
    """
    agent = room_of(episode).agent
    here = f"loc|{agent.x}|{agent.z}|{agent.rotation}|{agent.horizon}"
    found = ""
    for action in planned[:last]:
        if action.action == "GotoLocation":
            here = str(action.fields["location"])
        elif here == planned[last].fields["location"]:
            found = _goal_of(action)[0]
    return found or (slot(episode, "lamp") or slot(episode, "receptacle") or slot(episode, "object")).lower()


def _arguments(planned: _Planned) -> list[str]:
    """Return the lower-case class names of a discrete high action; a piece counts as its whole."""
    if planned.action in ("PutObject", "PourObject"):
        return [planned.item.lower(), planned.receptacle.lower()]
    return [planned.item.lower()]


def low_action(episode: Episode, number: int, pointed: Mapping[str, Json]) -> dict[str, Json]:
    """Return one entry of ``low_actions``; ``pointed`` are the discrete action's arguments."""
    step = episode.steps[number]
    name = step.action.partition("_")[0]
    api: dict[str, Json] = {"action": name}
    if name in _MOVES:
        api["forceAction"] = True
        if name == "MoveAhead":
            api["moveMagnitude"] = GRID
    elif step.action not in names_in_alfred().frames:
        raise UnsupportedError(
            f"ALFRED has no low-level action {step.action!r}",
            location=Location(f"episode {episode.index}", json_path=f"steps[{number}]"),
        )
    else:
        arguments = step.call()
        keys = ("objectId", "receptacleObjectId") if name == "PutObject" else ("objectId",)
        for key in keys:
            if not isinstance(arguments, dict) or not isinstance(arguments.get(key), str):
                raise error_at(episode, f"steps[{number}].arguments", f"{step.action} lacks {key!r}")
            api[key] = id_in_alfred(arguments[key])
        if name == "FillObjectWithLiquid":
            api["fillLiquid"] = arguments.get("fillLiquid", "water")
        if name == "PutObject":
            api |= {"forceAction": True, "placeStationary": True}
    return {
        "api_action": api,
        "discrete_action": {"action": step.action, "args": dict(pointed)},
        "high_idx": step.segment,
        **noise_of(step),
        **({} if step.success else {"success": False}),
    }


def error_at(episode: Episode, where: str, message: str) -> InputError:
    """Return the error that something of an episode cannot be exported."""
    return InputError(message, location=Location(f"episode {episode.index}", json_path=where))


def slot(episode: Episode, name: str) -> str:
    """Return the kind in ALFRED's slot object, movable, receptacle or lamp; empty if there is none."""
    return slots(episode.parameters, room_of(episode).kinds).get(name, "")


# What is seen of an ALFRED trajectory, 300 x 300: pictures with the list that tells whose they are, boxes and masks.
#
# ``raw_images`` has one picture before each low-level action and one at the end, as in ALFRED's quick-start features;
# or, with the filler, all that its recorder saves: turns and tilts in tenths, and delays before and after interactions.


Pointed: TypeAlias = Mapping[str, list[object]]

FOLDER = "raw_images"
"""Where ALFRED's feature extractor looks for pictures."""

ENDING = 10
"""Pictures of the end in the filler; the list leaves them out."""

TENTHS = 10
"""Pictures of a turn or tilt, the last one at its end."""


def image_name(number: int) -> str:
    """Return the name of a picture."""
    return f"{number:09d}.png"


def recorder_images(steps: Sequence[Step], segments: Sequence[Segment]) -> list[Json]:
    """Return the list of the pictures that ALFRED's recorder saves for these steps."""
    numbers = [number for number, count in enumerate(_counts(steps, segments)) for _ in range(count)]
    return [_image(steps[number], number, place) for place, number in enumerate(numbers)]


def step_images(steps: Sequence[Step]) -> list[Json]:
    """Return the list of one picture for each step."""
    return [_image(step, number, number) for number, step in enumerate(steps)]


def draw_images(episode: Episode, segments: Sequence[Segment], filler: bool) -> Iterator[bytes]:
    """Yield an episode's pictures in order, as PNG.

    Raises:
        DatasetCorrupt: A step does not replay.
    """
    counts = _counts(episode.steps, segments) if filler else [1] * len(episode.steps)
    before: tuple[Scene, Camera] | None = None
    shown = b""
    for moment in HouseholdMoments(world_for_alfred).moments(episode):
        after, camera = png(moment.frames([SIZE])[0], "rgb"), moment.world.camera(SIZE)
        if before is not None:
            step, count = episode.steps[moment.number - 1], counts[moment.number - 1]
            if not filler:
                yield shown
            elif names_in_alfred().before.get(step.action) is None:
                yield shown
                yield from _parts(moment.world.renderer, *before, camera, count - 1)
                yield after
            else:
                first = _before(step, count)
                yield from [shown] * first
                yield from [after] * (count - first)
        before, shown = (moment.world.scene, camera), after
    yield from [shown] * (ENDING if filler else 1)


def locate_targets(episode: Episode) -> dict[int, Pointed]:
    """Return where interactions point, by step: box, point and run-length mask of what is acted on.

    They show the object, of a put the receptacle, as the agent sees it before the step. What it hardly sees
    has none.

    Raises:
        DatasetCorrupt: A step does not replay.
    """
    targets = {number: target for number, step in enumerate(episode.steps) if (target := _target(step.arguments))}
    if not targets:
        return {}
    shown = {}
    for moment in HouseholdMoments(world_for_alfred).moments(episode):
        if moment.number in targets:
            mask = moment.frames([SIZE])[0].mask(targets[moment.number])
            if int(mask.sum()) >= SMALLEST:
                shown[moment.number] = _locate(mask)
    return shown


def _image(step: Step, number: int, place: int) -> Json:
    return {"high_idx": step.segment, "image_name": image_name(place), "low_idx": number}


def _counts(steps: Sequence[Step], segments: Sequence[Segment]) -> list[int]:
    """Return how many pictures ALFRED's recorder saves for each step."""
    names = names_in_alfred()
    cooled: set[int] = set()
    found = []
    for step in steps:
        count = names.frames.get(step.action, 0)
        cooling = step.segment < len(segments) and segments[step.segment].action == "CoolObject"
        if cooling and step.action == "CloseObject" and step.segment not in cooled:
            cooled.add(step.segment)
            count += names.cool_close
        found.append(count)
    return found


def _before(step: Step, count: int) -> int:
    """Return how many of an interaction's pictures are of before; the closing that cools has one more."""
    names = names_in_alfred()
    return names.before[step.action] + (count > names.frames[step.action])


def _parts(renderer: Renderer, scene: Scene, start: Camera, end: Camera, count: int) -> Iterator[bytes]:
    """Yield what is seen between two moments, in equal parts of a turn or tilt; a step ahead has none."""
    turn = (end.rotation - start.rotation + 180) % 360 - 180
    tilt = end.horizon - start.horizon
    room = Room(scene, ALFRED_SETTINGS)
    for part in range(1, count):
        room.rotation = (start.rotation + turn * part / TENTHS) % 360
        room.horizon = start.horizon + tilt * part / TENTHS
        yield png(renderer.frame(room.scene(), agent_camera(room, SIZE)), "rgb")


def _locate(mask: NDArray[np.bool_]) -> Pointed:
    rows, columns = np.nonzero(mask)
    left, right, top, bottom = (int(v) for v in (columns.min(), columns.max(), rows.min(), rows.max()))
    x, y = (left + right) // 2, (top + bottom) // 2
    if not mask[y, x]:
        nearest = int(np.argmin((columns - x) ** 2 + (rows - y) ** 2))
        x, y = int(columns[nearest]), int(rows[nearest])
    # ALFRED's boxes are one row too low.
    return {"bbox": [left, top + 1, right, bottom + 1], "point": [x, y], "mask": list(runs(mask))}


def _target(arguments: str) -> str:
    told = json_object(arguments, "arguments of a step")
    return str(told.get("receptacleObjectId") or told.get("objectId") or "")
