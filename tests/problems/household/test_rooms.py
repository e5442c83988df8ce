"""The shipped rooms, against ALFRED's layouts and as a closed world of their own."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.corpora.reference import sample
from benchmarks.shipped import rooms as build_rooms
from chorewright.errors import UsageError
from chorewright.problems.household.containment import ancestors
from chorewright.problems.household.free_space import largest_component
from chorewright.problems.household.kinds import shapes, shipped_kinds, usual_size
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.rooms import load_room, room_kind, room_names
from chorewright.problems.household.scene import Pose


@pytest.fixture(scope="module")
def layouts() -> dict[str, Any]:
    with gzip.open(sample("alfred/layouts.json.gz")) as file:
        return dict(json.load(file))


def test_names_and_kinds() -> None:
    names = room_names()
    assert len(names) == len(set(names)) == 120
    table = {"FloorPlan1": "kitchen", "FloorPlan230": "living_room", "FloorPlan301": "bedroom"}
    for name, kind in {**table, "FloorPlan430": "bathroom"}.items():
        assert room_kind(name) == kind == load_room(name).room_kind


@pytest.mark.parametrize("name", ["", "FloorPlan0", "FloorPlan31", "../FloorPlan1", "floorplan1"])
def test_unknown_room(name: str) -> None:
    with pytest.raises(UsageError, match="no room"):
        load_room(name)


@pytest.mark.parametrize("name", room_names())
def test_room_is_a_closed_world(name: str) -> None:
    scene = load_room(name)
    objects = {thing.object_id: thing for thing in scene.objects}
    assert len(objects) == len(scene.objects) >= 25
    assert scene.agent.horizon == 30
    assert (scene.agent.x, scene.agent.z) in scene.grid
    assert list(scene.grid) == sorted(set(scene.grid))
    parents = {thing.object_id: thing.parents for thing in scene.objects}
    for thing in scene.objects:
        assert thing.kind in shipped_kinds()
        assert all(size >= 0 for size in thing.size)
        assert all(other in objects for other in (*thing.parents, *thing.controls))
        assert len(thing.parents) <= 1
        assert thing.object_id not in ancestors(thing.object_id, parents)
        if thing.traits.item:
            assert thing.parents, f"{thing.object_id} lies nowhere"
            around = [objects[other] for other in ancestors(thing.object_id, parents)]
            assert sum(other.traits.item for other in around) <= 1
            assert not around[-1].traits.item


@pytest.mark.parametrize("name", room_names())
def test_everywhere_can_be_walked_to(name: str) -> None:
    scene = load_room(name)
    assert Grid.of(scene).reachable(scene.agent) == frozenset(scene.grid)


def test_knobs_and_taps_control_something() -> None:
    for name in room_names():
        scene = load_room(name)
        objects = {thing.object_id: thing for thing in scene.objects}
        basins = {thing.object_id for thing in scene.objects if thing.kind in ("SinkBasin", "BathtubBasin")}
        for thing in scene.objects:
            if thing.kind == "StoveKnob":
                assert [objects[other].kind for other in thing.controls] == ["StoveBurner"]
        controlled = {other for thing in scene.objects if thing.kind == "Faucet" for other in thing.controls}
        if any(thing.kind == "Faucet" for thing in scene.objects):
            assert basins <= controlled


def test_standing_points_hold_all_known_points(layouts: dict[str, Any]) -> None:
    """All but a handful that no step connects with the rest of their room; few others are added to them."""
    left_out = total = added = 0
    for name in room_names():
        known = {(x, z) for x, z, *_ in (*layouts[name]["points"], *layouts[name]["visited"])}
        grid = set(load_room(name).grid)
        assert largest_component(grid) == grid
        total, left_out, added = total + len(known), left_out + len(known - grid), added + len(grid - known)
    assert (total, left_out) == (16649, 7)
    assert added < 0.05 * total


def test_agent_height(layouts: dict[str, Any]) -> None:
    for name in room_names():
        assert abs(load_room(name).agent_y - layouts[name]["agent_y"][0]) < 0.05


def test_receptacles_of_the_demonstrations_are_there(layouts: dict[str, Any]) -> None:
    """Of 895 receptacles, 541 have the same id; most others have a receptacle within half a metre."""
    same = near = total = 0
    for name in room_names():
        objects = {thing.object_id: thing for thing in load_room(name).objects}
        for object_id in layouts[name]["receptacle_poses"]:
            total += 1
            if object_id in objects:
                same += 1
                continue
            kind, *place = object_id.split("|")[:4]
            position = np.array([float(number) for number in place])
            near += any(
                thing.kind == kind and np.linalg.norm(np.subtract(thing.position, position)) < 0.5
                for thing in objects.values()
            )
    assert total == 895
    assert same >= 540
    assert same + near >= 840


def test_shapes() -> None:
    assert usual_size(shipped_kinds()["Mug"], (9.0, 9.0, 9.0))[1] < 0.2
    assert 0.3 < (shapes()["Bed"].support or 0) < 0.9
    assert shapes()["Shelf"].support == 0.0
    assert (shapes()["TowelHolder"].hang or 0) > 0.1


def test_build_is_deterministic(tmp_path: Path) -> None:
    sources = _sources(tmp_path)
    for number in (1, 2):
        assert build_rooms.main([*map(str, sources), str(tmp_path / f"rooms{number}.zip")]) == 0
    first = (tmp_path / "rooms1.zip").read_bytes()
    assert first == (tmp_path / "rooms2.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        assert len(archive.namelist()) == 122
        room = json.loads(archive.read("FloorPlan201.json"))
    assert [entry["kind"] for entry in room["objects"]] == ["Floor", "Apple"]
    assert room["objects"][1]["parents"] == ["Floor|0"]
    assert room["agent_y"] == 0.901
    assert [point for point in room["points"] if point[0] == 1] == [[1, 1], [1, 2], [1, 3]]


def test_build_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert build_rooms.main([]) == 2
    assert "PROCTHOR_WHEEL" in capsys.readouterr().err


def _sources(folder: Path) -> tuple[Path, Path, Path]:
    """Write stand-ins for the two wheels and the walked points: rooms with a floor and an apple."""
    objects = [_entry("Floor|0", "Floor", (0, -0.05, 0), (4, 0.1, 4)), _entry("Apple|1", "Apple", (1, 0.05, 1))]
    keys = ("kitchens", "living_rooms", "bedrooms", "bathrooms")
    assets = {"Apple": [{"boundingBox": {"x": 0.1, "y": 0.1, "z": 0.1}}]}
    first, second = folder / "procthor.whl", folder / "alfworld.whl"
    with zipfile.ZipFile(first, "w") as wheel:
        wheel.writestr(build_rooms.METADATA, json.dumps({key: [objects] * 30 for key in keys}))
        wheel.writestr(build_rooms.ASSETS, json.dumps(assets))
    with zipfile.ZipFile(second, "w") as wheel:
        for name in room_names():
            buffer = io.BytesIO()
            np.save(buffer, np.array([[0.25, 0.25], [0.25, 0.5]]))
            wheel.writestr(build_rooms.LAYOUT.format(name), buffer.getvalue())
    walked = folder / "layouts.json.gz"
    walked.write_bytes(gzip.compress(json.dumps({name: {"visited": [[1, 3, 7]]} for name in room_names()}).encode()))
    return first, second, walked


def _entry(
    object_id: str, kind: str, centre: tuple[float, ...], size: tuple[float, ...] = (0.1, 0.1, 0.1)
) -> dict[str, object]:
    def axes(vector: tuple[float, ...]) -> dict[str, float]:
        return dict(zip("xyz", vector, strict=True))

    return {
        "objectId": object_id,
        "objectType": kind,
        "position": axes(centre),
        "rotation": axes((0.0, 0.0, 0.0)),
        "axisAlignedBoundingBox": {"center": axes(centre), "size": axes(size)},
    }


def test_start_pose_is_a_pose() -> None:
    assert isinstance(load_room("FloorPlan1").agent, Pose)
