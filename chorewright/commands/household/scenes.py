"""The verb ``check-scene``: a scene of the user's own as a map, what is out of reach in it, and what tasks suit.

Of a house it says what is in it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chorewright.commands.arguments import KindsFiles
from chorewright.commands.shell import AsJson, print_json, printable, readable, verb
from chorewright.errors import UsageError


@verb
def check_scene(
    file: Annotated[Path, typer.Argument(help="AI2-THOR's metadata of a scene, or an event's; or a house.")],
    kinds: KindsFiles = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", metavar="FILE", help="Draw the map as a picture, too: .png or .jpg.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draw the map of a scene of yours, and say what is out of reach and which tasks suit.

    Of a house in ProcTHOR's format, say which rooms, doors and things it has. Exit code 1 if no task suits a scene.
    """
    from chorewright.commands.household.houses import tell_house
    from chorewright.domains.library import user_library
    from chorewright.files.json_source import load_json
    from chorewright.generator.household.own_scenes import read_own_scene
    from chorewright.generator.household.scene_report import scene_report
    from chorewright.problems.thor.houses.reading import is_house, load_house
    from chorewright.problems.thor.kinds import kinds_of
    from chorewright.problems.thor.metadata import MOST_BYTES

    readable(file)
    if is_house(load_json(file, MOST_BYTES, strict=False).value):
        if picture is not None:
            raise UsageError("--picture draws scenes of one room, and this is a house")
        tell_house(file, load_house(file), as_json)
        return
    own = read_own_scene(file, kinds_of(user_library(kinds or ())))
    report = scene_report(own.scene)
    if picture is not None:
        from chorewright.generator.household.maps import scene_map
        from chorewright.generator.images import write_picture

        write_picture(picture, scene_map(own.scene))
    if as_json:
        print_json(
            {
                "scene": own.scene.name,
                "room": own.scene.room_kind,
                "objects": len(own.scene.objects),
                "standing_points": len(own.scene.grid),
                "notes": list(own.notes),
                "receptacles": [{"object": name, "poses": poses} for name, poses in report.reach],
                "unreachable": list(report.unreachable),
                "tasks": dict(report.tasks),
            }
        )
    else:
        head = f"{own.scene.room_kind}, {len(own.scene.objects)} objects, {len(own.scene.grid)} standing points"
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
    if not report.tasks:
        raise typer.Exit(1)
