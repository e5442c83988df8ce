"""HandMeThat's 69 goals: what the tables say, against the recorded goals and plans, and filled for scenes."""

from __future__ import annotations

import re
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from chorewright.domains.formulas import Universe, holds, types_mentioned_in
from chorewright.domains.handmethat.object_space import category_of, object_space
from chorewright.domains.library import find_template, handmethat_domain, load_shipped_library, user_library
from chorewright.domains.pddl import parse_formula
from chorewright.domains.pddl.subformulas import subformulas
from chorewright.domains.pddl.syntax import Equals, Exists, Formula, Not
from chorewright.domains.templates.goal_templates import Goal, candidates
from chorewright.domains.templates.goal_templates import instantiate as fill
from chorewright.domains.templates.slots import count_fillings, random_fillings, slot_groups
from chorewright.errors import InputError
from chorewright.planner.plan import GroundAction, Plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import simulate, validate
from chorewright.problems.handmethat.goals import NoInstance, feasible, instantiate, universe_of
from chorewright.problems.handmethat.scene import HandMeThatScene, SceneEntity, sample_scene
from chorewright.problems.handmethat.states import action_of_reference, problem_of, scene_from_objects, state_of
from tests.handmethat import chosen_episodes, each_episode

GOALS = user_library().collection("handmethat")
VOCABULARY = load_shipped_library().vocabulary("handmethat")

# Section A.2 of the paper.
VERSION_2 = """boxing books up for storage, bringing in wood, clearing the table after dinner, collect
misplaced items, collecting aluminum cans, installing alarms, laying tile floors, loading the
dishwasher, moving boxes to storage, organizing boxes in garage, organizing file cabinet,
picking up trash, putting away Christmas decorations, putting away Halloween decorations,
putting away toys, putting dishes away after cleaning, putting leftovers away, putting up
Christmas decorations inside, re-shelving library books, serving hors d'oeuvres, sorting books,
storing food, storing the groceries, thawing frozen food, throwing away leftovers"""

# Recorded plans that do not reach the table's goal: those with one category for three places, as they take
# back what they have placed; and those whose recorded goals leave out one basket or stocking.
MISSED = {
    "v1_raw/task-move_to-0-0-3.json.gz",
    "v1_raw/task-move_to-27-0-4.json.gz",
    "v1_raw/task-move_to-30-0-2.json.gz",
    *(f"v2_raw/task-bring_me-30-{end}.json.gz" for end in ("0-2", "100-3", "101-2", "102-2")),
}


def test_all_goals_of_the_tables_are_there_and_those_of_version_2_marked() -> None:
    assert [template.number for template in GOALS] == list(range(69))
    names = {re.sub("[^a-z]+", "-", name.strip().lower()) for name in VERSION_2.split(",")}
    marked = [template for template in GOALS if "version-2" in template.tags]
    assert {template.name for template in marked} == names
    assert len(marked) == 25
    for template in marked:
        # They are about places only, but for the box that is closed.
        text = str(template.goal)
        assert not re.search("sliced|cooked|soaked|dusty|stained|toggled", text)


SEVERAL = {
    "bottling-fruit": {"jar": 2},
    "clearing-the-table-after-dinner": {"bucket": 2},  # y1 and y2 stand in formulas of their own
    "organizing-boxes-in-garage": {"box": 3},
    "packing-boxes-for-household-move-or-trip": {"box": 2},
    "packing-lunches": {"box": 2},
    "packing-picnics": {"box": 3},
    "preparing-food": {"plate": 2},
    "serving-a-meal": {"dish": 2},
}
"""The containers that Tables 12 to 16 number: y1, y2, y3."""


def test_containers_that_the_tables_number_are_different_ones() -> None:
    found: dict[str, dict[str, int]] = {}
    for template in user_library().collection("handmethat"):
        every = list(subformulas(template.goal))
        apart = {
            frozenset((each.operand.left, each.operand.right))
            for each in every
            if isinstance(each, Not) and isinstance(each.operand, Equals)
        }
        for each in every:
            if not isinstance(each, Exists):
                continue
            for kind in dict.fromkeys(variable.types[0] for variable in each.variables):
                alike = [variable.name for variable in each.variables if variable.types[0] == kind]
                if len(alike) > 1:
                    assert all(frozenset(pair) in apart for pair in combinations(alike, 2)), template.name
                    found.setdefault(template.name, {})[kind] = len(alike)
    assert found == SEVERAL


