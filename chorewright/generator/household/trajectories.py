"""Episodes in the rooms as trajectories: a frame before each step, and a last one in which the agent stops."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from itertools import islice

import numpy as np

from chorewright.errors import DatasetCorrupt
from chorewright.generator.dataset.episode import Episode, Step
from chorewright.generator.household.replaying import MakeWorld, moments
from chorewright.generator.training.trajectory import Column, Feature, Sentences, TrajectoryCamera, camera_sizes
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.simulator import Argument, Frame

STOP = "Stop"
"""The action of the last frame."""

FEATURES = (
    Feature("observation.state", "float32", ("x", "y", "z", "rotation", "horizon")),
    Feature("action", "int64", ("action",)),
    Feature("action.point", "float32", ("x", "y")),
    Feature("action.name", "string", ("name",)),
    Feature("action.object", "string", ("object_id",)),
    Feature("action.arguments", "string", ("json",)),
)
"""The state is the agent's camera in metres and degrees. ``action`` numbers the benchmark's actions, ``action.point``
is where in the picture it clicks (from 0 to 1, x to the right, y down; -1 for actions without a click)."""


@dataclass(frozen=True, slots=True)
class HouseholdTrajectories:
    """Reads episodes whose steps are calls of a THOR world.

    Attributes:
        world: Makes the world that the steps were recorded in.
        actions: The names of the benchmark's actions in order, ``Stop`` among them: their places are ``action``.
    """

    world: MakeWorld
    actions: tuple[str, ...]
    fps: int = 1
    robot: str = "thor_agent"
    features: tuple[Feature, ...] = FEATURES
    cameras: tuple[TrajectoryCamera, ...] = field(default=(TrajectoryCamera("agent", 300),))

    def sentences(self, episode: Episode) -> Sentences:
        """Return the goal as task, and the latest order that was given as subtask, by the first annotator."""
        own = [each for each in episode.instructions if each.annotation == 0]
        goal = next((each.text for each in own if each.level == "goal"), episode.goal)
        orders = [(each.segment or 0, each.text) for each in own if each.level == "step"]
        latest: dict[int, str] = {}
        segments = [step.segment for step in episode.steps]
        for segment in dict.fromkeys(segments):
            given = [text for at, text in orders if at <= segment]
            latest[segment] = given[-1] if given else goal
        said = [latest[segment] for segment in segments]
        return Sentences([goal] * (len(said) + 1), [*said, said[-1] if said else goal])

    def columns(self, episode: Episode) -> Mapping[str, Column]:
        """Return the agent's pose and action in each frame; the episode is run again for it."""
        cameras = [moment.camera for moment in moments(episode, 16, self.world)]
        told = [_told(step) for step in episode.steps]
        names = [step.action for step in episode.steps] + [STOP]
        if unknown := sorted(set(names) - set(self.actions)):
            raise DatasetCorrupt(f"episode {episode.index} has an unknown action {unknown[0]!r}")
        poses = [(*each.position, each.rotation, each.horizon) for each in cameras]
        points = [[_number(each, "x"), _number(each, "y")] for each in told] + [[-1.0, -1.0]]
        return {
            "observation.state": np.array(poses, np.float32),
            "action": np.array([[self.actions.index(name)] for name in names], np.int64),
            "action.point": np.array(points, np.float32),
            "action.name": names,
            "action.object": [str(each.get("objectId", "")) for each in told] + [""],
            "action.arguments": [step.arguments for step in episode.steps] + ["{}"],
        }

    def pictures(self, episode: Episode, size: int | None, frames: range | None = None) -> Iterator[Sequence[Frame]]:
        """Yield the agent's view before each step, and at the end."""
        renderer = Renderer()
        (side,) = camera_sizes(self.cameras, size)
        stop = None if frames is None else frames.stop
        for moment in islice(moments(episode, side, self.world), 0 if frames is None else frames.start, stop):
            yield (renderer.frame(moment.scene, moment.camera),)


def action_names(package: str) -> tuple[str, ...]:
    """Return a benchmark's actions from ``data/actions.json`` of its package."""
    source = resources.files(package) / "data" / "actions.json"
    return tuple(json.loads(source.read_text("utf-8"))["actions"])


def _told(step: Step) -> Mapping[str, Argument]:
    told: Mapping[str, Argument] = step.call()
    return told


def _number(told: Mapping[str, Argument], name: str) -> float:
    value = told.get(name) if "objectId" in told else None
    return float(value) if isinstance(value, int | float) else -1.0
