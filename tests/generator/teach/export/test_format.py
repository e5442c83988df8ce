"""The parts of TEACh's files that need no session."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chorewright.generator.teach.export.format import state_document
from chorewright.problems.household.rooms import load_room, room_names
from chorewright.problems.household.scene import GRID
from chorewright.replay.household.room import TEACH_SETTINGS


@pytest.mark.parametrize("name", sorted(room_names())[::40])
def test_a_commander_without_a_body_looks_down_on_the_driver(name: str) -> None:
    scene = load_room(name)
    scene = replace(scene, agent=replace(scene.agent, x=scene.grid[0][0], z=scene.grid[0][1], rotation=3, horizon=30))
    camera, driver = state_document(scene, 0.0)["agents"]
    assert camera["thirdPartyCameraId"] == 0
    assert [camera["position"][axis] for axis in "xz"] == [driver["position"][axis] for axis in "xz"]
    assert [driver["position"][axis] for axis in "xz"] == [GRID * each for each in scene.grid[0]]
    assert 2.0 < camera["position"]["y"] < 2.6, "above all heads, below the ceiling"
    assert camera["rotation"] == {"x": 90.0, "y": 0.0, "z": 0.0}
    assert camera["fieldOfView"] == TEACH_SETTINGS.field_of_view == 90.0
    assert (driver["rotation"]["y"], driver["cameraHorizon"], driver["position"]["y"]) == (270.0, 30.0, scene.agent_y)
