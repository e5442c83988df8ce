"""HandMeThat's English: wordings of Tables 17, 18 and 23, and the grammar of everything that can be said."""

from __future__ import annotations

import re

import numpy as np
import pytest

from chorewright.domains.handmethat.object_space import object_space
from chorewright.domains.library import handmethat_domain
from chorewright.errors import InputError
from chorewright.files.english import article
from chorewright.files.records import record_of
from chorewright.planner.plan import GroundAction
from chorewright.problems.handmethat.scene import HandMeThatScene, SceneEntity, sample_scene
from chorewright.rsa.handmethat.descriptions import Value, descriptions_of, quests
from chorewright.rsa.handmethat.meanings import Context, Meaning, Quest, context_of, meaning_of
from chorewright.rsa.handmethat.requests import (
    Question,
    Sentences,
    a_noun_of,
    action_sentence,
    answer,
    parse_question,
    question_sentence,
    questions,
    request_sentence,
    sentences,
    thing_phrase,
)

ROOM = context_of(
    HandMeThatScene(
        (
            SceneEntity("table_0"),
            SceneEntity("countertop_0"),
            SceneEntity("sink_0"),
            SceneEntity("sofa_0"),
            SceneEntity("floor_0", states=frozenset({"dusty"})),
            SceneEntity("box_0", "ontop", "table_0", color="red", size="large"),
            SceneEntity("package_0", "ontop", "sofa_0", color="red", size="small"),
            SceneEntity("package_1", "ontop", "sofa_0", color="blue", size="small"),
            SceneEntity("apple_0", "inside", "package_1", frozenset({"sliced"})),
            SceneEntity("apple_1", "ontop", "table_0"),
        )
    )
)


def say(quest: str, description: dict[str, Value], argument: str | None, seed: int) -> str:
    return request_sentence(meaning_of(quest, description, argument), ROOM, np.random.default_rng(seed))


@pytest.mark.parametrize(
    ("quest", "description", "argument", "sayings"),
    [
        ("bring_me", {}, None, {"Bring me that.", "Please hand me that.", "Can you give me that?"}),
        ("bring_me", {"class": "food"}, None, {"Bring me the food.", "Can you bring me the food?"}),
        ("bring_me", {"type": "apple", "ontop": "table_0"}, None, {"Bring me the apple on the table."}),
        ("bring_me", {"inside": "package_1"}, None, {"Hand me the one in the small blue package 1."}),
        ("bring_me", {"sliced": False, "frozen": False}, None, {"Give me the unfrozen unsliced one."}),
        ("move_to", {}, None, {"Put it over there.", "Please put it over there."}),
        ("move_to", {"size": "large", "class": "receptacle"}, None, {"Put the large receptacle over there."}),
        ("move_to", {}, "countertop_0", {"Put it on the countertop.", "Move it to the countertop."}),
        ("move_to", {"type": "apple"}, "sink_0", {"Put the apple in the sink.", "Move the apple to the sink."}),
        (
            "move_to",
            {"size": "large", "color": "red", "type": "box"},
            "sofa_0",
            {"Move the large red box to the sofa.", "Please put the large red box on the sofa."},
        ),
        ("move_to", {"type": "apple"}, "box_0", {"Put the apple in the large red box."}),
        ("move_to", {"type": "apple"}, "package_0", {"Put the apple in the small red package 0."}),
        ("change_state", {}, "slice", {"Slice it up.", "Please slice it up.", "Can you slice it up?"}),
        ("change_state", {"ontop": "table_0"}, "slice", {"Slice up the one on the table."}),
        ("change_state", {}, "toggle", {"Toggle it on."}),
        ("change_state", {"type": "floor"}, "clean", {"Clean up the floor.", "Please clean up the floor."}),
        ("change_state", {"class": "location", "dusty": True}, "clean", {"Clean up the dusty place."}),
    ],
)
def test_requests(quest: str, description: dict[str, Value], argument: str | None, sayings: set[str]) -> None:
    found = {say(quest, description, argument, seed) for seed in range(60)}
    assert sayings <= found
    assert say(quest, description, argument, 7) == say(quest, description, argument, 7)
    assert all((" can " in f" {text.lower()}") == text.endswith("?") for text in found)


