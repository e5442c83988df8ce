"""A text game made from a scene and the filled slots of one of ALFRED's tasks."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from chorewright.domains.pddl.syntax import Formula
from chorewright.domains.rewriting import predicates_mentioned_in
from chorewright.errors import UnsupportedError
from chorewright.problems.household.containment import is_receptacle
from chorewright.problems.household.kinds import Kinds
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.scene import GRID, Pose, Scene, SceneObject
from chorewright.problems.household.sight import Touching
from chorewright.replay.alfred import game
from chorewright.replay.alfred.own_goals import own_goal, say_in_games
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.state import TREATMENTS

_SLICED = "_sliced"
_ODD = re.compile(r"[^A-Za-z0-9_]")

_START = "_bar_start"
"""What makes the start a place of its own where a receptacle is reached from its pose: facing one, a game would not
tell at the start which receptacles there are."""


@dataclass(frozen=True, slots=True)
class Slots:
    """What fills the slots of one of ALFRED's tasks: kinds, empty where the task has no such slot.

    Attributes:
        task: The task type, with ``_sliced`` for pieces.
        thing: The kind of object; for pieces the piece's.
        receptacle: Where it goes.
        vessel: What it goes into first.
        lamp: What it is looked at with.
    """

    task: str
    thing: str
    receptacle: str = ""
    vessel: str = ""
    lamp: str = ""

    @property
    def goal(self) -> game.GameGoal:
        """The goal, in the words of game files."""
        task = self.task.removesuffix(_SLICED)
        return game.GameGoal(
            game.kind_in_games(self.thing),
            game.kind_in_games(self.receptacle),
            2 if "two" in task else 1,
            next((state for state in TREATMENTS if f"_{state}_" in task), ""),
            False,
            game.kind_in_games(self.vessel),
            game.kind_in_games(self.lamp),
        )


def ident(scene: Scene, body: SceneObject) -> str:
    """Return an object's name in game files: its id, spelled, with the kind that game files know.

    In a house, ids may begin with something else than the kind, and basins are parts like others. There the name is
    made of the kind and the whole id, a basin's also of what it is the basin of: that is how iTHOR calls basins.
    """
    kind, bar, rest = body.object_id.partition("|")
    if scene.building is None:
        return game.pddl_name(game.kind_in_games(kind) + bar + rest)
    if kind != body.kind:
        rest = body.object_id
    hull = next((hull for hull, part in game.load_text_kinds().basins.items() if part == body.kind), "")
    words = (hull, rest, body.kind) if hull else (game.kind_in_games(body.kind), rest)
    return _ODD.sub(lambda odd: f"_{ord(odd[0]):x}_", game.pddl_name("|".join(words)))


def piece_idents(scene: Scene, body: SceneObject) -> list[str]:
    """Return the names of a thing's pieces in game files: the piece's kind, where the whole was, and a number."""
    rest = ident(scene, body).partition("_bar_")[2]
    return [f"{body.traits.piece}_bar_{rest}_bar_{number}" for number in range(1, body.traits.pieces + 1)]


def goal_sentence(slots: Slots, name: str) -> str:
    """Return a sentence that says the goal; which of the wordings follows from the game's name."""
    goal = slots.goal
    wordings = game.load_forms().goals.get(slots.task)
    if wordings is None:
        raise UnsupportedError(f"there are no text games of the task {slots.task!r}")
    chosen = wordings[hashlib.sha256(name.encode()).digest()[0] % len(wordings)]
    thing = goal.thing.lower().removesuffix("sliced").removesuffix("cracked")
    return chosen.format(o=thing, r=goal.receptacle.lower(), m=goal.vessel.lower(), l=goal.lamp.lower())


def scene_game(
    scene: Scene, slots: Slots, name: str, *, strict: bool = False, extended: bool | None = None
) -> game.Game:
    """Return the text game of one of ALFRED's tasks in a scene, with the expert's commands as its walkthrough.

    Args:
        scene: The room at the start.
        slots: The task.
        name: The game's name.
        strict: Only ALFWorld's own kinds of receptacles; otherwise the floor and chairs are receptacles, too,
            where something lies on them.
        extended: Whether slicing yields pieces and vessels can be filled; by default where the task asks for it.

    Raises:
        UnsupportedError: There are no text games of the task.
    """
    if extended is None:
        extended = bool(slots.vessel) or slots.task.endswith(_SLICED)
    made = _Maker(scene, strict, extended).make(name, slots.task, goal_sentence(slots, name))
    return _with_walkthrough(replace(made, goal=slots.goal))


