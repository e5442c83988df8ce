"""Manifests whose own checksums are right, whatever is in them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from chorewright.generator.dataset.store.manifest import DATA, _checksum
from chorewright.generator.production.verify import verify
from tests.hostile.nasty import Case, json_cases
from tests.hostile.rows import row, write_dataset


def manifest_text() -> bytes:
    """Return a manifest of two shards, an option, a file of the user's and a rejected index."""
    body: dict[str, Any] = {
        "format": "chorewright-dataset",
        "schema_version": 2,
        "tool": {"chorewright": "1.0", "numpy": "2"},
        "configuration": {
            "benchmark": "alfred",
            "episodes": 2,
            "seed": 1,
            "shard_size": 1,
            "options": {"scenes": ["FloorPlan1"], "demonstrations": 2},
            "task_files": {"a.task": "(define (task a))"},
        },
        "episodes": 2,
        "accepted": 1,
        "rejected": [{"index": 1, "task": "a", "scene": "FloorPlan1", "reason": "none"}],
        "shards": [
            {
                "file": f"data/shard-{number:05d}.parquet",
                "sha256": f"{number}" * 64,
                "size": 10,
                "first": number,
                "stop": number + 1,
                "accepted": 1 - number,
            }
            for number in (0, 1)
        ],
    }
    return json.dumps(_signed(body)).encode()


def _signed(body: Any) -> Any:
    return {**body, "checksum": _checksum({key: value for key, value in body.items() if key != "checksum"})}


def manifest_cases(example: bytes) -> Iterable[Case]:
    """Return the cases of a manifest, each also with a checksum that is right."""
    return json_cases(json.loads(example), _signed)


def read_manifest_file(path: Path) -> object:
    """Verify a dataset that has the manifest, and nothing else."""
    folder = path.parent / "dataset"
    if not folder.exists():
        write_dataset(folder, row("alfred"))
    (folder / DATA).mkdir(parents=True, exist_ok=True)
    (folder / path.name).write_bytes(path.read_bytes())
    report = verify(folder)
    return [str(problem) for problem in report.problems]