def test_every_wording_of_the_paper_is_used() -> None:
    """Table 17 has three verbs for bringing, two for moving, and three beginnings."""
    bring = {say("bring_me", {}, None, seed) for seed in range(200)}
    assert len(bring) == 9
    move = {say("move_to", {"type": "box"}, "table_0", seed) for seed in range(200)}
    assert len(move) == 6


@pytest.mark.parametrize("relation", [{"inside": "package_1"}, {"ontop": "table_0", "type": "apple"}])
def test_it_is_clear_which_of_two_places_is_the_target(relation: dict[str, Value]) -> None:
    """ "Put the one in the cabinet in the bucket" could be either."""
    for argument in ("package_0", "box_0", "sofa_0"):
        for seed in range(30):
            text = say("move_to", relation, argument, seed)
            assert re.fullmatch(r"(Please |Can you )?move the .* (in|on) .* to .*", text, re.IGNORECASE), text


ARTICLE = re.compile(r"\b(a|an|the|some) (\S+)", re.IGNORECASE)
DOUBLED = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)


def assert_sound(text: str) -> None:
    """No wrong or doubled article, no doubled word or blank, no name or pattern left; a capital, an end."""
    assert re.fullmatch(r"[A-Z][^_{}]*[.?]", text), text
    assert "  " not in text, text
    assert not re.search(r" [.,?]", text), text
    assert not DOUBLED.search(text), text
    for found in ARTICLE.finditer(text):
        word, following = found[1].lower(), found[2]
        assert following not in ("a", "an", "the", "some"), text
        if word in ("a", "an") and not following.startswith("utensil"):
            assert (word == "an") == (following[0] in "aeiou"), text


@pytest.fixture(scope="module")
def contexts() -> list[Context]:
    return [context_of(sample_scene(np.random.default_rng(seed))) for seed in range(2)]


def test_all_that_can_be_said_is_sound(contexts: list[Context]) -> None:
    rng = np.random.default_rng(1)
    for context in contexts:
        said = list(dict.fromkeys(each for item in context.items for each in descriptions_of(item)))
        assert len(said) > 1500
        for description in said:
            location = any(value == "location" for _, value in description)
            place = context.places[int(rng.integers(len(context.places)))]
            verb = str(rng.choice(list(quests().verbs)))
            for meaning in (
                Meaning(Quest.BRING_ME, description),
                Meaning(Quest.MOVE_TO, description, place),
                Meaning(Quest.CHANGE_STATE, description, verb),
            ):
                assert_sound(request_sentence(meaning, context, rng))
                if not location:
                    assert_sound(answer(Question("all"), meaning, context, rng))


def test_all_nouns_have_their_article() -> None:
    space = object_space()
    for kind in (*space.classes, *space.subclasses, *space.categories):
        assert_sound(f"I just want {a_noun_of(kind)}.")
    assert [a_noun_of(kind) for kind in ("apple", "bread", "fruit", "food", "utensil", "clothing", "oven")] == [
        "an apple",
        "some bread",
        "a fruit",
        "some food",
        "a utensil",
        "a piece of clothing",
        "an oven",
    ]


def test_states_of_things_have_words_for_both() -> None:
    words = sentences().states
    assert set(words) == set(object_space().states)
    assert len({word for pair in words.values() for word in pair}) == 2 * len(words)


@pytest.mark.parametrize(
    ("action", "arguments", "sentence"),
    [
        ("move", "human_0 floor_0 table_0", "Human moves to the table."),
        ("pick-up-at-loc", "human_0 headset_1 table_0", "Human picks up the headset 1 at the table."),
        (
            "pick-up-from-rec-at-loc",
            "human_0 tea-bag_0 xmas-stocking_1 floor_0",
            "Human picks up the tea bag 0 from the Xmas stocking 1 at the floor.",
        ),
        ("put-ontop-loc", "human_0 headset_1 sofa_0", "Human puts the headset 1 on the sofa."),
        ("put-inside-rec-at-loc", "human_0 cube_1 box_2 floor_0", "Human puts the cube 1 into the box 2 at the floor."),
        ("open-loc", "human_0 cabinet_0", "Human opens the cabinet."),
        ("close-rec-at-loc", "human_0 jar_1 table_0", "Human closes the jar 1 at the table."),
        ("toggle-on-loc", "human_0 sink_0", "Human toggles the sink on."),
        ("heat-obj", "human_0 egg_0 microwave_0", "Human heats the egg 0 up with the microwave."),
        ("slice-obj", "human_0 egg_0 knife_1 table_0", "Human slices up the egg 0 with the knife 1 at the table."),
        ("clean-loc", "human_0 rag_1 oven_0", "Human cleans up the oven with the rag 1."),
        ("bring-to-human", "robot_0 egg_0 human_0", "Robot brings the egg 0 to the human."),
    ],
)
def test_actions(action: str, arguments: str, sentence: str) -> None:
    assert action_sentence(GroundAction(action, tuple(arguments.split()))) == sentence


