"""What an episode of ObjectNav is: a scene with the agent at its start, and a kind of thing to find.

As in AI2-THOR's ObjectNav (RoboTHOR's challenge; ProcTHOR, Deitke et al. 2022) an episode is a success if the agent
ends it by ``Done`` while a thing of the kind is visible within 1 m. Steps are those of the scene's grid: 0.25 m,
quarter turns, looks of 30 degrees.
"""

from __future__ import annotations

from dataclasses import dataclass

from chorewright.problems.household.scene import Pose, Scene
from chorewright.replay.household.room import RoomSettings

SETTINGS = RoomSettings(reach=1.0, field_of_view=90.0, margin=0.0, camera_height=0.675, turn=90.0, tilt=30.0)
"""A thing is visible up to 1 m away on the floor plane, from the camera to its box."""

LOOK = 30
"""Degrees of a look."""

HORIZONS = (-30, 0, 30, 60)
"""The camera's tilts."""

START_HORIZON = 30
"""The tilt at the start."""

PIXELS = 14
"""Pixels of a thing that must be seen, of 300 x 300: that is the smallest mask in ALFRED's data."""

SIZE = 300
"""Pixels on a side of the picture in which they are counted."""

AHEAD, LEFT, RIGHT, UP, DOWN, DONE = ACTIONS = ("MoveAhead", "RotateLeft", "RotateRight", "LookUp", "LookDown", "Done")

MOST_STEPS = 500
"""Actions after which an episode is over, as in the challenges."""


@dataclass(frozen=True, slots=True)
class NavigationTask:
    """An episode as agents get it.

    Attributes:
        name: Which one.
        scene: The room or house, the agent at the start. All that lies in it is there: an agent that looks at more than
            the floor plan compares with others that do.
        target: The kind of thing to find.
        shortest: Metres of a shortest path to where it is visible.
        split: The split of the scene.
    """

    name: str
    scene: Scene
    target: str
    shortest: float
    split: str = ""

    @property
    def start(self) -> Pose:
        """Where the agent starts."""
        return self.scene.agent
