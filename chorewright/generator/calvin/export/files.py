"""CALVIN's files: one ``.npz`` a frame, an episode at a time, with pictures if asked for; and a split's YAML files."""

from __future__ import annotations

import copy
import io
import json
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chorewright.generator.training.exporter import ExportFolder
from chorewright.problems.calvin.scenes import TabletopScene, scene
from chorewright.replay.calvin.pictures import CAMERAS, TabletopRenderer
from chorewright.replay.calvin.shapes import geometry

COMMANDS = ("commanded_actions", "commanded_rel_actions")
"""Keys of ours beside CALVIN's: what was commanded, as a pose and as a motion of the target."""


NORMALISE = "calvin_agent.utils.transforms.NormalizeVector"
"""The class of CALVIN's code that the statistics are given to."""

DIGITS = 6


@dataclass(frozen=True, slots=True, eq=False)
class FrameJob:
    """An episode's frames to be written.

    Attributes:
        split: The folder.
        first: The number of the first frame.
        scene: The scene's name.
        arrays: By key, a row for each frame.
        images: Whether pictures are drawn.
    """

    split: str
    first: int
    scene: str
    arrays: dict[str, NDArray[np.float64]]
    images: bool


class FrameWriter:
    """Writes frames of episodes to a folder; it keeps what draws each scene."""

    def __init__(self, target: ExportFolder) -> None:
        self._target = target
        self._renderers: dict[str, TabletopRenderer] = {}

    def write(self, job: FrameJob) -> int:
        """Write the frames of an episode; return how many files have changed."""
        changed = 0
        for row in range(len(job.arrays["robot_obs"])):
            frame: dict[str, Any] = {name: values[row] for name, values in job.arrays.items()}
            if job.images:
                frame |= draw(self._renderer(job.scene), frame["robot_obs"], frame["scene_obs"])
            sink = io.BytesIO()
            np.savez_compressed(sink, **frame)
            changed += self._target.write((job.split, f"episode_{job.first + row:07d}.npz"), sink.getvalue())
        return changed

    def _renderer(self, name: str) -> TabletopRenderer:
        if name not in self._renderers:
            self._renderers[name] = TabletopRenderer(scene(name))
        return self._renderers[name]


def draw(
    renderer: TabletopRenderer, robot_obs: NDArray[np.float64], scene_obs: NDArray[np.float64]
) -> dict[str, NDArray[Any]]:
    """Return CALVIN's pictures of a state by their keys."""
    frames = renderer.frames(robot_obs, scene_obs)
    shown = dict(zip(CAMERAS, frames, strict=True))
    colours: dict[str, NDArray[Any]] = {f"rgb_{name}": frame.rgb for name, frame in shown.items()}
    return colours | {f"depth_{name}": frame.depth for name, frame in shown.items()}


def environment_config(scene: TabletopScene) -> dict[str, Any]:
    """Return what ``.hydra/merged_config.yaml`` says: how the real environment of a scene is made.

    References to other parts stay as they are (``${scene}``); the environment resolves them.
    """
    path = resources.files("chorewright.generator.calvin.export") / "data" / "environment.json"
    record: dict[str, Any] = copy.deepcopy(json.loads(path.read_text(encoding="utf-8")))
    del record["_about"]
    lights = record.pop("lights")
    table = {
        "file": f"calvin_table_{scene.name}/urdf/calvin_table_{scene.name}.urdf",
        "initial_pos": [0, 0, 0],
        "initial_orn": [0, 0, 0],
        "joints": {name: {"initial_state": 0} for name in ("base__slide", "base__drawer")},
        "buttons": {"base__button": {"initial_state": 0, "effect": "led"}},
        "switches": {"base__switch": {"initial_state": 0, "effect": "lightbulb"}},
        "lights": lights,
    }
    blocks = {
        block.name: {
            "file": f"blocks/{block.name}_{block.size}.urdf",
            "initial_pos": "any",
            "initial_orn": "any",
        }
        for block in scene.blocks
    }
    record["scene"] |= {
        "name": scene.full_name,
        "robot_base_position": list(geometry()["arm"]["base"]),
        "robot_initial_joint_positions": list(scene.robot_obs[7:14]),
        "surfaces": {name: [list(low), list(high)] for name, (low, high) in scene.surfaces.items()},
        "objects": {"fixed_objects": {"table": table}, "movable_objects": blocks},
    }
    return record


class SplitStatistics:
    """Means, deviations and bounds of a split, gathered episode by episode."""

    def __init__(self) -> None:
        self._count = 0
        self._sums: dict[str, list[NDArray[np.float64]]] = {}
        self._low = np.full(7, np.inf)
        self._high = np.full(7, -np.inf)

    def add(self, robot_obs: NDArray[np.float64], scene_obs: NDArray[np.float64], actions: NDArray[np.float64]) -> None:
        """Add an episode's frames."""
        self._count += len(actions)
        for name, values in (("robot_obs", robot_obs), ("scene_obs", scene_obs)):
            new = [values.sum(axis=0), (values * values).sum(axis=0)]
            old = self._sums.get(name)
            self._sums[name] = new if old is None else [a + b for a, b in zip(old, new, strict=True)]
        self._low = np.minimum(self._low, actions.min(axis=0))
        self._high = np.maximum(self._high, actions.max(axis=0))

    def record(self) -> dict[str, Any]:
        """Return what ``statistics.yaml`` says."""
        found: dict[str, Any] = {}
        for name, (total, squares) in self._sums.items():
            mean = total / self._count
            deviation = np.sqrt(np.maximum(squares / self._count - mean * mean, 0.0))
            normalise = {"_target_": NORMALISE, "mean": _round(mean), "std": _round(deviation)}
            found[name] = [normalise]
        outward = 10.0**-DIGITS
        found["act_min_bound"] = _round(np.floor(self._low / outward) * outward)
        found["act_max_bound"] = _round(np.ceil(self._high / outward) * outward)
        return found


def yaml_bytes(value: object) -> bytes:
    """Return a value as YAML; keys keep their order."""
    import yaml

    return str(yaml.safe_dump(value, sort_keys=False, default_flow_style=None, width=110)).encode()


def _round(values: NDArray[np.float64]) -> list[float]:
    return [round(float(value), DIGITS) + 0.0 for value in values]
