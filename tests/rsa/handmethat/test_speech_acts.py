"""Meanings, speaker, listener and levels on small scenes, against enumeration of everything."""

from __future__ import annotations

from dataclasses import replace
from math import exp

import numpy as np
import pytest

from chorewright.errors import InputError, UsageError
from chorewright.rsa.handmethat.descriptions import Description, cost_of, description_of, quests
from chorewright.rsa.handmethat.meanings import Context, Grounding, Meaning, Quest, meaning_of
from chorewright.rsa.handmethat.utility import hardness, levels, pool, useful_extent, utterances
from chorewright.rsa.speech_acts import speech_acts
from tests.rsa.handmethat.enumeration import (
    all_descriptions,
    random_context,
    random_gains,
    slow_complexity,
    slow_groundings,
    slow_listener,
)

SEEDS = range(8)


def case(quest: Quest, seed: int) -> tuple[Context, dict[Grounding, float]]:
    """A small scene with rewards, some of which are positive."""
    rng = np.random.default_rng([seed, list(Quest).index(quest)])
    context = random_context(rng, 6)
    return context, random_gains(context, quest, rng, 4)


def slow_meanings(context: Context, quest: Quest, gains: dict[Grounding, float]) -> dict[Meaning, float]:
    """All meanings with A(m) ⊆ A(G) and their probabilities, by section 3.2."""
    useful = {grounding for grounding, gain in gains.items() if gain > 0}
    scores = {}
    for argument in context.arguments(quest):
        for description in all_descriptions(context):
            meaning = Meaning(quest, description, argument)
            found = slow_groundings(context, meaning)
            if found and found <= useful:
                utility = sum(gains[each] for each in found) / len(found)
                scores[meaning] = exp(3 * utility - 1.5 * slow_complexity(meaning))
    total = sum(scores.values())
    return {meaning: score / total for meaning, score in scores.items()}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("quest", Quest)
def test_groundings_are_those_of_brute_force(quest: Quest, seed: int) -> None:
    context, _ = case(quest, seed)
    rng = np.random.default_rng(seed)
    descriptions = all_descriptions(context)
    arguments = [*context.arguments(quest), *([None] if quest is Quest.MOVE_TO else [])]
    for argument in arguments:
        for number in rng.integers(len(descriptions), size=60):
            meaning = Meaning(quest, descriptions[int(number)], argument)
            found = context.groundings(meaning)
            assert len(found) == len(set(found))
            assert set(found) == slow_groundings(context, meaning)
            assert context.extent_of(found) == context.extent(meaning)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("quest", Quest)
def test_the_pool_is_all_meanings_with_their_probabilities(quest: Quest, seed: int) -> None:
    context, gains = case(quest, seed)
    truth = slow_meanings(context, quest, gains)
    found = pool(context, quest, gains)
    assert set(found.meanings) == set(truth)
    assert len(found.meanings) == len(truth)
    if truth:
        expected = [truth[meaning] for meaning in found.meanings]
        np.testing.assert_allclose(np.exp(found.log_prior), expected, rtol=1e-9)
        assert [meaning.cost for meaning in found.meanings] == sorted(m.cost for m in truth)


@pytest.mark.parametrize(("seed", "depth"), [(0, 1), (1, 10), (2, 10), (3, 10), (4, 2), (6, 10)])
@pytest.mark.parametrize("quest", Quest)
def test_speaker_and_listener_are_those_of_enumeration(quest: Quest, seed: int, depth: int) -> None:
    context, gains = case(quest, seed)
    meanings = pool(context, quest, gains)
    if not meanings.meanings:
        pytest.skip("nothing useful can be described")
    acts = speech_acts(meanings, depth)
    prior = slow_meanings(context, quest, gains)
    arguments = [*context.arguments(quest), *([None] if quest is Quest.MOVE_TO else [])]
    every = [Meaning(quest, each, argument) for argument in arguments for each in all_descriptions(context)]
    meant = {meaning: slow_groundings(context, meaning) for meaning in prior}
    things = {u: slow_groundings(context, u) for u in every}
    said = [u for u in every if any(meant[m] <= things[u] for m in prior)]
    assert set(acts.utterances) == set(said)
    assert len(acts.utterances) == len(said)
    literal = {(m, u): meant[m] <= things[u] for m in prior for u in said}
    speaker, listener = slow_listener(list(prior), prior, said, literal, depth)
    for meaning in meanings.meanings:
        found = acts.speaker(meaning)
        assert found.sum() == pytest.approx(1, abs=1e-9)
        np.testing.assert_allclose(found, [speaker[meaning, u] for u in acts.utterances], rtol=1e-6, atol=1e-12)
    for utterance in said:
        found = acts.listener(utterance)
        assert found.sum() == pytest.approx(1, abs=1e-9)
        expected = np.array([listener[m, utterance] for m in meanings.meanings])
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-12)
        assert expected[meanings.number[acts.understand(utterance)]] >= expected.max() * (1 - 1e-6)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("quest", Quest)
