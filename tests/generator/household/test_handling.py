"""Plans put in order as demonstrators act: they stay plans, and are read as one subgoal where ALFRED has one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from chorewright.domains.library import household_domain
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import And, Atom, Exists, Typed
from chorewright.generator.household.handling import oddities_of, undivided
from chorewright.planner.plan import GroundAction, Plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import validate
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.spawn import spawn
from chorewright.rsa.household.segments import CLEAN, TOGGLE, segments


# With these the mug starts elsewhere than in the cabinet that opens from where the basin is reached.
@pytest.mark.parametrize("seed", [0, 3])
def test_a_cabinet_opened_while_the_tap_runs_is_opened_after_the_rinsing(seed: int) -> None:
    literals = (Atom("in", ("?x", "?r")), Atom("cleaned", ("?x",)))
    goal = Exists((Typed("?x", ("mug",)), Typed("?r", ("cabinet",))), And(literals))
    domain = household_domain()
    problem = household_problem(spawn(load_room("FloorPlan15"), np.random.default_rng(seed)), goal).problem
    plan = solve(domain, problem)
    assert isinstance(plan, Plan)
    begun = next(
        place
        for place, action in enumerate(plan.actions)
        if action.name == "put" and action.arguments[1].startswith("sinkbasin")
    )
    pose = plan.actions[begun].arguments[-1]
    opened = next(one for one in plan.actions if one.name == "open" and one.arguments[-1] == pose)
    others = [one for one in plan.actions if one != opened]
    begun = others.index(plan.actions[begun]) + 1
    divided = replace(plan, actions=(*others[:begun], opened, *others[begun:]))
    assert validate(domain, problem, divided.actions).valid
    assert TOGGLE in [one.action for one in segments(divided.actions, problem)]

    found = undivided(domain, problem, divided)

    assert sorted(map(str, found.actions)) == sorted(map(str, divided.actions))
    assert validate(domain, problem, found.actions).valid
    told = [one.action for one in segments(found.actions, problem)]
    assert CLEAN in told
    assert TOGGLE not in told
    assert undivided(domain, problem, found) is found


KITCHEN = parse_domain("""(define (domain kitchen)
  (:predicates (furniture ?x) (openable ?x) (heats ?x) (in ?x ?y) (holding ?x) (hot ?x) (lit ?x))
  (:action wait :parameters () :precondition (and) :effect (and)))""")
START = "(furniture counter_1) (furniture oven_1) (openable oven_1) (heats oven_1) (furniture cabinet_1)"
START += " (openable cabinet_1) (in cup_1 cabinet_1) (in fork_1 bowl_1) (in bowl_1 counter_1)"


@pytest.mark.parametrize(
    ("plan", "goal", "odd"),
    [
        ("put mug_1 counter_1", "(lit lamp_1)", set()),
        ("put mug_1 cabinet_1", "(lit lamp_1)", {("put", "mug_1", 1, "cabinet_1")}),
        ("put mug_1 bowl_1", "(lit lamp_1)", {("put", "mug_1", 1, "bowl_1")}),
        ("put cup_1 cabinet_1", "(lit lamp_1)", set()),  # where it was
        ("put mug_1 cabinet_1", "(in mug_1 cabinet_1)", set()),
        ("put mug_1 oven_1", "(hot mug_1)", set()),
        ("put mug_1 oven_1", "(lit lamp_1)", {("put", "mug_1", 1, "oven_1")}),
        ("pick-up mug_1 counter_1, pick-up mug_1 counter_1", "(lit mug_1)", {("pick-up", "mug_1", 2, "")}),
        ("pick-up mug_1 counter_1, pick-up mug_1 counter_1", "(hot mug_1)", set()),
        ("open cabinet_1, pick-up cup_1 cabinet_1", "(lit lamp_1)", set()),
        ("open oven_1, open oven_1", "(lit lamp_1)", {("open", "oven_1", 2, "")}),
        ("toggle-on lamp_1, toggle-on lamp_1", "(lit lamp_1)", set()),
        ("toggle-on lamp_1, toggle-on lamp_1, toggle-on lamp_1", "(lit lamp_1)", {("toggle-on", "lamp_1", 3, "")}),
    ],
)
def test_what_a_plan_handles_more_than_its_goal_asks_for_is_odd(
    plan: str, goal: str, odd: set[tuple[str, str, int, str]]
) -> None:
    things = "counter_1 oven_1 cabinet_1 bowl_1 fork_1 cup_1 mug_1 lamp_1"
    text = f"(define (problem p) (:domain kitchen) (:objects {things}) (:init {START}) (:goal {goal}))"
    words = [each.split() for each in plan.split(", ")]
    actions = [GroundAction(name, tuple(arguments)) for name, *arguments in words]
    found = oddities_of(actions, parse_problem(text, KITCHEN))
    assert {(each.what, each.name, each.count, each.place) for each in found} == odd
