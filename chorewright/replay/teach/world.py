"""The THOR world behind TEACh's actions (moves, pans, turns, looks, eight interactions), and its metadata.

As TEACh's wrapper around AI2-THOR: things are placed with ``forceAction``, and pouring fills one thing and
empties another (Padmakumar et al. 2022, section 3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from chorewright.domains.pddl.syntax import State
from chorewright.domains.teach.world import ObjectWorld
from chorewright.problems.household.containment import Records, is_receptacle, objects_metadata
from chorewright.problems.household.scene import Scene, SceneObject
from chorewright.replay.household.pointing import Fits
from chorewright.replay.household.refusals import UNKNOWN_ACTION, Refusal
from chorewright.replay.household.room import TEACH_SETTINGS, Room, RoomSettings
from chorewright.replay.household.states import in_liquid
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import Argument, Event, Observation, SimulatorAction

# A scene as TEACh's simulator wrapper reports it: AI2-THOR's object metadata with TEACh's own properties.


@dataclass(frozen=True, slots=True)
class Memory:
    """What TEACh's wrapper remembers of actions and a scene does not tell.

    Attributes:
        holds: What receptacles are noted to hold of what was put there, in order.
        poured: What was emptied by pouring.
    """

    holds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    poured: tuple[str, ...] = ()


NO_MEMORY = Memory()
"""Nothing has been done yet."""


def custom_metadata(scene: Scene, memory: Memory = NO_MEMORY) -> dict[str, dict[str, object]]:
    """Return TEACh's properties of each object, by object id, as its wrapper comes to set them.

    An object has a property from the first action on that sets it; only its classes are told from the start. The
    last parent is what an object was put on or into, null since it was picked up, and told of nothing that lies
    where it lay at the start.
    """
    found: dict[str, dict[str, object]] = {}
    classes = scene.kinds.vocabulary.classes
    for thing in scene.objects:
        state = thing.attributes
        if thing.is_consumed:  # its pieces have its properties; the wrapper comes to note one again
            if state.is_cooked:
                found[thing.object_id] = {"simbotIsCooked": True}
            continue
        told: dict[str, object] = {"simbotObjectClass": list(classes.get(thing.kind, (thing.kind,)))}
        cooked, watered = state.cooked or state.is_cooked, int(state.watered)
        noted = {"simbotIsCooked": cooked, "simbotIsBoiled": state.boiled, "simbotIsFilledWithWater": watered}
        told |= {key: value for key, value in noted.items() if value}
        if state.brewed or thing.object_id in memory.poured:
            told["simbotIsFilledWithCoffee"] = state.brewed
        if state.handled:
            parent = thing.parents[0] if thing.parents else None
            told |= {"simbotPickedUp": 1, "simbotLastParentReceptacle": parent}
        if thing.object_id in memory.holds:
            told["simbotIsReceptacleOf"] = list(memory.holds[thing.object_id])
        found[thing.object_id] = told
    return found


def teach_metadata(scene: Scene, memory: Memory = NO_MEMORY, kept: Records | None = None) -> list[dict[str, object]]:
    """Return the scene's object metadata with AI2-THOR's and TEACh's properties; ``kept`` as ``objects_metadata``."""
    custom = custom_metadata(scene, memory)
    return [{**thing, **custom.get(str(thing["objectId"]), {})} for thing in objects_metadata(scene, kept)]


def teach_world(scene: Scene, kept: Records | None = None) -> ObjectWorld:
    """Return a scene as the progress check sees it; ``kept`` as ``objects_metadata``."""
    return ObjectWorld(tuple(teach_metadata(scene, NO_MEMORY, kept)))


@dataclass(frozen=True, slots=True)
class TeachAction:
    """One of TEACh's actions: its number, AI2-THOR's action, and the arguments that this always has."""

    number: int
    call: str
    arguments: tuple[tuple[str, Argument], ...] = ()


