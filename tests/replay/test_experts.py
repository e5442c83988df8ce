"""Experts on demand: from any state they lead to the goal, whatever an agent has done before, and change nothing."""

from __future__ import annotations

import itertools
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import chorewright as cw
from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Facts
from chorewright.errors import StorageError, UsageError
from chorewright.generator.production.verify import verify
from chorewright.problems.household.rooms import load_room
from chorewright.replay.calvin.world import TabletopWorld
from chorewright.replay.experts import EXPERTS, OnlineExpert
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import SimulatorAction
from tests.replay.household.toy import kitchen

GOALS = {
    "a mug is held": "(exists (?m - mug) (holding ?m))",
    "an egg is hot in the sink": "(exists (?e - egg ?s - sinkbasin) (and (hot ?e) (in ?e ?s)))",
    "a slice of bread is on the plate": "(exists (?b - breadsliced ?p - plate) (in ?b ?p))",
    "what is cold is on the counter": "(exists (?p - potato ?c - countertop) (and (cool ?p) (in ?p ?c)))",
}
MOVES = ("MoveAhead", "RotateLeft", "RotateRight", "LookUp", "LookDown")


def stray(world: ThorWorld, random: np.random.Generator) -> SimulatorAction:
    """Return some action, that may be refused."""
    name = str(random.choice([*MOVES, "PickupObject", "OpenObject", "CloseObject", "ToggleObjectOn"]))
    if name in MOVES:
        return SimulatorAction(name, {"forceAction": True})
    things = [body.object_id for body in world.scene().objects]
    return SimulatorAction(name, {"objectId": str(random.choice(things))})


@pytest.mark.parametrize("noise", [0.0, 0.4])
@pytest.mark.parametrize("goal", GOALS.values(), ids=GOALS)
def test_in_a_room(goal: str, noise: float) -> None:
    world, random = ThorWorld(), np.random.default_rng(5)
    world.reset(kitchen())
    expert = cw.expert(world, goal)
    for _ in range(300):
        before = world.scene()
        action, plan = expert.action(), expert.plan()
        assert plan is not None
        assert world.scene() == before
        assert action == (plan[0] if plan else None)
        if action is None:
            break
        strays = random.random() < noise
        event = world.step(stray(world, random) if strays else action)
        assert event.success or strays, event.error_message
    assert expert.plan() == []
    fresh = cw.expert(world, goal)  # one that has seen nothing of the way knows it, too
    assert fresh.plan() == []


def test_a_room_of_the_house_and_a_goal_out_of_reach() -> None:
    world = ThorWorld()
    world.reset(load_room("FloorPlan10"))
    assert cw.expert(world, "(exists (?b - bed) (is-open ?b))").plan() is None
    with pytest.raises(UsageError, match="a room has no goal of its own"):
        cw.expert(world)


def test_games_follow_and_replan() -> None:
    env = cw.make_env("ALFWorld-v0", scenes=("FloorPlan10",))
    expert = cw.expert(env)
    random = np.random.default_rng(2)
    _, info = env.reset(seed=3)
    for turn in itertools.count():
        command = expert.action()
        assert expert.plan()[:1] == ([] if command is None else [command])
        if command is None:
            break
        offered = info["admissible_commands"]
        chosen = offered[random.integers(len(offered))] if turn % 3 == 2 and turn < 30 else command
        _, _, done, _, info = env.step(chosen)
        if done:
            break
    assert info["won"]
    assert not expert.plan()
    with pytest.raises(UsageError, match="a goal of its own"):
        cw.expert(env, "x")


DOMAIN = """(define (domain lamps)
  (:requirements :typing)
  (:types lamp)
  (:predicates (on ?l - lamp))
  (:action switch :parameters (?l - lamp) :effect (on ?l))
  (:action darken :parameters (?l - lamp) :effect (not (on ?l))))
"""
PROBLEM = "(define (problem both) (:domain lamps) (:objects a b c - lamp) (:init) (:goal (and (on a) (on b) (on c))))"


@pytest.fixture
def lamps(tmp_path: Path) -> gymnasium.Env[Any, Any]:
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "problem.pddl").write_text(PROBLEM)
    return cw.make_env("PDDL-v0", domain=tmp_path / "domain.pddl", problems=tmp_path / "problem.pddl")


