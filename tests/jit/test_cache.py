"""Compiled code on disk: what is loaded, what is not, and what a process does without any."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from chorewright.jit.cache import Cache
from tests.command import ROOT, environment

CALLED = """
from chorewright.jit.kernels import njit

OFFSET = 3


@njit(nogil=True)
def inner(values):
    return values.sum() + OFFSET
"""
KERNELS = """
from called import inner
from chorewright.jit.kernels import njit


@njit(nogil=True)
def outer(values):
    values[0] += 1
    return inner(values)
"""
CALL = """
import json, sys
from pathlib import Path
from chorewright.jit import cache
if len(sys.argv) > 1:
    cache._shipped_folder = lambda: Path(sys.argv[1])
import numpy as np
import kernels

assert "numba" not in sys.modules
values = np.arange(5)
results = [int(kernels.outer(values)), int(kernels.outer(values)), int(kernels.inner(values))]
dispatchers = [getattr(each.entry, "dispatcher", each.entry) for each in (kernels.outer, kernels.inner)]
misses = [sum(each.stats.cache_misses.values()) if each else 0 for each in dispatchers]
assert "numba" in sys.modules or not any(dispatchers)
print(json.dumps([results, misses]))
"""
COMPILED, LOADED = [[14, 15, 15], [1, 1]], [[14, 15, 15], [0, 0]]
NOTE = "note: compiling, once: up to 2 minutes\n"


def test_old_versions_of_a_kernel_are_removed(tmp_path: Path) -> None:
    owned = Cache(tmp_path)
    stray = tmp_path / "kernel-of-nobody"
    stray.write_text("what cannot be removed as a folder does no harm", "utf-8")
    os.utime(stray, (0, 0))
    for number in range(5):
        made = owned.folder("kernel", str(number))
        assert made is not None
        os.utime(made, (number + 1, number + 1))
    other = owned.folder("kernel.other", "0")
    assert other is not None
    kept = ["kernel-2", "kernel-3", "kernel-4", "kernel-of-nobody", "kernel.other-0"]
    assert sorted(path.name for path in tmp_path.iterdir()) == kept


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="the system has no owners of files")
def test_what_belongs_to_others_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owned = Cache(tmp_path)
    folder = owned.folder("kernel", "0")
    assert folder is not None
    if os.getuid() == 0:
        os.chown(folder, 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert owned.folder("kernel", "0") is None


def written(folder: Path) -> Path:
    (folder / "called.py").write_text(CALLED, "utf-8")
    (folder / "kernels.py").write_text(KERNELS, "utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two modules of kernels; their code goes to ``cache`` in it."""
    return written(tmp_path)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One whose kernels have been compiled, and whose cache each test leaves whole."""
    folder = written(tmp_path_factory.mktemp("compiled"))
    assert run(folder)[0] == COMPILED
    return folder


def start(folder: Path, *arguments: str, **changes: str) -> subprocess.Popen[str]:
    chosen = {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "NUMBA_CACHE_DIR": str(folder / "cache"), **changes}
    chosen["PYTHONDONTWRITEBYTECODE"] = "1"  # Python would not see that a file of the same age and length is another
    return subprocess.Popen(
        [sys.executable, "-c", CALL, *arguments],
        env=environment(chosen),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(folder: Path, *arguments: str, **changes: str) -> tuple[object, str]:
    """What a process says of its calls, and its notes."""
    output, errors = start(folder, *arguments, **changes).communicate(timeout=120)
    assert output, errors
    return json.loads(output), errors


def test_the_next_process_compiles_nothing(folder: Path) -> None:
    assert run(folder) == (COMPILED, NOTE)
    assert run(folder) == (LOADED, "")


def test_a_change_of_a_called_function_in_another_file_is_seen(folder: Path) -> None:
    assert run(folder)[0] == COMPILED
    kept = (folder / "called.py").stat()
    (folder / "called.py").write_text(CALLED.replace("OFFSET = 3", "OFFSET = 4"), "utf-8")
    os.utime(folder / "called.py", ns=(kept.st_atime_ns, kept.st_mtime_ns))
    assert run(folder)[0] == [[15, 16, 16], [1, 1]]


def test_settings_of_numba_have_code_of_their_own(folder: Path) -> None:
    assert run(folder)[0] == COMPILED
    assert run(folder, NUMBA_BOUNDSCHECK="1")[0] == COMPILED
    assert run(folder)[0] == LOADED


class Crafted:
    """What creates a file when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return Path.touch, (self.file,)


def forget_objects(folder: Path) -> None:
    """Leave the loading of kernels to numba."""
    for path in folder.rglob("*.object"):
        path.unlink()