def own_game(scene: Scene, task: str, goal: Formula, sentence: str, name: str, *, strict: bool = False) -> game.Game:
    """Return the text game of a task of a user's own in a scene, with a plan's commands as its walkthrough.

    Args:
        scene: The room at the start.
        task: The task's name.
        goal: What is to be reached, in the household's predicates.
        sentence: The goal in words.
        name: The game's name.
        strict: As for ``scene_game``.

    Raises:
        UnsupportedError: ALFWorld's domain has no word for something that the goal asks for.
    """
    made = _Maker(scene, strict, True).make(name, task, _as_order(sentence))
    things, homes = {each.kind for each in made.things}, {each.kind for each in made.receptacles}
    own = own_goal(say_in_games(goal, scene.kinds, things, homes))
    pieces = own.kinds & {thing.kind.lower() for thing in made.things if thing.cut_from is not None}
    vessels = "inreceptacleobject" in predicates_mentioned_in(own.formula)
    if not pieces and not vessels:
        made = _Maker(scene, strict, False).make(name, task, made.sentence)
    return _with_walkthrough(replace(made, own=own))


def _as_order(sentence: str) -> str:
    """Return a sentence as what a game's task is said to be: "put a mug on a shelf"."""
    plain = sentence.strip().rstrip(".")
    return plain[:1].lower() + plain[1:]


def _with_walkthrough(made: game.Game) -> game.Game:
    play = TextGame(made)
    found = play.plan()
    commands = None if found is None else tuple(play.phrasebook.command(action) for action in found)
    return replace(made, walkthrough=commands)


