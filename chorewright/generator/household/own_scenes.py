"""Scenes of a user's own as rooms of a dataset: AI2-THOR's metadata, or houses, whose text the configuration keeps.

What of a file matters is kept: objects, agent, standing points; of a house all. Things are scattered in such a scene
as in a room. Houses that are generated need no file: ``scene_names`` knows their names.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from chorewright.errors import UsageError
from chorewright.files.json_node import JsonFindings, root
from chorewright.files.json_source import load_json, parse_json
from chorewright.files.text import note
from chorewright.generator.dataset.config import SCENES, GenerateConfig, library_of
from chorewright.generator.dataset.options import Loaded
from chorewright.generator.household.possibilities import RoomFacts, facts_of, room_facts
from chorewright.generator.household.scene_names import ABOUT, find_rooms, is_scene_name, scene_names
from chorewright.problems.household.containment import is_receptacle
from chorewright.problems.household.houses.reading import house_of, is_house, load_house
from chorewright.problems.household.houses.scenes import find_left_out, house_scene
from chorewright.problems.household.kinds import Kinds, kinds_of, shipped_kinds
from chorewright.problems.household.metadata import MOST_BYTES, scene_from_metadata
from chorewright.problems.household.rooms import named_scene
from chorewright.problems.household.scene import GRID, Scene, is_house_name

_EVENT = ("agent", "sceneName", "inventoryObjects", "objects")
_LEFT_OUT = ("objectOrientedBoundingBox", "cornerPoints", "name", "distance", "visible", "mass", "salientMaterials")


@dataclass(frozen=True, slots=True)
class OwnScene:
    """A scene as it is used, and what had to be changed or left: one sentence each."""

    scene: Scene
    notes: tuple[str, ...] = ()


def scene_files(word: str) -> tuple[Path, ...]:
    """Return the files that a word means: a ``.json`` file, or all of a folder's; none for a room's name.

    What ``houses`` says of a folder of houses is no scene.

    Raises:
        UsageError: There is no such file, or none in the folder.
    """
    path = Path(word)
    if path.is_dir():
        found = tuple(sorted(each for each in path.glob("*.json") if each.name != ABOUT))
        if not found:
            raise UsageError(f"there is no .json file in the folder {word!r}")
        return found
    if path.suffix == ".json":
        if not path.is_file():
            raise UsageError(f"there is no file {word!r}")
        return (path,)
    return ()


def load_scenes(words: Sequence[str]) -> Loaded:
    """Take words as names of rooms, files and folders; all mistakes of all files are told.

    Raises:
        UsageError: A file is not there, or two scenes have the same name.
        InputErrors: Files have mistakes.
    """
    names: list[str] = []
    files: dict[str, str] = {}
    mistakes = JsonFindings()
    for word in words:
        paths = scene_files(word)
        names += [] if paths else [word]
        for path in paths:
            if path.stem in files or is_scene_name(path.stem):
                raise UsageError(f"two scenes are called {path.stem!r}", hint="rename one of the files")
            with mistakes.collected():
                files[path.stem] = scene_text(path)
            names.append(path.stem)
    mistakes.report()
    return Loaded(tuple(names), tuple((f"{SCENES}{name}", text) for name, text in files.items()))


def scene_text(path: Path) -> str:
    """Return what matters of a metadata file, or all of a house's, as JSON on one line.

    Raises:
        UsageError: It cannot be read.
        InputError, InputErrors: It is not JSON, does not have AI2-THOR's schema, or its furniture has no boxes.
        LimitError: It is too large or nested too deep.
    """
    node = root(load_json(path, MOST_BYTES, strict=False))
    if is_house(node.value):
        house_scene(load_house(path), path.stem)
        return json.dumps(node.value, separators=(",", ":"))
    if isinstance(node.value, dict) and "objects" not in node and isinstance(node.value.get("metadata"), dict):
        node = node["metadata"]  # a whole event
    scene = scene_from_metadata(node)
    furniture = [thing for thing in scene.objects if not thing.traits.item and is_receptacle(thing)]
    if furniture and not any(any(thing.size) for thing in furniture):
        hint = "things are put where boxes leave room; take the metadata of AI2-THOR 2.0 or later"
        records = node["objects"] if isinstance(node.value, dict) else node
        raise records.error("no furniture has a box: 'axisAlignedBoundingBox' is missing", hint)
    return json.dumps(_shorten(node.value), separators=(",", ":"))


def _shorten(value: object) -> object:
    """Return metadata without what no scene is made of."""
    if not isinstance(value, dict):
        return {"objects": value}
    kept = {key: value[key] for key in _EVENT if key in value}
    if value.get("lastAction") == "GetReachablePositions":
        kept |= {key: value[key] for key in ("lastAction", "actionReturn") if key in value}
    kept["objects"] = [
        {key: each for key, each in record.items() if key not in _LEFT_OUT and each not in (None, False, [])}
        for record in kept["objects"]
    ]
    return kept


def own_scene(name: str, text: str, kinds: Kinds) -> OwnScene:
    """Return a scene from its text: an agent off the standing points is put onto the nearest one.

    Raises:
        InputError: The text is no scene.
    """
    scene: OwnScene = kinds.scenes.of(kinds, (name, text), lambda: _parse_scene(name, text, kinds))
    return scene


def _parse_scene(name: str, text: str, kinds: Kinds) -> OwnScene:
    node, notes = root(parse_json(text, name, strict=False)), []
    if is_house(node.value):
        house = house_of(node)
        scene = house_scene(house, name, kinds)
        if left := find_left_out(house):
            notes.append(f"left out, as nobody knows their kind or size: {', '.join(left)}")
    else:
        scene = replace(scene_from_metadata(node, kinds=kinds), name=name)
    unknown = sorted({thing.kind for thing in scene.objects if thing.kind not in kinds})
    if unknown:
        shown = ", ".join(unknown[:6]) + (", ..." if len(unknown) > 6 else "")
        notes.append(f"kinds that are not known stay where they are: {shown}; --kinds declares them")
    agent, moved = scene.agent, 0.0
    if (agent.x, agent.z) not in scene.grid:
        x, z = min(scene.grid, key=lambda point: (math.dist(point, (agent.x, agent.z)), point))
        moved = math.dist((x, z), (agent.x, agent.z)) * GRID
        scene = replace(scene, agent=replace(agent, x=x, z=z))
        notes.append(f"the agent is off the standing points; it starts at the nearest, {moved:.2f} m away")
    return OwnScene(scene, tuple(notes))


def read_own_scene(path: Path, kinds: Kinds | None = None) -> OwnScene:
    """Return the scene of a metadata file, or of an event's file; raises as ``scene_text``."""
    return own_scene(path.stem, scene_text(path), kinds or shipped_kinds())


