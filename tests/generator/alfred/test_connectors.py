"""EB-ALFRED's and LoTa-Bench's skills on our stand-in: all that their connectors call and read is there."""

from __future__ import annotations

import pytest

from chorewright.generator.exports.alfred.exporter import trajectory
from tests.generator.alfred.connectors import WAYS, Connector, skills
from tests.generator.alfred.test_thor_env import GATE, episode
from tests.generator.alfred.thor_env import ThorEnv

ACTIONS = {"GetReachablePositions", "TeleportFull", "PickupObject", "PutObject", "DropHandObject", "OpenObject",
           "CloseObject", "ToggleObjectOn", "ToggleObjectOff", "SliceObject", "RotateHand", "MoveAhead", "MoveBack",
           "MoveLeft", "MoveRight", "RotateLeft", "RotateRight", "LookUp", "LookDown", "Initialize", "SetObjectPoses",
           "SetObjectToggles", "SetStateOfAllObjects", "Pass"}  # fmt: skip
FIELDS = {"objectId", "objectType", "name", "position", "rotation", "visible", "distance", "receptacle",
          "receptacleObjectIds", "parentReceptacles", "pickupable", "toggleable", "isToggled", "openable", "isOpen",
          "sliceable", "isSliced"}  # fmt: skip


def reached(index: int, *, apart: bool) -> bool:
    """Return whether the skills of an episode's plan meet all its conditions; none may be unknown to the stand-in."""
    traj = trajectory(episode(index))
    env = ThorEnv(traj, blind=True)
    connector = Connector(env, apart=apart)
    for skill in skills(traj, connector.numbered, env):
        connector.do(skill)
        assert env.metadata["errorCode"] not in ("InvalidAction", "InternalError", "MissingArguments"), skill
    met, of = env.conditions()
    return met == of


@pytest.mark.parametrize("apart", [True, False], ids=["EB-ALFRED", "LoTa-Bench"])
@pytest.mark.parametrize("index", GATE)
def test_the_skills_of_a_plan_reach_its_goal(index: int, apart: bool) -> None:
    assert reached(index, apart=apart)


@pytest.mark.slow
@pytest.mark.parametrize("apart", [True, False], ids=["EB-ALFRED", "LoTa-Bench"])
def test_the_skills_of_most_plans_reach_their_goals(apart: bool) -> None:
    """Not all: "pick up the mug" means the nearest one in view, which may be another than the plan's."""
    indices = [index for index in range(0, 200, 10) if episode(index).outcome.accepted]
    assert sum(reached(index, apart=apart) for index in indices) >= 0.8 * len(indices)


def test_every_action_and_every_field_that_they_use_is_there() -> None:
    env = ThorEnv(trajectory(episode(GATE[1])), blind=True)
    assert {action for way in WAYS for action in way} <= ACTIONS
    for action in sorted(ACTIONS):
        assert env.call(action, x=40.0)["errorCode"] != "InvalidAction", action
    for each in env.call("Pass")["objects"]:
        assert set(each) >= FIELDS
        assert (each["receptacleObjectIds"] is not None) == each["receptacle"]
    apple = next(each["objectId"] for each in env.metadata["objects"] if each["sliceable"])
    env.call("SliceObject", objectId=apple, forceAction=True)
    pieces = [each for each in env.metadata["objects"] if each["objectId"].startswith(f"{apple}|")]
    assert pieces
    assert all("_Slice" in each["name"] and each["pickupable"] for each in pieces)
    numbered = Connector(env, apart=True).numbered
    told = {each["objectId"]: each["objectType"] for each in env.metadata["objects"]}
    assert all(told[ident] == name.split("_")[0] for name, ident in numbered.items())
    assert any(name.endswith("_2") for name in numbered)


def test_what_is_held_is_put_down_in_the_last_of_their_ways() -> None:
    """They turn the hand before the last try; the hand must be there to be turned."""
    env = ThorEnv(trajectory(episode(GATE[1])), blind=True)
    mug = next(each["objectId"] for each in env.metadata["objects"] if each["pickupable"])
    assert env.call("PickupObject", objectId=mug, forceAction=True)["lastActionSuccess"]
    assert env.call("RotateHand", x=40)["lastActionSuccess"]
    assert env.call("DropHandObject", forceAction=True)["lastActionSuccess"]
    assert not env.call("RotateHand", x=40)["lastActionSuccess"]
