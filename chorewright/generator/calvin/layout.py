"""A checker of CALVIN's layout on disk: what its documentation says of each file, and how they fit together.

Nothing of the code that writes the layout is used here, but the reader of pickles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import ChorewrightError, InputError, Location, UsageError, shorten
from chorewright.files.json_node import show_value
from chorewright.files.text import read_text
from chorewright.generator.calvin.pickles import read_arrays, read_pickled
from chorewright.replay.calvin.snapshot import detected_tasks

SPLITS = ("training", "validation")
WINDOW = 64

VECTORS: Mapping[str, tuple[int, ...]] = {"actions": (7,), "rel_actions": (7,), "robot_obs": (15,), "scene_obs": (24,)}
PICTURES: Mapping[str, tuple[tuple[int, ...], str]] = {
    "rgb_static": ((200, 200, 3), "uint8"),
    "rgb_gripper": ((84, 84, 3), "uint8"),
    "rgb_tactile": ((160, 120, 6), "uint8"),
    "depth_static": ((200, 200), "float32"),
    "depth_gripper": ((84, 84), "float32"),
    "depth_tactile": ((160, 120, 2), "float32"),
}

IDS = "ep_start_end_ids.npy"
"""The first and the last frame of each episode."""

_FRAME = re.compile(r"episode_(\d{7})\.npz")
MOST_NUMBER = 9_999_999
"""The last number that the name of a frame's file has room for."""

MOST_MISSING = 100_000
"""Of more frames, half of the files must be there before they are looked at one by one."""

_MOST_YAML = 1_000_000
"""Bytes of a file of settings."""

_SAID = 200
"""Characters of what Python says of a wrong structure."""

_MANY = 20
"""So many problems of a kind are told one by one."""


@dataclass(frozen=True, slots=True)
class SplitFigures:
    """What a split holds."""

    name: str
    frames: int
    episodes: int
    annotations: int
    pictures: tuple[str, ...]
    embedded: bool


@dataclass(frozen=True, slots=True)
class LayoutReport:
    """A checked folder: its splits, and what is wrong with them as (file, message)."""

    splits: tuple[SplitFigures, ...]
    problems: tuple[tuple[str, str], ...]


def is_calvin(folder: Path) -> bool:
    """Return whether a folder has CALVIN's layout, or is one of its splits."""
    return bool(find_splits(folder))


def check_layout(folder: Path) -> LayoutReport:
    """Check all files of a dataset in CALVIN's layout.

    Raises:
        UsageError: The folder is not of that layout at all.
    """
    splits = find_splits(folder)
    if not splits:
        raise UsageError(
            f"{folder} is no dataset in CALVIN's layout",
            hint="it has folders training and validation, each with ep_start_end_ids.npy",
        )
    figures, problems = [], []
    ranges: list[tuple[str, NDArray[np.int64]]] = []
    for name, path in splits:
        check = _Split(path)
        problems += [(f"{name}/{file}", message) for file, message in check.problems()]
        figures.append(check.figures(name))
        ranges.append((name, check.ids))
    for (one, first), (two, second) in pairwise(ranges):
        shared = set(_all_frames(first)) & set(_all_frames(second))
        if shared:
            message = f"numbers {len(shared)} frames as {one} does, {min(shared)} among them"
            problems.append((f"{two}/ep_start_end_ids.npy", message))
    return LayoutReport(tuple(figures), tuple(problems))


def find_splits(folder: Path) -> list[tuple[str, Path]]:
    """Return the splits of a folder in CALVIN's layout by name, itself if it is one; none if it is of another.

    What holds frames is a split, too, if the file of its episodes is missing.
    """
    found = [(name, folder / name) for name in SPLITS]
    found.append((folder.resolve().name, folder))
    return [(name, path) for name, path in found if (path / IDS).is_file() or any(path.glob("episode_*.npz"))]


