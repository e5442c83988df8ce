"""Demonstrations that are refused before anything is planned."""

from __future__ import annotations

import pytest

from chorewright.domains.library import household_domain
from chorewright.domains.pddl import parse_formula
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.templates.goal_templates import Goal
from chorewright.generator.household.demonstration import RoomAttempt
from chorewright.generator.production.attempts import Rejection
from chorewright.planner.plan import Answer, Limits
from chorewright.problems.household.rooms import load_room
from chorewright.replay.household.world import ThorWorld


def unasked(domain: Domain, problem: Problem, limits: Limits) -> Answer:
    pytest.fail("nothing is to be planned")


def test_a_goal_that_holds_already_is_refused_at_the_start() -> None:
    goal = parse_formula("(exists (?x - tomato ?p - plate) (in ?x ?p))", household_domain())
    given = Goal("have it", (), goal, (), (("goal", goal),))
    found = RoomAttempt(load_room("FloorPlan5"), given, ThorWorld(), planner=unasked).demonstrate()
    assert found == Rejection("start", "the goal holds already")
