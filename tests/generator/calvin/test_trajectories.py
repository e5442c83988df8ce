"""The table's trajectories: CALVIN's numbers, named right for every scene, and its two cameras."""

from __future__ import annotations

import numpy as np
import pytest

from chorewright.generator.calvin.records import episode_frames, episode_scene
from chorewright.generator.episode import Episode
from chorewright.generator.trajectory import trajectories_of

pytest.importorskip("pybullet")

READER = trajectories_of("calvin")


def test_numbers_are_where_their_names_say(episodes: list[Episode]) -> None:
    names = {feature.name: feature.names for feature in READER.features}
    for episode in episodes:
        columns, frames = READER.columns(episode), episode_frames(episode)[:-1]
        assert {name: np.shape(values) for name, values in columns.items()} == {
            name: (len(frames), len(each)) for name, each in names.items()
        }
        table = np.asarray(columns["observation.environment_state"])
        place = {name: table[:, number] for number, name in enumerate(names["observation.environment_state"])}
        for number, block in enumerate(episode_scene(episode).blocks):
            stored = [frame.scene_obs[6 + 6 * number] for frame in frames]
            assert place[f"{block.name}_x"].tolist() == np.float32(stored).tolist()
        assert place["drawer"].tolist() == np.float32([frame.scene_obs[1] for frame in frames]).tolist()
        state = np.asarray(columns["observation.state"])
        assert (state == np.float32([frame.robot_obs for frame in frames])).all()
        assert (np.asarray(columns["action.absolute"])[:-1, :6] == state[1:, :6]).all()
        assert np.abs(np.asarray(columns["action"])).max() <= 1


def test_sentences_follow_the_segments(episodes: list[Episode]) -> None:
    for episode in episodes:
        said = READER.sentences(episode)
        assert [episode.segments[step.segment].action for step in episode.steps] == said.subtasks
        assert set(said.tasks) == {each.text for each in episode.instructions}


def test_both_cameras_look(episodes: list[Episode]) -> None:
    static, gripper = next(iter(READER.pictures(episodes[0], 100)))
    assert (static.rgb.shape, gripper.rgb.shape) == ((100, 100, 3), (42, 42, 3))
    assert static.rgb.std() > 10
