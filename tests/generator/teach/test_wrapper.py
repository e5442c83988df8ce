"""Generated sessions played by TEACh's wrapper: they load, every click means what it says, the task is done."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.originals.wrapper import CLASS, Wrapper
from chorewright.domains.library import household_vocabulary
from chorewright.domains.teach.definitions import shipped_definitions
from chorewright.domains.teach.progress import check
from chorewright.domains.teach.world import world_of
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.teach.export.exporter import documents
from tests.generator.teach.episodes import TASKS, episode
from tests.generator.teach.test_benchmark import FAST
from tests.generator.teach.test_benchmark import episode as generated

COMPARED = (
    "isDirty", "isFilledWithLiquid", "isToggled", "isOpen", "isCooked", "isPickedUp", "parentReceptacles",
)  # fmt: skip
"""What must be the same at the end, besides the wrapper's own notes."""


def play(one: Episode) -> tuple[Wrapper, dict[str, Any]]:
    """Play a session's exported game; return the wrapper at its end, and the game's episode."""
    game = json.loads(json.dumps(documents(one)[0][1]))["tasks"][0]["episodes"][0]
    wrapper = Wrapper({name: list(each) for name, each in household_vocabulary().classes.items()})
    wrapper.load(game["world"], game["initial_state"], game["commander_embodied"] == "True")
    assert not wrapper.problems
    for number, interaction in enumerate(game["interactions"]):
        done = wrapper.play(interaction)
        if "query" not in interaction:
            assert done == bool(interaction["success"]), (number, interaction, wrapper.metadata["errorMessage"])
        if "pose" in interaction:
            assert wrapper.pose() == pytest.approx(interaction["pose"], abs=1e-3)
    assert not wrapper.problems
    return wrapper, game


def assert_ends_alike(wrapper: Wrapper, final: dict[str, Any]) -> None:
    """Compare the wrapper's objects and notes at the end with the recorded state."""
    ours = {thing["objectId"]: thing for thing in final["objects"]}
    theirs = {thing["objectId"]: thing for thing in wrapper.objects()}
    assert set(ours) == set(theirs)
    for name, thing in theirs.items():
        notes = {key for key in (*thing, *ours[name]) if key.startswith("simbot")} - {CLASS}
        for key in (*COMPARED, *sorted(notes)):
            assert thing.get(key, "absent") == ours[name].get(key, "absent"), (name, key)
        assert thing["position"] == pytest.approx(ours[name]["position"], abs=1e-3), name


def assert_plays(one: Episode) -> None:
    wrapper, game = play(one)
    task = shipped_definitions().task(one.task, [value for _, value in one.parameters])
    assert check(task, world_of(wrapper.objects())).success
    assert_ends_alike(wrapper, game["final_state"])


@pytest.mark.parametrize("task", TASKS[:1], ids=lambda task: task[0])
def test_sessions_are_played_to_their_end(task: tuple[str, tuple[str, ...], str]) -> None:
    assert_plays(episode(*task))


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS[1:], ids=lambda task: task[0])
def test_longer_sessions_are_played_to_their_end(task: tuple[str, tuple[str, ...], str]) -> None:
    assert_plays(episode(*task))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("task", FAST)
def test_generated_sessions_are_played_to_their_end(task: str, seed: int) -> None:
    assert_plays(generated(task, seed))


def test_a_click_on_something_else_is_noticed() -> None:
    """The wrapper does not take our word for what is clicked."""
    one = episode(*TASKS[0])
    game = json.loads(json.dumps(documents(one)[0][1]))["tasks"][0]["episodes"][0]
    wrapper = Wrapper({name: list(each) for name, each in household_vocabulary().classes.items()})
    wrapper.load(game["world"], game["initial_state"])
    for interaction in game["interactions"]:
        if interaction["action_id"] == 200:
            assert not wrapper.play({**interaction, "x": 0.0, "y": 0.0})
            break
        wrapper.play(interaction)
    assert wrapper.problems
