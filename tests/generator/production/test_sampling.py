"""Active sampling: balance, shares, splits, prefixes and speed of growth."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

import pytest

from chorewright.generator.production.sampling import AT_ONCE, BARREN, Choice, Fold, sample_in_turn, sample_tuples

ROOMS = tuple(f"Room{number}" for number in range(12))
SEEN, UNSEEN = frozenset(ROOMS[:9]), frozenset(ROOMS[9:])
FOLDS = (Fold("train", 90, SEEN), Fold("valid", 5, SEEN), Fold("unseen", 5, UNSEEN))


def world() -> list[Choice]:
    """Three tasks over ten objects; the first object is possible in many more ways than the others."""
    choices = [
        Choice("put", (("object", f"o{item}"), ("place", f"r{place}")), ROOMS)
        for item, place in itertools.product(range(10), range(4))
        if item == 0 or place == item % 4
    ]
    choices += [Choice("stack", (("object", f"o{item}"), ("on", "o0")), ROOMS[:6]) for item in range(1, 10)]
    choices += [Choice("light", (("object", f"o{item}"), ("lamp", "l0")), ROOMS[3:]) for item in range(10)]
    return choices


def test_all_tuples_differ_until_all_are_taken() -> None:
    choices = world()
    possible = sum(len(choice.scenes) for choice in choices)
    found = sample_tuples(choices, [Fold("all", 1, frozenset(ROOMS))], possible, (0,))
    assert len({(one.choice, one.scene) for one in found}) == possible
    more = sample_tuples(choices, [Fold("all", 1, frozenset(ROOMS))], possible + 40, (0,))
    assert more[:possible] == found
    assert len({(one.choice, one.scene) for one in more}) == possible


def test_a_shorter_run_is_the_beginning_of_a_longer_one() -> None:
    long = sample_tuples(world(), FOLDS, 120, (7,))
    for count in (0, 1, 2, 50, 119):
        assert sample_tuples(world(), FOLDS, count, (7,)) == long[:count]
    assert sample_tuples(world(), FOLDS, 120, (8,)) != long


def test_values_are_balanced_although_possibilities_are_not() -> None:
    found = sample_tuples(world(), [Fold("all", 1, frozenset(ROOMS))], 90, (3,))
    objects = Counter(dict(one.choice.parameters)["object"] for one in found)
    assert objects.pop("o0") < min(objects.values())  # since it often appears in another slot
    rooms = Counter(one.scene for one in found)
    tasks = Counter(one.choice.task for one in found)
    assert max(objects.values()) <= 2 * min(objects.values())
    assert max(rooms.values()) <= 2 * min(rooms.values())
    assert max(tasks.values()) <= 2 * min(tasks.values())


def test_splits_have_their_shares_and_rooms_in_every_beginning() -> None:
    found = sample_tuples(world(), FOLDS, 200, (1,))
    for one in found:
        assert one.scene in (UNSEEN if one.split == "unseen" else SEEN)
        assert one.scene in one.choice.scenes
    for count in (20, 100, 200):
        splits = Counter(one.split for one in found[:count])
        assert abs(splits["train"] - 0.9 * count) <= 1.5
        assert abs(splits["valid"] - 0.05 * count) <= 1.5
    train = {(one.choice, one.scene) for one in found if one.split == "train"}
    assert not train & {(one.choice, one.scene) for one in found if one.split == "valid"}


def test_shares_of_tasks() -> None:
    shares = {"put": 6.0, "stack": 1.0, "light": 3.0}
    found = sample_tuples(world(), [Fold("all", 1, frozenset(ROOMS))], 80, (5,), shares)
    tasks = Counter(one.choice.task for one in found)
    assert tasks["put"] > tasks["light"] > tasks["stack"] > 0


@pytest.mark.parametrize("choices", [[], [Choice("put", (("object", "o1"),), ())]])
def test_nothing_possible(choices: list[Choice]) -> None:
    assert sample_tuples(choices, FOLDS, 10, (0,)) == ()


def test_a_fold_without_rooms_is_left_out() -> None:
    choices = [Choice("put", (("object", "o1"),), ROOMS[:2])]
    assert {one.split for one in sample_tuples(choices, FOLDS, 30, (0,))} == {"train", "valid"}


def test_a_task_without_slots() -> None:
    found = sample_tuples([Choice("tidy", (), ROOMS)], [Fold("all", 1, frozenset(ROOMS))], 30, (0,))
    assert len(found) == 30
    assert len({one.scene for one in found}) == len(ROOMS)


MANY = tuple(f"House{number}" for number in range(1000))
MANY_FOLDS = (
    Fold("train", 90, frozenset(MANY[:900])),
    Fold("valid", 5, frozenset(MANY[:900])),
    Fold("unseen", 5, frozenset(MANY[900:])),
)


class Looked:
    """What is possible in some of many rooms; remembers which were looked at."""

    def __init__(self) -> None:
        self.rooms: list[str] = []

    def __call__(self, rooms: Sequence[str]) -> list[Choice]:
        self.rooms += rooms
        whole = [Choice("put", (("object", f"o{item}"), ("place", f"r{item % 4}")), tuple(rooms)) for item in range(20)]
        return [*whole, Choice("stack", (("object", "o1"), ("on", "o0")), tuple(rooms[::4]))]


def test_of_many_rooms_those_are_looked_at_that_are_needed() -> None:
    looked, shares = Looked(), {"put": 9.0, "stack": 1.0}
    found = sample_in_turn(looked, MANY_FOLDS, MANY, 120, (3,), shares)
    assert len(found) == 120
    assert len(looked.rooms) <= 120 + 2 * AT_ONCE
    assert Counter(one.split for one in found) == {"train": 108, "valid": 6, "unseen": 6}
    assert all(one.scene in MANY[900:] if one.split == "unseen" else one.scene in MANY[:900] for one in found)
    tasks = Counter(one.choice.task for one in found)
    assert abs(tasks["stack"] - 12) <= 2  # counted through all groups of rooms, not in each anew
    objects = Counter(dict(one.choice.parameters)["object"] for one in found if one.choice.task == "put")
    assert len(objects) == 20
    assert max(objects.values()) <= 10
    for count in (0, 1, 40, 119):
        assert sample_in_turn(Looked(), MANY_FOLDS, MANY, count, (3,), shares) == found[:count]


def test_the_first_rooms_come_again_after_the_last() -> None:
    rooms = MANY[: AT_ONCE + 3]
    found = sample_in_turn(Looked(), (Fold("all", 1, frozenset(rooms)),), rooms, 60, (1,))
    assert len(found) == 60
    assert {one.scene for one in found} <= set(rooms)


def test_where_nothing_is_possible_few_rooms_are_looked_at() -> None:
    looked: list[str] = []
    assert sample_in_turn(lambda rooms: looked.extend(rooms) or [], MANY_FOLDS, MANY, 5, (1,)) == ()  # type: ignore[func-returns-value]
    assert len(looked) <= 2 * BARREN * AT_ONCE
