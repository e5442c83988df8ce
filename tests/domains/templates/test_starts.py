"""The section ``:start``: each rule is kept as it is written, with what it means."""

from __future__ import annotations

import pytest

from chorewright.domains.library import household_domain, household_vocabulary
from chorewright.domains.templates.parser import parse_template
from chorewright.errors import InputErrors

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


def test_leading_zeros_do_not_hide_a_number_that_is_too_large() -> None:
    with pytest.raises(InputErrors) as caught:
        parse_template(TEXT.format("(distractors 0 0000500)"), household_domain(), household_vocabulary())
    assert "a number from 0 to 20 is expected here, not '0000500'" in [each.message for each in caught.value.errors]
    rule = f"(distractors 0 {'0' * 5000}2)"
    (start,) = parse_template(TEXT.format(rule), household_domain(), household_vocabulary()).start
    assert start.high == 2
