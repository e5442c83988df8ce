"""What goes wrong is talked about with the visit in which it happens."""

from __future__ import annotations

import numpy as np
import pytest

from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.scene import Pose, Scene, SceneObject, Vector
from chorewright.rsa.household.directives import Leg
from chorewright.rsa.teach.deeds import Talk, Trouble
from chorewright.rsa.teach.speakers import dialogue


def thing(kind: str, at: Vector, size: Vector, *parents: str) -> SceneObject:
    return SceneObject(f"{kind}|1", kind, at, (0, 0, 0), at, size, parents, traits=shipped_kinds()[kind])


SCENE = Scene(
    "Kitchen",
    "kitchen",
    (
        thing("Sink", (0.0, 0.9, 1.0), (0.6, 0.2, 0.5)),
        thing("CounterTop", (2.0, 0.9, 1.2), (1.0, 0.1, 0.8)),
        thing("Mug", (2.0, 1.0, 1.1), (0.1, 0.1, 0.1), "CounterTop|1"),
    ),
    ((0, 0), (8, 0)),
    0.9,
    Pose(0, 0, 0, 30),
    kinds=shipped_kinds(),
)
LEGS = (
    Leg("GotoLocation", pose=Pose(0, 0, 0, 30)),
    Leg("PickupObject", "Mug|1", "CounterTop|1", Pose(8, 0, 0, 30)),
    Leg("GotoLocation", pose=Pose(8, 0, 0, 30)),
    Leg("PutObject", "Mug|1", "Sink|1", Pose(0, 0, 0, 30)),
)


@pytest.mark.parametrize("legs", [(1,), (3,), (1, 3), (3, 1), (1, 1)])
def test_each_trouble_is_talked_about_when_it_happens(legs: tuple[int, ...]) -> None:
    troubles = tuple(Trouble("far", leg, "Mug|1" if leg == 1 else "Sink|1") for leg in legs)
    talk = Talk(["put the mug in the sink"], (), None, LEGS, SCENE, lambda leg, name: None, troubles)
    in_order = sorted(range(len(legs)), key=lambda place: legs[place])
    for seed in range(8):
        told = [turn for turn in dialogue(talk, np.random.default_rng(seed)) if turn.trouble >= 0]
        assert list(dict.fromkeys(turn.trouble for turn in told)) == in_order
        assert [turn.trouble for turn in told] == sorted((turn.trouble for turn in told), key=in_order.index)
        assert all(turn.leg == legs[turn.trouble] for turn in told)
