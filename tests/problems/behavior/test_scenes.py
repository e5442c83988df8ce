"""What an activity leaves unsaid: the tools that its goal needs in each version, and its rooms' furniture."""

from __future__ import annotations

import pytest

from chorewright.domains.behavior.reader import parse_activity
from chorewright.errors import InputErrors
from chorewright.problems.behavior.kinds import parse_own
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


OWN = TEXT.format(domain="omnigibson", room="kitchen", goal="(cooked ?apple.n.01_1)")


def test_an_own_activity_of_known_names_is_read_as_any_is() -> None:
    assert parse_own(OWN) == parse_activity(OWN)


@pytest.mark.parametrize(
    ("old", "new", "place", "message", "hint"),
    [
        ("omnigibson", "omnigibsn", "omnigibsn)", "BEHAVIOR has no domain 'omnigibsn'", "did you mean 'omnigibson'?"),
        ("omnigibson", "home", "home)", "BEHAVIOR has no domain 'home'", "domains: igibson, omnigibson"),
        ("- candle.n", "- candel.n", "candel.n.01 floor", "no synset 'candel.n.01'", "did you mean 'candle.n.01'?"),
        ("kitchen", "kichen", "kichen)", "BEHAVIOR has no room 'kichen'", "did you mean 'kitchen'?"),
        ("apple.n.01_1 floor", "apple.n.01_1 apple", "(ontop apple", "cannot be 'ontop' itself", "name another thing"),
        (
            "n.01_1 kitchen)",
            "n.01_1 kitchen) (inroom floor.n.01_1 garage)",
            "(inroom floor.n.01_1 garage",
            "'floor.n.01_1' cannot be 'inroom' both 'kitchen' and 'garage'",
            "say only what it is directly in",
        ),
        (
            "(ontop apple.n.01_1 floor",
            "(inside apple.n.01_1 candle.n.01_1) (inside apple.n.01_1 floor",
            "(inside apple.n.01_1 floor",
            "'apple.n.01_1' cannot be 'inside' both 'candle.n.01_1' and 'floor.n.01_1'",
            "say only what it is directly in",
        ),
        (
            "(ontop apple.n.01_1 floor.n.01_1) (ontop candle.n.01_1 floor",
            "(inside apple.n.01_1 candle.n.01_1) (ontop candle.n.01_1 apple",
            "(ontop candle",
            "'candle.n.01_1' cannot be 'ontop' what is in or on it",
            "there is a cycle: apple.n.01_1, candle.n.01_1, apple.n.01_1",
        ),
        (
            "(:init",
            "(:init (not (ontop apple.n.01_1 floor.n.01_1))",
            "(ontop apple",
            "'(ontop apple.n.01_1 floor.n.01_1)' cannot hold and not hold",
            None,
        ),
        (
            "(ontop apple.n.01_1 floor.n.01_1)",
            "",
            "apple.n.01_1 - apple",
            "(:init ...) does not say where 'apple.n.01_1' is",
            "such as (inroom apple.n.01_1 kitchen) or (ontop apple.n.01_1 floor.n.01_1)",
        ),
    ],
)
def test_what_an_own_activity_cannot_be_has_its_place(
    old: str, new: str, place: str, message: str, hint: str | None
) -> None:
    assert old in OWN
    with pytest.raises(InputErrors) as caught:
        parse_own(OWN.replace(old, new, 1), "own.bddl")
    (error,) = caught.value.errors
    assert message in error.message
    assert error.hint == hint
    location = error.location
    assert location is not None
    assert location.path == "own.bddl"
    assert location.source_line is not None
    assert location.column is not None
    assert location.source_line[location.column - 1 :].startswith(place)
