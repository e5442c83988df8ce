"""Assignments in scenes that are too many to look at all: in turn, in shares, only as many looked at as needed."""

from __future__ import annotations

from collections import Counter

from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.production.sampling import AT_ONCE, BARREN, Fold
from chorewright.generator.teach.assignment import Parameters, assignments_in_turn, find_task_names

MANY = [f"house:{number}" for number in range(5000)]
FOLDS = (Fold("train", 3, frozenset(MANY[:4000])), Fold("test", 1, frozenset(MANY[4000:])))
SHARES = {"fry": 2.0, "wash": 1.0}


class Looked:
    """Suits ``fry`` in every second scene, ``wash`` in every third; notes what it was asked about."""

    def __init__(self) -> None:
        self.scenes: dict[str, None] = {}

    def __call__(self, task: str, scene: str) -> list[Parameters]:
        self.scenes[scene] = None
        number = int(scene.partition(":")[2])
        every = {"fry": 2, "wash": 3}.get(task, 10**9)
        return [(("0", what),) for what in ("Egg", "Pan", "Pot")] if number % every == every - 1 else []


def test_only_the_first_scenes_are_looked_at_and_each_is_used_once() -> None:
    looked = Looked()
    found = assignments_in_turn(looked, SHARES, FOLDS, MANY, 120, 3)
    assert [each.index for each in found] == list(range(120))
    assert len({each.scene for each in found}) == 120
    assert len(looked.scenes) < 400
    assert Counter(each.split for each in found) == {"train": 90, "test": 30}
    assert Counter(each.task for each in found) == {"fry": 80, "wash": 40}
    for split, scenes in (("train", MANY[:4000]), ("test", MANY[4000:])):
        assert {each.scene for each in found if each.split == split} <= set(scenes)
    for task in SHARES:
        turns = Counter(each.parameters for each in found if each.task == task and each.split == "train")
        assert max(turns.values()) - min(turns.values()) <= 1


def test_a_task_may_be_named_with_its_collection_in_any_case() -> None:
    config = GenerateConfig("teach", 1, options=(("tasks", ("TEACh/Coffee", "teach/Coffee", "Salad")),))
    assert find_task_names(config) == ("Coffee", "Salad")


def test_a_shorter_run_is_a_beginning_and_seeds_differ() -> None:
    found = assignments_in_turn(Looked(), SHARES, FOLDS, MANY, 60, 3)
    for count in (0, 1, 17):
        assert assignments_in_turn(Looked(), SHARES, FOLDS, MANY, count, 3) == found[:count]
    assert assignments_in_turn(Looked(), SHARES, FOLDS, MANY, 60, 4) != found


def test_scenes_come_again_after_the_last() -> None:
    few = MANY[: AT_ONCE + 2]
    found = assignments_in_turn(Looked(), {"fry": 1.0}, (Fold("all", 1, frozenset(few)),), few, 30, 1)
    assert Counter(each.scene for each in found).most_common(1)[0][1] == 4
    assert len({each.scene for each in found}) == 9
    assert max(each.repeat for each in found) > 0


def test_a_task_that_suits_nothing_is_left_out() -> None:
    looked = Looked()
    found = assignments_in_turn(looked, {"fly": 5.0, "fry": 1.0}, FOLDS, MANY, 20, 1)
    assert {each.task for each in found} == {"fry"}
    assert len(looked.scenes) <= 3 * BARREN * AT_ONCE
    assert assignments_in_turn(Looked(), {"fly": 1.0}, FOLDS, MANY, 20, 1) == []
