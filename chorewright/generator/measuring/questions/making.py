"""All questions of a problem: so many of each kind, yes and no in turn, never the same twice."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from chorewright.generator.measuring.questions.choices import OPTIONS, first_wrong_step, goal_recognition, optimal_cost
from chorewright.generator.measuring.questions.question import Question
from chorewright.generator.measuring.questions.situation import Situation
from chorewright.generator.measuring.questions.yes_no import (
    Pair,
    applicability,
    justification,
    landmark,
    next_state,
    reachability,
    validity,
)

PAIRS: dict[str, Callable[[Situation, np.random.Generator], Pair | None]] = {
    "applicability": applicability,
    "next state": next_state,
    "plan validity": validity,
    "reachability": reachability,
    "landmark": landmark,
    "justification": justification,
}
CHOICES: dict[str, Callable[[Situation, np.random.Generator, int], Question | None]] = {
    "first wrong step": first_wrong_step,
    "optimal cost": optimal_cost,
    "goal recognition": goal_recognition,
}
KINDS = (*PAIRS, *CHOICES)
ONCE = ("optimal cost",)
"""Kinds of which a problem has one question only."""


@dataclass(frozen=True, slots=True)
class QuestionStyle:
    """How many questions are made, and of which kinds; ``each`` counts pairs of yes and no, and single choices."""

    each: int = 2
    kinds: tuple[str, ...] = KINDS
    seed: int = 0


def questions_of(situation: Situation, name: str, style: QuestionStyle, places: Counter[str]) -> Iterator[Question]:
    """Yield the questions of a problem.

    Args:
        situation: The problem with a plan.
        name: Its name; random numbers come from it and the style's seed alone.
        style: How many questions, and which.
        places: How many choices of each kind there are already: the places of right answers go in turn. It grows.
    """
    for kind in style.kinds:
        words = f"{style.seed} {kind} {name}".encode()
        rng = np.random.default_rng(int.from_bytes(hashlib.sha256(words).digest()[:8], "big"))
        seen: set[str] = set()
        for _ in range(1 if kind in ONCE else style.each):
            if kind in PAIRS:
                pair = PAIRS[kind](situation, rng)
                if pair is None or any(each.asked + each.told in seen for each in pair):
                    continue
                seen.update(each.asked + each.told for each in pair)
                yield from pair
            else:
                found = CHOICES[kind](situation, rng, places[kind] % OPTIONS)
                if found is not None and found.asked + found.told not in seen:
                    places[kind] += 1
                    seen.add(found.asked + found.told)
                    yield found
