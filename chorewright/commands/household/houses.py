"""What ``check-scene`` says of a house: its rooms, doors and things."""

from __future__ import annotations

from pathlib import Path

from chorewright.commands.shell import print_json, printable
from chorewright.problems.thor.houses.house import House, Opening
from chorewright.problems.thor.houses.report import HouseReport, RoomReport, house_report


def tell_house(file: Path, house: House, as_json: bool) -> None:
    """Print what a house has, as text or as JSON."""
    report = house_report(house)
    if as_json:
        print_json(_record(file, house, report))
        return
    counts = [_count(len(house.rooms), "room"), _count(len(house.doors), "door")]
    counts += [_count(len(house.windows), "window"), _count(_things(house), "thing")]
    print(printable(f"{file.stem}: a house of {', '.join(counts)}"))
    for each in report.rooms:
        _print_room(each)
    for note in report.notes:
        print(printable(f"note: {note}"))
    print("note: this house can be read and written; scenes of tasks have one room")


def _print_room(report: RoomReport) -> None:
    room = report.room
    things = ", ".join(kind if count == 1 else f"{count} {kind}" for kind, count in report.things)
    print(printable(f"  {room.room_id}: {room.kind}, {room.area:.1f} m2; {things or 'empty'}"))
    for door in report.doors:
        print(printable(f"    {door.opening_id} to {_beyond(door, room.room_id)}, {_state(door)}"))


def _beyond(door: Opening, room: str) -> str:
    return next((name for name in door.rooms if name != room), "the outside")


def _state(door: Opening) -> str:
    """Return how a door stands, in a word."""
    if door.openness is None:
        return "a frame"
    return "open" if door.passable else "shut"


def _count(number: int, name: str) -> str:
    return f"{number} {name}" if number == 1 else f"{number} {name}s"


def _things(house: House) -> int:
    return sum(1 for _ in house.all_things())


def _record(file: Path, house: House, report: HouseReport) -> dict[str, object]:
    return {
        "house": file.stem,
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
        "notes": list(report.notes),
    }
