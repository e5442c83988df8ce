"""The documentation site: all pages are in its navigation, generated ones have every verb and name; it builds."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import chorewright
from chorewright.cli import verb_names
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
    pages = made.pages()
    for name in verb_names():
        assert f"```text\nUsage: chorewright {name} " in pages[f"verbs/{name}.md"]
        assert f"(verbs/{name}.md)" in pages["verbs.md"]
    assert "## generate alfred\n\n```text\nUsage: chorewright generate alfred " in pages["verbs/generate.md"]
    assert "$ chorewright compile serve-coffee.task" in pages["verbs/compile.md"]


def test_nearly_every_verb_has_an_example_that_the_tests_run() -> None:
    made = site_pages()
    without = {name for name in verb_names() if name not in made.GROUPS and made.example(name) is None}
    assert without == set()


def test_figures_have_a_page_for_each_group_and_links_follow() -> None:
    pages = site_pages().figure_pages()
    whole = (ROOT / "docs" / "figures.md").read_text("utf-8")
    assert len(pages) == whole.count("\n## ") + 1
    for page, anchor in re.findall(r"\]\(([\w/]+\.md)#([^)]+)\)", pages["figures.md"]):
        titles = re.findall(r"(?m)^### (.+)$", pages[page])
        assert anchor in {re.sub(r"[^a-z0-9_ -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_notebooks_have_pages_with_their_code() -> None:
    told = site_pages().notebook_pages()["notebooks/statistics.md"]
    assert str(told).startswith("# Statistics and plots of a dataset")
    assert "```python\nfrom collections import Counter\n" in str(told)


def test_docstrings_become_lists() -> None:
    text = "Do ``it``.\n\nArgs:\n    one: The first,\n        indeed.\n\nRaises:\n    UsageError: Never.\n"
    assert site_pages().docstring(text) == [
        *("Do `it`.", "", "**Args**", "", "- `one`: The first,", "  indeed.", ""),
        *("**Raises**", "", "- `UsageError`: Never."),
    ]


@pytest.mark.slow
def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    pytest.importorskip("material")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(words, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "site" / "verbs.html").is_file()
    text = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert 'src="http' not in text
    broken = [path.name for path in (tmp_path / "site").rglob("*.html") if "<p>```" in path.read_text("utf-8")]
    assert broken == []  # a fence that Markdown did not take for one


def test_a_block_s_file_becomes_its_title() -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri="tutorial.md"))
    shown = site_pages().on_page_markdown("```lisp a.task\n(x)\n```\n[r](../README.md), [s](../setup.cfg)\n", page)
    assert shown == '```lisp title="a.task"\n(x)\n```\n[r](README.md), s\n'


def test_the_first_page_is_the_readme_with_the_index() -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri="README.md"))
    shown = site_pages().on_page_markdown((ROOT / "docs" / "README.md").read_text("utf-8"), page)
    assert shown.startswith("# chorewright\n")
    assert "](README.md)" not in shown, "it would lead to itself"
    assert "pip install -e '.[calvin,lerobot]'" in shown
    assert "[alfred](alfred.md)" in shown
    assert "\n## Where is the answer?\n" in shown
    assert "](docs/" not in shown
    assert "<!--" not in shown


def test_search_needs_no_network() -> None:
    made = site_pages()
    page = '<script src="https://unpkg.com/iframe-worker/shim"></script>'
    for url, source in {"index.html": "offline_search.js", "verbs/plan.html": "../offline_search.js"}.items():
        found = made.on_post_page(page, SimpleNamespace(file=SimpleNamespace(url=url)))
        assert found == f'<script src="{source}"></script>'
    assert (ROOT / "docs" / "offline_search.js").exists()
