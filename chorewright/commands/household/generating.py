"""The verb ``houses``: generate houses, one file each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chorewright.commands.shell import AsJson, print_json, printable, verb
from chorewright.errors import UsageError
from chorewright.files.english import say_count

MOST_ROOMS = 10


@verb
def houses(
    out: Annotated[Path, typer.Option("--out", "-o", help="A new folder, or one written to before.")],
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="How many houses.")] = 10,
    rooms: Annotated[str, typer.Option("--rooms", metavar="N-M", help="How many rooms, from 1 to 10.")] = "1-10",
    seed: Annotated[int, typer.Option("--seed", min=0, help="The first house's seed; the others follow.")] = 0,
    style: Annotated[
        str, typer.Option("--style", help="rich: all tasks can be done; procthor: furnished as ProcTHOR's.")
    ] = "rich",
    workers: Annotated[
        int | None, typer.Option("--workers", min=0, help="Processes; all cores by default, 0 for this one only.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Generate houses of several rooms, as files that AI2-THOR builds; the same command resumes an interrupted run."""
    from chorewright.commands.progress import counting
    from chorewright.files.processes import usable_cores
    from chorewright.generator.household.scene_names import write_houses
    from chorewright.problems.household.houses.design.rules import STYLES
    from chorewright.problems.household.houses.source import LARGEST_SEED, HouseRequest

    if style not in STYLES:
        raise UsageError(f"there is no style {style!r}", hint=f"styles are {' and '.join(STYLES)}")
    if seed + number - 1 > LARGEST_SEED:
        raise UsageError(f"seeds go up to {LARGEST_SEED}")
    request = HouseRequest(_bounds(rooms), style)
    with counting("houses") as tell:
        made = write_houses(
            out, range(seed, seed + number), request, usable_cores() if workers is None else workers, tell
        )
    if as_json:
        print_json({"folder": str(out), "houses": number, "written": made.written, "kept": made.kept})
        return
    kept = f", {made.kept} were there" if made.kept else ""
    print(printable(f"{out}: {say_count(number, 'house')} ({made.written} written{kept})"))


def _bounds(text: str) -> tuple[int, int]:
    """Return the least and the greatest number of rooms of ``3-8``, or of ``5``."""
    low, _, high = text.partition("-")
    if not all(each.isascii() and each.isdecimal() for each in (low, high or low)):
        raise UsageError(f"--rooms {text!r} is no range", hint="a range is 3-8, or 5")
    least, most = int(low), int(high or low)
    if not 1 <= least <= most <= MOST_ROOMS:
        raise UsageError(f"--rooms {text!r}: houses have 1 to {MOST_ROOMS} rooms", hint="a range is 3-8, or 5")
    return least, most
