"""Pictures of CALVIN's table: against projection by hand, and against PyBullet's own renderer."""

from __future__ import annotations

import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from chorewright.problems.calvin.scenes import SCENES, concrete, initial_states, scene
from chorewright.replay.calvin import arm
from chorewright.replay.calvin.engine import table_urdf
from chorewright.replay.calvin.pictures import CAMERAS, TabletopRenderer, gripper_view, static_view
from chorewright.replay.calvin.pixels import placing
from chorewright.replay.calvin.pixels.painted import View
from chorewright.replay.calvin.shapes import table_links
from chorewright.replay.drawing import rasteriser
from chorewright.replay.simulator import Frame

Numbers = NDArray[np.float64]

COLOURS = {"block_red": (255, 0, 0), "block_blue": (0, 0, 255), "block_pink": (255, 0, 255)}


@pytest.fixture(scope="module")
def renderers() -> dict[str, TabletopRenderer]:
    return {name: TabletopRenderer(scene(name)) for name in SCENES}


def view_of(name: str, camera: str, robot: NDArray[np.float64]) -> View:
    return static_view(scene(name).cameras["static"]) if camera == "static" else gripper_view(scene(name), robot)


def seen_at(view: View, fov: float, size: int, point: NDArray[np.float64]) -> tuple[int, int, float]:
    """Row and column at which a point is seen, and how far in front; pixels are seen through their corners."""
    x, y, z = view.axes @ (point - view.eye)
    focal = size / 2 / np.tan(np.radians(fov) / 2)
    return int(size / 2 - focal * y / z - 0.5), int(size / 2 + focal * x / z + 0.5), float(z)


@pytest.mark.parametrize("name", SCENES)
def test_shapes_types_and_range(name: str, renderers: dict[str, TabletopRenderer]) -> None:
    static, gripper = renderers[name].frames(*concrete(initial_states()[0], scene(name)))
    for frame, size, far in ((static, 200, 10), (gripper, 84, 2)):
        assert frame.rgb.shape == (size, size, 3)
        assert frame.rgb.dtype == np.uint8
        assert frame.depth.shape == frame.instances.shape == (size, size)
        assert frame.depth.dtype == np.float32
        assert frame.depth.min() > 0
        assert frame.depth.max() <= far
    assert {"robot", "floor", "table:drawer_link", *COLOURS} <= set(static.names)


