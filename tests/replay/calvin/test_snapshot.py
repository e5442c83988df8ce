"""The 34 conditions of CALVIN's detector: each at its thresholds, and what two moments of a table do."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmarks.corpora.reference import sample
from chorewright.errors import InputError, UsageError
from chorewright.replay.calvin.snapshot import (
    ROBOT,
    Block,
    Contact,
    Quaternion,
    Snapshot,
    detected_tasks,
    from_calvin_env,
    tasks_done,
    turn,
)

TABLE, PLANK, DRAWER = ("table", "base_link"), ("table", "plank_link"), ("table", "drawer_link")
HAND = (ROBOT, "finger")
STILL = (0.0, 0.0, 0.0)
Change = Callable[[Snapshot], Snapshot]


def about(axis: str, degrees: float) -> Quaternion:
    """The rotation about one axis."""
    half = math.radians(degrees) / 2
    x, y, z = (math.sin(half) if each == axis else 0.0 for each in "xyz")
    return x, y, z, math.cos(half)


def times(one: Quaternion, other: Quaternion) -> Quaternion:
    """The rotation that does the other first, then the one; by matrices of complex numbers."""

    def matrix(q: Quaternion) -> Any:
        x, y, z, w = q
        return np.array([[w + 1j * x, y + 1j * z], [-y + 1j * z, w - 1j * x]])

    found = matrix(one) @ matrix(other)
    return found[0, 0].imag, found[0, 1].real, found[0, 1].imag, found[0, 0].real


def block(x: float = 0.0, *contacts: Contact) -> Block:
    return Block((x, -0.1, 0.46), (0.0, 0.0, 0.0, 1.0), STILL, STILL, frozenset(contacts or (TABLE,)))


REST = Snapshot(
    doors={"base__slide": 0.1, "base__drawer": 0.1},
    lights={"lightbulb": 0, "led": 1},
    blocks={"block_red": block(0.0), "block_blue": block(0.3), "block_pink": block(-0.3)},
    robot_contacts=frozenset(),
)


def with_block(name: str, at: Snapshot = REST, robot: bool = False, **changes: Any) -> Snapshot:
    """A snapshot with one block changed; ``robot`` says whether the robot touches it."""
    new = replace(at.blocks[f"block_{name}"], **changes)
    touched = frozenset({(f"block_{name}", "base_link")}) if robot else at.robot_contacts
    return replace(at, blocks={**at.blocks, f"block_{name}": new}, robot_contacts=touched)


def turned(*turns: tuple[str, float], **changes: Any) -> Snapshot:
    orientation: Quaternion = (0.0, 0.0, 0.0, 1.0)
    for axis, degrees in turns:
        orientation = times(about(axis, degrees), orientation)
    return with_block("red", orientation=orientation, **changes)


def test_it_knows_the_34_tasks() -> None:
    published = json.loads(sample("calvin/symbolic_task_model.json").read_text("utf-8"))
    assert list(detected_tasks()) == list(published["tasks"])


RIGHT, LEFT = "rotate_red_block_right", "rotate_red_block_left"


@pytest.mark.parametrize(
    ("end", "done"),
    [
        (turned(("z", 60.1)), {LEFT}),
        (turned(("z", 59.9)), set()),
        (turned(("z", 179.9)), {LEFT}),
        (turned(("z", 180.1)), {RIGHT}),
        (turned(("z", -60.1)), {RIGHT}),
        (turned(("z", -59.9)), set()),
        (turned(("x", 29.9), ("z", 90)), {LEFT}),
        (turned(("x", 30.1), ("z", 90)), set()),
        (turned(("y", 29.9), ("z", -90)), {RIGHT}),
        (turned(("y", -30.1), ("z", -90)), set()),
        (turned(("x", 90)), set()),
        (turned(("z", 90), contacts=frozenset({HAND})), set()),
        (turned(("z", 90), contacts=frozenset({HAND, TABLE})), {LEFT}),
        (turned(("z", 90), contacts=frozenset({("block_blue", "base_link")})), {LEFT, "stack_block"}),
        (turned(("z", 90), contacts=frozenset()), set()),
        (turned(("z", 90), position=(0.0, -0.1, 0.55)), {LEFT}),
        (turned(("z", 90), position=(0.0, -0.1, 0.5601)), set()),
        (turned(("z", 90), position=(0.08, -0.04, 0.46)), {LEFT}),
        (turned(("z", 90), position=(0.0801, -0.04, 0.461)), set()),
    ],
)
def test_rotating(end: Snapshot, done: set[str]) -> None:
    assert tasks_done(REST, end) == done


def test_the_angle_is_that_from_start_to_end() -> None:
    for name in ("red", "blue", "pink"):
        start = with_block(name, orientation=about("z", 170))
        end = with_block(name, orientation=about("z", -100))
        assert tasks_done(start, end) == {f"rotate_{name}_block_left"}
        assert tasks_done(end, start) == {f"rotate_{name}_block_right"}


def test_turns_are_angles_about_fixed_axes() -> None:
    """Against the composition of the three rotations, for orientations of any start."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        x, y, z = rng.uniform((-179, -89, -179), (179, 89, 179))
        change = times(about("z", z), times(about("y", y), about("x", x)))
        start = tuple(rng.normal(size=4))
        start = tuple(each / np.linalg.norm(start) for each in start)
        assert turn(start, times(change, start)) == pytest.approx((x, y, z), abs=1e-6)


