"""How the expert moves and where it begins: single tasks from any state, play, speeds, grasps, noise with recovery."""

from __future__ import annotations

import json
from collections import Counter
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
import pytest

from chorewright.errors import ChorewrightError, UsageError
from chorewright.generator.calvin.benchmark import CalvinBenchmark
from chorewright.generator.calvin.export.exporter import CalvinExporter
from chorewright.generator.calvin.layout import check_layout
from chorewright.generator.calvin.moments import TableMoments
from chorewright.generator.calvin.options import read_speeds
from chorewright.generator.calvin.records import episode_frames, episode_start
from chorewright.generator.calvin.starts import StartSpace
from chorewright.generator.calvin.trial import replay_episode, run_chain, world_of
from chorewright.generator.dataset.config import GenerateConfig, Value
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import DETECTION, configure
from chorewright.generator.production.agenda import make_episode
from chorewright.problems.calvin.scenes import concrete, initial_states, scene
from chorewright.problems.calvin.tasks import atoms_of, task_model, tasks
from chorewright.replay.calvin import expert
from chorewright.replay.calvin.actions import ArmTarget
from chorewright.replay.calvin.handling import skill_of
from chorewright.replay.calvin.motion import Hand, Manner, Noise, OutOfSteps

pytest.importorskip("pybullet")

BENCHMARK = CalvinBenchmark()
AT_DETECTION: tuple[tuple[str, Value], ...] = (("replays", "none"), ("segments", DETECTION))


def make(index: int, **options: Value) -> Episode:
    config = GenerateConfig("calvin", index + 1, options=(*AT_DETECTION, *options.items()))
    return BENCHMARK.episode(index, config, BENCHMARK.assign(config, index + 1)[index])


@pytest.fixture(scope="module")
def noisy() -> Episode:
    return make(0, length=2, noise=0.01)


# Where it begins.


def test_a_single_task_begins_in_any_state_in_which_it_can_be_done() -> None:
    model, space = task_model(), StartSpace()
    for task in tasks():
        ways = space.singles(task)
        assert len(ways) >= 144
        for way in ways[::29]:
            state, now = way.state, atoms_of(way.state)
            assert not state.grasped
            for each in way.chain:
                after = model.successor(each, now)
                assert after is not None
                now = after
            assert way.chain[-1] == task
            assert len(way.chain) == 1 or way.chain[0].startswith("lift")


def test_so_many_episodes_of_each_task() -> None:
    config = configure(BENCHMARK, "calvin", 100, {"per_task": 10})
    assert config.episodes == 340
    found = BENCHMARK.assign(config, config.episodes)
    assert Counter(each.task for each in found) == dict.fromkeys(tasks(), 10)
    assert Counter(each.split for each in found) == {"training": 306, "validation": 34}
    for task in tasks():
        states = [dict(each.parameters)["state"] for each in found if each.task == task]
        assert len(set(states)) == 10
    some = configure(BENCHMARK, "calvin", 100, {"per_task": 3, "tasks": ["calvin/open_drawer", "calvin/turn_on_led"]})
    assert [each.task for each in BENCHMARK.assign(some, 4)] == ["open_drawer", "turn_on_led"] * 2


@pytest.mark.parametrize(
    "options",
    [
        {"per_task": 2, "length": 3},
        {"per_task": 2, "play": True},
        {"play": True, "tasks": ["calvin/open_drawer"]},
        {"per_task": -1},
        {"speed": "2..3"},
        {"speed": "1..0.7"},
        {"speed": "fast"},
        {"noise": 1},
        {"scatter": 0.2},
    ],
    ids=str,
)
def test_what_cannot_be_asked_for_together(options: dict[str, Value]) -> None:
    with pytest.raises(ChorewrightError):
        BENCHMARK.assign(configure(BENCHMARK, "calvin", 1, options), 1)


def test_speeds() -> None:
    assert read_speeds("0.7..1.4") == (0.7, 1.4)
    assert read_speeds("1.2") == (1.2, 1.2)
    with pytest.raises(UsageError, match=r"LOW\.\.HIGH"):
        read_speeds("..")


def test_play_does_all_tasks_and_each_can_be_done() -> None:
    model, space, counts = task_model(), StartSpace(), Counter[str]()
    for number, state in enumerate(initial_states()):
        tasks_in_a_row = space.walk(state, 8, np.random.default_rng(number))
        assert len(tasks_in_a_row) == 8
        now = atoms_of(state)
        for task in tasks_in_a_row:
            after = model.successor(task, now)
            assert after is not None
            now = after
        counts.update(tasks_in_a_row)
    assert len(counts) == len(tasks())
    assert min(counts.values()) > 8 * 192 / len(tasks()) / 10


def test_the_hand_and_blocks_start_elsewhere_within_bounds() -> None:
    usual, table = np.array(scene("D").robot_obs), scene("D")
    places = []
    for index in range(4):
        episode = make(index, per_task=1, tasks=("calvin/open_drawer",), start_hand=0.1, scatter=0.15)
        robot, seen = episode_start(episode)
        assert (np.abs(robot[:3] - usual[:3]) <= 0.1 + 1e-3).all()
        assert np.abs(episode_frames(episode)[0].robot_obs[:6] - robot[:6]).max() < 0.01
        blocks = [seen[at : at + 2] for at in (6, 12, 18) if seen[at + 1] < 0 and seen[at + 2] > table.table_top]
        assert all(-0.06 < x < 0.34 and -0.18 < y < -0.07 for x, y in blocks)
        places.append(robot[:3].tolist())
    assert np.std(places, axis=0).min() > 0.005


