"""CALVIN's pickled ``.npy`` files: what ``numpy.save`` writes is read, and nothing in a file is ever run."""

from __future__ import annotations

import io
import os
import pickle
import pickletools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chorewright.errors import ChorewrightError, InputError
from chorewright.generator.calvin.pickles import pickled, read_pickled

ANNOTATIONS = {
    "language": {
        "ann": ["open the drawer", "ünï cnumpy._core.\n"],
        "task": ["open_drawer"],
        "emb": np.arange(6, dtype=np.float32).reshape(2, 1, 3),
    },
    "info": {"episodes": [], "indx": [(0, 64), (64, 128)]},
}

VALUES: list[Any] = [
    ANNOTATIONS,
    {"calvin_scene_D": [0, 611098]},
    {"task": np.array(["a", "bcd"]), "count": np.int64(3), "share": np.float32(0.5), "yes": np.bool_(True)},
    [None, True, 1 << 70, -1.5, "text", ("tuple", ["list", {}])],
    {"objects": np.array([{"deep": [np.zeros(2)]}, None], object)},
    {"order": np.asfortranarray(np.arange(6.0).reshape(2, 3)), "empty": np.zeros((0, 7))},
    {"big endian": np.arange(4, dtype=">i4")},
]

ARRAYS = [np.arange(8).reshape(4, 2), np.array([], np.int64), np.array(3.5), np.array([b"ab"])]


def same(one: Any, two: Any) -> bool:
    if isinstance(one, np.ndarray):
        if one.dtype.newbyteorder("=") != two.dtype.newbyteorder("=") or one.shape != two.shape:
            return False
        return all(same(a, b) for a, b in zip(one.flat, two.flat, strict=True))
    if isinstance(one, dict):
        return [*one] == [*two] and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list | tuple):
        return type(one) is type(two) and len(one) == len(two) and all(map(same, one, two))
    return bool(one == two)


def saved(value: Any, protocol: int) -> bytes:
    """As ``numpy.save`` writes an object."""
    sink = io.BytesIO()
    np.lib.format.write_array_header_1_0(sink, {"descr": "|O", "fortran_order": False, "shape": ()})
    whole = np.empty((), object)
    whole[()] = value
    return sink.getvalue() + pickle.dumps(whole, protocol)


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_reads_what_numpy_saves(value: Any, protocol: int, tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(saved(value, protocol))
    assert same(read_pickled(path), np.load(path, allow_pickle=True).item())


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_numpy_reads_what_is_written(value: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(pickled(value))
    assert pickled(value) == path.read_bytes()
    assert same(np.load(path, allow_pickle=True).item(), value)
    assert same(read_pickled(path), np.load(path, allow_pickle=True).item())


@pytest.mark.parametrize("array", ARRAYS, ids=str)
def test_plain_arrays(array: np.ndarray[Any, Any], tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", array)
    assert same(read_pickled(tmp_path / "a.npy"), array)


def test_old_numpy_finds_the_names_in_what_is_written() -> None:
    """NumPy before 1.26 has no module ``numpy._core``; the words of a text are left alone."""
    data = pickled(ANNOTATIONS)
    payload = data[data.index(b"\n") + 1 :]
    named = [argument for code, argument, _ in pickletools.genops(payload) if code.name == "GLOBAL"]
    assert named == ["numpy.core.multiarray _reconstruct", "numpy ndarray", "numpy dtype"]
    assert b"cnumpy._core.\n" in data


class Call:
    def __init__(self, function: Any, *arguments: Any) -> None:
        self.called = function, arguments

    def __reduce__(self) -> Any:
        return self.called


class Evil:
    """Is touched when it is made."""


HOSTILE: dict[str, Any] = {
    "system": Call(os.system, "touch {}"),
    "eval": Call(eval, "open({!r}, 'w')"),
    "getattr": Call(getattr, os, "system"),
    "load": Call(np.load, "{}", None, True),
    "class": Evil(),
    "set": {1, 2},
    "bytes": b"abc",
    "complex": np.array([1j]),
    "structure": np.zeros(2, [("a", "i4"), ("b", "O")]),
    "date": np.array(["2020-01-01"], "M8[D]"),
    "ndarray": Call(np.ndarray, (1 << 40,)),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("protocol", [2, 4])
def test_refuses_what_is_no_plain_data(name: str, protocol: int, tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    value = HOSTILE[name]
    if isinstance(value, Call):
        function, arguments = value.called
        value = Call(function, *(a.format(str(touched)) if isinstance(a, str) else a for a in arguments))
    try:
        data = saved({"language": value}, protocol)
    except (pickle.PicklingError, TypeError):
        pytest.skip("it cannot be pickled at all")
    path = tmp_path / "a.npy"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_pickled(path)
    assert str(path) in str(caught.value)
    assert not touched.exists()


def stream(*parts: bytes) -> bytes:
    header = saved(0, 2)
    return header[: header.index(b"\n") + 1] + b"\x80\x02" + b"".join(parts) + b"."


FORGED = {
    "changes a known name": stream(b"cnumpy\ndtype\n", b"N", b"}X\x01\x00\x00\x00aK\x01s", b"\x86b"),
    "changes a known function": stream(b"cnumpy.core.multiarray\nscalar\n}X\x0c\x00\x00\x00__defaults__N", b"sb"),
    "a list of itself": stream(b"]q\x00(h\x00e"),
    "memory": stream(b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(L99999999999999L\ntU\x01btR"),
    "lists doubled 40 times": stream(b"]q\x00", *(b"(h\x00h\x00lq\x00" for _ in range(40)), b"U\x01a\x86"),
    "persistent": stream(b"Pname\n"),
    "extension": stream(b"\x82\x01"),
    "nothing": stream(),
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_pickles(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(FORGED[name])
    if "doubled" in name:  # a few bytes that are a very long list: read at once, as each list is one list
        assert read_pickled(path) is not None
        return
    with pytest.raises(InputError):
        read_pickled(path)
    path.write_bytes(pickled(ANNOTATIONS))
    assert same(read_pickled(path), ANNOTATIONS), "what was read before has no effect"


def test_every_prefix_and_every_changed_byte(tmp_path: Path) -> None:
    whole, path = pickled({"calvin_scene_D": [0, 5], "x": np.arange(2)}), tmp_path / "a.npy"
    rng = np.random.default_rng(0)
    damaged = [whole[:length] for length in range(len(whole))]
    for place in range(len(whole)):
        damaged.append(whole[:place] + bytes([int(rng.integers(256))]) + whole[place + 1 :])
    refused = 0
    for data in damaged:
        path.write_bytes(data)
        try:
            read_pickled(path)
        except ChorewrightError:
            refused += 1
    assert refused >= len(whole)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ChorewrightError, match="cannot be read"):
        read_pickled(tmp_path / "none.npy")
