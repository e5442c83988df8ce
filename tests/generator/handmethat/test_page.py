"""docs/handmethat.md is executed, and says of the world what the data says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from chorewright.domains.handmethat.object_space import object_space
from chorewright.domains.library import collection, handmethat_domain, shipped_vocabulary
from chorewright.domains.templates.parser import parse_template
from tests.command import ROOT, environment
from tests.test_authoring import BLOCK, commands, matches, run

DOCUMENT = ROOT / "docs" / "handmethat.md"


def blocks() -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = BLOCK.findall(DOCUMENT.read_text(encoding="utf-8"))
    return found


def test_the_template_on_the_page_is_one() -> None:
    ((_, name, text),) = [block for block in blocks() if block[1].endswith(".task")]
    template = parse_template(text, handmethat_domain(), shipped_vocabulary("handmethat"), path=name)
    assert template.name == "clear-the-desk"
    assert template.slot_names == ("pen", "paper1", "paper2")


def test_the_page_counts_what_there_is() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert f"The {len(collection('handmethat'))} templates" in text
    assert f"{len(object_space().categories)} categories" in text
    assert f"| {len(object_space().locations)}, as Table 7" in text
    assert f"has the {len(handmethat_domain().actions)} actions" in text
    for path in re.findall(r"`((?:rsa|problems|domains)/[\w/.-]+)`", text):
        assert (DOCUMENT.parents[1] / "chorewright" / path).exists(), path


@pytest.mark.slow
def test_the_page_works_as_written(tmp_path: Path) -> None:
    for language, name, text in blocks():
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
        if language == "python":
            words = [sys.executable, "-c", text]
            result = subprocess.run(words, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
            assert result.returncode == 0, result.stderr
            assert "Meaning(" in result.stdout
        if language == "console":
            for command, expected in commands(text):
                done = run(command, tmp_path)
                assert done.returncode == 0, done.stderr
                assert matches(expected, done.stdout), f"$ {command}\n{done.stdout}\n{done.stderr}"
