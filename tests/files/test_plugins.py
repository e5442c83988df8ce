"""Extras are installed from where the package came from; what a user's code raises is told with its line."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

import pytest

from chorewright.errors import Location, UsageError
from chorewright.files.plugins import Origin, make, pip_install

EDITABLE = json.dumps({"url": "file:///home/me/my%20code/chorewright", "dir_info": {"editable": True}})
WHEEL = json.dumps({"url": "file:///tmp/chorewright-0.1.0-py3-none-any.whl", "archive_info": {}})
COMMANDS = {
    None: "pip install 'chorewright[video]'",
    "{": "pip install 'chorewright[video]'",
    WHEEL: "pip install 'chorewright[video] @ file:///tmp/chorewright-0.1.0-py3-none-any.whl'",
    EDITABLE: "pip install -e '/home/me/my code/chorewright[video]'",
}


class Installed:
    """A distribution of which pip noted the source."""

    def __init__(self, noted: str | None) -> None:
        self.noted = noted

    def read_text(self, name: str) -> str | None:
        return self.noted if name == "direct_url.json" else None


@pytest.mark.parametrize("noted", COMMANDS)
def test_the_source_of_the_package_is_named(noted: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "distribution", lambda name: Installed(noted))
    assert pip_install("video") == COMMANDS[noted]


def test_code_that_raises_is_told_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "raises_here.py").write_text("def policy():\n    return {}['weights']\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UsageError, match="cannot be made: KeyError: 'weights'") as told:
        make("raises_here:policy", "policy", Origin.PERSON)
    assert told.value.location == Location(str(tmp_path / "raises_here.py"), 2)
    assert told.value.hint is None
    with pytest.raises(UsageError) as told:
        make("os:system", "policy", Origin.PERSON)
    assert told.value.location is None
    assert told.value.hint == "name a class, or a function without arguments, that makes the policy"
