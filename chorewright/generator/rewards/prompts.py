"""The prompts of tasks: a problem as PDDL, in English or both, and how an answer is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chorewright.domains.pddl.syntax import Domain
from chorewright.domains.phrases import Wordings
from chorewright.files.records import reader_of
from chorewright.generator.measuring.descriptions import describe
from chorewright.generator.measuring.questions.rules import forms_text, rules_text
from chorewright.generator.rewards.drawing import SolvedProblem
from chorewright.rsa.words.verbaliser import Verbaliser

STYLES = ("pddl", "english", "both")


phrases = reader_of(dict[str, Any], "chorewright.generator.rewards", "data/prompts.json")
"""The sentences of all prompts."""


def opening(kind: str, rng: np.random.Generator) -> str:
    """Return one of the sentences that open a prompt."""
    ways: Sequence[str] = phrases()[kind]
    return ways[int(rng.integers(len(ways)))]


def answer_format(name: str, **parts: str) -> str:
    """Return how an answer is written."""
    said: str = phrases()["formats"][name]
    return said.format(**parts) if parts else said


def say_problem(solved: SolvedProblem, style: str) -> str:
    """Return a problem with its domain, as PDDL, in English, or both."""
    domain, problem = solved.domain, solved.problem
    parts = []
    if style != "english":
        parts += [phrases()["domain"], solved.source.text.strip()]
        parts += [phrases()["problem"], solved.text.strip()]
    if style != "pddl":
        parts += [phrases()["rules"], rules_text(domain, solved.wordings)]
        parts += [phrases()["problem"], describe(domain, problem, "grouped", solved.wordings)]
    if style == "english":
        parts += [phrases()["actions"], forms_text(domain), phrases()["objects"], _names(solved)]
    return "\n\n".join(parts)


def say_commands(domain: Domain, wordings: Wordings, example: str) -> str:
    """Return the commands of a problem's game: ``stack BLOCK on BLOCK; ...``."""
    says = Verbaliser.of(domain, (), wordings)
    told = [
        says.wordings.actions[action.name][0].fill(
            [(says.kind(each.types) or "thing").upper() for each in action.parameters]
        )
        for action in domain.actions
    ]
    return answer_format("game", commands="; ".join(told), example=example)


def _names(solved: SolvedProblem) -> str:
    says = Verbaliser.of(solved.domain, solved.problem.objects, solved.wordings)
    things = (*solved.domain.constants, *solved.problem.objects)
    return "\n".join(f"{each.name}: {says.name(each.name)}" for each in things)
