"""One try of a chain: the expert does it, then what was recorded is done again; what of that is equal on all machines.

Both times the detector judges as CALVIN's evaluation does: from the start of each task, after every step.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import DatasetCorrupt, UnsupportedError
from chorewright.files.processes import Timed
from chorewright.generator.calvin import records
from chorewright.generator.dataset.episode import Episode, Segment
from chorewright.generator.dataset.options import DETECTION, RETREAT
from chorewright.problems.calvin.scenes import scene
from chorewright.replay.calvin import actions
from chorewright.replay.calvin.actions import Action, ArmTarget
from chorewright.replay.calvin.expert import Expert, SkillAttempt
from chorewright.replay.calvin.motion import USUAL, Manner, MotionFrame, Tabletop
from chorewright.replay.calvin.real import tabletop
from chorewright.replay.calvin.snapshot import detected_tasks

Float = NDArray[np.float64]

WORLD = "world"
"""The extra that names the world of an episode that was not recorded in ours."""


@dataclass(frozen=True, slots=True)
class TaskRun:
    """A task as it was done: its first frame, its frames, when the detector saw it done, how often it was
    begun, and how many frames belong to failed attempts."""

    task: str
    first: int
    frames: int
    done_after: int
    tries: int
    failed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class ChainTrial:
    """A chain as the expert did it.

    Attributes:
        runs: The tasks that were done, in order.
        frames: Every thirtieth of a second, and the state after the last command. Where a task ends at its detection,
            what the hand does after the last one is there, too, and in no run.
        reason: Why the chain ended early, or empty.
    """

    runs: tuple[TaskRun, ...]
    frames: tuple[records.TableFrame, ...]
    reason: str


@Timed("expert")
def run_chain(
    world: Tabletop, start: tuple[Float, Float], tasks: Sequence[str], segments: str = RETREAT, manner: Manner = USUAL
) -> ChainTrial:
    """Let the expert do tasks one after the other; the first that fails ends it.

    Args:
        world: The table.
        start: The numbers that it is set to.
        tasks: What to do.
        segments: Where a task ends; see ``options.SEGMENTS``.
        manner: How the expert moves.
    """
    seen = world.reset(*start)
    at_detection = segments == DETECTION
    expert = Expert(world, from_detection=at_detection, manner=manner)
    before = ArmTarget(seen.robot_obs[:3].copy(), seen.robot_obs[3:6].copy())
    frames: list[records.TableFrame] = []
    runs: list[TaskRun] = []
    reason = ""
    for task in tasks:
        attempt = expert.perform(task)
        if not attempt.success or attempt.done_after is None:
            reason = f"{task}: {attempt.reason}"
            break
        first = runs[-1].first + runs[-1].frames if runs else 0
        count = attempt.done_after if at_detection else len(attempt.frames)
        runs.append(TaskRun(task, first, count, attempt.done_after, attempt.tries, attempt.failed))
        before = _record(attempt, before, frames)
    now = world.observation()
    frames.append(records.TableFrame(now.robot_obs, now.scene_obs, world.snapshot()))
    return ChainTrial(tuple(runs), tuple(frames), reason)


@Timed("replay")
def replay(
    world: Tabletop,
    start: tuple[Float, Float],
    runs: Sequence[TaskRun],
    commands: Sequence[Action],
    segments: str = RETREAT,
) -> str:
    """Give commands open loop; return why a task was not done again, or an empty text.

    Where tasks end at their detection, each begins when the one before it is detected again, as in an evaluation.
    """
    world.reset(*start)
    if segments == DETECTION:
        return _replay_in_a_row(world, [run.task for run in runs], commands)
    for run in runs:
        begun, done = world.snapshot(), False
        for command in commands[run.first : run.first + run.frames]:
            world.step(command)
            done = done or bool(world.tasks_done(begun, world.snapshot(), (run.task,)))
        if not done:
            return f"{run.task} is not done again"
    return ""


GRACE = 3
"""Steps for which the last command is given on: contacts, and a detection with them, may end a step later."""


def _replay_in_a_row(world: Tabletop, tasks: Sequence[str], commands: Sequence[Action]) -> str:
    begun, number = world.snapshot(), 0
    for command in (*commands, *[commands[-1]] * GRACE):
        world.step(command)
        now = world.snapshot()
        if world.tasks_done(begun, now, (tasks[number],)):
            begun, number = now, number + 1
            if number == len(tasks):
                return ""
    return f"{tasks[number]} is not done again"


def forms(frames: Sequence[records.TableFrame]) -> dict[str, Callable[[], list[Action]]]:
    """Return the ways in which a recording can be given again, by the names of their keys in CALVIN's files.

    What was commanded (with noise: executed), as poses and as motions, and what CALVIN defines as a frame's action:
    the pose that was reached, and the clipped difference to it.
    """
    told = [frame.action for frame in frames if frame.action is not None]

    def poses(values: Sequence[Float]) -> list[Action]:
        return [(each[:3], each[3:6], float(each[6])) for each in values]

    return {
        "commanded_actions": lambda: poses([pose for pose, _ in told]),
        "commanded_rel_actions": lambda: [motion for _, motion in told],
        "actions": lambda: poses(list(records.achieve(frames)[0])),
        "rel_actions": lambda: list(records.achieve(frames)[1]),
    }


def _record(attempt: SkillAttempt, before: ArmTarget, frames: list[records.TableFrame]) -> ArmTarget:
    """Add a task's frames to those of the chain; return the target after them."""
    for each in attempt.frames:
        frames.append(
            records.TableFrame(
                each.observation.robot_obs,
                each.observation.scene_obs,
                each.snapshot,
                actions.absolute(each.target, each.gripper),
                actions.relative(before, each.target, each.gripper),
                *_perturbation(before, each),
            )
        )
        before = each.executed
    return before


