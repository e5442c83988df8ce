"""ALFRED's and TEACh's tasks in generated houses: fillings planned and replayed, and nothing handled through a wall.

    python -m benchmarks.house_tasks [--houses N] [--fillings N] [--only alfred|teach] [--save] [--json FILE]

Of each of ALFRED's 13 shipped tasks (with sliced things counted apart) and of TEACh's 12 so many fillings are drawn
over the houses ``house:0`` to ``house:N-1``, and generated as ``generate alfred`` and ``generate teach`` do. A filling
is met if the episode is accepted with it: planned, replayed, all goal conditions met. Every interaction of the accepted
episodes is replayed once more; between the agent and what it handles may be no wall, as judged by walls and holes of
the house's file alone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report, Table, Target
from chorewright.domains.library import load_shipped_library
from chorewright.files.processes import collect_rarely
from chorewright.generator.alfred.benchmark import world_for_alfred
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.moments import HouseholdMoments
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.teach.benchmark import teach_world
from chorewright.generator.teach.variants import settings
from chorewright.problems.household.houses.house import Corner, House
from chorewright.problems.household.houses.source import named_house
from chorewright.problems.household.scene import GRID, SceneObject

RATE = 2.5
"""Episodes that a core shall make in a second: five on two cores."""

TITLES = {"alfred": "ALFRED", "teach": "TEACh"}
"""The benchmarks, and what they are called."""

SHORT = 0.05
"""Metres before a thing's middle at which a look ends: what hangs at a wall is in it."""


@dataclass(slots=True)
class Done:
    """One task: fillings drawn and met, episodes in several rooms, interactions, those through walls, CPU seconds."""

    benchmark: str
    task: str
    fillings: int = 0
    met: int = 0
    crossing: int = 0
    interactions: int = 0
    walled: int = 0
    seconds: float = 0.0


def measure(name: str, task: str, houses: int, fillings: int) -> Done:
    """Generate a task's episodes and look at their interactions."""
    options = (("scenes", (f"houses:0-{houses - 1}",)), ("tasks", (task,)))
    config = GenerateConfig(name, fillings, options=(("demonstrations", 1), *options) if name == "alfred" else options)
    benchmark, done = BENCHMARKS.find(name), Done(name, task)
    for assignment in benchmark.assign(config, fillings):
        started = time.process_time()
        episode = benchmark.episode(assignment.index, config, assignment)
        done.seconds += time.process_time() - started
        done.fillings += 1
        if not episode.outcome.accepted or episode.parameters != assignment.parameters:
            continue
        done.met += 1
        house = named_house(episode.room.name)
        rooms = set()
        for place, thing in handled(episode):
            room = house.room_at(*place)
            rooms.add(None if room is None else room.room_id)
            done.interactions += 1
            done.walled += is_walled(house, place, thing)
        done.crossing += len(rooms) > 1
    return done


def handled(episode: Episode) -> Iterator[tuple[Corner, SceneObject]]:
    """Yield for each interaction where the agent stands, in metres, and what it handles."""
    before = None
    make = world_for_alfred if episode.benchmark == "alfred" else teach_world
    for number, moment in enumerate(HouseholdMoments(make).moments(episode)):
        if before is not None:
            told = json.loads(episode.steps[number - 1].arguments)
            target = told.get("receptacleObjectId") or told.get("objectId")
            thing = next((each for each in before.objects if each.object_id == target), None)
            if thing is not None and target != before.holding:
                yield (before.agent.x * GRID, before.agent.z * GRID), thing
        before = moment.world.scene


def is_walled(house: House, place: Corner, thing: SceneObject) -> bool:
    """Return whether a wall is between a place and a thing's middle; a floor is there where its room is."""
    x, _, z = thing.centre
    if thing.kind == "Floor":
        return house.room_at(*place) is not house.room_at(x, z)
    length = ((x - place[0]) ** 2 + (z - place[1]) ** 2) ** 0.5
    share = max(0.0, 1.0 - SHORT / max(length, SHORT))
    end = (place[0] + share * (x - place[0]), place[1] + share * (z - place[1]))
    return any(_through(house, place, end, number) for number in range(len(house.walls)))