@pytest.mark.parametrize("name", ["red", "blue", "pink"])
def test_pushing(name: str) -> None:
    x = REST.blocks[f"block_{name}"].position[0]

    def pushed(by: float, *contacts: Contact) -> Snapshot:
        return with_block(name, position=(x + by, -0.2, 0.46), contacts=frozenset(contacts))

    assert tasks_done(REST, pushed(0.1001, TABLE)) == {f"push_{name}_block_right"}
    assert tasks_done(REST, pushed(-0.1001, TABLE)) == {f"push_{name}_block_left"}
    assert tasks_done(REST, pushed(0.0999, TABLE)) == set()
    assert tasks_done(REST, pushed(0.2, TABLE, HAND)) == {f"push_{name}_block_right"}
    assert tasks_done(REST, pushed(0.2, TABLE, DRAWER)) == {f"push_{name}_block_right", "push_into_drawer"}
    assert tasks_done(REST, pushed(0.2, DRAWER)) == {"push_into_drawer"}
    assert tasks_done(REST, pushed(0.2)) == set()
    in_hand = with_block(name, contacts=frozenset({HAND}))
    assert tasks_done(in_hand, pushed(0.2, TABLE)) == set()


@pytest.mark.parametrize(
    ("joint", "by", "done"),
    [
        ("base__slide", 0.1501, {"move_slider_left"}),
        ("base__slide", 0.15, set()),
        ("base__slide", -0.1501, {"move_slider_right"}),
        ("base__drawer", 0.1201, {"open_drawer"}),
        ("base__drawer", 0.12, set()),
        ("base__drawer", -0.1201, {"close_drawer"}),
    ],
)
def test_doors(joint: str, by: float, done: set[str]) -> None:
    zero = replace(REST, doors={**REST.doors, joint: 0.0})
    assert tasks_done(zero, replace(zero, doors={**zero.doors, joint: by})) == done


def test_lights() -> None:
    both = replace(REST, lights={"lightbulb": 1, "led": 0})
    assert tasks_done(REST, both) == {"turn_on_lightbulb", "turn_off_led"}
    assert tasks_done(both, REST) == {"turn_off_lightbulb", "turn_on_led"}
    assert tasks_done(REST, REST) == tasks_done(both, both) == set()


