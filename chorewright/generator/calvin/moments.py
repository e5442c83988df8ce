"""A table's episodes run again: from their stored states, thirty times a second, as both cameras see them.

Pictures need no physics. Trajectories have CALVIN's numbers; the last state, after which nothing is done, is no frame
of theirs, as in CALVIN's own files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from chorewright.errors import DatasetCorrupt, UsageError
from chorewright.generator.calvin import records
from chorewright.generator.dataset.episode import Episode, Step
from chorewright.generator.dataset.options import RETREAT
from chorewright.generator.showing.moments import EpisodeCamera, FilmStyle, camera_sizes, caption
from chorewright.generator.showing.views import USUAL, CameraRequest, CameraView
from chorewright.generator.training.trajectory import Column, DrawFrames, Feature, FrameSentences, Trajectories
from chorewright.problems.calvin.scenes import TabletopScene
from chorewright.replay.calvin.pictures import CAMERAS, TabletopRenderers
from chorewright.replay.simulator import Frame

SIZES = (200, 84)
"""CALVIN's pixels on a side of the static and of the hand's camera."""

_POSE = ("x", "y", "z", "euler_x", "euler_y", "euler_z")

_ARM = (*(f"tcp_{each}" for each in _POSE), "gripper_width", *(f"joint_{n}" for n in range(7)), "gripper_action")

_FIXTURES = ("sliding_door", "drawer", "button", "switch", "lightbulb", "led")

_BLOCKS = ("block_red", "block_blue", "block_pink")
"""The order here; a scene's own differs."""


def _vector(length: int) -> pa.DataType:
    return pa.list_(pa.float64(), length)


FRAME_TYPE = pa.struct(
    [
        ("robot_obs", _vector(15)),
        ("scene_obs", _vector(24)),
        (
            "blocks",
            pa.list_(
                pa.struct(
                    [
                        ("name", pa.string()),
                        ("orientation", _vector(4)),
                        ("linear_velocity", _vector(3)),
                        ("angular_velocity", _vector(3)),
                    ]
                )
            ),
        ),
        ("contacts", pa.list_(pa.struct([("of", pa.string()), ("body", pa.string()), ("link", pa.string())]))),
        (records.ABSOLUTE, _vector(7)),
        (records.RELATIVE, _vector(7)),
        (records.EXECUTED, _vector(7)),
        (records.RELATIVE_EXECUTED, _vector(7)),
    ]
)
"""A frame: CALVIN's numbers, what the detector knows of each block, contacts, the command (absolute, relative), and
what was executed instead where noise has perturbed it."""


@dataclass(slots=True, eq=False)
class TableRun:
    """An episode's states, and which of them is now.

    Attributes:
        scene: The scene.
        robot: CALVIN's numbers of the arm in each moment (n, 15).
        table: Those of the scene (n, 24).
        now: The moment.
    """

    scene: TabletopScene
    robot: records.Float
    table: records.Float
    now: int = 0


