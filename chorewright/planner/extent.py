"""How large the full task may be: a bound on the ground actions, from types and static preconditions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from chorewright.domains.formulas import conjuncts
from chorewright.domains.pddl.syntax import (
    Action,
    AddEffect,
    AndEffect,
    Atom,
    DeleteEffect,
    Domain,
    Effect,
    ForallEffect,
    Problem,
    WhenEffect,
)


def most_actions(domain: Domain, problem: Problem) -> int:
    """At most so many ground actions satisfy their static preconditions."""
    changing = {axiom.head.name for axiom in domain.axioms}
    for action in domain.actions:
        changing.update(_changed(action.effect))
    facts = Counter(atom[0] for atom in problem.init if atom[0] not in changing)
    counts: Counter[str] = Counter()
    kinds = Counter(each.types for each in (*domain.constants, *problem.objects))
    parents = {each.name: each.types for each in domain.types}
    for types, number in kinds.items():
        known = dict.fromkeys((*types, "object"))
        waiting = list(types)
        while waiting:
            above = [name for name in parents.get(waiting.pop(), ()) if name not in known]
            known.update(dict.fromkeys(above))
            waiting += above
        for name in known:
            counts[name] += number
    return sum(_most(action, changing, facts, counts) for action in domain.actions)


def _most(action: Action, changing: set[str], facts: Counter[str], counts: Counter[str]) -> int:
    """The smallest product that a greedy choice of static preconditions gives for one action."""
    sizes = {p.name: sum(counts[name] for name in p.types) for p in action.parameters}
    static = [
        formula
        for formula in conjuncts(action.precondition)
        if isinstance(formula, Atom) and formula.predicate not in changing
    ]
    product = 1
    for atom in sorted(static, key=lambda atom: (facts[atom.predicate], atom.predicate, atom.terms)):
        bound = {term for term in atom.terms if term in sizes}
        if facts[atom.predicate] < math.prod(sizes[term] for term in bound):
            product *= facts[atom.predicate]
            for term in bound:
                del sizes[term]
    return product * math.prod(sizes.values())


def _changed(effect: Effect) -> Iterator[str]:
    """Predicates that an effect adds or deletes."""
    if isinstance(effect, AddEffect | DeleteEffect):
        yield effect.atom.predicate
    elif isinstance(effect, AndEffect):
        for each in effect.effects:
            yield from _changed(each)
    elif isinstance(effect, ForallEffect | WhenEffect):
        yield from _changed(effect.effect)