@pytest.mark.parametrize(
    ("surface", "place", "rise"), [(TABLE, "table", 0.05), (PLANK, "slider", 0.03), (DRAWER, "drawer", 0.05)]
)
@pytest.mark.parametrize("name", ["red", "blue", "pink"])
def test_lifting(name: str, surface: Contact, place: str, rise: float) -> None:
    start = with_block(name, contacts=frozenset({surface, HAND}))
    x, y, z = start.blocks[f"block_{name}"].position

    def lifted(by: float, *contacts: Contact) -> Snapshot:
        return with_block(name, start, position=(x, y, z + by), contacts=frozenset(contacts))

    task = f"lift_{name}_block_{place}"
    assert tasks_done(start, lifted(rise + 1e-6, HAND)) == {task}
    assert tasks_done(start, lifted(rise + 1e-6, HAND, (ROBOT, "other finger"))) == {task}
    assert tasks_done(start, lifted(rise - 1e-6, HAND)) == set()
    assert tasks_done(start, lifted(0.2, HAND, ("block_blue", "base_link"))) == set()
    assert tasks_done(start, lifted(0.2)) == set()
    assert tasks_done(with_block(name, start, contacts=frozenset({HAND})), lifted(0.2, HAND)) == set()


@pytest.mark.parametrize(("surface", "task"), [(PLANK, "place_in_slider"), (DRAWER, "place_in_drawer")])
def test_placing(surface: Contact, task: str) -> None:
    held = with_block("pink", robot=True, contacts=frozenset({HAND}))
    put = with_block("pink", contacts=frozenset({surface}), position=(0.0, 0.1, 0.4))
    assert tasks_done(held, put, ["place_in_slider", "place_in_drawer"]) == {task}
    for start, end in (
        (replace(held, robot_contacts=frozenset()), put),  # not touched at the start
        (replace(held, robot_contacts=held.robot_contacts | {TABLE}), put),  # the robot touches the table too
        (replace(held, robot_contacts=frozenset({TABLE})), put),  # only the table, which is no block
        (with_block("pink", held, contacts=frozenset({HAND, TABLE})), put),  # the block touches the table
        (held, with_block("pink", put, contacts=frozenset({surface, HAND}))),  # not released
        (held, with_block("pink", put, contacts=frozenset({TABLE}))),  # elsewhere
    ):
        assert tasks_done(start, end, [task]) == set()


def test_pushing_into_the_drawer() -> None:
    task = "push_into_drawer"
    end = with_block("blue", contacts=frozenset({DRAWER}))
    assert tasks_done(REST, end) == {task}
    assert tasks_done(REST, with_block("blue", contacts=frozenset({DRAWER, HAND}))) == set()
    for contacts in ({TABLE, HAND}, {TABLE, ("block_red", "base_link")}, {PLANK}, set()):
        assert tasks_done(with_block("blue", contacts=frozenset(contacts)), end) == set()


def test_stacking_and_unstacking() -> None:
    on_blue = frozenset({("block_blue", "base_link")})
    stack = with_block("red", contacts=on_blue)
    assert tasks_done(REST, stack) == {"stack_block"}
    assert tasks_done(stack, REST) == {"unstack_block"}
    assert tasks_done(with_block("red", contacts=frozenset({HAND})), stack) == {"stack_block"}
    assert tasks_done(stack, with_block("red", contacts=frozenset({HAND}))) == {"unstack_block"}
    assert tasks_done(stack, with_block("red", contacts=frozenset())) == {"unstack_block"}
    for contacts in (on_blue | {HAND}, on_blue | {TABLE}):
        held = with_block("red", contacts=frozenset(contacts))
        assert tasks_done(REST, held) == tasks_done(held, REST) == set()
    other = with_block("red", contacts=frozenset({("block_pink", "base_link")}))
    assert tasks_done(stack, other) == set()


@pytest.mark.parametrize("kind", ["linear_velocity", "angular_velocity"])
@pytest.mark.parametrize(("speed", "slow"), [(0.99, True), (-0.99, True), (1.0, False), (-1.0, False)])
def test_stacks_are_at_rest(kind: str, speed: float, slow: bool) -> None:
    """At the end for stacking, at the start for unstacking."""
    on_blue = frozenset({("block_blue", "base_link")})
    moving = with_block("red", contacts=on_blue, **{kind: (0.0, speed, 0.0)})
    assert tasks_done(REST, moving) == ({"stack_block"} if slow else set())
    assert tasks_done(moving, REST) == ({"unstack_block"} if slow else set())


