"""Pictures of datasets: drawn once, read back as they were drawn, resumed; videos; what has no pictures."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from chorewright.errors import DatasetCorrupt, UsageError
from chorewright.generator.alfred.benchmark import world_for_alfred
from chorewright.generator.alfred.export.exporter import trial
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.moments import HouseholdMoments
from chorewright.generator.production.line import run
from chorewright.generator.showing.films import episode_film
from chorewright.generator.showing.frames import FrameRequest, frame_path, read_frames, record, record_shard
from chorewright.generator.training.exporter import make_exporter
from tests.command import invoke
from tests.generator.alfred.export.layout import check_trajectory

REQUEST = FrameRequest(size=96)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four episodes of ALFRED in two shards, with pictures."""
    made = tmp_path_factory.mktemp("frames") / "dataset"
    run(
        GenerateConfig("alfred", 4, shard_size=2, options=(("scenes", ("FloorPlan10", "FloorPlan402")),)),
        made,
        workers=0,
    )
    record(made, REQUEST, workers=0)
    return made


def test_every_moment_has_its_pictures(folder: Path) -> None:
    for shard in (0, 1):
        drawn = list(read_frames(folder, shard))
        wanted = [(one.index, step) for one in Dataset(folder).shard(shard) for step in range(len(one.steps) + 1)]
        assert [(index, step) for index, step, _ in drawn] == wanted


def test_pictures_are_read_as_they_were_drawn(folder: Path) -> None:
    episodes = {one.index: one for one in Dataset(folder).shard(0)}
    fresh = {
        (index, moment.number): moment.world.frame(96)
        for index, one in episodes.items()
        for moment in HouseholdMoments(world_for_alfred).moments(one)
    }
    for index, step, frame in read_frames(folder, 0):
        drawn = fresh[index, step]
        assert (frame.rgb == drawn.rgb).all()
        assert (frame.instances == drawn.instances).all()
        assert frame.names == drawn.names
        assert frame.depth == pytest.approx(drawn.depth, abs=5.1e-4)


def test_the_target_of_an_interaction_is_seen_before_it(folder: Path) -> None:
    seen = asked = 0
    for shard in (0, 1):
        steps = {one.index: one.steps for one in Dataset(folder).shard(shard)}
        for index, number, frame in read_frames(folder, shard):
            if number < len(steps[index]):
                target = json.loads(steps[index][number].arguments).get("objectId")
                if target is not None:
                    asked += 1
                    seen += bool(frame.mask(target).any())
    assert asked > 10
    assert seen >= 0.9 * asked


def test_exported_masks_are_those_of_the_targets(folder: Path, tmp_path: Path) -> None:
    make_exporter("alfred", {}).write(Dataset(folder), tmp_path / "out")
    found = {}
    for path in (tmp_path / "out").rglob("traj_data.json"):
        data = json.loads(path.read_text("utf-8"))
        check_trajectory(data)
        found[data["task_id"]] = data["plan"]["low_actions"]
    shown = asked = 0
    for episode in Dataset(folder):
        actions = found[trial(episode)]
        for moment in HouseholdMoments(world_for_alfred).moments(episode):
            call = json.loads(episode.steps[moment.number].arguments) if moment.number < len(episode.steps) else {}
            target = call.get("receptacleObjectId") or call.get("objectId")
            if target:
                seen = moment.world.frame(300).mask(target)
                pointed = actions[moment.number]["discrete_action"]["args"]
                asked += 1
                shown += bool(pointed)
                assert bool(pointed) == (seen.sum() >= 14)
                assert not pointed or (decode(pointed["mask"]) == seen).all()
    assert asked > 10
    assert shown >= 0.85 * asked


def decode(mask: list[list[int]]) -> np.ndarray:
    """The pixels that ALFRED's runs stand for."""
    flat = np.zeros(300 * 300, np.bool_)
    for start, length in mask:
        flat[start : start + length] = True
    return flat.reshape(300, 300)


def test_what_is_there_is_not_drawn_again(folder: Path) -> None:
    before = frame_path(folder, 0).read_bytes()
    assert record_shard(folder, 0, REQUEST).kept
    frame_path(folder, 0).write_bytes(before[:-100])
    assert not record_shard(folder, 0, REQUEST).kept
    assert frame_path(folder, 0).read_bytes() == before
    (frame_path(folder, 0).parent / ".shard-00001.parquet.0123456789abcdef.tmp").write_bytes(b"half")
    assert all(each.kept for each in record(folder, REQUEST, workers=1))
    assert sorted(path.name for path in frame_path(folder, 0).parent.iterdir()) == [
        "shard-00000.parquet",
        "shard-00001.parquet",
    ]


def test_other_pictures_replace_them(folder: Path) -> None:
    before = frame_path(folder, 1).read_bytes()
    assert not record_shard(folder, 1, FrameRequest(("rgb",), 64)).kept
    with pytest.raises(DatasetCorrupt, match="cannot be read"):
        list(read_frames(folder, 1))
    assert not record_shard(folder, 1, REQUEST).kept
    assert frame_path(folder, 1).read_bytes() == before


def test_a_video_shows_every_moment(folder: Path) -> None:
    episode = Dataset(folder).episode(0)
    image = Image.open(io.BytesIO(episode_film(episode, 100, "gif")))
    durations = []
    for place in range(image.n_frames):
        image.seek(place)
        durations.append(image.info["duration"])
        assert len(np.unique(np.asarray(image.convert("RGB")).reshape(-1, 3), axis=0)) > 30
    assert sum(durations) == 240 * (len(episode.steps) + 4)


@pytest.mark.parametrize(
    ("arguments", "says", "code"),
    [
        (("--render", "rgb,heat"), "no layer 'heat'", 2),
        (("--render", "rgb", "--size", "3"), "16 to 2048", 2),
        (("--render", "rgb", "--episode", "1"), "whole datasets", 2),
        (("--video", "--size", "20", "--workers", "0"), "64 pixels", 2),
        (("--video", "--format", "avi"), "no form 'avi'", 2),
        (("--workers", "-1"), "must not be negative", 2),
        (("--episode", "77"), "there is no episode 77", 2),
    ],
)
def test_wrong_arguments(folder: Path, arguments: tuple[str, ...], says: str, code: int) -> None:
    result = invoke(["replay", str(folder), *arguments])
    assert result.exit_code == code
    assert says in result.output


def test_the_verb(folder: Path) -> None:
    result = invoke(["replay", str(folder), "--json"])
    assert json.loads(result.stdout)["replayed"] == len(Dataset(folder))
    result = invoke(["replay", str(folder), "--render", "rgb,depth,instances", "--size", "96", "--workers", "0"])
    assert result.exit_code == 0
    assert "there already" in result.output


def test_what_has_no_pictures(tmp_path: Path) -> None:
    made = tmp_path / "text"
    run(GenerateConfig("handmethat", 1, options=(("costs", ("satisficing",)),)), made, workers=0)
    with pytest.raises(UsageError, match="no pictures"):
        record(made, REQUEST, workers=0)
