"""The table's trajectories: CALVIN's numbers, named right for every scene, and its two cameras."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from chorewright.errors import DatasetCorrupt
from chorewright.generator.calvin.benchmark import paper_figures
from chorewright.generator.calvin.records import episode_frames, episode_scene
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import DETECTION, RETREAT
from chorewright.generator.showing.views import parse_view
from chorewright.generator.training.huggingface import episode_rows
from chorewright.generator.training.trajectory import trajectories_of

pytest.importorskip("pybullet")

READER = trajectories_of("calvin", RETREAT)


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


def test_cameras_that_are_asked_for(episodes: list[Episode]) -> None:
    one = trajectories_of("calvin", DETECTION, view=parse_view(["hand=gripper,size=64"])[1])
    assert [(each.name, each.size) for each in one.cameras] == [("hand", 64)]
    ((hand,),) = [next(iter(one.pictures(episodes[0], None)))]
    assert (hand.rgb == next(iter(READER.pictures(episodes[0], 64 * 200 // 84)))[1].rgb).all()
    assert len(one.frame_segments(episodes[0])) == len(trajectories_of("calvin", DETECTION).frame_segments(episodes[0]))


def test_rows_of_episodes_have_typed_frames(episodes: list[Episode]) -> None:
    table = episode_rows(episodes)
    assert table.schema.field("frames").type.value_type.field("robot_obs").type == pa.list_(pa.float64(), 15)
    for row, episode in zip(table.to_pylist(), episodes, strict=True):
        assert {step["arguments"] for step in row["steps"]} == {"{}"}
        order = [block.name for block in episode_scene(episode).blocks]
        for frame, step in zip(row["frames"], episode.steps, strict=True):
            stored = json.loads(step.arguments)
            assert [each["name"] for each in frame["blocks"]] == order
            assert [each["orientation"] for each in frame["blocks"]] == stored.pop("turns")
            speeds = [[*each["linear_velocity"], *each["angular_velocity"]] for each in frame["blocks"]]
            assert speeds == stored.pop("speeds")
            touched = [[of, *pair] for of, pairs in stored.pop("contacts").items() for pair in pairs]
            assert [list(each.values()) for each in frame["contacts"]] == touched
            assert {name: frame[name] for name in stored} == stored, "nothing is left in JSON only"


def test_a_dataset_stands_beside_the_paper(episodes: list[Episode]) -> None:
    found = {each.label: (each.ours, each.paper) for each in paper_figures(episodes)}
    assert found["tasks"] == (str(len({part.action for each in episodes for part in each.segments})), "34")


def test_single_frames_are_those_of_the_whole(episodes: list[Episode]) -> None:
    for episode in episodes[:2]:
        every = list(READER.pictures(episode, 32))
        for at in (0, 5, len(episode.steps) - 1):
            ((static, gripper),) = READER.pictures(episode, 32, range(at, at + 1))
            assert (static.rgb == every[at][0].rgb).all()
            assert (gripper.rgb == every[at][1].rgb).all()
    broken = replace(episodes[0], steps=(replace(episodes[0].steps[0], arguments="{}"), *episodes[0].steps[1:]))
    with pytest.raises(DatasetCorrupt, match="has no frame 0 of a table"):
        list(READER.pictures(broken, 32, range(1)))
