"""The picture of docs/rewards.md: what plans earn by the share of steps that are wrong, and what bands of plans cost.

python -m benchmarks.rewards_picture [--out docs/pictures/rewards.png]

It is drawn from the saved result of ``benchmarks.rewards``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw

from benchmarks.results import RESULTS, read

WIDTH, HEIGHT, MARGIN, BAR = 900, 330, 50, 46
INK, FILL = "#222222", "#3b6ea5"

Rows = Sequence[tuple[str, float, str]]
"""Bars: what is written below, their height as a share of the axis, and what is written above."""


def bars(draw: ImageDraw.ImageDraw, left: int, width: int, title: str, axis: str, rows: Rows) -> None:
    """Draw bars side by side."""
    top, bottom = 60, HEIGHT - 70
    draw.text((left, 16), title, fill=INK, font_size=18)
    draw.line((left, bottom, left + width, bottom), fill=INK)
    step = width / len(rows)
    for place, (below, share, above) in enumerate(rows):
        middle = left + step * (place + 0.5)
        height = share * (bottom - top)
        draw.rectangle((middle - BAR / 2, bottom - height, middle + BAR / 2, bottom), fill=FILL)
        draw.text((middle, bottom - height - 4), above, fill=INK, font_size=15, anchor="mb")
        draw.text((middle, bottom + 8), below, fill=INK, font_size=15, anchor="mt")
    draw.text((left + width / 2, HEIGHT - 26), axis, fill=INK, font_size=15, anchor="mm")


def picture() -> Image.Image:
    """Return both charts side by side."""
    report = read(RESULTS / "rewards.json").report
    erring, bands, *_ = report.tables
    made = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw = ImageDraw.Draw(made)
    earned = [(rate, float(value), f"{float(value):.2f}") for rate, value in erring.rows]
    half = WIDTH // 2
    bars(draw, MARGIN, half - MARGIN, "Mean reward of plans", "steps of a right plan that are exchanged", earned)
    most = max(float(cost) for _, cost, _ in bands.rows)
    costs = [(band, float(cost) / most, f"{cost} ({states} states)") for band, cost, states in bands.rows]
    left = half + MARGIN
    bars(draw, left, WIDTH - left - MARGIN // 2, "Mean cost of plans", "band (states that the search evaluates)", costs)
    return made


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(__file__).parents[1] / "docs" / "pictures" / "rewards.png"
    parser.add_argument("--out", type=Path, default=default)
    picture().save(parser.parse_args().out, optimize=True)


if __name__ == "__main__":
    main()