def test_slots_of_one_subclass_are_filled_distinctly() -> None:
    for template in GOALS:
        ranges: dict[str, set[str]] = {}
        for slot in template.slots:
            ranges.setdefault(re.sub(r"\d$", "", slot.name), set()).add(slot.name)
        binding = dict(next(random_fillings([candidates(g, VOCABULARY) for g in slot_groups(template)], numbers())))
        for names in ranges.values():
            assert len({binding[name] for name in names}) == len(names)


def numbers() -> np.random.Generator:
    return np.random.default_rng(5)


def test_fillings_are_counted_without_listing_them() -> None:
    for template in user_library().templates():
        vocabulary = load_shipped_library().vocabulary(template.domain)
        count = count_fillings(template, vocabulary)
        if count < 2000:
            assert count == len(candidates(template, vocabulary))
    assert sum(count_fillings(template, VOCABULARY) for template in GOALS) > 300_000


def test_random_fillings_are_all_fillings_once() -> None:
    template = find_template("handmethat/putting-up-christmas-decorations-inside")
    groups = [candidates(group, VOCABULARY) for group in slot_groups(template)]
    found = list(random_fillings(groups, numbers()))
    assert len(found) == len(set(found)) == count_fillings(template, VOCABULARY) == 240
    assert {frozenset(each) for each in found} == {frozenset(each) for each in candidates(template, VOCABULARY)}
    assert found != list(random_fillings(groups, np.random.default_rng(6)))


@each_episode
def test_recorded_plans_reach_the_tables_goals(chosen: str) -> None:
    for name, recorded in chosen_episodes(chosen):
        template = GOALS[recorded["goal_idx"]]
        goal = fill(template, _binding(recorded), VOCABULARY)
        scene = scene_from_objects(recorded["initial_object_dict"])
        steps = [action_of_reference(each["name"], each["arguments"]) for each in recorded["_possible_solution"]]
        plan = [GroundAction(step[0], step[1:]) for step in steps]
        verdict = validate(handmethat_domain(), problem_of(scene, goal.goal), plan)
        assert verdict.valid == (name not in MISSED), f"{name}: {verdict.message}"


def _binding(recorded: dict[str, Any]) -> dict[str, str]:
    """Fill the slots with the categories of a recorded goal, in the order in which it has them."""
    space, template = object_space(), GOALS[recorded["goal_idx"]]
    found = re.findall(r"type-(\w+)|(\w+)#\d", recorded["_goal"])
    left = [space.category_of_reference(a or b).name for a, b in dict.fromkeys(found)]
    binding = {}
    for group in slot_groups(template):
        for slot in group.slots:
            allowed = {dict(each)[slot.name] for each in candidates(group, VOCABULARY)}
            binding[slot.name] = next(kind for kind in left if kind in allowed)
            left.remove(binding[slot.name])
    return binding


@pytest.fixture(scope="module")
def some_scenes() -> list[HandMeThatScene]:
    return [sample_scene(np.random.default_rng(seed)) for seed in range(20)]


def test_instances_are_possible_and_not_yet_true(some_scenes: list[HandMeThatScene]) -> None:
    filled: set[int | None] = set()
    for number, scene in enumerate(some_scenes):
        state, universe = state_of(scene), universe_of(scene)
        for template in GOALS:
            if number > 2 and template.number in filled:
                continue
            goal = instantiate(template, scene, np.random.default_rng(number))
            if isinstance(goal, NoInstance):
                assert goal.reason
                continue
            filled.add(template.number)
            assert goal == instantiate(template, scene, np.random.default_rng(number))
            assert not holds(goal.goal, state, universe)
            assert feasible(goal.goal, state, universe)
            assert all(universe.members((name,)) for name in types_mentioned_in(goal.goal))
            assert not any("{" in sentence for sentence in goal.sentences)
    assert filled == set(range(69))


def test_given_slots_are_kept(some_scenes: list[HandMeThatScene]) -> None:
    template = find_template("handmethat/storing-food")
    for scene in some_scenes:
        present = [kind for kind in object_space().members("snack") if kind in scene.by_category]
        for kind in object_space().members("snack"):
            goal = instantiate(template, scene, numbers(), {"snack": kind})
            if isinstance(goal, Goal):
                assert dict(goal.binding)["snack"] == kind
            elif kind not in present:
                assert goal == NoInstance(f"the scene has nothing to fill ?snack with snack={kind}")
    with pytest.raises(InputError, match="has no slot 'fruit'"):
        instantiate(template, some_scenes[0], numbers(), {"fruit": "apple"})


