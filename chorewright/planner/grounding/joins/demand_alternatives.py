"""Alternatives among demands: conditions of which any will do where one is asked for; and their order.

To take a thing, it must be in or on something: the rules ask for either, knowing the thing only. These are
alternatives: what is on something need not be put into something first.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from chorewright.planner.grounding.joins.rules import Pattern, Rule, Term

Mask = tuple[bool, ...]
"""Which of a predicate's arguments are known."""

Asked = tuple[int, Mask]
"""A predicate and which of its arguments are known."""

Place = tuple[Rule, Pattern, Mask]
"""A condition of a rule, and which of its arguments are known."""

Rules = Mapping[int, Sequence[Rule]]
"""Rules by the predicate of their heads."""

_Key = tuple[Mask, tuple[int, ...]]
_Found = dict[_Key, dict[Place, Asked]]


@dataclass(frozen=True, slots=True)
class Passing:
    """How bindings are passed on through the body of a rule.

    Attributes:
        derivable: The predicates that rules derive.
        difficulty: How hard the atoms of each predicate are to bring about.
        backwards: Whether conditions that are alike are taken from the end of the body, not from its beginning.
    """

    derivable: frozenset[int]
    difficulty: Mapping[int, int]
    backwards: bool

    def ordered(self, rule: Rule, bound: Collection[Term]) -> list[Pattern]:
        """Order a rule's body from what is hard to bring about; these variables are bound at first."""
        known = set(bound)
        left = list(reversed(rule.body) if self.backwards else rule.body)
        order = []

        def rank(pattern: Pattern) -> tuple[int, int, int, int]:
            free = len({t for t in pattern.terms if t >= 0 and t not in known})
            shared = any(t < 0 or t in known for t in pattern.terms)
            static = pattern.predicate not in self.derivable
            if free == 0:
                group = 0
            elif static and (shared or len(pattern.terms) == 1):
                group = 1
            else:
                group = 2 if shared else 3
            return group, free, -self.difficulty.get(pattern.predicate, 0), left.index(pattern)

        while left:
            best = min(left, key=rank)
            left.remove(best)
            order.append(best)
            known |= {t for t in best.terms if t >= 0}
        return order


def alternatives(
    rules: Rules, roots: Mapping[int, int], declared: frozenset[int], passing: Passing
) -> Mapping[Place, tuple[Asked, ...]]:
    """What would do as well, for each declared condition that is asked for with some arguments known.

    Those are what the rules for one atom ask for, knowing the same of its arguments, whichever rule it is and
    however many auxiliary predicates lie between; the condition itself is one of them. ``roots`` are the
    predicates of such atoms and their arities. A condition that serves several has what is common to all.

    Args:
        rules: The rules by the predicates of their heads.
        roots: The predicates whose atoms are asked for, and their arities.
        declared: The predicates that actions make true.
        passing: The order of bodies.
    """
    groups: dict[Place, tuple[Asked, ...]] = {}
    for predicate, arity in roots.items():
        for together in _asked(predicate, tuple(range(arity)), rules, declared, passing, set()).values():
            group = tuple(sorted(set(together.values())))
            for place in together:
                groups[place] = tuple(each for each in groups.get(place, group) if each in group)
    return groups


def _asked(
    predicate: int,
    roots: tuple[int, ...],
    rules: Rules,
    declared: frozenset[int],
    passing: Passing,
    seen: set[tuple[int, tuple[int, ...]]],
) -> _Found:
    """What the rules for a predicate ask for, by what is known of the root's arguments.

    ``roots`` has the root's argument that each of the predicate's arguments is, or -1. What one rule asks for
    in several of its conditions is left out: it needs all of them.
    """
    together: _Found = {}
    if (predicate, roots) in seen:
        return together
    seen.add((predicate, roots))
    for rule in rules.get(predicate, ()):
        root = {t: r for t, r in zip(rule.head.terms, roots, strict=True) if t >= 0 and r >= 0}
        bound: set[Term] = set(root)
        parts: list[_Found] = []
        for pattern in passing.ordered(rule, bound):
            known = tuple(t < 0 or t in bound for t in pattern.terms)
            places = tuple(root.get(t, -1) for t in pattern.terms)
            own = chosen(places, known)
            if pattern.predicate not in declared:
                parts.append(_asked(pattern.predicate, places, rules, declared, passing, seen))
            elif own and not all(known) and min(own) >= 0:
                parts.append({(known, own): {(rule, pattern, known): (pattern.predicate, known)}})
            bound |= {t for t in pattern.terms if t >= 0}
        for key in {key: None for part in parts for key in part}:
            asking = [part[key] for part in parts if key in part]
            if len(asking) == 1:
                together.setdefault(key, {}).update(asking[0])
    return together


def chosen(terms: Sequence[Term], mask: Mask) -> tuple[Term, ...]:
    """The terms that are known."""
    return tuple(term for term, is_chosen in zip(terms, mask, strict=True) if is_chosen)


def difficulties(rules: Rules, declared: frozenset[int]) -> Mapping[int, int]:
    """How hard the atoms of each derivable predicate are to bring about: what the easiest action needs.

    For a declared predicate, the number of declared ones that this action asks for; for an auxiliary one, the
    most of what the easiest of its rules asks for.
    """

    def needs(predicate: int, above: frozenset[int]) -> list[int]:
        """The declared predicates that the rule with the fewest asks for."""
        if predicate in declared:
            return [predicate]
        if predicate not in rules or predicate in above:
            return []
        return least(predicate, above | {predicate})

    def least(predicate: int, above: frozenset[int]) -> list[int]:
        bodies = [[each for p in rule.body for each in needs(p.predicate, above)] for rule in rules[predicate]]
        return min(bodies, key=len)

    found = {number: len(least(number, frozenset())) for number in rules if number in declared}
    for number in rules:
        if number not in declared:
            asked = needs(number, frozenset())
            found[number] = max((found.get(each, 0) for each in asked), default=0)
    return found
