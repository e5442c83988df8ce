"""The verb ``check-scene``: a scene of the user's own as a map, what is out of reach in it, and what tasks suit.

Of a house it also says what is in it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.common import KindsFiles
from chorewright.commands.shell import AsJson, print_json, printable, readable, verb
from chorewright.errors import ExitCode
from chorewright.files.english import say_count

if TYPE_CHECKING:
    from chorewright.generator.household.own_scenes import OwnScene
    from chorewright.generator.household.remarks import SceneReport
    from chorewright.problems.household.houses.house import House
    from chorewright.problems.household.kinds import Kinds


@verb
def check_scene(
    file: Annotated[
        str,
        typer.Argument(help="AI2-THOR's metadata of a scene, or an event's; a house's file; or a name, like house:7."),
    ],
    kinds: KindsFiles = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", metavar="FILE", help="Draw the map as a picture, too: .png or .jpg.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draw the map of a scene of yours, and say what is out of reach and which tasks suit.

    Of a house, say also which rooms, doors and things it has. Exit code 1 if no task suits.
    """
    from chorewright.commands.household.houses import house_json, tell_house
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
    from chorewright.generator.household.scene_names import is_scene_name, named_scene
    from chorewright.problems.household.houses.reading import is_house, load_house
    from chorewright.problems.household.houses.source import is_house_name, named_house
    from chorewright.problems.household.metadata import MOST_BYTES

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
