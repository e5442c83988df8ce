"""EB-ALFRED's and LoTa-Bench's skills on our stand-in: all that their connectors call and read is there."""

from __future__ import annotations

import pytest

from benchmarks.originals.connectors import ASIDE, WAYS, Connector, play
from benchmarks.originals.thor_env import ThorEnv
from chorewright.generator.alfred.export.exporter import trajectory
from tests.generator.alfred.test_thor_env import GATE, episode

ACTIONS = {"GetReachablePositions", "TeleportFull", "PickupObject", "PutObject", "DropHandObject", "OpenObject",
           "CloseObject", "ToggleObjectOn", "ToggleObjectOff", "SliceObject", "RotateHand", "MoveAhead", "MoveBack",
           "MoveLeft", "MoveRight", "RotateLeft", "RotateRight", "LookUp", "LookDown", "Initialize", "SetObjectPoses",
           "SetObjectToggles", "SetStateOfAllObjects", "Pass"}  # fmt: skip
FIELDS = {"objectId", "objectType", "name", "position", "rotation", "visible", "distance", "receptacle",
          "receptacleObjectIds", "parentReceptacles", "pickupable", "toggleable", "isToggled", "openable", "isOpen",
          "sliceable", "isSliced"}  # fmt: skip


@pytest.mark.parametrize("apart", [True, False], ids=["EB-ALFRED", "LoTa-Bench"])
@pytest.mark.parametrize("index", GATE)
def test_the_expert_reaches_a_goal(index: int, apart: bool) -> None:
    assert play(trajectory(episode(index)), None, apart=apart).won


@pytest.mark.parametrize("apart", [True, False], ids=["EB-ALFRED", "LoTa-Bench"])
def test_a_language_model_that_repeats_the_experts_skills_does_as_well(apart: bool) -> None:
    """LoTa-Bench's evaluator asks for the whole plan at once."""
    traj = trajectory(episode(GATE[1]))
    seen = play(traj, None, apart=apart)
    assert play(traj, seen.skills, apart=apart) == seen


@pytest.mark.slow
@pytest.mark.parametrize("apart", [True, False], ids=["EB-ALFRED", "LoTa-Bench"])
def test_the_expert_reaches_most_goals(apart: bool) -> None:
    """Not all: a skill may mean another thing than the plan's wherever the agent is led."""
    made = [episode(index) for index in range(0, 200, 10)]
    trajs = [trajectory(each) for each in made if each.outcome.accepted]
    assert sum(play(traj, None, apart=apart).won for traj in trajs) >= 0.9 * len(trajs)


def test_every_action_and_every_field_that_they_use_is_there() -> None:
    env = ThorEnv(trajectory(episode(GATE[1])), blind=True)
    assert {action for way in (*WAYS, *ASIDE) for action in way} <= ACTIONS
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
