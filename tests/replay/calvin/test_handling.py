"""What a hand knows of a block: which way it lies, how far it extends, and the turns at which fingers close on it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from chorewright.problems.calvin.scenes import scene
from chorewright.replay.calvin.arm import rotation_from_quaternion
from chorewright.replay.calvin.expert import Expert
from chorewright.replay.calvin.handling import extent
from chorewright.replay.calvin.motion import Hand
from chorewright.replay.calvin.world import TabletopWorld

pytest.importorskip("pybullet", reason="PyBullet (extra 'calvin') is not installed")


@pytest.fixture(scope="module")
def hand() -> Iterator[Hand]:
    with TabletopWorld(scene("D")) as world:
        world.reset()
        expert = Expert(world)
        yield Hand(world, expert.numbers.single, (expert.target, 1))


@pytest.mark.parametrize("name", [block.name for block in scene("D").blocks])
@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.0, 1.0), (0.6, 0.8)])
def test_a_block_extends_as_far_as_its_farthest_corner(hand: Hand, name: str, direction: tuple[float, float]) -> None:
    (lengths,) = [block.lengths for block in scene("D").blocks if block.name == name]
    turned = rotation_from_quaternion(hand.block(name).orientation)
    corners = [turned @ (np.array(signs) * lengths) / 2 for signs in itertools.product((-1, 1), repeat=3)]
    assert extent(hand, name, direction) == pytest.approx(max(each[:2] @ direction for each in corners), abs=1e-4)
