"""A stored episode run again: the world before its first step and after each, as a camera sees it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from chorewright.errors import DatasetCorrupt, UsageError
from chorewright.generator.episode import Episode
from chorewright.problems.thor.scene import Scene
from chorewright.replay.simulator import Argument, Simulator, SimulatorAction
from chorewright.replay.teach.world import TeachWorld
from chorewright.replay.thor.picture import agent_camera
from chorewright.replay.thor.pixels.camera import Camera
from chorewright.replay.thor.room import ALFRED_SETTINGS
from chorewright.replay.thor.world import ThorWorld


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


def can_replay(recipe: str) -> bool:
    """Return whether a recipe's episodes are steps in a THOR world."""
    return recipe in _WORLDS


def moments(episode: Episode, size: int) -> Iterator[Moment]:
    """Run an episode's steps and yield what there is to be seen.

    Raises:
        UsageError: The episode's world is no THOR world.
        DatasetCorrupt: A step that was recorded as done cannot be done.
    """
    if not can_replay(episode.recipe):
        raise UsageError(
            f"episodes of the recipe {episode.recipe} have no pictures",
            hint=f"those of {', '.join(sorted(_WORLDS))} have",
        )
    world, simulator = _WORLDS[episode.recipe]()
    simulator.reset(episode.room)
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


def _alfred() -> tuple[ThorWorld, Simulator[Scene]]:
    world = ThorWorld(ALFRED_SETTINGS)
    return world, world


def _teach() -> tuple[ThorWorld, Simulator[Scene]]:
    world = TeachWorld()
    return world.world, world


_WORLDS = {"alfred": _alfred, "teach": _teach}


def recorded_call(name: str, arguments: str) -> SimulatorAction:
    """Return the simulator's call: ALFRED's steps carry it whole, TEACh's its object."""
    told: Mapping[str, Argument] = json.loads(arguments)
    call = {key: value for key, value in told.items() if key != "action"}
    return SimulatorAction(str(told.get("action", name)), call)
