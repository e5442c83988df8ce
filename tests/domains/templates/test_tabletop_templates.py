"""CALVIN's 34 tasks as goal templates: a task reaches its own goal, and no other task does."""

from __future__ import annotations

import pytest

from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Universe
from chorewright.domains.library import load_shipped_library, user_library
from chorewright.domains.templates.goal_templates import instantiate
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import validate
from chorewright.problems.calvin.scenes import initial_states, state_of_record
from chorewright.problems.calvin.tasks import CORRECT, problem, state_of_atoms, task_model, tasks, transitions

TEMPLATES = {template.name: template for template in user_library().collection("calvin")}


def test_every_task_is_a_template_in_calvins_order() -> None:
    assert list(TEMPLATES) == list(tasks())
    assert [template.number for template in TEMPLATES.values()] == list(range(1, 35))


@pytest.mark.parametrize("name", list(tasks()))
def test_just_the_task_itself_reaches_its_goal(name: str) -> None:
    """From some of the states in which it can be done, tried with all that can be done there."""
    model, domain = task_model(CORRECT), load_shipped_library().domain(CORRECT)
    goal = instantiate(TEMPLATES[name], (), load_shipped_library().vocabulary(CORRECT)).goal
    found = [state for state in transitions(model, initial_states()).states if model.applicable(name, state)]
    for state in found[:: len(found) // 3 + 1]:
        assert not holds(goal, state, Universe.of(domain))
        given = problem(state_of_record(state_of_atoms(state).record()), goal)
        for each in tasks():
            for way in model.applicable(each, state):
                verdict = validate(domain, given, [GroundAction(way.action, way.arguments)])
                assert verdict.valid == (each == name), (way, verdict.message)
