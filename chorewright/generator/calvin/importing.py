"""Folders in CALVIN's layout as episodes: CALVIN's own recordings, people's, and exports of ours.

An episode is a range of frames that ``ep_start_end_ids.npy`` tells. CALVIN's numbers, what was commanded and the
annotations are kept, so that an export gives them back. The files do not tell contacts and speeds, by which the
detector judges tasks: what was done is what the annotations say, and the extra ``unchecked`` says so. Pictures and
vectors of sentences are not read; an export makes them anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import ChorewrightError, InputError, Location
from chorewright.generator.calvin import records
from chorewright.generator.calvin.benchmark import CHAIN, PLAY
from chorewright.generator.calvin.export.exporter import SEGMENTS, SPLITS
from chorewright.generator.calvin.export.files import COMMANDS, EXECUTIONS, PERTURBED, frame_file
from chorewright.generator.calvin.layout import VECTORS, find_splits, read_ids
from chorewright.generator.calvin.moments import RECORDED, Label, TableRecording
from chorewright.generator.calvin.pickles import read_arrays, read_pickled
from chorewright.generator.dataset.episode import Episode, Instruction, Segment, Step
from chorewright.generator.dataset.options import DETECTION
from chorewright.generator.production.importing import UNCHECKED, Recordings
from chorewright.problems.calvin.scenes import TabletopScene, scene
from chorewright.replay.calvin.arm import quaternion_from_euler
from chorewright.replay.calvin.snapshot import Block, Snapshot

ANNOTATIONS = "auto_lang_ann.npy"
WINDOWS = "lang_annotations"

_UNCHECKED = "CALVIN's files tell no contacts, so no task is detected again: annotations say what was done"

_SHAPES = {**VECTORS, **dict.fromkeys((*COMMANDS, *EXECUTIONS), (7,)), PERTURBED: ()}


@dataclass(frozen=True, slots=True)
class _Recording:
    """A range of frames of a split, the last one included, at a table.

    Attributes:
        environment: The scene of the environment that the split's settings make.
        windows: The annotations that lie in it, counted from its first frame.
        segments: The same of whole tasks.
    """

    split: str
    folder: Path
    first: int
    last: int
    table: TabletopScene
    environment: str
    windows: tuple[Label, ...]
    segments: tuple[Label, ...]

    def files(self) -> Iterator[Path]:
        """Yield the files of its frames."""
        for number in range(self.first, self.last + 1):
            yield self.folder / frame_file(number)


@dataclass(frozen=True, slots=True)
class TablePart:
    """Frames of an episode that one annotation is about, or none.

    Attributes:
        first: The first frame.
        stop: The frame behind the last.
        done: The frame in which the task is done.
        task: What is done; ``play`` where no annotation says it.
        text: How it is said.
    """

    first: int
    stop: int
    done: int
    task: str
    text: str

    def details(self) -> str:
        """Return what a segment says of its frames."""
        return json.dumps({"frames": self.stop - self.first, "done_after": self.done - self.first, "tries": 1})


class CalvinImporter:
    """Reads CALVIN's layout: both splits, or one of them."""

    name = "calvin"
    benchmark = records.BENCHMARK

    def open(self, folder: Path) -> Recordings:
        """Return the ranges of both splits in the order of their frames; see ``Importer.open``."""
        found: list[_Recording] = []
        files: list[Path] = []
        for name, path in find_splits(folder):
            split = name if name in SPLITS else SPLITS[0]
            tables, configured = _Tables(folder, path), _scene_in_settings(path)
            said = [path / kind / ANNOTATIONS for kind in (WINDOWS, SEGMENTS)]
            windows, segments = map(_annotations, said)
            for first, last in read_ids(path).tolist():
                table = tables.of(first, last)
                environment = scene(configured[0]).name if configured else table.name
                labels = _within(windows, first, last), _within(segments, first, last)
                found.append(_Recording(split, path, first, last, table, environment, *labels))
            files += filter(Path.exists, said)
        found.sort(key=lambda each: each.first)
        files += [file for each in found for file in each.files()]
        return Recordings(len(found), files, lambda index: _episode(found[index], index))


