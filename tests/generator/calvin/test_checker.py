"""The checker of CALVIN's layout sees each way in which a dataset may be spoiled."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chorewright.errors import StorageError, UsageError
from chorewright.generator.calvin.export.exporter import CalvinExporter
from chorewright.generator.calvin.layout import IDS, check_layout, is_calvin
from chorewright.generator.calvin.pickles import pickled, read_pickled
from chorewright.generator.dataset.episode import Episode

pytest.importorskip("pybullet")


def frame(split: Path, number: int = 3) -> Path:
    return sorted(split.glob("episode_*.npz"))[number]


def changed(name: str, change: Callable[[Any], Any]) -> Callable[[Path], None]:
    def spoil(split: Path) -> None:
        path = frame(split)
        values = dict(np.load(path))
        values[name] = change(values.get(name))
        np.savez_compressed(path, **values)

    return spoil


def replaced(name: str, change: Callable[[Any], Any]) -> Callable[[Path], None]:
    def spoil(split: Path) -> None:
        path = split / name
        value = read_pickled(path)
        value = change(value)
        if isinstance(value, np.ndarray):
            np.save(path, value)
        else:
            path.write_bytes(pickled(value))

    return spoil


def edited(name: str, old: str, new: str) -> Callable[[Path], None]:
    def spoil(split: Path) -> None:
        text = (split / name).read_text()
        assert old in text
        (split / name).write_text(text.replace(old, new))

    return spoil


def without_key(name: str) -> Callable[[Path], None]:
    def spoil(split: Path) -> None:
        values = dict(np.load(frame(split)))
        del values[name]
        np.savez_compressed(frame(split), **values)

    return spoil


def code(split: Path) -> None:
    """Annotations that would run a command."""

    class Call:
        def __reduce__(self) -> Any:
            return os.system, (f"touch {split}/touched",)

    value = np.empty((), object)
    value[()] = {"language": Call()}
    np.save(split / "lang_annotations" / "auto_lang_ann.npy", value, allow_pickle=True)


def put(values: Any, at: Any, value: Any) -> Any:
    values = values.copy()
    values[at] = value
    return values


def language(change: Callable[[Any], Any]) -> Callable[[Path], None]:
    def of(value: Any) -> Any:
        change(value)
        return value

    return replaced("lang_annotations/auto_lang_ann.npy", of)


ANN = "lang_annotations/auto_lang_ann.npy"
SPOILED: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "frames not told": (lambda split: (split / IDS).unlink(), "ep_start_end_ids.npy", "cannot be read"),
    "frame gone": (lambda split: frame(split).unlink(), "episode_", "is missing"),
    "frame too many": (lambda split: shutil.copy(frame(split), split / "episode_9999999.npz"), "9999999", "no episode"),
    "frame cut off": (
        lambda split: frame(split).write_bytes(frame(split).read_bytes()[:300]),
        "episode_",
        "cannot be read",
    ),
    "frame empty": (lambda split: frame(split).write_bytes(b""), "episode_", "cannot be read"),
    "key gone": (without_key("scene_obs"), "episode_", "lacks scene_obs"),
    "shape": (changed("robot_obs", lambda v: v[:14]), "episode_", "robot_obs of the wrong shape"),
    "type": (changed("actions", lambda v: v.astype(int)), "episode_", "actions of the wrong"),
    "objects": (changed("actions", lambda v: np.array([{}], object)), "episode_", "type object"),
    "not finite": (changed("scene_obs", lambda v: put(v, 3, np.nan)), "episode_", "scene_obs"),
    "gripper": (changed("actions", lambda v: put(v, 6, 0.5)), "episode_", "gripper"),
    "relative": (changed("rel_actions", lambda v: put(v, 0, v[0] + 0.1)), "episode_", "do not lead"),
    "pose": (changed("robot_obs", lambda v: put(v, 1, v[1] + 0.01)), "episode_", "another pose"),
    "a picture in one": (changed("rgb_static", lambda v: np.zeros((200, 200, 3), np.uint8)), "episode_", "pictures"),
    "ids overlap": (replaced("ep_start_end_ids.npy", lambda v: put(v, (1, 0), v[0, 1])), "ep_start", "share"),
    "ids backwards": (replaced("ep_start_end_ids.npy", lambda v: v[:, ::-1]), "ep_start", "ends before"),
    "ids broken numbers": (replaced("ep_start_end_ids.npy", lambda v: v * 1.0), "ep_start", "integers"),
    "lengths": (replaced("ep_lens.npy", lambda v: v + 1), "ep_lens", "differs"),
    "lengths of another": (replaced("ep_lens.npy", lambda v: v[:1]), "ep_lens", "shape"),
    "scene gone": (lambda split: (split / "scene_info.npy").unlink(), "scene_info", "missing"),
    "scene short": (
        replaced("scene_info.npy", lambda v: {k: [a, b - 1] for k, (a, b) in v.items()}),
        "scene_info",
        "no scene",
    ),
    "scene unknown": (replaced("scene_info.npy", lambda v: {f"{k}2": w for k, w in v.items()}), "scene_info", "names"),
    "scene list": (replaced("scene_info.npy", lambda v: [1, 2]), "scene_info", "structure"),
    "statistics": (edited("statistics.yaml", "act_min_bound: [-", "act_min_bound: ["), "statistics", "exceed"),
    "statistics text": (edited("statistics.yaml", "act_min_bound", "act_min"), "statistics", "structure"),
    "no yaml": (edited("statistics.yaml", "robot_obs:", "robot_obs: ["), "statistics", "no YAML"),
    "target": (edited("statistics.yaml", "NormalizeVector", "Normalise"), "statistics", "target"),
    "config gone": (lambda split: (split / ".hydra" / "config.yaml").unlink(), "config.yaml", "cannot read"),
    "config": (edited(".hydra/merged_config.yaml", "PlayTableSimEnv", "Env"), "merged", "environment"),
    "code": (code, ANN, "is not read"),
    "sentence": (language(lambda v: v["language"]["ann"].append("x")), ANN, "sentences"),
    "task": (language(lambda v: v["language"]["task"].__setitem__(0, "dance")), ANN, "dance"),
    "span": (language(lambda v: v["info"]["indx"].__setitem__(0, (0, 65))), ANN, "span"),
    "span outside": (language(lambda v: v["info"]["indx"].__setitem__(0, (10**6, 10**6 + 64))), ANN, "no episode"),
    "zeros": (language(lambda v: v["language"]["emb"].__imul__(0)), ANN, "zero"),
    "embedding shape": (language(lambda v: v["language"].update(emb=v["language"]["emb"][:, 0])), ANN, "shape"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_the_checker_sees(name: str, layout: Path, tmp_path: Path) -> None:
    spoil, file, message = SPOILED[name]
    shutil.copytree(layout / "training", tmp_path / "training")
    if file == ANN:
        told: Any = read_pickled(tmp_path / "training" / ANN)
        assert told["language"]["ann"], "there is an annotation to spoil"
    spoil(tmp_path / "training")
    found = [str(problem) for problem in check_layout(tmp_path).problems]
    assert any(file in each and message in each for each in found), found
    assert not (tmp_path / "training" / "touched").exists()


def test_what_is_a_layout(layout: Path, folder: Path, tmp_path: Path) -> None:
    assert is_calvin(layout)
    assert is_calvin(layout / "validation")
    assert not is_calvin(folder)
    with pytest.raises(UsageError):
        check_layout(tmp_path)
    shutil.copytree(layout / "validation", tmp_path / "validation")
    shutil.copytree(layout / "validation", tmp_path / "training")
    assert any("numbers" in message for _, message in check_layout(tmp_path).problems)


def test_an_export_is_not_mixed_with_another(layout: Path, tmp_path: Path, episodes: list[Episode]) -> None:
    with pytest.raises(StorageError, match="another dataset"):
        CalvinExporter().write(episodes[:1], layout)
