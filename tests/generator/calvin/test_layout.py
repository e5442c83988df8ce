"""CALVIN's layout: what is read back from it is what was stored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from chorewright.generator.calvin.export.exporter import CalvinExporter
from chorewright.generator.calvin.layout import check_layout
from chorewright.generator.calvin.records import achieve, episode_frames, episode_scene
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.replay.calvin.snapshot import detected_tasks, tasks_done
from chorewright.rsa.calvin.instructions import validation_sentence
from tests.generator.calvin.chains import lengths

pytest.importorskip("pybullet")


def test_the_layout_has_no_problem(layout: Path, episodes: list[Episode]) -> None:
    report = check_layout(layout)
    assert not report.problems
    frames = {episode.index: len(episode.steps) for episode in episodes}
    assert [(split.name, split.frames, split.episodes) for split in report.splits] == [
        ("training", frames[0] + frames[1], 2),
        ("validation", frames[2], 1),
    ]


def test_what_is_read_back_is_what_is_stored(layout: Path, episodes: list[Episode]) -> None:
    """Read as CALVIN's own loader does: by NumPy, with pickles allowed."""
    scenes = np.load(layout / "training" / "scene_info.npy", allow_pickle=True).item()
    assert list(scenes) == ["calvin_scene_B", "calvin_scene_D"]
    read = []
    for split in ("training", "validation"):
        ids = np.load(layout / split / "ep_start_end_ids.npy")
        assert (np.load(layout / split / "ep_lens.npy") == ids[:, 1] - ids[:, 0] + 1).all()
        for first, last in ids:
            files = [layout / split / f"episode_{number:07d}.npz" for number in range(first, last + 1)]
            (name,) = [each for each, (low, high) in scenes.items() if low <= first <= last <= high]
            read.append((split, name, [dict(np.load(file)) for file in files]))
    assert len(list(layout.rglob("episode_*.npz"))) == sum(len(rows) for _, _, rows in read)
    for episode in episodes:
        (rows,) = [
            rows for split, name, rows in read if split == episode.split and name == episode_scene(episode).full_name
        ]
        frames = episode_frames(episode)
        actions, relative = achieve(frames)
        for number, row in enumerate(rows):
            assert set(row) == {
                *("actions", "rel_actions", "robot_obs", "scene_obs"),
                *("commanded_actions", "commanded_rel_actions"),
            }
            assert (row["robot_obs"] == frames[number].robot_obs).all()
            assert (row["scene_obs"] == frames[number].scene_obs).all()
            assert (row["actions"] == actions[number]).all()
            assert (row["rel_actions"] == relative[number]).all()
            assert (row["commanded_actions"] == frames[number].command).all()
        assert (rows[-1]["actions"][:6] == frames[-1].robot_obs[:6]).all()


def test_statistics_are_those_of_the_frames(layout: Path) -> None:
    rows = [dict(np.load(file)) for file in sorted((layout / "training").glob("episode_*.npz"))]
    told = yaml.safe_load((layout / "training" / "statistics.yaml").read_text())
    for name in ("robot_obs", "scene_obs"):
        values = np.array([row[name] for row in rows])
        assert np.allclose(told[name][0]["mean"], values.mean(axis=0), atol=1e-5)
        assert np.allclose(told[name][0]["std"], values.std(axis=0), atol=1e-5)
    actions = np.array([row["actions"] for row in rows])
    assert np.allclose(told["act_min_bound"], actions.min(axis=0), atol=1e-5)
    assert np.allclose(told["act_max_bound"], actions.max(axis=0), atol=1e-5)


def test_the_configuration_resolves_to_the_scene(layout: Path) -> None:
    told = yaml.safe_load((layout / "validation" / ".hydra" / "merged_config.yaml").read_text())
    assert told["env"]["scene_cfg"] == "${scene}"
    assert told["scene"]["objects"]["fixed_objects"]["table"]["file"].endswith("calvin_table_D.urdf")
    assert list(told["scene"]["objects"]["movable_objects"]) == ["block_red", "block_blue", "block_pink"]


def test_annotations_are_embedded_or_left_out(layout: Path, folder: Path, tmp_path: Path) -> None:
    CalvinExporter().write(Dataset(folder), tmp_path / "plain")
    for split in ("training", "validation"):
        file = Path(split, "lang_annotations", "auto_lang_ann.npy")
        told = np.load(layout / file, allow_pickle=True).item()
        plain = np.load(tmp_path / "plain" / file, allow_pickle=True).item()
        assert plain["info"] == told["info"]
        assert "emb" not in plain["language"], "no stand-ins for embeddings"
        assert (told["language"]["emb"][:, 0] == lengths(told["language"]["ann"])).all()
    told = np.load(layout / "validation" / "lang_annotations" / "embeddings.npy", allow_pickle=True).item()
    assert sorted(told) == sorted(detected_tasks())
    for task, row in told.items():
        assert row["ann"] == [validation_sentence(task)]
        assert (row["emb"] == lengths(row["ann"])[None]).all()
    assert not (tmp_path / "plain" / "validation" / "lang_annotations" / "embeddings.npy").exists()
    assert not check_layout(tmp_path / "plain").problems


def test_annotated_windows_hold_their_task(layout: Path, episodes: list[Episode]) -> None:
    ids = np.load(layout / "training" / "ep_start_end_ids.npy")
    told = np.load(layout / "training" / "lang_annotations" / "auto_lang_ann.npy", allow_pickle=True).item()
    order = [episodes[1], episodes[0]]  # scene B comes before scene D
    for (first, end), task in zip(told["info"]["indx"], told["language"]["task"], strict=True):
        place = int(np.searchsorted(ids[:, 0], first, side="right")) - 1
        frames = episode_frames(order[place])
        start, last = (frames[at - ids[place, 0]].snapshot for at in (first, end - 1))
        assert tasks_done(start, last) == {task}
