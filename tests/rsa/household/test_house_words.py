"""Rooms in words: names that mean one room, and directions that say which room one goes to."""

from __future__ import annotations

import numpy as np
import pytest

from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.rooms import named_scene
from chorewright.problems.household.scene import Pose, Scene
from chorewright.rsa.household.directives import new_speaker
from chorewright.rsa.household.house_words import HouseWords, crossing
from chorewright.rsa.household.layout import RoomLayout, trace
from chorewright.rsa.household.nouns import ThingNames
from chorewright.rsa.words.guesses import household_lexicon

SEEDS = range(8)


def names_of(scene: Scene) -> ThingNames:
    return new_speaker(RoomLayout.of(scene), scene, household_lexicon(), 1, np.random.default_rng(1)).names


def words_of(scene: Scene) -> HouseWords:
    assert scene.building is not None
    words = HouseWords.of(scene.building, scene, names_of(scene), [])
    assert words is not None
    return words


@pytest.mark.parametrize("seed", SEEDS)
def test_a_definite_name_means_one_room(seed: int) -> None:
    scene = named_scene(f"house:{seed}", shipped_kinds())
    if len(scene.room_kinds()) < 2:
        return
    words = words_of(scene)
    assert scene.building is not None
    for room in scene.building.house.rooms:
        phrase = words.phrases[room.room_id]
        meant = [other for other, each in words.phrases.items() if each == phrase]
        assert meant == [room.room_id] or phrase.startswith("a ")
        if " with the " in phrase:  # there is one such thing in the room, and none in the other rooms of this kind
            noun, names = phrase.partition(" with the ")[2], names_of(scene)
            there = [
                words.rooms.get(thing.object_id)
                for thing in scene.objects
                if not thing.traits.item and names.noun(thing.kind).word == noun
            ]
            kinds = {each.room_id: each.kind for each in scene.building.house.rooms}
            assert [name for name in there if name and kinds[name] == room.kind] == [room.room_id]


def test_rooms_of_a_walk() -> None:
    scene = named_scene("house:2", shipped_kinds())
    words = words_of(scene)
    start = Pose(scene.agent.x, scene.agent.z, 0, 30)
    assert crossing(words, start, ["RotateLeft", "RotateRight"]) is None
    away = crossing(words, start, ["RotateRight", *["MoveAhead_25"] * 12])
    assert away is not None
    assert words.room_of(start) is away.here
    assert words.room_of(away.rest.start) is words.room_of(away.rest.end) is away.there


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    config = GenerateConfig("alfred", 12, options=(("scenes", ("houses:1-4",)), ("demonstrations", 3)))
    benchmark = BENCHMARKS.find("alfred")
    return [benchmark.episode(each.index, config, each) for each in benchmark.assign(config, 12)[::3]]


def test_steps_name_the_room_that_they_lead_to(episodes: list[Episode]) -> None:
    """A walk names a room if and only if it ends in another room than it begins in."""
    told = crossed = 0
    for episode in episodes:
        assert episode.outcome.accepted
        words = words_of(episode.room)
        pose = episode.room.agent
        for number in range(len(episode.segments)):
            actions = [step.action for step in episode.steps if step.segment == number]
            away = crossing(words, pose, actions)
            pose = trace(pose, actions).end
            said = [each.text for each in episode.instructions if each.segment == number]
            named = [text for text in said if any(f" {phrase}" in f" {text}" for phrase in words.phrases.values())]
            told += len(named)
            if away is not None:
                crossed += 1
                assert all(words.phrases[away.there.room_id] in text for text in said), said
            else:
                assert not named, named
    assert crossed
    assert told
