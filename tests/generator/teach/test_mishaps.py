"""What goes wrong in sessions: it fails where it is meant to, is talked about, and the task is done all the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from chorewright.generator.teach.demonstration import SessionAttempt, TeachDemonstration
from chorewright.generator.teach.dialogue import utterances
from chorewright.generator.teach.mishaps import (
    DIRTY,
    FAR,
    FULL_HAND,
    NO_KNIFE,
    OPEN,
    RUNNING,
    SHUT,
    UNSEEN,
    WRONG,
    draw_mishap,
    figures,
    possible_mishaps,
)
from chorewright.planner.plan import GroundAction
from chorewright.problems.household.kinds import shipped_kinds
from tests.generator.teach.episodes import TASKS, demonstration

FAILING = (SHUT, OPEN, RUNNING, FULL_HAND, NO_KNIFE, FAR, UNSEEN)


@cache
def with_mishaps(which: int) -> tuple[TeachDemonstration, ...]:
    """Return a task done with each kind of mishap that the simulator lets happen."""
    compiled = demonstration(*TASKS[which]).compiled
    plan = demonstration(*TASKS[which]).plan
    found: dict[str, TeachDemonstration] = {}
    for mishap in possible_mishaps(plan.actions, compiled.household, compiled.scene):
        if mishap.kind not in found:
            done = SessionAttempt(compiled).replay(plan, (mishap,))
            if isinstance(done, TeachDemonstration):
                found[mishap.kind] = done
    return tuple(found.values())


def cases() -> Iterator[TeachDemonstration]:
    for which in range(len(TASKS)):
        yield from with_mishaps(which)


def test_several_kinds_of_mishaps_happen() -> None:
    assert {mishap.kind for done in cases() for mishap in done.mishaps} >= {SHUT, NO_KNIFE, FAR, UNSEEN, WRONG}


def test_what_is_meant_to_fail_fails_and_the_task_is_done() -> None:
    for done in cases():
        (mishap,), (event,) = done.mishaps, done.events
        assert done.execution.steps[event].success == (mishap.kind not in FAILING), mishap
        others = (step for number, step in enumerate(done.execution.steps) if number != event)
        assert all(step.success for step in others)
        assert done.ended.success


def test_one_stops_too_early_or_turned_away() -> None:
    """The click is on the thing where that is too far; where it is not seen, nothing is there that could be taken."""
    short = [(done, done.mishaps[0], done.events[0]) for done in cases() if done.mishaps[0].kind in (FAR, UNSEEN)]
    assert {mishap.kind for _, mishap, _ in short} == {FAR, UNSEEN}
    for done, mishap, event in short:
        assert (mishap.way != "") == (mishap.kind == UNSEEN)
        assert 0 < done.sights[event].x < 1
        assert 0 < done.sights[event].y < 1


def test_mishaps_are_talked_about_right_after_they_happen() -> None:
    for done in cases():
        (mishap,), (event,) = done.mishaps, done.events
        for seed in range(6):
            said = [each for each in utterances(done, np.random.default_rng(seed)) if each.before == event + 1]
            acts = [set(each.acts) for each in said if each.acts]
            if mishap.kind in FAILING:
                assert any("NotifyFailure" in each for each in acts), said
                assert any(each & {"Instruction", "InformationOther"} for each in acts), said
            else:
                assert any(each & {"Deny", "FeedbackNegative"} for each in acts), said


def test_most_sessions_go_well() -> None:
    first = demonstration(*TASKS[0])
    household, scene = first.compiled.household, first.compiled.scene
    drawn = [draw_mishap(first.plan.actions, household, scene, np.random.default_rng(seed)) for seed in range(200)]
    assert 0 < sum(map(bool, drawn)) < 80
    assert drawn[:9] == [
        draw_mishap(first.plan.actions, household, scene, np.random.default_rng(seed)) for seed in range(9)
    ]


def test_what_is_tried_too_early_is_found_in_a_plan() -> None:
    compiled = demonstration(*TASKS[2]).compiled
    household = compiled.household
    oven, dish = "microwave_1", "plate_1"
    names = ["open", "put", "close", "toggle-on", "toggle-off", "open", "pick-up"]
    plan = [GroundAction(name, (dish, oven, "p") if name in ("put", "pick-up") else (oven, "p")) for name in names]
    found = possible_mishaps(plan, household, compiled.scene)
    assert [(each.kind, each.detour.before, each.detour.actions[0].name) for each in found] == [
        (SHUT, 0, "put"),
        (OPEN, 2, "toggle-on"),
        (RUNNING, 4, "open"),
    ]


@pytest.mark.parametrize("kind", sorted(figures().confused))
def test_confused_kinds_are_known_and_no_kind_is_taken_for_itself(kind: str) -> None:
    assert kind in shipped_kinds()
    assert all(other in shipped_kinds() and other != kind for other in figures().confused[kind])


def test_every_kind_of_mishap_has_its_chance() -> None:
    assert set(figures().chances) == {*FAILING, WRONG, DIRTY}
