"""The THOR world behind TEACh's actions (moves, pans, turns, looks, eight interactions), and its metadata.

As TEACh's wrapper around AI2-THOR: things are placed with ``forceAction``, and pouring fills one thing and
empties another (Padmakumar et al. 2022, section 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from chorewright.domains.pddl.syntax import State
from chorewright.domains.teach.properties import classes
from chorewright.domains.teach.world import ObjectWorld
from chorewright.problems.household.containment import Records, is_receptacle, objects_metadata
from chorewright.problems.household.kinds import Kinds
from chorewright.problems.household.scene import Scene, SceneObject
from chorewright.replay.household.pointing import Fits
from chorewright.replay.household.refusals import UNKNOWN_ACTION, Refusal
from chorewright.replay.household.room import TEACH_SETTINGS, Room, RoomSettings
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import Argument, Event, Observation, SimulatorAction

# A scene as TEACh's simulator wrapper reports it: AI2-THOR's object metadata with TEACh's own properties.


@lru_cache(maxsize=4)
def _classes(kinds: Kinds) -> Mapping[str, tuple[str, ...]]:
    return classes(kinds.vocabulary)


@dataclass(frozen=True, slots=True)
class Memory:
    """What TEACh's wrapper remembers of actions and a scene does not tell.

    Attributes:
        used: What something was put on or into.
        arrived: What was put somewhere or cut from something, in order.
        poured: What was emptied by pouring.
    """

    used: tuple[str, ...] = ()
    arrived: tuple[str, ...] = ()
    poured: tuple[str, ...] = ()


NO_MEMORY = Memory()
"""Nothing has been done yet."""


def custom_metadata(scene: Scene, memory: Memory = NO_MEMORY) -> dict[str, dict[str, object]]:
    """Return TEACh's properties of each object, by object id, as its wrapper comes to set them.

    An object has a property from the first action on that sets it; only its classes are told from the start. The
    last parent is what an object was put on or into, null since it was picked up, and told of nothing that lies
    where it lay at the start.
    """
    placed: dict[str, list[str]] = {name: [] for name in memory.used}
    found: dict[str, dict[str, object]] = {}
    for thing in scene.objects:
        state = thing.attributes
        if thing.is_consumed:  # its pieces have its properties; the wrapper comes to note one again
            if state.is_cooked:
                found[thing.object_id] = {"simbotIsCooked": True}
            continue
        told: dict[str, object] = {"simbotObjectClass": list(_classes(scene.kinds).get(thing.kind, (thing.kind,)))}
        if state.cooked or state.is_cooked:
            told["simbotIsCooked"] = True
        if state.boiled:
            told["simbotIsBoiled"] = True
        if state.watered:
            told["simbotIsFilledWithWater"] = 1
        if state.brewed or thing.object_id in memory.poured:
            told["simbotIsFilledWithCoffee"] = state.brewed
        if state.handled:
            parent = thing.parents[0] if thing.parents else None
            told |= {"simbotPickedUp": 1, "simbotLastParentReceptacle": parent}
            if parent is not None:
                placed.setdefault(parent, []).append(thing.object_id)
        found[thing.object_id] = told
    order = {name: place for place, name in enumerate(memory.arrived)}
    for name, contents in placed.items():
        if name in found:
            found[name]["simbotIsReceptacleOf"] = sorted(contents, key=lambda each: order.get(each, -1))
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
        self._event = Event(True, "")

    def reset(self, scene: Scene) -> Event:
        """Set the world up as the scene says."""
        self.memory = NO_MEMORY
        self._event = self.world.reset(scene)
        return self._event

    def step(self, action: SimulatorAction) -> Event:
        """Run one of TEACh's actions; one that cannot be done fails with a message and changes nothing."""
        return self.act(action.action, str(action.arguments.get("objectId") or ""), action.arguments.get("near"))

    def act(self, name: str, object_id: str = "", near: Argument = None) -> Event:
        """Run an action by its name, about an object (moves are about none).

        ``near`` is the point {x, y, z} that was clicked for Place: what is placed lies near it, see ``put``.
        """
        room, memory = self.world.room, self.memory
        held, before = room.holding, set(room.objects) if name == SLICE else set()
        self._event = self._act(name, object_id, near)
        if self._event.success and name == PLACE and held is not None:
            self.memory = replace(memory, used=(*memory.used, object_id), arrived=(*memory.arrived, held))
        elif self._event.success and name == SLICE:
            pieces = (each for each in room.objects if each not in before)
            self.memory = replace(memory, arrived=(*memory.arrived, *pieces))
        elif self._event.success and name == POUR and held is not None:
            self.memory = replace(memory, poured=(*memory.poured, held))
        return self._event

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
            brewed = room.objects[room.holding].attributes.brewed
            liquid = "coffee" if brewed else "water"
            fill = SimulatorAction("FillObjectWithLiquid", {"objectId": target, "fillLiquid": liquid})
            filled = self.world.step(fill)
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
