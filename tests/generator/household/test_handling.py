"""Plans put in order as demonstrators act: they stay plans, and are read as one subgoal where ALFRED has one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from chorewright.domains.library import household_domain
from chorewright.domains.pddl.syntax import And, Atom, Exists, Typed
from chorewright.generator.household.handling import undivided
from chorewright.planner.plan import Plan
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
