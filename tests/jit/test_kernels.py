"""Kernels that Python runs: the same results, and nothing is left of one that takes too long."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
import pytest

from chorewright.jit.kernels import MOST_BYTES, interpreting, njit


class Work(NamedTuple):
    """Arrays that a kernel changes."""

    seen: Any


@njit()
def add(a: Any, b: Any) -> Any:
    return a + b


@njit()
def total(work: Work, rounds: int, limits: tuple[Any, ...]) -> Any:
    found = 0
    for _ in range(rounds):
        work.seen[0] += 1
        limits[0][0] = 1
        found = add(found, work.seen[0])
    return found


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The state of ``seen`` whenever a kernel would have been compiled; in its place Python runs it."""
    states: list[int] = []

    def load(work: Work, rounds: int, limits: tuple[Any, ...]) -> Any:
        states.append(int(work.seen[0]))
        return lambda *arguments: ("compiled", arguments[0].seen[0])

    monkeypatch.setattr(total, "load", load)
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    return states


def test_python_runs_what_is_short(loads: list[int]) -> None:
    work, flag = Work(np.zeros(1, np.int64)), np.zeros(1, np.int64)
    with interpreting(60):
        assert total(work, 10, (flag,)) == 55
    assert loads == []
    total(work, 10, (flag,))
    assert loads == [10], "outside, kernels are compiled"


def test_nothing_is_left_of_what_takes_too_long(loads: list[int]) -> None:
    work, flag = Work(np.zeros(1, np.int64)), np.zeros(1, np.int64)
    with interpreting(0.001):
        assert total(work, 10**9, (flag,)) == ("compiled", 0)
        assert total(work, 1, (flag,)) == ("compiled", 0), "there is no time left"
    assert loads == [0, 0]
    assert flag[0] == 1, "a search's flag belongs to others"


def test_large_arrays_are_work_for_machine_code(loads: list[int]) -> None:
    work = Work(np.zeros(MOST_BYTES // 8 + 1, np.int64))
    with interpreting(60):
        total(work, 1, (np.zeros(1, np.int64),))
    assert loads == [0]


def test_where_numba_is_loaded_python_runs_nothing(loads: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", sys)
    with interpreting(60):
        total(Work(np.zeros(1, np.int64)), 1, (np.zeros(1, np.int64),))
    assert loads == [0]
