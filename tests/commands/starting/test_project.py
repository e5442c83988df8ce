"""The verb ``init``: the commands that its README names work, and nothing is written over."""

from __future__ import annotations

import re
from pathlib import Path

from chorewright.commands.starting.first_screen import TASK
from tests.command import chorewright


def test_a_project_s_commands_work(tmp_path: Path) -> None:
    assert chorewright("init", "project", cwd=tmp_path).returncode == 0
    folder = tmp_path / "project"
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "chorewright.toml", f"{TASK}.task"]
    commands = re.findall(r"^chorewright (.*?) *#", (folder / "README.md").read_text("utf-8"), re.MULTILINE)
    assert len(commands) == 5
    for each in commands:
        alone = ("--workers", 0) if each.startswith("generate") else ()
        done = chorewright(*each.split(), *alone, cwd=folder)
        assert done.returncode == 0, f"{each}\n{done.stdout}{done.stderr}"
    again = chorewright("init", "project", cwd=tmp_path)
    assert again.returncode == 36
    assert "exists already" in again.stderr
