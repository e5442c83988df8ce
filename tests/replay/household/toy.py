"""A kitchen small enough to check by hand: every appliance in front of one standing point."""

from __future__ import annotations

from dataclasses import replace

from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.scene import Attributes, Pose, Scene, SceneObject
from chorewright.replay.household import ThorWorld
from chorewright.replay.simulator import Argument, Event, SimulatorAction

COUNTER, FRIDGE, MICROWAVE = "CounterTop|c", "Fridge|f", "Microwave|m"
BASIN, FAUCET, BURNER, KNOB = "Sink|s|SinkBasin", "Faucet|f", "StoveBurner|b", "StoveKnob|k"
MACHINE, TOASTER, LAMP = "CoffeeMachine|c", "Toaster|t", "DeskLamp|l"
KNIFE, POTATO, BREAD, EGG, MUG = "Knife|k", "Potato|p", "Bread|b", "Egg|e", "Mug|m"
PAN, POT, PLATE, CHEST = "Pan|p", "Pot|p", "Plate|p", "Box|b"


def thing(
    object_id: str,
    x: float,
    y: float,
    z: float,
    size: tuple[float, float, float],
    parent: str = "",
    controls: tuple[str, ...] = (),
    attributes: Attributes = Attributes(),  # noqa: B008  # a frozen value
    receptacle: bool = False,
) -> SceneObject:
    """Return an object with its kind from its id and the bottom of its box at ``y``."""
    parts = object_id.split("|")
    centre = (x, y + size[1] / 2, z)
    return SceneObject(
        object_id,
        parts[2] if len(parts) > 2 else parts[0],
        (x, y, z),
        (0.0, 0.0, 0.0),
        centre,
        size,
        (parent,) if parent else (),
        controls,
        receptacle=receptacle,
        attributes=attributes,
        traits=shipped_kinds()[parts[2] if len(parts) > 2 else parts[0]],
    )


def kitchen() -> Scene:
    """Return a room of 5 x 3 standing points; from (0, 0) looking north, at 45 degrees, all is in reach."""
    small = (0.08, 0.1, 0.08)
    objects = (
        thing(COUNTER, 0.0, 0.0, 0.85, (2.4, 0.9, 0.7), receptacle=True),
        thing(FRIDGE, -1.0, 0.0, 0.8, (0.4, 1.8, 0.5), receptacle=True),
        thing(MICROWAVE, 0.6, 0.9, 0.9, (0.5, 0.4, 0.4), receptacle=True),
        thing(BASIN, -0.4, 0.75, 0.75, (0.4, 0.15, 0.4), receptacle=True),
        thing(FAUCET, -0.4, 0.9, 1.0, (0.1, 0.2, 0.1)),
        thing(BURNER, 0.1, 0.9, 0.8, (0.2, 0.02, 0.2), receptacle=True),
        thing(KNOB, 0.1, 0.8, 0.55, (0.05, 0.05, 0.05), controls=(BURNER,)),
        thing(MACHINE, 0.25, 0.9, 1.0, (0.2, 0.3, 0.2), receptacle=True),
        thing(TOASTER, -0.1, 0.9, 1.1, (0.2, 0.2, 0.1), receptacle=True),
        thing(LAMP, 0.4, 0.9, 0.6, (0.1, 0.3, 0.1)),
        thing(KNIFE, -0.15, 0.9, 0.55, (0.03, 0.02, 0.2), COUNTER),
        thing(POTATO, -0.05, 0.9, 0.55, (0.09, 0.07, 0.07), COUNTER),
        thing(BREAD, 0.25, 0.9, 0.6, (0.2, 0.15, 0.12), COUNTER),
        thing(EGG, 0.0, 0.9, 0.65, (0.05, 0.06, 0.05), COUNTER),
        thing(MUG, 0.15, 0.9, 0.55, small, COUNTER, attributes=Attributes(is_dirty=True), receptacle=True),
        thing(PAN, -0.3, 0.9, 0.55, (0.2, 0.05, 0.2), COUNTER, receptacle=True),
        thing(POT, 0.7, 0.9, 0.6, (0.2, 0.15, 0.2), COUNTER, receptacle=True),
        thing(PLATE, -0.2, 0.9, 0.9, (0.2, 0.02, 0.2), COUNTER, receptacle=True),
        thing(CHEST, 0.0, 0.0, -0.6, (0.3, 0.3, 0.3), receptacle=True),
    )
    grid = tuple((x, z) for x in range(-2, 3) for z in range(-2, 1))
    return Scene("Toy", "kitchen", objects, grid, 0.901, Pose(0, 0, 0, 45), kinds=shipped_kinds())


def world(*changes: tuple[str, dict[str, object]]) -> ThorWorld:
    """Return a world in the kitchen, with attributes of objects changed."""
    scene = kitchen()
    wanted = dict(changes)
    objects = tuple(
        replace(body, attributes=replace(body.attributes, **wanted[body.object_id]))
        if body.object_id in wanted
        else body
        for body in scene.objects
    )
    made = ThorWorld()
    made.reset(replace(scene, objects=objects))
    return made


def do(made: ThorWorld, action: str, object_id: str = "", **arguments: Argument) -> Event:
    """Run one action."""
    called: dict[str, Argument] = {"objectId": object_id} if object_id else {}
    return made.step(SimulatorAction(action, {**called, **arguments}))


def run(made: ThorWorld, *steps: str) -> Event:
    """Run steps such as ``"PickupObject Mug|m"``; each but the last must succeed."""
    event = Event(True, "")
    for number, step in enumerate(steps):
        action, _, object_id = step.partition(" ")
        event = do(made, action, object_id, forceAction=action == "PutObject")
        assert event.success or number == len(steps) - 1, (step, event.error_message)
    return event


def state(made: ThorWorld, object_id: str) -> Attributes:
    """Return an object's attributes now."""
    return made.room.objects[object_id].attributes
