"""ALFRED's trees of ``traj_data.json`` as episodes: people's recordings, and exports of ours.

The document itself is the extra ``traj_data``; an export gives it back as it was. Goal, segments, steps and sentences
become columns. The room is the shipped one with the recorded items; the steps are run in it. Where they run, and
the goal holds at the end, the conditions say so; else the extra ``unchecked`` says where it ended.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from chorewright.domains.library import load_shipped_library
from chorewright.domains.pddl.writer import write_formula
from chorewright.domains.templates.goal_templates import Goal, instantiate
from chorewright.errors import ChorewrightError, InputError, Location
from chorewright.files.json_source import load_json
from chorewright.generator.alfred import recorded
from chorewright.generator.dataset.episode import NOISE, PERTURBED, Episode, Instruction, Outcome, Segment, Step
from chorewright.generator.household.demonstration import conditions_after, instructions_of
from chorewright.generator.household.moments import find_difference
from chorewright.generator.household.noise import COMMANDED, noise_of
from chorewright.generator.production.importing import UNCHECKED, Conditions, Recordings, check_conditions
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.scene import Scene
from chorewright.replay.household.world import ThorWorld
from chorewright.rsa.household.directives import Annotation

FILE, SPLITS = "traj_data.json", "splits.json"

_ENDS = ("NoOp", "End")

_TASK = re.compile(r"[^-]+(?:-[^-]*){3}-\d+")
"""The folder of a task: its type, what is handled, and the number of the room."""


class AlfredImporter:
    """Reads ALFRED's trees."""

    name = "alfred"
    benchmark = "alfred"

    def open(self, folder: Path) -> Recordings:
        """Return the recordings, those that ``splits.json`` lists in its order; see ``Importer.open``."""
        files = sorted(folder.rglob(FILE))
        order = _read_order(folder / SPLITS)
        ranks = {file: order.get(file.parent.relative_to(folder).as_posix(), len(order)) for file in files}
        files.sort(key=lambda file: (ranks[file], file))
        return Recordings(len(files), files, lambda index: _read(folder, files[index], index))


def _read(folder: Path, file: Path, index: int) -> Episode:
    """Return a recording as an episode.

    Raises:
        InputError: It is none; the error names the file.
    """
    source = load_json(file)
    recording = recorded.parse_recording(source)
    document = json.loads(file.read_bytes())
    try:
        return _episode(recording, document, _place(folder, file), index)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"it is no recording of ALFRED's: {error!r}", location=Location(str(file))) from error


def _place(folder: Path, file: Path) -> Path:
    """Return the folder of a recording below its tree; one split of a tree may be given, too."""
    place = file.parent.relative_to(folder)
    whole = not place.parts or _TASK.fullmatch(place.parts[0]) is None
    return place if whole else Path(folder.resolve().name) / place


def _read_order(path: Path) -> Mapping[str, int]:
    """Return the place of each recording in ``splits.json``; nothing where there is none, or another file."""
    try:
        told = json.loads(path.read_bytes())
        names = [f"{split}/{row['task']}" for split, rows in told.items() for row in rows]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    return {name: place for place, name in enumerate(dict.fromkeys(names))}


def _episode(recording: recorded.Recording, document: Mapping[str, Any], place: Path, index: int) -> Episode:
    scene = _start(recording, document["scene"])
    goal, steps = _goal(recording), _steps(document, scene)
    conditions, unchecked = _check(scene, steps, goal)
    extras = [(recorded.RECORDED, json.dumps(document, separators=(",", ":"), ensure_ascii=False))]
    extras += [(recorded.RECORDED_AT, place.as_posix())] + [(UNCHECKED, unchecked)] * bool(unchecked)
    extras += [(NOISE, recorded.RECORDED)] * any(map(noise_of, steps))
    return Episode(
        benchmark="alfred",
        index=index,
        seed=int(document["scene"].get("random_seed", 0)),
        task=f"{recording.task}_sliced" if recording.sliced else recording.task,
        parameters=goal.binding if goal else tuple(recording.slots.items()),
        split=place.parts[0] if len(place.parts) > 1 else "train",
        scene=scene,
        goal=write_formula(goal.goal) if goal else "",
        plan_cost=float(len(steps)),
        planner="recorded",
        segments=_segments(document),
        steps=steps,
        instructions=_instructions(document),
        outcome=Outcome(True, conditions=conditions),
        extras=tuple(extras),
    )


def _start(recording: recorded.Recording, told: Mapping[str, Any]) -> Scene:
    """Return the start: the shipped room with the recorded items, lamps on or off as it says."""
    scene = recorded.read_scene(recording, shipped_kinds())
    lit = {recorded.older(str(each["objectType"])): bool(each["isOn"]) for each in told.get("object_toggles", [])}
    objects = tuple(
        replace(body, attributes=replace(body.attributes, is_toggled=lit[body.kind])) if body.kind in lit else body
        for body in scene.objects
    )
    return replace(scene, objects=objects, dirty_and_empty=bool(told.get("dirty_and_empty", False)))


def _goal(recording: recorded.Recording) -> Goal | None:
    """Return the goal of a recording's task; None if it is none of the shipped tasks, or filled with unknown kinds."""
    kinds, slots = shipped_kinds(), dict(recording.slots)
    name = f"alfred/{recording.task}" + "_sliced" * recording.sliced
    try:
        if recording.sliced:
            slots["object"] = kinds[slots["object"]].piece or ""
        template = load_shipped_library().find_template(name)
        return instantiate(template, {slot: slots[slot] for slot in template.slot_names}, kinds.vocabulary)
    except (ChorewrightError, KeyError):
        return None


def _segments(document: Mapping[str, Any]) -> tuple[Segment, ...]:
    return tuple(
        Segment(
            each["discrete_action"]["action"],
            tuple(map(str, each["discrete_action"]["args"])),
            json.dumps(each["planner_action"], separators=(",", ":")),
        )
        for each in document["plan"]["high_pddl"]
        if each["discrete_action"]["action"] not in _ENDS
    )


def _steps(document: Mapping[str, Any], scene: Scene) -> tuple[Step, ...]:
    """Return the low-level actions, their ids as the scene has them."""
    last = len(_segments(document)) - 1
    steps = []
    for each in document["plan"]["low_actions"]:
        call = dict(each["api_action"])
        call |= {key: recorded.match(scene, call[key]) for key in ("objectId", "receptacleObjectId") if key in call}
        call |= {key: each[key] for key in (PERTURBED, COMMANDED) if key in each}
        segment, success = min(int(each["high_idx"]), last), bool(each.get("success", True))
        told = json.dumps(call, separators=(",", ":"))
        steps.append(Step(each["discrete_action"]["action"], segment, told, success))
    return tuple(steps)


def _instructions(document: Mapping[str, Any]) -> tuple[Instruction, ...]:
    told = document.get("turk_annotations", {}).get("anns", [])
    return instructions_of([Annotation(str(each["task_desc"]), tuple(map(str, each["high_descs"]))) for each in told])


def _check(scene: Scene, steps: Sequence[Step], goal: Goal | None) -> tuple[Conditions, str]:
    """Run the steps; return the goal's conditions if they hold at the end, else why that is not known."""
    if goal is None:
        return (), "the goal is none of a shipped task"
    world = ThorWorld()
    world.reset(scene)
    if difference := find_difference(world, steps):
        return (), difference
    try:
        household = household_problem(scene, goal.goal)
        conditions = conditions_after(world.scene(), goal, household, scene.kinds.domain)
    except ChorewrightError as error:
        return (), error.message
    return check_conditions(conditions)
