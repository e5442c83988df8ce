"""Verbs for rooms and houses: ``check-scene`` shows one of the user's own as a map, with what is out of reach in it and
which tasks suit, and of a house its rooms, doors and things; ``houses`` generates houses, one file each; and
``replay --simulator ai2thor`` runs stored episodes on a real build of AI2-THOR.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.common import KindsFiles, OutFolder
from chorewright.commands.shell import AsJson, answer, exit_unless, print_json, printable, processes, readable, verb
from chorewright.errors import ExitCode, UsageError
from chorewright.files.english import say_count
from chorewright.files.text import tell

if TYPE_CHECKING:
    from chorewright.commands.replaying import RealOptions
    from chorewright.generator.household.own_scenes import OwnScene
    from chorewright.generator.household.remarks import SceneReport
    from chorewright.problems.household.houses.house import House, HouseRoom, HouseThing, Opening
    from chorewright.problems.household.kinds import Kinds


@verb
def check_scene(
    file: str,
    kinds: KindsFiles = None,
    picture: Annotated[Path | None, typer.Option("--picture", metavar="FILE")] = None,
    as_json: AsJson = False,
) -> None:
    """Draw the map of a scene of yours, and say what is out of reach and which tasks suit.

    Of a house, say also which rooms, doors and things it has. Exit code 1 if no task suits.

    Args:
        file: AI2-THOR's metadata of a scene, or an event's; a house's file; or a name, like house:7.
        picture: Draw the map as a picture, too: .png or .jpg.
    """
    from chorewright.domains.library import user_library
    from chorewright.generator.household.remarks import scene_report
    from chorewright.problems.household.kinds import kinds_of

    own, house = _scene(file, kinds_of(user_library(kinds or ())))
    report = scene_report(own.scene)
    if picture is not None:
        from chorewright.generator.household.remarks import scene_map
        from chorewright.generator.showing.moments import write_picture

        write_picture(picture, scene_map(own.scene))
    if as_json:
        print_json({**({} if house is None else house_json(own.scene.name, house)), **_record(own, report)})
    else:
        if house is not None:
            tell_house(own.scene.name, house)
        _tell(own, report)
    if not report.tasks:
        print(printable(f"no task suits {own.scene.name}"), file=sys.stderr)
        sys.exit(int(ExitCode.NEGATIVE))


def _scene(word: str, kinds: Kinds) -> tuple[OwnScene, House | None]:
    """Return the scene that a word names, and the house if it is one."""
    from chorewright.files.json_source import load_json
    from chorewright.generator.household.own_scenes import OwnScene, read_own_scene
    from chorewright.generator.household.scene_names import is_scene_name
    from chorewright.problems.household.houses.reading import is_house, load_house
    from chorewright.problems.household.houses.source import named_house
    from chorewright.problems.household.metadata import MOST_BYTES
    from chorewright.problems.household.rooms import named_scene
    from chorewright.problems.household.scene import is_house_name

    if is_scene_name(word):
        return OwnScene(named_scene(word, kinds)), named_house(word) if is_house_name(word) else None
    path = Path(word)
    readable(path)
    house = load_house(path) if is_house(load_json(path, MOST_BYTES, strict=False).value) else None
    return read_own_scene(path, kinds), house


def _record(own: OwnScene, report: SceneReport) -> dict[str, object]:
    return {
        "scene": own.scene.name,
        "room": own.scene.room_kind,
        "objects": len(own.scene.objects),
        "standing_points": len(own.scene.grid),
        "notes": list(own.notes),
        "receptacles": [{"object": name, "poses": poses} for name, poses in report.reach],
        "unreachable": list(report.unreachable),
        "tasks": dict(report.tasks),
    }


def _tell(own: OwnScene, report: SceneReport) -> None:
    head = f"{own.scene.room_kind}, {say_count(len(own.scene.objects), 'object')}"
    head += f", {say_count(len(own.scene.grid), 'standing point')}"
    print(printable(f"{own.scene.name}: {head}"))
    for line in report.map:
        print(f"  {line}")
    for sign, name in report.legend:
        print(printable(f"  {sign} {name}"))
    for each in own.notes:
        print(printable(f"note: {each}"))
    if report.unreachable:
        print(printable(f"out of reach: {', '.join(report.unreachable)}"))
    suited = ", ".join(f"{name} ({count})" for name, count in report.tasks)
    print(printable(f"tasks that suit, with their fillings: {suited or 'none'}"))


# What a house has, and what about it may surprise: rooms, doors between them, things by kind, notes.


OTHER = "other"
"""The kind of things whose asset and id are not known."""


@dataclass(frozen=True, slots=True)
class RoomReport:
    """A room: its doors, and how many things there are of each kind, sorted by name."""

    room: HouseRoom
    doors: tuple[Opening, ...]
    things: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class HouseReport:
    """All rooms of a house, and a sentence for whatever may be wrong with it."""

    rooms: tuple[RoomReport, ...]
    notes: tuple[str, ...]


def house_report(house: House) -> HouseReport:
    """Return what a house has."""
    inside: dict[str, list[HouseThing]] = {room.room_id: [] for room in house.rooms}
    astray: list[str] = []
    for thing in house.things:
        room = house.room_at(thing.position[0], thing.position[2])
        if room is None:
            astray.append(thing.thing_id)
        else:
            inside[room.room_id] += thing.walk()
    rooms = tuple(
        RoomReport(
            room,
            tuple(door for door in house.doors if room.room_id in door.rooms),
            tuple(sorted(Counter(_kind(thing) for thing in inside[room.room_id]).items())),
        )
        for room in house.rooms
    )
    return HouseReport(rooms, tuple(_notes(house, astray)))


def _kind(thing: HouseThing) -> str:
    from chorewright.problems.household.houses.assets import kind_of

    return kind_of(thing.asset, thing.thing_id) or OTHER


def _notes(house: House, astray: list[str]) -> Iterator[str]:
    from chorewright.problems.household.houses.assets import assets

    groups = rooms_in_reach(house)
    if len(groups) > 1:
        yield f"no way leads between {' and '.join(_list_all(group) for group in groups)}, as the doors stand"
    if astray:
        yield f"in no room: {_list_all(astray)}"
    unknown = sorted({thing.asset for thing in house.all_things() if thing.asset not in assets()})
    if unknown:
        yield f"assets that are not AI2-THOR's: {_list_all(unknown)}"
    counts = Counter(thing.thing_id for thing in house.all_things())
    repeated = [name for name, count in counts.items() if count > 1]
    if repeated:
        yield f"ids of several things: {_list_all(repeated)}"
    if house.agent is None:
        yield "the file does not say where the agent starts"
    elif house.room_at(house.agent.position[0], house.agent.position[2]) is None:
        yield "the agent starts in no room"


def _list_all(names: Iterable[str], most: int = 8) -> str:
    shown = list(names)
    more = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more


def rooms_in_reach(house: House) -> tuple[tuple[str, ...], ...]:
    """Return the ids of rooms in groups: those between which one can walk, through open doors, frames and empty walls.

    Furniture is not looked at. Groups and rooms are in the file's order.
    """
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(room.room_id for room in house.rooms)
    graph.add_edges_from(door.rooms for door in house.doors if door.passable and not door.outside)
    ends: dict[frozenset[tuple[float, float]], str] = {}
    for wall in house.walls:
        if not wall.empty or wall.exterior:
            continue
        places = frozenset((round(x, 2), round(z, 2)) for x, z in (wall.start, wall.end))
        graph.add_edge(ends.setdefault(places, wall.room_id), wall.room_id)
    order = {room.room_id: number for number, room in enumerate(house.rooms)}
    groups = [tuple(sorted(group, key=order.__getitem__)) for group in nx.connected_components(graph)]
    return tuple(sorted(groups, key=lambda group: order[group[0]]))


def tell_house(name: str, house: House) -> None:
    """Print what a house has."""
    report = house_report(house)
    counts = [say_count(len(house.rooms), "room"), say_count(len(house.doors), "door")]
    counts += [say_count(len(house.windows), "window"), say_count(_things(house), "thing")]
    print(printable(f"{name}: a house of {', '.join(counts)}"))
    for each in report.rooms:
        _print_room(each)
    for note in report.notes:
        print(printable(f"note: {note}"))


def house_json(name: str, house: House) -> dict[str, object]:
    """Return what a house has, as JSON; its notes are called ``house_notes``."""
    report = house_report(house)
    return {
        "house": name,
        "rooms": [
            {
                "room": each.room.room_id,
                "kind": each.room.kind,
                "area": round(each.room.area, 3),
                "things": dict(each.things),
            }
            for each in report.rooms
        ],
        "doors": [
            {"door": door.opening_id, "rooms": list(dict.fromkeys(door.rooms)), "state": _state(door)}
            for door in house.doors
        ],
        "windows": len(house.windows),
        "things": _things(house),
        "house_notes": list(report.notes),
    }


def _print_room(report: RoomReport) -> None:
    room = report.room
    things = ", ".join(kind if count == 1 else f"{count} {kind}" for kind, count in report.things)
    print(printable(f"  {room.room_id}: {room.kind}, {room.area:.1f} m2; {things or 'empty'}"))
    for door in report.doors:
        beyond = next((name for name in door.rooms if name != room.room_id), "the outside")
        print(printable(f"    {door.opening_id} to {beyond}, {_state(door)}"))


def _state(door: Opening) -> str:
    """Return how a door stands, in a word."""
    if door.openness is None:
        return "a frame"
    return "open" if door.passable else "shut"


def _things(house: House) -> int:
    return sum(1 for _ in house.all_things())


# The verb ``houses``.


MOST_ROOMS = 10


@verb
def houses(
    out: OutFolder,
    number: Annotated[int, typer.Option("--number", "-n", min=1)] = 10,
    rooms: Annotated[str, typer.Option("--rooms", metavar="N-M")] = "1-10",
    seed: Annotated[int, typer.Option("--seed", min=0)] = 0,
    style: str = "rich",
    workers: Annotated[int | None, typer.Option("--workers", min=0)] = None,
    as_json: AsJson = False,
) -> None:
    """Generate houses of several rooms, as files that AI2-THOR builds; the same command resumes an interrupted run.

    Args:
        number: How many houses.
        rooms: How many rooms, from 1 to 10.
        seed: The first house's seed; the others follow.
        style: rich: all tasks can be done; procthor: furnished as ProcTHOR's.
        workers: Processes; all cores by default, 0 for this one only.
    """
    from chorewright.commands.progress import counting
    from chorewright.generator.household.scene_names import write_houses
    from chorewright.problems.household.houses.design.rules import STYLES
    from chorewright.problems.household.houses.source import LARGEST_SEED, HouseRequest

    if style not in STYLES:
        raise UsageError(f"there is no style {style!r}", hint=f"styles are {' and '.join(STYLES)}")
    if seed + number - 1 > LARGEST_SEED:
        raise UsageError(f"seeds go up to {LARGEST_SEED}")
    request = HouseRequest(_bounds(rooms), style)
    with counting("houses") as count:
        made = write_houses(out, range(seed, seed + number), request, processes(workers), count)
    kept = f", {made.kept} were there" if made.kept else ""
    told = {"folder": str(out), "houses": number, "written": made.written, "kept": made.kept}
    answer(as_json, told, f"{out}: {say_count(number, 'house')} ({made.written} written{kept})")


def _bounds(text: str) -> tuple[int, int]:
    """Return the least and the greatest number of rooms of ``3-8``, or of ``5``."""
    found = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", text)
    if found is None:
        raise UsageError(f"--rooms {text!r} is no range", hint="a range is 3-8, or 5")
    least, most = int(found[1]), int(found[2] or found[1])
    if not 1 <= least <= most <= MOST_ROOMS:
        raise UsageError(f"--rooms {text!r}: houses have 1 to {MOST_ROOMS} rooms", hint="a range is 3-8, or 5")
    return least, most


# Stored episodes on a real build of AI2-THOR.


class RealThorReplay:
    """AI2-THOR's real builds, for ``replay --simulator``."""

    def replay(self, folder: Path, chosen: Sequence[int], options: RealOptions, as_json: bool) -> None:
        """Run episodes on a real build, report each, and end with exit code 1 unless all replay.

        Raises:
            UsageError: An option makes no sense.
            MissingExtra: There is no build that can run here.
        """
        from chorewright.generator.dataset.store.dataset import Dataset
        from chorewright.generator.household.moments import replay_on_real, write_report
        from chorewright.replay.household.real.process import check_build
        from chorewright.replay.household.real.simulator import Build, RealThor

        if options.attempts < 1 or options.start <= 0 or options.step <= 0:
            raise UsageError("--attempts, --start-timeout and --step-timeout must be positive")
        dataset = Dataset(folder)
        check_build(options.executable)
        display = os.environ.get("DISPLAY") or ":0"
        build = Build(options.executable, options.size, options.start, options.step, display)
        episodes = [dataset.episode(index) for index in chosen] if chosen else dataset
        runs = []
        for run in replay_on_real(
            episodes, lambda settings: RealThor(build, settings), options.attempts, folder if options.render else None
        ):
            runs.append(run)
            told = f"episode {run.episode}: {run.outcome}" + (f": {run.reason}" if run.reason else "")
            tell(printable(told))
        report = write_report(folder, runs)
        counts = {name: sum(run.outcome == name for run in runs) for name in ("replayed", "failed", "quarantined")}
        shown = ", ".join(f"{name} {count}" for name, count in counts.items())
        record = {"folder": str(folder), **counts, "episodes": [asdict(run) for run in runs]}
        answer(as_json, record, f"{folder}: {shown}; {report}")
        exit_unless(counts["replayed"] == len(runs))

    def diagnosis(self) -> tuple[str, str, str]:
        """Return whether a real build of AI2-THOR could run here (the embedded world needs none)."""
        from chorewright.replay.household.real.process import display_problem, kept_builds

        try:
            builds, problem = kept_builds(), display_problem()
        except OSError as error:  # looking for libraries needs a folder for temporary files
            return "AI2-THOR build", "-", f"optional: it cannot be looked for: {error.strerror or error}"
        if builds and not problem:
            return "AI2-THOR build", builds[-1], ""
        return "AI2-THOR build", "-", f"optional: {problem or 'none is kept in ~/.ai2thor/releases'}"
