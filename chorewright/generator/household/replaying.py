"""A stored episode run again: the world before its first step and after each, as a camera sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from chorewright.errors import DatasetCorrupt
from chorewright.generator.dataset.episode import Episode, json_object
from chorewright.generator.household.problems import room_of
from chorewright.problems.household.scene import Scene
from chorewright.replay.household.picture import agent_camera
from chorewright.replay.household.pixels.camera import Camera
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import Argument, Simulator, SimulatorAction

MakeWorld = Callable[[], tuple[ThorWorld, Simulator[Scene]]]
"""Makes a THOR world, and the simulator in it that takes the steps: TEACh's actions or the world itself."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The world after so many steps.

    Attributes:
        step: How many steps have been done.
        scene: All objects, and the agent's pose.
        camera: The agent's, a picture of ``size`` pixels on a side.
    """

    step: int
    scene: Scene
    camera: Camera


def moments(episode: Episode, size: int, make: MakeWorld) -> Iterator[Moment]:
    """Run an episode's steps and yield what there is to be seen.

    Args:
        episode: Its steps are calls of the world's simulator.
        size: Pixels on a side of the camera's picture.
        make: Makes the world that they were recorded in.

    Raises:
        DatasetCorrupt: A step that was recorded as done cannot be done.
    """
    world, simulator = make()
    simulator.reset(room_of(episode))
    yield Moment(0, world.scene(), agent_camera(world.room, size))
    for number, step in enumerate(episode.steps, 1):
        event = simulator.step(recorded_call(step.action, step.arguments))
        if event.success != step.success:
            why = event.error_message or "it succeeds"
            raise DatasetCorrupt(
                f"episode {episode.index}, step {number} ({step.action}) does not replay: {why}",
                hint="the dataset was made by another version of chorewright",
            )
        yield Moment(number, world.scene(), agent_camera(world.room, size))


def recorded_call(name: str, arguments: str) -> SimulatorAction:
    """Return the simulator's call: ALFRED's steps carry it whole, TEACh's its object."""
    told: Mapping[str, Argument] = json_object(arguments, f"arguments of the step {name!r}")
    call = {key: value for key, value in told.items() if key != "action"}
    return SimulatorAction(str(told.get("action", name)), call)
