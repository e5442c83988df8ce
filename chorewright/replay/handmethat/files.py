"""The reference's files of HandMeThat: finding them, and reading their JSON."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from chorewright.errors import InputError, Location

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


def read_document(path: Path) -> Json:
    """Return the JSON object of a file.

    Raises:
        InputError: It cannot be read, is too large, or is no JSON object.
    """
    try:
        with gzip.open(path) if path.name.endswith(".gz") else path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except (OSError, EOFError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be read: {said}", location=Location(str(path))) from error
    if len(raw) > MOST_BYTES:
        raise InputError(f"larger than {MOST_BYTES:,} bytes", location=Location(str(path)))
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}", location=Location(str(path))) from error
    if not isinstance(document, Mapping):
        raise InputError("expected a JSON object", location=Location(str(path)))
    return document
