"""What ``chorewright doctor`` says of a real build of AI2-THOR."""

from __future__ import annotations

from pathlib import Path

import pytest

from chorewright.commands.families.household import RealThorReplay
from chorewright.replay.household.real import process as real_build


def test_the_build_is_named_or_the_reason_why_none_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(real_build, "display_problem", lambda: "")
    assert RealThorReplay().diagnosis()[1:] == ("-", "optional: none is kept in ~/.ai2thor/releases")
    name = "thor-Linux64-abc"
    (tmp_path / ".ai2thor" / "releases" / name).mkdir(parents=True)
    (tmp_path / ".ai2thor" / "releases" / name / name).touch()
    assert RealThorReplay().diagnosis()[1:] == (name, "")
    monkeypatch.setattr(real_build, "display_problem", lambda: "there is no X server")
    assert RealThorReplay().diagnosis()[1:] == ("-", "optional: there is no X server")
