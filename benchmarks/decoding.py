"""Decode a LeRobot export as a training loop asks for it; print frames a CPU second as JSON.

    python -m benchmarks.decoding EXPORT [--count N] [--length N]

A frame is both videos of a step. LeRobot reads where it is installed, with the reader that it takes for videos;
otherwise PyAV does by the same way: the file is opened, the last key frame before is sought, and frames are decoded
until those that were asked for are there. This needs nothing of the package, so that it runs where only LeRobot is.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections.abc import Callable, Sequence
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

Read = Callable[[int], object]


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("export", type=Path)
    parser.add_argument("--count", type=int, default=100, help="items of one frame")
    parser.add_argument("--length", type=int, default=16, help="frames of a window")
    arguments = parser.parse_args()
    try:
        name, total, one, window = by_lerobot(arguments.export, arguments.length)
    except ImportError:
        name, total, one, window = by_av(arguments.export, arguments.length)
    print(json.dumps({"reader": name, **rates(total, one, window, arguments.count, arguments.length)}))


def rates(total: int, one: Read, window: Read, count: int, length: int) -> dict[str, float]:
    """Return frames a CPU second: single ones at random places for the first time and again, in order, windows."""
    chosen = random.Random(2)
    places = chosen.choices(range(total), k=count)
    begins = chosen.choices(range(total - length), k=max(1, count // length))
    one(places[0])  # compile, open files

    def rate(read: Read, some: Sequence[int], each: int = 1) -> float:
        begun = time.process_time()
        for place in some:
            read(place)
        return each * len(some) / (time.process_time() - begun)

    first = rate(one, places)
    return {
        "first": first,
        "again": max(rate(one, places) for _ in range(3)),
        "order": max(rate(one, range(count)) for _ in range(3)),
        "windows": max(rate(window, begins, length) for _ in range(3)),
    }


def by_lerobot(export: Path, length: int) -> tuple[str, int, Read, Read]:
    """Return LeRobot's name and number of frames, and what reads one of them, or a window."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    torch = import_module("torch")
    module = import_module("lerobot.datasets.lerobot_dataset")
    torch.set_num_threads(1)

    def opened(**options: object) -> Any:
        return module.LeRobotDataset("local/dataset", root=export, video_backend="pyav", **options)

    one = opened()
    ahead = [each / one.fps for each in range(length)]
    videos = {name: ahead for name, each in one.features.items() if each["dtype"] == "video"}
    window = opened(delta_timestamps=videos)
    return f"LeRobot {metadata.version('lerobot')}, PyAV", len(one), one.__getitem__, window.__getitem__


def by_av(export: Path, length: int) -> tuple[str, int, Read, Read]:
    """Return the same of PyAV alone."""
    av = import_module("av")
    info = json.loads((export / "meta" / "info.json").read_text("utf-8"))
    paths = sorted((export / "videos").glob("*/chunk-000/file-000.mp4"))
    total = min(int(av.open(str(path)).streams.video[0].frames) for path in paths)

    def read(place: int, many: int) -> list[object]:
        found = []
        for path in paths:
            with av.open(str(path)) as container:
                stream = container.streams.video[0]
                first, last = ((place + each - 0.5) / info["fps"] for each in (0, many - 1))
                container.seek(int((first + 0.5 / info["fps"]) / stream.time_base), stream=stream)
                for frame in container.decode(stream):
                    if frame.time > first:
                        found.append(frame.to_ndarray(format="rgb24").transpose(2, 0, 1).astype("float32") / 255)
                    if frame.time > last:
                        break
        return found

    return f"PyAV {av.__version__}", total, lambda place: read(place, 1), lambda place: read(place, length)


if __name__ == "__main__":
    main()
