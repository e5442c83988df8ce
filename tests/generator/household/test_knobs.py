"""What a dataset is mixed of: demonstrations per tuple, shares of tasks and splits, fillings wanted and left out."""

from __future__ import annotations

from collections import Counter

import pytest

from chorewright.errors import UsageError
from chorewright.generator.dataset.config import Assignment, GenerateConfig
from chorewright.generator.production.benchmark import BENCHMARKS

SIMPLE, TWO = "pick_and_place_simple", "pick_two_obj_and_place"


def assigned(count: int, **options: object) -> list[Assignment]:
    benchmark = BENCHMARKS.find("alfred")
    given = {"tasks": (f"alfred/{SIMPLE}", f"alfred/{TWO}"), "scenes": ("FloorPlan4", "FloorPlan5"), **options}
    return list(benchmark.assign(GenerateConfig("alfred", count, options=tuple(given.items())), count))  # type: ignore[arg-type]


def test_demonstrations_of_each_tuple_are_as_many_as_asked_for() -> None:
    found = assigned(20, demonstrations=5)
    tuples = Counter((one.task, one.parameters, one.scene) for one in found)
    assert set(tuples.values()) == {5}


def test_tasks_and_splits_come_in_the_shares_asked_for() -> None:
    found = assigned(60, demonstrations=1, shares=(f"{SIMPLE}=4", f"{TWO}=1"), split_shares=("train=1", "valid_seen=1"))
    assert Counter(one.task for one in found) == {SIMPLE: 48, TWO: 12}
    assert Counter(one.split for one in found) == {"train": 30, "valid_seen": 30}


def test_fillings_are_those_wanted_and_not_those_left_out() -> None:
    found = assigned(40, demonstrations=1, fillings=("object=fruit",), without=("object=Apple", "receptacle=Fridge"))
    kinds = Counter(dict(one.parameters)["object"] for one in found)
    assert set(kinds) == {"Tomato"}
    assert all(dict(one.parameters)["receptacle"] != "Fridge" for one in found)


MISTAKES = {
    "shares": (("pick_and_plaice_simple=2",), "there is no 'pick_and_plaice_simple'"),
    "split_shares": (("train",), "takes NAME=N"),
    "fillings": (("objects=Mug",), "no task has a slot 'objects'"),
    "without": (("object=Mugg",), "there is no kind or set 'Mugg'"),
}


@pytest.mark.parametrize("option", MISTAKES)
def test_mistakes_are_told(option: str) -> None:
    words, said = MISTAKES[option]
    with pytest.raises(UsageError, match=said):
        assigned(3, **{option: words})
