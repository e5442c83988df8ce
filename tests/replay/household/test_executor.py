"""Subgoals lowered into ALFRED's actions: macros, doors, routes; and runs that stop at the first failure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from chorewright.domains.pddl.syntax import State
from chorewright.errors import UnsupportedError
from chorewright.planner.plan import GroundAction
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.scene import Pose, Scene
from chorewright.replay.household.executor import NoRoute, execute, lower
from chorewright.replay.simulator import Event, SimulatorAction
from chorewright.rsa.household.segments import segments
from tests.rsa.household.test_segments import PROBLEM, plan

POSES = {f"p{number}": Pose(number, 0, 0, 30) for number in range(10)}


def find_route(start: Pose, goal: Pose) -> tuple[str, ...] | None:
    """Find a way among poses in a row: one step ahead for each number; p9 is behind a wall."""
    return None if goal.x == 9 else ("MoveAhead",) * abs(goal.x - start.x)


class Ids(dict[str, str]):
    """Every object's id is its name in capitals."""

    def __missing__(self, name: str) -> str:
        return name.capitalize()


SHORT = {"ToggleObjectOn": "On", "ToggleObjectOff": "Off", "MoveAhead_25": "Ahead"}


def low(text: str, init: str = "") -> str:
    """Lower a plan and show its interactions."""
    problem = PROBLEM
    if init:
        atoms = tuple(tuple(atom.split()) for atom in init.split(";"))
        problem = replace(PROBLEM, init=PROBLEM.init + atoms)
    subgoals = segments(plan(text), problem)
    actions = lower(subgoals, Ids(), POSES, find_route, POSES["p0"], problem.init)
    shown = []
    for action in actions:
        words = [SHORT.get(action.name, action.name.removesuffix("Object"))]
        words += [str(action.call.arguments[key]) for key in ("objectId", "receptacleObjectId")
                  if key in action.call.arguments]  # fmt: skip
        shown.append(" ".join(words))
    return "; ".join(shown)


TABLE = {
    "go p2; take apple countertop": "Ahead; Ahead; Pickup Apple",
    "open fridge; take egg fridge; shut fridge; go p1": "Open Fridge; Pickup Egg; Close Fridge; Ahead",
    # Rigid macros, whatever the order in the plan.
    "on faucet; put apple sinkbasin; take apple sinkbasin; off faucet":
        "Put Apple Sinkbasin; On Faucet; Off Faucet; Pickup Apple",
    "open oven; put mug oven; shut oven; on oven; off oven; open oven; take mug oven; shut oven":
        "Open Oven; Put Mug Oven; Close Oven; On Oven; Off Oven; Open Oven; Pickup Mug; Close Oven",
    "open fridge; put mug fridge; shut fridge; open fridge; take mug fridge; shut fridge":
        "Open Fridge; Put Mug Fridge; Close Fridge; Open Fridge; Pickup Mug; Close Fridge",
    # A door stays open for the next subgoal behind it, and for nothing else.
    "open fridge; put apple fridge; take egg fridge; shut fridge":
        "Open Fridge; Put Apple Fridge; Pickup Egg; Close Fridge",
    "open fridge; take egg fridge; put egg countertop; shut fridge":
        "Open Fridge; Pickup Egg; Close Fridge; Put Egg Countertop",
    "open oven; put apple oven; shut oven; open oven; take egg oven; shut oven; go p1":
        "Open Oven; Put Apple Oven; Pickup Egg; Close Oven; Ahead",
    # But a fridge is closed where the plan closes it, since that cools.
    "open fridge; put apple fridge; shut fridge; open fridge; take egg fridge; shut fridge; go p1":
        "Open Fridge; Put Apple Fridge; Close Fridge; Open Fridge; Pickup Egg; Close Fridge; Ahead",
    "open fridge; put apple bowl; shut fridge; open fridge; take apple bowl; shut fridge":
        "Open Fridge; Put Apple Fridge; Close Fridge; Open Fridge; Pickup Apple; Close Fridge",
    # What the plan leaves open stays open.
    "open fridge; take egg fridge; go p1": "Open Fridge; Pickup Egg; Ahead",
    "shut laptop; take laptop desk": "Pickup Laptop",
    "on desklamp": "On Desklamp",
    "on stoveknob; off stoveknob": "On Stoveknob; Off Stoveknob",
    # What is put into a running thing is put in while it runs.
    "on toaster; put bread toaster; take bread toaster; off toaster":
        "On Toaster; Put Bread Toaster; Pickup Bread; Off Toaster",
    "open fridge; shut fridge; open fridge; shut fridge":
        "Open Fridge; Close Fridge; Open Fridge; Close Fridge",
    "cut apple knife countertop": "Slice Apple",
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TABLE.items())
def test_table(text: str, expected: str) -> None:
    assert low(text) == expected


@pytest.mark.parametrize(
    ("text", "init", "expected"),
    [
        ("shut laptop; take laptop desk", "is-open laptop", "Close Laptop; Pickup Laptop"),
        ("take egg fridge; shut fridge", "is-open fridge", "Pickup Egg; Close Fridge"),
        ("put apple sinkbasin; take apple sinkbasin", "is-on faucet", "Put Apple Sinkbasin; Pickup Apple"),
    ],
)
def test_what_is_open_or_on_at_the_start(text: str, init: str, expected: str) -> None:
    assert low(text, init) == expected


def test_no_way() -> None:
    with pytest.raises(NoRoute):
        low("go p9; take apple countertop")


def test_pour_fills_what_does_not_drain_and_empties_what_is_held() -> None:
    assert low("pour mug cup") == "FillObjectWithLiquid Cup; EmptyLiquidFrom Mug"
    assert low("pour mug sinkbasin", "drain sinkbasin") == "EmptyLiquidFrom Mug"


def test_an_action_that_is_no_subgoal_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="no subgoal is made of"):
        segments((GroundAction("polish", ("mug", "p1")),), PROBLEM)


@dataclass
class Counter:
    """A simulator that counts moves in the agent's x and fails to pick up."""

    here: Scene = field(init=False)

    def reset(self, scene: Scene) -> Event:
        self.here = scene
        return Event(True, "")

    def step(self, action: SimulatorAction) -> Event:
        if action.action == "PickupObject":
            return Event(False, "too heavy")
        if action.action == "MoveAhead":
            agent = self.here.agent
            self.here = replace(self.here, agent=replace(agent, x=agent.x + 1))
        return Event(True, "")

    def scene(self) -> Scene:
        return self.here

    def metadata(self) -> dict[str, object]:
        return {}


def test_execution_stops_at_the_first_failure() -> None:
    def observe(scene: Scene) -> State:
        return frozenset({("at", f"p{scene.agent.x}")})

    start = Scene("corridor", "kitchen", (), (), 0.0, POSES["p0"], kinds=shipped_kinds())
    subgoals = segments(plan("go p2; take apple countertop; go p3"), PROBLEM)
    actions = lower(subgoals, Ids(), POSES, find_route, POSES["p0"], PROBLEM.init)
    assert len(actions) == 4
    run = execute(actions, Counter(), start, observe)
    assert [step.success for step in run.steps] == [True, True, False]
    assert "step 2 PickupObject Apple: too heavy" in run.failure
    assert run.final.agent.x == 2
    # The walk's atoms change at its end.
    assert run.steps[0].added == ()
    assert (run.steps[1].added, run.steps[1].removed) == ((("at", "p2"),), (("at", "p0"),))
    assert run.state == {("at", "p2")}
