"""ALFRED's training demonstrations and the standing points they visit."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from benchmarks.corpora.reference import Corpus, sample
from chorewright.problems.household.navigation import LOOK, WALKING_HORIZON, Grid
from chorewright.problems.household.scene import Pose


@lru_cache(maxsize=1)
def layouts() -> dict[str, Any]:
    with gzip.open(sample("alfred/layouts.json.gz")) as file:
        return dict(json.load(file))


@lru_cache(maxsize=1)
def visited_grids() -> dict[str, Grid]:
    return {name: Grid([(x, z) for x, z, _ in entry["visited"]]) for name, entry in layouts().items()}


def demonstrations(corpus: Corpus = sample, every: int = 1) -> Iterator[dict[str, Any]]:
    """Yield every n-th demonstration."""
    with gzip.open(corpus("alfred/demos-train.jsonl.gz"), "rt") as file:
        for number, line in enumerate(file):
            if number % every == 0:
                yield json.loads(line)


def room_name(demonstration: dict[str, Any]) -> str:
    return f"FloorPlan{demonstration['scene_num']}"


def pose(location: list[int]) -> Pose:
    x, z, rotation, horizon = location
    return Pose(x, z, rotation % 4, horizon)


def start(demonstration: dict[str, Any]) -> Pose:
    x, _, z, rotation, horizon = demonstration["init"]
    return Pose(round(x * 4), round(z * 4), round(rotation / 90) % 4, horizon)


def walks(demonstration: dict[str, Any]) -> Iterator[tuple[Pose, Pose, list[str]]]:
    """Yield start pose, goal pose and actions of every GotoLocation."""
    here = start(demonstration)
    for number, subgoal in enumerate(demonstration["high"]):
        if subgoal["a"] == "GotoLocation":
            there = pose(subgoal["loc"])
            actions = [low[0].rsplit("_", 1)[0] for low in demonstration["low"] if low[1] == number]
            yield here, there, actions
            here = there


def policy_length(start: Pose, goal: Pose, walked: int) -> int:
    """Return the length of the demonstrations' walk: tilt to 45 degrees, walk, tilt to the goal's horizon."""
    return abs(start.horizon - WALKING_HORIZON) // LOOK + walked + abs(goal.horizon - WALKING_HORIZON) // LOOK
