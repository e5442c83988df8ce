"""Why there is no demonstration: what is done already is told before a plan is looked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chorewright.generator.production.attempts import Rejection
from chorewright.generator.teach.compiling import TeachProblem, compile_teach
from chorewright.generator.teach.demonstration import SessionAttempt
from chorewright.planner.plan import Limits, Unsolvable


@pytest.mark.parametrize("clean", [False, True])
def test_what_is_done_already_needs_no_plan(clean: bool) -> None:
    compiled = compile_teach("Clean All X", ["Mug"], "FloorPlan3", 1)
    if clean:
        things = (replace(one, attributes=replace(one.attributes, is_dirty=False)) for one in compiled.scene.objects)
        compiled = replace(compiled, scene=replace(compiled.scene, objects=tuple(things)))

    def none(problem: TeachProblem, limits: Limits) -> Unsolvable:
        assert not clean
        return Unsolvable("there is no water")

    found = SessionAttempt(compiled, planner=none).demonstrate()
    assert isinstance(found, Rejection)
    assert (found.stage, found.reason) == (
        ("start", "the task is done already") if clean else ("plan", "there is no water")
    )
