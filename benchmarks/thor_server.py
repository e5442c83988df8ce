"""Milliseconds per step through AI2-THOR's own client 5.0.0, with the THOR world as its build.

    python -m benchmarks.thor_server [--steps 300] [--size 300] [--save] [--json FILE]

The client walks about and looks around in one room of each kind. The whole is what ``Controller.step`` takes
by the clock, so it needs a quiet machine. The server's part is what the same actions take in process, their
pictures packed as the pipe has them, by the clock and in CPU time.
"""

from __future__ import annotations

import stat
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.command import benchmark_parser, from_rich, keep
from benchmarks.results import Figure, Report, Target
from benchmarks.results import Table as Values
from chorewright.replay.household import controller
from chorewright.replay.household.server.program import pack
from chorewright.replay.household.server.service import Service

ROOMS = ("FloorPlan1", "FloorPlan205", "FloorPlan305", "FloorPlan405")
LAYERS = {"RGB": {}, "RGB, depth, instances": {"renderDepthImage": True, "renderInstanceSegmentation": True}}
ACTIONS = ("MoveAhead", "RotateRight", "MoveAhead", "LookDown", "MoveAhead", "LookUp", "RotateLeft", "Pass")


def actions(count: int) -> Iterator[str]:
    """Yield a walk, the same each time."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        yield ACTIONS[int(rng.integers(len(ACTIONS)))]


def through_client(program: Path, size: int, steps: int, layers: dict[str, bool]) -> list[float]:
    """Return the seconds of each step as the client's user has them."""
    driven = controller(ROOMS[0], local_executable_path=str(program), width=size, height=size, **layers)
    seconds = []
    try:
        for room in ROOMS:
            driven.reset(room)
            for action in actions(steps // len(ROOMS)):
                begun = time.perf_counter()
                driven.step(action)
                seconds.append(time.perf_counter() - begun)
    finally:
        driven.stop()
    return seconds


def in_process(size: int, steps: int, layers: dict[str, bool]) -> tuple[list[float], float]:
    """Return the seconds that each of the same steps takes the program itself, and CPU seconds per step."""
    service, seconds, used = Service(size, size), [], 0.0
    for room in ROOMS:
        service.answer({"action": "Reset", "sceneName": room})
        service.answer({"action": "Initialize", **layers})
        for action in actions(steps // len(ROOMS)):
            begun, cpu = time.perf_counter(), time.process_time()
            pack(service.answer({"action": action}), 0)
            seconds.append(time.perf_counter() - begun)
            used += time.process_time() - cpu
    return seconds, used / len(seconds)


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--size", type=int, default=300)
    arguments = parser.parse_args()
    table = Table("pictures", "ms per step, median", "mean", "server's part, median", "server's CPU, mean")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "chorewright-thor"
        start = f'exec {sys.executable} -m chorewright.replay.household.server.program "$@"'
        program.write_text(f"#!/bin/sh\n{start}\n", encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        for name, layers in LAYERS.items():
            whole = through_client(program, arguments.size, arguments.steps, dict(layers))
            server, cpu = in_process(arguments.size, arguments.steps, dict(layers))
            shown = (
                1000 * statistics.median(whole),
                1000 * statistics.mean(whole),
                1000 * statistics.median(server),
                1000 * cpu,
            )
            table.add_row(name, *(f"{value:.1f}" for value in shown))
    Console().print(table)
    keep(arguments, report(from_rich(table), arguments.size))


def report(table: Values, size: int) -> Report:
    """Return the figures of the client's steps."""
    plain, layers = (tuple(map(float, row[1:])) for row in table.rows)
    return Report(
        name="thor_server",
        group="Rooms and pictures",
        title="AI2-THOR's client 5.0.0",
        explanation=f"The unmodified client with our program as its build, at {size} x {size}.",
        figures=(
            Figure("step_ms", "a step with colours, by the clock, median", plain[0], "ms", digits=1,
                   target=Target("at most", 15)),
            Figure("cpu_ms", "the program's CPU a step with colours", plain[3], "ms", digits=1),
            Figure("cpu_layers_ms", "the program's CPU a step with depth and instances too", layers[3], "ms", digits=1),
        ),
        tables=(table,),
    )  # fmt: skip


if __name__ == "__main__":
    main()
