"""The store: whole or absent, refuses what is not its own, and notices every kind of damage."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from chorewright.errors import (
    ChorewrightError,
    DatasetCorrupt,
    MissingExtra,
    StorageError,
    UnsupportedError,
    UsageError,
)
from chorewright.generator.dataset.config import GenerateConfig, PlannerEffort
from chorewright.generator.dataset.store import lock, manifest
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.dataset_folder import DatasetFolder, open_dataset_folder
from chorewright.generator.dataset.store.manifest import MANIFEST
from chorewright.generator.dataset.store.shards import discard, writing
from chorewright.generator.production.line import run
from chorewright.generator.production.verify import verify
from tests.command import digests, environment
from tests.generator.toy import ToyBenchmark, toy_config

CONFIG = toy_config(episodes=23, shard_size=5, reject=7)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished dataset of five shards, not to be changed."""
    folder = tmp_path_factory.mktemp("made") / "data set"
    run(CONFIG, folder, workers=0)
    return folder


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    """A copy of the finished dataset, to be damaged."""
    return Path(shutil.copytree(made, tmp_path / "copy"))


def test_reading_gives_what_the_benchmark_made(made: Path) -> None:
    benchmark = ToyBenchmark()
    episodes = [benchmark.episode(a.index, CONFIG, a) for a in benchmark.assign(CONFIG, CONFIG.episodes)]
    dataset = Dataset(made)
    assert list(dataset) == [episode for episode in episodes if episode.outcome.accepted]
    assert len(dataset) == 20
    assert [dataset.episode(i) for i in (22, 0, 11)] == [episodes[i] for i in (22, 0, 11)]


def test_a_dataset_is_a_sequence(made: Path) -> None:
    dataset = Dataset(made)
    episodes = list(dataset)
    assert [dataset[k] for k in range(len(dataset))] == episodes
    assert [dataset[-k] for k in range(1, len(dataset) + 1)] == episodes[::-1]
    assert dataset[3:9:2] == tuple(episodes[3:9:2])
    assert dataset[-2:] == tuple(episodes[-2:])
    for place in (len(dataset), -len(dataset) - 1):
        with pytest.raises(IndexError, match="20 are stored"):
            dataset[place]
    with pytest.raises(TypeError):
        dataset["3"]


def test_a_dataset_has_its_manifests_checksum(made: Path) -> None:
    assert Dataset(made).checksum == json.loads((made / MANIFEST).read_text())["checksum"]


def test_counts_add_up(made: Path) -> None:
    value = json.loads((made / MANIFEST).read_text())
    assert value["accepted"] + len(value["rejected"]) == value["episodes"] == 23
    assert [rejection["index"] for rejection in value["rejected"]] == [6, 13, 20]
    assert value["rejected"][0]["reason"] == "the die fell off the table"
    assert sum(shard["stop"] - shard["first"] for shard in value["shards"]) == 23
    assert not verify(made, remake=23).problems


@pytest.mark.parametrize("other", ["", "notes"])
def test_an_unfinished_dataset_is_removed_but_not_what_else_is_there(tmp_path: Path, other: str) -> None:
    folder = tmp_path / "d"
    with writing(DatasetFolder(folder, CONFIG)):
        (folder / "data" / "shard-00000.parquet").write_bytes(b"PAR1")
    assert (folder / ".progress" / "run.json").exists()
    if other:
        (folder / other).mkdir()
        (folder / other / "mine").write_text("kept")
    discard(DatasetFolder(folder, CONFIG))
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert left == ([folder / other / "mine"] if other else [])
    assert folder.exists() == bool(other)


