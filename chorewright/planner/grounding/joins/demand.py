"""Demand-driven derivation: rules that derive only what a goal asks for ("magic sets").

For every way in which a predicate can be asked for (which of its arguments are known) there is a demand
predicate with the known arguments. A rule fires only where its head is demanded, and what it still needs
becomes demanded in turn, arguments bound by static atoms first. The first derivations of the goal's atoms
name the objects that a relaxed plan uses.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from chorewright.planner.grounding.joins import tables
from chorewright.planner.grounding.joins.rules import AtomPattern, Filter, JoinProgram, JoinRule, Term, compile_rules
from chorewright.planner.grounding.lifting import LiftedRules

# Alternatives among demands: conditions of which any will do where one is asked for; and their order.
#
# To take a thing, it must be in or on something: the rules ask for either, knowing the thing only. These are
# alternatives: what is on something need not be put into something first.


Mask = tuple[bool, ...]
"""Which of a predicate's arguments are known."""

Asked = tuple[int, Mask]
"""A predicate and which of its arguments are known."""

Place = tuple[JoinRule, AtomPattern, Mask]
"""A condition of a rule, and which of its arguments are known."""

Rules = Mapping[int, Sequence[JoinRule]]
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

    def ordered(self, rule: JoinRule, bound: Collection[Term]) -> list[AtomPattern]:
        """Order a rule's body from what is hard to bring about; these variables are bound at first."""
        known = set(bound)
        left = list(reversed(rule.body) if self.backwards else rule.body)
        order = []

        def rank(pattern: AtomPattern) -> tuple[int, int, int, int]:
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
        for together in _find_demands(predicate, tuple(range(arity)), rules, declared, passing, set()).values():
            group = tuple(sorted(set(together.values())))
            for place in together:
                groups[place] = tuple(each for each in groups.get(place, group) if each in group)
    return groups


