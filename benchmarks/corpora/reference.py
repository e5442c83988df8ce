"""The reference data: a sample that lies in the repository, and the whole, which a test marked ``reference`` asks for.

``python -m benchmarks.corpora.reference`` makes the sample anew from the whole. NOTICE says where the data come from.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.command import ROOT

SAMPLE = ROOT / "tests" / "corpus" / "reference"
DATA = Path(os.environ.get("CHOREWRIGHT_REFERENCE", ROOT.parent / "shared" / "data"))

MISSING = f"the whole reference data are not at {DATA} (set CHOREWRIGHT_REFERENCE)"
"""Why a test marked ``reference`` is skipped."""


def sample(name: str) -> Path:
    """Return the path of a file or folder of the sample, which every clone has."""
    path = SAMPLE / name
    if not path.exists():
        raise FileNotFoundError(f"{path}: not in the sample; make it anew with python -m benchmarks.corpora.reference")
    return path


def reference(name: str) -> Path:
    """Return the path of a file or folder of the whole data, for tests marked ``reference`` and for benchmarks.

    The folder is ``../shared/data`` beside the checkout, or ``$CHOREWRIGHT_REFERENCE``.
    """
    path = DATA / name
    if not path.exists():
        raise FileNotFoundError(f"{name}: {MISSING}; a test that needs it is marked 'reference'")
    return path


Corpus = Callable[[str], Path]
"""``sample`` or ``reference``."""

SPOKEN: dict[str, list[str] | None] = {
    "demo_observations_partially": [],
    "demo_observations_fully": [],
    "task_description": None,
}
"""The sentences of a recorded episode of HandMeThat, which are not copied."""

VERSION_2 = """2-0-2 24-0-2 25-0-3 25-101-4 26-0-3 3-0-2 30-0-2 30-100-3 31-101-1 32-0-1 33-0-2 36-0-2 46-0-3 52-0-2
54-0-2 55-0-4 56-0-2 58-0-2 60-0-2 62-0-2 62-101-4 64-0-2 65-0-2 66-0-3"""
"""The episodes of version 2 in the sample: one for each goal, and those that are told apart by the tests."""

CALVIN = ("chain_counts", "initial_states_192", "scenes", "sequences_1000", "symbolic_task_model")
TEACH = ("edge_cases.jsonl.gz", "edh_cases.jsonl.gz", "metrics_cases.json", "object_types.json", "variants.json")


def main() -> None:
    """Make the sample anew."""
    shutil.rmtree(SAMPLE, ignore_errors=True)
    whole = [
        "ipc",
        "planner/a",
        "planner/malformed",
        "alfred/layouts.json.gz",
        "alfred/pairs.json",
        "teach/sample_data",
    ]
    whole += [f"calvin/{name}.json" for name in CALVIN] + [f"teach/{name}" for name in TEACH]
    for name in whole:
        source, target = reference(name), SAMPLE / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, copy_function=shutil.copyfile)
        else:
            shutil.copyfile(source, target)
    for folder in [SAMPLE, *(path for path in SAMPLE.rglob("*") if path.is_dir())]:
        folder.chmod(0o755)
    _lines("alfred/demos-train.jsonl.gz", every=10)
    _lines("teach/progress_cases.jsonl.gz", every=8)
    for path in sorted(reference("handmethat/v1_raw").iterdir()):
        _episode(f"handmethat/v1_raw/{path.name}")
    for name in VERSION_2.split():
        _episode(f"handmethat/v2_raw/task-bring_me-{name}.json.gz")
    for part in ("v1_expert", "v2_expert"):
        for path in sorted(reference(f"handmethat/{part}").iterdir())[::6]:
            _episode(f"handmethat/{part}/{path.name}")


def _lines(name: str, every: int) -> None:
    with gzip.open(reference(name), "rb") as file:
        _write(name, b"".join(line for number, line in enumerate(file) if number % every == 0))


def _episode(name: str) -> None:
    document: dict[str, Any] = json.loads(gzip.decompress(reference(name).read_bytes()))
    _write(name, json.dumps({**document, **SPOKEN}).encode())


def _write(name: str, content: bytes) -> None:
    target = SAMPLE / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(content, mtime=0))


if __name__ == "__main__":
    main()
