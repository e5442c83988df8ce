"""The table of figures: a row for each split, place and target, and what the columns mean."""

from __future__ import annotations

from chorewright.generator.measuring.evaluation import Sheet
from chorewright.generator.objectnav.evaluation import NavigationScore, ObjectNavEvaluation, ObjectNavTrial


def test_the_table_has_a_row_for_each_group_and_says_what_is_counted() -> None:
    found = NavigationScore("one", "train", "kitchen", "Mug", True, 2.0, 4.0, 0.0, 20)
    missed = NavigationScore("two", "eval", "kitchen", "Bed", False, 2.0, 9.0, 1.0, 40)
    summary = ObjectNavEvaluation().summary(ObjectNavTrial("folder"), [found, missed], 80)
    (sheet,) = summary.parts
    assert isinstance(sheet, Sheet)
    rows = {row[0]: row[1:] for row in sheet.rows if row is not None}
    assert set(rows) == {"train", "eval", "kitchen", "Mug", "Bed", "overall"}
    assert rows["train"] == ("1", "100.0", "0.500", "0.500", "0.00", "20.0")
    assert rows["Bed"] == ("1", "0.0", "0.000", "0.111", "1.00", "40.0")
    assert rows["overall"] == rows["kitchen"] == ("2", "50.0", "0.250", "0.306", "0.50", "30.0")
    assert all(len(row) == len(sheet.headings) for row in sheet.rows if row is not None)
    assert "SPL: success weighted by path length" in sheet.caption
    assert "left: metres" in sheet.caption
