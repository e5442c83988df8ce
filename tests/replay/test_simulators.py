"""Every simulator behind the one protocol: set up, stepped, read as atoms, seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import pytest

from chorewright.domains.pddl.syntax import TRUE, State
from chorewright.problems.household.problem import household_problem
from chorewright.replay.household import ThorWorld
from chorewright.replay.simulator import Simulator, SimulatorAction
from chorewright.replay.teach.world import TeachWorld
from tests.replay.household.toy import FRIDGE, kitchen

S = TypeVar("S")


@dataclass(frozen=True)
class World(Generic[S]):
    """A simulator with a start, something that can be done there, and what this changes."""

    simulator: Simulator[S]
    start: S
    action: SimulatorAction
    added: State
    cameras: tuple[str, ...]


def thor() -> World:
    action = SimulatorAction("OpenObject", {"objectId": FRIDGE, "forceAction": True})
    opened = frozenset({("is-open", "fridge_1"), ("left-open", "fridge_1"), ("ajar",)})
    return World(ThorWorld(), kitchen(), action, opened, ("agent",))


def teach() -> World:
    opened = frozenset({("is-open", "fridge_1"), ("left-open", "fridge_1"), ("ajar",)})
    return World(TeachWorld(), kitchen(), SimulatorAction("Open", {"objectId": FRIDGE}), opened, ("agent",))


@pytest.mark.parametrize("make", [thor, teach])
def test_a_simulator_is_set_up_stepped_and_seen(make: object) -> None:
    assert callable(make)
    world: World = make()
    simulator = world.simulator
    with pytest.raises(RuntimeError, match="first"):
        simulator.state()
    assert simulator.reset(world.start).success
    before = simulator.state()
    assert before
    told = simulator.step(SimulatorAction("Dance wildly"))
    assert not told.success
    assert told.error_message
    assert simulator.state() == before
    assert simulator.observation().text == told.error_message
    assert simulator.step(world.action).success
    assert simulator.state() - before >= world.added
    seen = simulator.observation()
    assert tuple(seen.pictures) == world.cameras
    assert seen.metadata
    for draw in seen.pictures.values():
        frame = draw(48)
        assert frame.rgb.shape == (48, 48, 3)
        assert len(np.unique(frame.rgb)) > 10
        assert frame.mask(frame.names[0]).shape == (48, 48)
    assert simulator.reset(world.start).success
    assert simulator.state() == before


def test_a_room_is_told_in_the_words_of_its_problem() -> None:
    world, scene = ThorWorld(), kitchen()
    world.reset(scene)
    problem = household_problem(scene, TRUE, tidy=False).problem
    near = {atom for atom in problem.init if atom[0] == "near"}
    assert frozenset(problem.init) - near == {atom for atom in world.state() if atom[0] != "near"}
