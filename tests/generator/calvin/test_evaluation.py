"""CALVIN's evaluation: the interface that policies have, what counts, and where tasks begin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chorewright.errors import ChorewrightError, InputError, UsageError
from chorewright.files.plugins import Origin
from chorewright.generator.calvin.evaluation import CalvinEvaluation, ChainJob, ChainMeans, ChainScore, Player, starts
from chorewright.generator.calvin.options import CalvinTrial
from chorewright.generator.calvin.trial import forms, run_chain
from chorewright.generator.measuring.evaluation import play
from chorewright.problems.calvin.chains import Chain, fault
from chorewright.problems.calvin.published import PUBLISHED, find_published_chains
from chorewright.problems.calvin.scenes import concrete, initial_states, scene
from chorewright.problems.calvin.tasks import tasks
from chorewright.replay.calvin.policies import ask, find_policy, show
from chorewright.rsa.calvin.instructions import validation_sentence

pytest.importorskip("pybullet")

HERE = "tests.generator.calvin.test_evaluation"


def evaluated(agent: str, **options: Any) -> ChainMeans:
    return ChainMeans.of(play(CalvinEvaluation(), CalvinTrial(agent=agent, **options)))


class Still:
    """Does nothing; refuses to be shown anything else than CALVIN's environment shows."""

    def __init__(self) -> None:
        self.steps = self.tasks = 0

    def reset(self) -> None:
        self.tasks += 1
        self.steps = 0

    def step(self, obs: dict[str, Any], goal: str) -> np.ndarray[Any, Any]:
        assert goal in {validation_sentence(task) for task in tasks()}
        assert obs["robot_obs"].shape == (15,)
        assert obs["scene_obs"].shape == (24,)
        if obs["rgb_obs"]:
            assert obs["rgb_obs"]["rgb_static"].shape == (200, 200, 3)
            assert obs["rgb_obs"]["rgb_gripper"].shape == (84, 84, 3)
            assert obs["depth_obs"]["depth_static"].shape == (200, 200)
            assert obs["depth_obs"]["depth_gripper"].shape == (84, 84)
        self.steps += 1
        assert self.steps <= 360
        return np.array([[0, 0, 0, 0, 0, 0, 0.3]])  # as a network gives it: a batch of one, any gripper


class Recorded(Still):
    """Gives the commands that the expert gave for the first published chain, and looks at nothing."""

    def __init__(self) -> None:
        super().__init__()
        from chorewright.replay.calvin.world import TabletopWorld

        (chain, *_) = find_published_chains(PUBLISHED)
        with TabletopWorld(scene("D")) as world:
            trial = run_chain(world, concrete(chain.initial_state, scene("D")), chain.sequence)
        assert not trial.reason
        self.commands = iter(forms(trial.frames)["commanded_actions"]())

    def step(self, obs: dict[str, Any], goal: str) -> Any:
        super().step(obs, goal)
        return next(self.commands)


class Broken(Still):
    def step(self, obs: dict[str, Any], goal: str) -> Any:
        raise RuntimeError("out of memory")


class Wordless(Still):
    def step(self, obs: dict[str, Any], goal: str) -> Any:
        return "left"


class Unmakable:
    def __init__(self) -> None:
        raise RuntimeError("no weights")


def test_who_does_nothing_reaches_nothing() -> None:
    result = evaluated(f"{HERE}:Still", chains=1, rollouts=0, pictures=False)
    assert result.lengths == (0,)
    assert result.average_length == 0


def test_the_experts_commands_reach_what_the_expert_reaches() -> None:
    result = evaluated(f"{HERE}:Recorded", chains=1, rollouts=0)
    assert result.lengths == (5,)
    assert [result.at_least(count) for count in range(1, 6)] == [1.0] * 5
    assert 20 < result.steps < 200


@pytest.mark.parametrize("name", ["Broken", "Wordless"])
def test_policies_that_fail(name: str) -> None:
    with pytest.raises((InputError, UsageError)):
        evaluated(f"{HERE}:{name}", chains=1, rollouts=0, pictures=False)


@pytest.mark.parametrize(
    "name", ["", "nobody", "json:loads", f"{HERE}:Unmakable", f"{HERE}:Nobody", "no.such:Policy", ":x", "a b:c"]
)
def test_no_policy(name: str) -> None:
    with pytest.raises(UsageError):
        find_policy(name, Origin.PERSON)


