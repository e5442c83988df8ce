"""Recorded states seen again: snapshots of frames that were stored without contacts.

CALVIN's frames have two vectors, ``robot_obs`` and ``scene_obs``, but neither contacts nor velocities. Without
these no task can be detected. A world that is reset to the vectors has the contacts; everything is at rest there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

from chorewright.replay.calvin.motion import Tabletop
from chorewright.replay.calvin.snapshot import Snapshot

Numbers = npt.NDArray[np.float64]


class RecordedFrames(Sequence[Snapshot]):
    """The snapshots of recorded frames; each is taken on access (about half a millisecond)."""

    def __init__(self, world: Tabletop, frames: Sequence[tuple[Numbers, Numbers]]) -> None:
        """Take frames as they are.

        Args:
            world: A world of the scene that the frames were recorded in; it is reset again and again.
            frames: ``robot_obs`` (15,) and ``scene_obs`` (24,) of each frame, in order.
        """
        self._world = world
        self._frames = frames

    def __len__(self) -> int:
        return len(self._frames)

    @overload
    def __getitem__(self, place: int) -> Snapshot: ...

    @overload
    def __getitem__(self, place: slice) -> RecordedFrames: ...

    def __getitem__(self, place: int | slice) -> Snapshot | RecordedFrames:
        if isinstance(place, slice):
            return RecordedFrames(self._world, self._frames[place])
        self._world.reset(*self._frames[place])
        return self._world.snapshot()
