"""What a hand knows of a block: which way it lies, how far it extends, and the turns at which fingers close on it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from chorewright.problems.calvin.scenes import scene
from chorewright.replay.calvin.arm import rotation_from_quaternion
from chorewright.replay.calvin.expert import Expert
from chorewright.replay.calvin.handling import FINGERS_STOP, extent, numbers_for
from chorewright.replay.calvin.motion import USUAL, Hand, Manner
from chorewright.replay.calvin.world import TabletopWorld

pytest.importorskip("pybullet", reason="PyBullet (extra 'calvin') is not installed")


@pytest.fixture(scope="module")
def hand() -> Iterator[Hand]:
    with TabletopWorld(scene("D")) as world:
        world.reset()
        expert = Expert(world)
        yield Hand(world, expert.numbers.single, (expert.target, 1))


def test_a_manner_draws_only_what_it_is_about() -> None:
    usual, rng = numbers_for("D"), np.random.default_rng(1)
    assert usual.draw(USUAL, rng) is usual
    assert usual["hold"] > 0
    restless = usual.draw(Manner(holds=False), rng)
    assert (restless["hold"], restless["fingers_stop"]) == (0, FINGERS_STOP)
    assert restless["speed"] == usual["speed"]
    for _ in range(20):
        slow = usual.draw(Manner(speeds=(0.5, 0.9)), rng)
        assert 0.5 <= slow["speed"] / usual["speed"] <= 0.9
        assert slow["turn_speed"] / usual["turn_speed"] == pytest.approx(slow["speed"] / usual["speed"])
        assert (slow["hold"], slow["fingers_stop"]) == (usual["hold"], usual["fingers_stop"])


@pytest.mark.parametrize("name", [block.name for block in scene("D").blocks])
@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.0, 1.0), (0.6, 0.8)])
def test_a_block_extends_as_far_as_its_farthest_corner(hand: Hand, name: str, direction: tuple[float, float]) -> None:
    (lengths,) = [block.lengths for block in scene("D").blocks if block.name == name]
    turned = rotation_from_quaternion(hand.block(name).orientation)
    corners = [turned @ (np.array(signs) * lengths) / 2 for signs in itertools.product((-1, 1), repeat=3)]
    assert extent(hand, name, direction) == pytest.approx(max(each[:2] @ direction for each in corners), abs=1e-4)
