"""Reading the arguments of a simulator call; one that is missing or of the wrong type gives a refusal."""

from __future__ import annotations

from collections.abc import Mapping

from chorewright.replay.household.refusals import BAD_ARGUMENT, MISSING_ARGUMENT, Refusal
from chorewright.replay.simulator import Argument

Arguments = Mapping[str, Argument]

LARGEST = 1e12
"""Larger numbers are taken for mistakes."""


def text(arguments: Arguments, name: str, action: str) -> str:
    """Return a text argument.

    Raises:
        Refusal: It is missing or not a text.
    """
    value = arguments.get(name)
    if value is None or value == "":
        raise Refusal(MISSING_ARGUMENT, action=action, what=name)
    if not isinstance(value, str):
        raise Refusal(BAD_ARGUMENT, action=action, what=repr(value), name=name)
    return value


def number(arguments: Arguments, name: str, default: float, action: str) -> float:
    """Return a number of at most ``LARGEST``, or the default where the argument is absent.

    Raises:
        Refusal: It is not such a number.
    """
    value = arguments.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        raise Refusal(BAD_ARGUMENT, action=action, what=repr(value), name=name)
    return value


def flag(arguments: Arguments, name: str, default: bool = False) -> bool:
    """Return a yes-or-no argument."""
    value = arguments.get(name)
    return default if value is None else bool(value)


def forced(arguments: Arguments) -> bool:
    """Return whether the call carries AI2-THOR's ``forceAction``."""
    return flag(arguments, "forceAction")
