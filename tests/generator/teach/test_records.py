"""Conversations of TEACh's sessions: who speaks in turn, and all that is done and said in its order."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from chorewright.errors import InputError
from chorewright.generator.teach.records import DIALOGUE, speakers
from chorewright.generator.training.chat import ChatStyle, conversations_of
from tests.generator.teach.episodes import TASKS
from tests.generator.teach.episodes import episode as made


@pytest.mark.parametrize("task", TASKS, ids=lambda task: str(task[0]))
def test_a_conversation_is_the_session(task: tuple[str, tuple[str, ...], str]) -> None:
    episode = made(*task)
    place = len(episode.steps) // 2
    failed = replace(episode.steps[place], success=False)
    episode = replace(episode, steps=(*episode.steps[:place], failed, *episode.steps[place + 1 :]))
    system, *turns = conversations_of("teach").conversation(episode, ChatStyle())
    assert system.role == "system"
    assert [each.role for each in turns] == ["user", "assistant"] * (len(turns) // 2)
    answers = [line for each in turns[1::2] for line in each.content.split("\n")]
    said = [line.removeprefix("say ") for line in answers if line.startswith("say ")]
    assert said == [text for speaker, text in speakers(episode) if speaker == "Follower"]
    done = [line for line in answers if not line.startswith("say ")]
    assert done.pop() == "Stop"
    for line, step in zip(done, episode.steps, strict=True):
        target = json.loads(step.arguments)["objectId"] or ""
        kind = target.split("|")[0]
        assert line.startswith(step.action)
        assert not kind or line.split()[-1].startswith(kind)
    heard = [line for each in turns[::2] for line in each.content.split("\n")]
    assert {each.content for each in turns[::2] if "done" in each.content.split("\n")} == {"done"}
    told = [line.removeprefix("Commander: ") for line in heard if line.startswith("Commander: ")]
    assert told == [text for speaker, text in speakers(episode) if speaker == "Commander"]
    assert [line for line in heard if line.startswith("failed: ")] == [f"failed: {done[place]}"]


def test_what_is_said_comes_before_the_action_it_precedes() -> None:
    episode = made(*TASKS[0])
    turns = conversations_of("teach").conversation(episode, ChatStyle())[1:]
    acted = 0
    places = []
    for each in turns:
        for line in each.content.split("\n"):
            if line.startswith(("Commander: ", "say ")):
                places.append(acted)
            elif each.role == "assistant":
                acted += 1
    entries = json.loads(dict(episode.extras)[DIALOGUE])
    assert places == [each["before"] for each in entries if each["action"] == "Text"]


@pytest.mark.parametrize("style", [ChatStyle(noise=0.1), ChatStyle(exploring=True)])
def test_styles_that_sessions_have_not(style: ChatStyle) -> None:
    with pytest.raises(InputError, match="told as they went"):
        conversations_of("teach").conversation(made(*TASKS[0]), style)
