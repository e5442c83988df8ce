"""The production line: any crash, any number of workers, any environment: the same bytes in the end."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chorewright.errors import ChorewrightError, ExitCode, MissingExtra, StorageError, UsageError
from chorewright.files.plugins import Origin, pip_install
from chorewright.generator.dataset.config import Assignment, GenerateConfig
from chorewright.generator.dataset.episode import Episode, RejectedIndex
from chorewright.generator.dataset.store.dataset_folder import DatasetFolder
from chorewright.generator.production import line as production
from chorewright.generator.production.agenda import make_episode
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.production.line import run
from chorewright.generator.production.verify import verify
from tests.command import chorewright, command, digests, environment
from tests.generator.toy import NAME, ToyBenchmark, toy_config


class Recorder(production.Silent):
    """A watch that remembers."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.done = 0

    def episode(self, accepted: bool) -> None:
        self.done += 1

    def lost(self, episodes: int, accepted: int) -> None:
        self.done -= episodes

    def note(self, message: str) -> None:
        self.notes.append(message)


def words(out: Path, workers: int = 2, delay: float = 0.02, episodes: int = 40) -> list[object]:
    """A generate command of the toy benchmark; its configuration is ``toy_config(delay=..)``."""
    return [
        *("generate", NAME, "--episodes", episodes, "--seed", 3, "--shard-size", 5),
        *("--delay", delay, "--workers", workers, "--out", out),
    ]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The checksums of an uninterrupted run in this process."""
    folder = tmp_path_factory.mktemp("whole") / "d"
    run(toy_config(delay=0.02), folder, workers=0)
    return digests(folder)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_any_number_of_workers_makes_the_same_bytes(tmp_path: Path, workers: int, whole: dict[str, str]) -> None:
    watch = Recorder()
    report = run(toy_config(delay=0.02), tmp_path / "d", workers=workers, watch=watch)
    assert digests(tmp_path / "d") == whole
    assert (watch.done, watch.notes, len(report.made)) == (40, [], 8)


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONHASHSEED": "0"},
        {"PYTHONHASHSEED": "1"},
        {"PYTHONHASHSEED": "12345", "TZ": "Asia/Kathmandu"},
        {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "TZ": "America/St_Johns"},
    ],
)
def test_any_environment_makes_the_same_bytes(tmp_path: Path, env: dict[str, str], whole: dict[str, str]) -> None:
    done = chorewright(*words(Path("d"), workers=1), cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert digests(tmp_path / "d") == whole


Moment = tuple[int, float]
"""When to kill: as soon as so many shards are there, and so many seconds later."""


def killed(folder: Path, moment: Moment) -> int:
    """Start a run, kill its process at a moment, and return how many shards it had finished."""
    shards, after = moment
    process = subprocess.Popen(
        command(*words(folder)), env=environment(), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    while len(list(folder.glob("data/*.parquet"))) < shards and process.poll() is None:
        time.sleep(0.005)
    time.sleep(after)
    process.kill()
    process.wait()
    return len(list(folder.glob("data/*.parquet")))


def moments(count: int) -> list[Moment]:
    chance = random.Random(7)
    return [(chance.randrange(8), round(chance.uniform(0, 0.15), 3)) for _ in range(count)]


@pytest.mark.parametrize("moment", moments(3))
def test_a_killed_run_continues_to_the_same_bytes(tmp_path: Path, moment: Moment, whole: dict[str, str]) -> None:
    killed(tmp_path / "d", moment)
    assert chorewright(*words(tmp_path / "d")).returncode == 0
    assert digests(tmp_path / "d") == whole
    assert not verify(tmp_path / "d").problems


@pytest.mark.slow
def test_twenty_killed_runs_continue_to_the_same_bytes(tmp_path: Path, whole: dict[str, str]) -> None:
    found = []
    for number, moment in enumerate(moments(20)):
        folder = tmp_path / str(number)
        found.append(killed(folder, moment))
        assert chorewright(*words(folder)).returncode == 0
        assert digests(folder) == whole
    assert len(set(found)) > 3, "the moments hit different stages"


def test_a_run_killed_again_and_again_arrives(tmp_path: Path, whole: dict[str, str]) -> None:
    folder = tmp_path / "d"
    found = [killed(folder, (shards, 0.01)) for shards in (0, 1, 3, 5)]
    assert found == sorted(found)
    assert chorewright(*words(folder)).returncode == 0
    assert digests(folder) == whole


def test_a_killed_worker_costs_its_part_only(tmp_path: Path) -> None:
    config = toy_config(kill=17, flag=str(tmp_path / "flag"))
    watch = Recorder()
    report = run(config, tmp_path / "d", workers=2, watch=watch)
    assert report.manifest is not None
    assert watch.done == 40
    [note] = watch.notes
    assert "signal 9 (SIGKILL) at episode 17; episode 17 is made again" in note
    run(config, tmp_path / "other", workers=0)
    assert digests(tmp_path / "d") == digests(tmp_path / "other")


def test_a_killed_worker_is_reported_and_the_exit_code_is_0(tmp_path: Path) -> None:
    extra = ("--kill", "12", "--flag", tmp_path / "flag")
    done = chorewright(*words(tmp_path / "d", delay=0), *extra)
    assert done.returncode == 0
    assert "episode 12 is made again" in done.stderr
    assert not verify(tmp_path / "d").problems


@pytest.mark.parametrize(
    ("wrong", "said"), [({"benchmark": "laundry"}, "benchmark is 'laundry'"), ({"index": 9}, "index is 9")]
)
def test_an_episode_that_says_it_is_another_one_is_rejected(wrong: dict[str, Any], said: str) -> None:
    class Wrong(ToyBenchmark):
        def episode(self, index: int, config: GenerateConfig, assignment: Assignment) -> Episode:
            return replace(super().episode(index, config, assignment), **wrong)

    config = toy_config()
    assignment = ToyBenchmark().assign(config, 3)[2]
    assert isinstance(make_episode(ToyBenchmark(), config, assignment), Episode)
    found = make_episode(Wrong(), config, assignment)
    assert isinstance(found, RejectedIndex)
    assert found.reason.startswith("defect: ")
    assert said in found.reason


def test_a_defect_rejects_its_index_and_is_reported(tmp_path: Path) -> None:
    done = chorewright(*words(tmp_path / "d", delay=0), "--crash", "8")
    assert done.returncode == 0
    assert "episode 8 met a defect: ZeroDivisionError: the die has no sides" in done.stderr
    assert "Traceback" not in done.stderr
    assert verify(tmp_path / "d").manifest.rejected[0].index == 8


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def living(pids: list[int]) -> list[int]:
    """Those of some processes that still live after a time that is ample on any machine."""
    deadline = time.monotonic() + 120
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return [pid for pid in pids if alive(pid)]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Start a long run and wait until its first shards are there."""
    begun: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        process = subprocess.Popen(
            command(*words(tmp_path / "d", delay=0.2)),
            env=environment(),
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        begun.append(process)
        while not list(tmp_path.glob("d/data/*.parquet")):
            assert process.poll() is None
            time.sleep(0.05)
        return process

    yield start
    for process in begun:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.mark.usefixtures("hang_ups_are_heard")
@pytest.mark.parametrize(
    ("number", "group", "code"),
    [
        (signal.SIGINT, True, 130),
        (signal.SIGINT, False, 130),
        (signal.SIGTERM, False, 143),
        (signal.SIGTERM, True, 143),
        (signal.SIGHUP, False, 129),
    ],
)
def test_signals_end_all_processes_soon(
    tmp_path: Path, running: Callable[[], subprocess.Popen[str]], number: int, group: bool, code: int
) -> None:
    process = running()
    workers = children(process.pid)
    assert len(workers) >= 2
    (os.killpg if group else os.kill)(process.pid, number)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == code
    assert "the same command continues" in errors
    assert "Traceback" not in errors
    assert not living(workers)
    assert not list(tmp_path.glob("d/.progress/*.tmp"))
    assert not list(tmp_path.glob("d/.progress/lock*"))


def test_workers_end_with_their_killed_parent(running: Callable[[], subprocess.Popen[str]]) -> None:
    process = running()
    workers = children(process.pid)
    process.kill()
    process.wait()
    assert not living(workers)


def test_a_second_command_is_told_who_works(tmp_path: Path, running: Callable[[], subprocess.Popen[str]]) -> None:
    process = running()
    second = chorewright(*words(tmp_path / "d", delay=0.2))
    assert second.returncode == ExitCode.STORAGE
    assert f"another run is writing to {tmp_path / 'd'}: process {process.pid} on " in second.stderr


@pytest.mark.parametrize("limit", [1, 100, 20_000])
def test_a_full_disk_is_an_error_and_the_run_continues_later(tmp_path: Path, limit: int) -> None:
    """RLIMIT_FSIZE stands for the disk: no file may grow larger."""
    config = toy_config()
    folder = tmp_path / "d"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        with pytest.raises(StorageError, match=r"cannot write .*: File too large"):
            run(config, folder, workers=0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(folder.glob("data/*"))
    assert not list(folder.glob(".progress/*.tmp"))
    run(config, folder, workers=0)
    run(config, tmp_path / "other", workers=0)
    assert digests(folder) == digests(tmp_path / "other")


def test_a_full_disk_in_a_worker_is_one_line(tmp_path: Path) -> None:
    script = f"ulimit -f 10; exec {' '.join(command(*words(tmp_path / 'd', delay=0)))}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment(), check=False)
    assert done.returncode == ExitCode.STORAGE
    assert "File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert chorewright(*words(tmp_path / "d", delay=0)).returncode == 0


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2)])
def test_slices_make_the_whole(tmp_path: Path, order: tuple[int, ...], whole: dict[str, str]) -> None:
    config = toy_config(delay=0.02)
    for number, part in enumerate(order):
        report = run(config, tmp_path / "d", workers=0, slice_of=(part, 3))
        assert (report.manifest is not None) == (number == 2)
    assert digests(tmp_path / "d") == whole
    again = run(config, tmp_path / "d", workers=0, slice_of=(1, 3))
    assert not again.made


