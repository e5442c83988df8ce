"""What a Follower minds besides the task: where it lays things aside, and how it leaves the room."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chorewright.domains.pddl.syntax import And, Atom, Not
from chorewright.domains.teach.definitions import shipped_definitions
from chorewright.generator.teach.compiling import compile_in, compile_teach, goal_of, leaving, plan_task, unfit
from chorewright.planner.plan import Plan
from chorewright.problems.household.kinds import shipped_kinds
from tests.generator.teach.episodes import TASKS, demonstration


@pytest.mark.parametrize(
    ("item", "place", "laid"),
    [
        ("Knife", "Mug", False),
        ("ButterKnife", "Plate", False),
        ("Fork", "Bowl", False),
        ("Tomato", "Plate", True),
        ("Potato", "Pot", True),
        ("Tomato", "GarbageCan", False),
        ("SoapBar", "Toilet", False),
        ("Knife", "CounterTop", True),
        ("Plate", "SinkBasin", True),
    ],
)
def test_things_are_laid_aside_where_they_belong(item: str, place: str, laid: bool) -> None:
    kinds = shipped_kinds()
    assert place in kinds[item].fits
    assert ((item, place) not in unfit(kinds)) == laid


def test_what_the_task_asks_for_is_done_all_the_same() -> None:
    compiled = compile_teach("Put All X In One Y", ("Fork", "in", "Mug"), None, 1)
    fits = {atom[1:] for atom in compiled.problem.init if atom[0] == "fits"}
    pairs = {(item.rsplit("_", 1)[0], place.rsplit("_", 1)[0]) for item, place in fits}
    assert ("fork", "mug") in pairs
    assert ("knife", "mug") not in pairs
    assert ("fork", "plate") not in pairs


@pytest.mark.parametrize(
    ("task", "params", "off"),
    [
        ("Coffee", (), True),
        ("Toggle X All Y", ("off", "0", "Faucet"), True),
        ("Toggle X All Y", ("on", "1", "Faucet"), False),
        ("Workspace", ("1", "1", "1"), True),
    ],
)
def test_nothing_runs_in_the_end_unless_the_task_wants_it(task: str, params: tuple[str, ...], off: bool) -> None:
    wanted = leaving(shipped_definitions().task(task, params), shipped_kinds())
    shut, quiet = Not(Atom("ajar", ())), Not(Atom("running", ()))
    assert wanted == (And((shut, quiet)) if off else shut)


@pytest.mark.parametrize("which", range(len(TASKS)))
def test_the_room_is_left_in_order(which: int) -> None:
    done = demonstration(*TASKS[which])
    assert not {atom[0] for atom in done.execution.state} & {"running", "ajar", "left-on", "left-open"}


def test_coffee_is_made_in_a_washed_mug_and_not_rinsed_afterwards() -> None:
    room = compile_teach("Coffee", (), "FloorPlan7", 3).scene
    dirty = [
        replace(thing, attributes=replace(thing.attributes, is_dirty=True)) if thing.kind == "Mug" else thing
        for thing in room.objects
    ]
    scene = replace(room, objects=tuple(dirty))
    task = shipped_definitions().task("Coffee", ())
    compiled = compile_in(task, goal_of(task, scene.kinds.vocabulary), scene, "coffee")
    plan = plan_task(compiled)
    assert isinstance(plan, Plan)
    places = [action.arguments[1].rsplit("_", 1)[0] for action in plan.actions if action.name == "put"]
    assert "sinkbasin" in places
    assert "sinkbasin" not in places[places.index("coffeemachine") :]
