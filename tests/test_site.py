"""The documentation site: all pages are in its navigation, generated ones have every verb and name; it builds."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import chorewright
from tests.command import ROOT, environment


def site_pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("site_pages", ROOT / "docs" / "site_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8")
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"pypi.md"}
    assert {name for name in pages if f" {name}\n" not in navigation} == set()


def test_generated_pages_have_every_verb_and_name() -> None:
    made = site_pages()
    names = made.names_page()
    assert all(f"## {name}\n" in names for name in chorewright.__all__ if name != "__version__")
    verbs = made.verbs_page()
    for verb in ("plan", "validate", "check", "fmt", "generate", "generate alfred", "evaluate teach", "completion"):
        assert f"# {verb}\n\n```text\nUsage: chorewright {verb} " in verbs


@pytest.mark.slow
def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    pytest.importorskip("material")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(words, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "site" / "verbs.html").is_file()
    text = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert 'src="http' not in text
