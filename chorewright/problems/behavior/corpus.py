"""The shipped activities of BEHAVIOR-100 and BEHAVIOR-1K, the kinds of things in them, and the rules of change."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from chorewright.domains.behavior.reader import parse_activity
from chorewright.domains.behavior.syntax import Activity
from chorewright.errors import UsageError
from chorewright.files.spelling import did_you_mean

CORPUS = Path(str(files("chorewright.problems"))) / "data" / "behavior.zip"
VERSIONS = ("100", "1k")
"""BEHAVIOR-100 (2021, domain igibson) and BEHAVIOR-1K (2025, domain omnigibson)."""


@lru_cache
def _member(name: str) -> Mapping[str, Any]:
    with zipfile.ZipFile(CORPUS) as archive:
        found: Mapping[str, Any] = json.loads(archive.read(name))
    return found


def activity_names(version: str) -> tuple[str, ...]:
    """Return the names of a version's activities, sorted."""
    return tuple(_texts(version))


def shipped_activity(name: str, version: str) -> Activity:
    """Return an activity by name.

    Raises:
        UsageError: There is none of this name.
    """
    texts = _texts(version)
    if name not in texts:
        raise UsageError(f"there is no activity {name!r} in BEHAVIOR-{version}", hint=did_you_mean(name, texts))
    return _parsed(name, version)


@lru_cache(maxsize=2048)
def _parsed(name: str, version: str) -> Activity:
    return parse_activity(_texts(version)[name], f"BEHAVIOR-{version}/{name}")


def _texts(version: str) -> Mapping[str, str]:
    if version not in VERSIONS:
        raise UsageError(f"there is no BEHAVIOR-{version}", hint=f"versions: {', '.join(VERSIONS)}")
    return _member(f"activities_{version}.json")


def kinds_data(version: str) -> Mapping[str, Any]:
    """Return the kinds of a version as stored; see ``build_corpus``."""
    found = _member(f"kinds_{version}.json")
    return found if version == "1k" else {"kinds": found, "removers": []}


def rules_data() -> Mapping[str, Any]:
    """Return the rules of change as stored; see ``build_corpus``."""
    return _member("rules.json")
