"""TEACh's tasks compiled and planned: chosen objects imply the task, stages leave nothing out."""

from __future__ import annotations

import pytest

from chorewright.domains.formulas import conjuncts
from chorewright.domains.pddl.subformulas import subformulas
from chorewright.domains.pddl.syntax import Atom, Or
from chorewright.domains.teach.definitions import shipped_definitions
from chorewright.domains.teach.progress import check, missing, obstacles
from chorewright.domains.teach.witnesses import stages
from chorewright.errors import UsageError
from chorewright.generator.teach.compiling import compile_teach, plan_task
from chorewright.generator.teach.demonstration import SessionAttempt, TeachDemonstration
from chorewright.generator.teach.variants import rooms_for
from chorewright.planner.plan import Limits, Plan, Unsolvable
from chorewright.planner.stages import solve_in_stages
from chorewright.planner.validation import validate
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.rooms import load_room
from chorewright.replay.teach.world import teach_world

BREAKFAST = "Breakfast|1|1|0|Plate|1|Bowl|1|1|1|0|0|0|0|CounterTop"
QUICK = [
    ("Sandwich|1|1", "FloorPlan7"), ("Salad|1|0|1", "FloorPlan4"), ("Boil X|Potato", "FloorPlan10"),
    ("Put All X In One Y|Fork|in|Drawer", "FloorPlan7"), ("Toast", "FloorPlan1"),
]  # fmt: skip
OTHERS = [
    (BREAKFAST, "FloorPlan7"), ("Coffee", "FloorPlan10"), ("Clean X|Plate", "FloorPlan3"),
    ("Sliced X|Tomato", "FloorPlan5"), ("Cooked Slice Of X|Potato", "FloorPlan7"),
    ("Plate Of Toast", "FloorPlan1"), ("N Cooked Slices Of X In Y|3|Potato|on|Plate", "FloorPlan8"),
    ("N Slices Of X In Y|4|Tomato|in|Bowl", "FloorPlan10"), ("Omelette", "FloorPlan7"),
    ("Put All X On Y|Newspaper|on|Furniture", "FloorPlan201"), ("Poach Egg", "FloorPlan7"),
    ("Water Plant", "FloorPlan5"), ("Clean All X|Dishware", "FloorPlan7"),
    ("Toggle X All Y|on|1|Lights", "FloorPlan301"), ("Tutorial", "FloorPlan7"), ("Candles", "FloorPlan402"),
    ("Workspace|1|1|1", "FloorPlan301"), ("Basic Kitchen Tasks", "FloorPlan10"),
    ("Basic Bathroom Tasks", "FloorPlan402"), ("Custom Properties Kitchen Tasks", "FloorPlan7"),
]  # fmt: skip
SLOWLY = [pytest.param(*case, marks=pytest.mark.slow) for case in OTHERS]


@pytest.mark.parametrize(("text", "room"), [*QUICK, *SLOWLY])
@pytest.mark.parametrize("strict", [False, True])
def test_plans_for_chosen_objects_do_the_task(text: str, room: str, strict: bool) -> None:
    """A plan reaches the task's own goal, and replayed the progress check succeeds, strictly if asked."""
    name, *params = text.split("|")
    compiled = compile_teach(name, params, room, 3, strict=strict)
    plan = plan_task(compiled, Limits(evaluations=300_000))
    assert isinstance(plan, Plan), plan
    assert validate(compiled.domain, compiled.problem, plan.actions).valid
    shown = SessionAttempt(compiled).replay(plan)
    assert isinstance(shown, TeachDemonstration), shown
    assert check(compiled.task, teach_world(shown.execution.final), strict=strict).success


def test_stages_leave_nothing_out() -> None:
    for text, room in ((BREAKFAST, "FloorPlan7"), *QUICK):
        name, *params = text.split("|")
        for problem in compile_teach(name, params, room, 3, strict=True).problems():
            kept = [part for stage, lasting in stages(problem.goal, problem) if lasting for part in conjuncts(stage)]
            assert len(kept) == len(set(kept))
            assert set(kept) == set(conjuncts(problem.goal))


def test_what_need_not_last_helps_along_and_may_fail() -> None:
    compiled = compile_teach("Toast", (), "FloorPlan1", 3)
    problem = next(compiled.problems())
    lasting = tuple(pair for pair in stages(problem.goal, problem) if pair[1])
    answer = solve_in_stages(compiled.domain, problem, ((Or(()), False), *lasting))
    assert isinstance(answer, Plan)
    assert validate(compiled.domain, problem, answer.actions).valid
    assert isinstance(solve_in_stages(compiled.domain, problem, ((Or(()), True), *lasting)), Unsolvable)


# A task, a room, and what is said of it there: what it lacks, and what nobody can carry.
UNSUITED = [
    ("Sandwich|1|1", "FloorPlan301", "there is no Bread"),
    ("Water Plant", "FloorPlan2", "there is no HousePlant"),
    ("Put All X On Y|Television|on|Sofa", "FloorPlan201", "the Television cannot be moved to a Sofa"),
    ("Put All X In One Y|RoomDecor|on|DiningTable", "FloorPlan5", "the HousePlant cannot be moved to a"),
]


@pytest.mark.parametrize(("text", "room", "message"), UNSUITED)
def test_rooms_that_do_not_suit_are_refused_with_the_reason(text: str, room: str, message: str) -> None:
    name, *params = text.split("|")
    task = shipped_definitions().task(name, params)
    world = teach_world(load_room(room))
    reasons = (*missing(task, world), *obstacles(task, world))
    assert any(message in reason for reason in reasons), reasons
    assert room not in rooms_for(task, shipped_kinds())
    with pytest.raises(UsageError, match="does not suit"):
        compile_teach(name, params, room, 0)


def test_copies_stand_for_what_a_start_state_may_have_more_of() -> None:
    task = shipped_definitions().task("Breakfast", BREAKFAST.split("|")[1:])
    two = shipped_definitions().task("Breakfast", ["2" if k == 6 else p for k, p in enumerate(task.params)])
    world = teach_world(load_room("FloorPlan7"))
    assert missing(two, world)
    assert not missing(two, world, copies=True)
    assert len(rooms_for(two, shipped_kinds())) > 20


def test_what_has_room_for_one_thing_is_not_chosen_for_several() -> None:
    compiled = compile_teach("Put All X In One Y", ("Cup", "in", "Appliances"), "FloorPlan7", 3)
    single = {atom[1] for atom in compiled.problem.init if atom[0] == "single"}
    assert any(name.startswith("coffeemachine") for name in single)
    *chosen, _ = compiled.problems()
    assert chosen
    for problem in chosen:
        places = {
            part.terms[1] for part in subformulas(problem.goal) if isinstance(part, Atom) and part.predicate == "in"
        }
        assert places
        assert places.isdisjoint(single)
