"""Which name a hint proposes for a misspelt one: a close one, or none."""

from __future__ import annotations

import pytest

from chorewright.files.english import did_you_mean

NAMES = ("in", "open", "slider", "led", "handmethat/opening-packages", "handmethat/storing-food", "alfred/pick")

# What is written, and what is meant; None if nothing is near.
CASES = [
    ("inn", "in"),
    ("lde", "led"),
    ("opne", "open"),
    ("handmethat/opening-package", "handmethat/opening-packages"),
    ("handmethat/storing_food", "handmethat/storing-food"),
    ("handmehat/storing-food", "handmethat/storing-food"),
    ("handmethat/nope", None),
    ("handmethat/", None),
    ("alfred/storing", None),
    ("nosuch", None),
]


@pytest.mark.parametrize(("written", "meant"), CASES)
def test_only_close_names_are_proposed(written: str, meant: str | None) -> None:
    assert did_you_mean(written, NAMES) == (f"did you mean '{meant}'?" if meant else None)