MOVES: Mapping[str, TeachAction] = {
    "Forward": TeachAction(2, "MoveAhead"),
    "Backward": TeachAction(3, "MoveBack"),
    "Turn Left": TeachAction(4, "RotateLeft", (("degrees", 90.0),)),
    "Turn Right": TeachAction(5, "RotateRight", (("degrees", 90.0),)),
    "Look Up": TeachAction(6, "LookUp", (("degrees", 30.0),)),
    "Look Down": TeachAction(7, "LookDown", (("degrees", 30.0),)),
    "Pan Left": TeachAction(8, "MoveLeft"),
    "Pan Right": TeachAction(9, "MoveRight"),
}
"""What moves the agent or its camera, by TEACh's names."""

PICKUP, PLACE, SLICE, POUR = "Pickup", "Place", "Slice", "Pour"

INTERACTIONS: Mapping[str, TeachAction] = {
    PICKUP: TeachAction(200, "PickupObject"),
    PLACE: TeachAction(201, "PutObject", (("forceAction", True), ("placeStationary", True))),
    "Open": TeachAction(202, "OpenObject"),
    "Close": TeachAction(203, "CloseObject"),
    "ToggleOn": TeachAction(204, "ToggleObjectOn"),
    "ToggleOff": TeachAction(205, "ToggleObjectOff"),
    SLICE: TeachAction(206, "SliceObject"),
    POUR: TeachAction(211, ""),
}
"""What is done to an object, by TEACh's names; Pour is done in two steps."""

_FAILED = "the agent cannot pour: "


class TeachWorld:
    """A simulator whose actions are TEACh's, each with the ``objectId`` of the object that it is about.

    The object of Place is the receptacle; that of Pour is what is poured into. ``memory`` is what the wrapper
    remembers of the actions so far.
    """

    def __init__(self, settings: RoomSettings = TEACH_SETTINGS) -> None:
        self.world = ThorWorld(settings)
        self.memory = NO_MEMORY
        self._forgotten: tuple[str, ...] = ()
        self._event = Event(True, "")

    def reset(self, scene: Scene) -> Event:
        """Set the world up as the scene says."""
        self.memory, self._forgotten = NO_MEMORY, ()
        self._event = self.world.reset(scene)
        return self._event

    def step(self, action: SimulatorAction) -> Event:
        """Run one of TEACh's actions; one that cannot be done fails with a message and changes nothing."""
        return self.act(action.action, str(action.arguments.get("objectId") or ""), action.arguments.get("near"))

    def act(self, name: str, object_id: str = "", near: Argument = None) -> Event:
        """Run an action by its name, about an object (moves are about none).

        ``near`` is the point {x, y, z} that was clicked for Place: what is placed lies near it, see ``put``.
        """
        room = self.world.room
        for piece in self._forgotten:
            room.change(piece, boiled=False, handled=False)
        self._forgotten = ()
        held, body = room.holding, room.objects.get(object_id)
        self._event = self._act(name, object_id, near)
        if not self._event.success:
            return self._event
        if name == PLACE and held is not None:
            self._list(room.objects[held].parents, (held,))
        elif name in (PICKUP, SLICE) and body is not None:
            pieces = self._cut(object_id) if name == SLICE else ()
            self._list(body.parents if body.attributes.handled else (), pieces, object_id)
        elif name == POUR and held is not None:
            self.memory = replace(self.memory, poured=(*self.memory.poured, held))
        return self._event

    def _cut(self, whole: str) -> tuple[str, ...]:
        """Return the pieces of what has been cut, and see to the notes of all pieces as TEACh's wrapper does.

        New pieces that are cooked count as just cooked: in liquid they are boiled. Whatever is cut, all pieces get the
        notes of what they are from, if it has any. What was cut cooked has: it is told of still, and so noted again
        to be cooked, and no more. What its pieces lose by that is told until the next action.
        """
        room = self.world.room
        cooked = {name for name, body in room.objects.items() if body.is_consumed and body.attributes.is_cooked}
        self._forgotten = tuple(each for each in room.objects if each.rpartition("|")[0] in cooked - {whole})
        new = tuple(each for each in room.objects if each.rpartition("|")[0] == whole)
        for piece in new if whole in cooked else ():
            if in_liquid(room, piece):
                room.change(piece, boiled=True)
        return new

    def _list(self, parents: Sequence[str], come: Sequence[str], gone: str = "") -> None:
        """Note that receptacles hold things now, and one no longer."""
        holds = dict(self.memory.holds)
        for parent in parents:
            holds[parent] = tuple(dict.fromkeys(each for each in (*holds.get(parent, ()), *come) if each != gone))
        self.memory = replace(self.memory, holds=holds)

    def _act(self, name: str, object_id: str, near: Argument) -> Event:
        if name in MOVES:
            move = MOVES[name]
            return self.world.step(SimulatorAction(move.call, dict(move.arguments)))
        known = INTERACTIONS.get(name)
        if known is None:
            return Event(False, Refusal(UNKNOWN_ACTION, what=name).message)
        if name == POUR:
            return self._pour(object_id)
        arguments = {"objectId": object_id, **dict(known.arguments), **({"near": near} if near is not None else {})}
        return self.world.step(SimulatorAction(known.call, arguments))

    def _pour(self, target: str) -> Event:
        """Empty what is held into a drain, or into what can be filled and is not."""
        room = self.world.room
        reason = _why_no_pouring(room, target)
        if reason:
            return Event(False, reason)
        assert room.holding is not None
        empty = SimulatorAction("EmptyLiquidFromObject", {"objectId": room.holding})
        if "drain" not in room.kind(target).roles:
            liquid = "coffee" if room.objects[room.holding].attributes.brewed else "water"
            filled = self.world.step(
                SimulatorAction("FillObjectWithLiquid", {"objectId": target, "fillLiquid": liquid})
            )
            if not filled.success:
                return filled
        return self.world.step(empty)

    def target(self, action: str) -> Fits | None:
        """Return whether an action can be done to an object now; None of an action that is about no object."""
        return teach_target(action, self.world.room.holding) if action in INTERACTIONS else None

    def scene(self) -> Scene:
        """Return the present state as a scene."""
        return self.world.scene()

    def state(self) -> State:
        """Return the true atoms of the household domain."""
        return self.world.state()

    def observation(self) -> Observation:
        """Return the agent's picture and the last event's metadata."""
        return replace(self.world.observation(), text=self._event.error_message)

    def metadata(self) -> Mapping[str, object]:
        """Return the last event's metadata in AI2-THOR's schema."""
        return self.world.metadata()