def read_ids(folder: Path) -> NDArray[np.int64]:
    """Return the first and the last frame of each episode of a split (n, 2); ends are inclusive.

    Raises:
        InputError: The file cannot be read, or says something else, or what cannot be.
    """
    path = folder / IDS
    ids = read_pickled(path)
    if not isinstance(ids, np.ndarray) or ids.dtype.kind not in "iu" or ids.shape[1:] != (2,):
        raise InputError("is no array of integers of the shape (n, 2)", location=Location(str(path)))
    if (ids < 0).any() or (ids[:, 1] < ids[:, 0]).any() or (ids > MOST_NUMBER).any():
        message = f"has an episode that ends before it starts, or frames beyond {MOST_NUMBER}"
        raise InputError(message, location=Location(str(path)))
    frames = sum(end - start + 1 for start, end in ids.tolist())
    if frames > MOST_MISSING and frames > 2 * (files := sum(1 for _ in folder.iterdir())):
        raise InputError(f"numbers {frames:,} frames, but there are {files:,} files", location=Location(str(path)))
    order = np.argsort(ids[:, 0], kind="stable")
    if (ids[order][1:, 0] <= ids[order][:-1, 1]).any():
        raise InputError("has episodes that share frames; ends are inclusive", location=Location(str(path)))
    return ids.astype(np.int64)


def _all_frames(ids: NDArray[np.int64]) -> Iterator[int]:
    for start, end in ids.tolist():
        yield from range(start, end + 1)


