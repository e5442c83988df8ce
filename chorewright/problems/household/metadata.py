"""AI2-THOR's metadata read as a scene; ``object_metadata`` is its inverse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from chorewright.errors import InputError
from chorewright.files.json_node import MOST_LINE, JsonFindings, Node, root
from chorewright.files.json_source import JsonValue, bare, load_json
from chorewright.problems.household import free_space
from chorewright.problems.household.containment import direct_parents, with_taps
from chorewright.problems.household.houses.reading import is_house
from chorewright.problems.household.kinds import Kinds, shipped_kinds
from chorewright.problems.household.scene import GRID, Attributes, Point, Pose, Scene, SceneObject, Vector

WIDEST = 100.0
"""Metres of a room whose standing points are not known."""

MOST_MISTAKES = 20
"""Of so many objects with mistakes it is told at once."""

MOST_BYTES = 40_000_000
"""An event of a large house takes some megabytes."""

LARGEST = 100_000.0
"""Metres, or degrees, beyond which a number of a scene is a mistake."""

_HINT = "the metadata must have AI2-THOR's schema (event.metadata or event.metadata['objects'])"


@contextmanager
def _hinting() -> Iterator[None]:
    """Give errors that have no hint the one that the metadata must have AI2-THOR's schema."""
    try:
        yield
    except InputError as error:
        error.hint = error.hint or _HINT
        raise


def _name(node: Node) -> str:
    name = node.text("a name", MOST_LINE)
    if not name:
        raise node.expected("a name")
    return name


def _number(node: Node) -> float:
    return node.number(-LARGEST, LARGEST)


def _vector(node: Node) -> Vector:
    return _number(node["x"]), _number(node["y"]), _number(node["z"])


def _names(node: Node | None) -> tuple[str, ...]:
    return () if node is None else tuple(each.text("an objectId") for each in node.items())


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
    node = metadata if isinstance(metadata, Node) else root(bare(cast("JsonValue", metadata), path))
    if is_house(node.value):
        hint = "'chorewright check-scene FILE' says what is in it"
        raise (node.get("rooms") or node).error(
            "this is a house; a scene is one room, as AI2-THOR's metadata of objects", hint
        )
    kinds = kinds or shipped_kinds()
    with _hinting():
        event, records = (node, node["objects"]) if isinstance(node.value, dict) else (Node(node.source, {}), node)
        places = None if points is None else Node(node.source, cast("JsonValue", points), ("actionReturn",))
        if places is None and (last := event.get("lastAction")) and last.value == "GetReachablePositions":
            places = event["actionReturn"]
        objects = objects_from_metadata(records, kinds)
        held = _find_held(event, records, {thing.object_id for thing in objects})
        objects = with_taps(direct_parents(objects, held))
        agent, agent_y = _agent(event, objects)
        if places is None:
            _require_room(records, objects)
        grid = infer_points(objects, agent_y - free_space.PIVOT) if places is None else set(map(_point, places.items()))
    if not grid:
        raise node.error("nobody can stand in this scene", "give the standing points of GetReachablePositions")
    if agent is None:
        first = min(grid)
        agent = Pose(first[0], first[1], 0, 30)
    title = name or _text(event, "sceneName") or "scene"
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


def _require_room(records: Node, objects: Sequence[SceneObject]) -> None:
    """Check that a scene whose standing points are not known is no larger than a room."""
    boxes = [thing.footprint for thing in objects]
    for low, high in ((0, 1), (2, 3)):
        least, most = min((box[low] for box in boxes), default=0.0), max((box[high] for box in boxes), default=0.0)
        if most - least > WIDEST:
            message = f"the things reach over {most - least:.0f} m; a room is at most {WIDEST:.0f} m wide"
            raise records.error(message, "give the standing points of GetReachablePositions")


def infer_points(objects: Sequence[SceneObject], level: float) -> set[Point]:
    """Return where an agent can stand in a room where nobody has walked: likely points, else what boxes leave free.

    Args:
        objects: Everything in the room.
        level: Height of the floor.
    """
    return free_space.likely_points(objects, level) or free_space.largest_component(
        free_space.free_points(objects, level)
    )


def read_scene(path: str | Path, kinds: Kinds | None = None) -> Scene:
    """Return the scene of a metadata file.

    Raises:
        UsageError: The file cannot be read.
        InputError: It is not JSON, or does not have AI2-THOR's schema.
        LimitError: It is too large or nested too deep.
    """
    return scene_from_metadata(root(load_json(path, MOST_BYTES, strict=False)), kinds=kinds)


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