def test_levels_are_those_of_the_paper(quest: Quest, seed: int) -> None:
    context, gains = case(quest, seed)
    meanings = pool(context, quest, gains)
    if not meanings.meanings:
        pytest.skip("nothing useful can be described")
    acts = speech_acts(meanings)
    useful = {grounding for grounding, gain in gains.items() if gain > 0}
    rng = np.random.default_rng(seed)
    for _ in range(30):
        m = meanings.sample(rng)
        u = acts.say(m, rng)
        r = acts.understand(u)
        a_m, a_u, a_r = (slow_groundings(context, each) for each in (m, u, r))
        assert a_m <= useful
        assert a_m <= a_u
        assert a_r <= a_u
        rules = [a_m == a_u, a_m == a_u & useful, a_m == a_r, a_m < a_r]
        expected = rules.index(True) + 1 if any(rules) else None
        assert hardness(context, useful_extent(context, gains), m, u, r) == expected


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("quest", Quest)
def test_levels_are_as_probable_as_all_that_is_meant_and_said(quest: Quest, seed: int) -> None:
    context, gains = case(quest, seed)
    meanings = pool(context, quest, gains)
    if not meanings.meanings:
        pytest.skip("nothing useful can be described")
    acts = speech_acts(meanings)
    useful = useful_extent(context, gains)
    expected = np.zeros(5)
    of_level: dict[int, dict[tuple[Meaning, Meaning], float]] = {}
    for m, chance in zip(meanings.meanings, np.exp(meanings.log_prior), strict=True):
        for u, share in zip(acts.utterances, acts.speaker(m), strict=True):
            level = hardness(context, useful, m, u, acts.understand(u)) or 0 if share else 0
            expected[level] += chance * share
            if share:
                of_level.setdefault(level, {})[m, u] = chance * share
    table = levels(acts, useful)
    np.testing.assert_allclose(table.probabilities, expected, atol=1e-12)
    rng = np.random.default_rng(seed)
    for level in np.flatnonzero(expected[1:] > 1e-9) + 1:
        drawn = [table.sample(int(level), rng) for _ in range(400)]
        assert set(drawn) <= set(of_level[level])
        likely, chance = max(of_level[level].items(), key=lambda each: each[1])
        assert drawn.count(likely) / 400 == pytest.approx(chance / expected[level], abs=0.1)


def test_some_cases_have_each_level() -> None:
    """So that the tests of levels compare something of each."""
    found = np.zeros(5)
    for quest in Quest:
        for seed in SEEDS:
            context, gains = case(quest, seed)
            meanings = pool(context, quest, gains)
            if meanings.meanings:
                found += levels(speech_acts(meanings), useful_extent(context, gains)).probabilities > 1e-6
    assert (found >= 1).all(), found


def test_drawing_follows_the_probabilities() -> None:
    context, gains = case(Quest.BRING_ME, 3)
    meanings = pool(context, Quest.BRING_ME, gains)
    acts = speech_acts(meanings)
    rng = np.random.default_rng(5)
    drawn = [meanings.number[meanings.sample(rng)] for _ in range(4000)]
    shares = np.bincount(drawn, minlength=len(meanings.meanings)) / 4000
    np.testing.assert_allclose(shares, np.exp(meanings.log_prior), atol=0.03)
    meaning = meanings.meanings[-1]
    said = [acts.number[acts.say(meaning, rng)] for _ in range(4000)]
    shares = np.bincount(said, minlength=len(acts.utterances)) / 4000
    np.testing.assert_allclose(shares, acts.speaker(meaning), atol=0.03)


def test_all_useful_meanings_are_in_the_pool_of_the_formula_alone() -> None:
    context, gains = case(Quest.BRING_ME, 3)
    strict = pool(context, Quest.BRING_ME, gains)
    free = pool(context, Quest.BRING_ME, gains, useful_only=False)
    assert set(strict.meanings) < set(free.meanings)
    assert not any(meaning.description == () for meaning in strict.meanings)
    anything = free.number[Meaning(Quest.BRING_ME)]
    everything = slow_groundings(context, Meaning(Quest.BRING_ME))
    expected = sum(gains.get(each, 0.0) for each in everything) / len(everything)
    assert free.utility[anything] == pytest.approx(expected)