def test_a_whole_run_fills_the_gaps_of_slices(tmp_path: Path, whole: dict[str, str]) -> None:
    run(toy_config(delay=0.02), tmp_path / "d", workers=0, slice_of=(2, 3))
    report = run(toy_config(delay=0.02), tmp_path / "d", workers=0)
    assert (report.kept, [entry.shard for entry in report.made]) == ((), list(range(8)))
    assert digests(tmp_path / "d") == whole


def test_slices_at_the_same_time_make_the_whole(tmp_path: Path, whole: dict[str, str]) -> None:
    runs = [
        subprocess.Popen(command(*words(tmp_path / "d", workers=1), "--shard", f"{part}/3"), env=environment())
        for part in (1, 2, 3)
    ]
    assert [process.wait(timeout=120) for process in runs] == [0, 0, 0]
    assert digests(tmp_path / "d") == whole


@pytest.mark.parametrize("bad", [{"workers": -1}, {"slice_of": (0, 2)}, {"slice_of": (3, 2)}, {"executor": "dask"}])
def test_bad_arguments_are_usage_errors(tmp_path: Path, bad: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        run(toy_config(), tmp_path / "d", **bad)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["nosuch", "no.such:Benchmark", "os:nosuch", "../x:y", "a b", ":", "", "os.path:"])
@pytest.mark.parametrize("origin", Origin)
def test_unknown_benchmarks_are_usage_errors(name: str, origin: Origin) -> None:
    with pytest.raises(UsageError):
        BENCHMARKS.find(name, origin)


