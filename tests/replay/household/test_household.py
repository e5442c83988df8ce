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
from chorewright.planner.validation import PlanWorld
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.rooms import load_room, room_names
from chorewright.problems.household.scene import GRID, Pose
from chorewright.problems.household.state import state_of
from chorewright.replay.household import ThorWorld
from chorewright.replay.simulator import SimulatorAction

PIECES = ("applesliced", "potatosliced", "breadsliced", "tomatosliced", "lettucesliced", "eggcracked")
GOAL = And(tuple(Exists((Typed("?x", (piece,)),), Atom("present", ("?x",))) for piece in PIECES))
"""Mentions the pieces, so that they are declared."""

EXACT = frozenset(
    ("in", "holding", "hand-empty", "is-open", "is-on", "dirty", "cleaned", "hot", "cool", "filled", "coffee",
     "watered", "exposed", "occupied", "present", "cooked", "boiled")
)  # fmt: skip

KITCHENS = [name for name in room_names() if int(name.removeprefix("FloorPlan")) < 100]
OTHERS = [name for name in room_names() if name not in KITCHENS]

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
        where = {"x": pose.x * GRID, "z": pose.z * GRID, "rotation": 90 * pose.rotation, "horizon": pose.horizon}
        return [SimulatorAction("Teleport", where)]
    if action.name == "put":
        return [SimulatorAction("PutObject", {"objectId": ids[second], "forceAction": True})]
    if action.name == "pour":
        filling = [SimulatorAction("FillObjectWithLiquid", {"objectId": ids[second]})]
        emptying = [SimulatorAction("EmptyLiquidFromObject", {"objectId": ids[first]})]
        return (filling if ("fillable", second) in state else []) + emptying
    return [SimulatorAction(NAMES[action.name], {"objectId": ids[first]})]


def applicable(world: PlanWorld, state: State, dice: random.Random) -> GroundAction | None:
    """Return some action that the domain allows here, rather a slice, a pour or what leads to one."""
    facts = Facts(state)
    at = next(atom[1] for atom in state if atom[0] == "at")
    near = sorted(atom[1] for atom in state if atom[0] == "near" and atom[2] == at)
    held = next((atom[1] for atom in state if atom[0] == "holding"), "")
    inside = {atom[1]: atom[2] for atom in sorted(state) if atom[0] == "in"}
    rare = _rare(state, at, near, held, inside, dice)
    allowed = [action for action in rare if world.refusal(action, facts) is None]
    if allowed:
        return dice.choice(allowed)
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


def _rare(
    state: State, at: str, near: list[str], held: str, inside: Mapping[str, str], dice: random.Random
) -> list[GroundAction]:
    """Return slices and pours, else a way to the means of one, whether allowed or not."""
    able = {word: {atom[1] for atom in state if atom[0] == word} for word in ("sharp", "filled", "sliceable")}
    hot = sorted({atom[1] for atom in state if atom[0] == "cooks"} & set(near))
    useful = able["sliceable"] if held in able["sharp"] else able[dice.choice(("sharp", "filled"))]
    basins = {atom[2] for atom in state if atom[0] == "controls"} & {a[1] for a in state if a[0] == "drain"}
    if held in able["sharp"]:
        rare = [GroundAction("slice", (x, held, inside[x], at)) for x in near if x in inside]
    elif held in able["filled"]:
        rare = [GroundAction("pour", (held, x, at)) for x in near] if dice.random() < 0.5 else []
    elif held:
        pans = [x for x in near if inside.get(x) in (*hot, *basins)]
        goals = (*hot, *pans, *sorted(basins & set(near)))
        return [GroundAction("put", (held, x, at)) for x in goals] if dice.random() < 0.5 else []
    else:
        rare = [GroundAction("pick-up", (x, inside[x], at)) for x in near if x in useful and x in inside]
    if (rare and not held) or held in able["filled"] or dice.random() < 0.5:
        return rare
    there = sorted(a[2] for a in state if a[0] == "near" and a[1] in useful and a[1] in inside and a[2] != at)
    return rare + ([GroundAction("go-to", (at, dice.choice(there)))] if there else [])


def compared(state: State, present: set[str]) -> set[GroundAtom]:
    """Return the atoms to compare: all of what is there, and what has been sliced, of which no more is told."""
    there = {atom for atom in state if atom[0] in EXACT and (len(atom) == 1 or atom[1] in present)}
    return there | {atom for atom in state if atom[0] == "sliced"}


def at_hand(state: State, present: set[str]) -> set[str]:
    """Return what a state of the domain promises to be seen and reached where the agent stands."""
    at = next(atom[1] for atom in state if atom[0] == "at")
    near = {atom[1] for atom in state if atom[0] == "near" and atom[2] == at}
    return {name for name in near & present if ("exposed", name) in state}


def walk(room: str, seed: str, steps: int) -> Counter[str]:
    """Walk at random in a room, comparing after every action; return how often each action was done."""
    dice, scene = random.Random(room + seed), load_room(room)
    household = household_problem(scene, GOAL, tidy=False)
    world, simulator = PlanWorld.of(household_domain(), household.problem), ThorWorld()
    simulator.reset(scene)
    state, done = world.initial(), Counter[str]()
    for _ in range(steps):
        action = applicable(world, state, dice)
        if action is None or (action.name == "go-to" and action.arguments[0] == action.arguments[1]):
            continue
        for call in calls(action, household.ids, household.poses, state):
            event = simulator.step(call)
            assert event.success, (room, str(action), event.error_message)
        state = world.apply(action, state, Facts(state))
        now = state_of(simulator.scene(), household.ids)
        there = {one.object_id for one in simulator.scene().objects if not one.is_consumed}
        present = {name for name, one in household.ids.items() if one in there}
        assert compared(state, present) == compared(now, present), (room, str(action))
        seen = {atom[1] for atom in now if atom[0] == "near"}
        assert at_hand(state, present) <= seen, (room, str(action), at_hand(state, present) - seen)
        done[action.name] += 1
    return done


def test_domain_and_world_agree_after_every_action() -> None:
    done = Counter[str]()
    for room in (*KITCHENS[::5], *OTHERS[::20]):
        done += walk(room, "", 100)
    for room in KITCHENS[::5]:  # pouring takes a vessel, a drain and luck
        done += walk(room, "again", 100) + walk(room, "once more", 100)
    assert sum(done.values()) > 1000
    assert set(done) == {*NAMES, "put", "pour", "go-to"}
    assert done["slice"] > 20
    assert done["pour"] > 5


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["a", "b"])
def test_domain_and_world_agree_on_long_walks(seed: str) -> None:
    done = Counter[str]()
    for room in (*KITCHENS, *OTHERS[::2]):
        done += walk(room, seed, 400)
    to_slice = sum(x.traits.affordances >= {"sliceable"} for r in KITCHENS for x in load_room(r).objects)
    assert done["slice"] > 0.9 * to_slice  # each only once
