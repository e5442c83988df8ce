"""Rewards of grounded subgoals, against planning and asking for the costs in the whole scene."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from math import inf

import numpy as np
import pytest

from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.syntax import And, Atom, Exists, Forall, Formula, Not, State, Typed
from chorewright.generator.handmethat.trajectory import WrongLevels, draw_requests
from chorewright.planner.cost_to_go.costs_to_go import Cost, CostToGo, Effort
from chorewright.planner.validation import simulate, validate
from chorewright.problems.handmethat.scene import HUMAN, ROBOT, HandMeThatScene, SceneAgent, SceneEntity
from chorewright.problems.handmethat.states import problem_of, state_of
from chorewright.rsa.handmethat.landings import Landing, Landings, Symmetry
from chorewright.rsa.handmethat.meanings import Grounding, Quest
from chorewright.rsa.handmethat.subgoals import Reward, Subgoals, formula_of
from tests.problems.handmethat.small_scenes import GOALS, small_scene

THOROUGH = Effort(provable=100, proof=4_000)
CASES = [
    ("put on", Quest.BRING_ME, 5),
    ("put on", Quest.MOVE_TO, 3),
    ("put in any", Quest.BRING_ME, 5),
    ("clean places", Quest.BRING_ME, 3),
    ("clean places", Quest.CHANGE_STATE, 3),
    ("open", Quest.CHANGE_STATE, 1),
    ("heat", Quest.CHANGE_STATE, 5),
    ("one in each", Quest.MOVE_TO, 4),
]


def case(name: str, seed: int) -> tuple[HandMeThatScene, Formula]:
    kinds, goal = GOALS[name]
    return small_scene(kinds, np.random.default_rng([seed, len(name)]), 5), goal


def landing(scene: HandMeThatScene, goal: Formula) -> State | None:
    """The human's state after a plan of the robot's, run in the whole scene."""
    found = Landings(scene).of(goal)
    if found is None:
        return None
    actions = found.plan
    problem = problem_of(scene, goal, ROBOT)
    assert validate(handmethat_domain(), problem, actions).valid
    steps = simulate(handmethat_domain(), problem, actions)
    after = steps[-1].state if steps else frozenset(problem.init)
    kept = {atom for atom in after if ROBOT not in atom and atom[0] not in ("acts", "still")}
    return frozenset(kept | {atom for atom in state_of(scene) if atom[0] in ("acts", "still")})


def possible(subgoals: Subgoals, quest: Quest) -> list[Grounding]:
    context = subgoals.context
    return [
        (item.name, argument)
        for argument in context.arguments(quest)
        for number, item in enumerate(context.items)
        if context.possible(quest, argument) >> number & 1
    ]


@pytest.mark.parametrize(("name", "quest", "seed"), CASES)
def test_gains_are_those_in_the_whole_scene(name: str, quest: Quest, seed: int) -> None:
    scene, goal = case(name, seed)
    subgoals = Subgoals(scene, goal, THOROUGH)
    rewards = subgoals.rewards(quest)
    assert set(rewards) <= set(possible(subgoals, quest))
    asked = list(rewards)[:: max(1, len(rewards) // 12)]
    states = [landing(scene, formula_of(subgoals.context, quest, each)) for each in asked]
    known = [(each, state) for each, state in zip(asked, states, strict=True) if state is not None]
    assert len(known) == len(asked)
    now = state_of(scene)
    service = CostToGo(handmethat_domain(), problem_of(scene, goal), [now, *(s for _, s in known)], relevant=False)
    before = service.cost(now, THOROUGH)
    assert subgoals.before.optimal
    assert before.lower_bound <= subgoals.before.cost <= before.cost
    compared = 0
    for each, state in known:
        after = service.cost(state, THOROUGH)
        if rewards[each].optimal:
            cost = subgoals.before.cost - rewards[each].gain
            assert after.lower_bound <= cost <= after.cost, each
            compared += after.optimal
        if rewards[each].helps is not None and before.optimal and after.optimal:
            assert rewards[each].helps == (after.cost < before.cost), each
    assert compared >= len(known) / 3


@pytest.mark.parametrize(
    ("before", "after", "gain", "helps", "proven"),
    [
        (Cost(9, True, 9), Cost(7, True, 7), 2, True, True),
        (Cost(9, True, 9), Cost(7, False, 5), 2, True, False),  # it helps, but who knows how much
        (Cost(9, True, 9), Cost(11, False, 9), -2, False, True),  # how little it helps does not matter
        (Cost(9, True, 9), Cost(11, False, 8), -2, None, False),
        (Cost(9, False, 8), Cost(7, False, 0), 2, True, False),
        (Cost(9, False, 7), Cost(7, False, 0), 2, None, False),
        (Cost(9, True, 9), Cost(inf, True, inf), -inf, False, True),
        (Cost(inf, False, 0), Cost(inf, False, 0), -inf, None, False),
    ],
)
def test_bounds_say_what_helps(before: Cost, after: Cost, gain: float, helps: bool | None, proven: bool) -> None:
    reward = Reward.of(before, after, ())
    assert (reward.gain, reward.helps, reward.proven) == (gain, helps, proven)


@pytest.mark.parametrize(("name", "seed"), [(name, seed) for name, quest, seed in CASES if quest is Quest.BRING_ME])
def test_nothing_that_is_not_asked_for_helps_when_it_is_brought(name: str, seed: int) -> None:
    scene, goal = case(name, seed)
    subgoals = Subgoals(scene, goal, THOROUGH)
    asked = set(subgoals.candidates(Quest.BRING_ME))
    others = [each for each in possible(subgoals, Quest.BRING_ME) if each not in asked]
    assert others
    states = [landing(scene, formula_of(subgoals.context, Quest.BRING_ME, each)) for each in others]
    reached = [state for state in states if state is not None]
    service = CostToGo(handmethat_domain(), problem_of(scene, goal), reached, relevant=False)
    for state in reached:
        assert service.cost(state, THOROUGH).lower_bound >= subgoals.before.lower_bound


def test_there_are_useful_subgoals_and_useless_ones() -> None:
    found = [{gain > 0 for gain in Subgoals(*case(name, seed)).gains(quest).values()} for name, quest, seed in CASES]
    assert sum(each == {True, False} for each in found) >= 4


def test_plans_are_the_robots_and_make_the_subgoal_true() -> None:
    scene, goal = case("put on", 3)
    subgoals = Subgoals(scene, goal)
    for quest in (Quest.BRING_ME, Quest.MOVE_TO):
        for grounding, reward in subgoals.rewards(quest).items():
            if quest is Quest.MOVE_TO and grounding[1] not in {a for step in reward.plan for a in step.arguments}:
                continue  # A location that cannot matter has the plan of another one.
            wanted = formula_of(subgoals.context, quest, grounding)
            assert validate(handmethat_domain(), problem_of(scene, wanted, ROBOT), reward.plan).valid
            assert all(step.arguments[0] == ROBOT for step in reward.plan)


@pytest.mark.parametrize(("name", "quest", "seed"), [each for each in CASES if each[1] is not Quest.CHANGE_STATE])
def test_landings_of_one_shape_leave_the_goal_equally_far(name: str, quest: Quest, seed: int) -> None:
    """Asked for all of them, where a request's costs are asked for one of each shape only."""
    found, goal = case(name, seed)
    first: dict[str, SceneEntity] = {}
    alike = tuple(replace(first.setdefault(e.category.name, e), name=e.name) for e in found.entities)
    scene = HandMeThatScene(alike, found.human, found.robot)
    subgoals = Subgoals(scene, goal, THOROUGH)
    symmetry, landings, now = Symmetry(scene, goal), Landings(scene), state_of(scene)
    shapes: dict[Hashable, list[State]] = {}
    for grounding in possible(subgoals, quest):
        landing = landings.of(formula_of(subgoals.context, quest, grounding))
        if landing is not None:
            shape = symmetry.shape(landing, [each for each in grounding if each])
            shapes.setdefault(shape, []).append((now - landing.removed) | landing.added)
    several = [states for states in shapes.values() if len(set(states)) > 1][:6]
    assert several
    states = [state for some in several for state in some]
    service = CostToGo(handmethat_domain(), problem_of(scene, goal), states or [now], relevant=False)
    for some in several:
        costs = [service.cost(state, THOROUGH) for state in some]
        assert len({cost.cost for cost in costs if cost.optimal}) <= 1
        assert max(cost.lower_bound for cost in costs) <= min(cost.cost for cost in costs)


