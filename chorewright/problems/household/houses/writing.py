"""Houses written as ProcTHOR's files of schema 1.0.0."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from chorewright.files.json_source import JsonValue
from chorewright.files.text import storage_error, write_atomically
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
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise storage_error(error, path) from error


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
        metadata["agent"] = _agent(house.agent)
    return {
        **house.rest,
        "doors": [_opening(each) for each in house.doors],
        "metadata": metadata,
        "objects": [_thing(each) for each in house.things],
        "proceduralParameters": dict(house.parameters),
        "rooms": [_room(each) for each in house.rooms],
        "walls": [_wall(each) for each in house.walls],
        "windows": [_opening(each) for each in house.windows],
    }


def _room(room: HouseRoom) -> Record:
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


def _thing(thing: HouseThing) -> Record:
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
        record["parts"] = [_part(part) for part in thing.parts]
    if thing.children:
        record["children"] = [_thing(child) for child in thing.children]
    return record


def _part(part: HousePart) -> Record:
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


def _agent(agent: AgentStart) -> Record:
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
