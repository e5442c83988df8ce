"""ALFRED's ``traj_data.json`` tree with masks and pictures, as its scripts read it, and ALFWorld's tree of games.

Layout: ``<split>/<task>-<object>-<movable|None>-<receptacle or lamp>-<scene>/<trial>/traj_data.json`` (test
splits: ``<split>/<trial>/``), pictures in ``raw_images`` beside it, and ``splits.json`` in the form of
``oct21.json``, with all of ALFRED's folds, since its code asks for each of them. Trial ids look like ALFRED's
but are made of the episode's provenance, never of the clock.

The exporter reads from an episode:

- ``segments``: ``action`` in ALFRED's vocabulary (an end is added if there is none); ``details``, JSON with
  the fields of ALFRED's planner action: ``location`` (``loc|x|z|rotation|horizon``) or ``objectId`` (the
  item; the basin or appliance of CleanObject, HeatObject, CoolObject), ``receptacleObjectId`` (PutObject),
  ``cleanObjectId`` (CleanObject), ``coordinateObjectId`` (the item's) and ``coordinateReceptacleObjectId``
  (absent if it lies in none), both ``[class, [x, x, z, z, y, y]]`` in units of the grid; names are ours;
- ``steps``: ``action`` as in ALFRED's low-level vocabulary (``MoveAhead_25``) and ``arguments``, JSON with
  ``objectId`` and, for PutObject, ``receptacleObjectId``;
- ``parameters``: the filled slots, by any of the names in ``generator/alfred/data/names.json``, else by their kinds;
- ``instructions`` of the levels ``goal`` and ``step``, several ``annotation`` numbers.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from chorewright.errors import Location, UnsupportedError
from chorewright.files.english import say_count
from chorewright.generator.alfred.demonstration import class_in_alfred, names_in_alfred
from chorewright.generator.alfred.export import plan
from chorewright.generator.alfred.games import game_of
from chorewright.generator.alfred.options import settings
from chorewright.generator.alfred.recorded import RECORDED, RECORDED_AT
from chorewright.generator.dataset.episode import Episode, Segment, json_object
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.spawning import room_of
from chorewright.generator.training.exporter import Exported, Exporter, ExportFolder, export_folder
from chorewright.problems.household.containment import model_name
from chorewright.problems.household.houses.source import house_seed
from chorewright.problems.household.scene import GRID, Vector, is_house_name
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.reading import GAME_FILE, TRAJECTORY_FILE
from chorewright.replay.alfred.textworld import game_file, is_proven

_EPOCH = datetime(2001, 1, 1)
_SECONDS = 100 * 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class AlfredExportOptions:
    """The options of ``export --format alfred``.

    Attributes:
        images: Draw a picture before each low-level action, and one of the end.
        filler: Draw all pictures that ALFRED's recorder saves.
    """

    images: bool = False
    filler: bool = False


class AlfredExporter(Exporter[AlfredExportOptions]):
    """Writes accepted episodes as ALFRED trajectories."""

    name = "alfred"
    accepts = ("alfred",)
    options = AlfredExportOptions

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write ``traj_data.json`` files and ``splits.json``; see ``Exporter.write``."""
        folder = export_folder(episodes, target, self.name)
        drawn = isinstance(episodes, Dataset)  # others may not replay
        rows: dict[str, list[plan.Json]] = {split: [] for split in settings().split_shares}
        for episode in folder.take(self.follow(episodes)):
            path = trajectory_path(episode)
            pointed = plan.locate_targets(episode) if drawn and RECORDED not in dict(episode.extras) else None
            document = trajectory(episode, pointed, self.asked.images and not self.asked.filler)
            place = (*path, "traj_data.json")
            if (self.asked.images or self.asked.filler) and drawn and not folder.has_json(place, document):
                for number, picture in enumerate(plan.draw_images(episode, _segments(episode), self.asked.filler)):
                    folder.write((*path, plan.FOLDER, plan.image_name(number)), picture)
            folder.write_json(place, document)  # last: then the pictures are there
            task = "/".join(path[1:])
            annotations = len({line.annotation for line in episode.instructions if line.level == "goal"})
            rows.setdefault(path[0], []).extend({"task": task, "repeat_idx": k} for k in range(annotations))
        folder.write_json(("splits.json",), rows)
        return folder.report()


