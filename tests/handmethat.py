"""The reference's episodes of HandMeThat, for tests."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.reference import reference


@cache
def episode_names() -> tuple[str, ...]:
    """Return the names of the recorded episodes, version 1 first."""
    folder = reference("handmethat")
    return tuple(f"{part}/{path.name}" for part in ("v1_raw", "v2_raw") for path in sorted((folder / part).glob("*")))


@cache
def episode(name: str) -> dict[str, Any]:
    """Return one recorded episode."""
    with gzip.open(reference(f"handmethat/{name}"), "rt", encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def episodes() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield all recorded episodes by name."""
    for name in episode_names():
        yield name, episode(name)
