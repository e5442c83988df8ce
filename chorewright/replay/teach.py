"""A household plan lowered into TEACh's actions: moves, pans, turns and looks, and eight interactions.

Every action of the plan is one action of TEACh's, but for a go-to, which is a walk. Where the shortest walk
turns away and back for a step or two, the agent pans or steps back, as TEACh's players do. Pouring is two
calls of AI2-THOR's, as in TEACh's wrapper: what is poured into is filled, what is poured from emptied.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from chorewright.domains.pddl.syntax import GroundAtom
from chorewright.errors import UnsupportedError
from chorewright.planner.plan import GroundAction
from chorewright.problems.scene import GRID, Pose
from chorewright.replay.executor import LowAction, NoRoute, Routes
from chorewright.replay.simulator import Argument, SimulatorAction
from chorewright.rsa.segments import Subgoal

TEACH_MOVES: Mapping[str, str] = {
    "MoveAhead": "Forward",
    "MoveBack": "Backward",
    "MoveLeft": "Pan Left",
    "MoveRight": "Pan Right",
    "RotateLeft": "Turn Left",
    "RotateRight": "Turn Right",
    "LookUp": "Look Up",
    "LookDown": "Look Down",
}
"""Simulator action to TEACh's name of it."""

TEACH_INTERACTIONS: Mapping[str, tuple[str, str]] = {
    "pick-up": ("Pickup", "PickupObject"),
    "put": ("Place", "PutObject"),
    "open": ("Open", "OpenObject"),
    "close": ("Close", "CloseObject"),
    "toggle-on": ("ToggleOn", "ToggleObjectOn"),
    "toggle-off": ("ToggleOff", "ToggleObjectOff"),
    "slice": ("Slice", "SliceObject"),
    "pour": ("Pour", "EmptyLiquidFromObject"),
}
"""Action of the household domain to TEACh's and the simulator's."""

SIDESTEP = 2
"""Steps to the side or back that are made without turning."""

WATER = "water"
_WATER: Mapping[int, str] = {}


@dataclass(frozen=True, slots=True)
class TeachAction(LowAction):
    """One of TEACh's actions; ``target`` is the id of the object that it is about, empty for moves.

    For Place the target is the receptacle, for Pour what is poured into.
    """

    target: str = ""


def lower_for_teach(
    plan: Sequence[GroundAction],
    subgoals: Sequence[Subgoal],
    ids: Mapping[str, str],
    poses: Mapping[str, Pose],
    routes: Routes,
    init: Iterable[GroundAtom],
    liquids: Mapping[int, str] = _WATER,
) -> tuple[TeachAction, ...]:
    """Lower a plan into TEACh's actions, each with the number of its subgoal, which never decreases.

    Args:
        plan: The plan.
        subgoals: The plan cut by ``rsa.segments``.
        ids: Object names of the problem to simulator ids.
        poses: Pose names of the problem to poses.
        routes: The navigation grid, with TEACh's looks.
        init: The problem's initial atoms.
        liquids: What is poured by an action of the plan, by its index; by default water.

    Raises:
        NoRoute: Two poses of a go-to are not connected.
        UnsupportedError: The plan has an action that TEACh has none for.
    """
    owner = {place: number for number, subgoal in enumerate(subgoals) for place in subgoal.places}
    drains = frozenset(atom[1] for atom in init if atom[0] == "drain")
    found: list[TeachAction] = []
    segment = 0
    for place, action in enumerate(plan):
        segment = max(segment, owner[place])
        if action.name == "go-to":
            start, goal = (poses[name] for name in action.arguments)
            route = routes.route(start, goal)
            if route is None:
                raise NoRoute(f"there is no way from {start} to {goal}")
            found += (_move(step, segment) for step in with_side_steps(route))
        elif action.name in TEACH_INTERACTIONS:
            found.append(_interaction(action, segment, ids, drains, liquids.get(place, WATER)))
        else:
            hint = f"it knows {', '.join(TEACH_INTERACTIONS)}"
            raise UnsupportedError(f"no action of TEACh's does {action}", hint=hint)
    return tuple(found)


def _move(step: str, segment: int) -> TeachAction:
    arguments: dict[str, Argument] = {"moveMagnitude": GRID} if step.startswith("Move") else {}
    if step.startswith("Rotate"):
        arguments["degrees"] = 90.0
    elif step.startswith("Look"):
        arguments["degrees"] = 30.0
    return TeachAction(TEACH_MOVES[step], segment, SimulatorAction(step, arguments))


def _interaction(
    action: GroundAction, segment: int, ids: Mapping[str, str], drains: Set[str], liquid: str
) -> TeachAction:
    name, call = TEACH_INTERACTIONS[action.name]
    thing = action.arguments[0]
    arguments: dict[str, Argument] = {"objectId": ids[thing]}
    if action.name == "put":
        target = ids[action.arguments[1]]
        arguments = {"objectId": target, "forceAction": True, "placeStationary": True}
        return TeachAction(name, segment, SimulatorAction(call, arguments), (), target)
    if action.name != "pour":
        return TeachAction(name, segment, SimulatorAction(call, arguments), (), ids[thing])
    empty = SimulatorAction(call, arguments)
    into = action.arguments[1]
    if into in drains:
        return TeachAction(name, segment, empty, (), ids[into])
    fill = SimulatorAction("FillObjectWithLiquid", {"objectId": ids[into], "fillLiquid": liquid})
    return TeachAction(name, segment, fill, (empty,), ids[into])


def with_side_steps(route: Sequence[str]) -> tuple[str, ...]:
    """Return a route with a step or two to the side, made by turning there and back, as pans.

    Likewise a turn about, a step or two and a turn about become steps back. The route ends in the same pose
    and is never longer.
    """
    steps = list(route)
    place = 0
    found: list[str] = []
    while place < len(steps):
        for (there, back), side in _SIDEWAYS.items():
            after = place + len(there)
            end = after
            while end < len(steps) and steps[end] == "MoveAhead":
                end += 1
            apart = end - after
            turned = tuple(steps[place:after]) == there and tuple(steps[end : end + len(back)]) == back
            if turned and 1 <= apart <= SIDESTEP:
                found += [side] * apart
                place = end + len(back)
                break
        else:
            found.append(steps[place])
            place += 1
    return tuple(found)


_LEFT, _RIGHT = "RotateLeft", "RotateRight"
_SIDEWAYS: Mapping[tuple[tuple[str, ...], tuple[str, ...]], str] = {
    **{((one, one), (other, other)): "MoveBack" for one in (_LEFT, _RIGHT) for other in (_LEFT, _RIGHT)},
    ((_LEFT,), (_RIGHT,)): "MoveLeft",
    ((_RIGHT,), (_LEFT,)): "MoveRight",
}
"""Turns before and after some steps ahead to the step that does without; longer turns first."""