class _Tables:
    """Says at which table frames were recorded: by ``scene_info.npy``, or by the settings of the environment."""

    def __init__(self, folder: Path, split: Path) -> None:
        places = [split / "scene_info.npy", folder / SPLITS[0] / "scene_info.npy"]
        self._file = next((each for each in places if each.exists()), None)
        self._split = split
        self._ranges: Mapping[str, tuple[int, int]] = {}
        if self._file is not None:
            told: Any = read_pickled(self._file)
            try:
                self._ranges = {str(name): (int(first), int(last)) for name, (first, last) in told.items()}
            except (AttributeError, TypeError, ValueError) as error:
                message = f"is no dictionary of scenes and their first and last frames: {error}"
                raise InputError(message, location=Location(str(self._file))) from error

    def of(self, first: int, last: int) -> TabletopScene:
        """Return the table of frames.

        Raises:
            InputError: No file says it, or it is none of CALVIN's.
        """
        names = [name for name, (low, high) in self._ranges.items() if low <= first and last <= high]
        file = self._file or self._split / ".hydra" / "merged_config.yaml"
        if not names:
            names = _scene_in_settings(self._split)
        try:
            if names:
                return scene(names[0])
        except ChorewrightError as error:
            raise InputError(error.message, location=Location(str(file)), hint=error.hint) from error
        raise InputError(f"does not say at which table the frames {first} to {last} were", location=Location(str(file)))


def _scene_in_settings(split: Path) -> list[str]:
    """Return the scene of the environment that a split's settings make, if they say one."""
    import yaml

    path = split / ".hydra" / "merged_config.yaml"
    if not path.exists():
        return []
    try:
        return [str(yaml.safe_load(path.read_bytes())["scene"]["name"])]
    except (yaml.YAMLError, KeyError, TypeError, ValueError, RecursionError) as error:
        said = str(error).splitlines()[0]
        raise InputError(f"names no scene: {said}", location=Location(str(path), json_path="scene.name")) from error