def test_ray_missing_names_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra) as caught:
        run(toy_config(), tmp_path / "d", executor="ray")
    assert caught.value.hint == pip_install("ray")


class Reference:
    """What the stand-in's remote function returns."""

    def __init__(self, function: Callable[..., object], arguments: tuple[object, ...]) -> None:
        self.function, self.arguments = function, arguments


class LocalRayletDiedError(Exception):
    """What Ray raises when its cluster dies."""


def stand_in_for_ray(monkeypatch: pytest.MonkeyPatch) -> tuple[types.ModuleType, list[int]]:
    """Put a module in the place of Ray that does each job when it is asked for its result.

    Returns:
        The module, and how many jobs were in flight each time that the run waited.
    """
    counted: list[int] = []
    stand_in = types.ModuleType("ray")
    for name, value in {
        "is_initialized": lambda: False,
        "init": lambda **options: None,
        "shutdown": lambda: None,
        "cluster_resources": lambda: {"CPU": 2.0},
        "remote": lambda function: types.SimpleNamespace(remote=lambda *a: Reference(function, a)),
        "wait": lambda waiting: (counted.append(len(waiting)), (waiting[:1], waiting[1:]))[1],
        "get": lambda done: done.function(*done.arguments),
    }.items():
        setattr(stand_in, name, value)
    errors = types.ModuleType("ray.exceptions")
    monkeypatch.setattr(errors, "RayError", LocalRayletDiedError, raising=False)
    monkeypatch.setitem(sys.modules, "ray", stand_in)
    monkeypatch.setitem(sys.modules, "ray.exceptions", errors)
    return stand_in, counted


