"""Leave one room out: standing points inferred from the furniture and from the other rooms, then what was recorded.

Of each of the 120 rooms nothing is known but the boxes of its things. Where one stands in the other 119 (their
layouts and the points that demonstrations walk over) says how the boxes are to be read. On the points so inferred
the room's demonstrations are planned and their recorded actions replayed. No demonstration of a room, and no
point of its layout, has a say in it.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from benchmarks.alfred_corpus import compare
from benchmarks.alfred_demos import Demonstration, demonstrations
from benchmarks.alfred_replay import replay
from benchmarks.corpora.demonstrations import layouts
from chorewright.problems.household.build_rooms import Example, Regression
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
    """

    known: int
    inferred: int
    both: int
    planned: int
    replayed: int
    demonstrations: int


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
        met = list(pool.imap(one, islice(demonstrations(path), 0, None, every), chunksize=16))
    return LeftOut(
        sum(map(len, known.values())),
        sum(map(len, points.values())),
        sum(len(points[name] & known[name]) for name in points),
        sum(planned for planned, _ in met),
        sum(replayed for _, replayed in met),
        len(met),
    )


def _try(recorded: Demonstration, points: dict[str, Sequence[Point]]) -> tuple[bool, bool]:
    """Return whether a demonstration's goal is met by our plan, and by what was recorded."""
    own = points[recorded.floor_plan]
    return not compare(recorded, own).failure, replay(recorded, points=own).success
