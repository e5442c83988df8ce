"""Machine code that is kept on disk and run without numba, against the functions themselves in Python."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from chorewright.jit import compiled, compiling
from chorewright.jit.machine_code import Code, key_of, load, save
from tests.command import ROOT, chorewright, environment
from tests.reference import sample

KERNELS = """
from typing import Any, NamedTuple

import numpy as np

from chorewright.jit.compiled import njit

OFFSET = 3


class Pair(NamedTuple):
    first: Any
    second: Any


@njit(nogil=True)
def inner(values: Any) -> Any:
    return values.sum() + OFFSET


@njit(nogil=True)
def summed(values: Any, pair: Any, flag: Any) -> Any:
    values[0] += 1
    return inner(values) + (pair.first * pair.second.shape[0] if flag else 0)


@njit(nogil=True)
def grown(values: Any, size: Any) -> Any:
    larger = np.zeros((size, 2), np.int32)
    larger[: values.shape[0], 0] = values
    return larger, Pair(size, values > 1), values


@njit(nogil=True)
def divided(value: Any, by: Any) -> Any:
    if by > 100:
        raise ValueError("too much")
    return value // by
"""

CALLS = """
import json, sys
import numpy as np
import kernels


def plain(value):
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def outcome(function, *arguments):
    arguments = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
    try:
        result = plain(function(*arguments))
    except Exception as error:
        result = type(error).__name__
    return [result, [plain(each) for each in arguments if isinstance(each, np.ndarray)]]


def all_outcomes(of):
    numbers = np.arange(5)
    few = np.arange(3, dtype=np.int32)
    pair = kernels.Pair(4, few)
    yield outcome(of(kernels.summed), numbers, pair, True)
    yield outcome(of(kernels.summed), numbers, pair, False)
    yield outcome(of(kernels.grown), few, 6)
    yield outcome(of(kernels.grown), few, 5)
    yield outcome(of(kernels.divided), 7, 2)
    yield outcome(of(kernels.divided), 7, 0)
    yield outcome(of(kernels.divided), 7, 101)


