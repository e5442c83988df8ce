"""A question: what is told, what is asked, which answers there are, and which is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

YES_NO = ("yes", "no")


@dataclass(frozen=True, slots=True)
class Question:
    """One question about a problem.

    Attributes:
        kind: What it is about, one of ``making.KINDS``.
        told: What is known, in English.
        asked: The question, in English.
        options: The answers to choose from.
        answer: The right one.
        formal: The same as plain data: atoms as lists of words, steps and plans as PDDL text.
    """

    kind: str
    told: str
    asked: str
    options: tuple[str, ...]
    answer: str
    formal: Mapping[str, object] = field(default_factory=dict)
