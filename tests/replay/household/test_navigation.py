"""Moving about: against an integer model of our own, and networkx for what can be reached."""

from __future__ import annotations

import random

import networkx as nx
import pytest

from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.scene import GRID, Pose
from chorewright.replay.household import ThorWorld
from chorewright.replay.simulator import SimulatorAction
from tests.replay.household.toy import do, kitchen, world

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
SIDES = {"MoveAhead": 0, "MoveRight": 1, "MoveBack": 2, "MoveLeft": 3}


@pytest.mark.parametrize("room", ["FloorPlan1", "FloorPlan213", "FloorPlan320", "FloorPlan408"])
def test_walks_agree_with_an_integer_model(room: str) -> None:
    scene = load_room(room)
    made, dice = ThorWorld(), random.Random(7)
    made.reset(scene)
    x, z, rotation, horizon = scene.agent.x, scene.agent.z, scene.agent.rotation, scene.agent.horizon
    points = set(scene.grid)
    for _ in range(3000):
        action = dice.choice([*SIDES, "RotateLeft", "RotateRight", "LookUp", "LookDown"])
        event = made.step(SimulatorAction(action))
        expected = True
        if action in SIDES:
            dx, dz = STEPS[(rotation + SIDES[action]) % 4]
            expected = (x + dx, z + dz) in points
            x, z = (x + dx, z + dz) if expected else (x, z)
        elif action.startswith("Rotate"):
            rotation = (rotation + (1 if action == "RotateRight" else 3)) % 4
        else:
            tilted = horizon + (15 if action == "LookDown" else -15)
            expected = -30 <= tilted <= 60
            horizon = tilted if expected else horizon
        assert event.success == expected
        assert bool(event.error_message) != expected
        assert made.scene().agent == Pose(x, z, rotation, horizon)


@pytest.mark.parametrize("room", ["FloorPlan5", "FloorPlan230", "FloorPlan311", "FloorPlan418"])
def test_reachable_positions_are_the_connected_component(room: str) -> None:
    scene = load_room(room)
    graph = nx.Graph()
    graph.add_nodes_from(scene.grid)
    graph.add_edges_from(
        (point, other) for point in scene.grid for dx, dz in STEPS if (other := (point[0] + dx, point[1] + dz)) in graph
    )
    made = ThorWorld()
    made.reset(scene)
    found = do(made, "GetReachablePositions").action_return
    assert isinstance(found, list)
    expected = nx.node_connected_component(graph, (scene.agent.x, scene.agent.z))
    assert {(round(p["x"] / GRID), round(p["z"] / GRID)) for p in found} == expected
    assert len(found) == len(expected)


@pytest.mark.parametrize(
    ("action", "arguments", "success", "pose"),
    [
        ("MoveAhead", {"moveMagnitude": 0.5}, False, (0, 0, 0, 45)),
        ("MoveBack", {"moveMagnitude": 0.5}, True, (0, -2, 0, 45)),
        ("MoveBack", {"moveMagnitude": 0.75}, False, (0, 0, 0, 45)),
        ("RotateRight", {"degrees": 180}, True, (0, 0, 2, 45)),
        ("LookUp", {"degrees": 30}, True, (0, 0, 0, 15)),
        ("LookDown", {"degrees": 30}, False, (0, 0, 0, 45)),
        ("LookDown", {"degrees": -200}, False, (0, 0, 0, 45)),
        ("LookUp", {"degrees": -200}, False, (0, 0, 0, 45)),
        ("Teleport", {"position": {"x": 0.5, "y": 0.9, "z": -0.5}}, True, (2, -2, 0, 45)),
        ("Teleport", {"x": 0.25, "z": 0.0, "rotation": 270, "horizon": 0}, True, (1, 0, 3, 0)),
        ("TeleportFull", {"x": 0.0, "y": 9.0, "z": -0.25, "rotation": {"y": 90}, "horizon": 30,
                          "standing": True}, True, (0, -1, 1, 30)),
        ("TeleportFull", {"x": 0.0, "z": 0.0, "rotation": 90, "rotateOnTeleport": False}, True,
         (0, 0, 0, 45)),
        ("Teleport", {"x": 5.0, "z": 0.0}, False, (0, 0, 0, 45)),
        ("Teleport", {"x": 5.0, "z": 0.0, "forceAction": True}, True, (20, 0, 0, 45)),
        ("Teleport", {"x": 0.0, "horizon": 90}, False, (0, 0, 0, 45)),
        ("MoveAhead", {"moveMagnitude": "far"}, False, (0, 0, 0, 45)),
        ("MoveAhead", {"moveMagnitude": float("nan")}, False, (0, 0, 0, 45)),
        ("RotateRight", {"degrees": True}, False, (0, 0, 0, 45)),
    ],
)  # fmt: skip
def test_moves_with_arguments(
    action: str, arguments: dict[str, object], success: bool, pose: tuple[int, int, int, int]
) -> None:
    made = world()
    assert do(made, action, **arguments).success is success
    assert made.scene().agent == Pose(*pose)


def test_a_blocked_move_names_what_is_in_the_way() -> None:
    assert "CounterTop|c" in do(world(), "MoveAhead").error_message
    made = world()
    for _ in range(2):
        assert do(made, "MoveLeft").success
    assert "wall" in do(made, "MoveLeft").error_message


def test_a_diagonal_walk_ends_near_standing_points() -> None:
    made = world()
    assert do(made, "RotateRight", degrees=135).success
    assert do(made, "MoveAhead", moveMagnitude=0.3).success
    x, _, z = made.room.place()
    assert (round(x, 3), round(z, 3)) == (0.212, -0.212)


def test_the_agent_sees_lower_things_when_it_crouches() -> None:
    made = world()
    assert do(made, "Crouch").success
    assert made.room.camera()[1] == pytest.approx(kitchen().agent_y)
    assert do(made, "Stand").success
    assert made.room.camera()[1] == pytest.approx(kitchen().agent_y + 0.75)
