"""A client's messages read as actions; what is none says why."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

LONGEST = 1 << 26
"""Bytes of the longest message that is read."""

DEEPEST = 32
"""Levels of lists and objects in an action."""

NUMBERS = 1 << 63
"""What a message's number must be smaller than."""

SHOWN = 2000
"""Characters of a client's text that are told back."""


@dataclass(frozen=True, slots=True)
class Request:
    """A message: the action with its arguments, the message's number, and what is wrong with it if anything is."""

    action: Mapping[str, object] = field(default_factory=dict)
    sequence: int = 0
    fault: str = ""


def read_request(body: bytes) -> Request:
    """Return the request of a message; one that is no action has a fault, and its number if that can be read."""
    if len(body) > LONGEST:
        return Request(fault=f"The message has {len(body)} bytes; at most {LONGEST} are read.")
    try:
        told = json.loads(body)
    except RecursionError:
        return Request(fault=f"The message has too many levels; at most {DEEPEST} are read.")
    except ValueError as error:  # broken JSON, other bytes than UTF-8, numbers of thousands of digits
        return Request(fault=f"The message is not JSON: {str(error)[:200]}.")
    if not isinstance(told, dict):
        return Request(fault="The message is not a JSON object with an action.")
    sequence = told.pop("sequenceId", 0)
    if isinstance(sequence, bool) or not isinstance(sequence, int) or abs(sequence) >= NUMBERS:
        return Request({"action": told.get("action")}, 0, "The message's sequenceId is not a number of 64 bits.")
    if _too_deep(told):
        return Request({"action": told.get("action")}, sequence, f"The action has more than {DEEPEST} levels.")
    return Request(told, sequence)


def _too_deep(value: dict[str, object]) -> bool:
    """Return whether a JSON value has more than ``DEEPEST`` levels."""
    level: list[dict[str, object] | list[object]] = [value]
    for _ in range(DEEPEST + 1):
        level = [
            part
            for each in level
            for part in (each.values() if isinstance(each, dict) else each)
            if isinstance(part, dict | list)
        ]
        if not level:
            return False
    return True


def told_back(text: str) -> str:
    """Return a client's text as it is told back: without what cannot be encoded, and cut if it is long."""
    plain = text.encode("utf-8", "replace").decode("utf-8")
    return plain if len(plain) <= SHOWN else f"{plain[:SHOWN]}..."
