"""Pictures of the THOR world: against a ray caster, the same bytes everywhere, every kind and state seen."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from dataclasses import replace
from functools import lru_cache
from math import atan2, degrees, hypot

import numpy as np
import pytest

from chorewright.domains.library import household_vocabulary
from chorewright.errors import UsageError
from chorewright.problems.household.kinds import shipped_kinds, usual_size
from chorewright.problems.household.rooms import load_room, room_names
from chorewright.problems.household.scene import Attributes, Pose, Scene, SceneObject, Vector
from chorewright.replay.household.pixels.camera import NEAR, Camera
from chorewright.replay.household.pixels.looks import looks
from chorewright.replay.household.pixels.map_view import AGENT, map_camera, map_view
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.pixels.walls import bounds
from tests.command import ROOT

PLAIN = Attributes()
DIGESTS = ROOT / "tests" / "corpus" / "pictures" / "digests.json"
"""Made again by ``python -m tests.replay.household.test_pixels``."""

ROOMS = ("FloorPlan1", "FloorPlan7", "FloorPlan204", "FloorPlan311", "FloorPlan423")
BODILESS = frozenset({"Floor"})
"""Kinds that are drawn with the room."""


def cameras(scene: Scene, size: int = 96) -> list[Camera]:
    """Views from three places of a room."""
    places = scene.grid[:: max(1, len(scene.grid) // 3)][:3]
    return [
        Camera((x * 0.25, scene.agent_y + 0.675, z * 0.25), turn, tilt, 90, size, size)
        for (x, z), turn, tilt in zip(places, (0.0, 135.0, 270.0), (30.0, 0.0, 60.0), strict=True)
    ]


@pytest.mark.parametrize("room", ROOMS)
def test_depths_and_instances_are_those_of_a_ray_caster(room: str) -> None:
    """Each ray is cut with all triangles; where two instances are about equally near either may be seen."""
    scene, renderer = load_room(room), Renderer()
    rng = np.random.default_rng(0)
    for camera in cameras(scene):
        frame = renderer.frame(scene, camera)
        geometry = renderer.geometry(scene)
        right, up, forward = camera.axes()
        eye = np.array(camera.position)
        for row, column in rng.integers(0, camera.height, (60, 2)):
            across = (column + 0.5 - camera.width / 2) / camera.focal_length
            above = (camera.height / 2 - row - 0.5) / camera.focal_length
            ray = forward + across * right + above * up
            depth, shown = cast_ray(geometry.triangles.points, geometry.triangles.facing, eye, ray)
            hit = np.argmin(depth)
            assert frame.depth[row, column] == pytest.approx(depth[hit], abs=2e-3), (row, column)
            near = {int(geometry.paints.instance[shown[k]]) for k in np.flatnonzero(depth < depth[hit] + 2e-3)}
            assert frame.instances[row, column] in near


def cast_ray(points: np.ndarray, facing: np.ndarray, eye: np.ndarray, ray: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the depths at which a ray meets triangles that face it, and their numbers."""
    one, two = points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]
    cross = np.cross(ray, two)
    det = (one * cross).sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        start = eye - points[:, 0]
        u = (start * cross).sum(1) / det
        other = np.cross(start, one)
        v = (ray * other).sum(1) / det
        t = (two * other).sum(1) / det
    good = (
        (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9) & (t >= NEAR) & ((facing * (eye - points[:, 0])).sum(1) > 0)
    )
    return t[good], np.flatnonzero(good)


@lru_cache(maxsize=1)
def samples() -> dict[str, SceneObject]:
    """The first object of each kind in the rooms."""
    found: dict[str, SceneObject] = {}
    for name in room_names():
        for body in load_room(name).objects:
            found.setdefault(body.kind, body)
    return found


def alone(kind: str, attributes: Attributes = PLAIN) -> tuple[Scene, Camera, str]:
    """A scene with one object on the floor, and a camera that looks at its front from above."""
    size: Vector = samples()[kind].size if kind in samples() else usual_size(shipped_kinds()[kind], (0.1, 0.05, 0.1))
    width, height, depth = max(size[0], size[2]), size[1], min(size[0], size[2])
    body = SceneObject(
        f"{kind}|1",
        kind,
        (0, 0, 0),
        (0, 0, 0),
        (0, height / 2, 0),
        (width, height, depth),
        attributes=attributes,
        traits=shipped_kinds()[kind],
    )
    grid = tuple((x, z) for x in range(-24, 25) for z in range(-24, 25) if z >= 0 or abs(x) > 20 or z < -20)
    scene = Scene("FloorPlan1", "kitchen", (body,), grid, 0.9, Pose(0, 8, 2, 0), kinds=shipped_kinds())
    far = 1.3 * max(width, height, depth) + 0.05
    place = (0.5 * far, height / 2 + 0.5 * far, 0.9 * far)
    turn = degrees(atan2(-place[0], -place[2]))
    tilt = degrees(atan2(place[1] - height / 2, hypot(place[0], place[2])))
    return scene, Camera(place, turn, tilt, 70, 64, 64), body.object_id


