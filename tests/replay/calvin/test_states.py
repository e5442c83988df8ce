"""Symbolic states set up in the physical table: every block comes to rest where its state has it."""

from __future__ import annotations

import pytest

from chorewright.problems.calvin.scenes import SCENES, TabletopState, concrete, initial_states, parse_state, scene
from chorewright.replay.calvin.snapshot import Snapshot

pytest.importorskip("pybullet")

LINKS = {"table": "base_link", "slider_right": "plank_link", "slider_left": "plank_link", "drawer": "drawer_link"}
STATES = (
    *initial_states()[5::96],
    parse_state(""),
    parse_state("red_block=drawer,drawer=open"),
    parse_state("red_block=drawer,blue_block=drawer,pink_block=drawer"),
    parse_state("red_block=stacked_top,blue_block=stacked_bottom,pink_block=slider_left"),
    parse_state("pink_block=stacked_top,red_block=stacked_bottom,slider=left,lightbulb=1"),
    parse_state("red_block=slider_left,pink_block=slider_left,slider=left"),
    parse_state("blue_block=slider_right,pink_block=slider_right"),
)


def touched(state: TabletopState, variable: str) -> tuple[str, str]:
    """What a block must lie on: a link of the table, or any of another block."""
    if state.blocks[variable] == "stacked_top":
        [below] = [name for name, place in state.blocks.items() if place == "stacked_bottom"]
        return f"block_{below.removesuffix('_block')}", ""
    return "table", LINKS[state.blocks[variable].replace("stacked_bottom", "table")]


def settled(name: str, state: TabletopState) -> tuple[Snapshot, list[float]]:
    """The table a third of a second after a reset to a state."""
    from chorewright.replay.calvin.world import TabletopWorld

    with TabletopWorld(scene(name)) as world:
        world.reset(*concrete(state, scene(name)))
        for _ in range(10):
            world.step([0, 0, 0, 0, 0, 0, 1])
        return world.snapshot(), world.observation().scene_obs[:6].tolist()


@pytest.mark.parametrize("name", SCENES)
def test_blocks_rest_where_the_state_has_them(name: str) -> None:
    made = scene(name)
    for state in STATES:
        seen, joints = settled(name, state)
        for variable in state.blocks:
            block = seen.blocks["block_" + variable.removesuffix("_block")]
            body, link = touched(state, variable)
            assert body in block.touches if not link else (body, link) in block.contacts, (state, variable)
            assert max(map(abs, block.linear_velocity)) < 0.02, (state, variable, block)
        assert seen.lights == {"lightbulb": state.lightbulb, "led": state.led}
        assert joints[0] == pytest.approx(made.joints["base__slide"].high * (state.slider == "left"), abs=0.005)
        assert joints[1] == pytest.approx(made.joints["base__drawer"].high * (state.drawer == "open"), abs=0.005)