class TableMoments(Trajectories[TableRun]):
    """Reads and draws chains; ``action`` is CALVIN's ``rel_actions``, ``action.absolute`` its ``actions``.

    ``action.commanded`` is the pose that the expert asked for, ``action.executed`` the one that the arm was given: they
    differ in the frames that noise has perturbed.
    """

    cameras = tuple(EpisodeCamera(name, size) for name, size in zip(CAMERAS, SIZES, strict=True))
    fps = 30
    style = FilmStyle(160, 6, every=5, lines=2, ahead=True)
    robot = "franka_panda"
    features = (
        Feature("observation.state", "float32", _ARM, "the arm, in metres and radians"),
        Feature(
            "observation.environment_state",
            "float32",
            (*_FIXTURES, *(f"{block}_{each}" for block in _BLOCKS for each in _POSE)),
            "the table, in metres and radians; lights 0 or 1",
        ),
        Feature(
            "action",
            "float32",
            (*(f"delta_{each}" for each in _POSE), "gripper"),
            "the motion to the next pose: 1 is 0.02 m or 0.05 rad; gripper -1 or 1",
        ),
        Feature("action.absolute", "float32", (*_POSE, "gripper"), "the next pose, in metres and radians"),
        Feature(
            "action.commanded", "float32", (*_POSE, "gripper"), "the pose that was asked for, in metres and radians"
        ),
        Feature("action.executed", "float32", (*_POSE, "gripper"), "the pose that the arm was given"),
        Feature("perturbed", "int64", ("perturbed",), "1 where noise has moved what was given"),
    )
    frame_type = FRAME_TYPE

    def __init__(self) -> None:
        self._cut = RETREAT
        self._kinds: Sequence[str] = CAMERAS
        """Which of CALVIN's cameras each of ``cameras`` is."""
        self._renderers = TabletopRenderers()
        self._last: tuple[Episode, tuple[records.Float, records.Float]] | None = None
        """The numbers of the episode that was read last: it is asked for its columns and for its states."""

    def set_up(self, episode: Episode) -> TableRun:
        """Return the episode's states, at the first."""
        return TableRun(records.episode_scene(episode), *self._numbers(episode))

    def step(self, world: TableRun, step: Step) -> str:
        """Go to the next state."""
        world.now += 1
        return ""

    def draw(self, world: TableRun, sizes: Sequence[int]) -> Sequence[Frame]:
        """Return what the first cameras see."""
        renderer = self._renderers[world.scene.name]
        return renderer.frames(world.robot[world.now], world.table[world.now], self._kinds[: len(sizes)], sizes)

    def with_view(self, view: CameraView) -> TableMoments:
        """Return what draws by some of CALVIN's cameras, in other sizes; see ``Moments.with_view``."""
        if view == USUAL:
            return self
        if view.looks or any(each.look for each in view.cameras):
            raise UsageError("tables have one look only")
        both = tuple(CameraRequest(name, name) for name in CAMERAS)
        asked = replace(view, cameras=view.cameras or both).requests(both[0], dict.fromkeys(CAMERAS, ()))
        sides = [each.size or (SIZES[CAMERAS.index(each.kind)],) * 2 for each in asked]
        if any(width != height for width, height in sides):
            raise UsageError("pictures of tables are square", hint="give a size N, or NxN")
        reader = copy(self)
        reader.cameras = tuple(EpisodeCamera(each.name, size) for each, (size, _) in zip(asked, sides, strict=True))
        reader._kinds = [each.kind for each in asked]
        return reader

    def replay(self, episode: Episode) -> None:
        """Give the recorded commands to the table again."""
        from chorewright.generator.calvin.trial import replay_episode  # needs PyBullet

        replay_episode(episode)

    def completions(self, episode: Episode) -> Mapping[int, str]:
        """Return the tasks by the frame in which the detector saw them done."""
        done = zip(records.detections(episode), episode.segments, strict=True)
        return {at: f"{segment.action} is done" for at, segment in done}

    def sentences(self, episode: Episode) -> FrameSentences:
        """Return the sentence of the task at work, and the task's name as subtask."""
        said = [caption(episode, number) for number in range(len(episode.segments))]
        segments = self.frame_segments(episode)
        return FrameSentences([said[each] for each in segments], [episode.segments[each].action for each in segments])

    def cut_at(self, cut: str) -> TableMoments:
        """Return a reader of tasks that end there; see ``Trajectories.cut_at``."""
        reader = copy(self)
        reader._cut = cut
        return reader

    def scene_name(self, episode: Episode) -> str:
        """Return the name of the table."""
        return records.episode_scene(episode).name

    def frame_segments(self, episode: Episode) -> Sequence[int]:
        """Return the task of each frame; cut at detection, what follows the last detection has no frames."""
        return records.segment_numbers(episode, self._cut)

    def columns(self, episode: Episode) -> Mapping[str, Column]:
        """Return CALVIN's numbers."""
        count = len(self.frame_segments(episode))
        robot, table = (numbers[: count + 1] for numbers in self._numbers(episode))
        order = block_order(records.episode_scene(episode))
        absolute, relative = records.commands_between(robot)
        if RECORDED in dict(episode.extras):
            absolute, relative = records.achieve(records.episode_frames(episode)[: count + 1])
        commanded, executed = records.episode_commands(episode, count)
        return {
            "observation.state": robot[:-1].astype(np.float32),
            "observation.environment_state": table[:-1, order].astype(np.float32),
            "action": relative.astype(np.float32),
            "action.absolute": absolute.astype(np.float32),
            "action.commanded": commanded.astype(np.float32),
            "action.executed": executed.astype(np.float32),
            "perturbed": (commanded != executed).any(axis=1, keepdims=True).astype(np.int64),
        }

    def frame_values(self, episode: Episode) -> Sequence[Mapping[str, object]]:
        """Return the stored frames, those after which something is commanded."""
        records.episode_frames(episode)  # they are frames
        order = [block.name for block in records.episode_scene(episode).blocks]
        return [_frame_value(step.call(), order) for step in episode.steps]

    def drawing(self, episode: Episode) -> DrawFrames:
        """Return what draws the colours of frames from their numbers, many at once."""
        return partial(self._paint, self.set_up(episode))

    def _paint(self, run: TableRun, size: int | None, frames: range) -> Sequence[NDArray[np.uint8]]:
        some, sizes = slice(frames.start, frames.stop, frames.step), camera_sizes(self.cameras, size, 2)
        return self._renderers[run.scene.name].colours(run.robot[some], run.table[some], self._kinds, sizes)

    def _numbers(self, episode: Episode) -> tuple[records.Float, records.Float]:
        if self._last is None or self._last[0] is not episode:
            self._last = episode, records.episode_states(episode)
        return self._last[1]


