"""LeRobotDataset: read back by Arrow, pandas' metadata and PyAV, as LeRobot itself does."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

from chorewright.errors import MissingExtra, StorageError, UsageError
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.line import run
from chorewright.generator.training import lerobot as exporter
from chorewright.generator.training.exporter import make_exporter
from chorewright.generator.training.lerobot_group import QUANTILES, Colours, of_numbers
from chorewright.generator.training.video import CODECS, VideoWriter
from tests.command import digests
from tests.generator.toy import ToyMoments, toy_config

av = pytest.importorskip("av", reason="needs the extra lerobot")

CONFIG = toy_config(episodes=30, shard_size=10, reject=7)
READER = ToyMoments()


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    folder = tmp_path_factory.mktemp("made") / "toys"
    run(CONFIG, folder, workers=0)
    return Dataset(folder)


@pytest.fixture(autouse=True)
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporter, "FRAMES", 100)


@pytest.fixture(scope="module")
def exported(dataset: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("exported") / "lerobot"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exporter, "FRAMES", 100)
        done = make_exporter("lerobot", {"workers": 0}).write(dataset, target)
    assert (done.episodes, done.left_out) == (len(dataset), 0)
    return target


def in_order(dataset: Dataset) -> list[Episode]:
    """Return the episodes in the export's order: by split, training first."""
    return sorted(dataset, key=lambda each: (each.split != "train", each.index))


def read_info(folder: Path) -> dict[str, Any]:
    info: dict[str, Any] = json.loads((folder / "meta" / "info.json").read_text("utf-8"))
    return info


def path_of(info: Mapping[str, Any], key: str, row: Mapping[str, Any], video: str = "") -> str:
    """Return the file that LeRobot opens for an episode."""
    of = f"videos/{video}" if video else "data"
    path: str = info[key].format(
        video_key=video, chunk_index=row[f"{of}/chunk_index"], file_index=row[f"{of}/file_index"]
    )
    return path


def test_frames_are_the_episodes(dataset: Dataset, exported: Path) -> None:
    info = read_info(exported)
    rows = pq.read_table(exported / "meta/episodes/chunk-000/file-000.parquet").to_pylist()
    tasks = pq.read_table(exported / "meta/tasks.parquet").to_pylist()
    subtasks = pq.read_table(exported / "meta/subtasks.parquet").to_pylist()
    assert [each["task_index"] for each in tasks] == list(range(info["total_tasks"]))
    assert [each["subtask_index"] for each in subtasks] == list(range(len(subtasks)))
    frame = 0
    for number, (row, episode) in enumerate(zip(rows, in_order(dataset), strict=True)):
        frames = pq.read_table(exported / path_of(info, "data_path", row)).to_pylist()
        frames = [each for each in frames if each["episode_index"] == number]
        columns, said = READER.columns(episode), READER.sentences(episode)
        assert [row[name] for name in ("episode_index", "original_split", "source_index")] == [
            *(number, episode.split, episode.index)
        ]
        assert (row["meta/episodes/chunk_index"], row["meta/episodes/file_index"]) == (0, 0), "the file of this row"
        assert row["length"] == len(frames) == len(episode.steps)
        assert (row["dataset_from_index"], row["dataset_to_index"]) == (frame, frame + len(frames))
        assert [each["index"] for each in frames] == list(range(frame, frame + len(frames)))
        assert [each["frame_index"] for each in frames] == list(range(len(frames)))
        assert [each["timestamp"] for each in frames] == [place / 4 for place in range(len(frames))]
        assert [each["observation.state"] for each in frames] == np.asarray(columns["observation.state"]).tolist()
        assert [[each["action"]] for each in frames] == np.asarray(columns["action"]).tolist()
        assert [each["action.word"] for each in frames] == columns["action.word"]
        assert [tasks[each["task_index"]]["task"] for each in frames] == said.tasks
        assert [subtasks[each["subtask_index"]]["subtask"] for each in frames] == said.subtasks
        assert row["tasks"] == list(dict.fromkeys(said.tasks))
        frame += len(frames)
    assert (info["total_frames"], info["total_episodes"]) == (frame, len(dataset))
    assert set(info["features"]) == set(frames[0]) | {"observation.images.above", "observation.images.aside"}


def test_splits_are_ranges(dataset: Dataset, exported: Path) -> None:
    first = dataset.splits["train"]
    assert read_info(exported)["splits"] == {"train": f"0:{first}", "validation": f"{first}:{len(dataset)}"}
    rows = pq.read_table(exported / "meta/episodes/chunk-000/file-000.parquet").to_pylist()
    assert [each["original_split"] for each in rows] == [each.split for each in in_order(dataset)]


