"""Tasks detected from CALVIN's two vectors alone, against what was seen while they were done."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from chorewright.generator.calvin.export.files import annotate
from chorewright.problems.calvin.scenes import concrete, parse_state, scene
from chorewright.replay.calvin.motion import RecordedFrames
from chorewright.replay.calvin.snapshot import tasks_done

pytest.importorskip("pybullet")

CHAIN = ("open_drawer", "lift_red_block_slider", "place_in_drawer", "push_blue_block_left", "turn_on_led")
START = "red_block=slider_left,pink_block=slider_right"


def said(task: str) -> Sequence[str]:
    return (task,)


@pytest.mark.slow
def test_tasks_are_seen_again_in_recorded_vectors() -> None:
    """Between random frames of a chain; and the play that is labelled is the same."""
    from chorewright.replay.calvin.expert import Expert
    from chorewright.replay.calvin.world import TabletopWorld

    table = scene("D")
    with TabletopWorld(table) as world:
        world.reset(*concrete(parse_state(START), table))
        expert = Expert(world)
        frames = [frame for task in CHAIN for frame in expert.perform(task).frames]
        live = [frame.snapshot for frame in frames]
        vectors = [(frame.observation.robot_obs, frame.observation.scene_obs) for frame in frames]
        again = RecordedFrames(world, vectors)
        assert len(again) == len(live) > 250
        assert len(again[10:20]) == 10
        assert again[10:20][3] == again[13]
        rng = np.random.default_rng(3)
        pairs = [tuple(sorted(rng.integers(len(live), size=2).tolist())) for _ in range(300)]
        same = sum(tasks_done(live[a], live[b]) == tasks_done(again[a], again[b]) for a, b in pairs)
        assert same >= 0.97 * len(pairs)
        assert {task for a, b in pairs for task in tasks_done(again[a], again[b])} >= set(CHAIN)
        labels = [annotate([each], np.random.default_rng(1), said, cap=1000) for each in (live, again)]
        assert {each.task for each in labels[1]} >= set(CHAIN)
        common = set(labels[0]) & set(labels[1])
        assert len(common) >= 0.95 * max(map(len, labels))
