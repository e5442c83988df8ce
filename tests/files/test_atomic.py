"""Atomic files: whole or as before, after errors, kills and full disks; links, permissions, temporary names."""

from __future__ import annotations

import os
import random
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chorewright.files.text import clear_leftovers, is_leftover, whole, write_atomically
from tests.command import environment

_WRITING = """
import itertools, sys
from pathlib import Path
from chorewright.files.text import write_atomically

path = Path(sys.argv[1])
for number in itertools.count(1):
    write_atomically(path, b"%d " % (number % 10) * 400_000, flush=False)
    if number == 1:
        print("ready", flush=True)
"""

_FULL = """
import resource, signal, sys
from pathlib import Path
from chorewright.files.text import write_atomically

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    write_atomically(Path(sys.argv[1]), b"x" * int(sys.argv[2]))
except OSError as error:
    print(error.strerror)
"""


def listed(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("flush", [True, False])
@pytest.mark.parametrize("temporary", [None, "other"])
def test_files_are_written_and_replaced(tmp_path: Path, flush: bool, temporary: str | None) -> None:
    path, other = tmp_path / "file", tmp_path / temporary if temporary else None
    for data in (b"one", b"", b"two" * 100_000):
        write_atomically(path, data, other, flush=flush)
        assert path.read_bytes() == data
        assert listed(tmp_path) == ["file"]


def test_until_the_end_the_file_is_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with whole(path) as stream:
        stream.write(b"one")
        stream.flush()
        assert not path.exists()
    with whole(path) as stream:
        stream.write(b"two")
        stream.flush()
        assert path.read_bytes() == b"one"
    assert path.read_bytes() == b"two"


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, SystemExit])
def test_what_ends_the_block_early_leaves_nothing(tmp_path: Path, kind: type[BaseException]) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")

    def write() -> None:
        with whole(path) as stream:
            stream.write(b"half")
            raise kind

    with pytest.raises(kind):
        write()
    assert listed(tmp_path) == ["file"]
    assert path.read_bytes() == b"before"


def test_long_names_and_missing_folders(tmp_path: Path) -> None:
    write_atomically(tmp_path / ("x" * 255), b"data")
    write_atomically(tmp_path / ("€" * 85), b"data")
    (tmp_path / ("€" * 85)).unlink()
    assert listed(tmp_path) == ["x" * 255]
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "missing" / "file", b"data")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_atomically(tmp_path / "folder", b"data")
    assert listed(tmp_path) == ["folder", "x" * 255]


@pytest.mark.skipif(os.name != "posix", reason="links and permissions")
def test_links_and_permissions(tmp_path: Path) -> None:
    path, victim = tmp_path / "file", tmp_path / "victim"
    victim.write_bytes(b"mine")
    path.symlink_to(victim)
    write_atomically(path, b"data")
    assert (path.is_symlink(), path.read_bytes(), victim.read_bytes()) == (False, b"data", b"mine")
    trap = tmp_path / "trap"
    trap.symlink_to(victim)
    with pytest.raises(OSError, match="trap"):
        write_atomically(path, b"other", trap)
    assert (trap.is_symlink(), path.read_bytes(), victim.read_bytes()) == (True, b"data", b"mine")
    trap.unlink()
    trap.hardlink_to(victim)
    with pytest.raises(FileExistsError, match="trap"):
        write_atomically(path, b"other", trap)
    assert (trap.read_bytes(), path.read_bytes(), victim.read_bytes()) == (b"mine", b"data", b"mine")
    path.chmod(0o640)
    write_atomically(path, b"kept", keep_mode=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    write_atomically(tmp_path / "new", b"", keep_mode=True)
    write_atomically(path, b"fresh")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE((tmp_path / "new").stat().st_mode)


@pytest.mark.skipif(os.name != "posix", reason="kills")
def test_a_kill_in_the_middle_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    rng = random.Random(0)
    words = [sys.executable, "-c", _WRITING, str(path)]
    for _ in range(8):
        with subprocess.Popen(words, stdout=subprocess.PIPE, env=environment(), text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(rng.random() * 0.05)
            process.send_signal(signal.SIGKILL)
        data = path.read_bytes()
        assert len(data) == 800_000
        assert len(set(data)) == 2, "all of one writing"
    left = [each for each in tmp_path.iterdir() if each != path]
    assert all(map(is_leftover, left))
    clear_leftovers(tmp_path)
    assert listed(tmp_path) == ["file"]


def test_nobody_can_foresee_a_temporary_name(tmp_path: Path) -> None:
    names = []
    for _ in range(20):
        with whole(tmp_path / "file"):
            names += [name for name in listed(tmp_path) if name != "file"]
    assert len(set(names)) == 20
    assert all(is_leftover(tmp_path / name) for name in names)


@pytest.mark.parametrize("name", [".tmp", "a.tmp", ".a.7.tmp", ".a.0123456789abcdef.tmp.x", "x.0123456789abcdef.tmp"])
def test_files_of_other_names_are_no_leftovers(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"mine")
    clear_leftovers(tmp_path)
    assert listed(tmp_path) == [name]


@pytest.mark.skipif(os.name != "posix", reason="RLIMIT_FSIZE stands for a full disk")
@pytest.mark.parametrize("size", [100_001, 5_000_000])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, size: int) -> None:
    path = tmp_path / "file"
    for before in (None, b"before"):
        if before is not None:
            path.write_bytes(before)
        words = [sys.executable, "-c", _FULL, str(path), str(size)]
        done = subprocess.run(words, capture_output=True, text=True, env=environment(), check=True)
        assert done.stdout == "File too large\n"
        assert listed(tmp_path) == ([] if before is None else ["file"])
        assert before is None or path.read_bytes() == before
