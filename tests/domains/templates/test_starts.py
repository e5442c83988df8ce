"""The section ``:start``: each rule is kept as it is written, with what it means."""

from __future__ import annotations

import pytest

from chorewright.domains.library import household_domain, household_vocabulary
from chorewright.domains.templates.parser import parse_template

TEXT = """(define (task t) (:domain household) (:goal (exists (?m - mug) (holding ?m)))
  (:start {}) (:say "Hold a mug."))"""


@pytest.mark.parametrize(
    ("rule", "what", "low", "high", "wanted"),
    [
        ("(at-least 2 mug)", "count", 2, None, True),
        ("(at-most 3 mug)", "count", 0, 3, True),
        ("(exactly 1 bowl)", "count", 1, 1, True),
        ("(distractors 0 2)", "distractors", 0, 2, True),
        ("(distractors 2 2)", "distractors", 2, 2, True),
        ("(in mug fridge)", "in", 0, None, True),
        ("(not (in mug fridge))", "in", 0, None, False),
    ],
)
def test_rules_are_read(rule: str, what: str, low: int, high: int | None, wanted: bool) -> None:
    template = parse_template(TEXT.format(f"{rule} (at-least 4 plate)"), household_domain(), household_vocabulary())
    first, last = template.start
    assert (first.text, first.what, first.low, first.high, first.wanted) == (rule, what, low, high, wanted)
    assert (last.text, last.what, last.low, last.high) == ("(at-least 4 plate)", "count", 4, None)
