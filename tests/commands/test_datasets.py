"""The flags of ``export``: those of the format that the words name, however they name it."""

from __future__ import annotations

import inspect

import pytest

from chorewright.commands.datasets import export_verb
from chorewright.errors import UsageError


@pytest.mark.parametrize(
    ("words", "own"),
    [
        (["d", "--format", "questions"], {"each", "kinds", "seed"}),
        (["--format=questions", "d"], {"each", "kinds", "seed"}),
        (["d", "--format=descriptions", "--out", "x"], {"levels"}),
        (["d", "--format"], set()),
        (["d", "--out", "questions"], set()),
    ],
)
def test_an_export_has_the_flags_of_its_format(words: list[str], own: set[str]) -> None:
    common = {"folder", "form", "out", "as_json", "task", "split", "where", "episodes"}
    assert set(inspect.signature(export_verb(words)).parameters) == common | own


def test_an_unknown_format_is_refused_however_it_is_named() -> None:
    for words in (["--format", "question"], ["--format=question"]):
        with pytest.raises(UsageError, match="question"):
            export_verb(words)
