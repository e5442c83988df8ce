"""The picture of docs/engines.md: processor seconds to the first plan along series of problems, beside lama-first.

    python -m benchmarks.first_plans_picture [--out docs/pictures/first_plans.svg]

It is drawn from the saved result of ``benchmarks.first_plans`` with several ``--shares``.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.first_plans import COLUMNS, SERIES_RESULT, natural
from benchmarks.results import RESULTS, read

ACROSS, WIDTH, HEIGHT, APART, LEFT, TOP = 4, 150, 110, 56, 44, 60
LINES = (0.1, 1.0, 10.0, 100.0)
"""Seconds at which there are lines across."""

PLANNERS = (("first s", "chorewright", "#1f5fa8"), ("lama-first s", "lama-first", "#c8641e"))
"""The column of a planner's seconds, its name and its colour."""


def seconds_of(cell: str) -> float | None:
    """Return the seconds that a cell tells; None if there was no plan."""
    try:
        return float(cell)
    except ValueError:
        return None


def series(rows: Iterable[Sequence[str]]) -> dict[str, list[Sequence[str]]]:
    """Return the rows of each series, in the order of its problems."""
    found: dict[str, list[Sequence[str]]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: natural(Path(row[0]))):
        found[row[0].partition("/")[0]].append(row)
    return dict(sorted(found.items()))


def picture(rows: Iterable[Sequence[str]]) -> str:
    """Return a panel for each series as SVG; a problem without a plan is a cross at the upper end."""
    shown = series(rows)
    down = -(-len(shown) // ACROSS)
    size = f"0 0 {LEFT + ACROSS * (WIDTH + APART)} {TOP + down * (HEIGHT + APART)}"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}" font-family="sans-serif" font-size="11">']
    parts.append('<rect width="100%" height="100%" fill="white"/>')
    for number, (_, name, colour) in enumerate(PLANNERS):
        x = LEFT + number * 130
        parts.append(f'<circle cx="{x + 5}" cy="16" r="4" fill="{colour}"/><text x="{x + 14}" y="20">{name}</text>')
    parts.append(f'<text x="{LEFT + 270}" y="20">CPU seconds to the first plan; a cross: none in time</text>')
    for number, (name, of) in enumerate(shown.items()):
        left = LEFT + number % ACROSS * (WIDTH + APART)
        parts += panel(left, TOP + number // ACROSS * (HEIGHT + APART), name, of)
    return "\n".join([*parts, "</svg>", ""])


def panel(left: float, top: float, name: str, rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Yield the parts of one series."""
    low, high = (math.log(LINES[end]) for end in (0, -1))

    def y(seconds: float) -> float:
        return top + HEIGHT * (1 - (math.log(max(seconds, LINES[0])) - low) / (high - low))

    yield f'<text x="{left}" y="{top - 8}" font-weight="bold">{name}</text>'
    for line in LINES:
        yield f'<path d="M{left} {y(line):.1f}h{WIDTH}" stroke="#ddd"/>'
        yield f'<text x="{left - 5}" y="{y(line) + 4:.1f}" text-anchor="end">{line:g}</text>'
    for column, _, colour in PLANNERS:
        told = [seconds_of(row[COLUMNS.index(column)]) for row in rows]
        places = [left + WIDTH * (place + 0.5) / len(told) for place in range(len(told))]
        way = " ".join(f"{x:.1f},{y(each):.1f}" for x, each in zip(places, told, strict=True) if each is not None)
        yield f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
        for x, each in zip(places, told, strict=True):
            if each is None:
                yield f'<path d="M{x - 4:.1f} {top - 4}l8 8m0-8l-8 8" stroke="{colour}" stroke-width="2"/>'
            else:
                yield f'<circle cx="{x:.1f}" cy="{y(each):.1f}" r="3" fill="{colour}"/>'
    for place in range(len(rows)):
        x = left + WIDTH * (place + 0.5) / len(rows)
        yield f'<text x="{x:.1f}" y="{top + HEIGHT + 14}" text-anchor="middle">{place + 1}</text>'


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(__file__).parents[1] / "docs" / "pictures" / "first_plans.svg"
    parser.add_argument("--out", type=Path, default=default)
    report = read(RESULTS / f"{SERIES_RESULT}.json").report
    parser.parse_args().out.write_text(picture(report.tables[0].rows), "utf-8")


if __name__ == "__main__":
    main()
