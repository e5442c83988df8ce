"""The reference's files of HandMeThat: finding them, and reading their JSON."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from chorewright.errors import InputError, LimitError, Location
from chorewright.files.json_source import JsonSource, parse_json
from chorewright.files.text import decode, read_bytes

Json: TypeAlias = Mapping[str, object]

MOST_BYTES = 50_000_000

_NAME = re.compile(r"(task-|level).*\.json(\.gz)?")


def reference_files(path: Path) -> tuple[Path, ...]:
    """Return the files below a folder that are named like the reference's, sorted.

    Of a file, itself if it is so called. These are ``task-*.json`` and ``level*.json``, also compressed.
    """
    found = path.rglob("*") if path.is_dir() else (path,)
    return tuple(sorted(each for each in found if _NAME.fullmatch(each.name) and each.is_file()))


def stem(path: Path) -> str:
    """Return a file's name without its suffixes."""
    return path.name.removesuffix(".gz").removesuffix(".json")


def read_document(path: Path) -> JsonSource:
    """Return the JSON document of a file, which may be compressed.

    Raises:
        UsageError: It cannot be read.
        InputError: It is not JSON.
        LimitError: It is too large or nested too deep.
    """
    data = read_bytes(path, MOST_BYTES)
    if path.name.endswith(".gz"):
        try:
            with gzip.open(io.BytesIO(data)) as file:
                data = file.read(MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"not a compressed file: {error}", location=Location(str(path))) from error
        if len(data) > MOST_BYTES:
            raise LimitError(f"larger than {MOST_BYTES:,} bytes", location=Location(str(path)))
    return parse_json(decode(data, str(path)), str(path), strict=False)