def test_among() -> None:
    end = replace(REST, lights={"lightbulb": 1, "led": 0})
    assert tasks_done(REST, end, ["turn_off_led", "open_drawer"]) == {"turn_off_led"}
    assert tasks_done(REST, end, []) == set()
    with pytest.raises(UsageError, match="no tabletop task 'fly'"):
        tasks_done(REST, end, ["fly"])


def info() -> dict[str, Any]:
    """What calvin_env tells of a table on which the robot touches the red block that lies on the plank."""

    def thing(uid: int, *contacts: tuple[int, int]) -> dict[str, Any]:
        return {
            "current_pos": np.array([0.1 * uid, 0.0, 0.46]),
            "current_orn": (0.0, 0.0, 0.0, 1.0),
            "current_lin_vel": (0, 0, 0),
            "current_ang_vel": np.zeros(3),
            "contacts": tuple((0, uid, body, -1, link, *range(9)) for body, link in contacts),
            "uid": uid,
        }

    return {
        "robot_info": {"uid": 0, "contacts": [(0, 0, 4, 10, -1)], "tcp_pos": [0, 0, 0]},
        "scene_info": {
            "fixed_objects": {"table": {"uid": 2, "links": {"base_link": -1, "plank_link": 5, "drawer_link": 3}}},
            "movable_objects": {
                "block_red": thing(4, (2, 5), (0, 10)),
                "block_blue": thing(5, (2, -1), (7, 1)),
                "block_pink": thing(6),
            },
            "doors": {"base__slide": {"current_state": 0.28}, "base__drawer": {"current_state": np.float32(0)}},
            "lights": {"lightbulb": {"logical_state": 1}, "led": {"logical_state": 0}},
            "buttons": {},
            "switches": {},
        },
    }


def test_a_snapshot_of_the_real_environment() -> None:
    found = from_calvin_env(info())
    assert found.doors == {"base__slide": 0.28, "base__drawer": 0.0}
    assert found.lights == {"lightbulb": 1, "led": 0}
    assert found.robot_contacts == {("block_red", "link_-1")}
    assert found.blocks["block_red"].contacts == {PLANK, (ROBOT, "link_10")}
    assert found.blocks["block_blue"].contacts == {TABLE, ("body_7", "link_1")}
    assert found.blocks["block_pink"].position == (pytest.approx(0.6), 0.0, 0.46)
    after = info()
    red = after["scene_info"]["movable_objects"]["block_red"]
    red.update(current_pos=(0.4, 0.0, 0.5), contacts=[(0, 4, 0, -1, 10), (0, 4, 0, -1, 11)])
    assert tasks_done(found, from_calvin_env(after)) == {"lift_red_block_slider"}


@pytest.mark.parametrize(
    ("place", "key", "said"),
    [
        ((), "scene_info", "<input>:$: "),
        (("scene_info",), "doors", "<input>:$.scene_info: "),
        (("scene_info", "doors", "base__slide"), "current_state", "$.scene_info.doors.base__slide: "),
        (("scene_info", "movable_objects", "block_red"), "contacts", "movable_objects.block_red: "),
        (("scene_info", "movable_objects", "block_red"), "current_orn", "'current_orn'"),
        (("robot_info",), "uid", "$.robot_info: "),
    ],
)
@pytest.mark.parametrize("value", [None, "x", [1]])
def test_an_info_that_lacks_something_says_where(place: tuple[str, ...], key: str, said: str, value: Any) -> None:
    broken = info()
    part = broken
    for step in place:
        part = part[step]
    part[key] = value
    with pytest.raises(InputError) as caught:
        from_calvin_env(broken)
    assert said in str(caught.value)
