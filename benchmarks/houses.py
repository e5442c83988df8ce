"""Generated houses: sound at the first try, the same bytes everywhere, CPU time, tasks that suit, furniture.

    python -m benchmarks.houses [--houses N] [--tasks N] [--workers N] [--save] [--json FILE]

A house's time is that of drawing, checking and writing it. Each file is read again and compared. Overlaps are counted
anew, pair by pair. Fillings of tasks are those of ALFRED's templates and TEACh's definitions.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from statistics import median

from rich.console import Console

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report, Table, Target
from chorewright.domains.library import user_library
from chorewright.domains.teach.definitions import shipped_definitions
from chorewright.domains.teach.progress import missing, obstacles
from chorewright.files.pool import carry_out
from chorewright.files.processes import usable_cores
from chorewright.generator.household.possibilities import facts_of, possible_choices
from chorewright.generator.teach.variants import settings, variants
from chorewright.problems.household.houses.assets import turn_box
from chorewright.problems.household.houses.design.rules import STYLES, rules_of
from chorewright.problems.household.houses.house import ROOM_TYPES, House
from chorewright.problems.household.houses.reading import load_house, write_house
from chorewright.problems.household.houses.scenes import house_scene
from chorewright.problems.household.houses.source import (
    HouseRequest,
    draw_house,
    generated_house,
    generator_of_house,
    house_problems,
)
from chorewright.replay.teach.world import teach_world

SHARE = 20
"""Houses that a process makes before it reports."""

DEEP = 0.002
"""Metres by which boxes may seem to overlap."""

PROCTHOR_AREAS = "5.5 to 75.6, median 26"
"""Square metres of a room in 610 houses of ProcTHOR's, as published files have them."""


@dataclass(frozen=True, slots=True)
class Made:
    """One house: what is wrong at the first try, pairs that overlap, CPU seconds, whether its file is read as it was.

    ``rooms`` has for each room its kind, area, how many things stand there, and how many lie on these.
    """

    problems: int
    overlaps: int
    seconds: float
    equal: bool
    rooms: tuple[tuple[str, float, int, int], ...]


def make(style: str, seeds: Sequence[int]) -> list[Made]:
    """Make houses and look at them."""
    needs = rules_of(style).needs
    made = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "house.json"
        _ = generated_house(10**9, HouseRequest(style=style))  # compiled code is loaded before the clock starts
        for seed in seeds:
            started = time.process_time()
            house = draw_house(generator_of_house(seed, style), HouseRequest(style=style))
            problems = house_problems(house, needs)
            write_house(house, path)
            seconds = time.process_time() - started
            made.append(Made(len(problems), overlaps(house), seconds, load_house(path) == house, rooms_of(house)))
    return made


def overlaps(house: House) -> int:
    """Count the pairs of things on the floor whose boxes overlap; all are turned by quarters."""
    boxes = [box for thing in house.things if (box := turn_box(thing)) is not None]
    return sum(
        all(abs(a.centre[k] - b.centre[k]) < (a.hull[k] + b.hull[k]) / 2 - DEEP for k in range(3))
        for a, b in combinations(boxes, 2)
    )


def rooms_of(house: House) -> tuple[tuple[str, float, int, int], ...]:
    """Return each room's kind, area, and things."""
    rows = []
    for room in house.rooms:
        here = [thing for thing in house.things if room.contains(thing.position[0], thing.position[2])]
        rows.append((room.kind, room.area, len(here), sum(len(thing.children) for thing in here)))
    return tuple(rows)


def suited(seed: int) -> tuple[str, ...] | None:
    """Return the tasks that a house suits; None if it has no kitchen."""
    house = generated_house(seed)
    if all(room.kind != "kitchen" for room in house.rooms):
        return None
    scene = house_scene(house, f"house:{seed}")
    found = set()
    for kind in sorted({room.kind for room in house.rooms}):
        inside = replace(scene, room_kind=kind)
        facts = facts_of(inside)
        for template in user_library().templates():
            name = template.full_name
            new = name.startswith("alfred/") and name not in found
            if new and possible_choices(name, template, scene.kinds, [facts]):
                found.add(name)
    world = teach_world(scene)
    for name in settings().tasks:
        tasks = (shipped_definitions().task(name, params) for params in variants(name))
        if any(not missing(task, world, copies=True) and not obstacles(task, world) for task in tasks):
            found.add(name)
    return tuple(sorted(found))