@pytest.mark.parametrize("name", SCENES)
def test_blocks_are_seen_where_they_are(name: str, renderers: dict[str, TabletopRenderer]) -> None:
    """The middle of a block's top, by projection: its instance, its depth and its colour are there."""
    checked = 0
    for state in initial_states()[:: 192 // 16]:
        robot, table = concrete(state, scene(name))
        (frame,) = renderers[name].frames(robot, table, ("static",))
        for number, block in enumerate(scene(name).blocks):
            top = table[6 + 6 * number : 9 + 6 * number] + np.array((0, 0, 0.02))
            view = view_of(name, "static", robot)
            row, column, ahead = seen_at(view, 10, 200, top)
            if frame.instances[row, column] != frame.names.index(block.name):
                continue  # hidden, by the door or the arm
            checked += 1
            assert frame.depth[row, column] == pytest.approx(ahead, abs=0.02)
            shade = frame.rgb[row, column] / 255
            assert shade.max() > 0.7
            assert shade / shade.max() == pytest.approx(np.array(COLOURS[block.name]) / 255, abs=0.02)
    assert checked >= 24


def test_lights_are_seen(renderers: dict[str, TabletopRenderer]) -> None:
    robot, table = concrete(initial_states()[0], scene("D"))
    dark, lit = (
        renderers["D"].frames(robot, np.array([*table[:4], bulb, led, *table[6:]]), ("static",))[0]
        for bulb, led in ((0, 0), (1, 1))
    )
    for link, colour in (("table:led_link", "green"), ("table:light_link", "yellow")):
        where = dark.mask(link)
        assert where.sum() > 40, link
        before, after = (frame.rgb[where].mean(axis=0) for frame in (dark, lit))
        assert before.max() - before.min() < 12, "white while it is out"
        assert after[1] > 200, colour
        assert after[2] < 100, colour
        assert (after[0] > 200) == (colour == "yellow")
    other = ~(dark.mask("table:led_link") | dark.mask("table:light_link"))
    assert (dark.rgb[other] == lit.rgb[other]).all(), "nothing else changes"


@pytest.mark.parametrize(
    ("place", "value", "link"),
    [(0, 0.28, "table:slide_link"), (1, 0.22, "table:drawer_link"), (3, 0.088, "table:switch_link")],
)
def test_joints_move_what_is_seen(place: int, value: float, link: str, renderers: dict[str, TabletopRenderer]) -> None:
    robot, table = concrete(initial_states()[0], scene("D"))
    moved = table.copy()
    moved[place] = value
    (shut,), (opened,) = (renderers["D"].frames(robot, each, ("static",)) for each in (table, moved))
    both = shut.mask(link) & opened.mask(link)
    assert both.sum() < 0.8 * opened.mask(link).sum()
    assert opened.mask(link).sum() > 100


def test_the_same_picture_each_time_and_in_any_order(renderers: dict[str, TabletopRenderer]) -> None:
    states = [concrete(state, scene("D")) for state in initial_states()[::60]]
    once = [renderers["D"].frames(*state) for state in states]
    fresh = TabletopRenderer(scene("D"))
    again = [fresh.frames(*state) for state in reversed(states)][::-1]
    for one, two in zip(once, again, strict=True):
        for a, b in zip(one, two, strict=True):
            assert a.rgb.tobytes() == b.rgb.tobytes()
            assert a.depth.tobytes() == b.depth.tobytes()


def anew(renderer: TabletopRenderer, camera: str, robot: Numbers, table: Numbers) -> Frame:
    """A picture by the rasteriser alone: all triangles, nothing kept."""
    some, facts = renderer._triangles, renderer.scene.cameras[camera]
    view = view_of(renderer.scene.name, camera, robot)
    turn, place = renderer._places.rotations[some.body], renderer._places.offsets[some.body]

    def turned(vectors: Numbers) -> Numbers:
        found = [turn[:, i, 0] * vectors[:, 0] + turn[:, i, 1] * vectors[:, 1] + turn[:, i, 2] * vectors[:, 2]
                 for i in range(3)]  # fmt: skip
        return np.stack(found, 1)

    points = np.stack([turned(some.vertices[some.corners[:, k]]) + place for k in range(3)], 1)
    everywhere = np.tile((0.0, 0.0, 0.0, 100.0), (len(some.spheres), 1))
    size, focal = facts.size + 1, facts.size / 2 / np.tan(np.radians(facts.fov) / 2)
    near, who = np.zeros((size, size)), np.full((size, size), -1, np.int32)
    lens = rasteriser.Lens(view.eye, view.axes, focal, facts.near)
    triangles = rasteriser.Triangles(points, turned(some.faces[:, :3]), some.starts, everywhere)
    rasteriser.nearest(triangles, lens, np.array((0, size, 0, size)), near, who)
    planes, corners = np.empty_like(renderer._work.planes), np.arange(3 * len(points)).reshape(-1, 3)
    work = renderer._work._replace(lit=np.zeros(len(points), bool), planes=planes, points=points.reshape(-1, 3))
    placing.light(who.ravel(), 0, some._replace(corners=corners), renderer._places, renderer._light, work)
    rgb, depth = np.empty((size, size, 3), np.uint8), np.empty((size, size), np.float32)
    instances = np.empty((size, size), np.int32)
    rasteriser.shade(
        rasteriser.Buffers(near, who, rasteriser.whole_rows(size, size)),
        rasteriser.Paints(some.surface, some.instance, planes, renderer._surfaces),
        lens, renderer._background, rasteriser.Picture(rgb, depth, instances),
    )  # fmt: skip
    return Frame(rgb[1:, :-1], depth[1:, :-1], instances[1:, :-1], renderer._names)


def moved_states(name: str, count: int) -> list[tuple[Numbers, Numbers]]:
    """States with arms and blocks anywhere, in which the furniture sometimes moves, and comes back."""
    rng, found = np.random.default_rng(1), []
    start, table = (np.array(each) for each in concrete(initial_states()[7], scene(name)))
    for number in range(count):
        robot, things = start.copy(), table.copy()
        robot[6:14] += rng.normal(0, 0.2, 8) * (0.1, *[1] * 7)
        things[6:] += rng.normal(0, 0.1, 18)
        if number % 3:
            things[:6] = (0.1 * (number % 4), 0.15, 0.002, 0.03, number % 2, 1)
        found.append((robot, things))
    return found


@pytest.mark.parametrize("name", SCENES)
def test_what_is_kept_changes_no_byte(name: str) -> None:
    """The same as drawn anew by the rasteriser, whatever was drawn before; colours alone are the frames' ones."""
    states = moved_states(name, 30)
    renderer, robots, tables = TabletopRenderer(scene(name)), *(np.array(each) for each in zip(*states, strict=True))
    colours = TabletopRenderer(scene(name)).colours(robots, tables)
    for number, state in enumerate(states):
        for camera, frame, seen in zip(CAMERAS, renderer.frames(*state), colours, strict=True):
            other = anew(renderer, camera, *state)
            assert frame.rgb.tobytes() == other.rgb.tobytes() == seen[number].tobytes(), (number, camera)
            assert frame.instances.tobytes() == other.instances.tobytes()
            there = (frame.instances >= 0) & (frame.depth < scene(name).cameras[camera].far)
            assert (frame.depth == other.depth)[there].all()
    assert len(renderer._canvases["static", 200]._kept) > 3


def test_bodies_are_where_the_arms_kinematics_has_them() -> None:
    renderer = TabletopRenderer(scene("B"))
    for robot, table in moved_states("B", 5):
        renderer.frames(robot, table, ("gripper",), (20,))
        links = arm.frames(robot[7:14])
        assert np.abs(renderer._places.rotations[12:21] - links[:9, :3, :3]).max() < 1e-14
        assert np.abs(renderer._places.offsets[12:21] - links[:9, :3, 3]).max() < 1e-14
        assert np.abs(renderer._places.rotations[9] - arm.rotation_from_euler(table[9:12])).max() < 1e-15


def test_the_floor_is_a_checker_of_white_and_grey(renderers: dict[str, TabletopRenderer]) -> None:
    robot, table = concrete(initial_states()[0], scene("D"))
    (frame,) = renderers["D"].frames(robot, table, ("static",))
    seen = {tuple(int(value) for value in colour) for colour in frame.rgb[frame.mask("floor")]}
    assert len(seen) == 2
    light, dark = (np.array(colour) for colour in sorted(seen, reverse=True))
    assert light.min() > 230
    assert 140 < dark.mean() < 200
    assert np.ptp(dark) < 10, "grey"


def test_fingers_are_as_far_apart_as_the_hand_is_open(renderers: dict[str, TabletopRenderer]) -> None:
    robot, table = concrete(initial_states()[0], scene("D"))
    found = []
    for opening in (0.0, 0.04, 0.08):
        robot = robot.copy()
        robot[6] = opening
        (frame,) = renderers["D"].frames(robot, table, ("gripper",))
        mask = frame.mask("robot")
        found.append((mask.sum(), frame.rgb[mask].std()))
        assert mask[:30].any(), "the fingers come from above"
    assert len({count for count, _ in found}) == 3


def peer_frame(name: str, camera: str, robot: NDArray[np.float64], table: NDArray[np.float64]) -> Frame:
    """The table and blocks, without arm and floor, as PyBullet's TinyRenderer draws them."""
    bullet = pytest.importorskip("pybullet")
    client = bullet.connect(bullet.DIRECT)
    try:
        root = ElementTree.fromstring(table_urdf(table_links(scene(name))))
        for link in root.findall("link"):
            for each in link.findall("collision"):
                copy = ElementTree.fromstring(ElementTree.tostring(each))
                copy.tag = "visual"
                link.append(copy)
        path = Path(tempfile.mkdtemp()) / "table.urdf"
        path.write_text(ElementTree.tostring(root, encoding="unicode"))
        body = bullet.loadURDF(str(path), useFixedBase=True, physicsClientId=client)
        places = {"base__slide": 0, "base__drawer": 1, "base__button": 2, "base__switch": 3}
        names = {-1: "table:base_link"}
        for number in range(bullet.getNumJoints(body, physicsClientId=client)):
            info = bullet.getJointInfo(body, number, physicsClientId=client)
            names[number] = f"table:{info[12].decode()}"
            if info[1].decode() in places:
                value = float(table[places[info[1].decode()]])
                bullet.resetJointState(body, number, value, physicsClientId=client)
        order = [*names.values()]
        ids = {(body, link): order.index(called) for link, called in names.items()}
        for number, block in enumerate(scene(name).blocks):
            half = [length / 2 for length in block.lengths]
            shape = bullet.createVisualShape(bullet.GEOM_BOX, halfExtents=half, physicsClientId=client)
            state = table[6 + 6 * number : 12 + 6 * number].tolist()
            made = bullet.createMultiBody(
                0, -1, shape, state[:3], bullet.getQuaternionFromEuler(state[3:]), physicsClientId=client
            )
            ids[made, -1] = len(order)
            order.append(block.name)
        view, facts = view_of(name, camera, robot), scene(name).cameras[camera]
        seen = bullet.computeViewMatrix(view.eye, view.eye + view.axes[2], view.axes[1])
        near = 0.5 if camera == "static" else facts.near  # its depths are coarse else
        lens = bullet.computeProjectionMatrixFOV(facts.fov, 1.0, near, facts.far)
        size = facts.size
        _, _, rgb, depth, mask = bullet.getCameraImage(
            size,
            size,
            seen,
            lens,
            shadow=0,
            renderer=bullet.ER_TINY_RENDERER,
            flags=bullet.ER_SEGMENTATION_MASK_OBJECT_AND_LINKINDEX,
            physicsClientId=client,
        )
        raw = np.reshape(mask, (size, size)).astype(np.int64)
        depth = np.reshape(depth, (size, size))
        metres = facts.far * near / (facts.far - (facts.far - near) * depth)
        instances = np.full((size, size), -1, np.int32)
        for (unique, link), number in ids.items():
            instances[raw == unique + ((link + 1) << 24)] = number
        return Frame(np.reshape(rgb, (size, size, 4))[..., :3], metres.astype(np.float32), instances, tuple(order))
    finally:
        bullet.disconnect(physicsClientId=client)


@pytest.mark.parametrize(("name", "camera"), [("D", "static"), ("B", "static"), ("C", "static"), ("D", "gripper")])
def test_agrees_with_pybullet(name: str, camera: str, renderers: dict[str, TabletopRenderer]) -> None:
    """Instances and depths of table and blocks, wherever neither arm nor floor is seen, to the pixel."""
    robot, table = concrete(initial_states()[100], scene(name))
    (ours,) = renderers[name].frames(robot, table, (camera,))
    theirs = peer_frame(name, camera, robot, table)
    compared = ~(ours.mask("robot") | ours.mask("floor")) & (theirs.instances >= 0)
    assert compared.mean() > 0.2
    ours_named, theirs_named = (np.array([*frame.names, "nothing"])[frame.instances] for frame in (ours, theirs))
    same = (ours_named == theirs_named)[compared]
    assert same.mean() > 0.995, same.mean()
    apart = np.abs(ours.depth - theirs.depth)[compared][same]
    assert np.quantile(apart, 0.99) < (0.01 if camera == "static" else 0.03)
    assert np.median(apart) < 0.006