def _perturbation(before: ArmTarget, each: MotionFrame) -> tuple[Float, Float] | tuple[()]:
    """Return what was executed in a frame that noise has perturbed."""
    if each.executed is each.target:
        return ()
    return actions.absolute(each.executed, each.gripper), actions.relative(before, each.executed, each.gripper)


def replay_episode(episode: Episode) -> None:
    """Give an episode's commands to the world again.

    Raises:
        DatasetCorrupt: A task is not done again, or the episode has no commands.
        UnsupportedError: It was recorded in calvin_env, or has frames that belong to no task.
    """
    if WORLD in dict(episode.extras):
        raise UnsupportedError(
            f"episode {episode.index} was recorded in calvin_env, whose physics differ from ours",
            hint="it was replayed there when it was made",
        )
    if other := sorted({segment.action for segment in episode.segments} - set(detected_tasks())):
        raise UnsupportedError(f"episode {episode.index} has frames of {other[0]!r}, in which no task can be seen done")
    runs, first = [], 0
    for number, segment in enumerate(episode.segments):
        count = sum(step.segment == number for step in episode.steps)
        runs.append(TaskRun(segment.action, first, count, count, 1))
        first += count
    commands = forms(records.episode_frames(episode))["commanded_actions"]()
    world = world_of(records.episode_scene(episode).name, None)
    segments = dict(episode.extras).get(records.SEGMENTS, RETREAT)
    if why := replay(world, records.episode_start(episode), runs, commands, segments):
        raise DatasetCorrupt(
            f"episode {episode.index} does not replay: {why}",
            hint="the dataset was made by another version of chorewright or PyBullet",
        )


@lru_cache(maxsize=4)
def world_of(name: str, checkout: Path | None) -> Tabletop:
    """Return a table to work at: ours, or calvin_env's of a checkout; a process keeps a few."""
    return tabletop(scene(name), checkout)


# What is compared of an episode of CALVIN between machines: all but the floats of the physics, and these in bounds.
#
# The physics takes sines from the machine's C library. Where their last bits differ, contacts make a frame more or less
# of it, and blocks that were pushed or dropped lie elsewhere, by millimetres as a rule. Tasks, segments, sentences,
# starts and verdicts stay, unless an attempt that barely succeeds here fails there.


FRAMES = 12
"""By so many frames a segment may be longer or shorter."""

TOOL_METRES, JOINT_METRES, BLOCK_METRES = 0.03, 0.03, 0.1
"""So far apart the tool, a door or light, and a block may be when a segment ends."""

COUNTS = ("frames", "done_after")
"""What a segment's details count in frames."""


@dataclass(frozen=True, slots=True)
class Milestone:
    """The end of a segment.

    Attributes:
        frames: How many frames the segment has.
        tool: (3,) where the tool is, in metres.
        joints: (6,) the first numbers of ``scene_obs``: doors in metres, button, switch and lights.
        blocks: (3, 3) where the blocks are, in metres.
    """

    frames: int
    tool: tuple[float, ...]
    joints: tuple[float, ...]
    blocks: tuple[tuple[float, ...], ...]

    def differs(self, other: Milestone) -> str:
        """Return what of another milestone is out of bounds; empty if nothing is."""
        if abs(self.frames - other.frames) > FRAMES:
            return f"{self.frames} or {other.frames} frames"
        if math.dist(self.tool, other.tool) > TOOL_METRES:
            return "the tool's place"
        if max(abs(one - two) for one, two in zip(self.joints, other.joints, strict=True)) > JOINT_METRES:
            return "a door or light"
        if max(math.dist(one, two) for one, two in zip(self.blocks, other.blocks, strict=True)) > BLOCK_METRES:
            return "a block's place"
        return ""


def promise_of(episode: Episode) -> Episode:
    """Return an episode without what the physics' floats decide."""
    extras = tuple((name, text) for name, text in episode.extras if name not in (records.END, records.REPLAYED))
    segments = tuple(map(_without_counts, episode.segments))
    return replace(episode, segments=segments, steps=(), rejections=(), extras=extras)


def milestones(episode: Episode) -> Iterator[Milestone]:
    """Yield the ends of an episode's segments.

    Raises:
        DatasetCorrupt: The episode has no frames of a table.
    """
    robot, table = (np.round(states, 6) for states in records.episode_states(episode))
    end = 0
    for _, steps in groupby(episode.steps, key=lambda step: step.segment):
        count = len(list(steps))
        end += count
        blocks = tuple(tuple(table[end, at : at + 3].tolist()) for at in (6, 12, 18))
        yield Milestone(count, tuple(robot[end, :3].tolist()), tuple(table[end, :6].tolist()), blocks)


def difference(one: Episode, other: Episode) -> str:
    """Return what of two episodes differs beyond the physics' floats; empty if nothing does.

    Raises:
        DatasetCorrupt: An episode has no frames of a table.
    """
    if promise_of(one) != promise_of(other):
        return "more than the physics' floats"
    ours, theirs = list(milestones(one)), list(milestones(other))
    if len(ours) != len(theirs):
        return "the segments of its steps"
    ends = enumerate(zip(ours, theirs, strict=True))
    return next((f"segment {number}: {said}" for number, (a, b) in ends if (said := a.differs(b))), "")


def _without_counts(segment: Segment) -> Segment:
    details = {name: value for name, value in json.loads(segment.details).items() if name not in COUNTS}
    return replace(segment, details=json.dumps(details))