def block_order(table: TabletopScene) -> list[int]:
    """Return which of a scene's 24 numbers each of ``observation.environment_state`` is."""
    blocks = [block.name for block in table.blocks]
    return [*range(6), *(6 + 6 * blocks.index(name) + each for name in _BLOCKS for each in range(6))]


def _frame_value(record: Mapping[str, Any], order: Sequence[str]) -> Mapping[str, object]:
    turns, speeds = record["turns"], record["speeds"]
    return {
        "robot_obs": record["robot_obs"],
        "scene_obs": record["scene_obs"],
        "blocks": [
            {"name": name, "orientation": turn, "linear_velocity": speed[:3], "angular_velocity": speed[3:]}
            for name, turn, speed in zip(order, turns, speeds, strict=True)
        ],
        "contacts": [
            {"of": name, "body": body, "link": link}
            for name, pairs in record["contacts"].items()
            for body, link in pairs
        ],
        records.ABSOLUTE: record[records.ABSOLUTE],
        records.RELATIVE: record[records.RELATIVE],
        records.EXECUTED: record.get(records.EXECUTED),
        records.RELATIVE_EXECUTED: record.get(records.RELATIVE_EXECUTED),
    }


# What an imported episode of CALVIN's was recorded with, and an export gives back: numbers of frames, annotations.

RECORDED = "recorded"
"""The extra that tells it, as JSON."""


Label: TypeAlias = "tuple[int, int, int, str, str]"
"""An annotation: its number in the file, the first frame, the frame behind the last, task, sentence."""


@dataclass(frozen=True, slots=True)
class TableRecording:
    """What an imported episode was recorded with.

    Attributes:
        first: The number of its first frame; -1 if frames have none.
        commanded: Whether its frames say what was commanded, not only what was reached.
        lang_annotations: Those of windows.
        lang_segments: Those of whole tasks.
        environment: The scene of the environment that the split's settings make.
    """

    first: int
    commanded: bool
    lang_annotations: tuple[Label, ...]
    lang_segments: tuple[Label, ...]
    environment: str

    def text(self) -> str:
        """Return it as the extra has it."""
        return msgspec.json.encode(self).decode()


def find_recorded(episode: Episode) -> TableRecording | None:
    """Return what an imported episode was recorded with; None for another.

    Raises:
        DatasetCorrupt: The extra is damaged.
    """
    text = dict(episode.extras).get(RECORDED)
    if text is None:
        return None
    try:
        return msgspec.json.decode(text, type=TableRecording)
    except msgspec.DecodeError as error:
        raise DatasetCorrupt(f"the extra {RECORDED!r} of episode {episode.index}: {error}") from error
