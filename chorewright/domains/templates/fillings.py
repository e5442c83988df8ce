"""Counting and drawing the fillings of a template's slots where there are too many to list.

Slots that no constraint relates are filled independently. Each group of related slots has few enough fillings to
list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from chorewright.domains.rewriting import free_variables
from chorewright.domains.templates.goal_templates import Binding, GoalTemplate, candidates
from chorewright.domains.vocabulary import Vocabulary


def slot_groups(template: GoalTemplate) -> tuple[GoalTemplate, ...]:
    """Return one template for each group of related slots, with only these slots and constraints.

    A slot is related to those that it shares a constraint of ``:where`` with. Constraints without any slot
    are left with the first group.
    """
    group_of = {slot.variable: {slot.variable} for slot in template.slots}
    for _, constraint in template.where:
        related = sorted(free_variables(constraint) & group_of.keys())
        for variable in related[1:]:
            joined = group_of[related[0]] | group_of[variable]
            for each in joined:
                group_of[each] = joined
    groups: dict[frozenset[str], None] = dict.fromkeys(frozenset(group) for group in group_of.values())
    return tuple(
        replace(
            template,
            slots=tuple(slot for slot in template.slots if slot.variable in group),
            where=tuple(
                (text, constraint)
                for text, constraint in template.where
                if free_variables(constraint) & group or (place == 0 and not free_variables(constraint))
            ),
            defaults=(),
        )
        for place, group in enumerate(groups)
    )


def count_fillings(template: GoalTemplate, vocabulary: Vocabulary) -> int:
    """Return the number of ways to fill the slots.

    Raises:
        LimitError: One group of related slots alone has too many.
    """
    return prod(len(candidates(group, vocabulary)) for group in slot_groups(template))


def random_fillings(groups: Sequence[Sequence[Binding]], rng: np.random.Generator) -> Iterator[Binding]:
    """Yield all joint fillings of independent groups in random order, each once.

    Args:
        groups: The fillings of each group.
        rng: Where the order comes from.
    """
    sizes = [len(each) for each in groups]
    total = prod(sizes)
    seen: set[int] = set()
    while len(seen) < total:
        # Few of many are wanted as a rule, so that hitting one again is rare.
        place = int(rng.integers(total))
        while place in seen:
            place = (place + 1) % total
        seen.add(place)
        yield _joint(groups, sizes, place)


def _joint(groups: Sequence[Sequence[Binding]], sizes: Sequence[int], place: int) -> Binding:
    found: list[tuple[str, str]] = []
    for group, size in zip(groups, sizes, strict=True):
        place, own = divmod(place, size)
        found.extend(group[own])
    return tuple(found)


def in_order(binding: Mapping[str, str] | Binding, template: GoalTemplate) -> Binding:
    """Return a binding in the order of the template's slots."""
    filled = dict(binding)
    return tuple((name, filled[name]) for name in template.slot_names if name in filled)
