"""What an activity leaves unsaid: the tools that its goal needs in each version, and its rooms' furniture."""

from __future__ import annotations

import pytest

from chorewright.domains.behavior.reader import parse_activity
from chorewright.problems.behavior.scenes import with_supplies

TEXT = """(define (problem own-0) (:domain {domain})
  (:objects apple.n.01_1 - apple.n.01 candle.n.01_1 - candle.n.01 floor.n.01_1 - floor.n.01 agent.n.01_1 - agent.n.01)
  (:init (ontop apple.n.01_1 floor.n.01_1) (ontop candle.n.01_1 floor.n.01_1) (inroom floor.n.01_1 {room})
         (ontop agent.n.01_1 floor.n.01_1))
  (:goal {goal}))
"""
LEFT = {"apple.n.01", "candle.n.01", "floor.n.01", "agent.n.01"}
BRUSH, KNIFE, TAP = {"scrub_brush.n.01"}, {"carving_knife.n.01"}, {"water.n.06", "sink.n.01"}
SCOURERS = {*BRUSH, "steel_wool.n.01", "iron.n.04"}
AGENTS = {"detergent.n.02", "detergent__bottle.n.01", "acetone.n.01", "acetone__atomizer.n.01"}


@pytest.mark.parametrize(
    ("domain", "room", "goal", "added"),
    [
        ("igibson", "bedroom", "(not (dusty ?floor.n.01_1))", BRUSH),
        ("igibson", "bedroom", "(not (stained ?candle.n.01_1))", BRUSH),
        ("igibson", "bedroom", "(sliced ?apple.n.01_1)", KNIFE),
        ("igibson", "bathroom", "(onfloor ?candle.n.01_1 ?floor.n.01_1)", {"sink.n.01"}),
        ("omnigibson", "bedroom", "(covered ?floor.n.01_1 ?apple.n.01_1)", SCOURERS | AGENTS | KNIFE | TAP),
        ("omnigibson", "bedroom", "(broken ?candle.n.01_1)", {"hammer.n.02"} | KNIFE | TAP),
        ("omnigibson", "garden", "(on_fire ?candle.n.01_1)", {"grill.n.02", "cigar_lighter.n.01"} | KNIFE | TAP),
    ],
)
def test_a_goal_gets_the_tools_that_it_needs(domain: str, room: str, goal: str, added: set[str]) -> None:
    supplied = with_supplies(parse_activity(TEXT.format(domain=domain, room=room, goal=goal)))
    assert set(supplied.synsets()) == LEFT | added
