"""Rooms of tasks for language models: those of ALFRED's unseen splits are kept for evaluation."""

from __future__ import annotations

import pytest

from chorewright.errors import UsageError
from chorewright.generator.alfred.rewards import HouseholdKind

UNSEEN = {"FloorPlan9", "FloorPlan10", "FloorPlan29", "FloorPlan215", "FloorPlan219", "FloorPlan226", "FloorPlan308",
          "FloorPlan315", "FloorPlan325", "FloorPlan404", "FloorPlan424", "FloorPlan425"}  # fmt: skip
"""Those of ALFRED's files, of the splits valid_unseen and tests_unseen."""


def test_rooms_of_evaluation_are_the_unseen_ones_and_no_others() -> None:
    train, evaluation = (set(HouseholdKind(split=split).rooms()) for split in ("train", "eval"))
    assert evaluation == UNSEEN
    assert train.isdisjoint(evaluation)
    assert len(train) + len(evaluation) == 120 - 3, "three rooms look like some for evaluation"


@pytest.mark.parametrize("split", ["train", "eval"])
def test_rooms_that_are_asked_for_are_those_of_the_split(split: str) -> None:
    rooms = HouseholdKind(split=split, scenes=("FloorPlan1", "FloorPlan10")).rooms()
    assert rooms == (("FloorPlan10",) if split == "eval" else ("FloorPlan1",))
    with pytest.raises(UsageError, match=f"none of these rooms is of the split {split}"):
        HouseholdKind(split=split, scenes=("FloorPlan1" if split == "eval" else "FloorPlan10",))
