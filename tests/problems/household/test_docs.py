"""The code in docs/rooms.md runs."""

from __future__ import annotations

import re

import pytest

from tests.command import ROOT

DOCUMENT = ROOT / "docs" / "rooms.md"


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL))
def test_code_runs(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, str(DOCUMENT), "exec"), {})
    assert "Mug|" in capsys.readouterr().out
