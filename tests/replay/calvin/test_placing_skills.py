"""Lowering by feel: the hand looks again after each action, even where the arm is not yet where it should be."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from chorewright.problems.calvin.scenes import scene
from chorewright.replay.calvin.expert import Expert
from chorewright.replay.calvin.motion import Hand
from chorewright.replay.calvin.placing_skills import _Descent
from chorewright.replay.calvin.world import TabletopWorld

pytest.importorskip("pybullet", reason="PyBullet (extra 'calvin') is not installed")


@pytest.fixture
def descent() -> Iterator[_Descent]:
    """A block that lies on no table, and a hand that takes no place as reached."""
    with TabletopWorld(scene("D")) as world:
        world.reset()
        expert = Expert(world)
        hand = Hand(world, {**expert.numbers.single, "near": 0.0}, (expert.target, 1))
        hand.begin("unstack_block")
        yield _Descent(hand, expert.numbers, "block_pink", "block_pink", np.array([1.0, 0.0]))


def test_going_down_takes_an_action_a_round(descent: _Descent) -> None:
    before = descent.hand.tool[2]
    descent.go_down()
    rounds = int(descent.numbers.group("lower")["most_down"])
    assert rounds <= len(descent.hand.frames) <= rounds + 1, "it may have to turn the hand first"
    assert descent.hand.tool[2] < before


def test_sliding_takes_an_action_a_round(descent: _Descent) -> None:
    way = descent.numbers.group("lower")
    before = descent.hand.tool[0]
    descent.slide_to_edge()
    rounds = int(way["settle"] + way["most_fast"] + way["most_slow"])
    assert rounds - way["settle"] <= len(descent.hand.frames) <= rounds + 1
    assert descent.hand.tool[0] > before
