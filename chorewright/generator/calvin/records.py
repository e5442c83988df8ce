"""A tabletop episode's frames, as its stored steps hold them: states, commands and contacts, without loss.

Each step is one frame, a thirtieth of a second: what CALVIN's vectors say, what the detector must know
besides (turns, speeds and contacts), and the command that was given there. So tasks are detected again, and
pictures drawn, from the dataset alone. The state after the last command is the episode's extra ``end``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from chorewright.errors import DatasetCorrupt
from chorewright.generator.dataset.episode import Episode, json_object
from chorewright.generator.dataset.options import RETREAT
from chorewright.problems.calvin.scenes import TabletopScene, scene
from chorewright.replay.calvin.snapshot import ROBOT, Block, Contact, Snapshot

Float = NDArray[np.float64]

BENCHMARK = "calvin"
"""The benchmark whose episodes have such frames."""

SCENE, START, RESET, END, REPLAYED, SEGMENTS, NOISE = "scene", "start", "reset", "end", "replays", "segments", "noise"
"""Extras: the scene's name, the initial state in words, the numbers that the world was set to (a moment
before the first frame), the state after the last command, which forms of the commands reach the goal open loop, where
tasks end if not when the hand has drawn back, and the noise in metres if there is any."""

ABSOLUTE, RELATIVE = "commanded", "commanded_relative"
"""What was commanded: the pose, or by how much the target was moved (scaled as CALVIN's)."""

EXECUTED, RELATIVE_EXECUTED = "executed", "executed_relative"
"""What was executed instead, in frames that noise has perturbed."""

REACHED = ("actions", "rel_actions")
"""CALVIN's actions in frames of an imported episode where they are not the poses that the arm reaches next."""

ACTIONS = (ABSOLUTE, RELATIVE, EXECUTED, RELATIVE_EXECUTED)

ROBOT_OBS = '{"robot_obs":['
"""How a frame's text begins."""

METRES, RADIANS = 50.0, 20.0
"""What CALVIN's relative actions multiply metres and radians by, before they clip them to -1..1."""


@dataclass(frozen=True, slots=True, eq=False)
class TableFrame:
    """A moment of an episode.

    Attributes:
        robot_obs: (15,) CALVIN's numbers of the arm.
        scene_obs: (24,) CALVIN's numbers of the scene.
        snapshot: What the detector looks at.
        command: (7,) the pose and gripper commanded there; None at the end.
        relative_command: (7,) the same as a motion of the target; None at the end.
        executed: (7,) what the world was given instead of the command, where noise has moved it.
        relative_executed: (7,) the same as a motion of the target.
        reached: CALVIN's ``actions`` and ``rel_actions`` (7,), where others were recorded than follow from the states.
    """

    robot_obs: Float
    scene_obs: Float
    snapshot: Snapshot
    command: Float | None = None
    relative_command: Float | None = None
    executed: Float | None = None
    relative_executed: Float | None = None
    reached: tuple[Float, Float] | None = None

    @property
    def action(self) -> tuple[Float, Float] | None:
        """What the world was given, as a pose and as a motion of the target; None at the end."""
        if self.executed is not None and self.relative_executed is not None:
            return self.executed, self.relative_executed
        if self.command is not None and self.relative_command is not None:
            return self.command, self.relative_command
        return None


def write_frame(frame: TableFrame, order: Sequence[str]) -> str:
    """Return a frame as JSON text; ``order`` names the blocks as ``scene_obs`` has them."""
    seen = frame.snapshot
    record: dict[str, Any] = {
        "robot_obs": frame.robot_obs.tolist(),
        "scene_obs": frame.scene_obs.tolist(),
        "turns": [list(seen.blocks[name].orientation) for name in order],
        "speeds": [[*seen.blocks[name].linear_velocity, *seen.blocks[name].angular_velocity] for name in order],
        "contacts": {
            **{name: _rows_of_contacts(seen.blocks[name].contacts) for name in order},
            ROBOT: _rows_of_contacts(seen.robot_contacts),
        },
    }
    actions = (frame.command, frame.relative_command, frame.executed, frame.relative_executed)
    for name, values in zip((*ACTIONS, *REACHED), (*actions, *(frame.reached or (None, None))), strict=True):
        if values is not None:
            record[name] = values.tolist()
    return json.dumps(record, separators=(",", ":"), allow_nan=False)


def read_frame(text: str, order: Sequence[str]) -> TableFrame:
    """Return the frame of a JSON text.

    Raises:
        KeyError, TypeError, ValueError: The text is no frame.
    """
    record = json.loads(text)
    robot, table = _numbers(record["robot_obs"], 15), _numbers(record["scene_obs"], 24)
    touched = record["contacts"]
    blocks = {}
    for number, name in enumerate(order):
        speeds, turn = _numbers(record["speeds"][number], 6), _numbers(record["turns"][number], 4)
        place = table[6 + 6 * number : 9 + 6 * number]
        blocks[name] = Block.of((*place.tolist(), *turn.tolist(), *speeds.tolist()), _set(touched[name]))
    snapshot = Snapshot.of(table[:2], table[4:6], blocks, _set(touched[ROBOT]))
    commands = [_numbers(record[name], 7) if name in record else None for name in (*ACTIONS, *REACHED)]
    command, relative, executed, relative_executed, one, other = commands
    reached = None if one is None or other is None else (one, other)
    return TableFrame(robot, table, snapshot, command, relative, executed, relative_executed, reached)


def episode_scene(episode: Episode) -> TabletopScene:
    """Return the scene that an episode plays in."""
    return scene(dict(episode.extras)[SCENE])


def episode_frames(episode: Episode) -> list[TableFrame]:
    """Return an episode's frames, the state after the last command among them.

    Raises:
        DatasetCorrupt: The episode has no such frames.
    """
    try:
        order = [block.name for block in episode_scene(episode).blocks]
        texts = [step.arguments for step in episode.steps] + [dict(episode.extras)[END]]
        return [read_frame(text, order) for text in texts]
    except (KeyError, TypeError, ValueError, IndexError) as error:
        said = f"{type(error).__name__}: {error}"
        raise DatasetCorrupt(f"episode {episode.index} has no frames of a table: {said}") from error


def episode_states(episode: Episode) -> tuple[Float, Float]:
    """Return CALVIN's numbers of all frames, of the arm (n, 15) and of the scene (n, 24), and nothing else of them.

    The last numbers are of the state after the last command.

    Raises:
        DatasetCorrupt: The episode has no such frames.
    """
    robot, table = [], []
    texts = [*(step.arguments for step in episode.steps), dict(episode.extras).get(END, "{}")]
    at_once = _states_at_once(texts)
    if at_once is not None:
        return at_once
    for number, text in enumerate(texts):
        try:
            record = _first_numbers(text)
            robot.append(_numbers(record["robot_obs"], 15))
            table.append(_numbers(record["scene_obs"], 24))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            said = f"{type(error).__name__}: {error}"
            raise DatasetCorrupt(f"episode {episode.index} has no frame {number} of a table: {said}") from error
    return np.array(robot).reshape(-1, 15), np.array(table).reshape(-1, 24)


def _states_at_once(texts: Sequence[str]) -> tuple[Float, Float] | None:
    """Return the numbers of frames in a tenth of the time, or None if one is not as ``write_frame`` writes it."""
    rows = []
    for text in texts:
        head = text.partition(',"turns"')[0]
        robot, between, table = head.partition('],"scene_obs":[')
        if not (between and robot.startswith(ROBOT_OBS) and table.endswith("]")):
            return None
        rows.append(f"{robot[len(ROBOT_OBS) :]},{table[:-1]}")
        if robot.count(",") != 14 or rows[-1].count(",") != 38:
            return None
    try:
        numbers = pc.split_pattern(pa.array([",".join(rows)]), ",").flatten().cast(pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        return None
    if not np.isfinite(numbers).all():
        return None
    numbers = numbers.reshape(-1, 39)
    return np.ascontiguousarray(numbers[:, :15]), np.ascontiguousarray(numbers[:, 15:])


def episode_commands(episode: Episode, count: int) -> tuple[Float, Float]:
    """Return the poses that were commanded in the first so many steps (n, 7), and those that were executed.

    Raises:
        DatasetCorrupt: The episode has no such frames.
    """
    commanded, executed = [], []
    for number, step in enumerate(episode.steps[:count]):
        _, there, tail = step.arguments.rpartition(f'"{ABSOLUTE}":')
        try:
            record = json.loads(f'{{"{ABSOLUTE}":{tail}') if there else {}
            commanded.append(_numbers(record[ABSOLUTE], 7))
            executed.append(_numbers(record.get(EXECUTED, record[ABSOLUTE]), 7))
        except (KeyError, TypeError, ValueError) as error:
            raise DatasetCorrupt(f"episode {episode.index} has no command in frame {number}: {error}") from error
    return np.array(commanded).reshape(-1, 7), np.array(executed).reshape(-1, 7)


def _first_numbers(text: str) -> Mapping[str, Any]:
    """Return the numbers of a frame's text: as ``write_frame`` writes it they come first, and the rest need no look."""
    head, there, _ = text.partition(',"turns"')
    record = json.loads(head + "}" if there else text)
    if not isinstance(record, dict):
        raise TypeError("a frame is a JSON object")
    return record if "scene_obs" in record and "robot_obs" in record else json.loads(text)


def segment_numbers(episode: Episode, cut: str) -> list[int]:
    """Return the number of the segment to which each step belongs.

    Args:
        episode: The episode.
        cut: ``retreat`` as it is stored. ``detection``: what follows the detection of a task belongs to the next one,
            and what follows the last detection to none: there are fewer numbers than steps.

    Raises:
        DatasetCorrupt: The segments do not say when their tasks were done.
    """
    stored = [step.segment for step in episode.steps]
    if cut == RETREAT:
        return stored
    numbers: list[int] = []
    for number, end in enumerate(detections(episode)):
        numbers += [number] * (end - len(numbers))
    return numbers


def detections(episode: Episode) -> list[int]:
    """Return the number of the frame in which each task is seen done."""
    ends, first = [], 0
    for segment in episode.segments:
        details = json_object(segment.details, f"details of {segment.action}")
        try:
            ends.append(first + int(details["done_after"]))
            first += int(details["frames"])
        except (KeyError, TypeError, ValueError) as error:
            raise DatasetCorrupt(f"episode {episode.index} does not say when {segment.action} was done") from error
    if ends != sorted(ends) or (ends and ends[-1] > len(episode.steps)):
        raise DatasetCorrupt(f"the tasks of episode {episode.index} are done in an order that cannot be")
    return ends


class Snapshots(Sequence[Snapshot]):
    """The snapshots of frames, in a tenth of the memory: each is made anew when it is looked at.

    Contacts are few and are kept once; all else is numbers.
    """

    def __init__(self, frames: Sequence[TableFrame]) -> None:
        self._names = tuple(frames[0].snapshot.blocks) if frames else ()
        self._numbers = np.array([_numbers_of(frame.snapshot) for frame in frames])
        kept: dict[frozenset[Contact], frozenset[Contact]] = {}
        self._contacts = [
            tuple(
                kept.setdefault(touched, touched)
                for touched in (
                    frame.snapshot.robot_contacts,
                    *(block.contacts for block in frame.snapshot.blocks.values()),
                )
            )
            for frame in frames
        ]
        self._shown = range(len(frames))

    def __len__(self) -> int:
        return len(self._shown)

    @overload
    def __getitem__(self, place: int) -> Snapshot: ...

    @overload
    def __getitem__(self, place: slice) -> Snapshots: ...

    def __getitem__(self, place: int | slice) -> Snapshot | Snapshots:
        """Return the snapshot at a place, or those of a slice, which share the memory."""
        if isinstance(place, slice):
            part = copy(self)
            part._shown = self._shown[place]
            return part
        row = self._shown[place]
        numbers, (robot, *touched) = self._numbers[row].tolist(), self._contacts[row]
        blocks = {}
        for number, name in enumerate(self._names):
            blocks[name] = Block.of(numbers[4 + 13 * number : 17 + 13 * number], touched[number])
        return Snapshot.of(numbers[:2], numbers[2:4], blocks, robot)


def _numbers_of(seen: Snapshot) -> list[float]:
    found: list[float] = [seen.doors["base__slide"], seen.doors["base__drawer"]]
    found += [seen.lights["lightbulb"], seen.lights["led"]]
    for block in seen.blocks.values():
        found += [*block.position, *block.orientation, *block.linear_velocity, *block.angular_velocity]
    return found


def write_start(start: tuple[Float, Float]) -> str:
    """Return the numbers that a world is reset to as JSON text."""
    robot, table = start
    return json.dumps({"robot_obs": robot.tolist(), "scene_obs": table.tolist()}, allow_nan=False)


def episode_start(episode: Episode) -> tuple[Float, Float]:
    """Return the numbers that an episode's world was reset to.

    Raises:
        DatasetCorrupt: The episode does not say.
    """
    try:
        record = json.loads(dict(episode.extras)[RESET])
        return _numbers(record["robot_obs"], 15), _numbers(record["scene_obs"], 24)
    except (KeyError, TypeError, ValueError) as error:
        raise DatasetCorrupt(f"episode {episode.index} does not say how its world was reset") from error


def achieve(frames: Sequence[TableFrame]) -> tuple[Float, Float]:
    """Return CALVIN's ``actions`` and ``rel_actions`` (n - 1, 7) of n frames."""
    actions, relative = commands_between(np.array([frame.robot_obs for frame in frames]))
    for number, frame in enumerate(frames[:-1]):
        if frame.reached is not None:
            actions[number], relative[number] = frame.reached
    return actions, relative


def commands_between(robot: Float) -> tuple[Float, Float]:
    """Return CALVIN's ``actions`` and ``rel_actions`` (n - 1, 7) of the arm's numbers (n, 15).

    The action of a frame is the pose that the arm has reached, and the gripper's command, at the next one;
    the relative action is its difference to the frame's pose, scaled and clipped.
    """
    actions = np.concatenate((robot[1:, :6], robot[1:, 14:]), axis=1)
    return actions, relative_actions(actions, robot[:-1])


def relative_actions(actions: Float, robot_obs: Float) -> Float:
    """Return CALVIN's ``rel_actions`` (n, 7) of actions (n, 7) and the states (n, 15) before them."""
    moves = np.clip((actions[:, :3] - robot_obs[:, :3]) * METRES, -1, 1)
    turns = (actions[:, 3:6] - robot_obs[:, 3:6] + np.pi) % (2 * np.pi) - np.pi
    return np.concatenate((moves, np.clip(turns * RADIANS, -1, 1), actions[:, 6:]), axis=1)


def _rows_of_contacts(contacts: frozenset[Contact]) -> list[list[str]]:
    return [list(pair) for pair in sorted(contacts)]


def _set(pairs: Sequence[Sequence[str]]) -> frozenset[Contact]:
    return frozenset((str(body), str(link)) for body, link in pairs)


def _numbers(values: object, length: int) -> Float:
    found = np.asarray(values, np.float64)
    if found.shape != (length,) or not np.isfinite(found).all():
        raise ValueError(f"{length} finite numbers were expected")
    return found
