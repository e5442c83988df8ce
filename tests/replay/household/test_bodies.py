"""Two agents in one room (agentCount 2): who acts, who is in whose way, what each sees, who holds what."""

from __future__ import annotations

from dataclasses import replace
from math import hypot

import numpy as np
import pytest

from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.scene import APART, GRID, Bystander, Pose, points_around
from chorewright.replay.household.server.cameras import colour_bounds, colour_of
from chorewright.replay.household.server.requests import Reply
from chorewright.replay.household.server.service import Service
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import Frame, SimulatorAction

SIZE = 120


@pytest.fixture
def service() -> Service:
    """A kitchen with two agents a metre apart, face to face."""
    made = Service(SIZE, SIZE, "FloorPlan1", 3)
    done(made, "Initialize", gridSize=GRID, width=SIZE, height=SIZE, agentCount=2)
    points = {(round(each["x"] / GRID), round(each["z"] / GRID)) for each in positions(made)}
    x, z = next((x, z) for x, z in sorted(points) if all((x, z + ahead) in points for ahead in range(5)))
    for agent, (ahead, turn) in enumerate(((0, 0.0), (4, 180.0))):
        done(
            made,
            "Teleport",
            agent,
            x=x * GRID,
            y=0.9,
            z=(z + ahead) * GRID,
            rotation={"x": 0, "y": turn, "z": 0},
            horizon=0,
        )
    return made


def call(service: Service, name: str, agent: int = 0, **arguments: object) -> Reply:
    return service.answer({"action": name, "agentId": agent, **arguments})


def done(service: Service, name: str, agent: int = 0, **arguments: object) -> Reply:
    reply = call(service, name, agent, **arguments)
    assert reply.metadata["lastActionSuccess"], (name, reply.metadata["errorMessage"])
    return reply


def positions(service: Service) -> list[dict[str, float]]:
    found = done(service, "GetReachablePositions").metadata["actionReturn"]
    assert isinstance(found, list)
    return found


def held(reply: Reply) -> list[list[str]]:
    return [[each["objectId"] for each in agent["inventoryObjects"]] for agent in reply.agents]  # type: ignore[attr-defined]


def test_a_second_agent_stands_apart_from_the_first() -> None:
    for room in ("FloorPlan1", "FloorPlan211", "FloorPlan430"):
        made = Service(SIZE, SIZE, room, 3)
        reply = done(made, "Initialize", agentCount=2)
        one, other = (agent["agent"]["position"] for agent in reply.agents)  # type: ignore[index]
        assert hypot(one["x"] - other["x"], one["z"] - other["z"]) > APART
        assert [agent["agentId"] for agent in reply.agents] == [0, 1]
        assert len(reply.pictures["image"]) == 2


def test_the_answer_is_that_of_the_agent_who_acts(service: Service) -> None:
    before = done(service, "Pass").agents
    reply = done(service, "RotateRight", 1)
    assert (reply.active, reply.message(7)["activeAgentId"], reply.message(7)["sequenceId"]) == (1, 1, 7)
    assert reply.metadata["agent"]["rotation"]["y"] == 270.0  # type: ignore[index]
    assert reply.agents[0]["agent"] == before[0]["agent"]
    assert done(service, "Pass").metadata["agent"] == before[0]["agent"]


def test_agents_are_in_each_others_way(service: Service) -> None:
    before = positions(service)
    for _ in range(2):
        done(service, "MoveAhead", 0)
    for agent in (0, 1):
        reply = call(service, "MoveAhead", agent)
        assert not reply.metadata["lastActionSuccess"]
        assert f"agent_{1 - agent} is blocking" in str(reply.metadata["errorMessage"])
    assert positions(service) == before, "others may move away"
    done(service, "MoveBack", 1)
    done(service, "MoveAhead", 0)


def test_agents_see_each_other_and_not_themselves(service: Service) -> None:
    reply = done(service, "Pass", renderObjectImage=True)
    for agent, metadata in enumerate(reply.agents):
        seen = {each["name"] for each in metadata["colors"]}  # type: ignore[attr-defined]
        assert f"agent_{1 - agent}" in seen
        assert f"agent_{agent}" not in seen
        shown = (reply.pictures["image_ids"][agent] == colour_of(f"agent_{1 - agent}")).all(axis=-1)
        assert shown[SIZE // 2, SIZE // 2]


def test_what_one_holds_the_other_takes_from_the_floor_only(service: Service) -> None:
    things = done(service, "Pass").metadata["objects"]
    mug, floor = (
        next(each["objectId"] for each in things if each["objectType"] == kind)  # type: ignore[attr-defined]
        for kind in ("Mug", "Floor")
    )
    reply = done(service, "PickupObject", 0, objectId=mug, forceAction=True)
    assert held(reply) == [[mug], []]
    for agent in reply.agents:
        assert next(each["isPickedUp"] for each in agent["objects"] if each["objectId"] == mug)  # type: ignore[attr-defined]
    taken = call(service, "PickupObject", 1, objectId=mug, forceAction=True)
    assert "another agent's hand" in str(taken.metadata["errorMessage"])
    done(service, "PutObject", 0, objectId=floor, forceAction=True)
    assert held(done(service, "PickupObject", 1, objectId=mug, forceAction=True)) == [[], [mug]]


def test_a_new_scene_has_one_agent(service: Service) -> None:
    reply = done(service, "Reset", sceneName="FloorPlan2")
    assert not reply.agents
    assert "no agent 1" in str(call(service, "Pass", 1).metadata["errorMessage"])


def test_nobody_walks_through_a_bystander() -> None:
    room = load_room("FloorPlan1")
    x, z = sorted(room.grid)[len(room.grid) // 2]
    beside = replace(room, bystanders=(Bystander("agent_0", Pose(x, z, 0, 30)),))
    grid = Grid.of(beside)
    assert set(grid.points) == {point for point in room.grid if hypot(point[0] - x, point[1] - z) * GRID >= APART}
    world = ThorWorld()
    for start in sorted(points_around(x, z + 2) & set(grid.points)):
        world.reset(replace(beside, agent=Pose(*start, 2, 30)))
        moved = world.step(SimulatorAction("MoveAhead")).success
        assert moved == ((start[0], start[1] - 1) in grid.points)


def test_boxes_of_instances_are_those_of_their_pixels() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        height, width = rng.integers(1, 30, 2)
        instances = rng.integers(-1, 5, (height, width)).astype(np.int32)
        frame = Frame(
            np.zeros((height, width, 3), np.uint8), np.zeros((height, width), np.float32), instances, tuple("abcde")
        )
        expected = []
        for number in sorted(set(instances.reshape(-1).tolist()) - {-1}):
            rows, columns = np.nonzero(instances == number)
            box = [columns.min(), height - 1 - rows.max(), columns.max() + 1, height - rows.min()]
            expected.append({"color": list(colour_of("abcde"[number])), "bounds": box})
        assert colour_bounds(frame) == expected
