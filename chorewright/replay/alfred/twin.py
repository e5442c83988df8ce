"""The THOR twin of a text game: every command done in the room, so that words and pictures agree.

Commands are lowered to the simulator's actions. ``go`` walks to where the receptacle is reached; what is not in
view from there is handled from nearer by, and the agent comes back. Doors that ALFWorld's commands imply open and
close by themselves: those of the microwave and the fridge for heating and cooling, and lids of boxes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chorewright.errors import UsageError
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.scene import Pose, Scene, SceneObject
from chorewright.problems.household.sight import stand_pose
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.scenes import ident, piece_idents
from chorewright.replay.alfred.state import EXAMINING, GameAction, State
from chorewright.replay.games.engine import Turn
from chorewright.replay.household.room import ALFRED_SETTINGS
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import Argument, SimulatorAction

_SIGNS = (("_bar_", "|"), ("_minus_", "-"))


@dataclass(frozen=True, slots=True)
class Called:
    """A call of the simulator, and the message of its refusal; empty if it was done."""

    action: SimulatorAction
    refusal: str


class Twin:
    """Plays a game in words and in the room at once.

    Attributes:
        play: The game in words.
        world: The room.
        calls: What the last command was lowered to.
        forced: How many interactions so far concerned what the agent did not see, however it stood.
    """

    def __init__(self, play: TextGame, scene: Scene | None = None) -> None:
        """Take a game that was made from a scene.

        Args:
            play: The game.
            scene: The scene, if the game does not know it (one that was read from a file).

        Raises:
            UsageError: The game does not know its scene, or the scene is another one.
        """
        scene = scene or play.game.scene
        if scene is None:
            raise UsageError("the game does not know its scene", hint="give the scene that it was made from")
        self.play, self.scene = play, scene
        self.world = ThorWorld(ALFRED_SETTINGS)
        self._grid = Grid.of(scene)
        self._ids = _Ids(play.game, scene)
        self.reset()

    def reset(self) -> str:
        """Begin anew and return what is told at the start."""
        self.world.reset(self.scene)
        self._pose = self.scene.agent
        self.calls: list[Called] = []
        self.forced = 0
        return self.play.reset()

    def step(self, command: str) -> Turn:
        """Do a command in words and in the room."""
        self.calls = []
        action = self.play.meant(command)
        if action is not None and action.verb not in EXAMINING:
            self._lower(action)
        return self.play.step(command)

    # Lowering.

    def _call(self, name: str, **arguments: Argument) -> None:
        action = SimulatorAction(name, {**arguments, "forceAction": True})
        event = self.world.step(action)
        self.calls.append(Called(action, "" if event.success else event.error_message))

    def _walk(self, goal: Pose) -> None:
        route = self._grid.route(self._pose, goal)
        for step in route or ():
            self._call(step, **({"moveMagnitude": 0.25} if step == "MoveAhead" else {}))
        if route is None:
            self._call(
                "TeleportFull",
                x=goal.x / 4,
                y=self.scene.agent_y,
                z=goal.z / 4,
                rotation=90.0 * goal.rotation,
                horizon=goal.horizon,
                standing=True,
            )
        self._pose = goal

    def _at(self, object_id: str) -> None:
        """Go where an object is seen, if it is not from here."""
        if self.world.visible(object_id) or self.world.room.closed_around(object_id) is not None:
            return
        body = self.world.room.objects[object_id]
        pose = stand_pose(self.world.scene(), self._grid, body)
        if pose is not None:
            self._walk(pose)
        self.forced += not self.world.visible(object_id)

    def _body(self, object_id: str) -> SceneObject:
        return self.world.room.objects[object_id]

    def _open(self, object_id: str) -> bool:
        """Open what has a door or lid; return whether it was shut."""
        body = self._body(object_id)
        if not body.traits.closable or body.attributes.is_open:
            return False
        self._call("OpenObject", objectId=object_id)
        return True

    def _put(self, item: str, into: str) -> None:
        self._call("PutObject", objectId=item, receptacleObjectId=into, placeStationary=True)

    def _lower(self, action: GameAction) -> None:
        verb, first, second = action
        ids, home = self._ids, self._pose
        if verb == "go":
            self._walk(location_pose(self.play.game.locations[second]))
            return
        if verb in ("open", "close"):
            self._at(ids.receptacles[first])
            self._call("OpenObject" if verb == "open" else "CloseObject", objectId=ids.receptacles[first])
        elif verb in ("take", "extract", "use", "slice"):
            self._handle(verb, first, second)
        elif verb in ("move", "insert"):
            into = ids.receptacles[second] if verb == "move" else ids.thing(self.play.state, second)
            self._at(into)
            opened = verb == "insert" and self._open(into)
            self._put(ids.thing(self.play.state, first), into)
            if opened:
                self._call("CloseObject", objectId=into)
        else:
            self._at(ids.receptacles[second])
            self._treat(verb, ids.thing(self.play.state, first), ids.receptacles[second])
        if self._pose != home:
            self._walk(home)

    def _handle(self, verb: str, first: int, second: int) -> None:
        thing = self._ids.thing(self.play.state, first)
        if verb == "extract":
            vessel = self._ids.thing(self.play.state, second)
            opened = self._open(vessel)
            self._at(thing)
            self._call("PickupObject", objectId=thing)
            if opened:
                self._call("CloseObject", objectId=vessel)
        elif verb == "take":
            self._at(thing)
            self._call("PickupObject", objectId=thing)
        elif verb == "use":
            self._at(thing)
            lit = self._body(thing).attributes.is_toggled
            self._call("ToggleObjectOff" if lit else "ToggleObjectOn", objectId=thing)
        elif not self._body(self._ids.things[first]).is_consumed:  # ALFWorld slices again what is sliced
            self._at(thing)
            self._call("SliceObject", objectId=thing)

    def _treat(self, verb: str, item: str, appliance: str) -> None:
        """Clean, heat or cool what is held: it is put in, and taken out again."""
        if verb == "clean":
            faucet = next(name for name, worked in self.world.room.switches.items() if appliance in worked)
            if self._body(faucet).attributes.is_toggled:
                self._call("ToggleObjectOff", objectId=faucet)
            self._put(item, appliance)
            self._call("ToggleObjectOn", objectId=faucet)
            self._call("ToggleObjectOff", objectId=faucet)
            self._call("PickupObject", objectId=item)
            return
        shut = self._open(appliance)
        self._put(item, appliance)
        self._call("CloseObject", objectId=appliance)
        if verb == "heat":
            self._call("ToggleObjectOn", objectId=appliance)
            self._call("ToggleObjectOff", objectId=appliance)
        self._call("OpenObject", objectId=appliance)
        self._call("PickupObject", objectId=item)
        if shut:
            self._call("CloseObject", objectId=appliance)

    # Comparing.

    def differences(self) -> list[str]:
        """Return in what the room and the words differ; nothing if they agree.

        Compared are the agent's pose, what is held, what lies in what, open doors, lamps, and what is sliced. What
        the words call clean, hot or cool has been cleaned, heated or cooled in the room; the room does so to
        bystanders, too, which the words do not know.
        """
        room, words = set(self._room_facts()), set(self._word_facts())
        found = [f"only in the room: {' '.join(map(str, each))}" for each in sorted(room - words, key=str)]
        found += [f"only in words: {' '.join(map(str, each))}" for each in sorted(words - room, key=str)]
        if self._pose != self.world.scene().agent:
            found.append(f"the agent is at {self.world.scene().agent}, not {self._pose}")
        if self._pose != location_pose(self.play.game.locations[self.play.state.at]):
            found.append(f"the agent is not at {self.play.game.locations[self.play.state.at]}")
        return found + list(self._missing_treatments())

    def _missing_treatments(self) -> Iterator[str]:
        state = self.play.state
        for mark, attribute in (("clean", "cleaned"), ("hot", "heated"), ("cool", "cooled")):
            for thing in sorted(state.marks[mark]):
                body = self.world.room.objects.get(self._ids.thing(state, thing))
                whole = self.world.room.objects.get(self._ids.things[thing])
                if not any(each is not None and getattr(each.attributes, attribute) for each in (body, whole)):
                    yield f"{self._ids.things[thing]} is not {mark}"

    def _word_facts(self) -> Iterator[tuple[object, ...]]:
        state = self.play.state
        if state.holds is not None:
            yield ("holds", state.holds)
        for home, inner in enumerate(state.lying):
            yield from (("in", thing, home) for thing in inner)
        for vessel, inner in state.within.items():
            yield from (("within", thing, vessel) for thing in inner)
        yield from (("open", home) for home in state.marks["opened"])
        yield from ((mark, thing) for mark in ("on", "sliced") for thing in state.marks[mark])

    def _room_facts(self) -> Iterator[tuple[object, ...]]:
        ids, objects, state = self._ids, self.world.room.objects, self.play.state
        for number, whole in enumerate(ids.things):
            if whole in objects and objects[whole].is_consumed:
                yield ("sliced", number)
            name = ids.thing(state, number)
            if name not in objects or objects[name].is_consumed:
                continue
            body = objects[name]
            if name == self.world.room.holding:
                yield ("holds", number)
            if body.attributes.is_toggled and "toggleable" in self.play.game.things[number].abilities:
                yield ("on", number)
            for parent in body.parents:
                if parent in ids.homes:
                    yield ("in", number, ids.homes[parent])
                elif parent in ids.vessels:
                    yield ("within", number, ids.vessels[parent])
        for number, name in enumerate(ids.receptacles):
            if objects[name].attributes.is_open and self.play.game.receptacles[number].openable:
                yield ("open", number)


class _Ids:
    """The simulator's ids of a game's receptacles and things, by number.

    ``homes`` are the receptacles' numbers by id, with the hulls of basins; ``vessels`` those of things.
    """

    def __init__(self, game: Game, scene: Scene) -> None:
        known = {ident(scene, body).lower(): body.object_id for body in scene.objects}
        pieces = {}
        for body in scene.objects:
            if body.traits.piece:
                for number, piece in enumerate(piece_idents(scene, body), 1):
                    pieces[piece.lower()] = f"{body.object_id}|{body.traits.piece}_{number}"
        known = pieces | known
        idents = [*(each.ident for each in game.receptacles), *(each.ident for each in game.things)]
        missing = [each for each in idents if each.lower() not in known]
        if missing:
            raise UsageError(f"the scene has no {missing[0]}", hint="give the scene that the game was made from")
        self.receptacles = [known[each.ident.lower()] for each in game.receptacles]
        self.things = [known[each.ident.lower()] for each in game.things]
        self.homes = {name: number for number, name in enumerate(self.receptacles)}
        for basin, number in list(self.homes.items()):
            self.homes.setdefault(basin.rpartition("|")[0], number)
            self.homes.setdefault(basin.partition("|")[2].rpartition("|")[0], number)
        self.vessels = {name: number for number, name in enumerate(self.things)}
        pieces = {} if game.extended else {body.object_id: body.traits.piece or "" for body in scene.objects}
        self._firsts = {
            number: f"{name}|{pieces[name]}_1" for number, name in enumerate(self.things) if pieces.get(name)
        }

    def thing(self, state: State, number: int) -> str:
        """Return a thing's id; where slicing yields no pieces in words, that of a sliced thing's first piece."""
        if number in state.marks["sliced"] and number in self._firsts:
            return self._firsts[number]
        return self.things[number]


def location_pose(location: str) -> Pose:
    """Return the pose of a location's name, ``loc_bar_<x>_bar_<z>_bar_<rotation>_bar_<horizon>``, and ``_bar_start``
    where it is the start beside a receptacle's place."""
    for word, sign in _SIGNS:
        location = location.replace(word, sign)
    x, z, rotation, horizon = map(int, location.split("|")[1:5])
    return Pose(x, z, rotation, horizon)
