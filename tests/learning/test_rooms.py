"""The learner of the rooms: frames and games, and that a policy that sees and reads does more than one without."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from benchmarks.learning.rooms import TASKS, VARIANTS, Played, RoomsLearned, learn, make, room_figures, show_rooms
from benchmarks.learning.rooms_frames import LAST, SIDE, Game, frames_of, hashed, kind_of, target_of
from chorewright.generator import Dataset
from chorewright.generator.household.noise import noise_of
from chorewright.replay.household.executor import MOVES


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return make(tmp_path_factory.mktemp("rooms") / "data", 3, "train", 0.1, 0)


def test_kinds_are_told_by_ids() -> None:
    assert kind_of("Mug|+00.10|+00.90|-01.20") == "Mug"
    assert kind_of("Sink|+00.10|+00.90|-01.20|SinkBasin") == "SinkBasin"
    assert kind_of("Apple|+00.10|+00.90|-01.20|AppleSliced_2") == "AppleSliced"
    assert (hashed("Take the mug.") == hashed("take the mug")).all()


def test_frames_have_the_expert_s_action(noisy: Dataset) -> None:
    frames, names = frames_of(noisy, 0, 1.0, 0)
    count = sum(len(each.steps) + 1 for each in noisy)
    assert frames.pictures.shape == (count, SIDE, SIDE, 3)
    assert frames.last.shape == (count, LAST)
    at = 0
    for episode in noisy:
        for step in episode.steps:
            told = noise_of(step).get("commanded", {"action": step.action})
            assert isinstance(told, dict)
            assert names.actions[frames.actions[at]] == told["action"]
            assert (frames.kinds[at] >= 0) == (told["action"] not in MOVES.values())
            at += 1
        assert names.actions[frames.actions[at]] == "Stop"
        at += 1


def test_the_expert_wins_its_games(noisy: Dataset) -> None:
    for episode in noisy:
        game = Game(episode)
        assert not game.won()
        for step in episode.steps:
            told = step.call()
            thing = str(told.get("receptacleObjectId") or told.get("objectId") or "")
            assert game.act(step.action, thing) == step.success
            assert target_of(told) == kind_of(thing)
        assert game.won()
        assert game.segment == len(episode.segments) - 1


def test_what_is_reported_of_rooms() -> None:
    usual = RoomsLearned("usual", 100, 1.0, 2.0, 3.0, (Played(True, 4, 4), Played(False, 1, 4)))
    least = RoomsLearned("neither", 100, 1.0, 2.0, 3.0, (Played(False, 1, 4),) * 7 + (Played(True, 4, 4),))
    found = {each.name: each for each in room_figures([usual, least])}
    assert found["ratio"].met
    assert found["usual_subgoals"].value == 5
    assert show_rooms([usual, least]).row_count == 2
    assert len(TASKS) == 3


@pytest.mark.slow
def test_a_policy_that_sees_and_reads_does_more(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    asked = argparse.Namespace(work=tmp_path, episodes=150, games=30, epochs=8, workers=2)
    done = [learn(asked, name, Console()).subgoals[0] for name in ("usual", "neither")]
    assert done[0] > 1.5 * done[1]
    assert np.isfinite(done).all()
    assert set(VARIANTS) >= {"usual", "neither"}