def test_the_order_of_rewards_and_of_things_does_not_matter() -> None:
    context, gains = case(Quest.MOVE_TO, 2)
    turned = pool(context, Quest.MOVE_TO, dict(reversed(gains.items())))
    assert turned.meanings == pool(context, Quest.MOVE_TO, gains).meanings
    backwards = replace(context, items=context.items[::-1])
    other = pool(backwards, Quest.MOVE_TO, gains)
    assert set(other.meanings) == set(turned.meanings)


def test_nothing_useful_gives_no_meaning() -> None:
    context, _ = case(Quest.BRING_ME, 0)
    empty = pool(context, Quest.BRING_ME, {})
    assert empty.meanings == ()
    assert utterances(empty) == ()
    with pytest.raises(UsageError, match="without meanings"):
        speech_acts(empty)


@pytest.mark.parametrize(
    ("quest", "description", "argument", "cost"),
    [
        # Table 18, in its order.
        ("bring_me", {}, None, 0),
        ("bring_me", {"class": "food"}, None, 1),
        ("bring_me", {"type": "apple", "ontop": "table_0"}, None, 4),
        ("move_to", {}, None, 0),
        ("move_to", {"size": "large", "class": "receptacle"}, None, 2),
        ("move_to", {"size": "large", "color": "red", "subclass": "box"}, "sofa_0", 5),
        ("change_state", {}, "slice", 0),
        ("change_state", {"ontop": "table_0"}, "slice", 1),
        ("change_state", {"frozen": False, "type": "apple", "ontop": "table_0"}, "slice", 5),
        ("bring_me", {"cooked": True, "ontop": "table_0"}, None, 2),
        ("bring_me", {"type": "box"}, None, 3),
    ],
)
def test_costs_are_those_of_the_paper(
    quest: str, description: dict[str, str | bool], argument: str | None, cost: int
) -> None:
    assert meaning_of(quest, description, argument).cost == cost


@pytest.mark.parametrize(
    ("quest", "description", "argument", "specifiers"),
    [
        # The example of section 3.2, then a category of each kind, which is one specifier.
        ("bring_me", {"inside": "sink_0"}, None, 1),
        ("bring_me", {}, None, 0),
        ("bring_me", {"class": "food"}, None, 1),
        ("bring_me", {"subclass": "fruit"}, None, 1),
        ("bring_me", {"type": "apple", "ontop": "table_0"}, None, 2),
        ("move_to", {"type": "apple"}, "sofa_0", 2),
        ("change_state", {"frozen": False, "type": "apple", "ontop": "table_0"}, "slice", 3),
    ],
)
def test_what_is_meant_is_as_complex_as_it_has_specifiers(
    quest: str, description: dict[str, str | bool], argument: str | None, specifiers: int
) -> None:
    assert meaning_of(quest, description, argument).complexity == specifiers


@pytest.mark.parametrize(
    ("quest", "description", "argument", "message"),
    [
        ("fetch", {}, None, "unknown type of request 'fetch'"),
        ("bring_me", {"colour": "red"}, None, "unknown specifier 'colour'"),
        ("bring_me", {"class": "food", "type": "apple"}, None, "both 'class' and 'type'"),
        ("bring_me", {"inside": "box_0", "ontop": "table_0"}, None, "both 'inside' and 'ontop'"),
        ("bring_me", {}, "table_0", "has no argument"),
        ("change_state", {}, "paint", "unknown verb 'paint'"),
        ("change_state", {}, None, "unknown verb None"),
    ],
)
def test_malformed_meanings_are_refused(
    quest: str, description: dict[str, str | bool], argument: str | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        meaning_of(quest, description, argument)


def test_meanings_and_utterances_of_other_pools_are_refused() -> None:
    context, gains = case(Quest.BRING_ME, 3)
    acts = speech_acts(pool(context, Quest.BRING_ME, gains))
    other = Meaning(Quest.BRING_ME, description_of({"color": "red"}))
    with pytest.raises(UsageError, match="no meaning of this pool"):
        acts.speaker(other)
    with pytest.raises(UsageError, match="no utterance of this pool"):
        acts.listener(other)
    with pytest.raises(UsageError, match="at least once"):
        speech_acts(pool(context, Quest.BRING_ME, gains), 0)


def test_the_constants_are_the_papers() -> None:
    known = quests()
    assert (known.beta1, known.beta2, known.alpha, known.alpha1, known.depth) == (3, 1.5, 2, 1, 10)
    assert [cost_of(((name, "x"),)) for name in ("class", "subclass", "type", "size", "ontop")] == [1, 2, 3, 1, 1]


def test_a_description_has_its_specifiers_in_order() -> None:
    wanted: Description = (("type", "box"), ("ontop", "table_0"), ("size", "large"), ("dusty", True))
    assert description_of(reversed(wanted)) == wanted
