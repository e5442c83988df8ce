"""CALVIN's tables and states, against the published initial states and the environment's scene files."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from benchmarks.corpora.reference import sample
from chorewright.errors import ChorewrightError, InputError, UsageError
from chorewright.problems.calvin.scenes import (
    SCENES,
    TabletopState,
    concrete,
    initial_states,
    parse_state,
    scene,
    state_of_record,
    state_seed,
)


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    return dict(json.loads(sample("calvin/initial_states_192.json").read_text("utf-8")))


def test_the_initial_states_are_the_published_ones_in_order(published: dict[str, Any]) -> None:
    assert [state.record() for state in initial_states()] == [row["state"] for row in published["states"]]


def test_their_numbers_are_the_published_ones(published: dict[str, Any]) -> None:
    for state, row in zip(initial_states(), published["states"], strict=True):
        assert state_seed(state) == row["seed"]
        robot_obs, scene_obs = concrete(state, scene("D"))
        assert robot_obs.tolist() == published["robot_obs"]
        # The file has eight decimals.
        np.testing.assert_allclose(scene_obs, row["scene_obs"], rtol=0, atol=0.501e-8)


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_is_as_in_its_file(name: str) -> None:
    row = json.loads(sample("calvin/scenes.json").read_text("utf-8"))[name]
    made = scene(f"calvin_scene_{name}")
    assert made is scene(name.lower()) is scene(made.full_name)
    for joint, each in made.joints.items():
        assert list(each.origin) == row[joint]["origin_m"]
        assert [each.low, each.high] == row[joint]["range_m"]
        assert np.linalg.norm(each.direction) == pytest.approx(1)
    assert [[block.name, block.size] for block in made.blocks] == row["movable_order"]
    assert {key: [list(low), list(high)] for key, (low, high) in made.surfaces.items()} == row["surfaces"]
    fixtures = {"led": "base__led", "lightbulb": "base__light", "plank": "base__plank"}
    for fixture, origin in made.fixtures.items():
        assert list(origin) == row[fixtures[fixture]]["origin_m"]


@pytest.mark.parametrize("name", SCENES)
def test_every_initial_state_can_be_set_up_in_every_scene(name: str) -> None:
    """Blocks lie apart, on their surfaces, in the scene's own order."""
    made = scene(name)
    for state in initial_states():
        _, scene_obs = concrete(state, made)
        places = {block.name: scene_obs[6 + 6 * i : 9 + 6 * i] for i, block in enumerate(made.blocks)}
        assert set(places) == {"block_" + variable.removesuffix("_block") for variable in state.blocks}
        for variable, where in state.blocks.items():
            low, high = np.array(made.surfaces[where])
            place = places["block_" + variable.removesuffix("_block")]
            assert (low - 0.002 <= place).all(), (name, where, place)
            assert (place <= high + 0.002).all(), (name, where, place)
        rows = list(places.values())
        gaps = [np.linalg.norm(a - b) for i, a in enumerate(rows) for b in rows[:i]]
        assert min(gaps) > 0.12
        assert scene_obs[0] == (made.joints["base__slide"].high if state.slider == "left" else 0)


OTHER_STATES = (
    "",
    "red_block=stacked_top,blue_block=stacked_bottom",
    "pink_block=stacked_top,red_block=stacked_bottom,blue_block=drawer,drawer=open",
    "red_block=drawer,blue_block=drawer,pink_block=drawer",
    "red_block=slider_left,pink_block=slider_left",
)


@pytest.mark.parametrize("text", OTHER_STATES)
def test_other_states_can_be_set_up_too(text: str) -> None:
    state = parse_state(text)
    assert state_of_record(state.record()) == state
    assert parse_state(str(state).replace(", ", ",")) == state
    _, scene_obs = concrete(state, scene("D"))
    rows = [scene_obs[6 + 6 * i : 9 + 6 * i] for i in range(3)]
    gaps = [np.linalg.norm(a - b) for i, a in enumerate(rows) for b in rows[:i]]
    assert min(gaps) >= 0.039
    if state.red_block == "stacked_top":
        assert rows[0] - rows[1] == pytest.approx([0, 0, 0.04])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lde=1", "no variable 'lde'"),
        ("led=2", "led cannot be '2'"),
        ("led", "'led' is not a variable"),
        ("led=", "'led=' is not a variable"),
        ("led=1,led=0", "'led' is given twice"),
        ("drawer=opne", "drawer cannot be 'opne'"),
        ("slider=1", "slider cannot be 1"),
        ("grasped=1", "grasped is 1, but 0 blocks"),
        ("red_block=grasped,grasped=0", "grasped is 0, but 1"),
        ("red_block=grasped,blue_block=grasped", "2 blocks are grasped"),
        ("red_block=stacked_top", "a stack is"),
        ("red_block=stacked_top,blue_block=stacked_top,pink_block=stacked_bottom", "a stack is"),
    ],
)
def test_a_state_that_cannot_be_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_state(text)


def test_a_record_must_be_whole_and_says_where_it_is_wrong() -> None:
    whole = TabletopState().record()
    for name in whole:
        with pytest.raises(InputError, match=f"lacks {name}"):
            state_of_record({key: value for key, value in whole.items() if key != name})
    for value in (None, True, [], {}, 1.0, "on"):
        with pytest.raises(InputError) as caught:
            state_of_record({**whole, "led": value})
        assert str(caught.value.location) == "<input>:$.led"


def test_nothing_starts_in_the_hand() -> None:
    with pytest.raises(InputError, match="in the hand"):
        concrete(parse_state("red_block=grasped"), scene("D"))


@pytest.mark.parametrize("name", ["", "E", "AA", "calvin_scene_", "scene_A", "calvin_scene_D/..", "0"])
def test_there_is_no_other_scene(name: str) -> None:
    with pytest.raises(UsageError, match="no scene"):
        scene(name)
    assert issubclass(UsageError, ChorewrightError)
