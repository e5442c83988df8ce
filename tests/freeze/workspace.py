"""A folder in which commands run in this process, and what is settled in their output before it is compared.

Settled are: the folder's own path, versions and times; Parquet files, which become their schema, layout and rows as
text, since their bytes name the library's version; checksums of these in manifests. ``loose`` output leaves out
floating-point numbers, contacts and pictures as well: CALVIN's physics differs in its last digits between machines.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

import numpy as np
import pyarrow.parquet as pq

from chorewright import __version__
from chorewright.cli import main
from chorewright.generator.training.export_marker import MARKER

Outputs = Mapping[str, bytes]
"""What an item gives: names of files and their bytes."""

Arrays: TypeAlias = Mapping[str, "np.ndarray[Any, Any]"]

WIDTH = "100"
"""The columns that all pages and tables are laid out for."""

_SETTLED = (
    (re.compile(r"\(\d[\d.,]*/(?:s|min)\)"), "(*/s)"),
    (re.compile(r"^(?:\d+/\d+ episodes?.*|[^\n:]*: \d+ of \d+)\n", re.MULTILINE), ""),  # a slow run's progress
    (re.compile(r"^note: compiling .*\n", re.MULTILINE), ""),  # of a kernel that nobody has needed before
    (re.compile(r'("(?:chorewright|numpy|pyarrow)": )"[^"]*"'), r'\1"*"'),
    (re.compile(rf'("version": )"{re.escape(__version__)}"'), r'\1"*"'),
    (re.compile(r'("\w*seconds": )[\d.e-]+'), r"\1*"),
    (re.compile(r'("(?:checksum|sha256|dataset|key)": )"[0-9a-f]{64}"'), r'\1"*"'),
    (re.compile(r'("stages": )\{(?:\s*"\w+": \d+\.\d+,?)+\s*\}'), r"\1*"),
    (re.compile(r"(seconds by stage: ).*"), r"\1*"),
    (re.compile(r"(chorewright\.frames )[0-9a-f]{64}"), r"\1*"),  # the dataset's checksum in its pictures
    (re.compile(r'("size": )\d+(?=,\s*"first")'), r"\1*"),
)
"""What says how fast the machine was, which versions ran and which bytes Parquet files have."""

_LOOSE = (
    (re.compile(r"data:image/[a-z]+;base64,[A-Za-z0-9+/=]+"), "data:image"),
    (re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?"), "~"),
    (re.compile(r'(\\?"contacts\\?":\s*)\{[^{}]*\}'), r"\1~"),  # of blocks that barely touch
    (re.compile(r'\{"of": [^{}]*"link": "[^"]*"\}(?:, )?'), ""),  # the same in rows
    (re.compile(r"~,\s+"), "~, "),
)
_STOPPED = (130, 143)
"""Exit codes of a verb that was interrupted or terminated."""

_PICTURES = (".png", ".jpg", ".gif", ".mp4")


@dataclass(slots=True)
class Workspace:
    """A folder with datasets that are made once; commands run in it.

    Attributes:
        folder: The folder; the process works in it.
        datasets: The words of ``generate`` by a dataset's name.
        loose: Whether floating-point numbers and pictures are left out.
    """

    folder: Path
    datasets: Mapping[str, str]
    loose: bool = False
    made: dict[str, str] = field(default_factory=dict)

    def run(self, line: str, typed: str = "") -> str:
        """Run a command, and return its line, its exit code, and what it says, settled."""
        words = shlex.split(line)
        code, said, noted = _run(words, typed)
        text = f"$ chorewright {line}\n{said}{noted}exit code {code}\n"
        return self.settled(text)

    def dataset(self, name: str) -> str:
        """Return the folder of a dataset, made by the first call."""
        if name not in self.made:
            self.made[name] = self.run(f"generate {self.datasets[name]} --workers 0 --out {name}")
        return name

    def files(self, name: str) -> dict[str, bytes]:
        """Return all files below a folder, settled, by their paths."""
        paths = sorted(path for path in (self.folder / name).rglob("*") if path.is_file())
        found = (self._file(path) for path in paths)
        return {path.relative_to(self.folder).as_posix(): data for path, data in zip(paths, found, strict=True)}

    def settled(self, text: str) -> str:
        """Return a text without what may differ from run to run."""
        text = text.replace(str(self.folder.resolve()), ".").replace(str(self.folder), ".")
        for pattern, instead in (*_SETTLED, *(_LOOSE if self.loose else ())):
            text = pattern.sub(instead, text)
        return text

    def _file(self, path: Path) -> bytes:
        if path.suffix == ".parquet":
            return self.settled(parquet_text(path, self.loose)).encode()
        if self.loose and path.suffix in _READERS:
            return _shapes(_READERS[path.suffix](path)).encode()
        if self.loose and (path.suffix in _PICTURES or path.parent.name == "groups"):
            return b"pictures, or figures of their colours"
        data = path.read_bytes()
        if path.name == MARKER:  # which files there are is seen without it
            marker = {key: value for key, value in json.loads(data).items() if key in ("format", "dataset")}
            data = (json.dumps(marker, indent=4, sort_keys=True) + "\n").encode()
        try:
            return self.settled(data.decode("utf-8")).encode()
        except UnicodeDecodeError:
            return data


def parquet_text(path: Path, loose: bool = False) -> str:
    """Return a Parquet file's schema, its layout and its rows as lines of JSON; bytes not if ``loose``."""
    read = pq.ParquetFile(path)
    about = read.metadata
    chunks = (about.row_group(group).column(column) for group in range(about.num_row_groups)
              for column in range(about.num_columns))  # fmt: skip
    layout = [f"{each.path_in_schema} {each.compression} {sorted(each.encodings)}" for each in chunks]
    kept = sorted((key.decode(), value.decode()) for key, value in (about.metadata or {}).items())
    extra = [f"{key} {value}" for key, value in kept if key != "ARROW:schema"]
    rows = [
        json.dumps(row, default=_left_out if loose else _plain)
        for batch in read.iter_batches(64)
        for row in batch.to_pylist()
    ]
    schema = [f"{each.name}: {each.type}{'' if each.nullable else ' not null'}" for each in read.schema_arrow]
    return "\n".join([*schema, *extra, *layout, *rows, ""])


