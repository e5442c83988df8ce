"""Goal inference, against trying all instances, costs in the whole scene, Bayes' rule, recorded episodes."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from math import exp

import numpy as np
import pytest

from chorewright.domains.formulas import holds
from chorewright.domains.handmethat.object_space import object_space
from chorewright.domains.library import find_template, handmethat_domain, load_shipped_library, user_library
from chorewright.domains.templates.goal_templates import GoalTemplate, instantiate, slot_candidates
from chorewright.planner.cost_to_go.costs_to_go import SATISFICING, CostToGo, Effort
from chorewright.planner.plan import GroundAction, Plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import simulate
from chorewright.problems.handmethat.goals import feasible, universe_of
from chorewright.problems.handmethat.scene import HandMeThatScene, containers, relevant, restrict, sample_scene
from chorewright.problems.handmethat.states import (
    action_of_reference,
    problem_of,
    scene_at,
    scene_from_objects,
    state_of,
)
from chorewright.rsa.handmethat.goal_hypotheses import Hypothesis, Watched, hypotheses
from chorewright.rsa.handmethat.goal_inference import EpisodeRules, ProbableGoal, goal_posterior, listener_with_goals
from chorewright.rsa.handmethat.meanings import Meaning, Quest
from chorewright.rsa.handmethat.subgoals import Subgoals
from chorewright.rsa.handmethat.utility import pool
from chorewright.rsa.speech_acts import speech_acts
from tests.handmethat import chosen_episodes, each_episode

VOCABULARY = load_shipped_library().vocabulary("handmethat")
PROVING = Effort(provable=60, proof=2_000)

# Template, what it is filled with, what else the scene has, and how many of the plan's actions are seen.
SEEN = [
    ("storing-food", "pasta chip sauce catsup", "soup sugar candy", 8),
    ("storing-food", "pasta chip sauce catsup", "soup sugar candy", 14),
    ("throwing-away-leftovers", "candy", "chip pasta ashcan", 5),
    ("collect-misplaced-items", "shoe bow book", "sandal pad", 9),
    ("installing-alarms", "mouse", "alarm", 4),
    ("polishing-silver", "spoon", "dishtowel", 6),
    ("preserving-food", "jar apple pork", "bottle date egg knife", 7),
    ("setting-up-candles", "chair candle", "seat lamp", 3),
]


def watched(
    name: str, filling: str, others: str, count: int
) -> tuple[HandMeThatScene, HandMeThatScene, list[GroundAction]]:
    """A small scene, the same after some actions towards a goal, and these actions."""
    template = find_template(f"handmethat/{name}")
    goal = instantiate(template, dict(zip(template.slot_names, filling.split(), strict=True)), VOCABULARY).goal
    for seed in range(60):
        whole = sample_scene(np.random.default_rng(seed))
        kinds = {*filling.split(), *others.split()}
        if not kinds <= {each.category.name for each in whole.entities}:
            continue
        names = {each.name for each in whole.entities if each.category.name in kinds} | relevant(whole, goal)
        names |= {up for each in sorted(names) for up in containers(whole, each)}
        start = restrict(whole, frozenset(names))
        state, universe = state_of(start), universe_of(start)
        if holds(goal, state, universe) or not feasible(goal, state, universe):
            continue
        problem = problem_of(start, goal)
        answer = solve(handmethat_domain(), problem)
        assert isinstance(answer, Plan)
        if len(answer.actions) > count:
            steps = simulate(handmethat_domain(), problem, answer.actions[:count])
            return start, scene_at(start, steps[-1].state), list(answer.actions[:count])
    raise AssertionError("no scene suits the goal")


def explaining(template: GoalTemplate, start: HandMeThatScene, seen: list[GroundAction]) -> list[dict[str, str]]:
    """All fillings with what the scene has of which all that was handled can matter for the goal."""
    handled = {
        name for step in seen if not step.name.startswith(("move", "open", "close")) for name in step.arguments[1:]
    }
    present = [
        [kind for kind in slot_candidates(slot, VOCABULARY) if kind in start.by_category] for slot in template.slots
    ]
    fillings = [dict(zip(template.slot_names, kinds, strict=True)) for kinds in product(*present)]
    return [
        filling
        for filling in fillings
        if len(set(filling.values())) == len(filling)
        and handled <= relevant(start, instantiate(template, filling, VOCABULARY).goal)
    ]


def alike(hypothesis: Hypothesis, filling: dict[str, str]) -> bool:
    """Whether a filling has what a hypothesis has, in these slots or in others of the same sort."""

    def sort(slot: str) -> str:
        return slot.rstrip("0123456789")

    left = [(sort(slot), kind) for slot, kind in filling.items()]
    return all((sort(slot), kind) in left for slot, kind in hypothesis.binding)


@pytest.mark.parametrize(("name", "filling", "others", "count"), SEEN)
def test_hypotheses_are_the_fillings_that_explain_what_was_handled(
    name: str, filling: str, others: str, count: int
) -> None:
    start, _, seen = watched(name, filling, others, count)
    true = find_template(f"handmethat/{name}")
    for template in (true, find_template("handmethat/putting-leftovers-away")):
        found = hypotheses(template, Watched(start, seen))
        fillings = explaining(template, start, seen)
        assert bool(found) == bool(fillings)
        assert all(any(alike(each, one) for each in found) for one in fillings)
        assert all(any(alike(each, one) for one in fillings) for each in found)
    assert dict(zip(true.slot_names, filling.split(), strict=True)) in explaining(true, start, seen)


@pytest.mark.parametrize(("name", "filling", "others", "count"), SEEN)
def test_instances_agree_and_are_yet_to_be_reached(name: str, filling: str, others: str, count: int) -> None:
    start, _, seen = watched(name, filling, others, count)
    state, universe = state_of(start), universe_of(start)
    for each in hypotheses(find_template(f"handmethat/{name}"), Watched(start, seen)):
        goals, share = each.instances(Watched(start, seen), np.random.default_rng(1), 5)
        assert (goals, share) == each.instances(Watched(start, seen), np.random.default_rng(1), 5)
        assert 0 < share <= 1
        assert len({goal.binding for goal in goals}) == len(goals) <= 5
        for goal in goals:
            assert dict(each.binding).items() <= dict(goal.binding).items()
            assert not holds(goal.goal, state, universe)
            assert feasible(goal.goal, state, universe)


def test_as_many_instances_that_serve_are_drawn_as_there_are() -> None:
    start, _, seen = watched("collect-misplaced-items", "shoe bow book", "sandal pad", 2)
    (each, *_) = hypotheses(find_template("handmethat/collect-misplaced-items"), Watched(start, seen))
    every, share = each.instances(Watched(start, seen), np.random.default_rng(1), 100)
    few = [goal for goal in every if "book" in dict(goal.binding).values()]
    found, less = each.instances(Watched(start, seen), np.random.default_rng(1), len(few), few.__contains__)
    assert 0 < len(few) < len(every)
    assert found == few
    assert less / share == pytest.approx(len(few) / len(every))


@pytest.mark.parametrize(("name", "filling", "others", "count"), [SEEN[2], SEEN[4]])
def test_posterior_is_the_prior_times_what_regret_makes_of_it(name: str, filling: str, others: str, count: int) -> None:
    start, now, seen = watched(name, filling, others, count)
    names = (name, "collecting-aluminum-cans", "picking-up-trash")
    templates = [find_template(f"handmethat/{each}") for each in names]
    found = goal_posterior(start, now, seen, np.random.default_rng(0), templates, 0.7, PROVING)
    assert sum(each.probability for each in found) == pytest.approx(1)
    assert [each.probability for each in found] == sorted((each.probability for each in found), reverse=True)
    assert {each.goal.template for each in found} == {templates[0].full_name}
    scores = []
    for each in found:
        before, after = whole_costs(each, start, now)
        assert each.regret == count + after - before
        scores.append(exp(-0.7 * each.regret) / (count + after))
    assert [each.probability for each in found] == pytest.approx([each / sum(scores) for each in scores])


def whole_costs(each: ProbableGoal, start: HandMeThatScene, now: HandMeThatScene) -> tuple[float, float]:
    states = [state_of(start), state_of(now)]
    problem = problem_of(start, each.goal.goal)
    service = CostToGo(handmethat_domain(), problem, states, relevant=False)
    before, after = (service.cost(state, PROVING) for state in states)
    assert before.optimal
    assert after.optimal
    return before.cost, after.cost


def test_detours_make_a_goal_less_probable() -> None:
    start, now, seen = watched(*SEEN[2])
    templates = (find_template("handmethat/throwing-away-leftovers"),)
    rng = np.random.default_rng(0)
    straight = goal_posterior(start, now, seen, rng, templates, effort=PROVING)
    assert min(each.regret for each in straight) == 0
    there = next(place for place in ("bed_0", "sofa_0") if place != now.human.at)
    detour = [
        *seen,
        GroundAction("move", ("human_0", now.human.at, there)),
        GroundAction("move", ("human_0", there, now.human.at)),
    ]
    after = goal_posterior(start, now, detour, rng, templates, effort=PROVING)
    assert [each.regret for each in after] == [each.regret + 2 for each in straight]


def test_nothing_explains_what_no_goal_needs() -> None:
    start, now, seen = watched("throwing-away-leftovers", "candy", "chip pasta ashcan", 5)
    templates = (find_template("handmethat/bringing-in-wood"),)
    assert goal_posterior(start, now, seen, np.random.default_rng(0), templates) == ()


def joint(now: HandMeThatScene, utterance: Meaning, goals: tuple[ProbableGoal, ...]) -> dict[Meaning, float]:
    """P(m | u) by summing P(G) P(m | G) P(u | m, G) over goals and normalizing."""
    found: dict[Meaning, float] = {}
    for each in goals:
        subgoals = Subgoals(now, each.goal.goal, SATISFICING)
        meanings = pool(subgoals.context, utterance.quest, subgoals.gains(utterance.quest))
        if not meanings.meanings:
            continue
        acts = speech_acts(meanings)
        for meaning, prior in zip(meanings.meanings, np.exp(meanings.log_prior), strict=True):
            if utterance in acts.number:
                said = float(acts.speaker(meaning)[acts.number[utterance]])
                found[meaning] = found.get(meaning, 0.0) + each.probability * float(prior) * said
    total = sum(found.values())
    return {meaning: weight / total for meaning, weight in found.items() if weight > 0}


@pytest.mark.parametrize(("quest", "row"), [(Quest.BRING_ME, SEEN[1]), (Quest.MOVE_TO, SEEN[4])])
def test_listener_is_bayes_rule_over_goals_and_meanings(quest: Quest, row: tuple[str, str, str, int]) -> None:
    start, now, seen = watched(*row)
    templates = [find_template(f"handmethat/{row[0]}")]
    goals = goal_posterior(start, now, seen, np.random.default_rng(0), templates)
    assert len(goals) > 1 or quest is Quest.MOVE_TO
    said = 0
    for utterance in (Meaning(quest), Meaning(quest, (("class", "food"),)), Meaning(quest, (("dusty", True),))):
        found = listener_with_goals(now, utterance, goals)
        if found:
            assert sum(found.values()) == pytest.approx(1)
            expected = joint(now, utterance, goals)
            assert set(found) == set(expected)
            assert all(found[each] == pytest.approx(expected[each]) for each in found)
            said += 1
    assert said >= 1


def test_a_known_goal_gives_the_listener_of_the_paper() -> None:
    start, now, seen = watched("collect-misplaced-items", "shoe bow book", "sandal pad", 9)
    (first, *_) = goal_posterior(
        start, now, seen, np.random.default_rng(0), [find_template("handmethat/collect-misplaced-items")]
    )
    subgoals = Subgoals(now, first.goal.goal, SATISFICING)
    acts = speech_acts(pool(subgoals.context, Quest.BRING_ME, subgoals.gains(Quest.BRING_ME)))
    for utterance in acts.utterances[::50]:
        found = listener_with_goals(now, utterance, [replace(first, probability=1.0)])
        listener = acts.listener(utterance)
        for meaning, probability in found.items():
            assert probability == pytest.approx(float(listener[acts.pool.number[meaning]]))


def test_what_serves_no_goal_means_nothing() -> None:
    start, now, seen = watched("throwing-away-leftovers", "candy", "chip pasta ashcan", 5)
    goals = goal_posterior(
        start, now, seen, np.random.default_rng(0), [find_template("handmethat/throwing-away-leftovers")]
    )
    assert listener_with_goals(now, Meaning(Quest.BRING_ME, (("type", "printer"),)), goals) == {}


@each_episode
def test_the_recorded_goal_explains_the_recorded_actions(chosen: str) -> None:
    for name, recorded in chosen_episodes(chosen):
        template = user_library().collection("handmethat")[recorded["goal_idx"]]
        start = scene_from_objects(recorded["initial_object_dict"])
        steps = [action_of_reference(each["name"], each["arguments"]) for each in recorded["action_list"]]
        seen = [GroundAction(step[0], step[1:]) for step in steps]
        found = hypotheses(template, Watched(start, seen))
        named = re.findall(r"type-(\w+)|(\w+)#\d", recorded["_goal"])
        kinds = {object_space().category_of_reference(a or b).name for a, b in named}
        assert any({kind for _, kind in each.binding} <= kinds for each in found), name


def test_goals_that_a_request_cannot_serve_are_left_out_and_would_not_have_mattered() -> None:
    start, now, seen = watched(*SEEN[0])
    templates = [find_template(f"handmethat/{SEEN[0][0]}")]
    every = goal_posterior(start, now, seen, np.random.default_rng(0), templates)
    utterance = Meaning(Quest.BRING_ME, (("type", "sugar"),))
    heard = goal_posterior(start, now, seen, np.random.default_rng(0), templates, utterance=utterance)
    serving = [each for each in every if "sugar" in dict(each.goal.binding).values()]
    assert 0 < len(serving) < len(every)
    assert {each.goal.binding for each in heard} == {each.goal.binding for each in serving}
    for each in every:
        assert each in serving or not joint(now, utterance, (each,))
    assert sum(each.probability for each in heard) == pytest.approx(1)
    total = sum(each.probability for each in serving)
    ratios = {each.goal.binding: each.probability / total for each in serving}
    assert all(each.probability == pytest.approx(ratios[each.goal.binding]) for each in heard)


def test_goals_that_can_add_little_are_not_asked() -> None:
    start, now, seen = watched(*SEEN[0])
    template = find_template(f"handmethat/{SEEN[0][0]}")
    (first, *_) = goal_posterior(start, now, seen, np.random.default_rng(0), [template])
    filling = dict(zip(template.slot_names, ("soup", "candy", "sugar", "catsup"), strict=True))
    one = replace(first, probability=1.0)
    other = replace(first, goal=instantiate(template, filling, VOCABULARY))
    utterance = Meaning(Quest.BRING_ME)
    alone = listener_with_goals(now, utterance, [one])
    for probability, asked in ((1e-4, False), (0.9, True)):
        found = listener_with_goals(now, utterance, [one, replace(other, probability=probability)])
        assert (found != alone) == asked


RULES = EpisodeRules(1, 1000, {Quest.BRING_ME: (0.4, 0.3, 0.2, 0.1)}, others=True)


def test_a_request_of_a_level_weighs_as_often_as_it_is_asked_for() -> None:
    """Weights times chances are the shares that a version wants; what misleads is never asked."""
    chances = [0.3, 0.05, 0.4, 0.2499, 0.0001]
    weights = RULES.level_weights(Quest.BRING_ME, chances)
    kept = [weight * chance for weight, chance in zip(weights, chances, strict=True)]
    assert kept[:4] == pytest.approx([0, 0.4, 0.3, 0.2])
    assert 0 < kept[4] < 0.01 + 0.1 * (1 - exp(-0.1))
    natural = replace(RULES, shares=None).level_weights(Quest.BRING_ME, chances)
    assert sum(weight * chance for weight, chance in zip(natural, chances, strict=True)) == pytest.approx(1)
    assert natural[0] == 0


def test_one_stops_where_a_place_from_the_middle_leads() -> None:
    """Of a plan of 12 actions 4 to 7 are drawn, and the next place with an empty hand is taken."""
    strict = replace(RULES, others=False)
    chances = {stop: strict.stop_chance([at for at in (3, 6, 9) if at < stop], stop, 12) for stop in (3, 6, 9)}
    assert chances[6] == pytest.approx(3 / 4)
    assert chances[9] == pytest.approx(1 / 4)
    assert chances[3] < 0.05
    assert RULES.stop_chance([3, 6], 9, 12) > RULES.stop_chance([], 3, 12) > 0


def test_a_listener_that_knows_the_rules_weighs_what_it_is_told_to() -> None:
    start, now, seen = watched(*SEEN[0])
    templates = [find_template(f"handmethat/{SEEN[0][0]}"), find_template("handmethat/bringing-in-wood")]
    filling = dict(zip(templates[0].slot_names, ("soup", "candy", "sugar", "catsup"), strict=True))
    own = instantiate(templates[0], filling, VOCABULARY)
    found = goal_posterior(start, now, seen, np.random.default_rng(0), templates, rules=RULES, also=[own])
    assert any(each.goal == own for each in found)
    assert sum(each.probability for each in found) == pytest.approx(1)
    heard = listener_with_goals(now, Meaning(Quest.BRING_ME), found, rules=RULES)
    assert sum(heard.values()) == pytest.approx(1)
    assert heard != listener_with_goals(now, Meaning(Quest.BRING_ME), found)
