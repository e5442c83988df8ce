"""A user's files of houses: read, written, read again and compared, made scenes, and counted.

    python -m benchmarks.house_files FILE_OR_FOLDER... [--most N] [--save] [--json FILE]

Files are ``.json`` (one house), ``.jsonl`` (one house a line) and ``.jsonl.gz``, as ProcTHOR-10K has them; of a folder
all such files. What is wrong with a house is told with its file, its line and the JSON path; then the exit code is 1.
"""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from rich.console import Console

from benchmarks.command import benchmark_parser, given_path, keep
from benchmarks.results import Figure, Report, Table
from chorewright.errors import ChorewrightError, InputError, Location, UsageError
from chorewright.files.json_node import root
from chorewright.files.json_source import bare, parse_json
from chorewright.problems.household.free_space import largest_component
from chorewright.problems.household.houses.house import House
from chorewright.problems.household.houses.reading import house_of, house_record
from chorewright.problems.household.houses.scenes import find_left_out, house_scene
from chorewright.problems.household.houses.standing import all_open, standing_points

SUFFIXES = (".json", ".jsonl", ".jsonl.gz")
"""The names of files that are read end with these."""

NOT_HOUSES = ("houses.json", "chorewright-export.json")
"""Files of a folder that say what is in it."""

BROKEN = 20
"""Mistakes that are told; the others are counted."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One house.

    Attributes:
        place: Its file, and its line.
        problem: What is wrong; empty if nothing is.
        rooms: The kinds of its rooms.
        things: How many things it has.
        left_out: Of how many nobody knows the kind or size.
        points: Where one can stand, in the largest component.
        share: The share of all points that this is.
        reached: How many rooms have some of these points.
        inside: Whether the agent's start is within half a metre of them; True if the file says no start.
    """

    place: str
    problem: str
    rooms: tuple[str, ...] = ()
    things: int = 0
    left_out: int = 0
    points: int = 0
    share: float = 0.0
    reached: int = 0
    inside: bool = False


def files_of(paths: Sequence[Path]) -> list[Path]:
    """Return the files that are meant, those of a folder sorted.

    Raises:
        UsageError: One is not there, has another name, or a folder has none.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = [each for each in sorted(path.iterdir()) if each.name.endswith(SUFFIXES)]
            inside = [each for each in inside if each.name not in NOT_HOUSES]
            if not inside:
                raise UsageError(f"the folder {path} has no file that ends with {', '.join(SUFFIXES)}")
            found += inside
        elif not path.is_file():
            raise UsageError(f"there is no file or folder {path}")
        elif not path.name.endswith(SUFFIXES):
            raise UsageError(f"{path} is no file of houses", hint=f"its name ends with {', '.join(SUFFIXES)}")
        else:
            found.append(path)
    return found


def texts_of(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the houses of a file as JSON texts, each with where it stands.

    Raises:
        InputError: The file cannot be read.
    """
    try:
        if path.name.endswith(".json"):
            yield str(path), path.read_text("utf-8")
            return
        with ExitStack() as stack:
            file = stack.enter_context(path.open("rb"))
            lines: Iterable[bytes] = stack.enter_context(gzip.open(file)) if path.name.endswith(".gz") else file
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield f"{path}:{number}", line.decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", location=Location(str(path))) from error


def checked(place: str, text: str) -> Checked:
    """Return what there is to say of a house."""
    try:
        house = house_of(root(parse_json(text, place)))
        again = house_of(root(bare(json.loads(json.dumps(house_record(house))), place)))
        if again != house:
            return Checked(place, f"{place}: it is not the same when it is written and read again")
        return _counted(place, house)
    except ChorewrightError as error:
        return Checked(place, str(error))


def _counted(place: str, house: House) -> Checked:
    scene = house_scene(house, place)
    points = standing_points(all_open(house))
    main = largest_component(points.keys())
    start = house.agent
    inside = start is None or any(
        abs(start.position[0] - x * 0.25) + abs(start.position[2] - z * 0.25) <= 0.5 for x, z in scene.grid
    )
    return Checked(
        place,
        "",
        tuple(room.kind for room in house.rooms),
        sum(1 for _ in house.all_things()),
        len(find_left_out(house)),
        len(main),
        len(main) / len(points),
        len({points[point] for point in main}),
        inside,
    )


def figures_of(houses: Sequence[Checked]) -> Iterator[Figure]:
    """Yield the counts."""
    sound = [each for each in houses if not each.problem]
    count = len(houses)
    yield Figure("read", "houses that are read, written and read again as they were", len(sound), of=count)
    if not sound:
        return
    whole = sum(each.reached == len(each.rooms) for each in sound)
    yield Figure("reached", "houses in all of whose rooms one can walk", whole, of=len(sound))
    yield Figure("inside", "houses in which the agent starts where one can walk", _sum(sound, "inside"), of=len(sound))
    yield Figure("rooms", "rooms", sum(len(each.rooms) for each in sound))
    yield Figure("things", "things", _sum(sound, "things"))
    yield Figure("left_out", "things of which nobody knows the kind or size", _sum(sound, "left_out"))
    yield Figure("points", "standing points of a house, median", int(median(each.points for each in sound)))
    yield Figure("share", "least share of a house's points that are connected", min(e.share for e in sound), digits=3)


def _sum(houses: Sequence[Checked], name: str) -> int:
    return int(sum(getattr(each, name) for each in houses))


def main() -> None:
    """Check all houses; exit with 1 if anything is wrong with one."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("paths", nargs="+", type=given_path, metavar="FILE_OR_FOLDER")
    parser.add_argument("--most", type=int, default=10**9, metavar="N", help="check at most so many houses")
    asked = parser.parse_args()
    console = Console()
    houses: list[Checked] = []
    broken = 0
    try:
        for path in files_of(asked.paths):
            for place, text in texts_of(path):
                if len(houses) == asked.most:
                    break
                houses.append(checked(place, text))
                if houses[-1].problem:
                    broken += 1
                    if broken <= BROKEN:
                        print(houses[-1].problem, file=sys.stderr)
    except ChorewrightError as error:
        print(error, file=sys.stderr)
        sys.exit(int(error.exit_code))
    if not houses:
        print("there are no houses", file=sys.stderr)
        sys.exit(1)
    if broken > BROKEN:
        print(f"... and {broken - BROKEN:,} more", file=sys.stderr)
    figures = tuple(figures_of(houses))
    for figure in figures:
        console.print(f"{figure.label}: {figure.text}")
    sizes = Counter(len(each.rooms) for each in houses if not each.problem)
    kinds = Counter(kind for each in houses for kind in each.rooms)
    rows = tuple((str(size), str(sizes[size])) for size in sorted(sizes))
    console.print(", ".join(f"{size} room{'s' * (size != '1')}: {number}" for size, number in rows))
    console.print(", ".join(f"{kind.replace('_', ' ')}: {number}" for kind, number in sorted(kinds.items())))
    report = Report("house-files", "Rooms and pictures", "Files of houses", "Houses of the user's files.", figures)
    keep(asked, replace(report, tables=(Table(("rooms", "houses"), rows, "Houses by their number of rooms"),)))
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
