"""Datasets elsewhere than on this machine: in memory, and on a file system that fsspec reaches."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from chorewright.errors import DatasetCorrupt, MissingExtra, StorageError, UsageError
from chorewright.files.plugins import pip_install
from chorewright.generator.dataset.store import lock, remote_lock
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.dataset_folder import REPORT
from chorewright.generator.dataset.store.places import RemotePath, locate, on_this_machine
from chorewright.generator.dataset.store.remote_lock import Holder
from chorewright.generator.production.line import run
from chorewright.generator.production.verify import verify
from chorewright.generator.training.exporter import export_dataset, make_exporter
from tests.command import ROOT, chorewright, command, environment
from tests.generator.toy import NAME, toy_config

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[RemotePath]:
    """A place in memory, empty before and after."""
    memory = fsspec.filesystem("memory", use_listings_cache=False)
    found = locate(f"memory://{tmp_path.name}/data set")
    assert isinstance(found, RemotePath)
    yield found
    memory.store.clear()
    memory.pseudo_dirs[:] = [""]


def elsewhere(folder: Path) -> str:
    """The URL of a folder on a file system of fsspec's, which other processes reach, too."""
    return f"local://{folder}"


def contents(folder: Path | RemotePath) -> dict[str, bytes]:
    """All files of a finished dataset but for what its runs took."""
    files = [*folder.iterdir(), *(folder / "data").iterdir()]
    return {path.name: path.read_bytes() for path in files if path.is_file() and not fnmatch(path.name, REPORT)}


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("s3://bucket/a/b", "s3://bucket/a/b"),
        ("S3://bucket//a/", "s3://bucket/a"),
        ("memory://x", "memory://x"),
        ("local:///tmp/x", "local:///tmp/x"),
        ("file:///tmp/x", "/tmp/x"),
        ("data/x", "data/x"),
        ("/tmp/s3:/x", "/tmp/s3:/x"),
    ],
)
def test_what_a_user_names(named: str, found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chorewright.generator.dataset.store.places._file_system", lambda place: None)
    assert str(locate(named)) == found
    assert locate(locate(named)) == locate(named)
    if not named.startswith("local"):
        assert str(locate(Path(named))) == found, "a path has lost a slash"


@pytest.mark.parametrize("named", ["nowhere://x/y", "s3://", "memory://a/../b", "exp:", "s3://bucket/../x"])
def test_a_place_that_cannot_be_is_refused_at_once(named: str, tmp_path: Path) -> None:
    done = chorewright("generate", NAME, "-n", 2, "--out", named, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    with pytest.raises(UsageError):
        Dataset(named)
    assert not list(tmp_path.iterdir())


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    with pytest.raises(MissingExtra) as caught:
        locate("s3://bucket/name")
    assert caught.value.hint == pip_install("remote")


def test_drawing_needs_a_folder_here(place: RemotePath) -> None:
    with pytest.raises(UsageError, match="drawing needs a folder of this machine, not memory://"):
        on_this_machine(place, "drawing")
    with pytest.raises(UsageError, match="needs a folder of this machine"):
        make_exporter("chat", {}).write([], place)  # type: ignore[arg-type]


def test_bytes_are_those_of_a_folder_here(place: RemotePath, tmp_path: Path) -> None:
    config = toy_config(23, reject=5)
    report = run(config, place, workers=0)
    run(config, tmp_path / "here", workers=0)
    assert contents(place) == contents(tmp_path / "here")
    assert report.manifest is not None
    assert not (place / ".progress").exists()
    assert not verify(place, remake=3).problems
    assert list(Dataset(place)) == list(Dataset(tmp_path / "here"))
    there, here = Dataset(str(place)).filter(split="train"), Dataset(tmp_path / "here").filter(split="train")
    assert (len(there), there[1], there.table("task")) == (len(here), here[1], here.table("task"))
    assert run(config, place, workers=0).made == ()


def test_a_dataset_elsewhere_grows(place: RemotePath, tmp_path: Path) -> None:
    run(toy_config(12), place, workers=0)
    before = contents(place)
    run(toy_config(31), place, workers=0)
    run(toy_config(31), tmp_path / "here", workers=0)
    assert contents(place) == contents(tmp_path / "here")
    assert before["shard-00000.parquet"] == contents(place)["shard-00000.parquet"]


def test_damage_is_found_and_mended(place: RemotePath) -> None:
    run(toy_config(20), place, workers=0)
    whole = contents(place)
    shard = place / "data/shard-00002.parquet"
    shard.put(shard.read_bytes()[:-3] + b"xyz")
    assert [problem.file for problem in verify(place).problems] == ["data/shard-00002.parquet"]
    with pytest.raises(DatasetCorrupt, match="another checksum"):
        list(Dataset(place))
    run(toy_config(20), place, workers=0)
    assert contents(place) == whole
    (place / "manifest.json").unlink()
    with pytest.raises(DatasetCorrupt, match="is damaged"):
        Dataset(place)
    run(toy_config(20), place, workers=0)
    assert contents(place) == whole


def test_strangers_are_refused(place: RemotePath) -> None:
    (place / "notes.txt").put(b"mine")
    with pytest.raises(StorageError, match="is not empty and not a chorewright dataset"):
        run(toy_config(5), place, workers=0)
    with pytest.raises(UsageError, match="is no dataset"):
        Dataset(place)


def test_slices_make_one_dataset(place: RemotePath, tmp_path: Path) -> None:
    config = toy_config(40)
    for own in (1, 2, 3):
        assert (run(config, place, workers=0, slice_of=(own, 3)).manifest is None) == (own < 3)
    run(config, tmp_path / "here", workers=0)
    assert contents(place) == contents(tmp_path / "here")


def test_a_lock_is_for_one(place: RemotePath) -> None:
    own, slice_of = place / ".progress/lock", place / ".progress/lock-1-of-2"
    with lock.lock(own) as stale:
        assert stale is None
        with pytest.raises(StorageError, match=r"another run is writing to memory://.*: process"), lock.lock(own):
            pass
        with pytest.raises(StorageError, match="another run is writing"), lock.share(own):
            pass
    with lock.share(own), lock.share(own), lock.lock(slice_of):
        with pytest.raises(StorageError, match="another run is writing"), lock.lock(own):
            pass
        with pytest.raises(StorageError, match="another run is writing"):
            lock.refuse_if_held(slice_of)
    with lock.lock(own):
        pass
    assert not (place / ".progress").exists()


@pytest.mark.parametrize(
    ("changed", "taken"),
    [({"until": 0.0}, True), ({"pid": 2**22 + 1}, True), ({"host": "another", "pid": 1}, False), (None, True)],
)
def test_a_dead_runs_lock_is_taken_over(place: RemotePath, changed: dict[str, object] | None, taken: bool) -> None:
    own = place / ".progress/lock"
    text = json.loads(remote_lock._text("token"))
    own.put(b"{" if changed is None else json.dumps({**text, **changed}).encode())
    if taken:
        with lock.lock(own) as stale:
            assert isinstance(stale, Holder)
    else:
        with pytest.raises(StorageError, match="process 1 on another"), lock.lock(own):
            pass


def test_of_many_at_once_one_takes_a_lock_over(place: RemotePath) -> None:
    own = place / ".progress/lock"
    own.put(json.dumps({**json.loads(remote_lock._text("dead")), "until": 0.0}).encode())
    holding, most, refused = 0, 0, 0
    counting, meeting, answered = threading.Lock(), threading.Barrier(8), threading.Semaphore(0)

    def try_it() -> None:
        nonlocal holding, most, refused
        meeting.wait()
        try:
            with lock.lock(own):
                with counting:
                    holding += 1
                    most = max(most, holding)
                answered.release()
                for _ in range(8):  # until all others have tried, too
                    answered.acquire()
                with counting:
                    holding -= 1
        except StorageError:
            with counting:
                refused += 1
            answered.release()

    threads = [threading.Thread(target=try_it) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert (most, refused) == (1, 7)


class SetClock(remote_lock.Clock):
    """A clock that a test sets, and that waits for the test."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.due, self.waits = threading.Semaphore(0), threading.Semaphore(0)

    def now(self) -> float:
        return self.time

    def wait(self, over: threading.Event) -> bool:
        self.waits.release()
        while not over.is_set():
            if self.due.acquire(timeout=0.01):
                return False
        return True


def test_a_lock_is_written_anew_while_it_is_held(place: RemotePath) -> None:
    own, clock = place / ".progress/lock", SetClock()
    with remote_lock.lock(own, clock):
        for beat in range(3):
            clock.waits.acquire()
            assert json.loads(own.read_bytes())["until"] == clock.time + remote_lock.LASTS, beat
            clock.time += remote_lock.LASTS - 1
            with pytest.raises(StorageError, match="another run"):
                remote_lock.refuse_if_held(own, clock)
            clock.due.release()
    assert not own.exists()


def test_a_lock_without_a_heartbeat_ends_though_its_process_may_live(place: RemotePath) -> None:
    own, clock = place / ".progress/lock", SetClock()
    own.put(json.dumps({**json.loads(remote_lock._text("other", clock)), "host": "another"}).encode())
    with pytest.raises(StorageError, match="another run"):
        remote_lock.refuse_if_held(own, clock)
    clock.time += remote_lock.LASTS
    remote_lock.refuse_if_held(own, clock)
    with remote_lock.lock(own, clock) as dead:
        assert dead is not None
        assert dead.host == "another"


def test_what_a_store_refuses_is_an_error_of_ours(place: RemotePath, monkeypatch: pytest.MonkeyPatch) -> None:
    class NoCredentials(Exception):
        """As botocore's: no OSError."""

    def refuse(*_: object, **__: object) -> None:
        raise NoCredentials("unable to locate credentials")

    run(toy_config(5), place, workers=0)
    monkeypatch.setattr(type(fsspec.filesystem("memory", use_listings_cache=False)), "pipe_file", refuse)
    with pytest.raises(StorageError, match="NoCredentials: unable to locate credentials"):
        run(toy_config(10), place, workers=0)
    monkeypatch.setattr(type(fsspec.filesystem("memory", use_listings_cache=False)), "info", refuse)
    with pytest.raises(StorageError, match="unable to locate"):
        Dataset(place)


def test_an_export_goes_elsewhere(place: RemotePath, tmp_path: Path) -> None:
    run(toy_config(20), place, workers=0)
    dataset, exporter = Dataset(place), make_exporter("huggingface", {})
    out, here = place.parent / "export", tmp_path / "here"
    there, written = export_dataset(exporter, dataset, out), export_dataset(exporter, dataset, here)
    assert there == written
    files = [path.relative_to(here) for path in here.rglob("*") if path.is_file()]
    assert all((out / path.as_posix()).read_bytes() == (here / path).read_bytes() for path in files)
    (out / "README.md").unlink()
    assert export_dataset(exporter, dataset, out).files_changed == 1
    with pytest.raises(StorageError, match="holds an export in another format"):
        export_dataset(make_exporter("chat", {}), dataset, out)
    with pytest.raises(StorageError, match="is not empty"):
        export_dataset(exporter, dataset, place)
    with pytest.raises(StorageError, match="of more of the dataset's episodes"):
        export_dataset(exporter, dataset.filter(split="train"), out)


def test_verbs_and_workers_of_a_place_elsewhere(tmp_path: Path) -> None:
    there, here = elsewhere(tmp_path / "there"), tmp_path / "here"
    flag = tmp_path / "flag"
    words = ("generate", NAME, "-n", 20, "--shard-size", 10, "--workers", 2)
    done = chorewright(*words, "--kill", 7, "--flag", flag, "--out", there)
    assert done.returncode == 0, done.stderr
    assert there in done.stdout
    assert "a worker was ended by signal" in done.stderr
    flag.unlink()
    assert chorewright(*words, "--kill", 7, "--flag", flag, "--out", here).returncode == 0
    assert contents(tmp_path / "there") == contents(here)
    told = json.loads(chorewright("verify", there, "--json").stdout)
    assert (told["ok"], told["folder"]) == (True, there)
    shown = [json.loads(chorewright("show", path, "--json").stdout) for path in (there, here)]
    assert shown[0] == {**shown[1], "folder": there}
    assert chorewright("view", there, "--out", tmp_path / "page.html").returncode == 0
    assert chorewright("export", there, "--format", "chat", "--out", elsewhere(tmp_path / "chat")).returncode in (0, 2)
    assert chorewright("replay", there, "--video").returncode == 2
    assert chorewright("verify", elsewhere(tmp_path / "nothing")).returncode == 2


@pytest.mark.slow
def test_a_killed_run_continues_elsewhere(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    words = ("generate", NAME, "-n", 40, "--shard-size", 10, "--delay", 0.05, "--workers", 2)
    process = subprocess.Popen(
        command(*words, "--out", elsewhere(there)), cwd=ROOT, env=environment(), stderr=subprocess.DEVNULL
    )
    while not list(there.glob(".progress/*.part")):
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = chorewright(*words, "--out", elsewhere(there))
    assert done.returncode == 0, done.stderr
    assert "took over the lock" in done.stderr
    assert chorewright(*words, "--out", here).returncode == 0
    assert contents(there) == contents(here)
