"""Folders in CALVIN's layout become datasets, and leave as they came."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chorewright.errors import ChorewrightError, UsageError
from chorewright.generator.calvin.importing import CalvinImporter
from chorewright.generator.calvin.layout import check_layout
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
        return {**frame, "actions": frame["actions"] + 1e-5, "rgb_static": np.zeros((200, 200, 3), np.uint8)}

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
    assert not [each for each in check_layout(back).problems if "rel_actions" not in each[1] and "pose" not in each[1]]
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
