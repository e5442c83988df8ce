"""Datasets as people read them: selections, columns, other processes."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import random
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from chorewright.errors import StorageError, UsageError
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store import reading
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.records import SCHEMA, Rows, to_table
from chorewright.generator.production.line import run
from chorewright.problems.household.kinds import shipped_kinds
from tests.generator.toy import toy_config

CONFIG = toy_config(episodes=150, shard_size=70, reject=7)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """A finished dataset of three shards and five row groups."""
    folder = tmp_path_factory.mktemp("made") / "toys"
    run(CONFIG, folder, workers=0)
    return Dataset(folder)


def test_rows_are_what_arrow_reads(dataset: Dataset) -> None:
    files = sorted((dataset.folder / "data").iterdir())
    rows = [row for file in files for row in pq.read_table(file).to_pylist()]
    assert to_table(list(dataset)).to_pylist() == rows
    places = random.Random(5).sample(range(len(dataset)), 40)
    assert to_table([dataset[place] for place in places]).to_pylist() == [rows[place] for place in places]


def test_any_run_of_rows_of_a_sliced_table(dataset: Dataset) -> None:
    episodes = list(dataset)
    table = to_table(episodes).slice(3, 90)
    assert list(Rows(table, shipped_kinds())) == episodes[3:93]
    assert Rows(table.slice(80), shipped_kinds())[9] == episodes[92]
    assert list(Rows(table.slice(0, 0), shipped_kinds())) == []


def test_few_row_groups_are_kept(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "CACHE", 1)
    monkeypatch.setattr(reading, "_OPEN", 1)
    small = Dataset(dataset.folder)
    assert [small[place] for place in (0, 127, 3, 70)] == [dataset[place] for place in (0, 127, 3, 70)]
    assert len(small._reader._kept) == len(small._reader._shards) == 1


def test_filtering(dataset: Dataset) -> None:
    every = list(dataset)
    some = dataset.filter(split="train", task=["count-to-1", "count-to-2"])
    wanted = [e for e in every if e.split == "train" and e.task in ("count-to-1", "count-to-2")]
    assert wanted
    assert list(some) == wanted
    assert len(some) == len(wanted)
    assert [some[k] for k in range(-len(some), len(some))] == [*wanted, *wanted]
    assert some.table("index")["index"].to_pylist() == [e.index for e in wanted]
    fewer = some.filter(room="Room0", where=lambda episode: len(episode.steps) > 9)
    assert list(fewer) == [e for e in wanted if e.room.name == "Room0" and len(e.steps) > 9]
    assert some.checksum != dataset.checksum != fewer.checksum
    assert repr(some) == f"Dataset({str(dataset.folder)!r}: {len(some)} of 129 episodes of {CONFIG.benchmark}, seed 3)"


def test_counts(dataset: Dataset) -> None:
    assert dataset.splits == Counter(episode.split for episode in dataset)
    assert dataset.filter(split="train").tasks == Counter(e.task for e in dataset if e.split == "train")


def test_columns(dataset: Dataset) -> None:
    table = dataset.table("index", "scene.name", "scene.agent.x")
    assert table.column_names == ["index", "scene.name", "scene.agent.x"]
    assert table["scene.name"].to_pylist() == [episode.room.name for episode in dataset]
    assert dataset.table().schema.names == SCHEMA.names
    assert dataset.column("plan_cost").dtype == np.float64
    assert dataset.column("plan_cost").tolist() == [episode.plan_cost for episode in dataset]


@pytest.mark.parametrize(
    ("condition", "said", "hint"),
    [
        ({"split": "trian"}, "no episode is of the split 'trian'", "did you mean 'train'"),
        ({"task": ["count-to-1", "x"]}, "no episode is of the task 'x'", "there are count-to-0, count-to-1"),
        ({"room": "Room7"}, "no episode is of the room 'Room7'", "did you mean 'Room"),
    ],
)
def test_conditions_that_nothing_meets(
    dataset: Dataset, condition: dict[str, str | list[str]], said: str, hint: str
) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        dataset.filter(**condition)  # type: ignore[arg-type]
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("column", "said", "hint"),
    [
        ("plan_costs", "there is no column 'plan_costs'", "did you mean 'plan_cost'"),
        ("scene.nam", "there is no column 'nam' in 'scene'", "did you mean 'name'"),
        ("goal.x", "there is no column 'x' in 'goal'", "there are"),
    ],
)
def test_columns_that_are_not_there(dataset: Dataset, column: str, said: str, hint: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        dataset.table(column)
    assert hint in caught.value.hint


def indices(some: Dataset) -> list[int]:
    """Return the indices of a dataset's episodes."""
    return [episode.index for episode in some]


