"""Rooms of AI2-THOR 2.1.0, as far as its clients reveal them: standing points and ids of things.

Fixtures have moved a little between the builds, and some have changed their kind. Those whose older ids are
known take them, and the kinds that they tell, when a client restores a start that was recorded there. When a
call then names another object by an id that the room does not have, the object that is meant takes that id,
so that the metadata speak of it as the client does from then on. A fixture that has been moved since then goes to
where its id says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

from chorewright.files.records import reader_of
from chorewright.problems.household.containment import model_name
from chorewright.problems.household.free_space import PIVOT, edge_points
from chorewright.problems.household.places import item_levels, resting_place
from chorewright.problems.household.scene import SceneObject, Vector
from chorewright.replay.household.room import Room
from chorewright.replay.simulator import SimulatorAction

# How versions of AI2-THOR differ: the names of kinds and pieces, and the field of view that they begin with.


IDLE = (
    "ChangeQuality",
    "PausePhysicsAutoSim",
    "AdvancePhysicsStep",
    "UnpausePhysicsAutoSim",
    "MakeObjectsOfTypeUnbreakable",
    "MakeAllObjectsUnbreakable",
)
"""Actions about what this simulator does not have: physics, shadows, things that break when they fall."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A version's ways.

    Attributes:
        field_of_view: Degrees before a client says anything.
        first_piece: The number in the id of a sliced thing's first piece.
        names: Today's kinds to theirs, where they differ.
        merged: Their kinds that are part of another one today.
        older: Whether its ids and standing points may be those of older rooms.
    """

    field_of_view: float = 90.0
    first_piece: int = 0
    names: Mapping[str, str] = field(default_factory=dict)
    merged: Mapping[str, str] = field(default_factory=dict)
    older: bool = False

    def ours(self, value: object) -> object:
        """Return a value of a call in today's names."""
        return _rename(value, {theirs: ours for ours, theirs in self.names.items()})

    def theirs(self, metadata: Mapping[str, object]) -> dict[str, Any]:
        """Return metadata in the version's names; what bears an id of a merged kind is of that kind."""
        told = cast("dict[str, Any]", _rename(dict(metadata), self.names))
        for each in told["objects"] if self.merged else ():
            first = each["objectId"].split("|", maxsplit=1)[0]
            if self.merged.get(first) == each["objectType"]:
                each["objectType"] = first
        return told


_dialects = reader_of(dict[int, Dialect], "chorewright.replay", "data/thor_dialects.json", "dialects")


def dialect(version: int) -> Dialect:
    """Return the ways of AI2-THOR's version 2 or 5 (3 and 4 are as 5)."""
    return _dialects()[2 if version < 3 else 5]


def _rename(value: object, names: Mapping[str, str]) -> object:
    """Return a JSON value whose texts that begin with a kind begin with another name of it."""
    if not names:
        return value
    if isinstance(value, str):
        for old, new in names.items():
            if value == old or value.startswith((f"{old}|", f"{old}_")):
                return new + value[len(old) :]
        return value
    if isinstance(value, Mapping):
        return {key: _rename(part, names) for key, part in cast(Mapping[str, object], value).items()}
    if isinstance(value, list | tuple):
        return [_rename(part, names) for part in value]
    return value


Match: TypeAlias = tuple[int, float, bool, int, str]
"""How an object fits an id, the less the better, and its present id at the end."""

NEAR = 0.5
"""Metres within which an object of the same kind is the one that an older id means."""

SAME_PLACE = 0.15
"""Metres within which a receptacle of another kind is, since some have changed their kind."""


def is_older(room: Room, call: SimulatorAction) -> bool:
    """Return whether a call of SetObjectPoses restores a start that was recorded on the older build.

    Its items are of other models than ours; what we have written tells of ours.
    """
    ours = {model_name(body.kind, body.asset) for body in room.origin.objects if body.asset}
    poses = call.arguments.get("objectPoses")
    names = (
        [pose.get("objectName") for pose in poses if isinstance(pose, Mapping)]
        if isinstance(poses, list | tuple)
        else []
    )
    return bool(names) and not any(name in ours for name in names)


def widen(room: Room) -> None:
    """Let the agent also stand close to the furniture, where it could in the older build."""
    level = room.origin.agent_y - PIVOT
    room.walkable = room.grid | edge_points(room.grid, room.origin.objects, level)


