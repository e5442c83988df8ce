"""Datasets of ObjectNav: made, remade, shown, exported, played."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from chorewright.errors import InputError, UsageError
from chorewright.files.json_node import root
from chorewright.files.json_source import bare
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.options import configure
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.scene_names import UNSEEN_HOUSES, write_houses
from chorewright.generator.measuring.evaluation import play
from chorewright.generator.objectnav.benchmark import ObjectNavBenchmark, ObjectNavExporter, split_of, task_of, tasks_at
from chorewright.generator.objectnav.evaluation import NavigationScore, ObjectNavEvaluation
from chorewright.generator.objectnav.options import ObjectNavTrial
from chorewright.generator.production.line import run
from chorewright.generator.production.verify import verify
from chorewright.problems.household.houses.reading import house_of
from chorewright.problems.household.houses.source import HouseRequest, named_house
from chorewright.problems.household.rooms import room_names
from chorewright.problems.household.scene import GRID
from tests.command import chorewright

BENCHMARK = ObjectNavBenchmark()


def config(episodes: int, **options: object) -> GenerateConfig:
    return configure(BENCHMARK, "objectnav", episodes, {"scenes": ("houses:0-4", "FloorPlan23"), **options})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("objectnav") / "found"
    run(config(8), found, workers=0)
    return found


def test_episodes_are_as_asked_and_the_same_again(folder: Path) -> None:
    found = Dataset(folder)
    assert len(found) == 8
    for episode in found:
        task = task_of(episode)
        assert episode.outcome.accepted
        assert task.shortest >= 1.0
        assert task.shortest == sum(step.action == "MoveAhead" for step in episode.steps) * GRID
        assert episode.steps[-1].action == "Done"
        assert [each.level for each in episode.instructions] == ["goal", "step"]
        assert episode.split == split_of(episode.room.name)
    report = verify(str(folder), remake=8)
    assert report.ok
    assert len(report.remade) == 8


def test_each_round_has_each_scene_once(folder: Path) -> None:
    given = [each.scene for each in BENCHMARK.assign(config(12), 12)]
    assert len(set(given)) == 6
    assert set(given[:6]) == set(given[6:])
    more = [each.scene for each in BENCHMARK.assign(config(30), 30)]
    assert more[:12] == given


def test_a_run_of_more_episodes_begins_alike(folder: Path, tmp_path: Path) -> None:
    run(config(3), tmp_path / "grown", workers=0)
    run(config(8), tmp_path / "grown", workers=0)
    assert Dataset(tmp_path / "grown").checksum == Dataset(folder).checksum


def test_targets_lengths_and_splits_are_kept_to() -> None:
    asked = config(4, targets=("Toilet", "Bed"), least_metres=4.0, most_metres=9.0, annotations=3)
    for each in BENCHMARK.assign(asked, 4):
        episode = BENCHMARK.episode(each.index, asked, each)
        if episode.outcome.accepted:
            assert dict(episode.parameters)["target"] in ("Toilet", "Bed")
            assert 4.0 <= task_of(episode).shortest <= 9.0
            assert len({one.annotation for one in episode.instructions}) == 3
        else:
            assert episode.room.name == "FloorPlan23"  # a kitchen
    (held,) = {each.split for each in BENCHMARK.assign(config(4, splits=("val",)), 4)}
    assert held == "val"


def test_the_splits_of_rooms_and_houses() -> None:
    rooms = [split_of(name) for name in room_names()]
    assert [rooms.count(split) for split in ("train", "val", "test")] == [80, 20, 20]
    assert split_of("FloorPlan21") == split_of("FloorPlan425") == "val"
    houses = [split_of(f"house:{seed}") for seed in range(2000)]
    assert 0.75 < houses.count("train") / 2000 < 0.85
    assert [split_of(f"house:{seed}") for seed in (79, 80, 189, 190, 200)] == ["train", "val", "val", "test", "train"]
    held_back = {end for ends in UNSEEN_HOUSES.values() for end in ends}
    assert {seed for seed in range(100) if split_of(f"house:{seed}") != "train"} == held_back
    assert all(0.07 < houses.count(split) / 2000 < 0.13 for split in ("val", "test"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"targets": ("Mugg",)}, "no kind 'Mugg'"),
        ({"splits": ("tst",)}, "no split 'tst'"),
        ({"scenes": ("FloorPlan23",), "splits": ("train",)}, "none of the scenes is in the split train"),
        ({"scenes": ("FloorPlan500",)}, "no room 'FloorPlan500'"),
        ({"least_metres": 5.0, "most_metres": 2.0}, "must not be more than"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        BENCHMARK.assign(config(4, **options), 4)


def test_a_scene_without_targets_rejects_with_a_reason() -> None:
    asked = config(1, scenes=("FloorPlan1",), targets=("Toilet",))
    (assignment,) = BENCHMARK.assign(asked, 1)
    episode = BENCHMARK.episode(0, asked, assignment)
    assert not episode.outcome.accepted
    assert episode.outcome.reason == "target: the scene has nothing of these kinds"


def test_exported_episodes_have_the_members_of_the_challenge(folder: Path, tmp_path: Path) -> None:
    done = ObjectNavExporter().write(Dataset(folder), tmp_path / "out")
    assert done.episodes == 8
    assert ObjectNavExporter().write(Dataset(folder), tmp_path / "out").files_changed == 0
    records = []
    for path in sorted((tmp_path / "out").glob("*/episodes/*.json.gz")):
        several = json.loads(gzip.decompress(path.read_bytes()))
        assert {each["scene"] for each in several} == {path.name.removesuffix(".json.gz")}
        records += several
    by_id = {each["id"]: each for each in records}
    assert len(by_id) == 8
    for episode in Dataset(folder):
        task = task_of(episode)
        scene = episode.room.name.replace(":", "_")
        told = by_id[f"{scene}_{task.target}_{episode.index}"]
        assert set(told) == {
            *("id", "scene", "object_type", "initial_position", "initial_orientation", "initial_horizon"),
            *("shortest_path", "shortest_path_length"),
        }
        path = told["shortest_path"]
        assert path[0] == told["initial_position"]
        steps = [abs(a["x"] - b["x"]) + abs(a["z"] - b["z"]) for a, b in pairwise(path)]
        assert all(step == GRID for step in steps)
        assert sum(steps) == told["shortest_path_length"] == task.shortest
    for path in (tmp_path / "out").glob("*/houses/*.json.gz"):
        value = json.loads(gzip.decompress(path.read_bytes()))
        name = path.name.removesuffix(".json.gz").replace("_", ":")
        assert house_of(root(bare(value, name))) == named_house(name)


def evaluated(folder: Path, agent: str, **options: Any) -> tuple[NavigationScore, ...]:
    return play(ObjectNavEvaluation(), ObjectNavTrial(dataset=str(folder), agent=agent, **options))


def test_figures_do_not_depend_on_processes_or_breaks(folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    whole = evaluated(folder, "shortest-path", workers=0)
    assert all(each.success and each.walked == each.shortest for each in whole)
    assert evaluated(folder, "shortest-path", episodes=3, workers=0, log=str(log)) == whole[:3]
    assert evaluated(folder, "shortest-path", workers=0, log=str(log)) == whole
    random = evaluated(folder, "random", max_steps=20, workers=0)
    assert evaluated(folder, "random", max_steps=20, workers=2) == random
    with pytest.raises(UsageError, match="another evaluation"):
        evaluated(folder, "random", workers=0, log=str(log))


def test_what_is_no_dataset_of_objectnav_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        tasks_at(tmp_path / "nowhere")
    (first, *_) = Dataset(folder)
    with pytest.raises(InputError, match="is not one of ObjectNav"):
        task_of(replace(first, parameters=()))


def test_the_verb_prints_a_table_and_json(folder: Path) -> None:
    words = ("evaluate", "objectnav", folder, "--agent", "shortest-path", "-n", 2, "--workers", 0)
    told = json.loads(chorewright(*words, "--json").stdout)
    assert told["results"]["overall"]["overall"]["spl"] == 1.0
    assert "SoftSPL" in chorewright(*words).stdout


def test_a_folder_of_generated_houses_is_taken_as_it_is(tmp_path: Path) -> None:
    """What ``houses`` says of the folder is no scene."""
    write_houses(tmp_path / "homes", range(2), HouseRequest((2, 3)), 0, lambda done, total: None)
    asked = config(2, scenes=(str(tmp_path / "homes"),))
    given = BENCHMARK.assign(asked, 2)
    assert {each.scene for each in given} == {"house_000000", "house_000001"}
    assert all(BENCHMARK.episode(each.index, asked, each).outcome.accepted for each in given)