def _find_demands(
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
            own = choose_terms(places, known)
            if pattern.predicate not in declared:
                parts.append(_find_demands(pattern.predicate, places, rules, declared, passing, seen))
            elif own and not all(known) and min(own) >= 0:
                parts.append({(known, own): {(rule, pattern, known): (pattern.predicate, known)}})
            bound |= {t for t in pattern.terms if t >= 0}
        for key in {key: None for part in parts for key in part}:
            asking = [part[key] for part in parts if key in part]
            if len(asking) == 1:
                together.setdefault(key, {}).update(asking[0])
    return together


def choose_terms(terms: Sequence[Term], mask: Mask) -> tuple[Term, ...]:
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


LAST_ROUNDS = 4
"""How many rounds are still worked off when all that is wanted is derived; of demands that waited, one."""


@dataclass(frozen=True, slots=True)
class DemandProgram:
    """Compiled rules with demand.

    Attributes:
        program: The rules.
        demands: The demand predicate for atoms of a predicate with all arguments known.
        asked_by: The same for each predicate; -1 if there is none.
        supported: The predicates whose initial atoms are repeated for supports.
        support: The predicate that repeats each of them.
        projection: The arguments that are repeated (supports x width; the rest is -1).
        ordinary: Marks of the predicates that are not demands.
        bodies: The rules' bodies for ``explanation.trace``: each rule's first pattern (rules + 1), each pattern's
            predicate, each pattern's first term, and the terms.
        increment: 1 for the predicates of actions, else 0: how many layers a derivation adds.
        late: Marks of the predicates whose atoms wait until all that follows without them is derived.
        last_rounds: How many rounds derivation goes on when all that is wanted is derived.
    """

    program: JoinProgram
    demands: Mapping[int, int]
    asked_by: NDArray[np.int32]
    supported: NDArray[np.int32]
    support: NDArray[np.int32]
    projection: NDArray[np.int32]
    ordinary: NDArray[np.bool_]
    bodies: tuple[NDArray[np.int32], ...]
    increment: NDArray[np.int32]
    late: NDArray[np.bool_]
    last_rounds: int

    def copies(
        self, predicates: NDArray[np.int32], rows: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Repeat the initial atoms that supports need.

        Args:
            predicates: The predicates of the initial atoms.
            rows: Their objects (atoms x width; the rest is -1).

        Returns:
            The predicates and objects of the supports' atoms, in the same form.
        """
        order = np.argsort(predicates, kind="stable")
        ordered = predicates[order]
        first = np.searchsorted(ordered, self.supported, "left")
        count = np.searchsorted(ordered, self.supported, "right") - first
        place = np.repeat(np.arange(len(count)), count)
        source = order[np.arange(len(place)) + np.repeat(first - np.cumsum(count) + count, count)]
        # A column of padding, so that -1 projects to it.
        wide = np.hstack([rows, np.full((len(rows), 1), -1, np.int32)])
        return self.support[place], wide[source[:, None], self.projection[place]]


def with_demand(lifted: LiftedRules, tight: bool, frugal: bool, backwards: bool = False) -> DemandProgram:
    """Rewrite a domain's (strict) rules so that they derive only what is demanded.

    What holds from the start is not demanded. If ``tight``, neither is an atom of which only some arguments
    are known and some initial atom has them. If ``frugal``, that goes for alternatives, too (what is on
    something need not be put into something to be taken), and a demand is only worked off where nothing
    follows without it: that leaves out much where all actions cost the same, and what is cheap elsewhere.

    Args:
        lifted: The rules, strict ones.
        tight: Whether to leave out demands of which some initial atom has the known arguments.
        frugal: Whether to look at fewer of several ways to the same.
        backwards: Whether bindings are passed on through conditions that are alike from the end of a body.
    """
    arities = list(lifted.arities)
    supports: dict[tuple[Asked, ...], int] = {}
    declared = frozenset(lifted.predicates[name] for name in lifted.added)

    def support(*alternative: Asked) -> int:
        number = supports.get(alternative)
        if number is None:
            number = supports[alternative] = len(arities)
            arities.append(sum(alternative[0][1]))
        return number

    original = {number: lifted.predicates[name] for name, number in lifted.absent.items()}
    rules = []
    for rule in lifted.rules:
        positive = original.get(rule.head.predicate)
        if positive is not None:
            # Only the absence of what holds at first has to be brought about.
            copy = support((positive, (True,) * arities[positive]))
            rule = replace(rule, body=(AtomPattern(copy, rule.head.terms), *rule.body))
        rules.append(rule)
    for number, positive in original.items():
        variables = tuple(range(arities[positive]))
        absent = Filter(tables.ABSENT, variables, support((positive, (True,) * len(variables))))
        rules.append(JoinRule(AtomPattern(number, variables), (), (absent,), (-1,) * len(variables)))
    derivable = frozenset(rule.head.predicate for rule in rules)
    by_head: dict[int, list[JoinRule]] = {}
    for rule in rules:
        by_head.setdefault(rule.head.predicate, []).append(rule)

    roots = {p: arities[p] for p in sorted(declared.union(original) & derivable)}
    difficulty = difficulties(by_head, declared) if frugal else {}
    passing = Passing(derivable, difficulty, backwards)
    alike = alternatives(by_head, roots, declared, passing) if tight and frugal else {}

    demands: dict[tuple[int, Mask], int] = {}
    waiting: list[tuple[int, Mask]] = []

    def demand(predicate: int, mask: Mask) -> int:
        number = demands.get((predicate, mask))
        if number is None:
            number = demands[predicate, mask] = len(arities)
            arities.append(sum(mask))
            waiting.append((predicate, mask))
        return number

    asking = {}
    fluent = [lifted.predicates[name] for name in sorted(lifted.added | lifted.deleted | lifted.derived)]
    for predicate in (*fluent, *lifted.absent.values()):
        if predicate in derivable:
            asking[predicate] = demand(predicate, (True,) * arities[predicate])
    rewritten: dict[JoinRule, None] = {}
    while waiting:
        predicate, mask = waiting.pop()
        number = demands[predicate, mask]
        for rule in by_head.get(predicate, []):
            asked = AtomPattern(number, choose_terms(rule.head.terms, mask))
            bound = {t for t in asked.terms if t >= 0}
            prefix = [asked]
            for pattern in passing.ordered(rule, bound):
                if pattern.predicate in derivable:
                    known = tuple(t < 0 or t in bound for t in pattern.terms)
                    terms = choose_terms(pattern.terms, known)
                    head = AtomPattern(demand(pattern.predicate, known), terms)
                    if head not in prefix:
                        unless = -1
                        if pattern.predicate in declared and (tight or all(known)):
                            unless = support(*alike.get((rule, pattern, known), ((pattern.predicate, known),)))
                        rewritten[_restrict(head, prefix, rule, unless)] = None
                prefix.append(pattern)
                bound |= {t for t in pattern.terms if t >= 0}
            rewritten[JoinRule(rule.head, tuple(prefix), rule.filters, rule.types)] = None
    final = list(rewritten)
    heads = derivable | frozenset(demands.values())
    program = compile_rules(final, arities, heads, lifted.implied, lifted.any_type, frozenset(demands.values()))
    ordinary = np.ones(len(arities), np.bool_)
    ordinary[list(demands.values())] = False
    increment = np.zeros(len(arities), np.int32)
    increment[[rule.predicate for rule in lifted.actions]] = 1
    asked_by = np.full(len(arities), -1, np.int32)
    for number, asks in asking.items():
        asked_by[number] = asks
    members = [(each, number) for group, number in supports.items() for each in group]
    projection = np.full((len(members), program.width), -1, np.int32)
    for i, ((_, mask), _) in enumerate(members):
        columns = np.flatnonzero(mask)
        projection[i, : len(columns)] = columns
    return DemandProgram(
        program,
        asking,
        asked_by,
        np.asarray([predicate for (predicate, _), _ in members], np.int32).reshape(-1),
        np.asarray([number for _, number in members], np.int32).reshape(-1),
        projection,
        ordinary,
        _bodies(final),
        increment,
        ~ordinary if frugal else np.zeros_like(ordinary),
        1 if frugal else LAST_ROUNDS,
    )


def _restrict(head: AtomPattern, body: Sequence[AtomPattern], rule: JoinRule, unless: int) -> JoinRule:
    """A rule over the variables of head and body only, with the filters that they allow.

    It does not fire where the head's arguments are an atom of the predicate ``unless`` (-1: none).
    """
    numbers: dict[Term, int] = {}
    for pattern in (*body, head):
        for term in pattern.terms:
            if term >= 0:
                numbers.setdefault(term, len(numbers))

    def renamed(terms: Sequence[Term]) -> tuple[Term, ...]:
        return tuple(numbers[t] if t >= 0 else t for t in terms)

    filters = tuple(
        Filter(item.kind, renamed(item.terms), item.predicate)
        for item in rule.filters
        if all(t < 0 or t in numbers for t in item.terms)
    )
    if unless >= 0:
        filters = (*filters, Filter(tables.ABSENT, renamed(head.terms), unless))
    types = [-1] * len(numbers)
    for old, new in numbers.items():
        types[new] = rule.types[old]
    return JoinRule(
        AtomPattern(head.predicate, renamed(head.terms)),
        tuple(AtomPattern(p.predicate, renamed(p.terms)) for p in body),
        filters,
        tuple(types),
    )


def _bodies(rules: Sequence[JoinRule]) -> tuple[NDArray[np.int32], ...]:
    start = [0]
    predicates: list[int] = []
    offsets: list[int] = []
    terms: list[int] = []
    for rule in rules:
        for pattern in rule.body:
            predicates.append(pattern.predicate)
            offsets.append(len(terms))
            terms.extend(pattern.terms)
        start.append(len(predicates))
    return tuple(np.asarray(values, np.int32) for values in (start, predicates, offsets, terms))
