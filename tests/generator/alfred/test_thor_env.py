"""Episodes in ALFRED's environment: starts without a condition met, goals by masks and ids, subgoals one by one."""

from __future__ import annotations

from functools import lru_cache

import pytest

from benchmarks.originals.thor_env import ThorEnv
from chorewright.generator.alfred.export.exporter import trajectory
from chorewright.generator.alfred.export.plan import locate_targets
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.production.benchmark import BENCHMARKS

CONFIG = GenerateConfig("alfred", 200)
GATE = (12, 24)
"""Episodes of the gate, one with slicing; ``-m slow`` plays every tenth."""


@lru_cache(maxsize=8)
def episode(index: int) -> Episode:
    benchmark = BENCHMARKS.find("alfred")
    return benchmark.episode(index, CONFIG, benchmark.assign(CONFIG, CONFIG.episodes)[index])


def play(index: int) -> None:
    made = episode(index)
    if not made.outcome.accepted:
        return
    traj = trajectory(made, locate_targets(made))
    starts = {thing.object_id: thing.parents for thing in made.room.objects if thing.traits.item}
    for by_mask in (True, False):
        env = ThorEnv(traj)
        told = {each["objectId"]: each for each in env.metadata["objects"]}
        for name, parents in starts.items():
            around = told[name.replace("Bottle|", "Glassbottle|") if name.startswith("Bottle|") else name]
            assert set(parents) <= {each.replace("Glassbottle|", "Bottle|") for each in around["parentReceptacles"]}
            assert (around["parentReceptacles"] or [""])[0].replace("Glassbottle|", "Bottle|") == parents[0]
        met, of = env.conditions()
        assert met == 0, f"{met} of {of} conditions are met at the start of episode {index}"
        for low in traj["plan"]["low_actions"]:
            api, pointed = low["api_action"], low["discrete_action"]["args"]
            named = api.get("receptacleObjectId") or api.get("objectId") or ""
            target = env.masked(pointed["mask"]) if by_mask and "mask" in pointed else named
            assert target == named
            assert env.step(low["discrete_action"]["action"], target), (index, low, env.metadata["errorMessage"])
        met, of = env.conditions()
        assert met == of
        goals = [each["planner_action"]["action"] for each in traj["plan"]["high_pddl"]]
        stuck = made.task.startswith("pick_clean") and made.task.endswith("_sliced")
        reached = goals.index("CleanObject") if stuck else len(goals) - 1
        assert env.finished + 1 >= reached, f"subgoal {env.finished} of {goals}: {goals[env.subgoal]}"


@pytest.mark.parametrize("index", GATE)
def test_generated_episodes_reach_their_goals_in_alfreds_environment(index: int) -> None:
    play(index)


@pytest.mark.slow
@pytest.mark.parametrize("index", range(0, 200, 10))
def test_more_generated_episodes_in_alfreds_environment(index: int) -> None:
    play(index)
