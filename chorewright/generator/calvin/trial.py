"""One try of a chain: the expert does its tasks, then what was recorded is done again open loop.

Both times the detector judges as CALVIN's evaluation does: from the start of each task, after every step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import DatasetCorrupt, UnsupportedError
from chorewright.files.stopwatch import Timed
from chorewright.generator.calvin.records import (
    TableFrame,
    achieve,
    episode_frames,
    episode_scene,
    episode_start,
)
from chorewright.generator.dataset.episode import Episode
from chorewright.problems.calvin.scenes import scene
from chorewright.replay.calvin import actions
from chorewright.replay.calvin.actions import Action, ArmTarget
from chorewright.replay.calvin.expert import Expert, SkillAttempt
from chorewright.replay.calvin.motion import Tabletop
from chorewright.replay.calvin.real import tabletop
from chorewright.replay.calvin.world import TableObservation

Float = NDArray[np.float64]

WORLD = "world"
"""The extra that names the world of an episode that was not recorded in ours."""


@dataclass(frozen=True, slots=True)
class TaskRun:
    """A task as it was done: its first frame, its frames, when the detector saw it done, how often it was
    begun."""

    task: str
    first: int
    frames: int
    done_after: int
    tries: int


@dataclass(frozen=True, slots=True, eq=False)
class ChainTrial:
    """A chain as the expert did it.

    Attributes:
        runs: The tasks that were done, in order.
        frames: Every thirtieth of a second, and the state after the last command.
        reason: Why the chain ended early, or empty.
    """

    runs: tuple[TaskRun, ...]
    frames: tuple[TableFrame, ...]
    reason: str


@Timed("expert")
def run_chain(world: Tabletop, start: tuple[Float, Float], tasks: Sequence[str]) -> ChainTrial:
    """Let the expert do tasks one after the other; the first that fails ends it."""
    seen = world.reset(*start)
    expert = Expert(world)
    before = _present(seen)
    frames: list[TableFrame] = []
    runs: list[TaskRun] = []
    reason = ""
    for task in tasks:
        attempt = expert.perform(task)
        if not attempt.success or attempt.done_after is None:
            reason = f"{task}: {attempt.reason}"
            break
        runs.append(TaskRun(task, len(frames), len(attempt.frames), attempt.done_after, attempt.tries))
        before = _record(attempt, before, frames)
    now = world.observation()
    frames.append(TableFrame(now.robot_obs, now.scene_obs, world.snapshot()))
    return ChainTrial(tuple(runs), tuple(frames), reason)


@Timed("replay")
def replay(world: Tabletop, start: tuple[Float, Float], runs: Sequence[TaskRun], commands: Sequence[Action]) -> str:
    """Give commands open loop; return why a task was not done again, or an empty text."""
    world.reset(*start)
    for run in runs:
        begun, done = world.snapshot(), False
        for command in commands[run.first : run.first + run.frames]:
            world.step(command)
            done = done or bool(world.tasks_done(begun, world.snapshot(), (run.task,)))
        if not done:
            return f"{run.task} is not done again"
    return ""


def forms(frames: Sequence[TableFrame]) -> dict[str, Callable[[], list[Action]]]:
    """Return the ways in which a recording can be given again, by the names of their keys in CALVIN's files.

    What was commanded, as poses and as motions, and what CALVIN defines as a frame's action: the pose that
    was reached, and the clipped difference to it.
    """
    told = [frame for frame in frames if frame.command is not None and frame.relative_command is not None]

    def poses(values: Sequence[Float]) -> list[Action]:
        return [(each[:3], each[3:6], float(each[6])) for each in values]

    return {
        "commanded_actions": lambda: poses([f.command for f in told if f.command is not None]),
        "commanded_rel_actions": lambda: [f.relative_command for f in told if f.relative_command is not None],
        "actions": lambda: poses(list(achieve(frames)[0])),
        "rel_actions": lambda: list(achieve(frames)[1]),
    }


def _record(attempt: SkillAttempt, before: ArmTarget, frames: list[TableFrame]) -> ArmTarget:
    """Add a task's frames to those of the chain; return the target after them."""
    for each in attempt.frames:
        frames.append(
            TableFrame(
                each.observation.robot_obs,
                each.observation.scene_obs,
                each.snapshot,
                actions.absolute(each.target, each.gripper),
                actions.relative(before, each.target, each.gripper),
            )
        )
        before = each.target
    return before


def _present(seen: TableObservation) -> ArmTarget:
    return ArmTarget(seen.robot_obs[:3].copy(), seen.robot_obs[3:6].copy())


def replay_episode(episode: Episode) -> None:
    """Give an episode's commands to the world again.

    Raises:
        DatasetCorrupt: A task is not done again, or the episode has no commands.
        UnsupportedError: It was recorded in calvin_env.
    """
    if WORLD in dict(episode.extras):
        raise UnsupportedError(
            f"episode {episode.index} was recorded in calvin_env, whose physics differ from ours",
            hint="it was replayed there when it was made",
        )
    runs, first = [], 0
    for number, segment in enumerate(episode.segments):
        count = sum(step.segment == number for step in episode.steps)
        runs.append(TaskRun(segment.action, first, count, count, 1))
        first += count
    commands = forms(episode_frames(episode))["commanded_actions"]()
    world = world_of(episode_scene(episode).name, None)
    if why := replay(world, episode_start(episode), runs, commands):
        raise DatasetCorrupt(
            f"episode {episode.index} does not replay: {why}",
            hint="the dataset was made by another version of chorewright or PyBullet",
        )


@lru_cache(maxsize=4)
def world_of(name: str, checkout: Path | None) -> Tabletop:
    """Return a table to work at: ours, or calvin_env's of a checkout; a process keeps a few."""
    return tabletop(scene(name), checkout)
