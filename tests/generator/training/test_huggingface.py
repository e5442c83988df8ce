"""Files named by split with a card: what ``datasets`` reads of them, read here by Arrow and YAML."""

from __future__ import annotations

import io
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from PIL import Image

from chorewright.errors import InputError, UsageError
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.records import to_table
from chorewright.generator.production.line import run
from chorewright.generator.training import huggingface
from chorewright.generator.training.exporter import make_exporter
from chorewright.generator.training.trajectory import places_by_split
from tests.command import digests
from tests.generator.toy import ToyMoments, toy_config

READER = ToyMoments()


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    folder = tmp_path_factory.mktemp("made") / "toys"
    run(toy_config(episodes=30, shard_size=10, reject=7), folder, workers=0)
    return Dataset(folder)


def read(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each split as the card says which files it has."""
    _, front, _ = (folder / "README.md").read_text("utf-8").split("---\n", 2)
    (config,) = yaml.safe_load(front)["configs"]
    files = {each["split"]: sorted(folder.glob(each["path"])) for each in config["data_files"]}
    assert sorted(file for some in files.values() for file in some) == sorted((folder / "data").iterdir())
    return {split: [row for file in some for row in pq.read_table(file).to_pylist()] for split, some in files.items()}


def test_splits_are_never_mixed(dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(huggingface.LARGEST, "episodes", 4)
    done = make_exporter("huggingface", {}).write(dataset, tmp_path / "out")
    assert (done.episodes, done.left_out) == (len(dataset), 0)
    found = read(tmp_path / "out")
    assert list(found) == ["train", "validation"]
    for split, places in places_by_split(dataset)[0].items():
        episodes = [dataset[place] for place in places]
        stored = to_table(episodes).to_pylist()
        told = [
            {**row, "split": split, "original_split": each.split} for row, each in zip(stored, episodes, strict=True)
        ]
        assert found[split] == told
    files = -(-dataset.splits["train"] // 4)
    assert (tmp_path / f"out/data/train-00001-of-{files:05d}.parquet").exists()


def test_rows_of_frames(dataset: Dataset, tmp_path: Path) -> None:
    asked = {"rows": "frames", "images": True, "size": 16, "workers": 0}
    make_exporter("huggingface", asked).write(dataset, tmp_path / "out")
    found = read(tmp_path / "out")
    for split, rows in found.items():
        episodes = [dataset[place] for place in places_by_split(dataset)[0][split]]
        assert [row["source_index"] for row in rows] == [each.index for each in episodes for _ in each.steps]
        by_index = {each.index: each for each in episodes}
        frames = Counter[int]()
        for row in rows:
            episode, number = by_index[row["source_index"]], frames[row["source_index"]]
            columns, said = READER.columns(episode), READER.sentences(episode)
            assert (row["frame_index"], row["timestamp"]) == (number, number / 4)
            assert (row["template"], row["task"], row["subtask"]) == (
                *(episode.task, said.tasks[number]),
                said.subtasks[number],
            )
            assert row["original_split"] == episode.split
            assert row["observation.state"] == np.asarray(columns["observation.state"])[number].tolist()
            picture = np.asarray(Image.open(io.BytesIO(row["observation.images.aside"]["bytes"])))
            assert picture.shape == (8, 8, 3)
            assert (picture == (number * 8, 90, 200)).all()
            frames[row["source_index"]] += 1


def test_the_card_says_what_each_column_is(dataset: Dataset, tmp_path: Path) -> None:
    asked = {"rows": "frames", "images": True, "workers": 0}
    make_exporter("huggingface", asked).write(dataset, tmp_path / "out")
    _, front, _ = (tmp_path / "out" / "README.md").read_text("utf-8").split("---\n", 2)
    told = {each["name"]: each for each in yaml.safe_load(front)["dataset_info"]["features"]}
    schema = pq.read_schema(tmp_path / "out/data/train-00000-of-00001.parquet")
    assert list(told) == schema.names
    for field in schema:
        if "image" in field.name:
            assert told[field.name]["dtype"] == "image"
        elif pa.types.is_fixed_size_list(field.type):
            assert (told[field.name]["sequence"]["dtype"], told[field.name]["length"]) == ("float32", 2)
        else:
            names = {"float": "float32"}
            assert told[field.name]["dtype"] == names.get(str(field.type), str(field.type))


def test_again_changes_nothing(dataset: Dataset, tmp_path: Path) -> None:
    one = make_exporter("huggingface", {"rows": "frames", "workers": 0})
    one.write(dataset, tmp_path / "out")
    first = digests(tmp_path / "out")
    assert one.write(dataset, tmp_path / "out").files_changed == 0
    assert digests(tmp_path / "out") == first
    assert json.loads((tmp_path / "out" / "chorewright-export.json").read_text())["format"] == "huggingface"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"images": True}, "rows of frames"),
        *(
            ({"rows": "frames", name: value}, f"{flag} is that of pictures")
            for name, value, flag in (
                ("size", 50, "--size"),
                ("size", "50x40", "--size"),
                ("cameras", ("agent",), "--camera"),
                ("fov", 60.0, "--fov"),
                ("camera_height", 1.0, "--camera-height"),
                ("looks", 1, "--looks"),
            )
        ),
    ],
)
def test_options_that_make_no_sense(asked: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make_exporter("huggingface", asked)


def test_what_cannot_be_exported(dataset: Dataset, tmp_path: Path) -> None:

    with pytest.raises(UsageError, match="no accepted episode"):
        make_exporter("huggingface", {}).write([], tmp_path / "out")
    with pytest.raises(InputError, match="'a-b' cannot be the name of a split"):
        make_exporter("huggingface", {}).write([replace(dataset[0], split="a-b")], tmp_path / "out")
    other = replace(dataset[0], benchmark="handmethat")
    with pytest.raises(UsageError, match="have no frames of numbers"):
        make_exporter("huggingface", {"rows": "frames"}).write([other], tmp_path / "out")
    assert not (tmp_path / "out").exists()