def _through(house: House, start: Corner, end: Corner, number: int) -> bool:
    """Return whether a look crosses a wall elsewhere than in an open hole."""
    wall = house.walls[number]
    along = (wall.end[0] - wall.start[0], wall.end[1] - wall.start[1])
    look = (end[0] - start[0], end[1] - start[1])
    across = look[0] * along[1] - look[1] * along[0]
    if wall.empty or abs(across) < 1e-12:
        return False
    away = (wall.start[0] - start[0], wall.start[1] - start[1])
    share = (away[0] * along[1] - away[1] * along[0]) / across
    metres = (away[0] * look[1] - away[1] * look[0]) / across * wall.length
    if not (0.0 < share < 1.0 and 0.0 <= metres <= wall.length):
        return False
    passages = {door.opening_id for door in house.doors if door.passable and not door.outside}
    holes = [hole for hole in house.holes(wall) if hole.opening_id in passages]
    return not any(hole.left < metres < hole.right for hole in holes)


def figures_of(done: Sequence[Done]) -> tuple[Figure, ...]:
    """Return the figures of each benchmark's tasks together, and of all interactions."""
    found: list[Figure] = []
    for name, title in TITLES.items():
        own, prefix = [each for each in done if each.benchmark == name], "" if name == "alfred" else f"{name}_"
        if not own:
            continue
        seconds, fillings = sum(each.seconds for each in own), sum(each.fillings for each in own)
        met, worst = sum(each.met for each in own), min(own, key=lambda each: each.met / each.fillings)
        most, crossing = Target("at least", 95.0), sum(each.crossing for each in own)
        found += [
            Figure(f"{prefix}met", f"{title}'s fillings that are planned and replayed", met, of=fillings, target=most),
            Figure(f"{prefix}worst", f"the same of the worst task ({worst.task})", worst.met, of=worst.fillings,
                   target=most),
            Figure(f"{prefix}crossing", f"{title}'s episodes that handle things in several rooms", crossing, of=met),
            Figure(f"{prefix}rate", f"{title}'s episodes in a CPU second of one core", fillings / seconds, digits=2,
                   target=Target("at least", RATE)),
        ]  # fmt: skip
    walled, interactions = sum(each.walled for each in done), sum(each.interactions for each in done)
    least = Target("at most", 0.0)
    found.append(Figure("walled", "interactions through a wall", walled, of=interactions, target=least))
    return tuple(found)


def main() -> None:
    """Measure, and print or save the figures."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--houses", type=int, default=100, help="house:0 to this one, without it")
    parser.add_argument("--fillings", type=int, default=30, help="of each task")
    parser.add_argument("--only", choices=list(TITLES), help="the tasks of one benchmark")
    asked = parser.parse_args()
    collect_rarely()  # as every command does
    console, done = Console(), []
    names = [("alfred", template.name) for template in load_shipped_library().collection("alfred")]
    names += [("teach", name) for name in settings().tasks]
    for benchmark, name in (("alfred", names[0][1]), ("teach", names[-1][1])):
        measure(benchmark, name, 2, 2)  # compiled code is loaded before the clock starts
    for benchmark, name in names:
        if asked.only in (None, benchmark):
            done.append(measure(benchmark, name, asked.houses, asked.fillings))
            console.print(str(done[-1]))
    figures = figures_of(done)
    for figure in figures:
        console.print(f"{figure.label}: {figure.text}")
    rows = tuple(
        (
            TITLES[each.benchmark],
            each.task,
            f"{each.met} of {each.fillings}",
            str(each.crossing),
            str(each.interactions),
            f"{each.seconds / each.fillings:.2f}",
        )
        for each in done
    )
    heads = ("benchmark", "task", "met", "in several rooms", "interactions", "CPU s an episode")
    explanation = (
        f"{asked.fillings} fillings of each task are drawn over {asked.houses} generated houses and made as generate "
        "makes them; walls are judged anew by the houses' files."
    )
    title = "ALFRED's and TEACh's tasks in generated houses"
    keep(asked, Report("house_tasks", "ALFRED", title, explanation, figures, (Table(heads, rows, "By task"),)))


if __name__ == "__main__":
    main()