def test_every_kind_has_a_look() -> None:
    assert set(looks().kinds) == set(household_vocabulary().kinds)


@pytest.mark.parametrize("kind", sorted(set(looks().kinds) - BODILESS))
def test_every_kind_is_seen(kind: str) -> None:
    scene, camera, name = alone(kind)
    frame = Renderer().frame(scene, camera)
    assert frame.mask(name).sum() >= 12
    assert len(np.unique(frame.rgb[frame.mask(name)], axis=0)) >= 2


CHANGES = [
    *((kind, {"is_open": True}) for kind in ("Fridge", "Microwave", "Cabinet", "Drawer", "Laptop", "Box", "Book")),
    *((kind, {"is_open": True}) for kind in ("Safe", "Toilet", "LaundryHamper", "Kettle", "Blinds", "ShowerCurtain")),
    *((kind, {"is_toggled": True}) for kind in ("Microwave", "Faucet", "DeskLamp", "Candle", "StoveBurner")),
    *((kind, {"is_toggled": True}) for kind in ("StoveKnob", "Toaster", "Television", "CoffeeMachine", "CellPhone")),
    *((kind, {"is_toggled": True}) for kind in ("LightSwitch", "FloorLamp", "Desktop", "ShowerHead")),
    *((kind, {"is_dirty": True}) for kind in ("Plate", "Bowl", "Mug", "Cup", "Pan", "Pot", "Cloth", "Bed", "Mirror")),
    *((kind, {"liquid": "water"}) for kind in ("Mug", "Bowl", "Cup", "Pot", "SinkBasin", "HousePlant")),
    *((kind, {"is_cooked": True}) for kind in ("Potato", "PotatoSliced", "BreadSliced", "EggCracked")),
    *((kind, {"is_broken": True}) for kind in ("Plate", "Vase", "Bottle", "Statue")),
    ("TissueBox", {"is_used_up": True}),
]


@pytest.mark.parametrize(
    ("kind", "change"), CHANGES, ids=lambda value: value if isinstance(value, str) else next(iter(value))
)
def test_states_are_seen(kind: str, change: dict[str, object]) -> None:
    pictures = []
    for attributes in (Attributes(), replace(Attributes(), **change)):
        scene, camera, _ = alone(kind, attributes)
        pictures.append(Renderer().frame(scene, camera).rgb)
    assert (pictures[0] != pictures[1]).any(axis=2).sum() >= 8


def test_what_lies_in_an_open_drawer_comes_out_with_it() -> None:
    scene = load_room("FloorPlan1")
    drawer = next(body for body in scene.objects if body.object_id == "Drawer|+00.95|+00.83|-02.20")
    fork = next(body for body in scene.objects if drawer.object_id in body.parents)
    opened = replace(drawer, attributes=replace(drawer.attributes, is_open=True))
    after = replace(scene, objects=tuple(opened if body is drawer else body for body in scene.objects))
    x, _, z = drawer.centre
    camera = Camera((x, 1.6, z + 0.8), 180, 50, 60, 120, 120)
    assert Renderer().frame(scene, camera).mask(fork.object_id).sum() == 0
    assert Renderer().frame(after, camera).mask(fork.object_id).sum() > 5


def test_a_wall_is_as_far_as_it_is() -> None:
    scene = load_room("FloorPlan412")
    empty = replace(scene, objects=())
    _, _, _, _, _, north = bounds(empty)
    x, z = scene.grid[0]
    frame = Renderer().frame(empty, Camera((x * 0.25, 1.0, z * 0.25), 0, 0, 60, 31, 31))
    assert frame.depth[15, 15] == pytest.approx(north - z * 0.25, abs=1e-5)


