"""How a place lies to another, seen from where the agent stands: sides, distances and heights at their bounds."""

from __future__ import annotations

import pytest

from chorewright.problems.household.scene import Pose
from chorewright.rsa.household.relations import Anchor, Box, fixture_relations

ANCHOR = Box((-0.25, 0.0, 0.5), (0.25, 1.0, 1.0))
"""Before an agent at the origin that looks along z; x is to its right."""


def box(x: float, z: float, low: float = 0.0, deep: float = 0.2) -> Box:
    """A box of which the nearest left corner is given."""
    return Box((x, low, z), (x + 0.2, low + 0.5, z + deep))


@pytest.mark.parametrize(
    ("place", "rotation", "relations"),
    [
        (box(0.8, 0.6), 0, {"right of", "near"}),
        (box(-1.0, 0.6), 0, {"left of", "near"}),
        (box(0.8, 0.0), 0, {"right of", "near"}),  # its middle is 0.1 m ahead, beside the agent
        (box(0.8, -0.01), 0, {"near"}),
        (box(0.8, 0.6), 2, {"near"}),  # behind the agent
        (box(0.8, 0.6), 1, {"near"}),  # farther ahead, not aside
        (box(0.5, 0.6), 0, {"right of", "beside"}),
        (box(1.25, 0.6), 0, {"right of"}),  # a metre of free floor
        (box(1.26, 0.6), 0, set()),
        (box(-0.1, 0.6, low=1.25), 0, {"above"}),
        (box(-0.1, 0.6, low=0.75), 0, set()),
        (box(-0.1, 0.6, low=-0.5), 0, {"below"}),
    ],
)
def test_relations_are_told_up_to_their_bounds(place: Box, rotation: int, relations: set[str]) -> None:
    anchor = Anchor("Table", ANCHOR, ("Table|0",))
    found = fixture_relations([place], Pose(0, 0, rotation, 0), [anchor], upright=True)
    assert {each.name for each in found} == relations


def test_a_relation_holds_for_all_readings_of_a_place() -> None:
    anchor = Anchor("Table", ANCHOR, ("Table|0",))
    both = fixture_relations([box(0.8, 0.6), box(-1.0, 0.6)], Pose(0, 0, 0, 0), [anchor])
    assert [each.name for each in both] == ["near"]