SMALL = (
    SceneEntity("table_0"),
    SceneEntity("basket_0", "ontop", "table_0"),
    SceneEntity("basket_1", "ontop", "table_0"),
    SceneEntity("lamp_0", "ontop", "table_0"),
    SceneEntity("lamp_1", "ontop", "table_0"),
    SceneEntity("chip_0", "ontop", "table_0"),
)


@pytest.mark.parametrize(
    "goal",
    [
        "(forall (?y - basket) (exists (?x - lamp) (inside ?x ?y)))",
        "(forall (?y - basket) (exists (?x - chip) (inside ?x ?y)))",
        "(forall (?y - basket) (exists (?x - item) (inside ?x ?y)))",
        "(and (forall (?y - basket) (exists (?x - lamp) (inside ?x ?y))) (exists (?x - lamp) (ontop ?x table_0)))",
        "(exists (?y - basket) (forall (?x - lamp) (inside ?x ?y)))",
        "(exists (?y - basket) (forall (?x - movable) (inside ?x ?y)))",
        "(exists (?y ?z - basket) (and (not (= ?y ?z)) (inside ?y ?z)))",
        "(exists (?y ?z - basket ?x - chip) (and (not (= ?y ?z)) (inside ?x ?z) (ontop ?y table_0)))",
        "(exists (?x - lamp) (ontop ?x basket_0))",
        "(at-least 2 (?x - lamp) (inside ?x basket_1))",
        "(at-least 3 (?x - lamp) (inside ?x basket_1))",
        "(or (inside chip_0 lamp_0) (inside chip_0 basket_0))",
        "(imply (inside chip_0 basket_0) (inside chip_0 basket_1))",
        "(and (inside chip_0 basket_0) (not (inside chip_0 basket_0)))",
        "(and (inside chip_0 basket_0) (not (inside chip_0 basket_1)))",
        "(cooked lamp_0)",
        "(exists (?x - movable) (cooked ?x))",
        "(forall (?x - basket) (and (dusty ?x) (ontop ?x table_0)))",
        "(and (dusty table_0) (exists (?x - table) (not (dusty ?x))))",
    ],
)
def test_feasible_is_what_trying_all_placements_finds(goal: str) -> None:
    scene = HandMeThatScene(SMALL)
    formula, universe = parse_formula(goal, handmethat_domain(), objects(scene)), universe_of(scene)
    assert feasible(formula, state_of(scene), universe) == possible(formula, scene, universe)


def objects(scene: HandMeThatScene) -> tuple[Any, ...]:
    return problem_of(scene, parse_formula("(and)", handmethat_domain())).objects


def possible(goal: Formula, scene: HandMeThatScene, universe: Universe) -> bool:
    """Try every place of every object with every state of all objects of a category."""
    fixed = frozenset(atom for atom in state_of(scene) if atom[0] not in ("inside", "ontop", "dusty", "cooked"))
    names = [each.name for each in scene.movables]
    places = {
        name: [("ontop", name, "table_0")]
        + [("inside", name, f"basket_{k}") for k in (0, 1) if category_of(name) != "basket"]
        for name in names
    }
    states = [{("dusty", each.name) for each in scene.entities if each.can_be("dusty")}, set()]
    states += [part | {("cooked", "chip_0")} for part in states]
    return any(
        holds(goal, fixed | set(chosen) | part, universe)
        for chosen in product(*(places[name] for name in names))
        for part in states
    )


def _solved(number: int, seed: int) -> None:
    """Solve one goal in the first scene that suits it, and look at the end of the plan."""
    for attempt in range(40):
        rng = np.random.default_rng((number, seed, attempt))
        scene = sample_scene(rng)
        goal = instantiate(GOALS[number], scene, rng)
        if isinstance(goal, Goal):
            break
    assert isinstance(goal, Goal), goal
    problem = problem_of(scene, goal.goal)
    answer = solve(handmethat_domain(), problem)
    assert isinstance(answer, Plan)
    end = simulate(handmethat_domain(), problem, answer.actions)[-1].state
    assert holds(goal.goal, end, universe_of(scene))


@pytest.mark.parametrize("number", [2, 6, 24, 45, 61, 68])
def test_goals_are_solved(number: int) -> None:
    _solved(number, 0)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(69))
def test_all_goals_are_solved(number: int) -> None:
    _solved(number, 1)
