"""What ``check-scene`` says of a house: its rooms, doors and things."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import networkx as nx

from chorewright.commands.shell import printable
from chorewright.files import english
from chorewright.problems.household.houses.assets import assets, kind_of
from chorewright.problems.household.houses.house import House, HouseRoom, HouseThing, Opening

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
    return kind_of(thing.asset, thing.thing_id) or OTHER


def _notes(house: House, astray: list[str]) -> Iterator[str]:
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
    counts = [english.say_count(len(house.rooms), "room"), english.say_count(len(house.doors), "door")]
    counts += [english.say_count(len(house.windows), "window"), english.say_count(_things(house), "thing")]
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


def _things(house: House) -> int:
    return sum(1 for _ in house.all_things())