def test_other_processes(dataset: Dataset) -> None:
    some = dataset.filter(split="valid_seen")
    assert indices(pickle.loads(pickle.dumps(some))) == indices(some)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(indices, (some,)) == indices(some)


def test_worlds_without_rooms(dataset: Dataset) -> None:
    def without(episode: Episode) -> dict[str, object]:
        return {**to_table([episode]).to_pylist()[0], "scene": None}

    table = pa.Table.from_pylist([without(dataset[0])], schema=SCHEMA)
    assert Rows(table, shipped_kinds())[0].scene is None


def test_the_card_names_no_split_that_mixes_others(dataset: Dataset) -> None:
    _, front, _ = (dataset.folder / "README.md").read_text("utf-8").split("---\n", 2)
    (config,) = yaml.safe_load(front)["configs"]
    (files,) = config["data_files"]
    assert files["split"] not in dataset.splits
    assert sorted(dataset.folder.glob(files["path"])) == sorted((dataset.folder / "data").iterdir())


def test_the_card_tells_the_columns_and_the_licence(dataset: Dataset) -> None:
    card = (dataset.folder / "README.md").read_text("utf-8")
    for name in pq.read_schema(next((dataset.folder / "data").iterdir())).names:
        assert f"\n| `{name}` | " in card
    assert "\n## Licence\n\nMIT" in card


def test_a_card_of_the_user_s_is_kept(tmp_path: Path) -> None:
    config = toy_config(episodes=6, shard_size=3)
    run(config, tmp_path / "toys", workers=0)
    (tmp_path / "toys" / "README.md").write_text("mine", "utf-8")
    (tmp_path / "toys" / "manifest.json").unlink()
    run(config, tmp_path / "toys", workers=0)
    assert (tmp_path / "toys" / "README.md").read_text("utf-8") == "mine"
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "README.md").write_text("mine", "utf-8")
    with pytest.raises(StorageError, match="not a chorewright dataset"):
        run(config, tmp_path / "notes", workers=0)


def test_fields_made_later_are_like_any(dataset: Dataset) -> None:
    def read() -> Episode:
        return dataset[11]

    whole = replace(read())  # which asks for every field
    assert type(read()) is type(whole) is Episode
    assert read() == whole == read()
    assert hash(read()) == hash(whole)
    assert repr(read()) == repr(whole)
    assert re.fullmatch(r"Episode\(\d+ of [^,]+, \w+: [-\w]+, '[^']+', \d+ actions, \d+ steps\)", repr(whole))
    for again in (pickle.loads(pickle.dumps(read())), copy.copy(read()), copy.deepcopy(read())):
        assert again == whole
    one = read()
    assert one.steps is one.steps
    assert one.scene is one.scene
    with pytest.raises(FrozenInstanceError):
        one.steps = ()  # type: ignore[misc]
    with pytest.raises(AttributeError, match="'Episode' object has no attribute 'step'"):
        one.step  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(whole, "_repr_nothing_")


def test_fields_made_later_in_any_order(dataset: Dataset) -> None:
    whole = [replace(episode) for episode in dataset]
    read = list(Dataset(dataset.folder))
    copies = [copy.copy(episode) for episode in read[::3]]  # fetch what the first ones then make again
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda place: (read[place].scene, read[place].steps), range(len(read))))
    assert found == [(episode.scene, episode.steps) for episode in whole]
    assert read == whole
    assert copies == whole[::3]
