"""What is compared of an episode of CALVIN between machines: all but the floats of the physics, and these in bounds.

The physics takes sines from the machine's C library. Where their last bits differ, contacts make a frame more or less
of it, and blocks that were pushed or dropped lie elsewhere, by millimetres as a rule. Tasks, segments, sentences,
starts and verdicts stay, unless an attempt that barely succeeds here fails there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from chorewright.generator.calvin.records import END, REPLAYED, episode_states
from chorewright.generator.dataset.episode import Episode, Segment

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
    extras = tuple((name, text) for name, text in episode.extras if name not in (END, REPLAYED))
    segments = tuple(map(_without_counts, episode.segments))
    return replace(episode, segments=segments, steps=(), rejections=(), extras=extras)


def milestones(episode: Episode) -> Iterator[Milestone]:
    """Yield the ends of an episode's segments.

    Raises:
        DatasetCorrupt: The episode has no frames of a table.
    """
    robot, table = (np.round(states, 6) for states in episode_states(episode))
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
