"""Shortest chains to goals on the table, against the optimal planner and brute force."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product

import numpy as np
import pytest

from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Universe
from chorewright.domains.library import load_shipped_library
from chorewright.domains.pddl.parser import parse_formula
from chorewright.domains.pddl.syntax import Formula, State
from chorewright.domains.rewriting import predicates_mentioned_in
from chorewright.errors import LimitError, UsageError
from chorewright.generator.calvin.goals import GoalChain, chain_to_goal
from chorewright.planner.plan import Unsolvable
from chorewright.problems.calvin import published
from chorewright.problems.calvin.chains import fault
from chorewright.problems.calvin.published import ShortestChains
from chorewright.problems.calvin.scenes import parse_state
from chorewright.problems.calvin.tasks import CORRECT, TaskModel, atoms_of, tasks

ALL_AWAY = "(and (forall (?b - block) (in ?b drawer)) (not (open drawer)) (lit led))"
GOALS = {
    "": ("(lit led)", ALL_AWAY, "(and (rotated red_block left) (in red_block drawer))"),
    "red_block=slider_left,pink_block=slider_right": (
        "(and (in red_block slider_right) (in pink_block slider_left))",
        "(exists (?b - block) (on ?b blue_block))",
        ALL_AWAY,
    ),
    "blue_block=stacked_top,red_block=stacked_bottom,drawer=open": (
        "(and (on red_block blue_block) (in pink_block drawer))",
        "(exists (?a ?b - block) (unstacked ?a ?b))",
    ),
}
PAIRS = [(start, goal) for start, goals in GOALS.items() for goal in goals]


def formula(text: str) -> Formula:
    return parse_formula(text, load_shipped_library().domain(CORRECT))


@pytest.mark.parametrize(("start", "goal"), PAIRS)
def test_they_are_as_short_as_an_optimal_plan(start: str, goal: str) -> None:
    state = parse_state(start)
    found = ShortestChains(state, formula(goal))
    planned = chain_to_goal(state, formula(goal))
    assert isinstance(planned, GoalChain)
    assert planned.optimal
    assert found.length == len(planned.chain.sequence)
    rng = np.random.default_rng(1)
    drawn = Counter(found.draw(rng).sequence for _ in range(20 * found.count))
    assert len(drawn) == found.count
    assert planned.chain.sequence in drawn
    for chain in (planned.chain, found.draw(rng)):
        assert fault(chain, any_category=True) is None
        assert reaches(chain.sequence, atoms_of(state), formula(goal))


@cache
def model_for(predicates: tuple[str, ...]) -> TaskModel:
    return TaskModel(load_shipped_library().domain(CORRECT), predicates)


def reaches(sequence: tuple[str, ...], state: State, goal: Formula) -> bool:
    """Whether tasks can be done one after the other and a goal holds then."""
    model = model_for(predicates_mentioned_in(goal))
    for name in sequence:
        after = model.successor(name, state)
        if after is None:
            return False
        state = after
    return holds(goal, state, Universe.of(load_shipped_library().domain(CORRECT)))


@pytest.mark.parametrize(
    ("start", "goal"),
    [
        ("", "(and (lit led) (lit lightbulb))"),
        ("drawer=open", "(exists (?b - block) (placed ?b drawer))"),
        ("", "(hand-free)"),
    ],
)
def test_their_number_is_that_of_brute_force(start: str, goal: str) -> None:
    state, wanted = parse_state(start), formula(goal)
    found = ShortestChains(state, wanted)
    assert found.length is not None
    for length in range(found.length + 1):
        every = [each for each in product(tasks(), repeat=length) if reaches(each, atoms_of(state), wanted)]
        assert len(every) == (found.count if length == found.length else 0)


def test_goals_that_no_chain_reaches(monkeypatch: pytest.MonkeyPatch) -> None:
    goal = formula("(forall (?b - block) (in ?b slider_left))")
    found = ShortestChains(parse_state(""), goal)
    assert (found.length, found.count) == (None, 0)
    with pytest.raises(UsageError, match="no chain leads"):
        found.draw(np.random.default_rng(0))
    assert isinstance(chain_to_goal(parse_state(""), goal), Unsolvable)
    monkeypatch.setattr(published, "MOST_STATES", 300)
    with pytest.raises(LimitError, match="within 300 states"):
        ShortestChains(parse_state(""), goal)