def test_videos_have_each_frame_at_its_time(dataset: Dataset, exported: Path) -> None:
    info = read_info(exported)
    rows = pq.read_table(exported / "meta/episodes/chunk-000/file-000.parquet").to_pylist()
    assert rows[-1]["data/file_index"] > 1
    for camera, size in (("above", 32), ("aside", 16)):
        key = f"observation.images.{camera}"
        assert info["features"][key]["shape"] == [size, size, 3]
        for row, episode in zip(rows, in_order(dataset), strict=True):
            shown = {}
            with av.open(str(exported / path_of(info, "video_path", row, key))) as container:
                assert container.streams.video[0].codec_context.name == info["features"][key]["info"]["video.codec"]
                for each in container.decode(video=0):
                    shown[float(each.time)] = each.to_ndarray(format="rgb24")
            begin, end = row[f"videos/{key}/from_timestamp"], row[f"videos/{key}/to_timestamp"]
            assert end - begin == len(episode.steps) / 4
            for number in range(len(episode.steps)):
                picture = shown[begin + number / 4].astype(float)
                assert picture.shape == (size, size, 3)
                assert np.abs(picture - (number * 8, 90, 200)).max() <= 6


def test_pandas_reads_sentences_as_the_index(exported: Path) -> None:
    for name in ("task", "subtask"):
        told = json.loads(pq.read_schema(exported / f"meta/{name}s.parquet").metadata[b"pandas"])
        assert told["index_columns"] == [name]
        assert {each["name"] for each in told["columns"]} == {name, f"{name}_index"}


def test_statistics(dataset: Dataset, exported: Path) -> None:
    stats = json.loads((exported / "meta/stats.json").read_text("utf-8"))
    states = np.concatenate([np.asarray(READER.columns(each)["observation.state"]) for each in dataset])
    of = stats["observation.state"]
    assert of["count"] == [len(states)]
    for name, value in {
        "min": states.min(0),
        "max": states.max(0),
        "mean": states.mean(0),
        "std": states.std(0),
    }.items():
        assert of[name] == pytest.approx(value.tolist(), rel=1e-5)
    for name, share in QUANTILES.items():
        assert of[name] == pytest.approx(np.quantile(states, share, axis=0).tolist(), rel=1e-5)
    assert stats["observation.images.above"]["mean"][1:] == [[[90 / 255]], [[200 / 255]]]


def test_colours_count_what_numpy_counts() -> None:
    rng = np.random.default_rng(1)
    pictures = rng.integers(3, 250, (5, 20, 20, 3)).astype(np.uint8)
    one, other = Colours(), Colours()
    for picture in pictures[:2]:
        one.add(picture)
    for picture in pictures[2:]:
        other.add(picture)
    one.merge(other)
    found, right = one.statistics(), of_numbers(pictures.reshape(-1, 3) / 255)
    assert found["count"] == [5]
    for name in ("min", "max", "mean", "std", *QUANTILES):
        assert np.ravel(found[name]).tolist() == pytest.approx(right[name], abs=1 / 255)


def test_workers_and_crashes_change_nothing(dataset: Dataset, exported: Path, tmp_path: Path) -> None:
    exporter = make_exporter("lerobot", {"workers": 0})
    broken = Path(shutil.copytree(exported, tmp_path / "broken"))
    shutil.rmtree(broken / "meta" / "episodes")
    (broken / "meta/groups/group-000001.json").write_text("{", "utf-8")
    (broken / "videos/observation.images.above/chunk-000/file-000.mp4").write_bytes(b"torn")
    assert exporter.write(dataset, broken).files_changed == 3
    assert digests(broken) == digests(exported)
    assert exporter.write(dataset, broken).files_changed == 0


@pytest.mark.slow
def test_processes_write_the_same(dataset: Dataset, tmp_path: Path) -> None:
    for workers in (0, 2):
        make_exporter("lerobot", {"workers": workers}).write(dataset, tmp_path / str(workers))
    assert digests(tmp_path / "0") == digests(tmp_path / "2")


def test_pictures_in_the_table(dataset: Dataset, tmp_path: Path) -> None:
    asked = {"pictures": "png", "size": 16, "depth": True, "workers": 0}
    make_exporter("lerobot", asked).write(list(dataset)[:3], tmp_path / "png")
    info = read_info(tmp_path / "png")
    assert info["video_path"] is None
    assert info["features"]["observation.images.aside"] == {
        "dtype": "image",
        "shape": [8, 8, 3],
        "names": ["height", "width", "channels"],
    }
    table = pq.read_table(tmp_path / "png/data/chunk-000/file-000.parquet")
    picture = np.asarray(Image.open(io.BytesIO(table["observation.images.above"][2].as_py()["bytes"])))
    assert (picture == (16, 90, 200)).all()
    depth = Image.open(io.BytesIO(table["observation.images.above_depth"][2].as_py()["bytes"]))
    assert (depth.size, depth.mode) == ((16, 16), "I;16")


