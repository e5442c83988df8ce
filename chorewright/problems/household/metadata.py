"""AI2-THOR's metadata read as a scene; ``object_metadata`` is its inverse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from chorewright.errors import InputError, InputErrors, Location
from chorewright.files.json_node import MOST_LINE, is_number, show_value
from chorewright.files.json_source import load_json
from chorewright.problems.household.containment import direct_parents, with_taps
from chorewright.problems.household.free_space import (
    PIVOT,
    floor_level,
    footprint,
    free_points,
    largest_component,
    likely_points,
)
from chorewright.problems.household.houses.reading import is_house
from chorewright.problems.household.kinds import Kinds, shipped_kinds
from chorewright.problems.household.scene import GRID, Attributes, Point, Pose, Scene, SceneObject, Vector

WIDEST = 100.0
"""Metres of a room whose standing points are not known."""

AXES = ("x", "y", "z")

MOST_MISTAKES = 20
"""Of so many objects with mistakes it is told at once."""

MOST_BYTES = 40_000_000
"""An event of a large house takes some megabytes."""

LARGEST = 100_000.0
"""Metres, or degrees, beyond which a number of a scene is a mistake."""


class _Reader:
    """Reads JSON values of the expected type; an error names the file and the JSON path."""

    def __init__(self, path: str | None) -> None:
        self.path = path

    def error(self, where: str, expected: str, value: object) -> InputError:
        return InputError(
            f"expected {expected}, found {show_value(value)}",
            location=Location(self.path, json_path=where),
            hint="the metadata must have AI2-THOR's schema (event.metadata or event.metadata['objects'])",
        )

    def mapping(self, value: object, where: str) -> Mapping[str, object]:
        if not isinstance(value, dict):
            raise self.error(where, "an object", value)
        return value

    def sequence(self, value: object, where: str) -> Sequence[object]:
        if not isinstance(value, list | tuple):
            raise self.error(where, "a list", value)
        return value

    def field(self, record: Mapping[str, object], key: str, where: str) -> object:
        if key not in record:
            location = Location(self.path, json_path=where)
            raise InputError(f"the field {key!r} is missing", location=location, hint=f"it holds {sorted(record)[:8]}")
        return record[key]

    def text(self, record: Mapping[str, object], key: str, where: str) -> str:
        value = self.field(record, key, where)
        if not isinstance(value, str) or not value or len(value) > MOST_LINE:
            raise self.error(f"{where}.{key}", "a name", value)
        return value

    def number(self, value: object, where: str) -> float:
        if not is_number(value, -LARGEST, LARGEST):
            raise self.error(where, f"a number from {-LARGEST:.0f} to {LARGEST:.0f}", value)
        return float(value)

    def vector(self, value: object, where: str) -> Vector:
        record = self.mapping(value, where)
        x, y, z = (self.number(self.field(record, axis, where), f"{where}.{axis}") for axis in AXES)
        return x, y, z

    def flag(self, record: Mapping[str, object], key: str, where: str) -> bool:
        value = record.get(key, False)
        if value is not None and not isinstance(value, bool):
            raise self.error(f"{where}.{key}", "true or false", value)
        return bool(value)

    def names(self, record: Mapping[str, object], key: str, where: str) -> tuple[str, ...]:
        value = record.get(key)
        if value is None:
            return ()
        names = []
        for index, name in enumerate(self.sequence(value, f"{where}.{key}")):
            if not isinstance(name, str):
                raise self.error(f"{where}.{key}[{index}]", "an objectId", name)
            names.append(name)
        return tuple(names)


def scene_from_metadata(
    metadata: object,
    *,
    name: str | None = None,
    points: Sequence[object] | None = None,
    path: str | None = None,
    kinds: Kinds | None = None,
) -> Scene:
    """Return the scene that a simulator's metadata describes.

    Args:
        metadata: A list of objects, or an event's metadata (``objects``, and where given ``agent``,
            ``sceneName``,
            ``inventoryObjects``; ``actionReturn`` if the last action was GetReachablePositions).
        name: The scene's name, if the metadata does not say.
        points: Standing points as GetReachablePositions gives them; without them, those where one can likely
            stand (``standing``).
        path: The file, for error messages.
        kinds: What its things are; the shipped kinds by default.

    Raises:
        InputError: The metadata does not have AI2-THOR's schema; the error carries the JSON path.
    """
    if is_house(metadata):
        raise InputError(
            "this is a house; a scene is one room, as AI2-THOR's metadata of objects",
            location=Location(path, json_path="$.rooms"),
            hint="'chorewright check-scene FILE' says what is in it",
        )
    kinds = kinds or shipped_kinds()
    reader = _Reader(path)
    event: Mapping[str, object] = {}
    where = "$"
    records = metadata
    if isinstance(metadata, dict):
        event, where = metadata, "$.objects"
        records = reader.field(metadata, "objects", "$")
        if points is None and event.get("lastAction") == "GetReachablePositions":
            points = reader.sequence(event.get("actionReturn"), "$.actionReturn")
    objects = objects_from_metadata(records, kinds, path=path, where=where)
    held = _find_held(reader, event, records, {thing.object_id for thing in objects}, where)
    objects = with_taps(direct_parents(objects, held))
    agent, agent_y = _agent(reader, event, objects)
    if points is None:
        _require_room(reader, objects)
    grid = _grid(reader, points) if points is not None else infer_points(objects, agent_y - PIVOT)
    if not grid:
        raise InputError(
            "nobody can stand in this scene",
            location=Location(path, json_path="$"),
            hint="give the standing points of GetReachablePositions",
        )
    if agent is None:
        first = min(grid)
        agent = Pose(first[0], first[1], 0, 30)
    title = event.get("sceneName")
    title = name or (title if isinstance(title, str) and title else "scene")
    return Scene(
        title.removesuffix("_physics"),
        room_kind(title, objects),
        objects,
        tuple(sorted(grid)),
        agent_y,
        agent,
        holding=held,
        kinds=kinds,
    )


def _require_room(reader: _Reader, objects: Sequence[SceneObject]) -> None:
    """Check that a scene whose standing points are not known is no larger than a room."""
    boxes = [footprint(thing) for thing in objects]
    for low, high in ((0, 1), (2, 3)):
        least, most = min((box[low] for box in boxes), default=0.0), max((box[high] for box in boxes), default=0.0)
        if most - least > WIDEST:
            raise InputError(
                f"the things reach over {most - least:.0f} m; a room is at most {WIDEST:.0f} m wide",
                location=Location(reader.path, json_path="$.objects"),
                hint="give the standing points of GetReachablePositions",
            )


def infer_points(objects: Sequence[SceneObject], level: float) -> set[Point]:
    """Return where an agent can stand in a room where nobody has walked: likely points, else what boxes leave free.

    Args:
        objects: Everything in the room.
        level: Height of the floor.
    """
    return likely_points(objects, level) or largest_component(free_points(objects, level))


def read_scene(path: str | Path, kinds: Kinds | None = None) -> Scene:
    """Return the scene of a metadata file.

    Raises:
        UsageError: The file cannot be read.
        InputError: It is not JSON, or does not have AI2-THOR's schema.
        LimitError: It is too large or nested too deep.
    """
    source = load_json(path, MOST_BYTES, strict=False)
    with source.locate():
        return scene_from_metadata(source.value, name=None, path=source.path, kinds=kinds)


def room_kind(name: str, objects: Sequence[SceneObject]) -> str:
    """Return kitchen, living_room, bedroom or bathroom: by iTHOR's numbering, else by the furniture."""
    digits = name.removeprefix("FloorPlan").removesuffix("_physics")
    if name.startswith("FloorPlan") and digits.isdigit():
        return {0: "kitchen", 2: "living_room", 3: "bedroom", 4: "bathroom"}.get(int(digits) // 100, "kitchen")
    found = {thing.kind for thing in objects}
    for kind, signs in (
        ("bathroom", {"Toilet", "Bathtub", "ShowerHead"}),
        ("bedroom", {"Bed"}),
        ("kitchen", {"Fridge", "StoveBurner", "Microwave"}),
    ):
        if found & signs:
            return kind
    return "living_room"


def objects_from_metadata(
    records: object, kinds: Kinds, *, path: str | None = None, where: str = "$"
) -> tuple[SceneObject, ...]:
    """Return the objects of AI2-THOR's object list, with all parents that the metadata names.

    Raises:
        InputError, InputErrors: Records lack a field or have one of the wrong type, or an objectId occurs twice.
    """
    reader = _Reader(path)
    objects: list[SceneObject] = []
    seen: dict[str, int] = {}
    mistakes: list[InputError] = []
    for index, value in enumerate(reader.sequence(records, where)):
        here = f"{where}[{index}]"
        try:
            thing = _object(reader, reader.mapping(value, here), here, kinds)
            if thing.object_id in seen:
                raise InputError(
                    f"the objectId {thing.object_id!r} is that of object {seen[thing.object_id]} too",
                    location=Location(path, json_path=f"{here}.objectId"),
                )
        except InputError as error:
            mistakes.append(error)
            continue
        seen[thing.object_id] = index
        objects.append(thing)
    if mistakes:
        raise mistakes[0] if len(mistakes) == 1 else InputErrors(mistakes[:MOST_MISTAKES])
    return tuple(objects)


def _object(reader: _Reader, record: Mapping[str, object], where: str, kinds: Kinds) -> SceneObject:
    position = reader.vector(reader.field(record, "position", where), f"{where}.position")
    rotation = record.get("rotation")
    centre, size = position, (0.0, 0.0, 0.0)
    box = record.get("axisAlignedBoundingBox")
    if box is not None:
        here = f"{where}.axisAlignedBoundingBox"
        box = reader.mapping(box, here)
        centre = reader.vector(reader.field(box, "center", here), f"{here}.center")
        size = reader.vector(reader.field(box, "size", here), f"{here}.size")
    asset = record.get("assetId")
    kind = reader.text(record, "objectType", where)
    return SceneObject(
        object_id=reader.text(record, "objectId", where),
        kind=kind,
        position=position,
        rotation=reader.vector(rotation, f"{where}.rotation") if rotation is not None else (0.0, 0.0, 0.0),
        centre=centre,
        size=size,
        parents=reader.names(record, "parentReceptacles", where),
        controls=reader.names(record, "controlledObjects", where),
        asset=asset if isinstance(asset, str) else "",
        receptacle=reader.flag(record, "receptacle", where),
        attributes=_attributes(reader, record, where),
        traits=kinds[kind],
    )


def _attributes(reader: _Reader, record: Mapping[str, object], where: str) -> Attributes:
    def flag(key: str) -> bool:
        return reader.flag(record, key, where)

    liquid = record.get("fillLiquid")
    if liquid is not None and not isinstance(liquid, str):
        raise reader.error(f"{where}.fillLiquid", "the name of a liquid", liquid)
    if not flag("isFilledWithLiquid"):
        liquid = None
    elif not liquid:
        liquid = "wine" if record.get("objectType") == "WineBottle" else "water"
    temperature = record.get("temperature", record.get("ObjectTemperature"))
    return Attributes(
        is_open=flag("isOpen"),
        is_toggled=flag("isToggled"),
        is_dirty=flag("isDirty"),
        is_broken=flag("isBroken"),
        is_used_up=flag("isUsedUp"),
        is_cooked=flag("isCooked"),
        is_sliced=flag("isSliced"),
        liquid=liquid,
        temperature=temperature if isinstance(temperature, str) and temperature else "RoomTemp",
        cooked=flag("isCooked"),
        watered=liquid == "water",
        brewed=liquid == "coffee",
    )


def _find_held(
    reader: _Reader, event: Mapping[str, object], records: object, known: set[str], where: str
) -> str | None:
    held = [
        (str(record["objectId"]), f"{where}[{index}].isPickedUp")
        for index, record in enumerate(reader.sequence(records, where))
        if isinstance(record, dict) and record.get("isPickedUp") is True
    ]
    inventory = event.get("inventoryObjects") or ()
    for index, record in enumerate(reader.sequence(inventory, "$.inventoryObjects")):
        here = f"$.inventoryObjects[{index}]"
        name = reader.text(reader.mapping(record, here), "objectId", here)
        if name not in known:
            raise InputError(
                f"there is no object {name!r}", location=Location(reader.path, json_path=f"{here}.objectId")
            )
        held.append((name, here))
    names = sorted({name for name, _ in held})
    if len(names) > 1:
        raise InputError(
            f"the agent holds {len(names)} objects: {', '.join(names)}",
            location=Location(reader.path, json_path=held[-1][1]),
            hint="one hand holds one object",
        )
    return names[0] if names else None


def _agent(reader: _Reader, event: Mapping[str, object], objects: Sequence[SceneObject]) -> tuple[Pose | None, float]:
    if event.get("agent") is None:
        return None, round(floor_level(objects) + PIVOT, 3)
    agent = reader.mapping(event["agent"], "$.agent")
    x, y, z = reader.vector(reader.field(agent, "position", "$.agent"), "$.agent.position")
    rotation = agent.get("rotation", 0.0)
    yaw = (
        reader.vector(rotation, "$.agent.rotation")[1]
        if isinstance(rotation, dict)
        else reader.number(rotation, "$.agent.rotation")
    )
    horizon = reader.number(agent.get("cameraHorizon", 30.0), "$.agent.cameraHorizon")
    return Pose.nearest(x / GRID, z / GRID, yaw, horizon), y


def _grid(reader: _Reader, points: Sequence[object]) -> set[Point]:
    grid: set[Point] = set()
    for index, value in enumerate(points):
        here = f"$.actionReturn[{index}]"
        if isinstance(value, dict):
            x, _, z = reader.vector({"y": 0.0, **value}, here)
        else:
            pair = reader.sequence(value, here)
            if len(pair) not in (2, 3):
                raise reader.error(here, "a point", value)
            x, z = (reader.number(pair[axis], f"{here}[{axis}]") for axis in (0, -1))
        grid.add((round(x / GRID), round(z / GRID)))
    return grid