def digests(houses: int) -> Iterator[str]:
    """Yield the digest of a folder of houses under each of several hash seeds and numbers of workers."""
    for hash_seed, workers in (("0", 0), ("1", 1), ("4711", 2)):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "chorewright", "houses", "-n", str(houses), "--out", f"{folder}/houses"]
            environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
            subprocess.run([*command, "--workers", str(workers)], env=environment, check=True, capture_output=True)
            files = sorted(Path(folder, "houses").iterdir())
            yield sha256(b"".join(path.name.encode() + path.read_bytes() for path in files)).hexdigest()


def figures_of(made: Sequence[Made], style: str) -> Iterator[Figure]:
    """Yield the figures of a style."""
    count = len(made)
    sound = sum(each.problems == 0 for each in made)
    yield Figure(
        f"{style}_sound",
        f"{style} houses that pass the check at the first try",
        sound,
        of=count,
        digits=2,
        target=Target("at least", 99.9),
    )
    total = sum(each.overlaps for each in made)
    yield Figure(
        f"{style}_overlaps", f"pairs of things that overlap in {style} houses", total, target=Target("at most", 0)
    )
    equal = sum(each.equal for each in made)
    yield Figure(
        f"{style}_equal",
        f"{style} houses that are read from their files as they were",
        equal,
        of=count,
        target=Target("at least", 100.0),
    )
    spent = 1000 * sum(each.seconds for each in made) / count
    label = f"CPU time of a {style} house, drawn, checked and written"
    yield Figure(f"{style}_time", label, spent, "ms", digits=1, target=Target("at most", 40.0))


def furnishing(made: Sequence[Made], style: str) -> Iterator[tuple[str, ...]]:
    """Yield for each kind of room its number, areas and things."""
    for kind in ROOM_TYPES.values():
        rows = [row for each in made for row in each.rooms if row[0] == kind]
        areas = [area for _, area, _, _ in rows]
        standing, lying = sum(row[2] for row in rows) / len(rows), sum(row[3] for row in rows) / len(rows)
        yield (
            f"{style}, {kind.replace('_', ' ')}",
            str(len(rows)),
            f"{min(areas):.1f} to {max(areas):.1f}, median {median(areas):.1f}",
            f"{standing:.1f}",
            f"{lying:.1f}",
        )


def task_figures(found: Sequence[tuple[str, ...]]) -> Iterator[Figure]:
    """Yield how many houses with a kitchen suit the worst of ALFRED's types, and of TEACh's tasks."""
    counts = Counter(name for each in found for name in each)
    alfred = [each.full_name for each in user_library().templates() if each.full_name.startswith("alfred/")]
    for name, label, tasks in (
        ("alfred", "ALFRED's 13 types", alfred),
        ("teach", "TEACh's 12 tasks", list(settings().tasks)),
    ):
        worst = min(tasks, key=lambda task: (counts[task], task))
        label = f"houses with a kitchen that suit the worst of {label} ({worst})"
        yield Figure(name, label, counts[worst], of=len(found), digits=1, target=Target("at least", 95.0))


def main() -> None:
    """Measure, and print or save the figures."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--houses", type=int, default=10_000, help="rich ones; a tenth as many of ProcTHOR's style")
    parser.add_argument("--tasks", type=int, default=300, help="houses whose tasks are counted")
    parser.add_argument("--workers", type=int, default=usable_cores(), help="processes")
    asked = parser.parse_args()
    console = Console()
    figures: list[Figure] = []
    rows: list[tuple[str, ...]] = []
    for style in STYLES:
        count = asked.houses if style == STYLES[0] else max(1, asked.houses // 10)
        jobs = [range(first, min(first + SHARE, count)) for first in range(0, count, SHARE)]
        made = [each for batch in carry_out(partial(make, style), jobs, asked.workers, "houses") for each in batch]
        figures += figures_of(made, style)
        rows += furnishing(made, style)
    found = [each for each in carry_out(suited, range(asked.tasks), asked.workers, "tasks") if each is not None]
    figures += task_figures(found)
    same = len(set(digests(min(200, asked.houses))))
    label = "different digests of 200 houses under 3 hash seeds, with 0, 1 and 2 workers"
    figures.append(Figure("digests", label, same, target=Target("at most", 1)))
    for figure in figures:
        console.print(f"{figure.label}: {figure.text}")
    heads = ("style and room", "rooms", "m2", "things that stand or hang", "things on them")
    caption = (
        f"Rooms; in 610 houses of ProcTHOR's they have {PROCTHOR_AREAS} m2, and at most 7 things are tried on a floor"
    )
    explanation = "Houses of 1 to 10 rooms are drawn from seeds, checked, written and read again."
    report = Report("houses", "Rooms and pictures", "Generated houses", explanation, tuple(figures))
    keep(asked, replace(report, tables=(Table(heads, tuple(rows), caption),)))


if __name__ == "__main__":
    main()
