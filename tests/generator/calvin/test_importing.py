"""Folders in CALVIN's layout become datasets, and leave as they came."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chorewright.errors import ChorewrightError, UsageError
from chorewright.generator.calvin.importing import CalvinImporter
from chorewright.generator.calvin.layout import check_layout
from chorewright.generator.calvin.lerobot_importing import LeRobotImporter
from chorewright.generator.calvin.pickles import pickled, read_pickled
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.importing import UNCHECKED, import_folder
from chorewright.generator.production.verify import verify
from chorewright.generator.training.export_marker import MARKER
from chorewright.generator.training.exporter import export_dataset, make_exporter
from tests.command import digests

Frame = dict[str, Any]


def export(dataset: Dataset, target: Path) -> Path:
    export_dataset(make_exporter("calvin", {}), dataset, target)
    return target


def import_all(layout: Path, target: Path) -> Dataset:
    import_folder(CalvinImporter(), layout, target)
    return Dataset(target)


def without_marker(folder: Path) -> Mapping[str, str]:
    return {name: each for name, each in digests(folder).items() if name != MARKER}


def test_what_is_imported_leaves_as_it_came(folder: Path, tmp_path: Path) -> None:
    layout = export(Dataset(folder), tmp_path / "layout")
    imported = import_all(layout, tmp_path / "imported")
    assert verify(tmp_path / "imported").ok
    assert without_marker(export(imported, tmp_path / "back")) == without_marker(layout)
    made = {(each.split, len(each.steps)): each for each in Dataset(folder)}
    for episode in imported:
        same = made[episode.split, len(episode.steps)]
        assert [each.action for each in episode.segments] == [each.action for each in same.segments]
        told = [each.text for each in same.instructions if each.level == "step"]
        assert [each.text for each in episode.instructions] == told
        assert "no contacts" in episode.extra(UNCHECKED)


def foreign(folder: Path, change: Callable[[Frame], Frame], split: str = "training") -> None:
    """Take out of frames what CALVIN's own do not have, and change them."""
    for file in sorted((folder / split).glob("episode_*.npz")):
        with np.load(file) as stored:
            frame = {name: stored[name] for name in ("actions", "rel_actions", "robot_obs", "scene_obs")}
        np.savez(file, **change(frame))


def as_play(folder: Path, split: str) -> None:
    """Leave one window of 40 frames in the middle of each episode, as annotations of play have."""
    shutil.rmtree(folder / split / "lang_segments", ignore_errors=True)
    spans = [(first + 20, first + 60) for first, _ in np.load(folder / split / "ep_start_end_ids.npy")][::-1]
    said = ["press the button" for _ in spans]
    language = {"ann": said, "task": ["turn_on_led" for _ in spans]}
    told = pickled({"language": language, "info": {"episodes": [], "indx": spans}})
    (folder / split / "lang_annotations" / "auto_lang_ann.npy").write_bytes(told)


def test_recordings_of_play(folder: Path, tmp_path: Path) -> None:
    """Without commands, with numbers of their own, poses a little off, and windows in any order."""
    layout = export(Dataset(folder), tmp_path / "layout")

    def off(frame: Frame) -> Frame:
        actions = frame["actions"] + np.array([1e-5] * 6 + [0.0])
        return {**frame, "actions": actions, "rgb_static": np.zeros((200, 200, 3), np.uint8)}

    for split in ("training", "validation"):
        foreign(layout, off, split)
        as_play(layout, split)
    imported = import_all(layout, tmp_path / "imported")
    for episode in imported:
        assert (episode.task, episode.goal) == ("play", "turn_on_led")
        assert [each.action for each in episode.segments] == ["play", "turn_on_led", "play"]
        assert [step.segment for step in episode.steps].count(1) == 40
    back = export(imported, tmp_path / "back")
    for split in ("training", "validation"):
        for file in sorted((layout / split).glob("episode_*.npz")):
            with np.load(file) as one, np.load(back / split / file.name) as other:
                assert sorted(other.files) == ["actions", "rel_actions", "robot_obs", "scene_obs"]
                assert all((one[name] == other[name]).all() for name in other.files)
        told = [read_pickled(each / split / "lang_annotations/auto_lang_ann.npy") for each in (layout, back)]
        assert told[0] == told[1]
        assert not (back / split / "lang_segments").exists()
    assert not check_layout(back).problems
    export_dataset(make_exporter("lerobot", {"pictures": "none"}), imported, tmp_path / "lerobot")