def trial(episode: Episode) -> str:
    """Return the trial id ``trial_T<date>_<time>_<micro>`` of an episode: a function of its provenance.

    The last six digits are the index; the date and time are a hash of what made the episode.
    """
    made_of = [episode.benchmark, episode.index, episode.seed, episode.task, episode.parameters, room_of(episode).name]
    digest = hashlib.sha256(json.dumps(made_of).encode()).digest()
    seconds = (int.from_bytes(digest[:8], "big") + episode.index // 1_000_000) % _SECONDS
    when = _EPOCH + timedelta(seconds=seconds)
    return f"trial_T{when:%Y%m%d_%H%M%S}_{episode.index % 1_000_000:06d}"


def trajectory_path(episode: Episode, houses: bool = False) -> tuple[str, ...]:
    """Return the folders from the split to the trial; arguments as those of ``trajectory``."""
    if (recorded_at := dict(episode.extras).get(RECORDED_AT)) is not None:
        return (episode.split, *recorded_at.split("/")[1:])
    if episode.split in names_in_alfred().test_splits:
        return episode.split, trial(episode)
    params = _parameters(episode)
    thing = str(params["object_target"])
    if params["object_sliced"]:
        whole = room_of(episode).kinds[plan.slot(episode, "object").removesuffix("Sliced")]
        thing = class_in_alfred(whole.piece or f"{thing}Sliced")
    place = params["toggle_target"] or params["parent_target"] or "None"
    parts = (
        _task_type(episode),
        thing or "None",
        params["mrecep_target"] or "None",
        place,
        _scene_number(episode, houses),
    )
    return episode.split, "-".join(map(str, parts)), trial(episode)


def _segments(episode: Episode) -> list[Segment]:
    return [segment for segment in episode.segments if segment.action not in plan.ENDS]


def trajectory(
    episode: Episode, pointed: Mapping[int, plan.Pointed] | None = None, by_step: bool = False, houses: bool = False
) -> dict[str, plan.Json]:
    """Return the content of an episode's ``traj_data.json``.

    Args:
        episode: What is written.
        pointed: The discrete actions' boxes, points and masks, by step.
        by_step: List one picture for each step, not all that ALFRED's recorder saves.
        houses: Take houses, too: the number of a house's scene is its seed, 0 if it has none.

    Raises:
        InputError: details or arguments of the episode lack what ALFRED needs.
        UnsupportedError: the episode is in a house that is not taken, or does what ALFRED's vocabulary cannot say.
    """
    if (recorded := dict(episode.extras).get(RECORDED)) is not None:  # a recording leaves as it came
        return dict(json_object(recorded, f"recording of episode {episode.index}"))
    segments = _segments(episode)
    annotations = _annotations(episode, len(segments))
    return {
        "images": plan.step_images(episode.steps) if by_step else plan.recorder_images(episode.steps, segments),
        "pddl_params": _parameters(episode),
        "plan": {
            "high_pddl": plan.high_actions(episode, segments),
            "low_actions": [
                plan.low_action(episode, number, (pointed or {}).get(number, {}))
                for number in range(len(episode.steps))
            ],
        },
        "scene": _scene(episode, houses),
        "task_id": trial(episode),
        "task_type": _task_type(episode),
        "template": {"task_desc": annotations[0][0], "high_descs": list(annotations[0][1])},
        "turk_annotations": {
            "anns": [
                {"assignment_id": f"chorewright_{number}", "task_desc": goal, "high_descs": list(steps), "votes": []}
                for number, (goal, steps) in enumerate(annotations)
            ]
        },
    }


def _task_type(episode: Episode) -> str:
    name = re.split(r"[/:]", episode.task)[-1].replace("-", "_")
    return name.removesuffix(names_in_alfred().sliced_suffix)


def _parameters(episode: Episode) -> dict[str, plan.Json]:
    """Return ``pddl_params``: base classes, empty strings for what the task does not have."""
    thing = plan.slot(episode, "object")
    suffix = names_in_alfred().sliced_suffix
    sliced = thing.endswith("Sliced") or episode.task.replace("-", "_").endswith(suffix)
    return {
        "mrecep_target": class_in_alfred(plan.slot(episode, "movable")),
        "object_sliced": sliced,
        "object_target": class_in_alfred(thing.removesuffix("Sliced")),
        "parent_target": class_in_alfred(plan.slot(episode, "receptacle")),
        "toggle_target": class_in_alfred(plan.slot(episode, "lamp")),
    }


def _scene_number(episode: Episode, houses: bool) -> int:
    scene = room_of(episode)
    if scene.building is not None and houses:
        return house_seed(scene.name) if is_house_name(scene.name) else 0
    if scene.building is not None:
        raise UnsupportedError(
            f"ALFRED's format knows a scene by the number of an iTHOR room, and {scene.name} is a house",
            hint="alfworld, lerobot, minari, chat and questions take houses",
            location=Location(f"episode {episode.index}", json_path="scene"),
        )
    digits = re.search(r"\d+", scene.name)
    return int(digits[0]) if digits else 0


def _point(vector: Vector) -> dict[str, float]:
    return dict(zip("xyz", (float(value) for value in vector), strict=True))


def _scene(episode: Episode, houses: bool) -> dict[str, plan.Json]:
    scene = room_of(episode)
    agent = scene.agent
    lamp = class_in_alfred(plan.slot(episode, "lamp"))
    return {
        "dirty_and_empty": scene.dirty_and_empty,
        "floor_plan": scene.name,
        "init_action": {
            "action": "TeleportFull",
            "horizon": agent.horizon,
            "rotateOnTeleport": True,
            "rotation": agent.rotation * 90,
            "x": agent.x * GRID,
            "y": float(scene.agent_y),
            "z": agent.z * GRID,
        },
        "object_poses": [
            {
                "objectName": class_in_alfred(thing.kind)
                + model_name(thing.kind, thing.asset).removeprefix(thing.kind),
                "position": _point(thing.position),
                "rotation": _point(thing.rotation),
            }
            for thing in scene.objects
            if thing.traits.item
        ],
        "object_toggles": [{"isOn": False, "objectType": lamp}] if lamp else [],
        "random_seed": episode.seed % 2**32,
        "scene_num": _scene_number(episode, houses),
    }


def _annotations(episode: Episode, count: int) -> list[tuple[str, tuple[str, ...]]]:
    """Return (goal, one sentence per segment) of each annotation.

    Raises:
        InputError: there is no annotation, or one does not say each segment exactly once.
    """
    goals = {line.annotation: line.text for line in episode.instructions if line.level == "goal"}
    found = []
    for number in sorted(goals):
        said = {
            line.segment: line.text
            for line in episode.instructions
            if line.level == "step" and line.annotation == number and line.segment is not None
        }
        steps = [said.get(segment, "") for segment in range(count)]
        if not all(steps):
            missing = next(segment for segment, text in enumerate(steps) if not text)
            raise plan.error_at(episode, "instructions", f"annotation {number} says nothing of segment {missing}")
        found.append((goals[number], tuple(steps)))
    if not found:
        raise plan.error_at(episode, "instructions", "there is no annotation with a goal")
    return found


# ALFWorld's layout: ``json_2.1.1/<split>/<type>-<object>-<movable>-<receptacle>-<scene>/<trial>/``.
#
# In each trial's folder lie ``game.tw-pddl``, ``traj_data.json`` as ALFRED has it, and ``initial_state.pddl``. A game
# is marked solvable if its walkthrough has been validated on its own PDDL.


ROOT = "json_2.1.1"
STATE_FILE = "initial_state.pddl"
INDEX = "index.json"

_FILTERED = {"movable": "vessel", "Sliced": "Slice"}
"""Words in folder names by which ALFWorld leaves games out, and what stands for them."""

_NEAREST = {"pick_and_place_with_movable_recep": "pick_and_place_simple"}
"""A type that ALFWorld plays for one that it does not."""


@dataclass(frozen=True, slots=True)
class AlfworldExportOptions:
    """The options of ``export --format alfworld``.

    Attributes:
        strict: Only ALFWorld's own kinds of receptacles: no floor, no chairs.
        extended: In every game slicing yields pieces and vessels can be filled.
        found_by_alfworld: Give sliced and movable games folders and a type that ALFWorld does not leave out.
    """

    strict: bool = False
    extended: bool = False
    found_by_alfworld: bool = False


class AlfworldExporter(Exporter[AlfworldExportOptions]):
    """Writes accepted episodes as text games."""

    name = "alfworld"
    accepts = ("alfred",)
    options = AlfworldExportOptions
    _unsolved = 0

    def note(self) -> str:
        """Return how many games have no way to their goal, if some have none."""
        return f"{say_count(self._unsolved, 'game')} cannot be won, and say so" if self._unsolved else ""

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the games and an index of them; see ``Exporter.write``."""
        folder = export_folder(episodes, target, self.name)
        index: dict[str, object] = {}
        self._unsolved = 0
        for episode in folder.take(self.follow(episodes)):
            game = game_of(episode, strict=self.asked.strict, extended=self.asked.extended or None)
            path = self._write(folder, episode, game)
            index["/".join(path[1:])] = {"task": episode.task, "goal": game.sentence, "episode": episode.index}
        folder.write_json((INDEX,), index)
        return folder.report()

    def _write(self, folder: ExportFolder, episode: Episode, game: Game) -> tuple[str, ...]:
        """Write one game; return its folder."""
        path, document = trajectory_path(episode, houses=True), trajectory(episode, houses=True)
        if self.asked.found_by_alfworld:
            path, document = _adapt(path, document)
        solvable = is_proven(game)
        self._unsolved += not solvable
        content = game_file(game, solvable)
        place = (ROOT, *path)
        folder.write_json((*place, TRAJECTORY_FILE), document)
        folder.write((*place, STATE_FILE), str(content["pddl_problem"]).encode())
        folder.write_json((*place, GAME_FILE), content, indent=None)
        return place


def _adapt(path: tuple[str, ...], document: dict[str, object]) -> tuple[tuple[str, ...], dict[str, object]]:
    """Return a folder and a trajectory that ALFWorld does not leave out."""
    kind = str(document["task_type"])
    nearest = _NEAREST.get(kind, kind)
    parts = []
    for part in path:
        part = part.replace(f"{kind}-", f"{nearest}-")
        for word, other in _FILTERED.items():
            part = part.replace(word, other)
        parts.append(part)
    return tuple(parts), {**document, "task_type": nearest}
