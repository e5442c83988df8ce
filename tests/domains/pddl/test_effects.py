"""Effects of durative actions: their times, the variables that they are for, and the conditions that they have."""

from __future__ import annotations

import pytest

from chorewright.domains.pddl import parse_domain
from chorewright.domains.pddl.syntax import Typed

DOMAIN = """(define (domain d) (:requirements :durative-actions :typing :conditional-effects :universal-preconditions)
  (:types lamp room) (:predicates (lit ?l - lamp) (in ?l - lamp ?r - room))
  (:durative-action press :parameters (?r - room) :duration (= ?duration 1) :condition (and) :effect {}))"""
LAMP, ROOM = Typed("?l", ("lamp",)), Typed("?q", ("room",))


@pytest.mark.parametrize(
    ("effect", "times", "variables"),
    [
        ("(forall (?l - lamp) (at end (lit ?l)))", ["at end"], [(LAMP,)]),
        (
            "(and (forall (?l - lamp) (and (at start (lit ?l)) (at end (not (lit ?l))))))",
            ["at start", "at end"],
            [(LAMP,)] * 2,
        ),
        ("(forall (?l - lamp) (forall (?q - room) (at end (in ?l ?q))))", ["at end"], [(LAMP, ROOM)]),
        ("(forall (?l - lamp) (when (at start (in ?l ?r)) (at end (lit ?l))))", ["at end"], [(LAMP,)]),
    ],
)
def test_effects_for_all_keep_their_variables(
    effect: str, times: list[str], variables: list[tuple[Typed, ...]]
) -> None:
    (action,) = parse_domain(DOMAIN.format(effect)).durative_actions
    assert [each.time for each in action.effects] == times
    assert [each.variables for each in action.effects] == variables
    assert [len(each.conditions) for each in action.effects] == [int("when" in effect)] * len(times)
