"""Leave one room out: standing points inferred from the furniture and from the other rooms, then what was recorded.

    python -m benchmarks.rooms_left_out [--every 1] [--workers 2] [--demos FILE] [--save] [--json FILE]

Of each of the 120 rooms nothing is known but the boxes of its things. Where one stands in the other 119 (their
layouts and the points that demonstrations walk over) says how the boxes are to be read. On the points so inferred
the room's demonstrations are planned and their recorded actions replayed. No demonstration of a room, and no
point of its layout, has a say in it. Where the room's own walks are known, more is: ``benchmarks.alfred_replay``.
"""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from benchmarks.alfred_corpus import compare
from benchmarks.alfred_demos import Demonstration, demonstrations
from benchmarks.alfred_replay import replay
from benchmarks.command import benchmark_parser, given_path, keep
from benchmarks.corpora.demonstrations import layouts
from benchmarks.corpora.reference import DATA
from benchmarks.results import Figure, Report, Table, Target
from benchmarks.shipped.rooms import Example, Regression
from chorewright.problems.household.free_space import LIKELY, PIVOT, largest_component, likely_points
from chorewright.problems.household.rooms import load_room, room_names
from chorewright.problems.household.scene import Point


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What came of the rooms left out, one after the other.

    Attributes:
        known: Points where one is known to stand.
        inferred: Points that were inferred.
        both: Points that are both.
        planned: Demonstrations whose goal our plan meets on the inferred points.
        replayed: Demonstrations whose recorded actions meet it there.
        demonstrations: All demonstrations tried.
        rooms: Of each room how many were planned, replayed and tried.
    """

    known: int
    inferred: int
    both: int
    planned: int
    replayed: int
    demonstrations: int
    rooms: tuple[tuple[str, int, int, int], ...] = ()


def known_points(name: str) -> set[Point]:
    """Return where one is known to stand in a room."""
    entry = layouts()[name]
    return {(point[0], point[1]) for point in (*entry["points"], *entry["visited"])}


def inferred_points(least: float = LIKELY) -> Iterator[tuple[str, set[Point]]]:
    """Yield each room and the points inferred from its boxes and the other rooms."""
    examples = []
    for name in room_names():
        room = load_room(name)
        examples.append(Example.of(room.objects, room.agent_y - PIVOT, known_points(name)))
    regression = Regression(examples)
    regression.fit()
    for number, name in enumerate(room_names()):
        room = load_room(name)
        yield name, likely_points(room.objects, room.agent_y - PIVOT, regression.without(number), least)


def leave_one_out(path: Path, every: int, workers: int, least: float = LIKELY) -> LeftOut:
    """Infer the points of each room without it; plan and replay every n-th demonstration of a file on them."""
    points = dict(inferred_points(least))
    known = {name: largest_component(known_points(name)) for name in points}
    with multiprocessing.Pool(workers) as pool:
        one = partial(_try, points={name: tuple(sorted(some)) for name, some in points.items()})
        met = list(pool.imap(one, islice(demonstrations(path), 0, None, every), chunksize=8))
    counts = {name: Counter[str]() for name in points}
    for name, planned, replayed in met:
        counts[name] += Counter(planned=planned, replayed=replayed, tried=1)
    return LeftOut(
        sum(map(len, known.values())),
        sum(map(len, points.values())),
        sum(len(points[name] & known[name]) for name in points),
        sum(planned for _, planned, _ in met),
        sum(replayed for _, _, replayed in met),
        len(met),
        tuple((name, own["planned"], own["replayed"], own["tried"]) for name, own in counts.items()),
    )


def _try(recorded: Demonstration, points: dict[str, Sequence[Point]]) -> tuple[str, bool, bool]:
    """Return a demonstration's room, and whether its goal is met by our plan, and by what was recorded."""
    own = points[recorded.floor_plan]
    return recorded.floor_plan, not compare(recorded, own).failure, replay(recorded, points=own).success


KINDS = {"kitchens": (1, 200), "living rooms": (200, 300), "bedrooms": (300, 400), "bathrooms": (400, 500)}
"""Numbers of floor plans."""


def main() -> None:
    """Leave each room out, print."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--every", type=int, default=1, help="one of so many demonstrations")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--demos", type=given_path, default=DATA / "alfred" / "demos-train.jsonl.gz")
    options = parser.parse_args()
    found = report(leave_one_out(options.demos, options.every, options.workers))
    for figure in found.figures:
        print(f"{figure.label}: {figure.value} of {figure.of}")
    keep(options, found)


def report(found: LeftOut) -> Report:
    """Return the figures of the rooms left out."""
    tried = [room for room in found.rooms if room[3]]
    rows = []
    for kind, (low, high) in KINDS.items():
        own = [room for room in tried if low <= int(room[0].removeprefix("FloorPlan")) < high]
        sums = [sum(counts) for counts in zip(*(room[1:] for room in own), strict=True)] or [0, 0, 0]
        rows.append((kind, *map(str, (len(own), sums[2], sums[0], sums[1]))))
    target = Target("at least", 95)
    return Report(
        name="rooms_left_out",
        group="Rooms and pictures",
        title="Rooms left out as a whole",
        explanation="Of each room only its boxes are known: where one stands is inferred from these and from the other "
        "119 rooms. On inferred points alone demonstrations are planned and recorded actions replayed.",
        figures=(
            Figure("planned", "demonstrations planned in rooms left out", found.planned, of=found.demonstrations,
                   digits=1, target=target),
            Figure("replayed", "recorded demonstrations replayed in rooms left out", found.replayed,
                   of=found.demonstrations, digits=1, target=target),
            Figure("rooms", "rooms with such demonstrations", len(tried), of=len(found.rooms)),
            Figure("recall", "known points inferred", found.both, of=found.known, digits=1),
            Figure("precision", "inferred points that are known", found.both, of=found.inferred, digits=1),
        ),
        tables=(Table(("rooms", "number", "demonstrations", "planned", "replayed"), tuple(rows)),),
    )  # fmt: skip


if __name__ == "__main__":
    main()