def test_any_domain_from_any_state(lamps: gymnasium.Env[Any, Any]) -> None:
    lamps.reset(seed=0)
    inner: Any = lamps.unwrapped
    play = inner.play
    expert = cw.expert(play)
    for count in range(4):
        for lit in itertools.combinations("abc", count):
            play.jump(frozenset(("on", lamp) for lamp in lit))
            plan = expert.plan()
            assert plan is not None
            assert len(plan) == 3 - count
            for command in plan:
                play.step(command)
            assert play.won
            assert holds(play.game.problem.goal, Facts(set(play.running.state())), play.game.table.world.universe)


@pytest.mark.skipif(find_spec("pybullet") is None, reason="PyBullet (extra 'calvin') is not installed")
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_at_the_table(noise: float) -> None:
    from chorewright.problems.calvin.scenes import scene

    random = np.random.default_rng(0)
    with TabletopWorld(scene("D")) as world:
        world.reset()
        expert = cw.expert(world, "open_drawer")
        for _ in range(200):
            action = expert.action()
            if action is None:
                break
            moved = np.append(random.uniform(-1, 1, 6), action[2])
            world.step(moved if random.random() < noise else action)
        assert expert.plan() == ()
        with pytest.raises(UsageError, match="no tabletop task 'open_window'"):
            cw.expert(world, "open_window")
        with pytest.raises(UsageError, match="a table has no goal"):
            cw.expert(world)


class Counter:
    """An environment of somebody's: a number that shall be zero."""

    def reset(self, *, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        self.value = int(np.random.default_rng(seed).integers(3, 9))
        return self.value, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.value += action
        return self.value, float(self.value == 0), self.value == 0, False, {}


class CountingExpert(OnlineExpert[int]):
    def __init__(self, counter: Counter) -> None:
        self.counter = counter

    def plan(self) -> list[int]:
        return [-1 if self.counter.value > 0 else 1] * abs(self.counter.value)


class CountingExperts:
    def expert(self, environment: object, goal: object) -> CountingExpert | None:
        return CountingExpert(environment) if isinstance(environment, Counter) else None


class Strange:
    """An environment that no package has an expert for."""

    def step(self, *arguments: object) -> None: ...


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counter:
    monkeypatch.setattr(type(EXPERTS), "usable", lambda self, but=(): {"counting": CountingExperts()})
    return Counter()


def test_a_package_adds_experts(counting: Counter, tmp_path: Path) -> None:
    counting.reset(seed=1)
    assert len(cw.expert(counting).plan() or ()) == counting.value
    with pytest.raises(UsageError, match=r"environment must be something with step\(\)"):
        cw.expert(object())
    with pytest.raises(UsageError, match="no expert for Strange"):
        cw.expert(Strange())

    def policy(seen: int, info: object) -> int:
        return 1

    half = cw.collect(counting, policy, tmp_path / "half", episodes=60, beta=0.5, most_steps=20)
    assert verify(tmp_path / "half").ok
    steps = [step.call() for episode in half for step in episode.steps]
    share = sum(each["by"] == "expert" for each in steps) / len(steps)
    assert 0.4 < share < 0.6
    assert all(each["action"] == (each["expert"] if each["by"] == "expert" else 1) for each in steps)
    assert all(len(episode.steps) <= 20 for episode in half)
    alone = cw.collect(counting, policy, tmp_path / "alone", episodes=5, beta=1.0)
    assert all(episode.extra("reached") == "true" for episode in alone)
    assert cw.collect(counting, policy, tmp_path / "alone", episodes=5, beta=1.0).checksum == alone.checksum
    assert {episode.extra("reached") for episode in cw.collect(counting, policy, tmp_path / "never", episodes=2)} == {
        "false"
    }
    with pytest.raises(StorageError, match="another dataset"):
        cw.collect(counting, policy, tmp_path / "alone", episodes=5, beta=0.5)
    with pytest.raises(UsageError, match="beta is a share"):
        cw.collect(counting, policy, tmp_path / "x", beta=2.0)


def test_rollouts_in_text(lamps: gymnasium.Env[Any, Any], tmp_path: Path) -> None:
    random = np.random.default_rng(0)

    def policy(seen: str, info: Any) -> str:
        return str(random.choice(info["admissible_commands"]))

    made = cw.collect(lamps, policy, tmp_path / "made", episodes=4, beta=0.3, most_steps=12)
    first = made[0].steps[0].call()
    assert first["observation"] == made[0].instructions[0].text
    assert first["expert"].startswith("switch")
    assert made[0].task == "chorewright/PDDL-v0"
    assert len(made.filter(where="steps.action LIKE '%a%'")) <= 4
