"""Kernels that are linked without numba: what they return and raise, and what is left to numba."""

from __future__ import annotations

import io
import json
import pickle
import platform
import struct
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from chorewright.jit.objects import _Constants
from tests.command import ROOT, environment


class Row(NamedTuple):
    """A tuple as kernels take them."""

    length: int


KERNELS = """
from collections import namedtuple
import numpy as np
from chorewright.jit.kernels import njit

Pair = namedtuple("Pair", "one other")


@njit(nogil=True)
def every_kind(pair, nested, number, half, flag, nothing):
    made = np.empty(number, np.int32)
    for i in range(number):
        made[i] = pair.one[i % len(pair.one)] + nested[1][0]
    pair.other[0, 0] = half
    return made, flag and nothing is None, np.log10(half), (number, made > 2)


@njit(nogil=True)
def total(values):
    found = 0
    for value in values.flat:
        found += value
    return found
"""
CALL = """
import json, sys
import numpy as np
from kernels import Pair, every_kind, total

pair = Pair(np.arange(3), np.zeros((2, 2)))
made, flag, logarithm, (number, large) = every_kind(pair, (1, np.ones(1, np.uint8)), 4, 100.0, True, None)
results = [made.tolist(), made.dtype.name, flag, logarithm, number, large.tolist(), pair.other.tolist()]
linked = [total(np.arange(5)), "numba" in sys.modules]
try:
    every_kind(pair, (1, np.ones(1, np.uint8)), -1, 1.0, True, None)
except ValueError as error:
    linked.append(str(error))
grid, frozen = np.arange(6).reshape(2, 3), np.arange(3)
frozen.flags.writeable = False
others = (np.arange(5, dtype=np.int32), grid, grid.T, grid[:, 1], frozen, np.arange(3).astype(">i4").astype("<i2"))
print(json.dumps([results, linked, [int(total(each)) for each in others], "numba" in sys.modules]))
"""


@pytest.mark.skipif((sys.platform, platform.machine()) != ("linux", "x86_64"), reason="numba loads them elsewhere")
def test_linked_code_does_what_compiled_code_did(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS, "utf-8")
    chosen = {"PYTHONPATH": f"{tmp_path}:{ROOT}", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    run = [sys.executable, "-c", CALL]
    outputs = [
        json.loads(subprocess.run(run, env=environment(chosen), capture_output=True, text=True, check=True).stdout)
        for _ in range(2)
    ]
    results = [[1, 2, 3, 1], "int32", True, 2.0, 4, [False, False, True, False], [[100.0, 0.0], [0.0, 0.0]]]
    refused = "negative dimensions not allowed"
    others = [10, 15, 15, 5, 3, 3]
    assert outputs == [[results, [10, True, refused], others, True], [results, [10, False, refused], others, True]]


@pytest.mark.parametrize("value", [print, Path, struct.Struct, np.dtype, json.JSONDecoder.decode])
def test_constants_name_no_code(value: object) -> None:
    with pytest.raises(TypeError, match="compiled code has no use for"):
        _Constants(io.BytesIO(pickle.dumps(value))).load()


def test_constants_are_of_loaded_modules() -> None:
    assert "this" not in sys.modules
    for module in ("this", "os", "no.such"):
        with pytest.raises(TypeError):
            _Constants(io.BytesIO(f"c{module}\nsystem\n.".encode())).load()
    assert "this" not in sys.modules
    for value in (np.ndarray, Row, ValueError, (ValueError, ("negative",), ("kernel", "kernels.py", 7))):
        assert _Constants(io.BytesIO(pickle.dumps(value, 4))).load() == value