def test_every_action_has_a_sentence() -> None:
    objects = {"agent": "human_0", "robot": "robot_0", "human": "human_0", "place": "sink_0", "location": "sink_0"}
    for action in handmethat_domain().actions:
        arguments = [objects.get(parameter.types[0], "box_1") for parameter in action.parameters]
        assert_sound(action_sentence(GroundAction(action.name, tuple(arguments))))
    with pytest.raises(InputError, match="no action 'fly'"):
        action_sentence(GroundAction("fly", ("human_0",)))


APPLE = meaning_of("bring_me", {"type": "apple", "ontop": "table_0", "sliced": True}, None)
BOX = meaning_of("move_to", {"class": "receptacle", "size": "large", "color": "red", "open": False}, "countertop_0")


@pytest.mark.parametrize(
    ("text", "meaning", "answers"),
    [
        ("Which type do you mean?", APPLE, {"I mean the apple."}),
        ("Which type do you mean?", meaning_of("bring_me", {"subclass": "fruit"}, None), {"I just want a fruit."}),
        ("which type do you mean", meaning_of("bring_me", {"class": "food"}, None), {"I just want some food."}),
        ("Which color do you like?", BOX, {"The red one."}),
        ("Which color do you like?", APPLE, {"Not any specific color.", "Either is fine."}),
        ("Which size do you like?", BOX, {"The large one."}),
        ("Where is the object you want?", APPLE, {"On the table."}),
        ("Where is the object you want?", BOX, {"Either is fine."}),
        ("Where do you want to place it?", BOX, {"Put it on the countertop."}),
        ("Where do you want to place it?", APPLE, {"Either is fine."}),
        ("Do you want a sliced one?", APPLE, {"Yes, I mean the sliced one."}),
        ("Do you want an open one?", BOX, {"No, I mean the closed one."}),
        ("do you want a open one", BOX, {"No, I mean the closed one."}),
        ("Do you want a toggled one?", BOX, {"Either is fine."}),
        ("Do you want a dusty one?", BOX, {"Either is fine."}),
        ("Can you say it clearly?", APPLE, {"I mean the sliced apple on the table."}),
        ("Can you say it clearly?", BOX, {"I mean the large red closed receptacle, and I want it on the countertop."}),
        ("Can you say it clearly?", Meaning(Quest.BRING_ME), {"Either is fine."}),
    ],
)
def test_questions_and_answers(text: str, meaning: Meaning, answers: set[str]) -> None:
    question = parse_question(text)
    assert {answer(question, meaning, ROOM, np.random.default_rng(seed)) for seed in range(30)} == answers


def test_every_question_is_understood() -> None:
    every = list(questions())
    assert len(every) == 6 + len(object_space().states)
    for question in every:
        assert parse_question(question_sentence(question)) == question
        assert_sound(question_sentence(question))


@pytest.mark.parametrize("text", ["", "What?", "Which shape do you like?", "Do you want a red one?", "\0"])
def test_other_questions_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a question"):
        parse_question(text)


def test_a_described_thing_has_its_four_parts_in_order() -> None:
    description = meaning_of(
        "bring_me", {"dusty": True, "ontop": "table_0", "color": "red", "type": "box", "size": "large"}, None
    ).description
    assert thing_phrase(description, ROOM) == "the large red dusty box on the table"
    assert article("open one") == "an"


def test_malformed_sentences_are_refused() -> None:
    with pytest.raises(InputError, match="the key 'nouns' is missing"):
        record_of(Sentences, {})
