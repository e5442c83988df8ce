"""ProcTHOR's files read as houses and written: schema 1.0.0, and 0.0.1 or none, which is upgraded as it is read.

Every mistake has the file, line, column and JSON path of the value that is wrong. All mistakes of rooms are told at
once, then all of walls, then all of what refers to them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TypeAlias, TypeVar

from chorewright.errors import storing
from chorewright.files.json_node import JsonFindings, Node, root
from chorewright.files.json_source import JsonValue, load_json
from chorewright.files.text import write_atomically
from chorewright.problems.household.houses import house, reading_walls
from chorewright.problems.household.houses.house import (
    ROOM_TYPES,
    AgentStart,
    House,
    HousePart,
    HouseRoom,
    HouseThing,
    Material,
    Opening,
    Wall,
)
from chorewright.problems.household.scene import Vector

MOST_BYTES = 40_000_000
"""A house of ten rooms takes half a megabyte."""

MOST_MISTAKES = 20
"""How many mistakes are told at once."""

OLD = ("0.0.0", "0.0.1")
NEW = "1.0.0"

SMALLEST_AREA = 0.01
"""The least area of a room, in square metres."""

_SHAPE = 'a house has "rooms", "walls", "doors", "windows" and "objects", as ProcTHOR writes them'

_SIGNS = {"rooms", "walls", "doors", "windows", "proceduralParameters"}

_FLOOR_TILING = {"tilingDivisorX": "floorMaterialTilingXDivisor", "tilingDivisorY": "floorMaterialTilingYDivisor"}
_CEILING_TILING = {"tilingDivisorX": "ceilingMaterialTilingXDivisor", "tilingDivisorY": "ceilingMaterialTilingYDivisor"}

Part = TypeVar("Part", house.HouseRoom, house.Wall, house.Opening, house.HouseThing)


def load_house(path: str | Path) -> house.House:
    """Return the house of a file.

    Raises:
        UsageError: The file cannot be read.
        InputError, InputErrors: It is not JSON, or no house of ProcTHOR's schema; errors have line, column and JSON
            path.
        LimitError: It is too large or nested too deep.
    """
    return house_of(root(load_json(path, MOST_BYTES)))


def is_house(value: object) -> bool:
    """Return whether a JSON value looks like a house, rather than a simulator's metadata."""
    return isinstance(value, dict) and len(_SIGNS & value.keys()) >= 2


def house_of(document: Node) -> house.House:
    """Return the house that a JSON document describes; errors as for ``load_house``."""
    if not isinstance(document.value, dict):
        raise document.expected("a house", hint=_SHAPE)
    if not {"rooms", "walls"} & document.value.keys():
        raise document.error("this is no house", hint=_SHAPE)
    old = _is_old(document)
    found = JsonFindings()
    rooms = _parts(document["rooms"], found, lambda node: _room(node, old))
    found.report(MOST_MISTAKES)
    if not rooms:
        raise document["rooms"].expected("at least one room")
    names = [room.room_id for room in rooms]
    walls = _parts(document["walls"], found, lambda node: reading_walls.read_wall(node, names, old))
    found.report(MOST_MISTAKES)
    sides = {wall.wall_id: wall for wall in walls}
    doors = _parts(document.get("doors"), found, lambda node: reading_walls.read_opening(node, names, sides, old))
    windows = _parts(document.get("windows"), found, lambda node: reading_walls.read_opening(node, names, sides, old))
    things = _parts(document.get("objects"), found, lambda node: _thing(node, old), unique=False)
    agent: house.AgentStart | None = None
    parameters: dict[str, JsonValue] = {}
    metadata = document.get("metadata")
    with found.collected():
        agent = _agent(metadata)
    with found.collected():
        parameters = _parameters(document.get("proceduralParameters"), old)
    found.report(MOST_MISTAKES)
    known = ("rooms", "walls", "doors", "windows", "objects", "metadata", "proceduralParameters", "version")
    about = {} if metadata is None else reading_walls.others(metadata, "agent", "schema")
    return house.House(
        rooms, walls, doors, windows, things, agent, parameters, about, reading_walls.others(document, *known)
    )


def _is_old(document: Node) -> bool:
    """Whether the schema is older than 1.0.0: files without a schema are."""
    metadata = document.get("metadata")
    schema = (None if metadata is None else metadata.get("schema")) or document.get("version")
    return schema is None or schema.one_of((*OLD, NEW)) != NEW


def _parts(
    node: Node | None, found: JsonFindings, read: Callable[[Node], Part], unique: bool = True
) -> tuple[Part, ...]:
    """Read a list of records, whose ids must differ if they are ``unique``; mistakes are collected."""
    parts: list[Part] = []
    ids: set[str] = set()
    with found.collected():
        for each in () if node is None else node.items():
            with found.collected():
                name = each["id"].line("an id")
                if unique and name in ids:
                    raise each["id"].error(f"the id {name!r} occurs twice")
                ids.add(name)
                parts.append(read(each))
    return tuple(parts)