class OlderNames:
    """Which objects of a room bear ids of the older build; each has at most one.

    Args:
        room: It is changed: the fixtures whose older ids are known take them.
    """

    def __init__(self, room: Room) -> None:
        recorded = older_fixtures().get(room.origin.name, ())
        self._room = room
        self._settled = {name for name in recorded if name in room.objects}
        left = [name for name in recorded if name not in room.objects]
        choices = sorted((*match, wanted) for wanted in left for match in self._matches(wanted))
        for *_, ours, wanted in choices:
            if wanted not in self._settled and ours in room.objects and ours not in self._settled:
                self._name(str(ours), wanted)

    def adopt(self, wanted: object) -> bool:
        """Give the object that an older id means that id; return whether there is one that has to change."""
        if not isinstance(wanted, str):
            return False
        if wanted in self._room.objects:
            self._settled.add(wanted)
            return False
        matches = [match for match in (*self._matches(wanted), *self._moved(wanted)) if match[-1] not in self._settled]
        if matches:
            self._name(min(matches)[-1], wanted)
            self._bring_home(wanted)
        return bool(matches)

    def _moved(self, wanted: str) -> list[Match]:
        """Return the fixtures of an older id's kind, wherever they are: it may have been moved since."""
        kind, where = _read(wanted)
        if where is None or kind not in self._room.origin.kinds:
            return []
        return [
            (4, round(math.dist(where, body.position), 6), False, index, body.object_id)
            for index, body in enumerate(self._room.objects.values())
            if body.kind == kind and not body.traits.item
        ]

    def _bring_home(self, name: str) -> None:
        """Move a fixture that is far from where its id says there, on the floor plane; items stay where they are."""
        room, body, where = self._room, self._room.objects[name], _read(name)[1]
        if where is None or body.traits.item or _beyond(body, where) <= NEAR:
            return
        for inner in [inner for inner in room.contents.get(name, ()) if room.kind(inner).item]:
            room.detach(inner)
        x, y, z = body.centre
        room.move(name, (x + where[0] - body.position[0], y, z + where[2] - body.position[2]))
        levels = item_levels(room.origin.objects)
        below = {each.object_id for each in room.objects.values() if each.kind == "Floor"}
        for item in list(room.objects.values()):
            free = item.traits.item and not item.is_consumed and item.object_id != room.holding
            if free and set(item.parents) <= below:
                parent = resting_place(item, list(room.objects.values()), levels)
                room.detach(item.object_id)
                if parent is not None:
                    room.attach(item.object_id, parent.object_id)

    def _matches(self, wanted: str) -> list[Match]:
        """Return the objects that an older id can mean, with how well they fit.

        An id holds the place where its object was first. The nearest of the same kind within ``NEAR`` is
        meant, by that place or else by its box; else a receptacle that stands there now, or whose top was a
        receptacle of its own there.
        """
        kind, where = _read(wanted)
        if where is None or kind not in self._room.origin.kinds:
            return []
        piece = wanted.split("|")[4:]
        found: list[Match] = []
        for index, body in enumerate(self._room.objects.values()):
            there = _read(body.object_id)[1]
            gap = round(math.dist(where, there if there is not None else body.position), 6)
            rest = (gap, body.object_id.split("|")[4:] != piece, index, body.object_id)
            if body.kind == kind and gap <= NEAR:
                found.append((0, *rest))
            elif body.kind == kind and _beyond(body, where) <= NEAR:
                found.append((1, *rest))
            elif gap <= SAME_PLACE and body.receptacle and not self._room.origin.kinds[kind].item:
                found.append((2, *rest))
            elif (
                math.dist(where[::2], body.position[::2]) <= SAME_PLACE
                and _beyond(body, where) <= SAME_PLACE
                and body.receptacle
                and not body.traits.item
                and not self._room.origin.kinds[kind].item
            ):
                found.append((3, *rest))
        return found

    def _name(self, ours: str, theirs: str) -> None:
        def called(name: str) -> str:
            return theirs if name == ours else name

        room, kind = self._room, _read(theirs)[0]
        bodies = [
            replace(
                body,
                object_id=called(body.object_id),
                kind=kind if body.object_id == ours else body.kind,
                traits=room.origin.kinds[kind] if body.object_id == ours else body.traits,
                parents=tuple(map(called, body.parents)),
                controls=tuple(map(called, body.controls)),
            )
            for body in room.objects.values()
        ]
        room.objects = {body.object_id: body for body in bodies}
        room.contents = {called(name): [called(each) for each in held] for name, held in room.contents.items()}
        room.switches = {called(name): tuple(map(called, worked)) for name, worked in room.switches.items()}
        room.holding = None if room.holding is None else called(room.holding)
        self._settled.add(theirs)


older_fixtures = reader_of(
    dict[str, tuple[str, ...]], "chorewright.replay", "data/thor_older_fixtures.json", "fixtures"
)
"""Returns the ids of each room's fixtures in AI2-THOR 2.1.0, as far as ALFWorld lists them."""


def _beyond(body: SceneObject, point: Vector) -> float:
    """Return how far a point is from a box."""
    gaps = (abs(p - c) - size / 2 for p, c, size in zip(point, body.centre, body.size, strict=True))
    return math.hypot(*(max(gap, 0.0) for gap in gaps))


def _read(object_id: str) -> tuple[str, Vector | None]:
    """Return the kind, as it is called today, and the place that an id tells."""
    parts = object_id.split("|")
    kind = parts[4].split("_")[0] if len(parts) > 4 else parts[0]
    kind = dialect(2).merged.get(kind, kind)
    try:
        x, y, z = (float(part) for part in parts[1:4])
    except ValueError:
        return kind, None
    return kind, (x, y, z)
