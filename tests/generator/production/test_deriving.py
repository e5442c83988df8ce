"""Datasets made of others: the rows are the sources' own, and an interrupted command completes."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chorewright.errors import DatasetCorrupt, StorageError, UsageError
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.manifest import read_manifest, write_manifest
from chorewright.generator.production import deriving
from chorewright.generator.production.deriving import ORIGIN, Mixture, Selection, derive, share_out, take_some
from chorewright.generator.production.line import run
from chorewright.generator.production.verify import verify
from tests.command import chorewright, digests
from tests.generator.toy import toy_config


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    run(toy_config(episodes=30, shard_size=10, reject=7), folder / "one", workers=0)
    run(toy_config(episodes=17, shard_size=5, seed=4), folder / "two", workers=0)
    return folder


def whole(*folders: Path) -> Mixture:
    sources = tuple(Dataset(folder) for folder in folders)
    return Mixture(("merge",), sources, tuple(each.places for each in sources))


def plain(episode: Episode) -> Episode:
    """The episode without what tells where it lies and where it comes from."""
    return replace(episode, index=0, extras=tuple(pair for pair in episode.extras if pair[0] != ORIGIN))


def test_merged_episodes_are_those_of_the_sources_in_order(made: Path, tmp_path: Path) -> None:
    derive(whole(made / "one", made / "two"), tmp_path / "both")
    assert verify(tmp_path / "both").ok
    both, sources = Dataset(tmp_path / "both"), [Dataset(made / "one"), Dataset(made / "two")]
    assert [plain(each) for each in both] == [plain(each) for source in sources for each in source]
    assert [each.index for each in both] == list(range(len(both)))
    origins = [f"{name}#{each.index}" for name in ("one", "two") for each in Dataset(made / name)]
    assert [each.extra(ORIGIN) for each in both] == origins
    told = both.manifest.config.derivation
    assert told is not None
    assert [(each.name, each.checksum) for each in told.sources] == [
        (name, Dataset(made / name).checksum) for name in ("one", "two")
    ]
    assert [each.config for each in told.sources] == [each.manifest.config for each in sources]
    text = write_manifest(both.manifest)
    assert read_manifest(text, "manifest.json") == both.manifest


def test_what_is_taken_of_what_was_taken_keeps_its_origin(made: Path, tmp_path: Path) -> None:
    derive(whole(made / "one", made / "two"), tmp_path / "both")
    both = Dataset(tmp_path / "both")
    derive(Mixture(("filter",), (both,), (np.array([3, 4, 30]),)), tmp_path / "some")
    some = Dataset(tmp_path / "some")
    assert [each.extra(ORIGIN) for each in some] == [both[place].extra(ORIGIN) for place in (3, 4, 30)]
    assert [plain(each) for each in some] == [plain(both[place]) for place in (3, 4, 30)]


def test_an_interrupted_command_completes_to_the_same_bytes(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chorewright.generator.dataset.config.SHARD_SIZE", 6)
    mixture = whole(made / "one", made / "two")
    derive(mixture, tmp_path / "once")
    assert len(list((tmp_path / "once" / "data").iterdir())) > 4

    def stop(done: int, total: int) -> None:
        if done >= 18:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        derive(mixture, tmp_path / "twice", stop)
    kept = sorted((tmp_path / "twice" / "data").iterdir())
    stamps = [path.stat().st_mtime_ns for path in kept]
    assert len(kept) == 3
    derive(mixture, tmp_path / "twice")
    assert [path.stat().st_mtime_ns for path in kept] == stamps
    assert digests(tmp_path / "twice") == digests(tmp_path / "once")
    (tmp_path / "twice" / "data" / "shard-00001.parquet").write_bytes(b"")
    assert not verify(tmp_path / "twice").ok
    derive(mixture, tmp_path / "twice")
    assert digests(tmp_path / "twice") == digests(tmp_path / "once")


def test_a_damaged_source_and_then_a_whole_one(made: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(made / name, tmp_path / name)
    (tmp_path / "two" / "data" / "shard-00002.parquet").write_bytes(b"")
    with pytest.raises(DatasetCorrupt) as caught:
        derive(whole(tmp_path / "one", tmp_path / "two"), tmp_path / "both")
    assert str(caught.value.hint).endswith("anew; then this command goes on where it was")
    shutil.copy(made / "two" / "data" / "shard-00002.parquet", tmp_path / "two" / "data")
    derive(whole(tmp_path / "one", tmp_path / "two"), tmp_path / "both")
    assert verify(tmp_path / "both").ok


def test_what_cannot_stand_together_is_refused(made: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="are the same dataset"):
        derive(whole(made / "one", made / "one"), tmp_path / "x")
    nothing = Mixture(("filter",), (Dataset(made / "one"),), (np.array([], np.int64),))
    with pytest.raises(UsageError, match="no episode is left"):
        derive(nothing, tmp_path / "x")
    other = shutil.copytree(made / "two", tmp_path / "other")
    manifest = Dataset(other).manifest
    for changed, said in (
        (replace(manifest, config=replace(manifest.config, benchmark="alfred")), "episodes of"),
        (replace(manifest, tool=(("chorewright", "9.9"), *manifest.tool[1:])), "by 9.9"),
        (replace(manifest, config=replace(manifest.config, task_files=(("kinds/a.json", "{}"),))), "different files"),
    ):
        (other / "manifest.json").write_text(write_manifest(changed), "utf-8")
        with pytest.raises(UsageError, match=said):
            derive(whole(made / "one", other), tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_another_dataset_is_never_overwritten(made: Path, tmp_path: Path) -> None:
    derive(whole(made / "one", made / "two"), tmp_path / "both")
    before = digests(tmp_path / "both")
    with pytest.raises(StorageError, match="`chorewright data merge` of one, two there"):
        derive(Mixture(("filter",), (Dataset(made / "one"),), (np.array([1]),)), tmp_path / "both")
    with pytest.raises(StorageError, match="chorewright generate"):
        run(toy_config(episodes=100, shard_size=10, reject=7), tmp_path / "both", workers=0)
    assert digests(tmp_path / "both") == before
    with pytest.raises(UsageError, match="was not generated but taken from one, two"):
        verify(tmp_path / "both", remake=1)


def test_a_selection_over_several_sources(made: Path) -> None:
    sources = [Dataset(made / "one"), Dataset(made / "two")]
    chosen = Selection(splits=("train",), steps=(2, 4), where="index > 3").of(sources)
    for source, some in zip(sources, chosen, strict=True):
        expected = [e.index for e in source if e.split == "train" and 2 <= len(e.steps) <= 4 and e.index > 3]
        assert some.column("index").tolist() == expected
    with pytest.raises(UsageError) as caught:
        Selection(splits=("trian",)).of(sources)
    assert "train" in (caught.value.hint or "")


def test_samples_follow_from_the_seed(made: Path) -> None:
    sources = [Dataset(made / "one"), Dataset(made / "two")]
    total = sum(map(len, sources))

    def taken(amount: int | float, per_task: bool, seed: int) -> list[list[int]]:
        return [places.tolist() for places in take_some(sources, amount, per_task, seed)]

    assert taken(10, False, 0) == taken(10, False, 0) != taken(10, False, 1)
    assert sum(map(len, taken(10, False, 0))) == 10
    assert sum(map(len, taken(0.5, False, 0))) == round(total / 2)
    tasks = [source[place].task for source, places in zip(sources, taken(2, True, 0), strict=True) for place in places]
    assert all(tasks.count(name) == 2 for name in set(tasks))
    assert set(tasks) == {*sources[0].tasks, *sources[1].tasks}
    assert sum(map(len, taken(1000, False, 0))) == total


def test_shares_are_kept_and_groups_stay_together(made: Path) -> None:
    sources = [Dataset(made / "one"), Dataset(made / "two")]
    total = sum(map(len, sources))
    parts = share_out(sources, {"a": 0.7, "b": 0.3}, 0)
    assert abs((parts == "a").sum() - 0.7 * total) <= 1
    together = share_out(sources, {"a": 0.5, "b": 0.5}, 1, "task")
    tasks = deriving.values_of(sources, "task")
    assert all(len(set(together[tasks == task])) == 1 for task in set(tasks))
    for column in ("plan_cost", "attempts", "outcome.accepted"):
        assert len(deriving.values_of(sources, column)) == total
    for wrong in ({"a": 0.5}, {"a": 1.5, "b": -0.5}):
        with pytest.raises(UsageError, match="no parts of a whole"):
            share_out(sources, wrong, 0)
    with pytest.raises(UsageError, match="there is no column"):
        share_out(sources, {"a": 1.0}, 0, "rooom")
    with pytest.raises(UsageError, match="holds lists or fields"):
        share_out(sources, {"a": 1.0}, 0, "steps")


def test_the_verbs(made: Path, tmp_path: Path) -> None:
    def data(*words: object) -> None:
        done = chorewright("data", *words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr

    one, two = made / "one", made / "two"
    allow = ("--allow-code", Dataset(one).manifest.config.benchmark)
    data("split", one, two, "--by", "split", "--out", "parts")
    parts = {path.name: Dataset(path) for path in (tmp_path / "parts").iterdir()}
    assert {name: set(part.splits) for name, part in parts.items()} == {name: {name} for name in parts}
    assert sum(map(len, parts.values())) == len(Dataset(one)) + len(Dataset(two))
    data("split", one, "--into", "a=.5", "--into", "b=.5", "--out", "halves", *allow)
    assert {path.name for path in (tmp_path / "halves").iterdir()} == {"a", "b"}
    data("relabel", one, "--to", "held", "--where", "index < 9", "--out", "held")
    expected = ["held" if episode.index < 9 else episode.split for episode in Dataset(one)]
    assert Dataset(tmp_path / "held").column("split").tolist() == expected
    assert verify(tmp_path / "held").ok
    data("filter", one, two, "--length", "3..", "--out", "long")
    assert all(len(episode.steps) >= 3 for episode in Dataset(tmp_path / "long"))
    data("sample", one, "-n", 3, "--out", "three")
    data("sample", one, "-n", 3, "--out", "three")  # there is nothing to do
    assert len(Dataset(tmp_path / "three")) == 3
    told = json.loads((tmp_path / "three" / "manifest.json").read_text("utf-8"))
    assert told["configuration"]["derivation"]["command"] == ["sample", "--episodes", "3", "--seed", "0"]


WRONG = {
    "filter --out x": "nothing says which episodes to take",
    "filter --out x --length 3-4": "no range of numbers",
    "filter --out x --where lenth>3": "did you mean 'length'?",
    "sample --out x": "give one of --episodes, --fraction and --per-task",
    "sample --out x -n 0": "takes nothing",
    "sample --out x --fraction 2": "a share from 0 to 1",
    "split --out x": "give either --by or --into",
    "split --out x --into a=1 --into a=0": "named twice",
    "split --out x --into a=b": "no name with a share",
    "relabel --out x --to ../x": "cannot be the name of a split",
}


@pytest.mark.parametrize(("words", "said"), WRONG.items())
def test_words_that_make_no_sense(made: Path, tmp_path: Path, words: str, said: str) -> None:
    name, *others = words.split()
    done = chorewright("data", name, made / "one", *others, cwd=tmp_path)
    assert done.returncode in (2, 30, 31), done
    assert said in done.stderr
    assert not (tmp_path / "x").exists()
