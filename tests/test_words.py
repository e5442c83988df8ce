"""Pages stay short: the words of each and of all; what code writes and what only tests read are not counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import ROOT
from tests.documents import COMMENT

WRITTEN_BY_CODE = ("figures.md", "forty_tasks.md", "thor_arguments.md")
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(path for path in sorted((ROOT / "docs").glob("*.md")) if path.name not in WRITTEN_BY_CODE),
]
MOST_ON_A_PAGE = 1_500
MOST_IN_ALL = 38_500


def words(path: Path) -> int:
    return len(COMMENT.sub("", path.read_text("utf-8")).split())


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_is_short(path: Path) -> None:
    assert words(path) <= MOST_ON_A_PAGE


def test_all_pages_are_short() -> None:
    assert sum(map(words, PAGES)) <= MOST_IN_ALL
