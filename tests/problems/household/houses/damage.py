"""House files damaged on purpose: what is wrong with each, and where the reader must find it."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any, TypeAlias

Steps: TypeAlias = tuple[Any, ...]
Damage: TypeAlias = Callable[[Any, random.Random], Steps]

REQUIRED = {
    "rooms": ("id", "roomType", "floorPolygon", "floorMaterial"),
    "walls": ("id", "roomId", "polygon"),
    "doors": ("id", "assetId", "room0", "wall0", "room1", "wall1"),
    "windows": ("id", "assetId", "room0", "wall0"),
    "objects": ("id", "assetId", "position"),
}
TEXTS = {
    "rooms": ("id", "roomType"),
    "walls": ("id", "roomId"),
    "doors": ("id", "assetId", "room0", "wall0", "room1", "wall1"),
    "windows": ("id", "assetId", "room0", "wall1"),
    "objects": ("id", "assetId"),
}


def damaged(document: Any, generator: random.Random) -> tuple[str, Any, Steps]:
    """Return the damage's name, a damaged copy, and the way to the value that an error must name."""
    name = generator.choice(sorted(DAMAGES))
    broken = copy.deepcopy(document)
    return name, broken, DAMAGES[name](broken, generator)


def _record(document: Any, generator: random.Random, *keys: str) -> tuple[Any, Steps]:
    key = generator.choice(keys or tuple(REQUIRED))
    number = generator.randrange(len(document[key]))
    return document[key][number], (key, number)


def missing(document: Any, generator: random.Random) -> Steps:
    record, steps = _record(document, generator)
    del record[generator.choice(REQUIRED[steps[0]])]
    return steps


def missing_list(document: Any, generator: random.Random) -> Steps:
    del document[generator.choice(("rooms", "walls"))]
    return ()


def no_text(document: Any, generator: random.Random) -> Steps:
    record, steps = _record(document, generator)
    key = generator.choice(TEXTS[steps[0]])
    record[key] = generator.choice((None, 3, True, [], {"name": "x"}))
    return (*steps, key)


def no_record(document: Any, generator: random.Random) -> Steps:
    _, steps = _record(document, generator)
    document[steps[0]][steps[1]] = generator.choice((None, 3, "room|2", [1]))
    return steps


def no_list(document: Any, generator: random.Random) -> Steps:
    key = generator.choice(tuple(REQUIRED))
    document[key] = generator.choice((3, "none", {"0": {}}, False))
    return (key,)


def no_number(document: Any, generator: random.Random) -> Steps:
    record, steps = _record(document, generator, "objects")
    vector, axis = generator.choice(("position", "rotation")), generator.choice("xyz")
    record[vector][axis] = generator.choice((None, "1.0", True, [1.0], 1e9, -4e5))
    return (*steps, vector, axis)


def no_coordinate(document: Any, generator: random.Random) -> Steps:
    key, polygon = generator.choice((("rooms", "floorPolygon"), ("walls", "polygon")))
    record, steps = _record(document, generator, key)
    corner, axis = generator.randrange(len(record[polygon])), generator.choice("xyz")
    del record[polygon][corner][axis]
    return (*steps, polygon, corner)


def unknown_reference(document: Any, generator: random.Random) -> Steps:
    record, steps = _record(document, generator, "walls", "doors", "windows")
    key = "roomId" if steps[0] == "walls" else generator.choice(("room0", "room1", "wall0", "wall1"))
    record[key] = generator.choice(("room|99", "wall|2|1.00|1.00|2.00|1.00", "", "Room|2"))
    return (*steps, key)


def id_twice(document: Any, generator: random.Random) -> Steps:
    key = generator.choice(("rooms", "walls", "doors", "windows"))
    first, second = sorted(generator.sample(range(len(document[key])), 2))
    document[key][second]["id"] = document[key][first]["id"]
    return (key, second, "id")


def unknown_type(document: Any, generator: random.Random) -> Steps:
    record, steps = _record(document, generator, "rooms")
    record["roomType"] = generator.choice(("Hall", "kitchen", "Living Room"))
    return (*steps, "roomType")


def unknown_schema(document: Any, generator: random.Random) -> Steps:
    document["metadata"]["schema"] = generator.choice(("2.0.0", "1.0", 1, "new"))
    return ("metadata", "schema")