def test_one_split_with_its_own_settings(layout: Path, tmp_path: Path) -> None:
    shutil.copytree(layout / "validation", tmp_path / "validation")
    (tmp_path / "validation" / "scene_info.npy").unlink()
    imported = import_all(tmp_path / "validation", tmp_path / "imported")
    assert set(imported.splits) == {"validation"}


def damage(file: str, data: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / file).write_bytes(data) and None


def no_scene(folder: Path) -> None:
    (folder / "training" / "scene_info.npy").write_bytes(pickled({"calvin_scene_D": [5, 6]}))
    (folder / "training" / ".hydra" / "merged_config.yaml").unlink()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (damage("training/episode_0000001.npz", b"x"), "episode_0000001.npz.*cannot be read"),
        (lambda folder: (folder / "training/episode_0000001.npz").unlink(), "episode_0000001.npz|cannot"),
        (damage("training/ep_start_end_ids.npy", b"x"), "ep_start_end_ids.npy"),
        (
            lambda folder: (folder / "training/ep_start_end_ids.npy").unlink(),
            "training/ep_start_end_ids.npy.*cannot be",
        ),
        (damage("training/lang_segments/auto_lang_ann.npy", pickled({"language": 1})), "no sentences, tasks and spans"),
        (damage("training/scene_info.npy", pickled({"calvin_scene_Q": [0, 9999]})), "there is no scene"),
        (damage("training/scene_info.npy", pickled([1])), "no dictionary of scenes"),
        (no_scene, "does not say at which table"),
        (lambda folder: foreign(folder, lambda frame: {**frame, "scene_obs": frame["scene_obs"] * np.nan}), "finite"),
        (lambda folder: foreign(folder, lambda frame: {"robot_obs": frame["robot_obs"]}), "lacks actions"),
    ],
)
def test_damaged_folders(layout: Path, tmp_path: Path, change: Callable[[Path], object], said: str) -> None:
    shutil.copytree(layout, tmp_path / "layout")
    change(tmp_path / "layout")
    with pytest.raises(ChorewrightError, match=said):
        import_folder(CalvinImporter(), tmp_path / "layout", tmp_path / "imported")


def test_another_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no recordings in the format calvin"):
        import_folder(CalvinImporter(), tmp_path, tmp_path / "imported")


# LeRobot datasets of the table.


@pytest.fixture(scope="module")
def lerobot(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("lerobot") / "frames"
    export_dataset(make_exporter("lerobot", {"pictures": "none"}), Dataset(folder), target)
    return target


def test_lerobot_datasets_leave_as_they_came(folder: Path, lerobot: Path, tmp_path: Path) -> None:
    import_folder(LeRobotImporter(), lerobot, tmp_path / "imported")
    imported = Dataset(tmp_path / "imported")
    assert verify(tmp_path / "imported").ok
    export_dataset(make_exporter("lerobot", {"pictures": "none"}), imported, tmp_path / "back")
    both = (without_marker(lerobot), without_marker(tmp_path / "back"))
    kept = [
        {name: each for name, each in one.items() if "/groups/" not in name and name != "README.md"} for one in both
    ]
    assert kept[0] == kept[1]
    told = [
        sorted((each.split, [segment.action for segment in each.segments]) for each in some)
        for some in (imported, Dataset(folder))
    ]
    assert told[0] == told[1]
    export(imported, tmp_path / "layout")
    assert not check_layout(tmp_path / "layout").problems


def edit(change: Callable[[Any], object]) -> Callable[[Path], None]:
    def changed(folder: Path) -> None:
        info = folder / "meta" / "info.json"
        document = json.loads(info.read_text("utf-8"))
        change(document)
        info.write_text(json.dumps(document), "utf-8")

    return changed


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (edit(lambda info: info.update(codebase_version="v2.1")), r"only LeRobotDataset v3.0 is read, not 'v2.1'"),
        (edit(lambda info: info["features"].pop("action.absolute")), r"lacks the feature 'action.absolute'"),
        (edit(lambda info: info["features"]["action"].update(shape=[6])), r"expected \[7\]"),
        (damage("data/chunk-000/file-000.parquet", b"x"), r"file-000.parquet.*cannot be read"),
        (damage("meta/episodes/chunk-000/file-000.parquet", b"x"), r"file-000.parquet.*cannot be read"),
    ],
)
def test_damaged_lerobot_datasets(lerobot: Path, tmp_path: Path, change: Callable[[Path], object], said: str) -> None:
    shutil.copytree(lerobot, tmp_path / "frames")
    change(tmp_path / "frames")
    with pytest.raises(ChorewrightError, match=said):
        import_folder(LeRobotImporter(), tmp_path / "frames", tmp_path / "imported")