compiled = list(all_outcomes(lambda kernel: kernel))
alone = "numba" not in sys.modules
python = list(all_outcomes(lambda kernel: kernel.__wrapped__))
other = plain(kernels.summed(np.arange(10)[::2], kernels.Pair(4, np.zeros((2, 2))), True))
again = list(all_outcomes(lambda kernel: kernel))
print(json.dumps([alone, compiled == python, again == python, other, "numba" in sys.modules]))
"""


def run(folder: Path, cache: bool = True) -> str:
    chosen = {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "NUMBA_CACHE_DIR": str(folder / "cache")}
    if not cache:
        chosen["NUMBA_BOUNDSCHECK"] = "0"
    done = subprocess.run(
        [sys.executable, "-c", CALLS], env=environment(chosen), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


COMPILED, KEPT = "[false, true, true, 32, true]", "[true, true, true, 32, true]"


def test_kept_code_does_what_the_function_does(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS, "utf-8")
    assert run(tmp_path) == COMPILED
    assert run(tmp_path) == KEPT


@pytest.mark.slow
def test_code_is_used_only_where_nothing_has_changed(tmp_path: Path) -> None:
    source = tmp_path / "kernels.py"
    source.write_text(KERNELS, "utf-8")
    assert run(tmp_path) == COMPILED
    assert run(tmp_path, cache=False) == COMPILED, "numba is set up differently"
    for file in (tmp_path / "cache").rglob("*.code"):
        file.write_bytes(file.read_bytes()[:-10])
    assert run(tmp_path) == COMPILED, "the files are damaged"
    assert run(tmp_path) == KEPT, "they have been written anew"
    source.write_text(KERNELS.replace("OFFSET = 3", "OFFSET = 30"), "utf-8")
    later = time.time() + 5
    os.utime(source, (later, later))
    assert run(tmp_path) == COMPILED.replace("32", "59"), "the source has changed"


def test_a_change_of_a_called_function_elsewhere_is_seen(tmp_path: Path) -> None:
    (tmp_path / "called.py").write_text(KERNELS, "utf-8")
    (tmp_path / "calling.py").write_text(
        "from called import inner, njit\n\n@njit()\ndef outer(values):\n    return inner(values)\n", "utf-8"
    )
    script = "import calling; from chorewright.jit.machine_code import sources; "
    script += "print(sources(calling.outer.__wrapped__))"
    stamps = []
    for offset in (3, 4, 3):
        (tmp_path / "called.py").write_text(KERNELS.replace("OFFSET = 3", f"OFFSET = {offset}"), "utf-8")
        os.utime(tmp_path / "called.py", (1e9, 1e9))
        done = subprocess.run(
            [sys.executable, "-c", script],
            env=environment({"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}),
            capture_output=True,
            text=True,
            check=True,
        )
        stamps.append(done.stdout)
    assert stamps[0] == stamps[2] != stamps[1]


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ((1, True, 2.0, np.int32(3)), ("int64", "bool", "float64", "int32")),
        ((np.zeros(3), np.zeros((2, 2), np.int32)), ("float64[1]", "int32[2]")),
        (((1, (np.zeros(1, np.bool_),)),), ("(", "int64", "(", "bool[1]", ")", ")")),
        ((np.zeros(6)[::2],), None),
        ((np.zeros((2, 2)).T,), None),
        ((np.zeros(3, ">i4"),), None),
        ((np.frombuffer(b"12345678", np.int64),), None),
        ((None,), None),
        (("text",), None),
    ],
    ids=str,
)
def test_only_plain_arguments_have_a_key(arguments: tuple[object, ...], key: tuple[str, ...] | None) -> None:
    assert key_of(arguments) == key


def test_code_that_cannot_be_linked_is_left_to_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ImportError("numba is built in another way")

    kept = {("int64",): Code(b"", "entry", "own", ())}
    monkeypatch.setattr(compiled, "load", lambda _: kept)
    monkeypatch.setattr(compiled, "link", refuse)
    kernel = compiled.njit()(lambda number: number + 1)
    assert kernel._ready((1,)) is None
    assert kernel._ready((2,)) is None


def one_bit_off(file: Path) -> None:
    contents = bytearray(file.read_bytes())
    contents[len(contents) // 2] ^= 1
    file.write_bytes(contents)


@pytest.mark.parametrize("damage", [one_bit_off, lambda file: file.write_bytes(file.read_bytes()[:-10]), Path.unlink])
def test_damaged_code_is_not_loaded(
    damage: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    code = Code(b"x" * 1000, "entry", "own", ())
    save(one_bit_off, ("int64",), code)
    assert load(one_bit_off) == {("int64",): code}
    [file] = tmp_path.rglob("*.code")
    damage(file)
    assert load(one_bit_off) == {}


def test_a_fresh_process_plans_without_numba() -> None:
    domain, problem = (str(sample("planner/a") / name) for name in ("domain.pddl", "p01S.pddl"))
    first = chorewright("plan", domain, problem)
    assert first.returncode == 0, first.stderr
    words = [sys.executable, "-X", "importtime", "-m", "chorewright", "plan", domain, problem]
    again = subprocess.run(words, env=environment({}), capture_output=True, text=True, check=True)
    assert again.stdout == first.stdout
    loaded = {line.rsplit("|", 1)[1].strip() for line in again.stderr.splitlines() if "|" in line}
    assert not loaded & {"numba", "scipy", "networkx", "pyarrow", "pydantic"}


def _twice(number: int) -> int:
    return 2 * number


def test_versions_of_numba_that_were_not_tried_keep_code_their_own_way(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compiling, "_TRIED", ((0, 1), (0, 2)))
    made = compiling.dispatcher(_twice, {})
    assert made(21) == 42
    assert "load_overload" not in vars(made._cache)  # nothing of ours in it
