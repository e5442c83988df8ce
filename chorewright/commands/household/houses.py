"""What ``check-scene`` says of a house: its rooms, doors and things."""

from __future__ import annotations

from chorewright.commands.shell import printable
from chorewright.problems.household.houses.house import House, Opening
from chorewright.problems.household.houses.report import RoomReport, house_report


def tell_house(name: str, house: House) -> None:
    """Print what a house has."""
    report = house_report(house)
    counts = [_count(len(house.rooms), "room"), _count(len(house.doors), "door")]
    counts += [_count(len(house.windows), "window"), _count(_things(house), "thing")]
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
