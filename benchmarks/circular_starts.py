"""Episodes that take a thing out of what they bring it to, or whose sentences say so.

    python -m benchmarks.circular_starts [--workers 2] [--benchmarks alfred:9000,teach:1000]
                                         [--folder FOLDER] [--save] [--json FILE]

A demonstration's last PutObject of each thing that its goal names is held against where the thing was at the start: in
or on the same receptacle, in the box of one (a sink is around its basin, a stove top around its burners), or in
something that people call by the same word. The boxes are AI2-THOR's metadata of the rooms; nothing of the spawn is
asked. Things that are put aside on the way, such as a knife, may go back to where they were; of TEACh's tasks those
count that bring things to a kind of place (Put All X On Y, Put All X In One Y).
"""

from __future__ import annotations

import multiprocessing
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report, Target
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.spawning import room_of
from chorewright.generator.production.line import run
from chorewright.problems.household.scene import SceneObject

RIM = 0.03
"""Metres above a box up to which a thing lies on it."""

STOVE = 0.3
"""Metres between burners of one stove."""

PART = 250
"""Episodes that a process examines at a time."""

WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class Move:
    """A thing that is brought somewhere: where it was, and where it is put for good."""

    thing: SceneObject
    start: SceneObject | None
    target: SceneObject


def moves(episode: Episode) -> Iterator[Move]:
    """Yield the moves of the things that an episode's goal names."""
    if episode.benchmark == "teach" and not episode.task.startswith("Put All"):
        return
    objects = {thing.object_id: thing for thing in room_of(episode).objects}
    goal = {word.lower() for word in WORD.findall(episode.goal)}
    put: dict[str, str] = {}
    held = ""
    for step in episode.steps:
        call = step.call()
        if step.action in ("PickupObject", "Pickup") and step.success:
            held = str(call.get("objectId", ""))
        elif step.action in ("PutObject", "Place") and step.success:
            put[held] = str(call.get("receptacleObjectId") or call.get("objectId", ""))
    for name, receptacle in put.items():
        thing, target = objects.get(name), objects.get(receptacle)
        if (
            thing is None
            or target is None
            or target.traits.item
            or not {thing.kind.lower(), target.kind.lower()} <= goal
        ):
            continue
        start = objects.get(thing.parents[0]) if thing.parents else None
        yield Move(thing, start, target)


def within(thing: SceneObject, low: tuple[float, ...], high: tuple[float, ...]) -> bool:
    """Return whether a thing's middle is in a box, or over it and lying on it."""
    x, y, z = thing.centre
    bottom, top = y - thing.size[1] / 2, y + thing.size[1] / 2
    flat = low[0] < x < high[0] and low[2] < z < high[2]
    return flat and bottom <= high[1] + RIM and top >= low[1]


def box(thing: SceneObject) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return a thing's lowest and highest corner."""
    low = tuple(thing.centre[axis] - thing.size[axis] / 2 for axis in range(3))
    return low, tuple(thing.centre[axis] + thing.size[axis] / 2 for axis in range(3))


def is_circular(move: Move, objects: Mapping[str, SceneObject]) -> bool:
    """Return whether a thing was in, on or amid what it is brought to."""
    target = move.target
    wholes = [
        target.object_id.rpartition("|")[0],
        *(name for name in objects if name.startswith(f"{target.object_id}|")),
    ]
    boxes = [box(objects[name]) for name in (target.object_id, *wholes) if name in objects]
    if target.kind == "StoveBurner":
        low, high = box(target)
        for other in objects.values():
            under, over = box(other)
            near = all(under[k] <= high[k] + STOVE and low[k] <= over[k] + STOVE for k in range(3))
            if other.kind == target.kind and near:
                low = tuple(map(min, low, under))
                high = tuple(map(max, high, over))
        boxes.append((low, high))
    inside = move.start is not None and (move.start.traits.closable or is_amid(move.start, target))
    same = move.start is not None and move.start.object_id == target.object_id
    return same or (not inside and any(within(move.thing, *each) for each in boxes))


def is_amid(one: SceneObject, other: SceneObject) -> bool:
    """Return whether furniture stands within the sides of other furniture, as a chair under a table does."""
    return all(abs(one.centre[k] - other.centre[k]) < other.size[k] / 2 and one.size[k] < other.size[k] for k in (0, 2))


def is_said_alike(move: Move, episode: Episode) -> bool:
    """Return whether people call the start and the target by one word; a task may gather things in one of a kind."""
    if move.start is None or episode.task == "Put All X In One Y":
        return False
    kinds = room_of(episode).kinds.vocabulary.kinds
    return kinds[move.start.kind].noun == kinds[move.target.kind].noun


def count(work: tuple[str, Path, int, int]) -> tuple[Counter[str], list[str]]:
    """Return counts of some episodes of a dataset, and what is wrong in them.

    Args:
        work: The benchmark, the dataset's folder, the first episode and the one after the last.
    """
    name, folder, first, end = work
    dataset, counted, wrong = Dataset(folder), Counter[str](), []
    for place in range(first, end):
        episode = dataset[place]
        objects = {thing.object_id: thing for thing in room_of(episode).objects}
        counted["episodes"] += 1
        for move in moves(episode):
            circular, alike = is_circular(move, objects), is_said_alike(move, episode)
            counted.update(moves=1, circular=int(circular), alike=int(alike))
            if circular or alike:
                start = move.start and move.start.object_id
                wrong.append(f"{name} {episode.index}: {move.thing.object_id} from {start} to {move.target.object_id}")
    return counted, wrong


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--workers", type=int, default=2, help="processes that make and examine episodes")
    parser.add_argument("--benchmarks", default="alfred:9000,teach:1000", help="of which benchmarks how many episodes")
    parser.add_argument("--folder", type=Path, help="where the datasets are kept")
    arguments = parser.parse_args()
    counted: Counter[str] = Counter()
    console = Console()
    with TemporaryDirectory() as temporary:
        for name, number in (each.split(":") for each in arguments.benchmarks.split(",")):
            folder = (arguments.folder or Path(temporary)) / name
            run(GenerateConfig(name, int(number)), folder, workers=arguments.workers)
            made = len(Dataset(folder))
            works = [(name, folder, first, min(first + PART, made)) for first in range(0, made, PART)]
            with multiprocessing.get_context("spawn").Pool(arguments.workers) as pool:
                for some, wrong in pool.imap(count, works):
                    counted.update(some)
                    for line in wrong:
                        console.print(line)
    spent = os.times()
    none = Target("at most", 0)
    found = (
        Figure("circular", "things that start in, on or amid what they are brought to", counted["circular"],
               of=counted["moves"], target=none),
        Figure("alike", "things that are taken from what is called like what they are brought to", counted["alike"],
               of=counted["moves"], target=none),
        Figure("episodes", "episodes", counted["episodes"]),
        Figure("minutes", "CPU minutes, all processes", sum(spent[:4]) / 60, "min", digits=1),
    )  # fmt: skip
    for figure in found:
        console.print(f"{figure.label}: {figure.value:g}{f' of {figure.of}' if figure.of else ''}")
    keep(arguments, Report(
        name="circular_starts",
        group="ALFRED",
        title="Starts away from the goal",
        explanation="Where things of a goal start, by the boxes of the rooms' metadata.",
        figures=found,
    ))  # fmt: skip


if __name__ == "__main__":
    main()
