"""Extras are installed from where the package came from."""

from __future__ import annotations

import json
from importlib import metadata

import pytest

from chorewright.files.plugins import pip_install

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
