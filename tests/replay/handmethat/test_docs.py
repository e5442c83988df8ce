"""The code in docs/handmethat_world.md runs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from chorewright.files.plugins import Origin
from chorewright.generator.handmethat.evaluation import find_agent, list_agents, play
from tests.command import ROOT
from tests.replay.handmethat.tasks import stored

DOCUMENT = ROOT / "docs" / "handmethat_world.md"
BLOCKS = re.findall(r"^```python(?: (\S+))?\n(.*?)^```$", DOCUMENT.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_the_agent_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (name, text) = next(block for block in BLOCKS if block[0])
    (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    played = play(find_agent("agent:Patient", origin=Origin.PERSON), stored()[0], np.random.default_rng(0))
    assert played.moves > 0


@pytest.mark.slow
def test_the_environment_is_won(capsys: pytest.CaptureFixture[str]) -> None:
    (text,) = (text for name, text in BLOCKS if not name)
    exec(text, {})
    assert re.match(r"\d+\.0 True \d+\n", capsys.readouterr().out)


def test_all_agents_are_described() -> None:
    text = DOCUMENT.read_text("utf-8")
    assert all(f"| `{name}` |" in text for name in list_agents())