def objects_from_metadata(records: Node, kinds: Kinds) -> tuple[SceneObject, ...]:
    """Return the objects of AI2-THOR's object list, with all parents that the metadata names.

    Raises:
        InputError, InputErrors: Records lack a field or have one of the wrong type, or an objectId occurs twice.
    """
    objects: list[SceneObject] = []
    seen: dict[str, int] = {}
    mistakes = JsonFindings()
    for index, record in enumerate(records.items()):
        with mistakes.collected(), _hinting():
            thing = _object(record, kinds)
            if thing.object_id in seen:
                same = f"the objectId {thing.object_id!r} is that of object {seen[thing.object_id]} too"
                raise record["objectId"].error(same)
            seen[thing.object_id] = index
            objects.append(thing)
    mistakes.report(MOST_MISTAKES)
    return tuple(objects)


def _object(record: Node, kinds: Kinds) -> SceneObject:
    position, rotation, box = _vector(record["position"]), record.get("rotation"), record.get("axisAlignedBoundingBox")
    kind = _name(record["objectType"])
    return SceneObject(
        object_id=_name(record["objectId"]),
        kind=kind,
        position=position,
        rotation=(0.0, 0.0, 0.0) if rotation is None else _vector(rotation),
        centre=position if box is None else _vector(box["center"]),
        size=(0.0, 0.0, 0.0) if box is None else _vector(box["size"]),
        parents=_names(record.get("parentReceptacles")),
        controls=_names(record.get("controlledObjects")),
        asset=_text(record, "assetId"),
        receptacle=_flag(record, "receptacle"),
        attributes=_attributes(record),
        traits=kinds[kind],
    )


def _text(record: Node, key: str) -> str:
    """Return a text of a record; empty if it has none of this name."""
    node = record.get(key)
    return node.value if node is not None and isinstance(node.value, str) else ""


def _flag(record: Node, key: str) -> bool:
    """Return whether a record has a flag; what it lacks, or has as null, it has not."""
    node = record.get(key)
    return node is not None and node.flag()


def _attributes(record: Node) -> Attributes:
    told = record.get("fillLiquid")
    liquid = None if told is None else told.text("the name of a liquid")
    if not _flag(record, "isFilledWithLiquid"):
        liquid = None
    elif not liquid:
        liquid = "wine" if record["objectType"].value == "WineBottle" else "water"
    return Attributes(
        is_open=_flag(record, "isOpen"),
        is_toggled=_flag(record, "isToggled"),
        is_dirty=_flag(record, "isDirty"),
        is_broken=_flag(record, "isBroken"),
        is_used_up=_flag(record, "isUsedUp"),
        is_cooked=_flag(record, "isCooked"),
        is_sliced=_flag(record, "isSliced"),
        liquid=liquid,
        temperature=_text(record, "temperature") or _text(record, "ObjectTemperature") or "RoomTemp",
        cooked=_flag(record, "isCooked"),
        watered=liquid == "water",
        brewed=liquid == "coffee",
    )


def _find_held(event: Node, records: Node, known: set[str]) -> str | None:
    held = [(str(each["objectId"].value), each["isPickedUp"]) for each in records.items() if _flag(each, "isPickedUp")]
    inventory = event.get("inventoryObjects")
    for record in () if inventory is None else inventory.items():
        name = _name(record["objectId"])
        if name not in known:
            raise record["objectId"].error(f"there is no object {name!r}")
        held.append((name, record))
    names = sorted({name for name, _ in held})
    if len(names) > 1:
        told = f"the agent holds {len(names)} objects: {', '.join(names)}"
        raise held[-1][1].error(told, "one hand holds one object")
    return names[0] if names else None


def _agent(event: Node, objects: Sequence[SceneObject]) -> tuple[Pose | None, float]:
    agent = event.get("agent")
    if agent is None:
        return None, round(free_space.floor_level(objects) + free_space.PIVOT, 3)
    x, y, z = _vector(agent["position"])
    rotation, horizon = agent.get("rotation"), agent.get("cameraHorizon")
    yaw = 0.0
    if rotation is not None:
        yaw = _vector(rotation)[1] if isinstance(rotation.value, dict) else _number(rotation)
    return Pose.nearest(x / GRID, z / GRID, yaw, 30.0 if horizon is None else _number(horizon)), y


def _point(node: Node) -> Point:
    if isinstance(node.value, dict):
        x, z = _number(node["x"]), _number(node["z"])
    else:
        numbers = list(node.items())
        if len(numbers) not in (2, 3):
            raise node.expected("a point")
        x, z = _number(numbers[0]), _number(numbers[-1])
    return round(x / GRID), round(z / GRID)