def test_without_pictures(dataset: Dataset, tmp_path: Path) -> None:
    exporter = make_exporter("lerobot", {"pictures": "none", "workers": 0})
    exporter.write(list(dataset)[:3], tmp_path / "none")
    assert not [each for each in read_info(tmp_path / "none")["features"] if "images" in each]
    assert not (tmp_path / "none" / "videos").exists()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"pictures": "none", "depth": True}, "--pictures is none"),
        ({"size": 33}, "even number of pixels, not --size 33$"),
        ({"size": "32x23"}, "even number of pixels, not --size 32x23$"),
        ({"cameras": ("map", "agent,size=65x64")}, "even number of pixels, not --camera agent,size=65x64$"),
        ({"size": "32*24"}, "a size is N or WxH"),
        ({"cameras": ("agent,fow=9",)}, "a camera has no 'fow'"),
        ({"pictures": "none", "looks": 1}, "--pictures is none"),
        ({"pictures": "gif"}, "'gif'"),
    ],
)
def test_options_that_make_no_sense(asked: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make_exporter("lerobot", asked)


def test_only_videos_need_an_even_number_of_pixels() -> None:
    assert make_exporter("lerobot", {"pictures": "png", "size": "33x23"}).asked.size == "33x23"


def test_nothing_to_export(dataset: Dataset, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no accepted episode"):
        make_exporter("lerobot", {"pictures": "none"}).write([], tmp_path / "none")


def test_the_folder_of_another_export(dataset: Dataset, exported: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(exported, tmp_path / "other"))
    with pytest.raises(StorageError, match="of more of the dataset's episodes"):
        make_exporter("lerobot", {"workers": 0}).write(dataset.filter(split="train"), other)


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(MissingExtra, match="need the package av") as caught:
        make_exporter("lerobot", {})
    assert "[lerobot]" in caught.value.hint
    make_exporter("lerobot", {"pictures": "png"})


def test_columns_of_language(dataset: Dataset, exported: Path, tmp_path: Path) -> None:
    """As LeRobot 0.6 declares and reads them; without the option there are none."""
    make_exporter("lerobot", {"workers": 0, "pictures": "none", "language": True}).write(dataset, tmp_path / "l")
    features = json.loads((tmp_path / "l/meta/info.json").read_text("utf-8"))["features"]
    for name in ("language_persistent", "language_events"):
        assert features[name] == {"dtype": "language", "shape": [1], "names": None}
        assert name not in json.loads((exported / "meta/info.json").read_text("utf-8"))["features"]
    files = sorted((tmp_path / "l/data").rglob("*.parquet"))
    rows = [row for file in files for row in pq.read_table(file).to_pylist()]
    for number, episode in enumerate(in_order(dataset)):
        frames = [row for row in rows if row["episode_index"] == number]
        told = [row["language_persistent"] for row in frames]
        assert all(each == told[0] for each in told), "the same in every frame"
        said = READER.sentences(episode).subtasks
        assert {row["style"] for row in told[0]} <= {"subtask", "task_aug"}
        begun = {round(row["timestamp"] * READER.fps): row["content"] for row in told[0] if row["style"] == "subtask"}
        assert begun == {at: text for at, text in enumerate(said) if at == 0 or text != said[at - 1]}
        assert all(row["language_events"] == [] for row in frames)


@pytest.mark.parametrize("name", ["h264", "h264-420"])
def test_small_pictures_keep_their_colours(name: str) -> None:
    """Coloured tiles that move, in small pictures, lose little in full colours, and more in others."""
    rng = np.random.default_rng(0)
    tiles = rng.integers(0, 256, (12, 12, 3), np.uint8)
    pictures = [np.roll(tiles.repeat(7, axis=0).repeat(7, axis=1), step, axis=1) for step in range(6)]
    writer = VideoWriter(CODECS[name], 30, (84, 84))
    for picture in pictures:
        writer.add(picture)
    with av.open(io.BytesIO(writer.finish())) as container:
        assert container.streams.video[0].codec_context.pix_fmt == CODECS[name].pixels
        seen = [each.to_ndarray(format="rgb24") for each in container.decode(video=0)]
    errors = [np.square(one.astype(float) - other).mean() for one, other in zip(pictures, seen, strict=True)]
    worst = 10 * np.log10(255**2 / max(errors))
    assert (worst >= 30) == (name == "h264"), worst
