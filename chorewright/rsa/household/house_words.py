"""The rooms of a house in words, and what of a house a speaker has in mind in each of them.

Who stands in a kitchen and hears of the sink thinks of that kitchen's. So what is said of a step is said as if the
house were the one room in which the step is done; on the way to another room, one is told which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from chorewright.files.english import article
from chorewright.problems.household.houses.building import Building
from chorewright.problems.household.houses.house import HouseRoom
from chorewright.problems.household.scene import GRID, Box, Pose, Scene
from chorewright.rsa.household.layout import RoomLayout, Route, trace
from chorewright.rsa.household.nouns import ThingNames
from chorewright.rsa.household.relations import Anchor, landmarks

LARGER = 1.3
"""How many times as large as another a room is that is called the larger one."""

CEILING = 3.0
"""Metres of a room's box."""


@dataclass(frozen=True, slots=True)
class HouseWords:
    """The rooms of a house as a speaker knows them.

    Attributes:
        building: The house.
        phrases: What each room is called, by its id: ``the kitchen``, ``the bedroom with the desk``.
        rooms: The id of the room that each thing is in at the start.
        marks: The landmarks of each room.
        named: Whether it is said in which rooms things are: the plan leads through several.
    """

    building: Building
    phrases: Mapping[str, str]
    rooms: Mapping[str, str]
    marks: Mapping[str, tuple[Anchor, ...]]
    named: bool

    @classmethod
    def of(cls, building: Building, scene: Scene, names: ThingNames, poses: Sequence[Pose]) -> HouseWords | None:
        """Return the words for a scene's rooms; None if it has only one.

        Args:
            building: The scene's.
            scene: The scene at the start.
            names: The nouns.
            poses: Where a plan leads.
        """
        if len(building.house.rooms) < 2:
            return None
        rooms = {}
        for thing in scene.objects:
            room = building.house.room_at(thing.centre[0], thing.centre[2])
            if room is not None:
                rooms[thing.object_id] = room.room_id
        whole = RoomLayout.of(scene)
        parts = {room.room_id: _part(whole, rooms, room.room_id) for room in building.house.rooms}
        return cls(
            building,
            _phrases(building.house.rooms, parts, names),
            rooms,
            {name: landmarks(part, names) for name, part in parts.items()},
            len({_room_id(building, pose) for pose in poses}) > 1,
        )

    def room_of(self, pose: Pose) -> HouseRoom | None:
        """Return the room in which an agent stands."""
        return self.building.house.room_at(pose.x * GRID, pose.z * GRID)

    def part(self, world: RoomLayout, room: HouseRoom) -> RoomLayout:
        """Return what is in a room, and what is carried."""
        return _part(world, self.rooms, room.room_id)

    def walls(self, room: HouseRoom) -> Box:
        """Return the box around a room."""
        xs, zs = zip(*room.polygon, strict=True)
        return Box((min(xs), room.level, min(zs)), (max(xs), room.level + CEILING, max(zs)))

    def place_of(self, world: RoomLayout, object_id: str) -> str:
        """Return `` in the kitchen`` of a thing that is there; empty if rooms are not named, or nobody knows."""
        phrase = self.phrases.get(_room(world, self.rooms, object_id) or "")
        return f" in {phrase}" if phrase and self.named else ""


def _room_id(building: Building, pose: Pose) -> str:
    room = building.house.room_at(pose.x * GRID, pose.z * GRID)
    return "" if room is None else room.room_id


@dataclass(frozen=True, slots=True)
class Crossing:
    """A walk that ends in another room than it starts in.

    Attributes:
        here: The room that is left.
        between: The rooms that one walks through.
        there: The room that is entered at last.
        rest: The walk from there on.
    """

    here: HouseRoom
    between: tuple[HouseRoom, ...]
    there: HouseRoom
    rest: Route


def crossing(words: HouseWords, start: Pose, actions: Sequence[str]) -> Crossing | None:
    """Return how a walk leads from room to room; None if it ends where it starts, or nobody knows in which room."""
    poses = [start]
    for action in actions:
        poses.append(trace(poses[-1], (action,)).end)
    rooms = [words.room_of(pose) for pose in poses]
    here, there = rooms[0], rooms[-1]
    if here is None or there is None or here is there:
        return None
    entered = next(place for place in range(len(rooms), 0, -1) if rooms[place - 1] is not there)
    known = [room for room in rooms[:entered] if room is not None]
    between = tuple({room.room_id: room for room in known if room is not here and room is not there}.values())
    return Crossing(here, between, there, trace(poses[entered], actions[entered:]))


def plain_name(room: HouseRoom) -> str:
    """Return what a room of its kind is called."""
    return room.kind.replace("_", " ")


def _room(world: RoomLayout, rooms: Mapping[str, str], object_id: str) -> str | None:
    """Return the id of a thing's room; what was put somewhere is where that is."""
    thing = world.things.get(object_id)
    while thing is not None and not thing.still and thing.parent:
        object_id, thing = thing.parent, world.things.get(thing.parent)
    return rooms.get(object_id) if thing is None or thing.still else None


def _part(world: RoomLayout, rooms: Mapping[str, str], room_id: str) -> RoomLayout:
    things = {name: thing for name, thing in world.things.items() if _room(world, rooms, name) in (room_id, None)}
    return replace(world, things=things)


def _phrases(rooms: Sequence[HouseRoom], parts: Mapping[str, RoomLayout], names: ThingNames) -> dict[str, str]:
    """Return what each room is called: by its kind, by what only it has, by its size, or else vaguely."""
    alike: dict[str, list[HouseRoom]] = {}
    for room in rooms:
        alike.setdefault(room.kind, []).append(room)
    nouns = {name: _landmark_nouns(part, names) for name, part in parts.items()}
    found = {}
    for kind, same in alike.items():
        for room in same:
            others = [each for each in same if each is not room]
            own = [
                noun
                for noun, count in nouns[room.room_id].items()
                if count == 1 and all(noun not in nouns[other.room_id] for other in others)
            ]
            word = kind.replace("_", " ")
            if not others:
                found[room.room_id] = f"the {word}"
            elif own:
                found[room.room_id] = f"the {word} with the {own[0]}"
            elif len(others) == 1 and max(room.area, others[0].area) >= LARGER * min(room.area, others[0].area):
                found[room.room_id] = f"the {'larger' if room.area > others[0].area else 'smaller'} {word}"
            else:
                found[room.room_id] = f"{article(word)} {word}"
    return found


def _landmark_nouns(part: RoomLayout, names: ThingNames) -> dict[str, int]:
    """Return how many big things of each noun a room has, the largest first."""
    big = [thing for thing in part.things.values() if thing.still and names.lexicon.words(thing.kind).landmark]
    big.sort(key=lambda thing: (-thing.size[0] * thing.size[2], thing.object_id))
    counts: dict[str, int] = {}
    for thing in big:
        word = names.noun(thing.kind).word
        counts[word] = counts.get(word, 0) + 1
    return counts
