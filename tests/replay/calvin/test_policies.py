"""What a policy may give as an action, and what is said of one that gives something else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from chorewright.errors import InputError
from chorewright.problems.calvin.scenes import scene
from chorewright.replay.calvin.policies import ask, begin, carry_out

pytest.importorskip("pybullet")


class Gives:
    """A policy that always gives the same."""

    def __init__(self, action: Any) -> None:
        self.action = action

    def reset(self) -> None:
        raise RuntimeError("no memory\nleft")

    def step(self, obs: dict[str, Any], goal: str) -> Any:
        return self.action


class Tensor:
    """What a network gives."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def detach(self) -> Tensor:
        return self

    cpu = detach

    def numpy(self) -> Any:
        return np.array(self.values, np.float32)


SEVEN = [0.1, 0, 0, 0, 0, 0, 0.4]


@pytest.mark.parametrize(
    "action", [SEVEN, tuple(SEVEN), np.array(SEVEN), np.array([SEVEN]), Tensor([SEVEN]), np.array([*SEVEN[:6], 1])]
)
def test_seven_numbers_in_any_form(action: Any) -> None:
    found = ask(Gives(action), "mine", {}, "open the drawer")
    assert isinstance(found, np.ndarray)
    np.testing.assert_allclose(found, [*SEVEN[:6], 1], atol=1e-7)


@pytest.mark.parametrize("gripper", [-1, -0.2, 0, np.array([-0.3]), Tensor([-1.0])])
@pytest.mark.parametrize("orientation", [[np.pi, 0, 1.5], np.array([1.0, 0, 0, 0]), Tensor([0.0, 0, 0])])
def test_a_pose_and_the_gripper(orientation: Any, gripper: Any) -> None:
    found = ask(Gives((Tensor([0.1, -0.2, 0.5]), orientation, gripper)), "mine", {}, "")
    assert isinstance(found, tuple)
    assert found[2] == -1
    assert [len(found[0]), len(found[1])] == [3, len(np.asarray(getattr(orientation, "values", orientation)))]


def test_dicts_are_the_worlds_own_forms() -> None:
    action = {"type": "joint_rel", "action": np.zeros(8)}
    assert ask(Gives(action), "mine", {}, "") is action


@pytest.mark.parametrize("action", [None, 3, "x", [], [1, 2], SEVEN * 2, [*SEVEN[:6], np.nan], object()])
def test_what_is_no_action_is_told_with_the_policys_name(action: Any) -> None:
    with pytest.raises(InputError, match=r"the policy 'mine' returned an invalid action: \w+: ") as caught:
        ask(Gives(action), "mine", {}, "")
    assert caught.value.location is None


@pytest.mark.parametrize("action", [{}, {"type": "swim"}, {"type": "joint_abs", "action": 1}, ([1], [2], 1)])
def test_what_the_world_does_not_take_too(action: Any) -> None:
    from chorewright.replay.calvin.world import TabletopWorld

    with TabletopWorld(scene("D")) as world:
        world.reset()
        with pytest.raises(InputError, match=r"the policy 'mine' (returned an invalid action|failed): "):
            carry_out(world, ask(Gives(action), "mine", {}, ""), "mine")


def test_a_reset_that_fails() -> None:
    with pytest.raises(InputError, match=r"the policy 'mine' failed: RuntimeError: no memory$") as caught:
        begin(Gives(None), "mine")
    assert caught.value.location is not None
    assert str(caught.value.location).startswith(__file__)


def test_what_a_policy_raises_is_raised_for_who_looks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHOREWRIGHT_DEBUG", "1")
    with pytest.raises(RuntimeError, match="no memory"):
        begin(Gives(None), "mine")


class Leaves(Gives):
    """A policy whose step ends the process."""

    def step(self, obs: dict[str, Any], goal: str) -> Any:
        raise SystemExit(0)


def test_a_policy_that_ends_the_process_has_failed() -> None:
    with pytest.raises(InputError, match="the policy 'mine' failed: SystemExit: 0") as caught:
        ask(Leaves(None), "mine", {}, "")
    assert str(caught.value.location).startswith(__file__)