def no_floor(document: Any, generator: random.Random) -> Steps:
    record, steps = _record(document, generator, "rooms")
    corners = record["floorPolygon"]
    how = generator.randrange(3)
    if how == 0:
        del corners[2:]
    elif how == 1:
        for corner in corners:
            corner["z"] = 1.0
    else:
        record["floorPolygon"] = [{"x": x, "y": 0, "z": z} for x, z in ((0, 0), (4, 6), (4, 0), (0, 5))]
    return (*steps, "floorPolygon")


def uneven_floor(document: Any, generator: random.Random) -> Steps:
    record, steps = _record(document, generator, "rooms")
    number = generator.randrange(1, len(record["floorPolygon"]))
    record["floorPolygon"][number]["y"] = 0.3
    return (*steps, "floorPolygon", number, "y")


def no_wall(document: Any, generator: random.Random) -> Steps:
    record, steps = _record(document, generator, "walls")
    corners = record["polygon"]
    how = generator.randrange(4)
    if how == 0:
        corners.pop()
    elif how == 1:
        corners[generator.randrange(4)]["x"] += 0.5
    elif how == 2:
        for corner in corners:
            corner["y"] = 0.0
    else:
        for corner in corners:
            corner["x"], corner["z"] = 1.0, 2.0
    return (*steps, "polygon")


def _hole(record: Any) -> tuple[Steps, Any, Any]:
    if "holePolygon" in record:
        low, high = record["holePolygon"]
        return ("holePolygon",), low, high
    return ("boundingBox",), record["boundingBox"]["min"], record["boundingBox"]["max"]


def hole_outside(document: Any, generator: random.Random) -> Steps:
    record, steps = _record(document, generator, "doors", "windows")
    where, low, high = _hole(record)
    how = generator.randrange(4)
    if how == 0:
        high["x"] += 9.0
    elif how == 1:
        high["y"] = 3.0
    elif how == 2:
        low["x"] = -0.5
    else:
        low["x"], high["x"] = high["x"], low["x"]
    return (*steps, *where)


def no_share(document: Any, generator: random.Random) -> Steps:
    record, steps = _record(document, generator, "doors", "objects")
    record["openness"] = generator.choice((1.5, -0.1, "open", True))
    return (*steps, "openness")


def no_flag(document: Any, generator: random.Random) -> Steps:
    record, steps = _record(document, generator, "objects")
    key = generator.choice(("kinematic", "isOn", "isDirty"))
    record[key] = generator.choice((0, "yes", []))
    return (*steps, key)


def other_wall(document: Any, generator: random.Random) -> Steps:
    record, steps = _record(document, generator, "doors", "windows")
    record["wall1"] = "wall|exterior|0.00|0.00|5.00|0.00"
    return (*steps, "wall1")


def broken_child(document: Any, generator: random.Random) -> Steps:
    parents = [number for number, record in enumerate(document["objects"]) if "children" in record]
    number = generator.choice(parents)
    children = document["objects"][number]["children"]
    child = generator.randrange(len(children))
    key = generator.choice(("position", "rotation"))
    children[child][key] = generator.choice((3, "here", []))
    return ("objects", number, "children", child, key)


def broken_agent(document: Any, generator: random.Random) -> Steps:
    key = generator.choice(("position", "rotation", "horizon", "standing"))
    document["metadata"]["agent"][key] = "north"
    return ("metadata", "agent", key)


def broken_material(document: Any, generator: random.Random) -> Steps:
    key, name = generator.choice((("rooms", "floorMaterial"), ("walls", "material")))
    record, steps = _record(document, generator, key)
    record[name] = generator.choice((7, ["Wood"], True))
    return (*steps, name)


def broken_color(document: Any, generator: random.Random) -> Steps:
    record, steps = _record(document, generator, "walls")
    record["material"] = {"name": "PureWhite", "color": {"r": 0.5, "g": 0.5, "b": 255}}
    return (*steps, "material", "color", "b")


def broken_ceiling(document: Any, generator: random.Random) -> Steps:
    document["proceduralParameters"]["ceilingMaterial"] = generator.choice((7, ["Wood"], False))
    return ("proceduralParameters", "ceilingMaterial")


DAMAGES: dict[str, Damage] = {
    each.__name__: each
    for each in (
        missing,
        missing_list,
        no_text,
        no_record,
        no_list,
        no_number,
        no_coordinate,
        unknown_reference,
        id_twice,
        unknown_type,
        unknown_schema,
        no_floor,
        uneven_floor,
        no_wall,
        hole_outside,
        no_share,
        no_flag,
        other_wall,
        broken_child,
        broken_agent,
        broken_material,
        broken_color,
        broken_ceiling,
    )
}
