"""Files that name code in a text field: datasets with right checksums, and JSON files; and a watch over imports."""

from __future__ import annotations

import copy
import hashlib
import importlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chorewright.files import plugins

NAMES = ("os:abort", "evil:Class", "builtins:exec")
"""Names that code would be found by."""

Place = tuple[str, ...]
"""Where a text stands in JSON values: keys; ``*`` for any place of a list, ``!`` for JSON within a text."""


class Watch(MetaPathFinder):
    """Notes each import of the module ``evil``, and each name that is resolved although a file gave it."""

    def __init__(self, patch: pytest.MonkeyPatch, folder: Path) -> None:
        """Begin to watch; ``evil`` lies in a folder on the path, and says so when it is imported."""
        self.seen: list[str] = []
        self.ran = folder / "ran"
        (folder / "evil.py").write_text(f"open({str(self.ran)!r}, 'w').close()\n\nclass Class: pass\n", "utf-8")
        patch.syspath_prepend(folder)
        patch.delenv(plugins.ALLOWED, raising=False)
        patch.setattr(sys, "meta_path", [self, *sys.meta_path])
        resolving = SimpleNamespace(import_module=self._importing(importlib.import_module))
        patch.setattr(plugins, "importlib", resolving)
        patch.setattr("os.abort", lambda: self.seen.append("os:abort"))

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        """Note an import of ``evil``."""
        if fullname.partition(".")[0] == "evil":
            self.seen.append(fullname)

    def _importing(self, usual: Callable[[str], ModuleType]) -> Callable[..., ModuleType]:
        def importing(name: str, package: str | None = None) -> ModuleType:
            if name in {each.partition(":")[0] for each in NAMES}:
                self.seen.append(name)
            return usual(name)

        return importing

    def check(self, what: object) -> None:
        """Fail if anything was imported or has run."""
        assert not self.seen, f"{what}: {self.seen}"
        assert not self.ran.exists(), what


def places(value: object, here: Place = ()) -> Iterator[Place]:
    """Yield where texts stand, each kind of place once."""
    found: dict[Place, None] = {}
    for place in _places(value, here):
        found.setdefault(place)
    yield from found


def _places(value: object, here: Place) -> Iterator[Place]:
    if isinstance(value, str):
        yield here
        if value[:1] in ("{", "["):
            yield from _places(json.loads(value), (*here, "!"))
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _places(each, (*here, key))
    elif isinstance(value, Sequence):
        for each in value:
            yield from _places(each, (*here, "*"))


def altered(value: Any, place: Place, name: str) -> Any:
    """Return a copy of JSON values with a name in place of each text at a kind of place."""
    if not place:
        return name if isinstance(value, str) else copy.deepcopy(value)
    head, rest = place[0], place[1:]
    if head == "!":
        within = isinstance(value, str) and value[:1] in ("{", "[")
        return json.dumps(altered(json.loads(value), rest, name)) if within else value
    if head == "*":
        return [altered(each, rest, name) for each in value] if isinstance(value, list) else value
    if isinstance(value, dict) and head in value:
        return {**value, head: altered(value[head], rest, name)}
    return value


class Stored:
    """A dataset of one shard, as the JSON values of its manifest and its rows."""

    def __init__(self, folder: Path) -> None:
        """Read a dataset."""
        self.manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))
        self.file: str = self.manifest["shards"][0]["file"]
        self.table: pa.Table = pq.read_table(folder / self.file)
        self.rows: list[dict[str, Any]] = self.table.to_pylist()

    def places(self) -> list[Place]:
        """Return where texts stand that checksums do not fix, in the manifest and in the rows."""
        header = places({"configuration": self.manifest["configuration"], "tool": self.manifest["tool"]})
        return [*(("manifest", *each) for each in header), *(("rows", *each) for each in places(self.rows))]

    def write(self, folder: Path, changes: Sequence[Place], name: str) -> Path:
        """Write the dataset with a name in some places, its checksums right."""
        manifest, rows = copy.deepcopy(self.manifest), self.rows
        for place in changes:
            if place[0] == "manifest":
                manifest = altered(manifest, place[1:], name)
            else:
                rows = altered(rows, place[1:], name)
        (folder / "data").mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(rows, schema=self.table.schema), folder / self.file)
        data = (folder / self.file).read_bytes()
        manifest["shards"][0] |= {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
        body = {key: each for key, each in manifest.items() if key != "checksum"}
        body["checksum"] = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        (folder / "manifest.json").write_text(json.dumps(body), "utf-8")
        return folder


NAMED: tuple[Place, ...] = (("manifest", "configuration", "benchmark"), ("rows", "*", "recipe"))
"""The benchmark's name, in the manifest and in each row."""
