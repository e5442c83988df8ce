"""The THOR world against the household domain: random walks, the same action in both, the same state."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping

import pytest

from chorewright.domains.formulas import Facts
from chorewright.domains.library import household_domain
from chorewright.domains.pddl.syntax import And, Atom, Exists, GroundAtom, State, Typed
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import World
from chorewright.problems.household import household_problem, state_of
from chorewright.problems.rooms import load_room
from chorewright.problems.scene import GRID, Pose
from chorewright.replay.simulator import SimulatorAction
from chorewright.replay.thor import ThorWorld

PIECES = ("applesliced", "potatosliced", "breadsliced", "tomatosliced", "lettucesliced", "eggcracked")
GOAL = And(tuple(Exists((Typed("?x", (piece,)),), Atom("present", ("?x",))) for piece in PIECES))
"""Mentions the pieces, so that they are declared."""

EXACT = frozenset(
    ("in", "holding", "hand-empty", "is-open", "is-on", "dirty", "cleaned", "hot", "cool", "filled", "coffee",
     "watered", "exposed", "occupied", "present")
)  # fmt: skip
AT_LEAST = frozenset(("cooked", "boiled"))
"""The world also cooks what is put into a pan on a burner that is on already; the domain does not say so."""

NAMES = {
    "pick-up": "PickupObject",
    "open": "OpenObject",
    "close": "CloseObject",
    "toggle-on": "ToggleObjectOn",
    "toggle-off": "ToggleObjectOff",
    "slice": "SliceObject",
}


def calls(
    action: GroundAction, ids: Mapping[str, str], poses: Mapping[str, Pose], state: State
) -> list[SimulatorAction]:
    """Return the simulator calls that an action of the domain stands for."""
    first, second = action.arguments[0], action.arguments[1]
    if action.name == "go-to":
        pose = poses[second]
        where = {
            "x": pose.x * GRID,
            "z": pose.z * GRID,
            "rotation": 90 * pose.rotation,
            "horizon": pose.horizon,
        }
        return [SimulatorAction("Teleport", where)]
    if action.name == "put":
        return [SimulatorAction("PutObject", {"objectId": ids[second], "forceAction": True})]
    if action.name == "pour":
        filling = [SimulatorAction("FillObjectWithLiquid", {"objectId": ids[second]})]
        emptying = [SimulatorAction("EmptyLiquidFromObject", {"objectId": ids[first]})]
        return (filling if ("fillable", second) in state else []) + emptying
    return [SimulatorAction(NAMES[action.name], {"objectId": ids[first]})]


def applicable(world: World, state: State, dice: random.Random) -> GroundAction | None:
    """Return some action that the domain allows here."""
    facts = Facts(state)
    at = next(atom[1] for atom in state if atom[0] == "at")
    near = sorted(atom[1] for atom in state if atom[0] == "near" and atom[2] == at)
    held = next((atom[1] for atom in state if atom[0] == "holding"), "")
    inside = {atom[1]: atom[2] for atom in sorted(state) if atom[0] == "in"}
    if dice.random() < 0.25 or not near:
        return GroundAction("go-to", (at, dice.choice(sorted(a[2] for a in state if a[0] == "near"))))
    for name in dice.sample([*NAMES, "put", "put", "pour", "pick-up"], 10):
        for thing in dice.sample(near, min(12, len(near))):
            arguments: tuple[str, ...] = (thing, at)
            if name == "pick-up":
                arguments = (thing, inside.get(thing, ""), at)
            elif name == "slice":
                arguments = (thing, held, inside.get(thing, ""), at)
            elif name in ("put", "pour"):
                arguments = (held, thing, at)
            action = GroundAction(name, arguments)
            if "" not in arguments and world.refusal(action, facts) is None:
                return action
    return None


def compared(state: State, present: set[str]) -> tuple[set[GroundAtom], set[GroundAtom]]:
    """Return the atoms to compare: of what is there, since the world forgets what has been sliced."""
    atoms = {atom for atom in state if len(atom) == 1 or atom[1] in present}
    return {atom for atom in atoms if atom[0] in EXACT}, {atom for atom in atoms if atom[0] in AT_LEAST}


@pytest.mark.parametrize("room", ["FloorPlan1", "FloorPlan10", "FloorPlan21", "FloorPlan212", "FloorPlan405"])
def test_domain_and_world_agree_after_every_action(room: str) -> None:
    dice, scene = random.Random(room), load_room(room)
    household = household_problem(scene, GOAL, tidy=False)
    world, simulator = World.of(household_domain(), household.problem), ThorWorld()
    simulator.reset(scene)
    state, done = world.initial(), Counter[str]()
    for _ in range(250):
        action = applicable(world, state, dice)
        if action is None or (action.name == "go-to" and action.arguments[0] == action.arguments[1]):
            continue
        for call in calls(action, household.ids, household.poses, state):
            event = simulator.step(call)
            assert event.success, (str(action), event.error_message)
        state = world.apply(action, state, Facts(state))
        now = state_of(simulator.scene(), household.ids)
        present = {name for name, one in household.ids.items() if one in simulator.room.objects}
        ours, least = compared(state, present)
        theirs, most = compared(now, present)
        assert ours == theirs, str(action)
        assert least <= most, str(action)
        done[action.name] += 1
    assert sum(done.values()) > 100
    assert len(done) >= 6