class _Maker:
    """Collects receptacles, things and locations of a scene."""

    def __init__(self, scene: Scene, strict: bool, extended: bool) -> None:
        self.scene, self.strict, self.extended = scene, strict, extended
        self.kinds = game.load_text_kinds()
        self.objects = {body.object_id: body for body in scene.objects}
        self.lamps = [body for body in scene.objects if body.kind in self.kinds.lamps]
        items = [body for body in scene.objects if body.traits.item and not body.is_consumed]
        self.items = sorted((*items, *self.lamps), key=lambda body: ident(scene, body).lower())
        self.homes = {body.object_id: self._home(body) for body in self.items}
        self.poses = self._poses()

    def _home(self, body: SceneObject) -> str:
        """Return the id of what a thing lies in; empty if it is nothing. What is in a sink or tub is in its basin."""
        if not body.parents:
            return ""
        parent = self.objects[body.parents[0]]
        part = self.kinds.basins.get(parent.kind)
        if part is None:
            return parent.object_id
        starts = (f"{parent.object_id}|", f"{part}|{parent.object_id}|")
        inside = (
            name
            for name, body in self.objects.items()
            if name.startswith(starts) and (name.endswith(part) or body.kind == part)
        )
        return next(inside, parent.object_id)

    def _ident(self, object_id: str) -> str:
        return ident(self.scene, self.objects[object_id])

    def _poses(self) -> dict[str, Pose]:
        """Return where each receptacle is reached; those that are not are left out."""
        used = set(self.homes.values())
        furniture = [
            body
            for body in self.scene.objects
            if not body.traits.item
            and is_receptacle(body)
            and (body.kind in self.kinds.receptacles or (not self.strict and body.object_id in used))
        ]
        standing = [lamp for lamp in self.lamps if self.objects.get(self.homes[lamp.object_id]) in furniture]
        found: dict[str, Pose] = {}
        for name, pose in Touching(self.scene, Grid.of(self.scene), [*furniture, *standing]):
            found.setdefault(name, pose)
        for lamp in standing:
            floor = self.homes[lamp.object_id]
            if self.objects[floor].kind == self.kinds.floor and lamp.object_id in found:
                found[floor] = found[lamp.object_id]
        return {body.object_id: found[body.object_id] for body in furniture if body.object_id in found}

    def make(self, name: str, task: str, sentence: str) -> game.Game:
        """Return the game of a task, whose goal is still to be said."""
        faced = set(map(_location, self.poses.values()))
        begun = _location(self.scene.agent) + _START * (_location(self.scene.agent) in faced)
        places = sorted({*faced, begun}, key=str.lower)
        place = {location: number for number, location in enumerate(places)}
        rooms = sorted(self.poses, key=lambda object_id: self._ident(object_id).lower())
        number = {object_id: at for at, object_id in enumerate(rooms)}
        told = self._rooms()
        receptacles = tuple(
            game.GameReceptacle(
                self._ident(object_id),
                game.kind_in_games(self.objects[object_id].kind),
                (place[_location(self.poses[object_id])],),
                self.objects[object_id].kind in self.kinds.openable,
                told.get(object_id, ""),
            )
            for object_id in rooms
        )
        things, wholes = self._things()
        known = {body.object_id: things.index(thing) for body, thing in zip(self.items, wholes, strict=True)}
        return game.Game(
            name=name,
            task=task,
            sentence=sentence,
            goal=game.GameGoal(""),
            receptacles=receptacles,
            things=tuple(things),
            locations=tuple(places),
            fits=_fits(self.scene.kinds, (*(each.kind for each in receptacles), *self.kinds.vessels)),
            start=self._start(known, number, receptacles, place[begun]),
            extended=self.extended,
            scene=self.scene,
        )

    def _rooms(self) -> dict[str, str]:
        """Return the room of each receptacle in a house of several rooms: its kind, numbered if there are others."""
        building = self.scene.building
        if building is None or len(building.house.rooms) < 2:
            return {}
        kinds = [room.kind.replace("_", " ") for room in building.house.rooms]
        names = {
            room.room_id: f"{kind} {kinds[:number].count(kind) + 1}" if kinds.count(kind) > 1 else f"the {kind}"
            for number, (room, kind) in enumerate(zip(building.house.rooms, kinds, strict=True))
        }
        found = {}
        for object_id, pose in self.poses.items():
            x, _, z = self.objects[object_id].centre
            room = building.house.room_at(x, z) or building.house.room_at(pose.x * GRID, pose.z * GRID)
            found[object_id] = "" if room is None else names[room.room_id]
        return found

    def _things(self) -> tuple[list[game.GameThing], list[game.GameThing]]:
        """Return all things in order, and those that are there already in the order of the items."""
        wholes = [
            game.GameThing(ident(self.scene, body), game.kind_in_games(body.kind), self._abilities(body))
            for body in self.items
        ]
        pieces = [
            (piece, body.traits.piece, whole.ident)
            for body, whole in zip(self.items, wholes, strict=True)
            if self.extended and body.traits.piece and "sliceable" in whole.abilities
            for piece in piece_idents(self.scene, body)
        ]
        idents = sorted([*(each.ident for each in wholes), *(ident for ident, _, _ in pieces)], key=str.lower)
        number = {ident: at for at, ident in enumerate(idents)}
        kinds = self.scene.kinds
        cut = {
            ident: game.GameThing(
                ident, game.kind_in_games(kind), frozenset(("pickupable", *_roles(kinds, kind))), number[whole]
            )
            for ident, kind, whole in pieces
        }
        by_ident = {each.ident: each for each in wholes} | cut
        return [by_ident[ident] for ident in idents], wholes

    def _abilities(self, body: SceneObject) -> frozenset[str]:
        if not body.traits.item:
            return frozenset(("toggleable",))
        able = {"pickupable", *_roles(self.scene.kinds, body.kind)}
        if "sliceable" in body.traits.affordances and body.traits.piece:
            able.add("sliceable")
        if body.kind in self.kinds.vessels:
            able.add("vessel")
        return frozenset(able)

    def _start(
        self, known: Mapping[str, int], rooms: Mapping[str, int], receptacles: Sequence[game.GameReceptacle], at: int
    ) -> game.GameStart:
        lying, within, spots = [], [], []
        for body in self.items:
            home, thing = self.homes[body.object_id], known[body.object_id]
            if home in rooms:
                lying.append((thing, rooms[home]))
                spots.append((thing, receptacles[rooms[home]].places[0]))
            elif home in known:
                within.append((thing, known[home]))
        on = tuple(sorted(known[lamp.object_id] for lamp in self.lamps if lamp.attributes.is_toggled))
        marks: dict[str, Iterable[int]] = {
            "opened": (
                n for name, n in rooms.items() if receptacles[n].openable and self.objects[name].attributes.is_open
            ),
            "on": on,
            "clean": (known[body.object_id] for body in self.items if body.attributes.cleaned),
            "hot": (known[body.object_id] for body in self.items if body.attributes.heated),
            "cool": (known[body.object_id] for body in self.items if body.attributes.cooled),
        }
        return game.GameStart(
            at,
            known.get(self.scene.holding or ""),
            tuple(sorted(lying)),
            tuple(sorted(within)),
            tuple(sorted(spots)),
            {mark: tuple(sorted(numbers)) for mark, numbers in marks.items()},
        )


def _roles(kinds: Kinds, kind: str) -> list[str]:
    return [role for role in TREATMENTS.values() if role in kinds[kind].roles]


def _location(pose: Pose) -> str:
    return game.pddl_name(f"loc|{pose.x}|{pose.z}|{pose.rotation}|{pose.horizon}")


def _fits(kinds: Kinds, receptacles: Iterable[str]) -> frozenset[tuple[str, str]]:
    wanted = {kind.lower() for kind in receptacles}
    return frozenset(
        (game.kind_in_games(outer).lower(), game.kind_in_games(name).lower())
        for name, traits in kinds.items()
        if traits.item
        for outer in traits.fits
        if game.kind_in_games(outer).lower() in wanted
    )
