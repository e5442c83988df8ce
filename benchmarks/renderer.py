"""Frames per second of the THOR world's renderer beside PyBullet's TinyRenderer, in the same run.

    python -m benchmarks.renderer [--rooms 10] [--views 8] [--sizes 84 300 900] [--save] [--json FILE]

Ten rooms of each kind, views from standing points all over them, colours, depth and instances at once.
TinyRenderer draws the same triangles from the same cameras, without textures (extra ``calvin``; left out
with a message where it is missing). Processor seconds of one core.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.command import benchmark_parser, from_rich, keep
from benchmarks.results import Figure, Peer, Report, Target
from benchmarks.results import Table as Values
from chorewright.problems.household.rooms import load_room, room_names
from chorewright.problems.household.scene import GRID, Scene
from chorewright.replay.household.pixels.camera import Camera
from chorewright.replay.household.pixels.renderer import Renderer

CAMERA_HEIGHT, FIELD_OF_VIEW = 0.75, 60.0


def views(scene: Scene, count: int, size: int) -> list[Camera]:
    """Return cameras at standing points all over a room, turning on by a quarter."""
    step = max(1, len(scene.grid) // count)
    return [
        Camera(
            (x * GRID, scene.agent_y + CAMERA_HEIGHT, z * GRID),
            90.0 * (number % 4),
            (0.0, 30.0)[number // 4 % 2],
            FIELD_OF_VIEW,
            size,
            size,
        )
        for number, (x, z) in enumerate(scene.grid[::step][:count])
    ]


def chosen(number: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the kinds of rooms, each with its first rooms."""
    names = room_names()
    for place, kind in enumerate(("kitchens", "living rooms", "bedrooms", "bathrooms")):
        yield kind, list(names[30 * place : 30 * place + number])


def ours(scene: Scene, cameras: Sequence[Camera]) -> tuple[float, int]:
    """Return processor seconds for all views, and the number of triangles."""
    renderer = Renderer()
    renderer.frame(scene, cameras[0])
    started = time.process_time()
    for camera in cameras:
        renderer.frame(scene, camera)
    return time.process_time() - started, len(renderer.geometry(scene).triangles.points)


def tiny_renderer() -> Callable[[Scene, Sequence[Camera]], float] | None:
    """Return what times TinyRenderer, or None without PyBullet."""
    try:
        import pybullet
    except ImportError:
        return None

    def timed(scene: Scene, cameras: Sequence[Camera]) -> float:
        client = pybullet.connect(pybullet.DIRECT)
        triangles = Renderer().geometry(scene).triangles
        for first, last in pairwise(triangles.starts):
            corners, facing = triangles.points[first:last], triangles.facing[first:last]
            edges = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            turned = (edges * facing).sum(axis=1) < 0
            corners = np.where(turned[:, None, None], corners[:, ::-1], corners)
            shape = pybullet.createVisualShape(
                pybullet.GEOM_MESH,
                vertices=corners.reshape(-1, 3).tolist(),
                indices=list(range(3 * len(corners))),
                physicsClientId=client,
            )
            pybullet.createMultiBody(0, -1, shape, physicsClientId=client)
        seconds = 0.0
        for number, camera in enumerate(cameras):
            _, up, forward = camera.axes()
            target = [p + float(f) for p, f in zip(camera.position, forward, strict=True)]
            view = pybullet.computeViewMatrix(list(camera.position), target, [float(v) for v in up])
            lens = pybullet.computeProjectionMatrixFOV(camera.field_of_view, 1.0, 0.05, 30.0)
            started = time.process_time()
            pybullet.getCameraImage(
                camera.width, camera.height, view, lens, renderer=pybullet.ER_TINY_RENDERER, physicsClientId=client
            )
            if number:
                seconds += time.process_time() - started
        pybullet.disconnect(client)
        return seconds * len(cameras) / max(1, len(cameras) - 1)

    return timed


def main() -> None:
    """Time all sizes and print the table."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--rooms", type=int, default=10, help="rooms of each kind")
    parser.add_argument("--views", type=int, default=8, help="views of each room")
    parser.add_argument("--sizes", type=int, nargs="+", default=[84, 300, 900], help="pixels on a side")
    arguments = parser.parse_args()
    tiny, console = tiny_renderer(), Console()
    if tiny is None:
        console.print("TinyRenderer is left out: it needs PyBullet (pip install 'chorewright[calvin]')")
    figures, tables = [], []
    for size in arguments.sizes:
        table = Table(title=f"{size} x {size}, frames per second of one core")
        for column in ("rooms", "triangles", "ours", "TinyRenderer", "ratio"):
            table.add_column(column, justify="left" if column == "rooms" else "right")
        whole = [0, 0.0, 0, 0.0]
        for kind, names in chosen(arguments.rooms):
            frames, seconds, triangles, peer = 0, 0.0, 0, 0.0
            for name in names:
                scene = load_room(name)
                cameras = views(scene, arguments.views, size)
                spent, drawn = ours(scene, cameras)
                frames, seconds, triangles = frames + len(cameras), seconds + spent, triangles + drawn
                peer += tiny(scene, cameras) if tiny else 0.0
            row = (frames, seconds, triangles / len(names), peer)
            whole = [whole[0] + frames, whole[1] + seconds, whole[2] + triangles / 4 / len(names), whole[3] + peer]
            table.add_row(kind, *_cells(row))
        table.add_row("all", *_cells(tuple(whole)), style="bold")
        console.print(table)
        tables.append(from_rich(table, f"{size} x {size} pixels"))
        figures += figures_of(size, *whole)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    console.print(f"peak memory {peak:.0f} MB")
    figures.append(Figure("memory", "peak memory, all rooms' triangles and PyBullet's included", round(peak), "MB"))
    keep(arguments, report(figures, tables))


def figures_of(size: int, frames: float, seconds: float, _: float, peer: float) -> list[Figure]:
    """Return the figures of pictures of one size."""
    speed, pixels = frames / seconds, f"{size} x {size}"
    target = Target("at least", 150) if size == 300 else None
    peers = (Peer("TinyRenderer", f"{frames / peer:.1f}", "same run"),) if peer else ()
    found = [Figure(f"fps_{size}", f"{pixels}, frames a second", round(speed), target=target, peers=peers)]
    if peer:
        ratio = round(peer / seconds)
        found.append(Figure(f"ratio_{size}", f"{pixels}, times TinyRenderer", ratio, target=Target("at least", 20)))
    return found


def report(figures: Sequence[Figure], tables: Sequence[Values]) -> Report:
    """Return the figures of all sizes."""
    return Report(
        name="renderer",
        group="Rooms and pictures",
        title="The renderer",
        explanation="Frames a second of one core: rooms of each kind with real shapes, colours, depth and instances "
        "at once, beside PyBullet's TinyRenderer on the same triangles in the same run.",
        figures=tuple(figures),
        tables=tuple(tables),
    )


def _cells(row: Sequence[float]) -> tuple[str, ...]:
    frames, seconds, triangles, peer = row
    slow = f"{frames / peer:.1f}" if peer else "-"
    return f"{triangles:,.0f}", f"{frames / seconds:.0f}", slow, f"{peer / seconds:.0f}x" if peer else "-"


if __name__ == "__main__":
    main()
