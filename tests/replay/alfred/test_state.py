"""What is ready to be placed: it has been given the state that the goal asks for, and cut if that is asked for."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from chorewright.replay.alfred.game import GameGoal, GameThing
from chorewright.replay.alfred.state import GoalCheck


@pytest.mark.parametrize("sliced", [False, True])
@pytest.mark.parametrize(("state", "mark"), [("", ""), ("clean", "clean"), ("heat", "hot"), ("cool", "cool")])
def test_a_thing_is_ready_when_all_is_done_that_is_asked_for(state: str, mark: str, sliced: bool) -> None:
    able = frozenset({"cleanable", "heatable", "coolable", "sliceable"})
    things = (GameThing("apple_0", "Apple", able), GameThing("apple_1", "Apple", able))
    goal = GameGoal("Apple", "Shelf", state=state, sliced=sliced)
    check = GoalCheck(SimpleNamespace(goal=goal, things=things, receptacles=()))
    for treated in ("", "clean", "hot", "cool"):
        for cut in (False, True):
            marks: dict[str, set[int]] = {each: set() for each in ("clean", "hot", "cool", "sliced")}
            if treated:
                marks[treated].add(0)
            if cut:
                marks["sliced"].add(0)
            now = SimpleNamespace(marks=marks)
            assert check.ready(now, 0) == ((not mark or treated == mark) and (cut or not sliced))
            assert check.ready(now, 1) == (not mark and not sliced), "the other apple is as it was"