def _room(node: Node, old: bool) -> house.HouseRoom:
    kind = house.ROOM_TYPES[node["roomType"].one_of(tuple(house.ROOM_TYPES))]
    level, floor = _floor(node["floorPolygon"])
    surface = reading_walls.material(node["floorMaterial"], old)
    tiling = _FLOOR_TILING if old else {}
    if old:
        surface = house.Material(
            surface.name, surface.color, {**surface.rest, **reading_walls.move_members(node, tiling)}
        )
    rest = reading_walls.others(node, "id", "roomType", "floorPolygon", "floorMaterial", *tiling.values())
    return house.HouseRoom(node["id"].line(), kind, floor, surface, level, rest)


def _floor(node: Node) -> tuple[float, tuple[house.Corner, ...]]:
    """Return the height and the corners of a floor, which is level, has an area, and no edges that cross."""
    places = list(node.items("a list of corners"))
    corners = [reading_walls.vector(each) for each in places]
    if len(corners) > 1 and corners[0] == corners[-1]:
        corners.pop()
    if len(corners) < 3:
        raise node.error(f"a floor has at least 3 corners, found {len(corners)}")
    for place, corner in zip(places, corners, strict=False):
        if abs(corner[1] - corners[0][1]) > reading_walls.CLOSE:
            raise place["y"].error("a floor is level: all its y are equal")
    floor = tuple((x, z) for x, _, z in corners)
    if abs(house.area_with_sign(floor)) < SMALLEST_AREA:
        raise node.error("the floor has no area")
    sides = list(house.edges(floor))
    for number, one in enumerate(sides):
        for other in sides[number + 2 :]:
            if _cross(one, other):
                raise node.error(f"edges of the floor cross: that from {one[0]} and that from {other[0]}")
    return corners[0][1], floor


def _cross(one: tuple[house.Corner, house.Corner], other: tuple[house.Corner, house.Corner]) -> bool:
    """Whether two segments cross at inner points of both."""
    (a, b), (c, d) = one, other
    return _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0


def _side(start: house.Corner, end: house.Corner, place: house.Corner) -> float:
    """Return on which side of a line a place lies, by the sign."""
    return (end[0] - start[0]) * (place[1] - start[1]) - (end[1] - start[1]) * (place[0] - start[0])


def _thing(node: Node, old: bool) -> house.HouseThing:
    openness, children, within = node.get("openness"), node.get("children"), node.get("within")
    rest = reading_walls.others(node, *_THING)
    if old and "materialProperties" in node:
        rest["material"] = rest.pop("materialProperties")
    return house.HouseThing(
        node["id"].line("an id"),
        node["assetId"].line("an asset's name"),
        reading_walls.vector(node["position"]),
        reading_walls.vector(node["rotation"]) if "rotation" in node else (0.0, 0.0, 0.0),
        reading_walls.flag(node.get("kinematic")) or False,
        None if openness is None else reading_walls.share(openness),
        reading_walls.flag(node.get("isOn")),
        reading_walls.flag(node.get("isDirty")),
        () if children is None else tuple(_thing(child, old) for child in children.items("a list of objects")),
        rest,
        _thing_parts(node),
        None if within is None else within.text("the id of a part of what it lies in"),
    )


_PLACE = ("id", "assetId", "position", "rotation", "kinematic")
_THING = (*_PLACE, "openness", "isOn", "isDirty", "children", "parts", "within")


def _thing_parts(node: Node) -> tuple[house.HousePart, ...]:
    """Return the parts of a thing; what they control are parts of the same thing."""
    listed = node.get("parts")
    if listed is None:
        return ()
    nodes = list(listed.items("a list of parts"))
    names = {each["id"].line("an id") for each in nodes}
    return tuple(_part(each, names) for each in nodes)


def _part(node: Node, names: Collection[str]) -> house.HousePart:
    yaw, controls = node.get("yaw"), node.get("controls")
    size = reading_walls.vector(node["size"])
    if min(size) <= 0.0:
        raise node["size"].error("a part has an extent along each axis")
    return house.HousePart(
        node["id"].line(),
        node["objectType"].line("an object type of AI2-THOR"),
        reading_walls.vector(node["position"]),
        size,
        0.0 if yaw is None else reading_walls.read_number(yaw),
        ()
        if controls is None
        else tuple(reading_walls.reference(each, names, "part") for each in controls.items("a list of ids")),
        reading_walls.others(node, "id", "objectType", "position", "size", "yaw", "controls"),
    )


def _agent(metadata: Node | None) -> house.AgentStart | None:
    node = None if metadata is None else metadata.get("agent")
    if node is None:
        return None
    return house.AgentStart(
        reading_walls.vector(node["position"]),
        reading_walls.vector(node["rotation"]),
        reading_walls.read_number(node["horizon"]),
        reading_walls.flag(node.get("standing")),
        reading_walls.others(node, "position", "rotation", "horizon", "standing"),
    )