def own_texts(config: GenerateConfig) -> Mapping[str, str]:
    """Return the texts of a configuration's own scenes by their names."""
    return {name.removeprefix(SCENES): text for name, text in config.task_files if name.startswith(SCENES)}


def scene_of(config: GenerateConfig, name: str, kinds: Kinds) -> Scene:
    """Return a room, a house, or a scene of the configuration's own, before anything is scattered."""
    text = own_texts(config).get(name)
    return named_scene(name, kinds) if text is None else own_scene(name, text, kinds).scene


def scene_facts(config: GenerateConfig, name: str, kinds: Kinds) -> RoomFacts:
    """Return what a room, a house or a scene of the configuration's own offers."""
    text = own_texts(config).get(name)
    if text is None:
        return room_facts(name, kinds)
    facts: RoomFacts = kinds.findings.of(kinds, (name, text), lambda: facts_of(own_scene(name, text, kinds).scene))
    return facts


def find_scenes(config: GenerateConfig, asked: Collection[str], kinds: Kinds) -> tuple[str, ...]:
    """Return the rooms, houses and own scenes that are asked for, and tell what had to be changed in these.

    All rooms are if nothing else is.

    Raises:
        UsageError: There is no such room or house.
    """
    own = own_texts(config)
    for name, text in own.items():
        for each in own_scene(name, text, kinds).notes:
            note(f"{name}: {each}")
    named = [name for word in asked if word not in own for name in scene_names(word)]
    rooms = [name for name in named if not is_house_name(name)]
    houses = [name for name in named if is_house_name(name)]
    return (*(find_rooms(rooms) if rooms or not (own or houses) else ()), *dict.fromkeys(houses), *own)


def find_kinds(config: GenerateConfig) -> Kinds:
    """Return what can be named and done in the rooms of a configuration.

    Raises:
        InputErrors: A file of the user's has errors.
    """
    return kinds_of(library_of(config))
