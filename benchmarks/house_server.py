"""Houses behind AI2-THOR's client 5.0.0: how many it takes by ``CreateHouse``, and what pictures in them cost.

    python -m benchmarks.house_server [--houses 1000] [--frames 200] [--save] [--json FILE]

Each generated house is written as its file has it, read again, and handed to ``Controller.reset`` as a user does; the
agent is then teleported to the house's start and turned once. Pictures are drawn in process, in houses of six rooms,
from random places and directions, after one that does not count; times are CPU time.
"""

from __future__ import annotations

import json
import stat
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report, Target
from chorewright.problems.household.houses.reading import house_record
from chorewright.problems.household.houses.scenes import house_scene
from chorewright.problems.household.houses.source import named_house
from chorewright.problems.household.scene import GENERATED, GRID, Scene
from chorewright.replay.household import controller
from chorewright.replay.household.pixels.camera import Camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.room import ALFRED_SETTINGS

ROOMS = 6
SIZE = 300
VIEW = 90.0


def taken(program: Path, count: int) -> int:
    """Return how many houses the client creates, stands and turns in."""
    driven = controller("FloorPlan1", local_executable_path=str(program), width=SIZE, height=SIZE)
    good = 0
    try:
        for seed in range(count):
            house = json.loads(json.dumps(house_record(named_house(f"{GENERATED}{seed}"))))
            event = driven.reset(house)
            good += bool(event.metadata["lastActionSuccess"]) and all(
                bool(each)
                for each in (driven.step("TeleportFull", **house["metadata"]["agent"]), driven.step("RotateRight"))
            )
    finally:
        driven.stop()
    return good


def scenes(count: int) -> Iterator[Scene]:
    """Yield houses of six rooms."""
    seed = 0
    while count:
        house = named_house(f"{GENERATED}{seed}")
        if len(house.rooms) == ROOMS:
            yield house_scene(house, f"{GENERATED}{seed}")
            count -= 1
        seed += 1


def frame_times(scene: Scene, count: int) -> list[float]:
    """Return the CPU seconds of pictures from random places."""
    rng, renderer, found = np.random.default_rng(0), Renderer(), []
    for number in range(count + 1):
        x, z = scene.grid[int(rng.integers(len(scene.grid)))]
        place = (x * GRID, scene.agent_y + ALFRED_SETTINGS.camera_height, z * GRID)
        camera = Camera(place, 90.0 * int(rng.integers(4)), 30.0 * int(rng.integers(2)), VIEW, SIZE, SIZE)
        begun = time.process_time()
        renderer.frame(scene, camera)
        if number:
            found.append(time.process_time() - begun)
    return found


def main() -> None:
    """Create the houses, draw in some, and keep the figures."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--houses", type=int, default=1000, metavar="N")
    parser.add_argument("--frames", type=int, default=200, metavar="N")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "chorewright-thor"
        text = f'#!/bin/sh\nexec {sys.executable} -m chorewright.replay.household.server.program "$@"\n'
        program.write_text(text, encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        good = taken(program, arguments.houses)
    times = [1000 * each for scene in scenes(10) for each in frame_times(scene, arguments.frames // 10)]
    figures = (
        Figure("taken", "generated houses that client 5.0.0 creates, stands and turns in", good, of=arguments.houses,
               target=Target("at least", 100)),
        Figure("frame", f"CPU time of a picture of {SIZE} x {SIZE} in a house of {ROOMS} rooms, median",
               statistics.median(times), "ms", digits=1, target=Target("at most", 3.0)),
        Figure("slow", "the same, of twenty the slowest", sorted(times)[int(0.95 * len(times))], "ms", digits=1),
    )  # fmt: skip
    explanation = (
        f"{arguments.houses} generated houses through AI2-THOR's client, and {len(times)} pictures in ten houses."
    )
    keep(
        arguments, Report("house-server", "Rooms and pictures", "Houses behind AI2-THOR's client", explanation, figures)
    )


if __name__ == "__main__":
    main()