def test_ray_maps_the_same_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: dict[str, str]) -> None:
    """With a stand-in for the package; a further test has the real one."""
    _, counted = stand_in_for_ray(monkeypatch)
    watch = Recorder()
    run(toy_config(delay=0.02), tmp_path / "d", executor="ray", watch=watch)
    assert digests(tmp_path / "d") == whole
    assert watch.done == 40
    assert max(counted) == 4, "two jobs for each core"


def test_a_dead_cluster_is_an_error_and_the_run_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: dict[str, str]
) -> None:
    ray, _ = stand_in_for_ray(monkeypatch)
    get, asked = ray.get, []

    def dies(reference: Reference) -> object:
        asked.append(reference)
        if len(asked) == 12:
            raise LocalRayletDiedError("The node died.\nmany lines")
        return get(reference)

    monkeypatch.setattr(ray, "get", dies)
    with pytest.raises(
        ChorewrightError, match=r"the Ray cluster failed: LocalRayletDiedError: The node died\.$"
    ) as caught:
        run(toy_config(delay=0.02), tmp_path / "d", executor="ray")
    assert "the same command continues" in caught.value.hint
    watch = Recorder()
    run(toy_config(delay=0.02), tmp_path / "d", workers=0, watch=watch)
    assert watch.done == 30, "ten episodes were there, and a shard that had been merged"
    assert digests(tmp_path / "d") == whole


def test_ray_itself_makes_the_same_bytes(tmp_path: Path, whole: dict[str, str]) -> None:
    pytest.importorskip("ray")
    run(toy_config(delay=0.02), tmp_path / "d", executor="ray")
    assert digests(tmp_path / "d") == whole


def test_leftovers_of_killed_writers_are_removed(tmp_path: Path, whole: dict[str, str]) -> None:
    config = toy_config(delay=0.02)
    run(config, tmp_path / "d", workers=0, slice_of=(1, 2))
    progress = DatasetFolder(tmp_path / "d", config).progress
    for name in ("shard-00001.parquet.h-1.2.tmp", "part-000000004-000000005.part.h-1.2.tmp", "manifest.json.h.2.tmp"):
        (progress / name).write_bytes(b"half")
    (progress / "shard-00002.json").write_text('{"file": ')
    run(config, tmp_path / "d", workers=0)
    assert digests(tmp_path / "d") == whole
    assert not progress.exists()


@pytest.mark.slow
def test_alfred_is_the_same_for_workers_and_hash_seeds(tmp_path: Path) -> None:
    made = []
    for number, (workers, seed) in enumerate([(1, "0"), (2, "1"), (2, "777")]):
        folder = tmp_path / str(number)
        arguments = ("alfred", "--episodes", 12, "--seed", 5, "--shard-size", 3, "--workers", workers)
        done = chorewright("generate", *arguments, "--out", folder, env={"PYTHONHASHSEED": seed}, timeout=600)
        assert done.returncode == 0, done.stderr
        made.append(digests(folder))
    assert made[0] == made[1] == made[2]
    assert not verify(tmp_path / "0", remake=4).problems


def test_configurations_of_the_same_options_are_equal() -> None:
    one = GenerateConfig("alfred", 5, options=(("b", ("1",)), ("a", ("2",))))
    other = GenerateConfig("alfred", 5, options=(("a", ("2",)), ("b", ("1",))))
    assert one.fingerprint() == other.fingerprint()
