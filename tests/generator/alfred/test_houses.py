"""ALFRED's episodes in houses: nothing is handled through a wall, and a stored episode has its walls."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.house_tasks import handled, is_walled
from chorewright.errors import UnsupportedError
from chorewright.generator.alfred.demonstration import read_problem
from chorewright.generator.alfred.export.exporter import trajectory_path
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.records import from_table, to_table
from chorewright.generator.household.possibilities import RoomFacts, facts_of, room_facts
from chorewright.generator.household.scene_names import scene_names
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.production.sampling import AT_ONCE
from chorewright.problems.household.houses.house import House
from chorewright.problems.household.houses.reading import write_house
from chorewright.problems.household.houses.source import house_seed, named_house
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.scene import Scene
from tests.command import invoke


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    """Five tasks, each in another house."""
    config = GenerateConfig("alfred", 15, options=(("scenes", ("houses:1-6",)), ("demonstrations", 3)))
    benchmark = BENCHMARKS.find("alfred")
    return [benchmark.episode(each.index, config, each) for each in benchmark.assign(config, 15)[::3]]


def house_of(episode: Episode) -> House:
    return named_house(episode.room.name)


def test_episodes_are_accepted(episodes: list[Episode]) -> None:
    assert all(episode.outcome.accepted for episode in episodes)
    assert len({episode.task for episode in episodes}) == len(episodes)


def test_nothing_is_handled_through_a_wall(episodes: list[Episode]) -> None:
    """As judged by the house's file: a look crosses a wall in an open hole only."""
    interactions = [(house_of(each), *one) for each in episodes for one in handled(each)]
    assert len(interactions) > 15
    assert not any(is_walled(*each) for each in interactions)


def test_the_judge_sees_walls(episodes: list[Episode]) -> None:
    """From the other end of the house most of what is handled is behind a wall."""
    walled = 0
    for episode in episodes:
        house, far = house_of(episode), max(episode.room.grid)
        walled += sum(is_walled(house, (far[0] * 0.25, far[1] * 0.25), thing) for _, thing in handled(episode))
    assert walled > 10


def test_a_stored_episode_has_its_walls(episodes: list[Episode]) -> None:
    again = list(from_table(to_table(episodes), shipped_kinds()))
    for read, made in zip(again, episodes, strict=True):
        assert read == made
        assert read.room == made.room
        assert read.room.building is not None
        problem = read_problem(read)
        assert problem is not None


def test_formats_of_rooms_refuse_houses(episodes: list[Episode]) -> None:
    with pytest.raises(UnsupportedError, match="is a house"):
        trajectory_path(episodes[0])


def test_rooms_of_a_template_are_those_of_the_furniture() -> None:
    """A kitchen's task finds the fridge in the kitchen, and no bed, though the house has one."""
    facts = room_facts("house:2", shipped_kinds())
    assert facts.room_kind == "house"
    assert {"Fridge", "Bed", "Toilet"} <= facts.kinds
    kitchen = facts.within(("kitchen",))
    assert kitchen.room_kind == "kitchen"
    assert "Fridge" in kitchen.kinds
    assert not {"Bed", "Toilet"} & kitchen.kinds
    assert {"Mug"} <= kitchen.kinds
    assert facts.within(("garage",)) is facts.within(()) is facts


def test_many_houses_are_taken_as_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a hundred thousand houses a few are generated; those of unseen splits are of no other split."""
    options = (("scenes", ("houses:0-99999",)), ("demonstrations", 1))
    benchmark, looked_at = BENCHMARKS.find("alfred"), []

    def look(scene: Scene) -> RoomFacts:
        looked_at.append(scene.name)
        return facts_of(scene)

    monkeypatch.setattr("chorewright.generator.household.possibilities.facts_of", look)
    drawn = benchmark.assign(GenerateConfig("alfred", 36, options=options), 36)
    assert len(looked_at) <= 36 + 3 * AT_ONCE
    ends = {split: {house_seed(each.scene) % 100 for each in drawn if each.split == split} for split in
            ("train", "valid_seen", "tests_seen", "valid_unseen", "tests_unseen")}  # fmt: skip
    assert ends["valid_unseen"] <= set(range(80, 90))
    assert ends["tests_unseen"] <= set(range(90, 100))
    assert ends["train"] <= set(range(80))
    assert all(ends.values())
    assert len({each.scene for each in drawn}) > 24
    assert list(benchmark.assign(GenerateConfig("alfred", 9, options=options), 9)) == list(drawn)[:9]


def test_words_for_houses() -> None:
    assert scene_names("houses:3-5") == ("house:3", "house:4", "house:5")
    assert scene_names("house:3") == scene_names("houses:3") == ("house:3",)
    assert scene_names("FloorPlan1") == ("FloorPlan1",)


def test_a_dataset_in_a_house_of_a_file(tmp_path: Path) -> None:
    """A file's house makes a dataset that verifies, episodes made again among it."""
    write_house(named_house("house:1"), tmp_path / "ours.json")
    words = ["generate", "alfred", "--episodes", "2", "--scenes", str(tmp_path / "ours.json"), "--out"]
    done = invoke([*words, str(tmp_path / "data")])
    assert done.exit_code == 0, done.stderr
    assert invoke(["verify", str(tmp_path / "data"), "--remake", "2"]).exit_code == 0
