"""The table of reliability: each row has tests or says that it has none yet, and what it names is there."""

from __future__ import annotations

import ast

import pytest

from benchmarks.reliability import LATER, ROWS, Count, Row, chosen, report, share
from benchmarks.results import ResultError
from tests.command import ROOT

NOT_YET = {35, 36}
"""Rows without tests."""


def test_there_are_36_rows_and_few_are_open() -> None:
    assert [row.number for row in ROWS] == list(range(1, 37))
    assert {row.number for row in ROWS if not (row.tests or row.shares)} == NOT_YET


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.number))
def test_all_that_a_row_names_is_there(row: Row) -> None:
    for name in row.tests:
        file, _, function = name.partition("::")
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        functions = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}
        assert function in functions if function else any(each.startswith("test_") for each in functions), name
    for reference in row.shares:
        assert share(reference).tried


def test_a_table_counts_tests_and_shares() -> None:
    rows = (Row(1, "one", ("a", "b"), ("crashes/identical",)), Row(2, "two"))
    made = report(rows, {"a": Count(3, 1), "b": Count(2, 0, 1)})
    identical = share("crashes/identical").tried
    assert made.tables[0].rows == (("1. one", str(5 + identical), "1"), ("2. two", LATER, ""))
    assert [figure.value for figure in made.figures] == [1, 1, 5 + identical]
    assert "1 more need" in made.figures[2].note


@pytest.mark.parametrize(("text", "numbers"), [(None, [*range(1, 37)]), ("1-3,7", [1, 2, 3, 7]), ("36", [36])])
def test_rows_are_chosen(text: str | None, numbers: list[int]) -> None:
    assert [row.number for row in chosen(text)] == numbers


@pytest.mark.parametrize("text", ["", "a", "1,", "-2"])
def test_what_names_no_rows(text: str) -> None:
    with pytest.raises(ResultError, match="names no rows"):
        chosen(text)
