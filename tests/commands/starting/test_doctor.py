"""What ``doctor`` takes from the package's requirements: those that are for this version of Python."""

from __future__ import annotations

import sys

import pytest
from packaging.requirements import Requirement

from chorewright.commands.starting.doctor import _applies


@pytest.mark.parametrize("minor", [10, 11, 12])
@pytest.mark.parametrize("bound", ["", '; python_version < "3.11"', '; python_version >= "3.11"'])
def test_a_requirement_applies_where_packaging_says_so(monkeypatch: pytest.MonkeyPatch, minor: int, bound: str) -> None:
    monkeypatch.setattr(sys, "version_info", (3, minor, 1))
    marker = Requirement(f"tomli{bound}").marker
    wanted = marker is None or marker.evaluate({"python_version": f"3.{minor}"})
    assert _applies(f"tomli{bound}") == wanted