def _parameters(node: Node | None, old: bool) -> dict[str, JsonValue]:
    """Return ceiling, lights and sky as schema 1.0.0 has them."""
    if node is None:
        return {}
    parameters = reading_walls.others(node, *(_CEILING_TILING.values() if old else ()))
    ceiling = node.get("ceilingMaterial")
    if ceiling is not None:
        surface = reading_walls.material(ceiling, old)
        if old and isinstance(ceiling.value, str):
            parameters["ceilingMaterial"] = {"name": surface.name, **reading_walls.move_members(node, _CEILING_TILING)}
    return parameters


# Houses written as ProcTHOR's files of schema 1.0.0.


SCHEMA = "1.0.0"

Record: TypeAlias = dict[str, JsonValue]

_TYPES = {kind: name for name, kind in ROOM_TYPES.items()}


def write_house(house: House, path: Path) -> None:
    """Write a house's file: a line for each room, wall and thing, keys sorted. The same house gives the same bytes.

    Raises:
        StorageError: The file cannot be written.
    """
    members = (f"{_json(key)}: {_lines(value)}" for key, value in sorted(house_record(house).items()))
    text = "{\n" + ",\n".join(members) + "\n}\n"
    with storing(path):
        write_atomically(path, text.encode())


def _lines(value: JsonValue) -> str:
    """Return a member of the file; of a list, a line for each element."""
    if not isinstance(value, list) or not value:
        return _json(value)
    return "[\n" + ",\n".join(map(_json, value)) + "\n]"


def _json(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)


def house_record(house: House) -> Record:
    """Return what a house's file holds, as AI2-THOR's action ``CreateHouse`` takes it."""
    metadata: Record = {**house.metadata, "schema": SCHEMA}
    if house.agent is not None:
        metadata["agent"] = _agent_record(house.agent)
    return {
        **house.rest,
        "doors": [_opening(each) for each in house.doors],
        "metadata": metadata,
        "objects": [_thing_record(each) for each in house.things],
        "proceduralParameters": dict(house.parameters),
        "rooms": [_room_record(each) for each in house.rooms],
        "walls": [_wall(each) for each in house.walls],
        "windows": [_opening(each) for each in house.windows],
    }


def _room_record(room: HouseRoom) -> Record:
    return {
        **room.rest,
        "id": room.room_id,
        "roomType": _TYPES[room.kind],
        "floorPolygon": [_vector((x, room.level, z)) for x, z in room.polygon],
        "floorMaterial": _material(room.floor),
    }


def _wall(wall: Wall) -> Record:
    lower: list[JsonValue] = [_vector((x, wall.bottom, z)) for x, z in (wall.start, wall.end)]
    upper: list[JsonValue] = [_vector((x, wall.top, z)) for x, z in (wall.start, wall.end)]
    polygon = [*upper, *lower] if wall.exterior else [*lower, *upper]
    record: Record = {**wall.rest, "id": wall.wall_id, "roomId": wall.room_id, "polygon": polygon}
    if wall.material is not None:
        record["material"] = _material(wall.material)
    return record | _without_empty({"empty": wall.empty})


def _opening(opening: Opening) -> Record:
    sides: Record = {}
    for number, (room, wall) in enumerate(zip(opening.rooms, opening.walls, strict=True)):
        sides |= {f"room{number}": room, f"wall{number}": wall}
    return {
        **opening.rest,
        "id": opening.opening_id,
        "assetId": opening.asset,
        **sides,
        "holePolygon": [_vector(opening.low), _vector(opening.high)],
        "assetPosition": _vector(opening.position),
        **_without_empty({"openable": opening.openable, "openness": opening.openness}),
    }


def _thing_record(thing: HouseThing) -> Record:
    record: Record = {
        **thing.rest,
        "id": thing.thing_id,
        "assetId": thing.asset,
        "position": _vector(thing.position),
        "rotation": _vector(thing.rotation),
        "kinematic": thing.kinematic,
        **_without_empty({"openness": thing.openness, "isOn": thing.is_on, "isDirty": thing.is_dirty}),
        **_without_empty({"within": thing.within}),
    }
    if thing.parts:
        record["parts"] = [_part_record(part) for part in thing.parts]
    if thing.children:
        record["children"] = [_thing_record(child) for child in thing.children]
    return record


def _part_record(part: HousePart) -> Record:
    record: Record = {
        **part.rest,
        "id": part.part_id,
        "objectType": part.kind,
        "position": _vector(part.position),
        "size": _vector(part.size),
        "yaw": part.yaw,
    }
    if part.controls:
        record["controls"] = list(part.controls)
    return record


def _agent_record(agent: AgentStart) -> Record:
    return {
        **agent.rest,
        "position": _vector(agent.position),
        "rotation": _vector(agent.rotation),
        "horizon": agent.horizon,
        **_without_empty({"standing": agent.standing}),
    }


def _material(material: Material) -> Record:
    record: Record = {**material.rest, "name": material.name}
    if material.color is not None:
        record["color"] = dict(zip("rgba", material.color, strict=False))
    return record


def _vector(vector: Vector) -> Record:
    return dict(zip("xyz", vector, strict=True))


def _without_empty(values: Mapping[str, JsonValue]) -> Record:
    return {key: value for key, value in values.items() if value is not None}