# How it moves.


def test_the_usual_manner_draws_nothing() -> None:
    plain, asked = make(0, length=1), make(0, length=1, speed="1", noise=0.0, vary=False, holds=True)
    assert plain == asked


def test_speeds_grasps_and_holds_change_what_is_done() -> None:
    steps = [len(make(0, length=1, **{name: value}).steps) for name, value in
             (("speed", "1"), ("speed", "0.6"), ("speed", "1.4"), ("holds", False))]  # fmt: skip
    assert steps[1] > steps[0] > steps[2]
    assert steps[3] <= steps[0]
    varied = make(0, length=1, vary=True)
    assert varied.outcome.accepted
    assert varied.steps != make(0, length=1).steps


def test_noise_comes_and_goes_and_has_its_size() -> None:
    noise = Noise(0.01, np.random.default_rng(0))
    still = ArmTarget(np.zeros(3), np.zeros(3))
    moved = [noise(still) for _ in range(4000)]
    shifts = np.array([each.position for each in moved if each is not still])
    assert 0.4 < len(shifts) / len(moved) < 0.6
    assert 0.006 < shifts.std() < 0.012


def test_noise_is_executed_and_the_command_is_the_way_back(noisy: Episode) -> None:
    assert noisy.outcome.accepted
    assert dict(noisy.extras)["noise"] == "0.01"
    frames = episode_frames(noisy)[:-1]
    perturbed = [frame for frame in frames if frame.executed is not None]
    assert 0.1 < len(perturbed) / len(frames) < 0.8
    for frame in perturbed:
        assert frame.command is not None
        assert frame.executed is not None
        assert 0 < np.abs(frame.command[:3] - frame.executed[:3]).max() < 0.08
    leads = [np.linalg.norm(frame.command[:3] - frame.robot_obs[:3]) for frame in frames if frame.command is not None]
    assert np.quantile(leads, 0.95) < 0.08  # from where the hand is, not from where it should have been
    replay_episode(noisy)


def test_noise_rests_while_the_hand_settles(noisy: Episode) -> None:
    frames = episode_frames(noisy)[:-1]
    repeated = [two for one, two in pairwise(frames) if np.array_equal(one.command, two.command)]
    assert len(repeated) > 10
    assert all(frame.executed is None for frame in repeated)


def test_without_holds_a_grip_ends_when_the_fingers_stop() -> None:
    def longest(holds: bool) -> int:
        frames = episode_frames(make(0, per_task=1, tasks=("calvin/lift_red_block_table",), holds=holds))[:-1]
        closed = [frame for frame in frames if frame.command is not None and frame.command[6] < 0]
        return max(len(list(same)) for _, same in groupby(closed, key=lambda each: each.command.tolist()))

    assert longest(holds=True) >= 8
    assert longest(holds=False) <= 4


def test_the_same_noise_twice(noisy: Episode) -> None:
    assert make(0, length=2, noise=0.01) == noisy


def test_exports_hold_what_was_executed(noisy: Episode, tmp_path: Path) -> None:
    frames = episode_frames(noisy)[:-1]
    columns = TableMoments().columns(noisy)
    assert np.asarray(columns["perturbed"])[:, 0].tolist() == [int(each.executed is not None) for each in frames]
    told = np.array([each.command for each in frames], np.float32)
    assert (np.asarray(columns["action.commanded"]) == told).all()
    CalvinExporter().write([noisy], tmp_path)
    assert not check_layout(tmp_path).problems
    frame = np.load(tmp_path / "training" / "episode_0000030.npz")
    assert frame["perturbed"] == (frames[30].executed is not None)
    assert (frame["commanded_actions"] == frames[30].command).all()
    assert frames[30].action is not None
    assert (frame["executed_actions"] == frames[30].action[0]).all()


def test_frames_of_failed_attempts_are_counted(noisy: Episode, monkeypatch: pytest.MonkeyPatch) -> None:
    assert all("failed_frames" in json.loads(segment.details) for segment in noisy.segments)
    skill, calls = expert.SKILLS["press_button"], []

    def clumsy(hand: Hand, *rest: object) -> None:
        calls.append(1)
        if len(calls) == 1:
            hand.hold(7)
        else:
            skill(hand, *rest)

    monkeypatch.setattr(expert, "SKILLS", {**expert.SKILLS, "press_button": clumsy})
    world, state = world_of("D", None), next(each for each in initial_states() if not each.led)
    trial = run_chain(world, concrete(state, scene("D")), ("turn_on_led",), DETECTION, Manner())
    assert [(run.tries, run.failed) for run in trial.runs] == [(2, 7)]


def test_play_ends_where_a_task_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> None:
        raise OutOfSteps

    config = GenerateConfig("calvin", 1, options=(*AT_DETECTION, ("play", True), ("length", 4)))
    assignment = BENCHMARK.assign(config, 1)[0]
    whole = next(BENCHMARK.candidates(config, assignment, np.random.default_rng(0), ())).chain
    skills = [skill_of(each)[0] for each in whole]
    first = skills.index(skills[-1])
    monkeypatch.setattr(expert, "SKILLS", {**expert.SKILLS, skills[-1]: lost})
    monkeypatch.setattr(StartSpace, "walk", lambda *_: whole)
    made = make_episode(BENCHMARK, config, assignment)
    if first == 0:
        assert not isinstance(made, Episode)
    else:
        assert isinstance(made, Episode)
        assert tuple(each.action for each in made.segments) == whole[:first]
        assert len(made.instructions) == len(made.plan) == first
        assert made.outcome.accepted
