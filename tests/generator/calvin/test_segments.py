"""Where tasks end: at the instant of detection or when the hand has drawn back, in datasets and in exports."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from chorewright.errors import DatasetCorrupt, UsageError
from chorewright.generator.calvin import trial
from chorewright.generator.calvin.benchmark import CalvinBenchmark
from chorewright.generator.calvin.export.exporter import CalvinExporter, CalvinExportOptions
from chorewright.generator.calvin.layout import check_layout
from chorewright.generator.calvin.moments import TableMoments
from chorewright.generator.calvin.pickles import read_pickled
from chorewright.generator.calvin.records import episode_frames, segment_numbers
from chorewright.generator.calvin.trial import replay_episode
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import DETECTION, RETREAT
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.training.lerobot import LeRobotExporter, LeRobotOptions
from chorewright.generator.training.windows import FrameWindows, InstructionPairs
from chorewright.replay.calvin.snapshot import tasks_done

pytest.importorskip("pybullet")

CONFIG = GenerateConfig("calvin", 1, options=(("length", 3), ("replays", "commanded"), ("segments", DETECTION)))


@pytest.fixture(scope="module")
def chain() -> Episode:
    """Three tasks, each of which ends at its detection."""
    benchmark = CalvinBenchmark()
    return benchmark.episode(0, CONFIG, benchmark.assign(CONFIG, 1)[0])


def test_a_task_begins_where_the_one_before_it_is_detected(chain: Episode) -> None:
    assert chain.outcome.accepted
    assert [step.segment for step in chain.steps] == sorted(step.segment for step in chain.steps)
    frames, first = episode_frames(chain), 0
    for segment in chain.segments:
        details = json.loads(segment.details)
        assert details["frames"] == details["done_after"]
        start, last = frames[first].snapshot, first + details["frames"]
        assert [segment.action in tasks_done(start, each.snapshot) for each in frames[first : last + 1]] == [
            *[False] * details["frames"],
            True,
        ]
        first = last
    assert len(frames) == first + 1
    replay_episode(chain)


def test_a_dataset_that_is_cut_at_detection_has_one_cut_only(chain: Episode) -> None:
    assert segment_numbers(chain, DETECTION) == segment_numbers(chain, RETREAT) == [s.segment for s in chain.steps]


def test_training_exports_leave_the_retreat_to_the_next_task(folder: Path, episodes: list[Episode]) -> None:
    for episode in episodes:
        done = json.loads(episode.segments[0].details)["done_after"]
        for cut, count in ((DETECTION, done), (RETREAT, len(episode.steps))):
            reader = TableMoments().cut_at(cut)
            columns = reader.columns(episode)
            assert len(reader.sentences(episode).subtasks) == count
            assert {len(values) for values in columns.values()} == {count}
        assert len(episode.steps) > done
    dataset = Dataset(folder)
    for cut in (DETECTION, RETREAT):
        whole = FrameWindows(dataset, length=0, within="subtask", segments=cut)
        assert [len(each["action"]) for each in whole] == [len(segment_numbers(one, cut)) for one in episodes]
    pairs = InstructionPairs(dataset, level="step")
    assert [len(each["action"]) for each in pairs] == [len(segment_numbers(one, DETECTION)) for one in episodes]
    with pytest.raises(UsageError, match="cannot end at"):
        FrameWindows(dataset, segments="end")


@pytest.mark.parametrize("cut", [DETECTION, RETREAT])
def test_lerobot_has_the_frames_of_the_cut(cut: str, tmp_path: Path, episodes: list[Episode]) -> None:
    LeRobotExporter(LeRobotOptions(pictures="none", segments=cut, workers=0)).write(episodes, tmp_path)
    told = json.loads((tmp_path / "meta" / "info.json").read_text())
    assert told["total_frames"] == sum(len(segment_numbers(each, cut)) for each in episodes)


@pytest.mark.parametrize("cut", [DETECTION, RETREAT])
def test_whole_tasks_are_annotated_beside_the_windows(
    cut: str, tmp_path: Path, episodes: list[Episode], chain: Episode
) -> None:
    some = [episodes[0], replace(chain, index=1)]
    CalvinExporter(CalvinExportOptions(segments=cut, workers=0)).write(some, tmp_path)
    assert not check_layout(tmp_path).problems
    told = read_pickled(tmp_path / "training" / "lang_segments" / "auto_lang_ann.npy")
    assert told["language"]["task"] == [each.action for one in some for each in one.segments]
    assert told["language"]["ann"] == [each.text for one in some for each in one.instructions]
    first = 0
    spans = iter(told["info"]["indx"])
    for episode in some:
        frames = episode_frames(episode)
        for segment in episode.segments:
            start, end = (each - first for each in next(spans))
            last = min(end - 1, len(frames) - 1) if cut == DETECTION else end
            done = tasks_done(frames[start].snapshot, frames[last].snapshot)
            assert segment.action in done or end == len(episode.steps)
        first += len(episode.steps)
    assert all(one[0] < two[0] for one, two in pairwise(told["info"]["indx"]))


def test_without_replays_nothing_is_replayed(monkeypatch: pytest.MonkeyPatch, chain: Episode) -> None:
    config = replace(CONFIG, options=(("length", 3), ("replays", "none"), ("segments", DETECTION)))
    monkeypatch.setattr(trial, "replay", lambda *_: pytest.fail("replayed"))
    benchmark = CalvinBenchmark()
    made = benchmark.episode(0, config, benchmark.assign(config, 1)[0])
    assert dict(made.extras)["replays"] == "{}"
    assert (made.steps, made.segments) == (chain.steps, chain.segments)
    assert np.array_equal(made.outcome.conditions, (("tasks done", True),))


@pytest.mark.parametrize("details", ["{}", '{"frames": 3, "done_after": "x"}', '{"frames": 1, "done_after": 100000}'])
def test_segments_that_do_not_say_when_they_were_done(details: str, episodes: list[Episode]) -> None:
    broken = replace(episodes[0], segments=(replace(episodes[0].segments[0], details=details),))
    with pytest.raises(DatasetCorrupt):
        segment_numbers(broken, DETECTION)
    with pytest.raises(DatasetCorrupt):
        TableMoments().completions(broken)