DAMAGES = pytest.mark.parametrize(
    "damage",
    [lambda text: b"", lambda text: text[: len(text) // 2], lambda text: b"\x80garbage" * 100, lambda text: b"\0" * 99],
    ids=["empty", "cut", "garbage", "zeros"],
)


@DAMAGES
def test_what_cannot_be_linked_is_loaded_by_numba(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    assert run(folder)[0] == COMPILED
    for file in (folder / "cache").rglob("*.object"):
        file.write_bytes(damage(file.read_bytes()))
    assert run(folder) == (LOADED, "")


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@DAMAGES
def test_a_damaged_file_is_compiled_again(compiled: Path, ending: str, damage: Callable[[bytes], bytes]) -> None:
    forget_objects(compiled)
    files = sorted((compiled / "cache").rglob(f"*.{ending}"))
    assert len(files) == 2
    for file in files:
        file.write_bytes(damage(file.read_bytes()))
    result, notes = run(compiled)
    assert result == COMPILED
    assert notes.count("cannot be read") == 2
    assert run(compiled) == (LOADED, "")


OF_ONE, OF_ALL = "chorewright/kernels.outer-*", "chorewright"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="the system has no owners of files")
@pytest.mark.parametrize("loose", [OF_ALL, OF_ONE])
def test_what_others_may_write_is_not_loaded(folder: Path, loose: str) -> None:
    assert run(folder)[0] == COMPILED
    witness = folder / "witness"
    [place] = (folder / "cache").glob(loose)
    for file in place.rglob("*.nb?"):
        file.write_bytes(pickle.dumps(Crafted(witness)))
    place.chmod(0o777)
    result, notes = run(folder)
    assert result == (COMPILED if loose == OF_ALL else [COMPILED[0], [1, 0]])
    assert "others may write it" in notes
    assert not witness.exists()


def test_without_a_folder_code_is_compiled_in_memory(folder: Path) -> None:
    nowhere = {"NUMBA_CACHE_DIR": "", "HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null/cache"}
    for _ in range(2):
        result, notes = run(folder, "/dev/null/package", **nowhere)
        assert result == COMPILED
        assert notes.count("no folder for compiled code may be written") == 1


def tree(folder: Path) -> dict[str, float]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_a_package_that_may_only_be_read_gives_its_code(folder: Path) -> None:
    package = folder / "package"
    assert run(folder, str(package), NUMBA_CACHE_DIR="") == (COMPILED, NOTE)
    before = tree(package)
    for path in (package, *package.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    nowhere = {"NUMBA_CACHE_DIR": "", "HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null/cache", "TMPDIR": "/dev/null"}
    readonly = CALL.replace("import numpy as np", "cache._prepare = lambda place: False\nimport numpy as np")
    words = [sys.executable, "-c", readonly, str(package)]
    chosen = environment({**nowhere, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"})
    done = subprocess.run(words, env=chosen, capture_output=True, text=True, check=True)
    assert (json.loads(done.stdout), done.stderr) == (LOADED, "")
    assert tree(package) == before
    for path in (*package.rglob("*.nbi"), *package.rglob("*.object")):
        path.chmod(0o644)
        path.write_bytes(b"garbage")
        path.chmod(0o444)
    done = subprocess.run(words, env=chosen, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == COMPILED
    assert done.stderr.count("cannot be read") == 2


def test_what_the_package_lacks_goes_to_the_own_folder(folder: Path) -> None:
    package, home = folder / "package", folder / "home"
    package.mkdir()
    chosen = {"NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": str(home), "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
    patch = "own = cache._prepare\ncache._prepare = lambda place: place.name != 'package' and own(place)\n"
    words = [sys.executable, "-c", CALL.replace("import numpy", f"{patch}import numpy"), str(package)]
    for expected in (COMPILED, LOADED):
        done = subprocess.run(words, env=environment(chosen), capture_output=True, text=True, check=True)
        assert json.loads(done.stdout) == expected
    assert not any(package.iterdir())
    assert list(home.rglob("*.nbi"))


def test_numba_may_be_switched_off(folder: Path) -> None:
    call = CALL[: CALL.index("dispatchers")] + "print(json.dumps(results))\n"
    chosen = {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", call], env=environment(chosen), capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == COMPILED[0]
    assert done.stderr.startswith("note: NUMBA_DISABLE_JIT is set")


def test_processes_that_write_at_the_same_time_do_no_harm(folder: Path) -> None:
    processes = [start(folder) for _ in range(3)]
    for process in processes:
        output, errors = process.communicate(timeout=240)
        assert json.loads(output)[0] == COMPILED[0], errors
    assert run(folder) == (LOADED, "")


def test_what_another_process_has_just_written_is_taken(folder: Path) -> None:
    """This one saw nothing in the folder, was about to compile, and then numba finds the other's code there."""
    assert run(folder)[0] == COMPILED
    late = "type(cache.find_cache()).holding = lambda *_: iter(())\nimport kernels"
    chosen = environment({"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "NUMBA_CACHE_DIR": str(folder / "cache")})
    words = [sys.executable, "-c", CALL.replace("import kernels", late)]
    done = subprocess.run(words, env=chosen, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == LOADED
    assert run(folder) == (LOADED, "")
