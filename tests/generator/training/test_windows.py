"""Windows of frames and pairs of instructions and actions: every frame once, padded where an episode ends."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from chorewright.errors import UsageError
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.line import run
from chorewright.generator.showing.moments import EpisodeCamera, camera_sizes
from chorewright.generator.training.trajectory import trajectories_of
from chorewright.generator.training.windows import FrameWindows, InstructionPairs, padded
from tests.generator.toy import toy_config


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    folder = tmp_path_factory.mktemp("toy") / "d"
    run(toy_config(12, reject=5), folder, workers=0)
    return Dataset(folder)


def test_single_frames_are_the_columns(dataset: Dataset) -> None:
    frames = FrameWindows(dataset, strings=True)
    reader = trajectories_of(dataset.manifest.config.benchmark)
    rows = [(e, at) for e in dataset for at in range(len(e.steps))]
    assert len(frames) == len(rows)
    for item, (episode, at) in zip(frames, rows, strict=True):
        columns = reader.columns(episode)
        assert (item["source_index"], item["frame_index"]) == (episode.index, at)
        assert np.array_equal(item["observation.state"], columns["observation.state"][at : at + 1])
        assert item["action.word"] == [columns["action.word"][at]]
        assert not item["padding"].any()
        assert item["task"] == episode.instructions[0].text


def test_windows_are_padded_at_the_end(dataset: Dataset) -> None:
    windows = FrameWindows(dataset, length=4, stride=3)
    by_episode = {episode.index: len(episode.steps) for episode in dataset}
    assert len(windows) == sum(-(-count // 3) for count in by_episode.values())
    for item in windows:
        left = min(4, by_episode[item["source_index"]] - item["frame_index"])
        assert item["padding"].tolist() == [False] * left + [True] * (4 - left)
        numbers = item["action"][:, 0] - item["action"][0, 0]
        assert numbers.tolist() == [*range(left), *[left - 1] * (4 - left)]


def test_subtasks_are_windows_of_their_own(dataset: Dataset) -> None:
    reader = trajectories_of(dataset.manifest.config.benchmark)
    whole = FrameWindows(dataset, length=0)
    for item in whole:
        episode = dataset.episode(item["source_index"])
        said = reader.sentences(episode).subtasks[item["frame_index"] : item["frame_index"] + len(item["action"])]
        assert set(said) == {item["subtask"]}
    assert sum(len(item["action"]) for item in whole) == sum(len(episode.steps) for episode in dataset)
    inside = FrameWindows(dataset, length=3, within="subtask")
    assert len(inside) == sum(len(episode.steps) for episode in dataset)


def test_pictures_are_those_of_their_frames(dataset: Dataset) -> None:
    windows = FrameWindows(dataset, length=3, pictures=True, size=16)
    item = windows[5]
    assert item["observation.images.above"].shape == (3, 3, 16, 16)
    assert item["observation.images.aside"].shape == (3, 3, 8, 8)
    assert camera_sizes((EpisodeCamera("a", 200), EpisodeCamera("b", 84)), 32, 2) == (32, 14), "even, for videos"
    assert item["observation.images.above"].dtype == np.uint8
    assert item["observation.images.above"][:, 0, 0, 0].tolist() == [8 * (5 + at) for at in range(3)]


def test_loaders_can_send_them_to_their_workers(dataset: Dataset) -> None:
    windows = FrameWindows(dataset.filter(split="train"), length=2)
    again = pickle.loads(pickle.dumps(windows))
    assert len(again) == len(windows)
    assert np.array_equal(again[3]["action"], windows[3]["action"])
    with pytest.raises(IndexError):
        windows[len(windows)]
    assert len(windows[1:4]) == 3


def test_pairs_of_goals_and_of_steps(dataset: Dataset) -> None:
    goals = InstructionPairs(dataset)
    assert [item["instruction"] for item in goals] == [episode.instructions[0].text for episode in dataset]
    assert [len(item["action"]) for item in goals] == [len(episode.steps) for episode in dataset]
    steps = InstructionPairs(dataset, level="step")
    assert len(steps) == len(dataset)
    assert np.array_equal(steps[2]["action"], goals[2]["action"]), "all of the toy's steps are of one segment"


def test_batches_are_padded(dataset: Dataset) -> None:
    items = InstructionPairs(dataset)[:4]
    batch = padded(items)
    lengths = [len(item["action"]) for item in items]
    assert batch["action"].shape == (4, max(lengths), 1)
    assert (~batch["padding"]).sum(axis=1).tolist() == lengths
    assert batch["instruction"] == [item["instruction"] for item in items]


@pytest.mark.parametrize("bad", [{"length": -1}, {"stride": 0}, {"within": "room"}, {"length": 1.5}, {"sizes": 3}])
def test_bad_windows_are_usage_errors(dataset: Dataset, bad: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        FrameWindows(dataset, **bad)
    with pytest.raises(UsageError, match="no numbers called"):
        InstructionPairs(dataset, action="action.word")
    with pytest.raises(UsageError, match="no instruction is of the level 'x'") as caught:
        InstructionPairs(dataset, level="x")
    assert "goal" in (caught.value.hint or "")
    with pytest.raises(UsageError, match="no items"):
        padded([])
    for wrong in ({"where": 3}, {"nope": 1}):
        with pytest.raises(UsageError):
            dataset.filter(**wrong)


def test_rooms_are_drawn_for_the_window_only(tmp_path: Path) -> None:
    run(GenerateConfig("alfred", 1, options=(("scenes", ("FloorPlan402",)),)), tmp_path / "d", workers=0)
    dataset = Dataset(tmp_path / "d")
    reader, episode = trajectories_of("alfred"), dataset[0]
    every = [seen[0].rgb for seen in reader.pictures(episode, 32)]
    windows = FrameWindows(dataset, length=2, pictures=True, size=32)
    item = windows[3]
    assert np.array_equal(item["observation.images.agent"].transpose(0, 2, 3, 1), np.stack(every[3:5]))
    steps = InstructionPairs(dataset, level="step")
    assert len(steps) >= 2
    assert all(len(pair["action"]) for pair in steps)
