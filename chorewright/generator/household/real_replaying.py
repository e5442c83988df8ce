"""Stored episodes run again on a real build of AI2-THOR: retried after its faults, then put in quarantine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from chorewright.errors import UsageError
from chorewright.files.text import clear_leftovers, write_atomically
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.moments import BuildCalls, HouseholdMoments, call_of
from chorewright.generator.household.spawning import room_of
from chorewright.generator.showing.moments import moments_of
from chorewright.replay.household.real.simulator import RealThor, SimulatorFault
from chorewright.replay.household.room import RoomSettings
from chorewright.replay.simulator import Event

FOLDER = "ai2thor"
"""Below a dataset's folder: pictures and the report."""


@dataclass(frozen=True, slots=True)
class RealRun:
    """How an episode went on a real build.

    Attributes:
        episode: Its index.
        outcome: ``replayed``, ``failed`` (a step went otherwise than recorded) or ``quarantined``.
        steps: How many steps were done as recorded.
        reason: Why it is not replayed.
        faults: What the build did wrong on the way, one reason for each attempt that it ended.
    """

    episode: int
    outcome: str
    steps: int
    reason: str = ""
    faults: tuple[str, ...] = ()


def replay_on_real(
    episodes: Iterable[Episode],
    simulator: Callable[[RoomSettings], RealThor],
    attempts: int = 3,
    folder: Path | None = None,
) -> Iterator[RealRun]:
    """Run episodes one after the other and yield how each went; a build that breaks down is started anew.

    Args:
        episodes: Those whose steps are calls of a THOR world.
        simulator: Makes a simulator with an agent's settings.
        attempts: How often an episode is tried before it is quarantined.
        folder: The dataset's folder, into which the pictures are written; without it none are.

    Raises:
        MissingPlugin: An episode's benchmark is not installed.
        UsageError: An episode's world is no THOR world.
    """
    kept: dict[str, tuple[RealThor, BuildCalls]] = {}
    if folder is not None:
        clear_leftovers(folder / FOLDER)
    try:
        for episode in episodes:
            if episode.benchmark not in kept:
                family = moments_of(episode.benchmark)
                if not isinstance(family, HouseholdMoments):
                    raise UsageError(f"episodes of the benchmark {episode.benchmark} do not run in AI2-THOR")
                kept[episode.benchmark] = simulator(family.make()[0].settings), family.build_calls
            yield _attempt(episode, *kept[episode.benchmark], attempts, folder)
    finally:
        for each, _ in kept.values():
            each.close()


def write_report(folder: Path, runs: Iterable[RealRun]) -> Path:
    """Write how the episodes went into the dataset's folder, whole or not at all; return the file's path."""
    path = folder / FOLDER / "report.json"
    path.parent.mkdir(exist_ok=True)
    text = json.dumps([asdict(run) for run in runs], indent=1) + "\n"
    write_atomically(path, text.encode())
    return path


def _attempt(episode: Episode, simulator: RealThor, calls: BuildCalls, attempts: int, folder: Path | None) -> RealRun:
    faults: list[str] = []
    while True:
        done = 0
        try:
            for done, reason in _run(episode, simulator, calls, folder):
                if reason:
                    return RealRun(episode.index, "failed", done, reason, tuple(faults))
            return RealRun(episode.index, "replayed", done, "", tuple(faults))
        except SimulatorFault as fault:
            faults.append(fault.message)
            if len(faults) >= attempts:
                return RealRun(episode.index, "quarantined", done, fault.message, tuple(faults))


def _run(episode: Episode, simulator: RealThor, calls: BuildCalls, folder: Path | None) -> Iterator[tuple[int, str]]:
    """Run an episode; yield the number of steps done and, where one went wrong, why."""
    started = simulator.reset(room_of(episode))
    if not started.success:
        yield 0, f"reset: {started.error_message}"
        return
    _keep(folder, episode.index, 0, simulator.frame)
    for number, step in enumerate(episode.steps, 1):
        event = Event(True, "")
        for call in calls(call_of(step.action, step.arguments)):
            event = simulator.step(call)
        if event.success != step.success:
            why = event.error_message or "it succeeds"
            yield number - 1, f"step {number} ({step.action}): {why}"
            return
        _keep(folder, episode.index, number, simulator.frame)
        yield number, ""


def _keep(folder: Path | None, episode: int, step: int, frame: NDArray[np.uint8] | None) -> None:
    if folder is None or frame is None:
        return
    path = folder / FOLDER / f"{episode:06}" / f"{step:04}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    data = BytesIO()
    Image.fromarray(frame).save(data, "PNG")
    write_atomically(path, data.getvalue())
