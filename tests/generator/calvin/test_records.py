"""CALVIN's actions between frames: what the arm reaches next, and the scaled way to it."""

from __future__ import annotations

import numpy as np
import pytest

from chorewright.generator.calvin.records import commands_between


@pytest.mark.parametrize("turn", [0.03, -0.03])
@pytest.mark.parametrize("angle", [0.0, 3.13, -3.13])
def test_relative_actions_lead_from_frame_to_frame_past_half_a_turn_too(angle: float, turn: float) -> None:
    """Metres are scaled by 50, radians by 20, as the environment scales them back."""
    before, after = np.zeros(15), np.zeros(15)
    before[:6] = 0.1, -0.2, 0.5, angle, -angle, angle
    after[:6] = np.add(before[:6], [0.01, -0.01, 0.0, turn, -turn, turn])
    after[3:6] = np.arctan2(np.sin(after[3:6]), np.cos(after[3:6]))
    before[14], after[14] = 1, -1
    ((absolute,), (relative,)) = commands_between(np.array([before, after]))
    assert absolute.tolist() == [*after[:6], -1]
    assert relative == pytest.approx([0.5, -0.5, 0.0, turn * 20, -turn * 20, turn * 20, -1])


def test_relative_actions_are_cut_at_one() -> None:
    frames = np.zeros((2, 15))
    frames[1, :6] = 0.021, -0.021, 0.0, 0.051, -0.051, 0.0
    assert commands_between(frames)[1].tolist() == [[1, -1, 0, 1, -1, 0, 0]]