@pytest.mark.parametrize(("index", "says"), [(6, "was rejected: the die"), (23, "0 to 22"), (-1, "0 to 22")])
def test_an_index_without_a_row_says_why(made: Path, index: int, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        Dataset(made).episode(index)


def test_other_readers_see_the_rows(made: Path) -> None:
    """In a process of its own: pyarrow's scanning threads now and then abort the process at its end."""
    script = "import sys, pyarrow.parquet as p; print(p.read_table(sys.argv[1])['index'].to_pylist(), flush=True)"
    words = [sys.executable, "-c", script, str(made / "data")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout) == [i for i in range(23) if i not in (6, 13, 20)]


def flip(folder: Path) -> str:
    path = folder / "data" / "shard-00002.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 4
    path.write_bytes(data)
    return "shard-00002"


def truncate(folder: Path) -> str:
    path = folder / "data" / "shard-00001.parquet"
    path.write_bytes(path.read_bytes()[:-7])
    return "shard-00001"


def delete(folder: Path) -> str:
    (folder / "data" / "shard-00004.parquet").unlink()
    return "shard-00004"


def empty(folder: Path) -> str:
    (folder / "data" / "shard-00000.parquet").write_bytes(b"")
    return "shard-00000"


def swap(folder: Path) -> str:
    one, other = folder / "data" / "shard-00001.parquet", folder / "data" / "shard-00003.parquet"
    first = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(first)
    return "shard-00001 shard-00003"


@pytest.mark.parametrize("damage", [flip, truncate, delete, empty, swap])
def test_damage_is_named_refused_and_mended(made: Path, copy: Path, damage: Callable[[Path], str]) -> None:
    damaged = damage(copy).split()
    assert [Path(problem.file).stem for problem in verify(copy).problems] == damaged
    with pytest.raises(DatasetCorrupt, match=damaged[0]):
        list(Dataset(copy))
    report = run(CONFIG, copy, workers=0)
    assert [Path(entry.file).stem for entry in report.made] == damaged, "only damaged shards are made again"
    assert digests(copy) == digests(made)


def test_a_stray_file_is_found(copy: Path) -> None:
    (copy / "data" / "shard-00009.parquet").write_bytes(b"?")
    assert [problem.file for problem in verify(copy).problems] == ["data/shard-00009.parquet"]


def edit(**changes: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        value = json.loads((folder / MANIFEST).read_text())
        value.update(changes)
        (folder / MANIFEST).write_text(json.dumps(value, indent=1))

    return change


def resign(**changes: object) -> Callable[[Path], None]:
    """An edit that knows how to compute the checksum."""

    def change(folder: Path) -> None:
        edit(**changes)(folder)
        value = json.loads((folder / MANIFEST).read_text())
        del value["checksum"]
        value["checksum"] = manifest._checksum(value)
        (folder / MANIFEST).write_text(json.dumps(value))

    return change


def shards(**changes: object) -> list[dict[str, object]]:
    entry = {"file": "data/shard-00000.parquet", "sha256": "0" * 64, "size": 1, "first": 0, "stop": 23}
    return [{**entry, "accepted": 23, **changes}]


@pytest.mark.parametrize(
    ("damage", "kind", "says"),
    [
        (lambda folder: (folder / MANIFEST).unlink(), DatasetCorrupt, "manifest.json is missing"),
        (lambda folder: (folder / MANIFEST).write_text("{"), DatasetCorrupt, r"manifest.json:1:2: not JSON"),
        (lambda folder: (folder / MANIFEST).write_text("[" * 100000), DatasetCorrupt, "nested deeper than 60 levels"),
        (lambda folder: (folder / MANIFEST).write_text("7"), DatasetCorrupt, "expected a JSON object"),
        (lambda folder: (folder / MANIFEST).write_bytes(b"\xff\xfe"), DatasetCorrupt, "not UTF-8"),
        (edit(accepted=23), DatasetCorrupt, "changed after it was written"),
        (edit(tool={"chorewright": "9"}), DatasetCorrupt, "changed after it was written"),
        (edit(schema_version=3), UnsupportedError, "schema version 3; this chorewright reads up to 2"),
        (edit(schema_version="x"), DatasetCorrupt, "unknown schema version"),
        (edit(format="minari"), DatasetCorrupt, "not a chorewright dataset"),
        (edit(configuration={}), DatasetCorrupt, "configuration cannot be read"),
        (edit(configuration=[]), DatasetCorrupt, "configuration cannot be read"),
        (resign(accepted=23), DatasetCorrupt, "are not 23 episodes"),
        (resign(shards=[]), DatasetCorrupt, "do not cover"),
        (resign(shards=shards(file="../../etc/passwd")), DatasetCorrupt, "not a manifest"),
        (resign(shards=shards(file="data/shard-0.parquet")), DatasetCorrupt, "not a manifest"),
        (resign(shards=shards(sha256="x")), DatasetCorrupt, "not a manifest"),
        (resign(shards=shards(size=-1)), DatasetCorrupt, "not a manifest"),
        (resign(shards=None), DatasetCorrupt, "not a manifest"),
    ],
)
def test_a_wrong_manifest_is_refused(
    copy: Path, damage: Callable[[Path], None], kind: type[ChorewrightError], says: str
) -> None:
    damage(copy)
    for act in (Dataset, verify):
        with pytest.raises(kind, match=says):
            act(copy)
    if (copy / MANIFEST).exists() and not manifest.is_torn((copy / MANIFEST).read_bytes()):
        before = digests(copy)
        with pytest.raises(ChorewrightError):
            run(CONFIG, copy, workers=0)
        assert digests(copy) == before


TORN = (b"", b"{", b"7", b"[" * 100_000, b"\xff\xfe")


@pytest.mark.parametrize("data", [None, *TORN], ids=lambda data: repr(data)[:8])
def test_a_lost_or_torn_manifest_is_made_again(made: Path, copy: Path, data: bytes | None) -> None:
    (copy / MANIFEST).unlink()
    if data is not None:
        (copy / MANIFEST).write_bytes(data)
    other = toy_config(episodes=23, shard_size=5, reject=6)
    with pytest.raises(StorageError, match="not a shard of this configuration"):
        run(other, copy, workers=0)
    run(CONFIG, copy, workers=0)
    assert digests(copy) == digests(made)


def test_a_torn_manifest_or_run_keeps_finished_parts(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "d"
    run(CONFIG, folder, workers=0, slice_of=(1, 2))
    (folder / MANIFEST).write_bytes(b"{")
    (folder / ".progress" / "run.json").write_bytes(b"{")
    parts = list((folder / ".progress").glob("*.part"))
    report = run(CONFIG, folder, workers=0)
    assert (len(parts), len(report.kept), len(report.made)) == (12, 0, 5)
    assert digests(folder) == digests(made)


def test_a_folder_without_shards_may_be_taken_over(tmp_path: Path, made: Path) -> None:
    for slice_of in (None, (1, 1)):
        folder = tmp_path / f"d{slice_of}"
        with writing(DatasetFolder(folder, toy_config(episodes=9))):
            pass
        assert (folder / ".progress" / "run.json").exists()
        run(CONFIG, folder, workers=0, slice_of=slice_of)
        assert digests(folder) == digests(made)


def test_a_slice_at_work_is_not_taken_over(tmp_path: Path) -> None:
    other = toy_config(episodes=9)
    with (
        writing(DatasetFolder(tmp_path / "d", other), (1, 2)),
        pytest.raises(StorageError, match="another run"),
        writing(DatasetFolder(tmp_path / "d", CONFIG), (2, 2)),
    ):
        pass


def test_a_run_that_cannot_start_touches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra):
        run(CONFIG, tmp_path / "d", executor="ray")
    for option in ("tasks", "scenes", "splits", "other"):
        config = GenerateConfig("alfred", 3, options=((option, ("no-such",)),))
        with pytest.raises(UsageError):
            run(config, tmp_path / "d", workers=0)
    assert not list(tmp_path.iterdir())


def test_a_folder_may_be_named_from_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    for name in ("../x", "a/../../y"):
        run(CONFIG, Path(name), workers=0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["inside", "x", "y"]
    assert not list((tmp_path / "inside").iterdir())


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (toy_config(episodes=24, shard_size=5, reject=6), "--reject 7 there, 6 asked"),
        (toy_config(episodes=22, shard_size=5, reject=6), "--reject 7 there, 6 asked; episodes 23 there, 22 asked"),
        (toy_config(episodes=23, shard_size=6, reject=7), "shard size 5 there, 6 asked"),
        (toy_config(episodes=23, shard_size=5, reject=6), "--reject 7 there, 6 asked"),
        (toy_config(episodes=23, shard_size=5, reject=7, seed=4), "seed 3 there, 4 asked"),
        (replace(CONFIG, episodes=24, effort=PlannerEffort(plans=2)), "--plans 1 there, 2 asked"),
        (GenerateConfig("alfred", 23, 3, 5), "`chorewright generate alfred` asked"),
        (GenerateConfig(CONFIG.benchmark, 23, 3, 5, CONFIG.options, (("a.task", "(define)"),)), "other task files"),
    ],
)
def test_another_configuration_is_refused(copy: Path, other: GenerateConfig, difference: str) -> None:
    before = digests(copy)
    with pytest.raises(StorageError, match=rf"holds another dataset: (.* there, )?{re.escape(difference)}$"):
        run(other, copy, workers=0)
    (copy / MANIFEST).unlink()
    with pytest.raises(StorageError, match="not a shard of this configuration"):
        run(other, copy, workers=0)
    assert {MANIFEST, *digests(copy)} == set(before)


def test_the_usual_effort_is_refused_where_another_was_made(tmp_path: Path) -> None:
    """A manifest holds no usual effort."""
    run(replace(CONFIG, effort=PlannerEffort(evaluations=9)), tmp_path / "toys", workers=0)
    with pytest.raises(StorageError, match=r"holds another dataset: --evaluations 9 there, 0 asked$"):
        run(CONFIG, tmp_path / "toys", workers=0)


def test_other_versions_are_not_mixed(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chorewright.__version__", "9.9")
    with pytest.raises(StorageError, match=r"was begun with chorewright .*; this is chorewright 9\.9"):
        run(CONFIG, made, workers=0)


def test_a_changed_benchmark_does_not_replace_shards(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    delete(copy)
    monkeypatch.setattr(ToyBenchmark, "name", "changed")
    with pytest.raises(StorageError, match="came out different"):
        run(CONFIG, copy, workers=0)
    assert not (copy / "data" / "shard-00004.parquet").exists()


def test_a_changed_benchmark_is_seen_by_remaking(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_now = ToyBenchmark.episode
    monkeypatch.setattr(ToyBenchmark, "episode", lambda *arguments: replace(made_now(*arguments), goal="(changed)"))
    problems = verify(made, remake=2).problems
    assert [problem.message for problem in problems] == [
        f"holds another episode {index} than is made now: its goal differ" for index in (0, 11)
    ]


def strangers(folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")


@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        (strangers, "not empty and not a chorewright dataset"),
        (lambda folder: folder.write_text("x"), "is not a folder"),
        (lambda folder: folder.symlink_to(folder.parent), "is a symbolic link"),
        (lambda folder: (folder / "data" / "x").mkdir(parents=True), "not a shard of this configuration"),
    ],
)
def test_a_folder_of_something_else_is_left_alone(tmp_path: Path, prepare: Callable[[Path], None], says: str) -> None:
    folder = tmp_path / "target"
    prepare(folder)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(StorageError, match=says):
        run(CONFIG, folder, workers=0)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", ["data", "data/shard-00001.parquet", "manifest.json", ".progress"])
def test_links_in_the_target_are_refused(copy: Path, tmp_path: Path, name: str) -> None:
    victim = tmp_path / "victim"
    if name in ("data", ".progress"):
        victim.mkdir()
        shutil.rmtree(copy / name, ignore_errors=True)
    else:
        victim.write_text("precious")
        (copy / name).unlink()
    (copy / name).symlink_to(victim)
    with pytest.raises(ChorewrightError):
        run(CONFIG, copy, workers=0)
    assert victim.read_text() == "precious" if victim.is_file() else not list(victim.iterdir())


@pytest.mark.parametrize(
    "name",
    [
        "../../../../../../../../etc/x",
        "/tmp/../etc/x",
        "/etc/x",
        "/usr/lib/x",
        "/proc/x",
        "/",
        "a\0b",
        "a\nb",
        "x" * 300,
    ],
)
def test_bad_names_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    with pytest.raises(UsageError):
        run(CONFIG, Path(name), workers=0)
    assert sorted(tmp_path.rglob("*")) == [inside]


def test_a_read_only_folder_is_an_error() -> None:
    """Run as nobody where the tests run as root, who may write everywhere."""
    script = (
        "import os, sys\n"
        "from tests.generator.dataset.store.test_store import CONFIG\n"
        "from chorewright.generator.production.line import run\n"
        "from chorewright.errors import StorageError\n"
        "from pathlib import Path\n"
        "if os.getuid() == 0: os.setuid(65534)\n"
        "try: run(CONFIG, Path(sys.argv[1]), workers=0)\n"
        "except StorageError as error: print(error.message)\n"
    )
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o555)
        done = subprocess.run(
            [sys.executable, "-c", script, name], capture_output=True, text=True, env=environment(), check=False
        )
        assert f"cannot write {name}: Permission denied" in done.stdout, done.stderr
        assert not list(Path(name).iterdir())


def test_a_second_run_is_told_who_holds_the_lock(tmp_path: Path) -> None:
    target = DatasetFolder(tmp_path / "d", CONFIG)
    with writing(target), pytest.raises(StorageError, match=f"another run .* process {os.getpid()} on ") as caught:
        run(CONFIG, target.folder, workers=0)
    assert "started 20" in caught.value.message
    assert run(CONFIG, target.folder, workers=0).manifest is not None


def test_slices_run_side_by_side_and_whole_runs_do_not(tmp_path: Path) -> None:
    target = DatasetFolder(tmp_path / "d", CONFIG)
    with writing(target, (1, 2)):
        with writing(target, (2, 2)):
            pass
        for other in (None, (1, 2), (1, 3)):
            with pytest.raises(StorageError, match=f"process {os.getpid()} "), writing(target, other):
                pass
    with writing(target), pytest.raises(StorageError, match="another run"), writing(target, (1, 2)):
        pass


def test_a_stale_lock_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.write_text(json.dumps({"pid": 2**22 + 1, "host": "here", "started": "long ago"}))
    with lock.lock(path) as stale:
        assert stale is not None
        assert str(stale) == f"process {2**22 + 1} on here, started long ago"
    assert not path.exists()


def test_without_system_locks_the_text_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "fcntl", None)
    path = tmp_path / "lock"
    with lock.lock(path):
        sleeper = subprocess.Popen(["sleep", "60"])
        try:
            value = {**json.loads(path.read_text()), "pid": sleeper.pid, "born": 0}
            path.write_text(json.dumps(value))
            with pytest.raises(StorageError, match=f"process {sleeper.pid}"), lock.lock(path):
                pass
        finally:
            sleeper.kill()
            sleeper.wait()
        with lock.lock(path) as stale:
            assert stale is not None
    path.write_text(json.dumps({"pid": 1, "host": "elsewhere", "started": "x"}))
    with pytest.raises(StorageError, match="elsewhere"), lock.lock(path):
        pass


def test_opening_changes_nothing(tmp_path: Path) -> None:
    open_dataset_folder(tmp_path / "new", CONFIG)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "bad", [{"episodes": 0}, {"episodes": 10**9}, {"seed": -1}, {"seed": 2**63}, {"shard_size": -1}]
)
def test_bad_configurations_are_usage_errors(bad: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        GenerateConfig(**{"benchmark": "alfred", "episodes": 1, **bad})


def test_a_configuration_comes_back_from_json() -> None:
    config = GenerateConfig("alfred", 7, 1, 0, (("tasks", ("a", "b")),), (("x.task", "(é)"),))
    assert GenerateConfig.from_json(json.loads(json.dumps(config.to_json()))) == config
