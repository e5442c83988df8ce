"""Datasets that grow, slices of parts, and what a run keeps: the bytes are those of the larger dataset made at once."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from chorewright.errors import StorageError, UsageError
from chorewright.generator.dataset.config import Assignment, GenerateConfig
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.dataset_folder import DatasetFolder
from chorewright.generator.dataset.store.parts import part_path, read_part
from chorewright.generator.production import line
from chorewright.generator.production.line import run
from chorewright.generator.production.verify import verify
from tests.command import chorewright, command, digests, environment
from tests.generator.production.test_production import Recorder
from tests.generator.toy import NAME, ToyBenchmark, toy_config

SMALL, LARGE = toy_config(23, 10, reject=7), toy_config(64, 10, reject=7)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished dataset of two shards and a short one, not to be changed."""
    folder = tmp_path_factory.mktemp("small") / "d"
    run(SMALL, folder, workers=0)
    return folder


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The checksums of the larger dataset made at once."""
    folder = tmp_path_factory.mktemp("large") / "d"
    run(LARGE, folder, workers=0)
    return digests(folder)


@pytest.fixture
def copy(small: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(small, tmp_path / "d"))


@pytest.mark.parametrize("workers", [0, 2])
def test_a_finished_dataset_grows_to_the_bytes_of_a_larger_one(copy: Path, workers: int, large: dict[str, str]) -> None:
    before, times = digests(copy), {path: path.stat().st_mtime_ns for path in copy.glob("data/*")}
    watch = Recorder()
    report = run(LARGE, copy, workers=workers, watch=watch)
    assert digests(copy) == large
    assert watch.done == 64 - 23, "nothing that was there is made again"
    assert (report.attempted, report.accepted) == (64, 64 - 9)
    assert [entry.shard for entry in report.kept] == [0, 1]
    for number in (0, 1):
        path = copy / "data" / f"shard-0000{number}.parquet"
        assert path.stat().st_mtime_ns == times[path], "full shards are not touched"
        assert before[f"data/{path.name}"] == large[f"data/{path.name}"]
    assert not verify(copy, remake=3).problems


def test_a_dataset_can_be_read_while_it_grows(copy: Path, large: dict[str, str]) -> None:
    episodes = list(Dataset(copy))
    for part in (2, 1):
        run(LARGE, copy, workers=0, slice_of=(part, 3))
        assert list(Dataset(copy)) == episodes
        assert not verify(copy).problems
    run(LARGE, copy, workers=0, slice_of=(3, 3))
    assert digests(copy) == large


def test_growth_by_steps(copy: Path, large: dict[str, str]) -> None:
    for episodes in (24, 29, 30, 31, 64):
        run(replace(LARGE, episodes=episodes), copy, workers=0)
        assert len(Dataset(copy)) == episodes - episodes // 7
    assert digests(copy) == large


def test_an_unfinished_run_may_become_a_larger_one(tmp_path: Path, large: dict[str, str]) -> None:
    run(SMALL, tmp_path / "d", workers=0, slice_of=(1, 2))
    run(LARGE, tmp_path / "d", workers=0)
    assert digests(tmp_path / "d") == large


def test_a_damaged_short_shard_is_made_anew(copy: Path, large: dict[str, str]) -> None:
    (copy / "data" / "shard-00002.parquet").write_bytes(b"damaged")
    watch = Recorder()
    run(LARGE, copy, workers=0, watch=watch)
    assert watch.done == 64 - 20
    assert digests(copy) == large


def test_a_dataset_does_not_shrink(copy: Path) -> None:
    before = digests(copy)
    with pytest.raises(StorageError, match="has 23 episodes, and cannot shrink to 22") as caught:
        run(replace(SMALL, episodes=22), copy, workers=0)
    assert "-n 23" in caught.value.hint
    run(LARGE, copy, workers=0, slice_of=(1, 2))
    with pytest.raises(StorageError, match="has 64 episodes, and cannot shrink to 23"):
        run(SMALL, copy, workers=0)
    assert {name: digest for name, digest in digests(copy).items() if name in before} == before


def test_growth_that_would_change_episodes_is_refused(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assign = ToyBenchmark.assign

    def last_is_special(self: ToyBenchmark, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        found = list(assign(self, config, count))
        return [*found[:-1], replace(found[-1], split="test")]

    monkeypatch.setattr(ToyBenchmark, "assign", last_is_special)
    before = digests(copy)
    with pytest.raises(UsageError, match=r"episode 22 would be another one \(split 'test' there, 'valid_seen' in the"):
        run(LARGE, copy, workers=0)
    assert digests(copy) == before


def words(out: Path, episodes: int, delay: float) -> list[object]:
    """A generate command; its configuration is ``toy_config(episodes, 40, delay=delay)``."""
    line = ("--shard-size", 40, "--delay", delay, "--workers", 2)
    return ["generate", NAME, "--episodes", episodes, "--seed", 3, *line, "--out", out]


def test_a_killed_growth_continues_to_the_same_bytes(tmp_path: Path) -> None:
    """Killed with parts in hand, and again while the short shard is replaced."""
    run(toy_config(150, 40, delay=0.01), tmp_path / "whole", workers=0)
    run(toy_config(50, 40, delay=0.01), tmp_path / "d", workers=0)
    for parts in (3, 10):
        process = subprocess.Popen(
            command(*words(tmp_path / "d", 150, 0.01)),
            env=environment(),
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        while len(list(tmp_path.glob("d/.progress/*.part"))) < parts and process.poll() is None:
            time.sleep(0.005)
        process.kill()
        process.wait()
        assert len(list(Dataset(tmp_path / "d"))) in (50, 150), "the old one, or all of the new one"
    assert chorewright(*words(tmp_path / "d", 150, 0.01)).returncode == 0
    assert digests(tmp_path / "d") == digests(tmp_path / "whole")


def test_finishing_that_is_interrupted_continues(
    copy: Path, monkeypatch: pytest.MonkeyPatch, large: dict[str, str]
) -> None:
    """The short shard is replaced, and the run dies before the manifest is written."""

    def dies(path: Path, *rest: object, **options: object) -> None:
        if path.name in fatal:
            raise KeyboardInterrupt
        write(path, *rest, **options)

    from chorewright.generator.dataset.store import shards

    write = shards.write_whole
    monkeypatch.setattr(shards, "write_whole", dies)
    for name in ("shard-00002.parquet", "shard-00002.json", "manifest.json"):
        fatal = {name}
        with pytest.raises(KeyboardInterrupt):
            run(LARGE, copy, workers=0)
    fatal = set()
    run(LARGE, copy, workers=0)
    assert digests(copy) == large


def test_the_usual_shards_do_not_depend_on_the_number_of_episodes() -> None:
    assert {GenerateConfig("alfred", count).shard_size for count in (1, 100, 64_001, 10**7)} == {1000}


@pytest.mark.parametrize(
    ("episodes", "size"), [(1, 1), (6, 1), (64, 1), (100, 2), (1000, 16), (10_000, 50), (10**6, 50)]
)
def test_there_is_work_for_many_workers(episodes: int, size: int) -> None:
    config = GenerateConfig("alfred", episodes)
    assert config.part_size == size
    target = DatasetFolder(Path("d"), config)
    last = config.shards - 1
    assert [index for part in target.parts(last) for index in part] == list(config.shard_range(last))


def test_slices_of_parts_share_one_shard(tmp_path: Path) -> None:
    config = toy_config(40, 1000, reject=7)
    run(config, tmp_path / "whole", workers=0)
    found = [run(config, tmp_path / "d", workers=0, slice_of=(part, 7)) for part in range(1, 8)]
    assert [report.attempted for report in found] == [6, 6, 6, 6, 6, 5, 5]
    assert sum(report.accepted for report in found) == 35
    assert digests(tmp_path / "d") == digests(tmp_path / "whole")


def test_a_damaged_part_is_made_again(tmp_path: Path) -> None:
    config = toy_config(40, 40)
    run(config, tmp_path / "d", workers=0, slice_of=(1, 2))
    target = DatasetFolder(tmp_path / "d", config)
    paths = [part_path(target, range(index, index + 1)) for index in (0, 2, 4)]
    flipped = bytearray(paths[0].read_bytes())
    flipped[len(flipped) // 2] ^= 4
    paths[0].write_bytes(flipped)
    paths[1].write_bytes(b"")
    paths[2].write_bytes(paths[2].read_bytes()[:-5])
    assert read_part(target, range(1)) is None
    watch = Recorder()
    run(config, tmp_path / "d", workers=0, watch=watch)
    assert watch.done == 23
    run(config, tmp_path / "whole", workers=0)
    assert digests(tmp_path / "d") == digests(tmp_path / "whole")


def test_a_slice_reads_only_its_own_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = toy_config(40, 5)
    run(config, tmp_path / "d", workers=0, slice_of=(1, 2))
    run(config, tmp_path / "d", workers=0, slice_of=(2, 2))
    target = DatasetFolder(tmp_path / "d", config)
    shards, hashed = line.share(target, (2, 4))
    assert hashed == range(1, 8, 4)
    assert [indices.start for _, indices in shards] == list(range(1, 40, 4))


def test_assignments_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: dict[str, str]) -> None:
    assign, asked = ToyBenchmark.assign, []

    def counting(self: ToyBenchmark, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        asked.append(count)
        return assign(self, config, count)

    monkeypatch.setattr(ToyBenchmark, "assign", counting)
    for part in (1, 2, 3):
        run(LARGE, tmp_path / "d", workers=0, slice_of=(part, 3))
    assert asked == [64]
    assert digests(tmp_path / "d") == large


def test_temporary_names_are_the_runs_own(tmp_path: Path) -> None:
    one, other = (DatasetFolder(tmp_path, SMALL) for _ in range(2))
    path = one.shard_path(0)
    assert one == other
    assert one.run != other.run
    assert len({one.temporary(path), one.temporary(path), other.temporary(path)}) == 3


def test_json_counts_what_a_slice_did(tmp_path: Path) -> None:
    words = ("generate", NAME, "-n", 9, "--reject", 4, "--workers", 0, "--json", "--out", tmp_path / "d")
    found = [json.loads(chorewright(*words, "--shard", f"{part}/2").stdout) for part in (1, 2)]
    assert [each["episodes"] for each in found] == [5, 4]
    assert sum(each["accepted"] for each in found) == 7
    assert [each["finished"] for each in found] == [False, True]


def test_a_dry_run_says_what_a_run_would_cost(tmp_path: Path) -> None:
    folder, line = tmp_path / "d", ("--reject", 7, "--workers", 0, "--json")
    words = ("generate", NAME, "-n", 400, *line, "--out", folder)
    told = json.loads(chorewright(*words, "--dry-run").stdout)
    assert not folder.exists()
    assert (told["episodes"], told["missing"], told["sampled"]) == (400, 400, 12)
    assert 0 < told["core_hours"] < 0.1
    assert chorewright(*words).returncode == 0
    size = sum(path.stat().st_size for path in folder.glob("data/*"))
    assert 0.8 * size < told["bytes"] < 1.5 * size, "few rows share less, so it is rather too much"
    grown = ("generate", NAME, "-n", 1000, *line, "--out", folder, "--dry-run")
    assert json.loads(chorewright(*grown).stdout)["missing"] == 600
    assert json.loads(chorewright(*grown, "--shard", "1/4").stdout)["episodes"] == 400 + 9 * 16
    done = chorewright(*[word for word in grown if word != "--json"])
    assert "600 of 1000 episodes still to be made; nothing was written" in done.stdout
    assert json.loads(chorewright(*words, "--dry-run").stdout)["core_hours"] == 0
