"""The pictures of docs/: 12 rooms, 12 houses from above and inside, all kinds, what changes the look of a kind.

python -m benchmarks.contact_sheets [--out docs/pictures]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import atan2, degrees, hypot
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from chorewright.problems.household.kinds import shipped_kinds, usual_size
from chorewright.problems.household.rooms import load_room, named_scene, room_names
from chorewright.problems.household.scene import GRID, Attributes, Pose, Scene, SceneObject
from chorewright.replay.household.pixels.camera import Camera
from chorewright.replay.household.pixels.looks import looks
from chorewright.replay.household.pixels.map_view import map_view
from chorewright.replay.household.pixels.renderer import Renderer

ROOMS = (1, 5, 10, 27, 201, 207, 224, 301, 309, 318, 402, 413)
HOUSES = range(12)
PAPER = (232, 234, 238)
STATES: Sequence[tuple[str, Attributes]] = (
    *((kind, Attributes(is_open=True)) for kind in ("Fridge", "Microwave", "Cabinet", "Drawer", "Safe", "Box")),
    *((kind, Attributes(is_open=True)) for kind in ("Book", "Toilet", "LaundryHamper", "Kettle")),
    ("Laptop", Attributes(is_open=True, is_toggled=True)),
    *((kind, Attributes(is_toggled=True)) for kind in ("Microwave", "Faucet", "DeskLamp", "Candle")),
    *((kind, Attributes(is_toggled=True)) for kind in ("StoveBurner", "Toaster", "Television", "CoffeeMachine")),
    *((kind, Attributes(is_dirty=True)) for kind in ("Plate", "Mug", "Pan", "Bed")),
    *((kind, Attributes(liquid="coffee")) for kind in ("Mug", "Cup")),
    *((kind, Attributes(liquid="water")) for kind in ("Bowl", "Pot", "HousePlant")),
    *((kind, Attributes(is_cooked=True)) for kind in ("Potato", "PotatoSliced", "BreadSliced")),
    *((kind, Attributes(is_broken=True)) for kind in ("Vase", "Plate")),
)


def room_views(name: str, size: int) -> NDArray[np.uint8]:
    """Return four views of a room side by side: from two far corners, and from its middle."""
    scene, renderer = load_room(name), Renderer()
    places = np.array(scene.grid) * GRID
    middle = places.mean(axis=0)
    first = places[np.argmax(((places - middle) ** 2).sum(axis=1))]
    second = places[np.argmax(((places - first) ** 2).sum(axis=1))]
    third = places[np.argmin(((places - middle) ** 2).sum(axis=1))]
    turns = [degrees(atan2(middle[0] - p[0], middle[1] - p[1])) for p in (first, second)]
    seen = []
    for place, turn in ((first, turns[0]), (second, turns[1]), (third, turns[0] + 90), (third, turns[0] + 270)):
        eye = (float(place[0]), scene.agent_y + 0.675, float(place[1]))
        seen.append(renderer.frame(scene, Camera(eye, turn, 18.0, 90.0, size, size)).rgb)
    return _labelled(np.concatenate(seen, axis=1), name)


def house_views(name: str, size: int, count: int = 4) -> NDArray[np.uint8]:
    """Return views of a generated house side by side: of each room in turn, from far corners towards its middle."""
    scene, renderer = named_scene(name, shipped_kinds()), Renderer()
    assert scene.building is not None
    rooms = sorted(scene.building.house.rooms, key=lambda room: -room.area)
    kinds = list(dict.fromkeys(room.kind for room in rooms))
    order = sorted(
        rooms, key=lambda room: ([each for each in rooms if each.kind == room.kind].index(room), kinds.index(room.kind))
    )
    seen: list[np.ndarray] = []
    turn = 0
    while len(seen) < count:
        room = order[turn % len(order)]
        inside = np.array([(x * GRID, z * GRID) for x, z in scene.grid if room.contains(x * GRID, z * GRID)])
        middle = np.array(room.polygon).mean(axis=0)
        first = inside[np.argmax(((inside - middle) ** 2).sum(axis=1))]
        places = (first, inside[np.argmax(((inside - first) ** 2).sum(axis=1))])
        place = places[turn // len(order) % 2]
        looking = degrees(atan2(middle[0] - place[0], middle[1] - place[1])) + 90 * (turn // len(order) // 2)
        eye = (float(place[0]), scene.agent_y + 0.675, float(place[1]))
        seen.append(renderer.frame(scene, Camera(eye, looking, 18.0, 90.0, size, size)).rgb)
        turn += 1
    return _labelled(np.concatenate(seen, axis=1), name)


@lru_cache(maxsize=1)
def house_plan(name: str, size: int) -> NDArray[np.uint8]:
    """Return the map of a generated house, with its name."""
    scene = named_scene(name, shipped_kinds())
    return _labelled(map_view(Renderer(), scene, size), name)


def samples() -> dict[str, SceneObject]:
    """Return the first object of each kind."""
    found: dict[str, SceneObject] = {}
    for name in room_names():
        for body in load_room(name).objects:
            found.setdefault(body.kind, body)
    return found


def kind_view(kind: str, size: int, attributes: Attributes) -> NDArray[np.uint8]:
    """Return a picture of one object alone."""
    sample = samples().get(kind)
    sides = sample.size if sample else usual_size(shipped_kinds()[kind], (0.09, 0.03, 0.09))
    facing = looks().kinds[kind].facing
    width, height, depth = sides
    if facing in ("wall", "long", "room"):
        width, depth = max(width, depth), min(width, depth)
    body = SceneObject(
        kind,
        kind,
        (0, 0, 0),
        (0, 0, 0),
        (0, height / 2, 0),
        (width, height, depth),
        asset=kind,
        attributes=attributes,
        traits=shipped_kinds()[kind],
    )
    grid = tuple((x, z) for x in range(-40, 41) for z in range(-40, 41) if z >= 0 or abs(x) > 30 or z < -30)
    scene = Scene("", "kitchen", (body,), grid, 0.9, Pose(0, 0, 0, 0), kinds=shipped_kinds())
    far = 1.25 * max(width, height, depth) + 0.02
    place = (0.55 * far, height / 2 + 0.55 * far, 1.0 * far)
    turn = degrees(atan2(-place[0], -place[2]))
    tilt = degrees(atan2(place[1] - height / 2, hypot(place[0], place[2])))
    frame = Renderer().frame(scene, Camera(place, turn, tilt, 50.0, size, size))
    picture = frame.rgb.copy()
    picture[~frame.mask(body.object_id)] = PAPER
    return _labelled(picture, kind)


def _labelled(picture: NDArray[np.uint8], text: str) -> NDArray[np.uint8]:
    image = Image.fromarray(picture)
    ImageDraw.Draw(image).text((3, image.height - 12), text, fill=(40, 40, 44))
    return np.asarray(image)


def sheet(pictures: Sequence[NDArray[np.uint8]], columns: int) -> Image.Image:
    """Return pictures of one size as rows."""
    blank = np.full_like(pictures[0], 255)
    filled = [*pictures, *(blank for _ in range(-len(pictures) % columns))]
    rows = [np.concatenate(filled[at : at + columns], axis=1) for at in range(0, len(filled), columns)]
    return Image.fromarray(np.concatenate(rows, axis=0))


def main() -> None:
    """Draw all sheets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("docs/pictures"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    kinds = [kind for kind in sorted(looks().kinds) if kind != "Floor"]
    sheets = {
        "rooms": sheet([room_views(f"FloorPlan{number}", 160) for number in ROOMS], 2),
        "houses": sheet([house_plan(f"house:{seed}", 400) for seed in HOUSES], 4),
        "houses_inside": sheet([house_views(f"house:{seed}", 160) for seed in HOUSES], 2),
        "kinds": sheet([kind_view(kind, 84, Attributes()) for kind in kinds], 14),
        "states": sheet([kind_view(kind, 84, replace(state)) for kind, state in STATES], 14),
    }
    for name, image in sheets.items():
        image.save(out / f"{name}.jpg", quality=85, optimize=True)
        print(out / f"{name}.jpg")


if __name__ == "__main__":
    main()
