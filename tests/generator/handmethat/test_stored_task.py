"""Conversations of HandMeThat: the world's turns, wrong ones marked and recovered from, and styles refused."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from chorewright.errors import InputError
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.handmethat.stored_task import play_messages, task_of
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.training.chat import ChatStyle, conversations_of
from chorewright.replay.handmethat.world import TextWorld

CONFIG = GenerateConfig("handmethat", 4)


@lru_cache(maxsize=4)
def episode(index: int) -> Episode:
    benchmark = BENCHMARKS.find("handmethat")
    return benchmark.episode(index, CONFIG, benchmark.assign(CONFIG, CONFIG.episodes)[index])


@pytest.mark.parametrize("noise", [0.0, 0.4])
def test_a_conversation_is_the_worlds(noise: float) -> None:
    for index in range(CONFIG.episodes):
        if not episode(index).outcome.accepted:
            continue
        system, *turns = conversations_of("handmethat").conversation(episode(index), ChatStyle(noise, admissible=True))
        assert system.role == "system"
        assert [each.role for each in turns] == ["user", "assistant"] * (len(turns) // 2)
        world = TextWorld(task_of(episode(index)))
        told = world.reset()
        for shown, said in zip(turns[::2], turns[1::2], strict=True):
            assert shown.content.startswith(told)
            assert said.content in shown.content.split("You can:\n")[1].split("\n")
            told = world.step(said.content).observation
        assert world.won
        assert noise or not any(each.astray for each in turns)


def test_the_same_seed_tells_the_same() -> None:
    task = task_of(next(each for each in map(episode, range(4)) if each.outcome.accepted))
    told = [play_messages(task, ChatStyle(0.5), np.random.default_rng(3)) for _ in range(2)]
    assert told[0] == told[1]
    assert any(each.astray for each in told[0])


@pytest.mark.parametrize("style", [ChatStyle(thoughts=True), ChatStyle(annotated=True), ChatStyle(exploring=True)])
def test_styles_that_it_does_not_have_are_refused(style: ChatStyle) -> None:
    with pytest.raises(InputError, match="told without"):
        conversations_of("handmethat").conversation(episode(0), style)