def _plain(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def _left_out(value: object) -> str:
    return "bytes" if isinstance(value, bytes) else str(value)


def _shapes(arrays: Arrays) -> str:
    """Return arrays as text: lists of whole numbers as they are, of others type and shape."""
    lines = []
    for name, array in sorted(arrays.items()):
        exact = array.dtype.kind in "iu" and array.ndim < 2
        lines.append(f"{name} {array.dtype} {array.shape} {array.tolist() if exact else ''}")
    return "\n".join(lines)


def _npz(path: Path) -> Arrays:
    with np.load(path) as read:
        return dict(read)


def _hdf5(path: Path) -> Arrays:
    import h5py  # an extra

    found: dict[str, np.ndarray[Any, Any]] = {}
    with h5py.File(path) as read:
        read.visititems(lambda name, each: found.update({name: each[()]}) if isinstance(each, h5py.Dataset) else None)
    return {name: np.asarray(value) for name, value in found.items()}


_READERS: Mapping[str, Callable[[Path], Arrays]] = {
    ".npy": lambda path: {path.stem: np.load(path, allow_pickle=True)},
    ".npz": _npz,
    ".hdf5": _hdf5,
}
"""How files of arrays are read."""


def _run(words: Sequence[str], typed: str) -> tuple[int, str, str]:
    """Run a command in this process; return its exit code, its output and its notes."""
    bytes_said, bytes_noted = io.BytesIO(), io.BytesIO()
    said, noted = (io.TextIOWrapper(each, "utf-8", write_through=True) for each in (bytes_said, bytes_noted))
    with (
        patch.object(sys, "argv", ["chorewright", *words]),
        patch.object(sys, "stdin", io.StringIO(typed)),
        patch.object(sys, "stdout", said),
        patch.object(sys, "stderr", noted),
        patch.dict(os.environ, {"COLUMNS": WIDTH, "NO_COLOR": "1", "TERM": "dumb"}),
    ):
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    if code in _STOPPED:
        raise KeyboardInterrupt
    return code, bytes_said.getvalue().decode(), bytes_noted.getvalue().decode()


@contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Work in a folder, then where the process was."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


Make = Callable[[Workspace], Outputs]
"""How an item is made in its group's workspace."""

__all__ = ["Make", "Outputs", "Workspace", "parquet_text", "working_in"]
