"""The one door to the reference data: a test or benchmark that lacks it is skipped with a clear message."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("CHOREWRIGHT_REFERENCE", Path(__file__).resolve().parents[2] / "shared" / "data"))


def reference(name: str) -> Path:
    """Return the path of a file or folder of the reference data, or skip the running test.

    The folder is ``../shared/data`` beside the checkout, or ``$CHOREWRIGHT_REFERENCE``.
    """
    path = DATA / name
    if not path.exists():
        pytest.skip(f"reference data {name!r} is not here (looked in {DATA}; set CHOREWRIGHT_REFERENCE)")
    return path