def _why_no_pouring(room: Room, target: str) -> str:
    """Return why what is held cannot be poured into a thing; nothing if it can."""
    held = room.objects.get(room.holding or "")
    body = room.objects.get(target)
    if held is None:
        return f"{_FAILED}its hand is empty."
    if held.attributes.liquid is None:
        return f"{_FAILED}{held.object_id} holds no liquid."
    if body is None:
        return f"{_FAILED}{target} is not an object of this room."
    kind = body.traits
    if "drain" not in kind.roles and ("fillable" not in kind.affordances or body is held):
        return f"{_FAILED}nothing can be poured into {target}."
    if "drain" not in kind.roles and body.attributes.liquid is not None:
        return f"{_FAILED}{target} is full already."
    obstacle = room.obstacle_to(body)
    return obstacle[0].pattern.format(**obstacle[1]) if obstacle is not None else ""


def teach_target(action: str, held: str | None) -> Fits:
    """Return whether one of TEACh's actions can be done to an object in its state, by TEACh's table."""

    def fits(body: SceneObject) -> bool:
        kind, attributes = body.traits, body.attributes
        match action:
            case "Pickup":
                return kind.item and body.object_id != held
            case "Place":
                return is_receptacle(body)
            case "Open" | "Close":
                return "openable" in kind.affordances and attributes.is_open == (action == "Close")
            case "ToggleOn" | "ToggleOff":
                return "toggleable" in kind.affordances and attributes.is_toggled == (action == "ToggleOff")
            case "Slice":
                return "sliceable" in kind.affordances
            case "Pour":
                return "drain" in kind.roles or ("fillable" in kind.affordances and attributes.liquid is None)
        return False

    return fits
