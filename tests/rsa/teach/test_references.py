"""How things are named: number agreement, another and the other, and it."""

from __future__ import annotations

import numpy as np
import pytest

from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.scene import Pose, Scene, SceneObject
from chorewright.rsa.household.directives import follow, new_speaker
from chorewright.rsa.household.layout import Leg, RoomLayout
from chorewright.rsa.teach.sentences import sentences
from chorewright.rsa.teach.speech import References
from chorewright.rsa.words.grammar import Style
from chorewright.rsa.words.guesses import household_lexicon

KINDS = shipped_kinds()


def thing(kind: str, number: int, parents: tuple[str, ...] = ("CounterTop|0",)) -> SceneObject:
    where = (float(number), 1.0, 0.0)
    return SceneObject(
        f"{kind}|{number}", kind, where, (0.0, 0.0, 0.0), where, (0.1, 0.1, 0.1), parents, traits=KINDS[kind]
    )


def scene(*kinds: str) -> Scene:
    objects = (thing("CounterTop", 0, ()), *(thing(kind, number) for number, kind in enumerate(kinds, 1)))
    return Scene("FloorPlan1", "kitchen", objects, ((0, 0),), 0.9, Pose(0, 0, 0, 30), kinds=KINDS)


NOUNS = {"KeyChain": "keys", "Mug": "mug", "Lettuce": "lettuce", "Fork": "fork", "Plate": "plate"}


def references(room: Scene) -> References:
    layout, rng = RoomLayout.of(room), np.random.default_rng(0)
    return References(new_speaker(layout, room, household_lexicon(), 1, rng, NOUNS))


@pytest.mark.parametrize(
    ("kind", "asked", "told"),
    [
        ("KeyChain", "where are the keys?", "they are "),
        ("Mug", "where is the mug?", "it is "),
        ("Lettuce", "where is the lettuce?", "it is "),
    ],
)
def test_verbs_and_pronouns_agree_in_number(kind: str, asked: str, told: str) -> None:
    room = scene(kind)
    moment = follow([Leg("NoOp")], room)[0]
    slots = {**references(room).where(f"{kind}|1", moment, room.agent), "spot": "on the counter"}
    rng = np.random.default_rng(0)
    speaker = Style(sentences().grammar, rng, habit=0)
    assert asked in {sentences().sayings(speaker.say("ask where", slots))[-1].text for _ in range(400)}
    said = {sentences().sayings(speaker.say("tell where", slots))[-1].text for _ in range(400)}
    assert any(told in text for text in said)
    wrong = {"are": "is", "is": "are"}[slots["is"]]
    assert not any(f" {wrong} " in f" {text} " for text in said)


def test_of_several_one_is_first_one_then_another_then_the_last() -> None:
    room = scene("Fork", "Fork", "Fork")
    legs = [Leg("PickupObject", f"Fork|{number}", "CounterTop|0") for number in (1, 2, 3)] + [Leg("NoOp")]
    moments = follow(legs, room)
    names = [
        references(room).name(f"Fork|{number}", moment) for number, moment in zip((1, 2, 3), moments, strict=False)
    ]
    assert names == [("a fork", False), ("another fork", False), ("the last fork", True)]
    pair = scene("Fork", "Fork")
    two = follow([*legs[:1], Leg("NoOp")], pair)
    assert references(pair).name("Fork|2", two[1]) == ("the other fork", True)


def test_it_means_what_the_last_sentence_was_about_only() -> None:
    room = scene("Mug", "Plate")
    moment = follow([Leg("NoOp")], room)[0]
    refs = references(room)
    refs.speak_of("Mug|1")
    assert refs.slots("Mug|1", moment, room.agent)["it"] == "it"
    assert refs.slots("Plate|2", moment, room.agent)["it"] == "the plate"
    refs.speak_of("Plate|2")
    assert refs.slots("Mug|1", moment, room.agent)["it"] == "the mug"
