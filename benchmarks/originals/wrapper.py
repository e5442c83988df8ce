"""TEACh's wrapper around AI2-THOR, from its description: how it restores a start state, clicks, and keeps its notes.

It talks to a simulator as the benchmark's does to a build: by actions and their metadata, in pictures of 900 x 900.
What it does is retyped from the description, so that sessions are played by rules that are not ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from chorewright.replay.household.server.service import Service
from chorewright.replay.simulator import SimulatorAction

SIZE = 900
RADIUS = 10
REACH = 1.5
GRID = 0.25
VERSION = 3
"""The client is one of AI2-THOR 3."""

Thing = dict[str, Any]

MOTIONS: Mapping[int, tuple[str, Mapping[str, object]]] = {
    2: ("MoveAhead", {"moveMagnitude": GRID}),
    3: ("MoveBack", {"moveMagnitude": GRID}),
    4: ("RotateLeft", {"degrees": 90}),
    5: ("RotateRight", {"degrees": 90}),
    6: ("LookUp", {"degrees": 30}),
    7: ("LookDown", {"degrees": 30}),
    8: ("MoveLeft", {}),
    9: ("MoveRight", {}),
}
DRAINS = ("Sink", "SinkBasin", "Bathtub", "BathtubBasin")
PICKUP, PLACE, SLICE, POUR = 200, 201, 206, 211
TARGETS: dict[int, list[Thing]] = {
    PICKUP: [{"pickupable": True, "isPickedUp": False}],
    PLACE: [{"receptacle": True}],
    202: [{"openable": True, "isOpen": False}],
    203: [{"openable": True, "isOpen": True}],
    204: [{"toggleable": True, "isToggled": False}],
    205: [{"toggleable": True, "isToggled": True}],
    SLICE: [{"sliceable": True, "isSliced": False}],
    POUR: [{"canFillWithLiquid": True, "isFilledWithLiquid": False}, *({"objectType": kind} for kind in DRAINS)],
}
"""Of each action on objects, what its target must be like; one of several."""

CALLS = {
    PICKUP: "PickupObject", PLACE: "PutObject", 202: "OpenObject", 203: "CloseObject", 204: "ToggleObjectOn",
    205: "ToggleObjectOff", SLICE: "SliceObject", POUR: "FillObjectWithLiquid",
}  # fmt: skip
STATES = {
    "toggleable": ("isToggled", "ToggleObjectOn", "ToggleObjectOff"),
    "canFillWithLiquid": ("isFilledWithLiquid", "FillObjectWithLiquid", "EmptyLiquidFromObject"),
    "dirtyable": ("isDirty", "DirtyObject", "CleanObject"),
    "openable": ("isOpen", "OpenObject", "CloseObject"),
    "canBeUsedUp": ("isUsedUp", "UseUpObject", None),
    "sliceable": ("isSliced", "SliceObject", None),
    "cookable": ("isCooked", "CookObject", None),
    "breakable": ("isBroken", "BreakObject", None),
}
"""What is restored of a state, in this order for each object."""

CLASS, LAST, HOLDS = "simbotObjectClass", "simbotLastParentReceptacle", "simbotIsReceptacleOf"


class ClickedPictures(Service):
    """A service that draws instances where a call asks for them and nothing else: nobody looks at other pictures."""

    def _fields(self, call: SimulatorAction) -> list[str]:
        return ["image_ids"] if call.arguments.get("renderObjectImage") else []


class Wrapper:
    """One session. ``problems`` says what could not be restored, and which clicks did not mean what was recorded."""

    def __init__(self, classes: dict[str, Sequence[str]]) -> None:
        self.service = ClickedPictures(SIZE, SIZE, "FloorPlan1", VERSION)
        self.classes = classes
        self.notes: dict[str, Thing] = {}
        self.problems: list[str] = []
        self.metadata: Thing = {}
        self.embodied = False
        self.driver = 0

    def send(self, action: str, **arguments: Any) -> bool:
        """Do an action, the Driver's if no other agent is named; return whether it succeeded."""
        call = {"action": action, "renderImage": False, "agentId": self.driver, **arguments}
        reply = self.service.answer(call)
        self.metadata = dict(reply.metadata)
        if "image_ids" in reply.pictures:
            self.colours = reply.pictures["image_ids"][reply.active]
        return bool(self.metadata["lastActionSuccess"])

    def objects(self) -> list[Thing]:
        """Return all objects with the wrapper's notes."""
        return [{**thing, **self.notes.get(thing["objectId"], {})} for thing in self.metadata["objects"]]

    # The start.

    def load(self, world: str, state: Thing, embodied: bool = False) -> None:
        """Make a room as a recorded state says: poses, then states, then the agents.

        Args:
            world: The room.
            state: The recorded state.
            embodied: Whether the Commander has a body: then it is the simulator's first agent, the Driver its second.
        """
        self.embodied, self.driver = embodied, 0
        self.send("Reset", sceneName=world)
        size = {"width": SIZE, "height": SIZE}
        self.send("Initialize", gridSize=GRID, visibilityDistance=REACH, **size, agentCount=1 + embodied)
        self.driver = int(embodied)
        self._note_all()
        names = {_model(thing) for thing in self.metadata["objects"]}
        poses = [
            {"objectName": _model(thing), "position": thing["position"], "rotation": thing["rotation"]}
            for thing in state["objects"]
            if (thing["pickupable"] or thing["moveable"]) and _model(thing) in names
        ]
        self._must(self.send("SetObjectPoses", objectPoses=poses, placeStationary=True), "SetObjectPoses")
        found = self.objects()
        by_id = {thing["objectId"]: thing for thing in found}
        for wanted in state["objects"]:
            there = by_id.get(wanted["objectId"])
            if there is None:
                there = min(found, key=lambda thing: _apart(thing["position"], wanted["position"]))
            if there["objectType"] != wanted["objectType"]:
                self.problems.append(f"no {wanted['objectId']}")
                continue
            self._restore(wanted, there)
        for number, agent in enumerate(state["agents"][1 - embodied :]):
            place = {axis: agent["position"][axis] for axis in "xyz"}
            turned = {"rotation": agent["rotation"], "horizon": agent["cameraHorizon"]}
            self._must(self.send("Teleport", agentId=number, **place, **turned), "Teleport")
        self._note_all()

    def _restore(self, wanted: Thing, there: Thing) -> None:
        for ability, (key, on, off) in STATES.items():
            if wanted[ability] and wanted[key] != there[key]:
                call = on if wanted[key] else off
                liquid = {"fillLiquid": "water"} if call == "FillObjectWithLiquid" else {}
                done = call is not None and self.send(call, objectId=there["objectId"], forceAction=True, **liquid)
                self._must(done, f"{call} {wanted['objectId']}")

    def _must(self, done: bool, what: str) -> None:
        if not done:
            self.problems.append(f"{what}: {self.metadata['errorMessage']}")

    def _note_all(self) -> None:
        for thing in self.metadata["objects"]:
            self._note(thing["objectId"], CLASS, list(self.classes[thing["objectType"]]))
        self._settle(None)

    # Actions.

    def play(self, interaction: Thing) -> bool:
        """Do what was recorded; return whether it succeeds. Clicks must mean the recorded object."""
        number, who = interaction["action_id"], interaction["agent_id"]
        if number in MOTIONS and (who == 1 or self.embodied):
            call, arguments = MOTIONS[number]
            return self.send(call, forceAction=True, agentId=who if self.embodied else 0, **arguments)
        if who == 0 or number in (0, 100):
            return True
        before = {thing["objectId"]: thing for thing in self.objects()}
        target = self._clicked(interaction, before)
        done = target is not None and self._act(number, interaction, target, before)
        if interaction["success"] and target != interaction["oid"]:
            self.problems.append(f"{interaction['oid']} was clicked, but {target} is there")
        self._settle(before)
        return done

    def pose(self) -> list[float]:
        """Return the pose of the agent that acted as it is recorded after a motion."""
        agent = self.metadata["agent"]
        x, y, z = (agent["position"][axis] for axis in "xyz")
        return [z, -x, y, 0, agent["cameraHorizon"], -agent["rotation"]["y"]]

    def _clicked(self, interaction: Thing, things: dict[str, Thing]) -> str | None:
        """Return what is meant by a click: what is at the pixel, else what of the square around it fits best."""
        self.send("Pass", renderObjectImage=True)
        names = {tuple(each["color"]): each["name"] for each in self.metadata["colors"]}
        column, row = (round(interaction[axis] * SIZE) for axis in "xy")
        wanted = TARGETS[interaction["action_id"]]

        def fitting(colour: Any) -> str | None:
            thing = things.get(names.get(tuple(colour.tolist()), ""))
            fits = thing is not None and any(all(thing.get(k) == v for k, v in each.items()) for each in wanted)
            return str(thing["objectId"]) if thing is not None and fits else None

        exact = fitting(self.colours[row, column])
        if exact is not None:
            return exact
        square = self.colours[max(0, row - RADIUS) : row + RADIUS, max(0, column - RADIUS) : column + RADIUS]
        shares: dict[str, float] = {}
        for colour in np.unique(square.reshape(-1, 3), axis=0):
            name = fitting(colour)
            if name is not None:
                shares[name] = _count(square, colour) / _count(self.colours, colour)
        return max(shares, key=lambda name: shares[name]) if shares else None

    def _act(self, number: int, interaction: Thing, target: str, before: dict[str, Thing]) -> bool:
        held = self.metadata["inventoryObjects"]
        agent = self.metadata["agent"]["position"]
        at = {axis: interaction[axis] for axis in "xy"}
        self.send("GetCoordinateFromRaycast", **at)
        if _apart(self.metadata["actionReturn"], agent) > REACH:
            self.problems.append(f"{target} is too far away where it was clicked")
            return False
        if number != PICKUP and number in (PLACE, SLICE, POUR) and not held:
            return False
        if number == PLACE:
            return self._place(held[0]["objectId"], target, at)
        if number == SLICE and "Knife" not in held[0]["objectType"]:
            return False
        if number == POUR:
            return self._pour(before[held[0]["objectId"]], before[target])
        if not self.send(CALLS[number], objectId=target, **(at if number == SLICE else {})):
            return False
        if number == PICKUP:
            for thing in self.metadata["inventoryObjects"]:
                self._picked(thing["objectId"])
        if number == SLICE:
            self._cut()
        return True

    def _place(self, held: str, target: str, at: Thing) -> bool:
        if not self.send("PutObject", forceAction=True, placeStationary=True, putNearXY=True, **at):
            return False
        self._note(held, LAST, target)
        self._note(target, HOLDS, [*self.notes[target].get(HOLDS, []), held])
        return True

    def _pour(self, held: Thing, target: Thing) -> bool:
        if not held["isFilledWithLiquid"]:
            return False
        liquid = "coffee" if held.get("simbotIsFilledWithCoffee") else "water"
        filled = self.send(CALLS[POUR], objectId=target["objectId"], fillLiquid=liquid)
        if not filled and target["objectType"] not in DRAINS:
            return False
        done = self.send("EmptyLiquidFromObject", objectId=held["objectId"])
        if done:
            self._note(held["objectId"], "simbotIsFilledWithCoffee", False)
        return done

    # Notes.

    def _note(self, name: str, key: str, value: Any) -> None:
        self.notes.setdefault(name, {})[key] = value

    def _picked(self, name: str) -> None:
        self._note(name, "simbotPickedUp", 1)
        last = self.notes[name].get(LAST)
        if last in self.notes and HOLDS in self.notes[last]:
            self.notes[last][HOLDS] = [each for each in self.notes[last][HOLDS] if each != name]
        self._note(name, LAST, None)

    def _cut(self) -> None:
        """Give the notes of what was cut to its pieces."""
        wholes = set()
        for thing in self.metadata["objects"]:
            name = thing["objectId"]
            whole = "|".join(name.split("|")[:-1])
            if ("Sliced" in name or "Cracked" in name) and whole in self.notes:
                self.notes[name] = dict(self.notes[whole])
                last = self.notes[name].get(LAST)
                if last is not None:
                    self._note(last, HOLDS, [*self.notes[last].get(HOLDS, []), name])
                wholes.add(whole)
        for whole in wholes:
            del self.notes[whole]
            for notes in self.notes.values():
                if whole in notes.get(HOLDS, ()):
                    notes[HOLDS] = [each for each in notes[HOLDS] if each != whole]

    def _settle(self, before: dict[str, Thing] | None) -> None:
        """Let water, coffee and heat do what the wrapper adds to what the simulator does."""
        things = self.objects()
        by_id = {thing["objectId"]: thing for thing in things}
        around = {thing["objectId"]: set(_parents(thing, by_id)) for thing in things}
        for name in self._rinsed(things, around):
            if by_id[name]["isDirty"]:
                self.send("CleanObject", objectId=name, forceAction=True)
            if by_id[name]["canFillWithLiquid"]:
                self.send("FillObjectWithLiquid", objectId=name, fillLiquid="water", forceAction=True)
                self._note(name, "simbotIsFilledWithWater", 1)
        things = self.objects()
        by_id = {thing["objectId"]: thing for thing in things}
        running = {each["objectId"] for each in things if "CoffeeMachine" in each["objectType"] and each["isToggled"]}
        hot = {each["objectId"] for each in things if each["objectType"] == "Microwave" and each["isToggled"]}
        hot |= {each["objectId"] for each in things if each["objectType"] == "StoveBurner" and _is_hot(each)}
        for thing in things:
            name = thing["objectId"]
            was = (before or {}).get(name, {})
            fresh = thing["isFilledWithLiquid"] and not was.get("isFilledWithLiquid")
            if around[name] & running and thing["canFillWithLiquid"] and fresh:
                self._note(name, "simbotIsFilledWithCoffee", True)
            if thing["isCooked"] or (thing["cookable"] and around[name] & hot):
                self._note(name, "simbotIsCooked", True)
            if before is not None and thing["isCooked"] and not was.get("isCooked"):
                wet = [by_id[each] for each in around[name] if each in by_id]
                if any(each["isFilledWithLiquid"] or each.get("simbotIsFilledWithWater") for each in wet):
                    self._note(name, "simbotIsBoiled", True)

    def _rinsed(self, things: list[Thing], around: dict[str, set[str]]) -> Iterator[str]:
        """Yield what lies in a basin whose nearest tap runs."""
        taps = [thing for thing in things if thing["objectType"] == "Faucet"]
        wet = set()
        for basin in things:
            if "Sink" in basin["objectType"] or "Bathtub" in basin["objectType"]:
                tap = min(taps, key=lambda each: _apart(each["position"], basin["position"]))
                if tap["isToggled"]:
                    wet.add(basin["objectId"])
        return (name for name, outer in around.items() if outer & wet)


def _parents(thing: Thing, by_id: dict[str, Thing]) -> Iterator[str]:
    """Yield the receptacles around an object: as the simulator lists them, else one last parent after the other."""
    if thing.get("parentReceptacles") is not None:
        yield from thing["parentReceptacles"]
        return
    last = thing.get(LAST)
    if last is not None and last != thing["objectId"]:
        yield last
        if last in by_id:
            yield from _parents(by_id[last], by_id)


def _model(thing: Thing) -> str:
    return str(thing["name"]).partition("(")[0]


def _is_hot(thing: Thing) -> bool:
    return "Hot" in str(thing.get("ObjectTemperature", thing.get("temperature", "")))


def _apart(one: Thing, other: Thing) -> float:
    return math.dist([one[axis] for axis in "xyz"], [other[axis] for axis in "xyz"])


def _count(picture: Any, colour: Any) -> int:
    return int((picture == colour).all(axis=-1).sum())
