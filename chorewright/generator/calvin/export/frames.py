"""CALVIN's frame files: one ``.npz`` a frame, with pictures if they are asked for, an episode at a time."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chorewright.generator.production.pool import processes
from chorewright.generator.training.exporter import ExportFolder
from chorewright.problems.calvin.scenes import scene
from chorewright.replay.calvin.pictures import CAMERAS, TabletopRenderer

COMMANDS = ("commanded_actions", "commanded_rel_actions")
"""Keys of ours beside CALVIN's: what was commanded, as a pose and as a motion of the target."""


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


def write_frames(target: ExportFolder, job: FrameJob) -> int:
    """Write the frames of an episode; return how many files have changed."""
    changed = 0
    for row in range(len(job.arrays["robot_obs"])):
        frame: dict[str, Any] = {name: values[row] for name, values in job.arrays.items()}
        if job.images:
            frame |= draw(_renderer(job.scene), frame["robot_obs"], frame["scene_obs"])
        sink = io.BytesIO()
        np.savez_compressed(sink, **frame)
        changed += target.write((job.split, f"episode_{job.first + row:07d}.npz"), sink.getvalue())
    return changed


def write_all(target: ExportFolder, jobs: Iterable[FrameJob], workers: int) -> int:
    """Write the frames of episodes, by so many processes or by none but this one."""
    if workers == 0:
        return sum(write_frames(target, job) for job in jobs)
    changed = 0
    with processes(workers, "export") as pool:
        for count in _mapped(lambda job: pool.submit(write_frames, target, job), jobs, 2 * workers):
            changed += count
    return changed


def draw(
    renderer: TabletopRenderer, robot_obs: NDArray[np.float64], scene_obs: NDArray[np.float64]
) -> dict[str, NDArray[Any]]:
    """Return CALVIN's pictures of a state by their keys."""
    frames = renderer.frames(robot_obs, scene_obs)
    shown = dict(zip(CAMERAS, frames, strict=True))
    colours: dict[str, NDArray[Any]] = {f"rgb_{name}": frame.rgb for name, frame in shown.items()}
    return colours | {f"depth_{name}": frame.depth for name, frame in shown.items()}


def _mapped(
    submit: Callable[[FrameJob], Future[int]],
    jobs: Iterable[FrameJob],
    ahead: int,
) -> Iterator[int]:
    """Yield results as they come; only so many jobs wait at a time, as each holds an episode."""
    waiting: set[Future[int]] = set()
    for job in jobs:
        waiting.add(submit(job))
        if len(waiting) >= ahead:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (each.result() for each in done)
    yield from (each.result() for each in wait(waiting).done)


@lru_cache(maxsize=4)
def _renderer(name: str) -> TabletopRenderer:
    return TabletopRenderer(scene(name))