def _annotations(path: Path) -> tuple[Label, ...]:
    """Return the annotations of a file: number, first frame, the frame behind the last, task, sentence."""
    if not path.exists():
        return ()
    told: Any = read_pickled(path)
    try:
        texts, tasks, spans = told["language"]["ann"], told["language"]["task"], told["info"]["indx"]
        rows = zip(texts, tasks, spans, strict=True)
        return tuple(
            (number, int(first), int(end), str(task), str(text))
            for number, (text, task, (first, end)) in enumerate(rows)
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        said = f"{type(error).__name__}: {error}"
        raise InputError(f"has no sentences, tasks and spans: {said}", location=Location(str(path))) from error


def _episode(recording: _Recording, index: int) -> Episode:
    rows = [_arrays(file) for file in recording.files()]
    windows, segments = recording.windows, recording.segments
    kept = TableRecording(recording.first, COMMANDS[0] in rows[0], windows, segments, recording.environment)
    parts = _parts(segments or windows, len(rows), whole=bool(segments))
    return make_episode(index, recording.split, recording.table, rows, parts, kept, _UNCHECKED)


def make_episode(
    index: int,
    split: str,
    table: TabletopScene,
    rows: Sequence[Mapping[str, NDArray[Any]]],
    parts: Sequence[TablePart],
    kept: TableRecording,
    unchecked: str,
) -> Episode:
    """Return a recording as an episode.

    Args:
        index: The episode's.
        split: CALVIN's name of the split.
        table: Where it was recorded.
        rows: The numbers of each frame, by CALVIN's keys and ours.
        parts: What is done in the frames; they cover all.
        kept: What exports give back.
        unchecked: What could not be checked.
    """
    frames = _frames(table, rows)
    order = [block.name for block in table.blocks]
    names = [each.task for each in parts if each.task != PLAY]
    texts = [records.write_frame(frame, order) for frame in frames]
    extras = {
        records.SCENE: table.full_name,
        records.RESET: records.write_start((frames[0].robot_obs, frames[0].scene_obs)),
        records.END: texts[-1],
        records.SEGMENTS: DETECTION,
        RECORDED: kept.text(),
        **({records.NOISE: "unknown"} if PERTURBED in rows[0] else {}),
        UNCHECKED: unchecked,
    }
    return Episode(
        benchmark=records.BENCHMARK,
        index=index,
        seed=0,
        task=PLAY if len(names) < len(parts) else CHAIN if len(names) > 1 else names[0],
        parameters=tuple((f"task_{number}", task) for number, task in enumerate(names, 1)),
        split=split,
        goal=" ".join(names),
        plan_cost=float(len(names)),
        planner="recorded",
        segments=tuple(Segment(each.task, (), each.details()) for each in parts),
        steps=tuple(
            Step("move", number, texts[frame])
            for number, each in enumerate(parts)
            for frame in range(each.first, each.stop)
        ),
        instructions=tuple(Instruction(each.text, "step", 0, at) for at, each in enumerate(parts) if each.text),
        extras=tuple(extras.items()),
    )


def _within(labels: Sequence[Label], begin: int, last: int) -> tuple[Label, ...]:
    """Return the annotations of a range of frames, counted from its first one."""
    return tuple(
        (number, first - begin, end - begin, task, text)
        for number, first, end, task, text in labels
        if begin <= first < end <= last + 1
    )


def _parts(told: Sequence[Label], count: int, *, whole: bool) -> list[TablePart]:
    """Return an episode in parts, cut where annotations begin.

    Args:
        told: The annotations.
        count: The episode's frames.
        whole: Whether frames behind a task belong to it, as in annotations of whole tasks; else they are play.
    """
    found: list[TablePart] = []
    rows = sorted({first: (end, task, text) for _, first, end, task, text in reversed(told)}.items())
    at = 0
    for place, (first, (end, task, text)) in enumerate(rows):
        if first > at and (found or first > 0):
            found.append(TablePart(at, first, first, PLAY, ""))
        following = rows[place + 1][0] if place + 1 < len(rows) else count
        stop = following if whole else min(end, following)
        found.append(TablePart(first, stop, min(end - 1, stop), task, text))
        at = stop
    return [*found, TablePart(at, count, count, PLAY, "")] if at < count else found


def _frames(table: TabletopScene, rows: Sequence[Mapping[str, NDArray[Any]]]) -> list[records.TableFrame]:
    """Return the frames, and after them the pose that the last action leads to."""
    last = rows[-1]
    end = np.concatenate((last["actions"][:6], last["robot_obs"][6:14], last["actions"][6:]))
    robot = np.array([each["robot_obs"] for each in rows] + [end], np.float64)
    reached = records.commands_between(robot)
    frames = [_frame(table, row, robot[at], (reached[0][at], reached[1][at])) for at, row in enumerate(rows)]
    return [*frames, records.TableFrame(end, frames[-1].scene_obs, frames[-1].snapshot)]


def _frame(
    table: TabletopScene,
    row: Mapping[str, NDArray[Any]],
    robot: records.Float,
    reached: tuple[records.Float, records.Float],
) -> records.TableFrame:
    numbers = np.asarray(row["scene_obs"], np.float64)
    told = (np.asarray(row["actions"], np.float64), np.asarray(row["rel_actions"], np.float64))
    same = all((one == other).all() for one, other in zip(told, reached, strict=True))
    command, relative = (np.asarray(row.get(name, told[at]), np.float64) for at, name in enumerate(COMMANDS))
    executed, relative_executed = (
        np.asarray(row[name], np.float64) if row.get(PERTURBED) and name in row else None for name in EXECUTIONS
    )
    return records.TableFrame(
        robot,
        numbers,
        _snapshot(table, numbers),
        command,
        relative,
        executed,
        relative_executed,
        None if same else told,
    )


def _snapshot(table: TabletopScene, numbers: records.Float) -> Snapshot:
    """Return what is known of a moment: places and turns, neither contacts nor speeds."""
    still = (0.0, 0.0, 0.0)
    blocks = {}
    for place, block in enumerate(table.blocks):
        x, y, z, *angles = numbers[6 + 6 * place : 12 + 6 * place].tolist()
        blocks[block.name] = Block((x, y, z), quaternion_from_euler(angles), still, still, frozenset())
    return Snapshot.of(numbers[:2], numbers[4:6], blocks, frozenset())


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Return the numbers of a frame.

    Raises:
        InputError: The file cannot be read, or is no frame.
    """
    found = read_arrays(path, _SHAPES)
    for name in VECTORS:
        if name not in found:
            raise InputError(f"lacks {name}", location=Location(str(path)))
    for name, values in found.items():
        if values.shape != _SHAPES[name] or not np.isfinite(values).all():
            message = f"has {name} of the shape {values.shape}, or with numbers that are not finite"
            raise InputError(message, location=Location(str(path)))
    return found