def test_things_that_can_change_places_have_one_shape() -> None:
    """Two pens on the table, but for one that lies elsewhere, holds something, is dirty, named or held."""
    entities = (
        *(SceneEntity(f"{name}_0") for name in ("floor", "table", "sofa")),
        *(SceneEntity(f"plate_{k}", "ontop", "table_0", size="large" if k else "small") for k in range(4)),
        SceneEntity("plate_4", "ontop", "sofa_0"),
        SceneEntity("plate_5", "ontop", "table_0", frozenset(["dusty"])),
        SceneEntity("apple_0", "inside", "plate_3"),
    )
    scene = HandMeThatScene(entities)

    def shapes(goal: Formula) -> list[int]:
        symmetry = Symmetry(scene, goal)
        found = []
        for number in range(6):
            name = f"plate_{number}"
            place = scene.by_name[name].container
            moved = Landing((), frozenset([("ontop", name, "floor_0")]), frozenset([("ontop", name, place)]))
            found.append(symmetry.shape(moved, [name, "floor_0"]))
        return [found.index(each) for each in found]

    dusted = Forall((Typed("?x", ("plate",)),), Not(Atom("dusty", ("?x",))))
    assert shapes(dusted) == [0, 0, 0, 3, 4, 5]
    assert shapes(Atom("ontop", ("plate_1", "sofa_0"))) == [0, 1, 0, 3, 4, 5]
    assert shapes(And((dusted, Atom("large", ("plate_1",))))) == [0, 1, 2, 3, 4, 5]
    assert shapes(Exists((Typed("?x", ("plate",)),), Atom("large", ("?x",)))) == [0, 1, 1, 3, 4, 5]


