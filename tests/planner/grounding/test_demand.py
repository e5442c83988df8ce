"""What would do as well: to hold a thing, take it from in or on something, whatever it is."""

from __future__ import annotations

import pytest

from chorewright.planner.grounding.joins.demand import Passing, alternatives
from chorewright.planner.grounding.joins.rules import AtomPattern, JoinRule

HELD, REACHED, SEEN, IN, ON, CLEAN = range(6)
THING, PLACE, OTHER = range(3)
KNOWN = (True, False)


def rule(head: int, *body: AtomPattern) -> JoinRule:
    return JoinRule(AtomPattern(head, (THING,)), body, (), (-1, -1, -1))


def found(*rules: JoinRule) -> dict[tuple[int, tuple[bool, ...]], set[tuple[int, tuple[bool, ...]]]]:
    """The alternatives of conditions, by their predicates and what is known."""
    by_head: dict[int, list[JoinRule]] = {}
    for each in rules:
        by_head.setdefault(each.head.predicate, []).append(each)
    passing = Passing(frozenset((*by_head, IN, ON, CLEAN)), {}, backwards=False)
    made = alternatives(by_head, {HELD: 1}, frozenset({IN, ON, CLEAN}), passing)
    return {(pattern.predicate, mask): set(asked) for (_, pattern, mask), asked in made.items()}


INSIDE, UPON = AtomPattern(IN, (THING, PLACE)), AtomPattern(ON, (THING, PLACE))
EITHER = {(IN, KNOWN), (ON, KNOWN)}


@pytest.mark.parametrize(
    "rules",
    [
        (rule(HELD, INSIDE), rule(HELD, UPON)),
        (rule(HELD, AtomPattern(REACHED, (THING,))), rule(REACHED, INSIDE), rule(REACHED, UPON)),
        (
            rule(HELD, AtomPattern(REACHED, (THING,))),
            rule(HELD, INSIDE),
            rule(REACHED, AtomPattern(SEEN, (THING,))),
            rule(SEEN, UPON),
        ),
        (rule(HELD, INSIDE), rule(HELD, UPON), rule(HELD, AtomPattern(HELD, (THING,)))),
    ],
    ids=["two rules", "through another predicate", "through two", "through itself"],
)
def test_either_does_whichever_rule_asks_for_it(rules: tuple[JoinRule, ...]) -> None:
    assert found(*rules) == {(IN, KNOWN): EITHER, (ON, KNOWN): EITHER}


def test_what_one_rule_needs_together_is_no_alternative() -> None:
    assert found(rule(HELD, INSIDE, AtomPattern(ON, (THING, OTHER)))) == {}


def test_a_condition_of_which_all_is_known_has_no_alternative() -> None:
    assert found(rule(HELD, INSIDE), rule(HELD, AtomPattern(CLEAN, (THING,)))) == {(IN, KNOWN): {(IN, KNOWN)}}
