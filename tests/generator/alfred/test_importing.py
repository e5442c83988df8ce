"""ALFRED's trees become datasets, and leave as they came."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from chorewright.errors import InputError, UsageError
from chorewright.generator.alfred.importing import FILE, AlfredImporter
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.noise import noise_of
from chorewright.generator.production.importing import IMPORTERS, UNCHECKED, import_folder
from chorewright.generator.production.line import run
from chorewright.generator.production.verify import verify
from chorewright.generator.training.export_marker import MARKER
from chorewright.generator.training.exporter import export_dataset, make_exporter
from chorewright.generator.training.trajectory import is_noisy
from tests.command import chorewright, digests


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated dataset, its tree, and the dataset that the tree becomes."""
    from chorewright.generator.alfred.benchmark import AlfredBenchmark
    from chorewright.generator.dataset.options import configure

    folder = tmp_path_factory.mktemp("alfred")
    tasks = ("alfred/pick_and_place_simple", "alfred/look_at_obj_in_light", "alfred/pick_heat_then_place_in_recep")
    asked = {"tasks": tasks, "scenes": ("FloorPlan10", "FloorPlan301"), "demonstrations": 1, "annotations": 2}
    run(configure(AlfredBenchmark(), "alfred", 5, asked), folder / "made", workers=0)
    export_dataset(make_exporter("alfred", {}), Dataset(folder / "made"), folder / "tree")
    import_folder(AlfredImporter(), folder / "tree", folder / "imported")
    return folder


def test_what_is_imported_leaves_as_it_came(place: Path, tmp_path: Path) -> None:
    export_dataset(make_exporter("alfred", {}), Dataset(place / "imported"), tmp_path / "back")
    both = digests(place / "tree"), digests(tmp_path / "back")
    assert {name: each for name, each in both[0].items() if name != MARKER} == {
        name: each for name, each in both[1].items() if name != MARKER
    }
    assert len(both[0]) == len(Dataset(place / "made")) + 2


def test_columns_are_those_of_the_episodes(place: Path) -> None:
    made = {key(episode): episode for episode in Dataset(place / "made")}
    imported = Dataset(place / "imported")
    assert verify(place / "imported").ok
    assert len(imported) == len(made)
    for episode in imported:
        same = made[key(episode)]
        assert (episode.parameters, episode.goal, episode.split) == (same.parameters, same.goal, same.split)
        assert [each.text for each in episode.instructions] == [each.text for each in same.instructions]
        assert [each.action for each in episode.steps] == [each.action for each in same.steps]
        assert [each.action for each in episode.segments] == [each.action for each in same.segments if each.action in
                                                              {one.action for one in episode.segments}]  # fmt: skip
        assert episode.outcome.conditions == same.outcome.conditions
        assert UNCHECKED not in dict(episode.extras)


def test_noise_comes_back(tmp_path: Path) -> None:
    config = GenerateConfig("alfred", 2, options=(("demonstrations", 1), ("noise", 0.4)))
    run(config, tmp_path / "made", workers=0)
    export_dataset(make_exporter("alfred", {}), Dataset(tmp_path / "made"), tmp_path / "tree")
    import_folder(AlfredImporter(), tmp_path / "tree", tmp_path / "imported")
    made = {key(episode): episode for episode in Dataset(tmp_path / "made")}
    for episode in Dataset(tmp_path / "imported"):
        same = made[key(episode)]
        assert list(map(noise_of, episode.steps)) == list(map(noise_of, same.steps))
        assert [each.success for each in episode.steps] == [each.success for each in same.steps]
        assert UNCHECKED not in dict(episode.extras)
    assert is_noisy(Dataset(tmp_path / "imported"))


def key(episode: Any) -> tuple[str, int, str]:
    return episode.task, episode.seed % 2**32, episode.scene.name


def test_one_split_of_a_tree(place: Path, tmp_path: Path) -> None:
    split = next(path for path in sorted((place / "tree").iterdir()) if list(path.glob(f"*/*/{FILE}")))
    import_folder(AlfredImporter(), split, tmp_path / "part")
    part = Dataset(tmp_path / "part")
    assert set(part.splits) == {split.name}
    export_dataset(make_exporter("alfred", {}), part, tmp_path / "back")
    assert digests(tmp_path / "back" / split.name) == digests(split)


def edit(tree: Path, change: Any) -> Path:
    """Change the first recording of a tree; return its file."""
    file = sorted(tree.rglob(FILE))[0]
    document = json.loads(file.read_text("utf-8"))
    change(document)
    file.write_text(json.dumps(document), "utf-8")
    return file


def test_what_cannot_be_checked_is_marked(place: Path, tmp_path: Path) -> None:
    tree = Path(shutil.copytree(place / "tree", tmp_path / "tree"))
    edit(tree, lambda document: document["plan"]["low_actions"].pop())
    import_folder(AlfredImporter(), tree, tmp_path / "imported")
    marked = Dataset(tmp_path / "imported").filter(where=f"extras.{UNCHECKED} IS NOT NULL")
    assert verify(tmp_path / "imported").ok
    assert len(marked) == 1
    assert marked[0].outcome.conditions == ()


def test_a_step_that_should_have_failed_is_told(place: Path, tmp_path: Path) -> None:
    tree = Path(shutil.copytree(place / "tree", tmp_path / "tree"))
    edit(tree, lambda document: document["plan"]["low_actions"][0].update(success=False))
    import_folder(AlfredImporter(), tree, tmp_path / "imported")
    (marked,) = Dataset(tmp_path / "imported").filter(where=f"extras.{UNCHECKED} IS NOT NULL")
    assert dict(marked.extras)[UNCHECKED] == f"step 0, {marked.steps[0].action}: it succeeds"


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.pop("plan"),
        lambda document: document["scene"].pop("object_poses"),
        lambda document: document["scene"].update(floor_plan="FloorPlan999"),
        lambda document: document["plan"]["low_actions"][0].pop("high_idx"),
        lambda document: document["plan"]["high_pddl"][0]["discrete_action"].pop("args"),
        lambda document: document["turk_annotations"].update(anns=3),
        lambda document: document["scene"].update(random_seed="x"),
    ],
)
def test_a_damaged_recording_is_an_error(place: Path, tmp_path: Path, change: Any) -> None:
    tree = Path(shutil.copytree(place / "tree", tmp_path / "tree"))
    file = edit(tree, change)
    with pytest.raises(InputError) as caught:
        import_folder(AlfredImporter(), tree, tmp_path / "imported")
    assert str(file) in str(caught.value)


def test_the_verb(place: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "alfred" in IMPORTERS.names()
    done = chorewright("data", "import", place / "tree", "--format", "alfred", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "0 of them could not be checked" in done.stdout
    both = chorewright("data", "merge", "out", place / "made", "--out", "both", cwd=tmp_path)
    assert both.returncode == 0, both.stderr
    assert len(Dataset(tmp_path / "both")) == 2 * len(Dataset(place / "made"))
    for words, said in (
        (("empty", "--format", "alfred"), "has no recordings"),
        (("nosuch", "--format", "alfred"), "is no folder"),
        (("empty", "--format", "nosuch"), "no import format"),
    ):
        done = chorewright("data", "import", *words, "--out", "x", cwd=tmp_path)
        assert done.returncode == 2, done
        assert said in done.stderr
    with pytest.raises(UsageError, match="was not generated but imported"):
        verify(tmp_path / "out", remake=1)
