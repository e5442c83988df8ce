"""Digests of what is frozen, in one small file; what differs from them, and how."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from tests.command import ROOT
from tests.freeze.workspace import Outputs

FILE = ROOT / "tests" / "corpus" / "frozen.json"

Digests = Mapping[str, str]
"""Digests by the names of items."""


def digest(outputs: Outputs) -> str:
    """Return the digest of an item's files and their names."""
    whole = sha256()
    for name, data in sorted(outputs.items()):
        whole.update(f"{name}\n{len(data)}\n".encode() + data)
    return whole.hexdigest()[:16]


def stored() -> dict[str, str]:
    """Return the digests of the file."""
    groups = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    return {f"{group}/{name}": value for group, items in groups.items() for name, value in items.items()}


def store(digests: Digests) -> None:
    """Write digests into the file, by groups."""
    groups: dict[str, dict[str, str]] = {}
    for item, value in sorted(digests.items()):
        group, _, name = item.partition("/")
        groups.setdefault(group, {})[name] = value
    FILE.write_text(json.dumps(groups, indent=0) + "\n", encoding="utf-8")


def keep(folder: Path, item: str, outputs: Outputs) -> None:
    """Write an item's files below a folder."""
    for name, data in outputs.items():
        path = folder / item / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def kept(folder: Path, item: str) -> Outputs:
    """Return the files of an item that ``keep`` wrote."""
    paths = sorted(path for path in (folder / item).rglob("*") if path.is_file())
    return {path.relative_to(folder / item).as_posix(): path.read_bytes() for path in paths}


def differences(before: Outputs, now: Outputs) -> Iterator[str]:
    """Yield the lines of a diff of an item's files; of files that are no text only that they differ."""
    for name in sorted({*before, *now}):
        old, new = before.get(name, b""), now.get(name, b"")
        if old == new:
            continue
        try:
            first, second = (data.decode("utf-8").splitlines() for data in (old, new))
        except UnicodeDecodeError:
            yield f"{name}: bytes differ, {len(old)} before, {len(new)} now"
            continue
        yield from difflib.unified_diff(first, second, f"before/{name}", f"now/{name}", lineterm="", n=2)


__all__ = ["FILE", "Digests", "differences", "digest", "keep", "kept", "store", "stored"]
