"""One rule of motion: nothing crosses walls, doors, things or the agent, and nothing leaves the house."""

from __future__ import annotations

import pytest

from benchmarks.thor_motion import MOTIONS, play


def test_nothing_crosses_anything() -> None:
    faults, moved = [], 0
    for seed in range(15):
        more, some = play(seed, MOTIONS)
        faults += more
        moved += some
    assert not faults
    assert moved > 100


@pytest.mark.slow
def test_nothing_crosses_anything_in_3000_motions() -> None:
    moved, seed = 0, 100
    while moved < 3000:
        faults, some = play(seed, MOTIONS)
        assert not faults
        moved, seed = moved + some, seed + 1