class _Split:
    """One split under examination."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ids: NDArray[np.int64] = np.zeros((0, 2), np.int64)
        self._pictures: tuple[str, ...] | None = None
        self._annotations = 0
        self._embedded = False
        self._bounds = np.full((2, 7), np.nan)

    def figures(self, name: str) -> SplitFigures:
        """Return what was found in it; after ``problems``."""
        frames = sum(1 for _ in _all_frames(self.ids))
        pictures = self._pictures or ()
        return SplitFigures(name, frames, len(self.ids), self._annotations, pictures, self._embedded)

    def problems(self) -> Iterator[tuple[str, str]]:
        """Yield each file that is not as it should be, and why."""
        ids = self._ids()
        yield from ids
        if ids:
            return
        yield from self._frame_problems()
        for file, check in (
            ("ep_lens.npy", self._lengths),
            ("scene_info.npy", self._scene_info),
            ("statistics.yaml", self._statistics),
            (".hydra/merged_config.yaml", self._config),
            (".hydra/config.yaml", self._config),
            ("lang_annotations/auto_lang_ann.npy", self._language),
            ("lang_segments/auto_lang_ann.npy", self._segments),
            ("lang_annotations/embeddings.npy", self._sentences),
        ):
            try:
                yield from ((file, message) for message in check(self.folder / file))
            except ChorewrightError as error:
                yield file, error.message
            except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
                yield file, f"has another structure: {type(error).__name__}: {shorten(str(error), _SAID)}"

    def _ids(self) -> list[tuple[str, str]]:
        try:
            self.ids = read_ids(self.folder)
        except ChorewrightError as error:
            return [(IDS, error.message)]
        return []

    def _frame_problems(self) -> Iterator[tuple[str, str]]:
        there = {int(m[1]) for path in self.folder.iterdir() if (m := _FRAME.fullmatch(path.name))}
        wanted = set(_all_frames(self.ids))
        for what, numbers in (("is missing", wanted - there), ("belongs to no episode", there - wanted)):
            for number in sorted(numbers)[:_MANY]:
                yield f"episode_{number:07d}.npz", what
            if len(numbers) > _MANY:
                yield "episode_*.npz", f"{len(numbers) - _MANY} more: {what}"
        for start, end in self.ids.tolist():
            before: dict[str, NDArray[Any]] | None = None
            for number in range(start, end + 1):
                if number not in there:
                    before = None
                    continue
                file = f"episode_{number:07d}.npz"
                frame, problems = self._frame(file)
                yield from ((file, message) for message in problems)
                if frame is not None and before is not None:
                    yield from ((file, message) for message in _follows(before, frame))
                before = None if problems else frame

    def _frame(self, file: str) -> tuple[dict[str, NDArray[Any]] | None, list[str]]:
        try:
            frame = read_arrays(
                self.folder / file, {**VECTORS, **{name: shape for name, (shape, _) in PICTURES.items()}}
            )
        except ChorewrightError as error:
            return None, [error.message]
        problems = [f"lacks {name}" for name in VECTORS if name not in frame]
        problems += [f"has {name} of the wrong shape or type" for name in VECTORS if _odd(frame, name)]
        pictures = tuple(name for name in PICTURES if name in frame)
        for name in pictures:
            shape, dtype = PICTURES[name]
            if frame[name].shape != shape or frame[name].dtype != dtype:
                problems.append(f"has {name} of the shape {frame[name].shape} and type {frame[name].dtype}")
            elif not np.isfinite(frame[name]).all() or (frame[name] < 0).any():
                problems.append(f"has {name} with values that cannot be")
        if self._pictures is None:
            self._pictures = pictures
        if pictures != self._pictures:
            problems.append(f"has the pictures {pictures}, the first frame {self._pictures}")
        if not problems:
            problems += _within(frame)
            actions = frame["actions"]
            self._bounds = np.array([np.fmin(self._bounds[0], actions), np.fmax(self._bounds[1], actions)])
        return frame, problems

    def _lengths(self, path: Path) -> Iterator[str]:
        lengths = np.asarray(read_pickled(path))
        wanted = self.ids[:, 1] - self.ids[:, 0] + 1
        if lengths.shape != wanted.shape:
            yield f"has the shape {lengths.shape} instead of {wanted.shape}"
        elif not ((lengths == wanted) | (lengths == wanted - 1)).all():
            yield "differs from ep_start_end_ids.npy"

    def _scene_info(self, path: Path) -> Iterator[str]:
        if not path.exists():
            if self.folder.name == "training":
                yield "is missing"
            return
        scenes: Any = read_pickled(path)
        covered: list[range] = []
        for name, (first, last) in scenes.items():
            if not re.fullmatch(r"calvin_scene_[A-D]", str(name)):
                yield f"names a scene {show_value(name)}"
            new = range(int(first), int(last) + 1)
            if any(max(new.start, other.start) < min(new.stop, other.stop) for other in covered):
                yield f"gives frames of {name} to another scene, too"
            covered.append(new)
        if missing := [frame for frame in _all_frames(self.ids) if not any(frame in each for each in covered)]:
            yield f"gives {len(missing)} frames no scene, {min(missing)} among them"

    def _statistics(self, path: Path) -> Iterator[str]:
        record = _yaml(path)
        for name, length in (("robot_obs", 15), ("scene_obs", 24)):
            normalise = record[name][0]
            if not str(normalise["_target_"]).endswith(".NormalizeVector"):
                yield f"{name} has the target {show_value(normalise['_target_'])}"
            for part in ("mean", "std"):
                if _vector(normalise[part], length) is None:
                    yield f"{name} has a {part} that is not {length} numbers"
        low, high = (_vector(record[name], 7) for name in ("act_min_bound", "act_max_bound"))
        if low is None or high is None:
            yield "act_min_bound and act_max_bound are not 7 numbers each"
        elif self.folder.name == "training":
            inside = (self._bounds[0] >= low - 1e-5) & (self._bounds[1] <= high + 1e-5)
            if not (inside | np.isnan(self._bounds[0])).all():
                yield "has bounds that actions exceed"

    def _config(self, path: Path) -> Iterator[str]:
        record = _yaml(path)
        if path.name.startswith("merged"):
            if not str(record["env"]["_target_"]).endswith("PlayTableSimEnv"):
                yield f"makes an environment of {show_value(record['env']['_target_'])}"
            for part in ("cameras", "scene", "robot"):
                if not isinstance(record.get(part), dict):
                    yield f"lacks {part!r}"

    def _language(self, path: Path) -> Iterator[str]:
        yield from self._annotations_in(path, WINDOW)

    def _segments(self, path: Path) -> Iterator[str]:
        windows = self._annotations
        yield from self._annotations_in(path, MOST_NUMBER)
        self._annotations = windows

    def _annotations_in(self, path: Path, longest: int) -> Iterator[str]:
        if not path.exists():
            return
        record: Any = read_pickled(path)
        language, info = record["language"], record["info"]
        texts, tasks, spans = list(language["ann"]), list(language["task"]), list(info["indx"])
        self._annotations = len(texts)
        if not len(texts) == len(tasks) == len(spans):
            yield f"has {len(texts)} sentences, {len(tasks)} tasks and {len(spans)} spans"
            return
        if not isinstance(info["episodes"], list):
            yield "has info.episodes that is no list"
        yield from _span_problems(spans, self.ids, longest)
        for text, task in zip(texts, tasks, strict=True):
            if not isinstance(text, str) or not text.strip():
                yield f"has the sentence {show_value(text)}"
            if task not in detected_tasks():
                yield f"names the task {show_value(task)}"
        if "emb" in language:
            self._embedded = True
            yield from _vector_problems(np.asarray(language["emb"]), len(texts))

    def _sentences(self, path: Path) -> Iterator[str]:
        if not path.exists():
            return
        record: Any = read_pickled(path)
        for task in detected_tasks():
            if task not in record:
                yield f"lacks {task}"
                continue
            if not all(isinstance(text, str) and text for text in record[task]["ann"]):
                yield f"has no sentence for {task}"
            yield from _vector_problems(np.asarray(record[task]["emb"]), 1)


def _odd(frame: Mapping[str, NDArray[Any]], name: str) -> bool:
    if name not in frame:
        return False
    values = frame[name]
    return values.shape != VECTORS[name] or values.dtype.kind != "f" or not bool(np.isfinite(values).all())


def _within(frame: Mapping[str, NDArray[Any]]) -> Iterator[str]:
    """Yield what is wrong with the vectors of one frame."""
    actions, relative, robot = frame["actions"], frame["rel_actions"], frame["robot_obs"]
    if any(value not in (-1.0, 1.0) for value in (actions[6], relative[6], robot[14])):
        yield "has a command of the gripper that is neither -1 nor 1"
    moved = np.clip((actions[:3] - robot[:3]) / 0.02, -1, 1)
    turned = np.clip(((actions[3:6] - robot[3:6] + np.pi) % (2 * np.pi) - np.pi) / 0.05, -1, 1)
    if not np.allclose(relative[:6], np.concatenate((moved, turned)), atol=2e-3):
        yield "has rel_actions that do not lead to its actions"


def _follows(before: Mapping[str, NDArray[Any]], after: Mapping[str, NDArray[Any]]) -> Iterator[str]:
    """Yield what is wrong with two frames that follow each other."""
    if not np.allclose(before["actions"][:6], after["robot_obs"][:6], atol=1e-4):
        yield "has another pose than the action of the frame before it led to"


def _span_problems(spans: Sequence[Any], ids: NDArray[np.int64], longest: int) -> Iterator[str]:
    for first, last in spans:
        held = (ids[:, 0] <= first) & (last - 1 <= ids[:, 1])
        if not 0 < last - first <= longest:
            yield f"has the span {first} to {last}"
        elif not held.any():
            yield f"has the span {first} to {last}, which lies in no episode"


def _vector_problems(vectors: NDArray[Any], count: int) -> Iterator[str]:
    if vectors.ndim != 3 or vectors.shape[:2] != (count, 1) or vectors.dtype.kind != "f":
        yield f"has embeddings of the shape {vectors.shape} and type {vectors.dtype}"
    elif not np.isfinite(vectors).all() or not np.abs(vectors).sum(axis=(1, 2)).all():
        yield "has embeddings that are zero or not finite"


def _vector(values: object, length: int) -> NDArray[np.float64] | None:
    """Return a list of finite numbers with a fraction as an array; None if it is none of that length."""
    if not isinstance(values, list) or len(values) != length or not all(isinstance(each, float) for each in values):
        return None
    found = np.array(values)
    return found if np.isfinite(found).all() else None


def _yaml(path: Path) -> Any:
    import yaml

    text = read_text(path, _MOST_YAML)
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UsageError(f"is no YAML: {str(error).splitlines()[0]}") from error
    except RecursionError:
        raise UsageError("is no YAML: it is nested too deep") from None
