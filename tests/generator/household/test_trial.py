"""Trials tell a template's author what works, and why the rest does not."""

from __future__ import annotations

import pytest

from chorewright.domains.library import find_template, household_domain, household_vocabulary
from chorewright.domains.templates.goal_templates import GoalTemplate
from chorewright.domains.templates.parser import parse_template
from chorewright.errors import UsageError
from chorewright.generator.household.trial import try_template

NAME = "alfred/pick_clean_then_place_in_recep"


def template(goal: str, rooms: str = "") -> GoalTemplate:
    """A template of one slot over what can be sliced."""
    said = '(:documentation "Try it.") (:slots ?object in sliceable)'
    text = f"(define (task tried) (:domain household) {said} {rooms} {goal})"
    return parse_template(text, household_domain(), household_vocabulary())


def test_a_shipped_task_is_solved_in_every_room_tried() -> None:
    seen: list[str] = []
    report = try_template(find_template(NAME), 4, 1, lambda attempt: seen.append(attempt.scene))
    assert (report.solved, report.reasons, len(set(seen))) == (4, (), 4)
    assert report.rooms_suited > 30
    for attempt in report.attempts:
        assert attempt.steps > attempt.actions > 0
        assert attempt.sentence
    assert report == try_template(find_template(NAME), 4, 1)
    assert report != try_template(find_template(NAME), 4, 2)


def test_what_cannot_be_done_is_counted_with_its_reason() -> None:
    report = try_template(template("(:goal (exists (?o - ?object) (not (holding ?o))))"), 3, 0)
    assert report.solved == 0
    assert report.reasons == (("start: the goal holds already", 3),)


def test_no_more_rooms_than_suit_are_tried() -> None:
    report = try_template(template("(:goal (exists (?o - ?object) (holding ?o)))"), 10_000, 0)
    assert len(report.attempts) == report.rooms_suited


def test_a_task_for_no_room_is_an_error() -> None:
    nowhere = template("(:goal (exists (?o - ?object) (holding ?o)))", "(:rooms bathroom)")
    with pytest.raises(UsageError, match="no room has what tried needs"):
        try_template(nowhere, 3, 0)
