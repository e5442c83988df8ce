"""TEACh's games become datasets, and leave as they came."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chorewright.errors import ChorewrightError, UsageError
from chorewright.generator.dataset.episode import NOISE
from chorewright.generator.dataset.options import configure
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.noise import noise_of
from chorewright.generator.production.importing import UNCHECKED, import_folder
from chorewright.generator.production.line import run
from chorewright.generator.production.verify import verify
from chorewright.generator.teach.benchmark import TeachBenchmark
from chorewright.generator.teach.export.importing import TeachImporter
from chorewright.generator.training.export_marker import MARKER
from chorewright.generator.training.exporter import export_dataset, make_exporter
from tests.command import digests


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated dataset, its games, and the dataset that the games become."""
    folder = tmp_path_factory.mktemp("teach")
    run(configure(TeachBenchmark(), "teach", 2, {"noise": 0.1}), folder / "made", workers=0)
    export_dataset(make_exporter("teach", {}), Dataset(folder / "made"), folder / "games")
    import_folder(TeachImporter(), folder / "games", folder / "imported")
    return folder


def test_what_is_imported_leaves_as_it_came(place: Path, tmp_path: Path) -> None:
    export_dataset(make_exporter("teach", {}), Dataset(place / "imported"), tmp_path / "back")
    both = digests(place / "games"), digests(tmp_path / "back")
    assert {name: each for name, each in both[0].items() if name != MARKER} == {
        name: each for name, each in both[1].items() if name != MARKER
    }


def test_columns_are_those_of_the_sessions(place: Path) -> None:
    made = {(episode.task, len(episode.steps)): episode for episode in Dataset(place / "made")}
    assert verify(place / "imported").ok
    for episode in Dataset(place / "imported"):
        same = made[episode.task, len(episode.steps)]
        assert [value for _, value in episode.parameters] == [value for _, value in same.parameters]
        assert [each.action for each in episode.steps] == [each.action for each in same.steps]
        assert [noise_of(each) for each in episode.steps] == [noise_of(each) for each in same.steps]
        assert any(map(noise_of, episode.steps)) == (NOISE in dict(episode.extras))
        assert [each.text for each in episode.instructions] == [each.text for each in same.instructions]
        assert [each.call()["objectId"] for each in episode.steps if "objectId" in each.call()] == [
            each.call()["objectId"] for each in same.steps if each.success and "objectId" in each.call()
        ]
        if UNCHECKED not in dict(episode.extras):
            assert episode.outcome.conditions == same.outcome.conditions


def edit(games: Path, change: Callable[[Any], object]) -> None:
    for file in sorted(games.rglob("*.game.json")):
        document = json.loads(file.read_text("utf-8"))
        change(document["tasks"][0]["episodes"][0])
        file.write_text(json.dumps(document), "utf-8")


def test_a_session_that_does_not_run_is_marked(place: Path, tmp_path: Path) -> None:
    shutil.copytree(place / "games", tmp_path / "games")
    edit(tmp_path / "games", lambda episode: episode["interactions"].__delitem__(slice(5, 40)))
    import_folder(TeachImporter(), tmp_path / "games", tmp_path / "imported")
    for episode in Dataset(tmp_path / "imported"):
        assert episode.extra(UNCHECKED)
        assert not episode.outcome.conditions


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda episode: episode.pop("initial_state"), r"initial_state"),
        (lambda episode: episode["initial_state"].pop("objects"), r"objects"),
        (lambda episode: episode["interactions"][0].update(action_id=999), r"interactions\[0\].action_id.*999|999"),
        (lambda episode: [each.update(pose=[1, 2]) for each in episode["interactions"]], r"6 numbers|pose"),
        (lambda episode: [each.update(time_start="x") for each in episode["interactions"]], r"number"),
    ],
)
def test_damaged_games(place: Path, tmp_path: Path, change: Callable[[Any], object], said: str) -> None:
    shutil.copytree(place / "games", tmp_path / "games")
    edit(tmp_path / "games", change)
    with pytest.raises(ChorewrightError, match=said) as caught:
        import_folder(TeachImporter(), tmp_path / "games", tmp_path / "imported")
    assert caught.value.location is not None
    assert str(caught.value.location.path).endswith(".game.json")
    assert not (tmp_path / "imported").exists()


def test_another_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no recordings in the format teach"):
        import_folder(TeachImporter(), tmp_path, tmp_path / "imported")
