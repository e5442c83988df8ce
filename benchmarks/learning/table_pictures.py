"""The pictures of docs/from_zero_to_policy.md: a policy at work, and what it does over the number of demonstrations.

    python -m benchmarks.learning.table_pictures [--weights FILE [--chain 23]] [--out docs/pictures]

The weights are those of ``table_training``; the curve is drawn from ``learning_table-few`` and
``learning_table`` in ``benchmarks/results``.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from benchmarks.command import ROOT
from benchmarks.learning.kept import MODEL, wilson
from benchmarks.learning.table import SHARES
from benchmarks.learning.table_policy import TablePolicy
from benchmarks.results import RESULTS
from chorewright.problems.calvin.published import PUBLISHED, find_published_chains
from chorewright.problems.calvin.scenes import concrete, scene
from chorewright.replay.calvin.pictures import TabletopRenderer
from chorewright.replay.calvin.policies import carry_out, show
from chorewright.replay.calvin.world import TableObservation, TabletopWorld
from chorewright.rsa.calvin.instructions import validation_sentence

SIZE, CAPTION, COLUMNS, MOST_STEPS = 300, 24, 3, 360
PAPER, INK = (255, 255, 255), (30, 30, 30)


def film(chain: int) -> Iterator[tuple[TableObservation, str]]:
    """Yield what is seen at the start of a published chain and when each task is done, with the sentence."""
    policy, wanted = TablePolicy(), find_published_chains(PUBLISHED)[chain]
    with TabletopWorld(scene("D")) as world:
        seen = world.reset(*concrete(wanted.initial_state, scene("D")))
        yield seen, "at the start"
        for task in wanted.sequence:
            start, sentence = world.snapshot(), validation_sentence(task)
            policy.reset()
            for step in range(1, MOST_STEPS + 1):
                place, angles, grip = policy.step(show(seen, None), sentence)
                seen = carry_out(world, (place.astype(float), angles.astype(float), grip), "table")
                if world.tasks_done(start, world.snapshot(), (task,)):
                    yield seen, f"{sentence} ({step} steps)"
                    break
            else:
                return


def strip(frames: Sequence[tuple[TableObservation, str]]) -> Image.Image:
    """Return frames side by side with their sentences."""
    renderer, font = TabletopRenderer(scene("D")), ImageFont.load_default(12)
    whole = Image.new("RGB", (COLUMNS * SIZE, math.ceil(len(frames) / COLUMNS) * (SIZE + CAPTION)), PAPER)
    draw = ImageDraw.Draw(whole)
    for number, (seen, sentence) in enumerate(frames):
        left, top = number % COLUMNS * SIZE, number // COLUMNS * (SIZE + CAPTION)
        (picture,) = renderer.colours(seen.robot_obs[None], seen.scene_obs[None], ("static",), (SIZE,))
        whole.paste(Image.fromarray(_one(picture)), (left, top))
        draw.text((left + 4, top + SIZE + 4), sentence, fill=INK, font=font)
    return whole


def _one(pictures: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return pictures.reshape(SIZE, SIZE, 3)


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel of the curve.

    Attributes:
        title: What is shown.
        highest: The value at its upper end.
        lines: Values at which there are lines across.
        points: Demonstrations, value, and the bounds of its interval.
    """

    title: str
    highest: float
    lines: tuple[float, ...]
    points: tuple[tuple[int, float, float, float], ...]


def panels(reports: Iterable[dict[str, Any]]) -> tuple[Panel, Panel]:
    """Return the panels of saved results, the later ones first: single tasks in percent, and tasks in a row."""
    figures = {each["name"]: each for report in reports for each in report["figures"]}
    single, chains = [], []
    for name in (each for each in SHARES if f"{each}_single" in figures):
        count, done = figures[f"{name}_demonstrations"]["value"], figures[f"{name}_single"]
        share, (low, high) = done["value"] / done["of"], wilson(done["value"], done["of"])
        single.append((count, 100 * share, 100 * low, 100 * high))
        mean = figures[f"{name}_length"]
        half = float(mean["note"].removeprefix("± "))
        chains.append((count, mean["value"], mean["value"] - half, min(5.0, mean["value"] + half)))
    return (
        Panel("single tasks done, percent", 100, (25, 50, 75, 100), tuple(single)),
        Panel("published tasks in a row, of 5", 5, (1, 2, 3, 4, 5), tuple(chains)),
    )


def curve(shown: Sequence[Panel]) -> str:
    """Return panels side by side as SVG."""
    width, height, left, top, apart = 280, 200, 40, 34, 80
    whole = f'viewBox="0 0 {2 * (width + apart)} {height + 80}" font-family="sans-serif" font-size="12"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {whole}><rect width="100%" height="100%" fill="white"/>']
    for number, panel in enumerate(shown):
        x0 = left + number * (width + apart)
        low, high = (math.log(panel.points[end][0]) for end in (0, -1))

        def x(count: float, x0: float = x0, low: float = low, high: float = high) -> float:
            return x0 + 12 + (width - 24) * (math.log(count) - low) / (high - low)

        def y(value: float, panel: Panel = panel) -> float:
            return top + height * (1 - value / panel.highest)

        parts.append(f'<text x="{x0}" y="{top - 14}" font-weight="bold">{panel.title}</text>')
        for line in panel.lines:
            parts.append(f'<path d="M{x0} {y(line):.1f}h{width}" stroke="#ddd"/>')
            parts.append(f'<text x="{x0 - 6}" y="{y(line) + 4:.1f}" text-anchor="end">{line:g}</text>')
        parts.append(f'<path d="M{x0} {y(0):.1f}h{width}" stroke="#333"/>')
        way = " ".join(f"{x(count):.1f},{y(value):.1f}" for count, value, _, _ in panel.points)
        parts.append(f'<polyline points="{way}" fill="none" stroke="#1f5fa8" stroke-width="2"/>')
        for count, value, least, most in panel.points:
            parts.append(f'<path d="M{x(count):.1f} {y(least):.1f}V{y(most):.1f}" stroke="#1f5fa8"/>')
            parts.append(f'<circle cx="{x(count):.1f}" cy="{y(value):.1f}" r="4" fill="#1f5fa8"/>')
            parts.append(f'<text x="{x(count):.1f}" y="{y(0) + 18:.1f}" text-anchor="middle">{count:,}</text>')
        parts.append(f'<text x="{x0 + width / 2}" y="{y(0) + 36:.1f}" text-anchor="middle">demonstrations</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    """Draw both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path, help="draw the film, too")
    parser.add_argument("--chain", type=int, default=23)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures")
    asked = parser.parse_args()
    if asked.weights:
        os.environ[MODEL] = str(asked.weights)
        strip(list(film(asked.chain))).save(asked.out / "learned_chain.jpg", quality=88)
    names = ("learning_table-few", "learning_table")
    stored = [json.loads((ROOT / RESULTS / f"{name}.json").read_text("utf-8"))["report"] for name in names]
    (asked.out / "learned_curve.svg").write_text(curve(panels(stored)), "utf-8")


if __name__ == "__main__":
    main()
