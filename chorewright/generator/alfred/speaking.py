"""What a demonstration gives the speaker: what its goal means, and its legs as words need them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from chorewright.domains.templates.goal_templates import Goal, GoalTemplate
from chorewright.domains.templates.wordings import wordings
from chorewright.files.records import reader_of
from chorewright.generator.household.starts import grant
from chorewright.problems.household.kinds import Kinds
from chorewright.problems.household.scene import Scene
from chorewright.rsa.household.directives import Annotation, GoalMeaning, Leg, directives

COLLECTION = "alfred"
"""The shipped templates, which are used where the user names none; their goals have rules of their own."""


@dataclass(frozen=True, slots=True)
class Meanings:
    """The tables of ``data/meanings.json``."""

    rules: Mapping[str, str]
    slots: Mapping[str, str]
    older: Mapping[str, str]


meanings = reader_of(Meanings, "chorewright.generator.alfred", "data/meanings.json")
"""Returns what the shipped tasks mean to a speaker."""


def meaning_of(task: str, slots: Mapping[str, str], kinds: Kinds) -> GoalMeaning | None:
    """Return what a shipped task means; None if it is none, or is filled with what is no kind.

    Args:
        task: the template's name.
        slots: the kinds that fill its slots.
        kinds: all kinds.
    """
    rule = meanings().rules.get(task)
    if rule is None or any(kind not in kinds for kind in slots.values()):
        return None
    wholes = [name for name, traits in kinds.items() if traits.piece and traits.piece == slots.get("object")]
    return GoalMeaning(rule, {**slots, **({"whole": wholes[0]} if wholes else {})})


def speak(
    template: GoalTemplate,
    goal: Goal,
    legs: list[Leg],
    scene: Scene,
    rng: np.random.Generator,
    annotations: int,
) -> tuple[Annotation, ...]:
    """Word a demonstration.

    A shipped task has a grammar of goals. A task of the user's is said as its template says it, and its steps take
    the nouns of its sentences. A sentence that takes for granted what the start does not hold is left out.

    Args:
        template: the task.
        goal: the filled template.
        legs: the plan's segments.
        scene: the start.
        rng: the only source of chance.
        annotations: how many annotators speak.
    """
    binding = dict(goal.binding)
    shipped = template.collection == COLLECTION
    meaning = meaning_of(template.name, binding, scene.kinds) if shipped else None
    if meaning is not None:
        return directives(meaning, legs, scene, rng, annotations=annotations)
    vocabulary = scene.kinds.vocabulary.kinds
    nouns = {kind: vocabulary[kind].noun for kind in binding.values() if kind in vocabulary}
    sentences = grant(tuple(dict.fromkeys(goal.sentences)), goal.goal, scene)
    if len(sentences) < annotations:  # nobody repeats another while there is another wording
        spare = wordings(goal.goal, scene.kinds.vocabulary)[: annotations - len(sentences)]
        sentences = tuple(dict.fromkeys((*sentences, *spare)))
    return directives(sentences, legs, scene, rng, annotations=annotations, nouns=nouns)
