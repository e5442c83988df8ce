"""What the indices of a HandMeThat dataset are assigned, against Tables 4 and 20 of the paper."""

from __future__ import annotations

from collections import Counter

import pytest

from chorewright.generator.dataset.config import Assignment, GenerateConfig
from chorewright.generator.handmethat.benchmark import HandMeThatBenchmark

# Table 20: request, split, then the episodes of levels 1 to 4.
TABLE_20 = """
bring_me train 1351 711 728 965
move_to train 558 1061 1167 1037
change_state train 78 242 80 22
bring_me validation 174 89 88 123
move_to validation 73 117 167 111
change_state validation 9 31 12 6
bring_me test 175 100 84 112
move_to test 69 122 166 117
change_state test 13 27 8 7
"""

# Table 4: split, then the episodes of levels 1 to 4.
TABLE_4 = """
train 3620 70583 25488 4804
validation 207 3937 1433 247
test 181 3968 1422 256
"""


def assigned(version: int, count: int, seed: int = 0) -> list[Assignment]:
    config = GenerateConfig("handmethat", count, seed, options=(("version", (str(version),)),))
    return list(HandMeThatBenchmark().assign(config, count))


def cells() -> Counter[tuple[str, str, str]]:
    found: Counter[tuple[str, str, str]] = Counter()
    for line in TABLE_20.split("\n"):
        request, split, *numbers = line.split() or ("", "")
        found.update({(request, split, str(level)): int(each) for level, each in enumerate(numbers, 1)})
    return found


def cell(each: Assignment) -> tuple[str, str, str]:
    asked = dict(each.parameters)
    return asked["request"], each.split, asked["level"]


def test_version_1_has_the_cells_of_table_20() -> None:
    made = assigned(1, 10_000)
    assert cells().total() == 10_000
    assert Counter(map(cell, made)) == cells()
    assert [each.index for each in made] == list(range(10_000))


@pytest.mark.parametrize("count", [100, 500, 1_234])
def test_fewer_episodes_have_each_cell_as_often_as_its_share_demands(count: int) -> None:
    made = assigned(1, count)
    found = Counter(map(cell, made))
    for each, number in cells().items():
        assert abs(found[each] - number * count / 10_000) < 1.5, each
    assert made == assigned(1, 10_000)[:count]


def test_version_2_has_the_splits_of_table_4_and_its_goals_in_equal_parts() -> None:
    splits = {split: sum(map(int, rest)) for split, *rest in map(str.split, TABLE_4.strip().split("\n"))}
    count = sum(splits.values())
    assert count == 116_146
    made = assigned(2, count)
    assert Counter(each.split for each in made) == splits
    goals = Counter(each.task for each in made)
    assert len(goals) == 25
    assert max(goals.values()) - min(goals.values()) <= len(splits)
    assert {each.parameters for each in made} == {(("request", "bring_me"),)}


def test_goals_of_version_1_take_turns_in_each_cell() -> None:
    made = assigned(1, 10_000)
    turns: dict[tuple[str, str, str], Counter[str]] = {}
    for each in made:
        turns.setdefault(cell(each), Counter())[each.task] += 1
    for (request, _, _), counted in turns.items():
        assert max(counted.values()) - min(counted.values()) <= 1
        assert len(counted) <= 69
        if request != "change_state" and counted.total() >= 69:
            assert len(counted) == 69


def test_a_seed_changes_which_goal_comes_when_and_nothing_else() -> None:
    first, other = assigned(1, 1_000), assigned(1, 1_000, seed=1)
    assert list(map(cell, first)) == list(map(cell, other))
    assert [each.task for each in first] != [each.task for each in other]
