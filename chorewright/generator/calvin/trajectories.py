"""A table's episodes as trajectories: CALVIN's numbers thirty times a second, and both cameras."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from chorewright.generator.calvin.pictures import SIZES, sentence
from chorewright.generator.calvin.records import Float, achieved_by, episode_scene, episode_states
from chorewright.generator.calvin.typed_frames import FRAME_TYPE, typed_frames
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.training.trajectory import Column, Feature, Sentences, TrajectoryCamera, camera_sizes
from chorewright.problems.calvin.scenes import TabletopScene
from chorewright.replay.calvin.pictures import CAMERAS, TabletopRenderer
from chorewright.replay.simulator import Frame

_POSE = ("x", "y", "z", "euler_x", "euler_y", "euler_z")

_ARM = (*(f"tcp_{each}" for each in _POSE), "gripper_width", *(f"joint_{n}" for n in range(7)), "gripper_action")

_FIXTURES = ("sliding_door", "drawer", "button", "switch", "lightbulb", "led")

_BLOCKS = ("block_red", "block_blue", "block_pink")
"""The order here; a scene's own differs."""


@dataclass(frozen=True, slots=True, eq=False)
class TableStates:
    """A scene, and CALVIN's numbers of the arm (n, 15) and of the scene (n, 24) in each frame."""

    scene: TabletopScene
    robot: Float
    table: Float


class TableTrajectories:
    """Reads chains at CALVIN's table.

    ``action`` is CALVIN's ``rel_actions``, ``action.absolute`` its ``actions``; the last state, after which nothing
    is done, is left out, as in CALVIN's own files.
    """

    def __init__(self) -> None:
        self._renderers: dict[str, TabletopRenderer] = {}
        """A scene's, made once: for single frames that takes longer than drawing."""
        self._last: tuple[Episode, tuple[Float, Float]] | None = None
        """The numbers of the episode that was read last: it is asked for its columns and for its states."""

    fps = 30
    robot = "franka_panda"
    features: tuple[Feature, ...] = (
        Feature("observation.state", "float32", _ARM),
        Feature(
            "observation.environment_state",
            "float32",
            (*_FIXTURES, *(f"{block}_{each}" for block in _BLOCKS for each in _POSE)),
        ),
        Feature("action", "float32", (*(f"delta_{each}" for each in _POSE), "gripper")),
        Feature("action.absolute", "float32", (*_POSE, "gripper")),
    )
    cameras = tuple(TrajectoryCamera(name, size) for name, size in zip(CAMERAS, SIZES, strict=True))

    def sentences(self, episode: Episode) -> Sentences:
        """Return the sentence of the task at work, and the task's name as subtask."""
        said = [sentence(episode, number) for number in range(len(episode.segments))]
        segments = [step.segment for step in episode.steps]
        return Sentences([said[each] for each in segments], [episode.segments[each].action for each in segments])

    def columns(self, episode: Episode) -> Mapping[str, Column]:
        """Return CALVIN's numbers."""
        robot, table = self._numbers(episode)
        blocks = [block.name for block in episode_scene(episode).blocks]
        order = [*range(6), *(6 + 6 * blocks.index(name) + each for name in _BLOCKS for each in range(6))]
        absolute, relative = achieved_by(robot)
        return {
            "observation.state": robot[:-1].astype(np.float32),
            "observation.environment_state": table[:-1, order].astype(np.float32),
            "action": relative.astype(np.float32),
            "action.absolute": absolute.astype(np.float32),
        }

    @property
    def frame_type(self) -> pa.StructType:
        """The fields of a stored frame."""
        return FRAME_TYPE

    def typed_frames(self, episode: Episode) -> Sequence[Mapping[str, object]]:
        """Return the stored frames, those after which something is commanded."""
        return typed_frames(episode)

    def pictures(self, episode: Episode, size: int | None, frames: range | None = None) -> Iterator[Sequence[Frame]]:
        """Yield what both cameras see, drawn from the stored states."""
        chosen = range(len(episode.steps)) if frames is None else frames
        robot, table = episode_states(episode, chosen)
        renderer, sizes = self._renderer(episode_scene(episode)), camera_sizes(self.cameras, size)
        for arm, things in zip(robot, table, strict=True):
            yield renderer.frames(arm, things, CAMERAS, sizes)

    def states(self, episode: Episode) -> TableStates:
        """Return what is drawn of an episode."""
        return TableStates(episode_scene(episode), *self._numbers(episode))

    def drawn(self, states: TableStates, size: int | None, frames: range) -> Sequence[NDArray[np.uint8]]:
        """Return the colours of what both cameras see in some frames."""
        some = slice(frames.start, frames.stop, frames.step)
        sizes = camera_sizes(self.cameras, size)
        return self._renderer(states.scene).colours(states.robot[some], states.table[some], CAMERAS, sizes)

    def _numbers(self, episode: Episode) -> tuple[Float, Float]:
        if self._last is None or self._last[0] is not episode:
            self._last = episode, episode_states(episode)
        return self._last[1]

    def _renderer(self, scene: TabletopScene) -> TabletopRenderer:
        if scene.name not in self._renderers:
            self._renderers[scene.name] = TabletopRenderer(scene)
        return self._renderers[scene.name]