def test_the_projection_finds_the_pixel() -> None:
    scene, camera, name = alone("Apple")
    place = camera.project((0.0, samples()["Apple"].size[1] / 2, 0.0))
    assert place is not None
    column, row, depth = place
    frame = Renderer().frame(scene, camera)
    assert frame.mask(name)[int(row), int(column)]
    assert 0 < depth - frame.depth[int(row), int(column)] < 0.1
    assert camera.project((0.0, 0.0, 99.0)) is None


def test_a_camera_inside_things_draws_all_the_same() -> None:
    scene = load_room("FloorPlan1")
    for body in scene.objects[::6]:
        frame = Renderer().frame(scene, Camera(body.centre, 77, 10, 90, 24, 24))
        assert (frame.depth[frame.instances >= 0] >= np.float32(NEAR)).all()


@pytest.mark.parametrize(("sides", "angle"), [((0, 3), 60), ((3, 9000), 60), ((3, 3), 0), ((3, 3), 180)])
def test_impossible_cameras_are_refused(sides: tuple[int, int], angle: float) -> None:
    with pytest.raises(UsageError):
        Camera((0, 0, 0), 0, 0, angle, *sides)


def test_an_unchanged_object_keeps_its_triangles() -> None:
    """One renderer for a whole episode gives what a new one gives for each step."""
    scene = load_room("FloorPlan7")
    camera, renderer = cameras(scene)[0], Renderer()
    for kind in ("Fridge", "Cabinet", "Mug"):
        body = next(each for each in scene.objects if each.kind == kind)
        changed = replace(body, attributes=replace(body.attributes, is_open=True, is_dirty=True))
        scene = replace(scene, objects=tuple(changed if each is body else each for each in scene.objects))
        kept, new = renderer.frame(scene, camera), Renderer().frame(scene, camera)
        assert (kept.rgb == new.rgb).all()
        assert (kept.instances == new.instances).all()


@pytest.mark.parametrize("room", ROOMS)
def test_a_map_shows_where_everything_is(room: str) -> None:
    """What nothing stands on or hangs over is seen at its place; the agent's arrow covers its own."""
    scene = load_room(room)
    scene = replace(scene, agent=Pose(*scene.grid[len(scene.grid) // 2], 1, 0))
    size, renderer = 240, Renderer()
    camera = map_camera(scene, size)
    frame = renderer.frame(scene, camera)
    for body in scene.objects:
        if body.kind in ("Bed", "Fridge", "DiningTable", "Sofa", "Bathtub", "ArmChair"):
            x, y, z = body.centre
            corner = camera.project((x - body.size[0] * 0.4, y, z - body.size[2] * 0.4))
            assert corner is not None
            window = frame.instances[int(corner[1]) - 6 : int(corner[1]) + 7, int(corner[0]) - 6 : int(corner[0]) + 7]
            assert frame.names.index(body.object_id) in window, body.object_id
    picture = map_view(renderer, scene, size, [Pose(x, z, 0, 0) for x, z in scene.grid[:5]], {"here": (0, 0, 0)})
    assert picture.shape[0] > size
    assert picture.shape[1] == size
    agent = camera.project((scene.agent.x * 0.25, 0.0, scene.agent.z * 0.25))
    assert agent is not None
    assert tuple(picture[int(agent[1]), int(agent[0])]) == AGENT


DOCUMENT = ROOT / "docs" / "thor_pictures.md"


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL))
def test_the_code_of_the_page_runs(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, str(DOCUMENT), "exec"), {})
    assert capsys.readouterr().out.splitlines()[1:] == ["True", "400"]


def digests() -> dict[str, str]:
    """Digests of a few pictures, all three layers."""
    found = {}
    for room in ROOMS:
        scene, renderer, digest = load_room(room), Renderer(), hashlib.sha256()
        for camera in cameras(scene, 64):
            frame = renderer.frame(scene, camera)
            for layer in (frame.rgb, frame.depth, frame.instances):
                digest.update(np.ascontiguousarray(layer).tobytes())
        found[room] = digest.hexdigest()
    return found


@pytest.mark.parametrize("seed", ["0", "7"])
def test_the_bytes_are_the_same_everywhere(seed: str) -> None:
    program = "import json; from tests.replay.household.test_pixels import digests; print(json.dumps(digests()))"

    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={"PYTHONHASHSEED": seed},
    )
    assert json.loads(run.stdout) == json.loads(DIGESTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    DIGESTS.parent.mkdir(parents=True, exist_ok=True)
    DIGESTS.write_text(json.dumps(digests(), indent=1) + "\n", encoding="utf-8")