def test_what_the_human_holds_is_not_brought() -> None:
    scene, goal = case("put on", 5)
    name = next(each.name for each in scene.movables if each.category.name == "sandal")
    held = tuple(e if e.name != name else type(e)(name, states=e.states) for e in scene.entities)
    subgoals = Subgoals(HandMeThatScene(held, SceneAgent(scene.human.at, name), scene.robot), goal)
    assert (name, None) not in subgoals.candidates(Quest.BRING_ME)


def test_what_a_subgoal_wants_is_a_formula() -> None:
    scene, goal = case("clean places", 3)
    context = Subgoals(scene, goal).context
    assert formula_of(context, Quest.BRING_ME, ("rag_0", None)) == Atom("holding", (HUMAN, "rag_0"))
    assert formula_of(context, Quest.MOVE_TO, ("rag_0", "sink_0")) == Atom("inside", ("rag_0", "sink_0"))
    assert str(formula_of(context, Quest.CHANGE_STATE, ("stove_0", "clean"))).count("Not") == 2


def test_nothing_is_gained_where_no_plan_was_found_before(monkeypatch: pytest.MonkeyPatch) -> None:
    scene, goal = case("put on", 5)
    assert any(each.gain > 0 for each in Subgoals(scene, goal, THOROUGH).rewards(Quest.BRING_ME).values())
    now, cost = state_of(scene), CostToGo.cost

    def gives_up(service: CostToGo, state: State, effort: Effort) -> Cost:
        return Cost(inf, False, 0.0) if state <= now else cost(service, state, effort)

    monkeypatch.setattr(CostToGo, "cost", gives_up)
    subgoals = Subgoals(scene, goal, THOROUGH)
    rewards = subgoals.rewards(Quest.BRING_ME)
    assert subgoals.before.cost == inf
    assert {each.gain for each in rewards.values()} == {-inf}
    drawn = next(draw_requests(subgoals, Quest.BRING_ME, 0, 3, np.random.default_rng(0)))
    assert isinstance(drawn, WrongLevels), "a request needs a gain"