@pytest.mark.parametrize(
    "wrong", [{"chains": -1}, {"rollouts": -1}, {"seed": -1}, {"first": -1}, {"scene": "Z"}], ids=str
)
def test_numbers_that_cannot_be(wrong: dict[str, Any]) -> None:
    with pytest.raises(ChorewrightError):
        evaluated("expert", **{"chains": 1, "rollouts": 0, **wrong})


def test_a_batch_of_one_is_an_action() -> None:
    given = np.array([[0.1, 0.2, 0.3, 0, 0, 0, -0.2]], np.float32)

    class Batch(Still):
        def step(self, obs: dict[str, Any], goal: str) -> Any:
            return given

    from chorewright.replay.calvin.world import TableObservation

    seen = TableObservation(np.zeros(15), np.zeros(24))
    action = np.asarray(ask(Batch(), "batch", show(seen, None), "go"))
    assert action.shape == (7,)
    assert np.allclose(action, [0.1, 0.2, 0.3, 0, 0, 0, -1])


@pytest.mark.parametrize(
    ("lengths", "shares", "average"),
    [((5, 5), (1, 1, 1, 1, 1), 5), ((0, 1, 2, 5), (0.75, 0.5, 0.25, 0.25, 0.25), 2), ((), (0, 0, 0, 0, 0), 0)],
)
def test_figures(lengths: tuple[int, ...], shares: tuple[float, ...], average: float) -> None:
    result = ChainMeans(lengths, (("a", 1, 2), ("b", 2, 2)), 0.0)
    assert tuple(result.at_least(count) for count in range(1, 6)) == shares
    assert result.average_length == average
    assert result.task_success == 0.75


def test_every_task_has_starts_from_which_it_can_be_done() -> None:
    found = list(starts(CalvinTrial(agent="expert", rollouts=3)))
    assert [task for task, _ in found] == [task for task in tasks() for _ in range(3)]
    for task, chain in found:
        assert chain.sequence[-1] == task
        assert fault(chain, any_category=True) is None
    assert len({chain.initial_state for _, chain in found}) > 40
    assert found == list(starts(CalvinTrial(agent="expert", rollouts=3)))


@pytest.mark.slow
def test_the_expert_by_any_number_of_processes(tmp_path: Path) -> None:
    asked = {"chains": 4, "rollouts": 0, "first": 300}
    whole = evaluated("expert", **asked, workers=0)
    assert evaluated("expert", **asked, workers=2) == whole
    log = str(tmp_path / "log")
    assert evaluated("expert", **asked, workers=0, log=log, episodes=1).lengths == whole.lengths[:1]
    assert evaluated("expert", **asked, workers=0, log=log) == whole


class Told(Still):
    """Fails unless it is told what the user's file says."""

    def step(self, obs: dict[str, Any], goal: str) -> np.ndarray[Any, Any]:
        raise RuntimeError(goal)


def test_a_policy_is_told_the_users_sentences(tmp_path: Path) -> None:
    goals = tmp_path / "said.yaml"
    goals.write_text("".join(f"{task}: [do {task}]\n" for task in tasks()))
    with pytest.raises(InputError, match="RuntimeError: do rotate_blue_block_right"):
        evaluated(f"{HERE}:Told", chains=1, rollouts=0, pictures=False, instructions=str(goals))


def test_the_expert_is_told_no_sentences() -> None:
    with pytest.raises(UsageError, match="told the task itself"):
        evaluated("expert", chains=1, rollouts=0, instructions="said.yaml")


def test_nothing_is_not_evaluated() -> None:
    with pytest.raises(UsageError, match="nothing to evaluate"):
        evaluated(f"{HERE}:Still", chains=0, rollouts=0)


def test_a_start_that_the_expert_misses_is_not_counted() -> None:
    """A task of MTLC whose lead-in fails is no failure of the policy's."""
    missed = ChainJob(Chain(initial_states()[0], ("close_drawer", "open_drawer")), "open_drawer")
    player = Player(CalvinTrial(agent="expert", chains=0, rollouts=1))
    score = player.play(missed)
    player.close()
    assert score == ChainScore("open_drawer", False, ())
    assert ChainMeans.of([score]) == ChainMeans((), (), 0.0)
