"""First-order logic over states in one place: evaluation, what is not met, derived predicates and rewriting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TypeAlias

from chorewright.domains.evaluation import Binding, StateQuestion, holds, satisfying
from chorewright.domains.facts import Facts, Universe, supertypes
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import atoms_with_signs, conjuncts, expanded, free_variables, parts
from chorewright.domains.pddl.writer import write_formula, write_head, write_types
from chorewright.domains.rewriting import (
    conjunction,
    count_needed_copies,
    predicates_mentioned_in,
    rename_types,
    substitute,
    types_mentioned_in,
)
from chorewright.errors import InputError, Location

__all__ = [
    "MAX_RULES",
    "Binding",
    "Facts",
    "GroundLiteral",
    "StateQuestion",
    "Universe",
    "axiom_levels",
    "condition_text",
    "conjunction",
    "conjuncts",
    "count_needed_copies",
    "derive",
    "expanded",
    "free_variables",
    "holds",
    "predicates_mentioned_in",
    "rename_types",
    "satisfying",
    "substitute",
    "supertypes",
    "support",
    "types_mentioned_in",
    "unmet",
    "unmet_parts",
]


# Support: the literals that make a formula true in a state, for one choice of its witnesses.


GroundLiteral: TypeAlias = tuple[syntax.GroundAtom, bool]
"""An atom, and whether it is true."""


def support(
    formula: syntax.Formula, facts: Facts, universe: Universe, binding: Binding | None = None
) -> tuple[GroundLiteral, ...]:
    """Return literals that hold in a state and from which the formula follows, each once.

    Of disjuncts and witnesses that hold, the first is taken. Equalities need no literal.

    Args:
        formula: A formula that is true in the state.
        binding: The values of its free variables.
    """
    return tuple(dict.fromkeys(_support(formula, True, facts, universe, dict(binding or {}))))


def _support(
    formula: syntax.Formula, wanted: bool, facts: Facts, universe: Universe, binding: dict[str, str]
) -> Iterator[GroundLiteral]:
    """The literals for which a formula is ``wanted``, which it is."""

    def of(part: syntax.Formula, value: bool = wanted, more: Binding | None = None) -> Iterator[GroundLiteral]:
        return _support(part, value, facts, universe, {**binding, **(more or {})})

    def is_so(part: syntax.Formula, value: bool = wanted, more: Binding | None = None) -> bool:
        return holds(part, facts, universe, {**binding, **(more or {})}) == value

    match formula:
        case syntax.Atom(predicate, terms):
            yield (predicate, *(binding.get(term, term) for term in terms)), wanted
        case syntax.Equals():
            return
        case syntax.Not(operand):
            yield from of(operand, not wanted)
        case syntax.Imply(antecedent, consequent):
            yield from of(syntax.Or((syntax.Not(antecedent), consequent)))
        case syntax.And(operands) | syntax.Or(operands):
            if isinstance(formula, syntax.And) == wanted:
                for operand in operands:
                    yield from of(operand)
            else:
                yield from of(next(operand for operand in operands if is_so(operand)))
        case syntax.Forall(variables, body) | syntax.Exists(variables, body):
            values = universe.bindings(variables)
            if isinstance(formula, syntax.Forall) == wanted:
                for each in values:
                    yield from of(body, more=each)
            elif wanted:
                yield from of(body, more=next(satisfying(formula, facts, universe, binding)))
            else:
                yield from of(body, more=next(each for each in values if is_so(body, more=each)))
        case syntax.AtLeast(count, variables, body):
            same = (each for each in universe.bindings(variables) if is_so(body, more=each))
            for each in islice(same, count) if wanted else same:
                yield from of(body, more=each)


# Derived predicates: the stratified fixpoint of a domain's axioms over a state.


MAX_RULES = 64


def derive(domain: syntax.Domain, state: syntax.State, universe: Universe) -> syntax.State:
    """Return the state together with everything that the domain's axioms derive from it.

    Raises:
        InputError: A derived predicate depends on its own negation.
    """
    if not domain.axioms:
        return state
    levels = axiom_levels(domain)
    facts = Facts(state)
    for level in sorted(set(levels.values())):
        rules = [rule for axiom in domain.axioms if levels[axiom.head.name] == level for rule in _rules(axiom)]
        changed: set[str] | None = None
        while changed is None or changed:
            # After the first round only the rules that use something new can derive more.
            due = [rule for rule in rules if changed is None or not changed.isdisjoint(rule.uses)]
            changed = set()
            for rule in due:
                found = [
                    (rule.predicate, *(binding[name] for name in rule.terms))
                    for binding in satisfying(rule.premise, facts, universe, ordered=False)
                ]
                if facts.add(found):
                    changed.add(rule.predicate)
    return frozenset(facts.atoms)


@dataclass(frozen=True, slots=True)
class _Rule:
    """One alternative of an axiom: what satisfies ``premise`` (all variables in front) derives the atom."""

    predicate: str
    terms: tuple[str, ...]
    premise: syntax.Exists
    uses: frozenset[str]


@lru_cache(maxsize=1024)
def _rules(axiom: syntax.Axiom) -> tuple[_Rule, ...]:
    head = axiom.head
    alternatives = _alternatives(axiom.body, frozenset(typed.name for typed in head.parameters))
    if alternatives is None:
        alternatives = [((), (axiom.body,))]
    return tuple(
        _Rule(
            head.name,
            tuple(typed.name for typed in head.parameters),
            syntax.Exists((*head.parameters, *variables), syntax.And(parts)),
            frozenset(predicates_mentioned_in(syntax.And(parts))),
        )
        for variables, parts in alternatives
    )


_Alternative: TypeAlias = tuple[tuple[syntax.Typed, ...], tuple[syntax.Formula, ...]]


def _alternatives(formula: syntax.Formula, taken: frozenset[str]) -> list[_Alternative] | None:
    """Return the conjunctions, with the variables before them, of which any makes a formula true.

    None if they are more than ``MAX_RULES``; ``taken`` are variables that inner quantifiers must rename.
    """
    match formula:
        case syntax.Or(operands):
            found: list[_Alternative] = []
            for operand in operands:
                more = _alternatives(operand, taken)
                if more is None or len(found) + len(more) > MAX_RULES:
                    return None
                found.extend(more)
            return found
        case syntax.And(operands):
            product: list[_Alternative] = [((), ())]
            for operand in operands:
                used = taken.union(*({typed.name for typed in variables} for variables, _ in product))
                more = _alternatives(operand, used)
                if more is None or len(product) * len(more) > MAX_RULES:
                    return None
                product = [
                    ((*before, *variables), (*parts, *others))
                    for before, parts in product
                    for variables, others in more
                ]
            return product
        case syntax.Exists(variables, body):
            fresh = dict(zip((each.name for each in variables), _fresh_names(variables, taken), strict=True))
            renamed = tuple(syntax.Typed(fresh[each.name], each.types, each.position) for each in variables)
            inner = _alternatives(substitute(body, fresh), taken | set(fresh.values()))
            if inner is None:
                return None
            return [((*renamed, *more), parts) for more, parts in inner]
    return [((), (formula,))]


def _fresh_names(variables: tuple[syntax.Typed, ...], taken: frozenset[str]) -> Iterator[str]:
    used = set(taken)
    for typed in variables:
        name, number = typed.name, 0
        while name in used:
            number += 1
            name = f"{typed.name}_{number}"
        used.add(name)
        yield name


def axiom_levels(domain: syntax.Domain) -> dict[str, int]:
    """Return the stratum of each derived predicate: above every predicate that it negates, and at least that of
    those it uses.

    Raises:
        InputError: A derived predicate depends on its own negation.
    """
    levels = {axiom.head.name: 0 for axiom in domain.axioms}
    changed = True
    while changed:
        changed = False
        for axiom in domain.axioms:
            for atom, positive in atoms_with_signs(axiom.body):
                if atom.predicate not in levels:
                    continue
                needed = levels[atom.predicate] + (0 if positive else 1)
                if needed >= len(levels) + 1:
                    position = axiom.position
                    raise InputError(
                        f"derived predicate {axiom.head.name!r} depends on its own negation",
                        location=Location(
                            domain.path, position.line if position else None, position.column if position else None
                        ),
                        hint="axioms must be stratified: break the cycle through 'not'",
                    )
                if levels[axiom.head.name] < needed:
                    levels[axiom.head.name] = needed
                    changed = True
    return levels


# What of a condition does not hold: its smallest parts, as PDDL text for a reader.


def unmet(formula: syntax.Formula, facts: Facts, universe: Universe, binding: Mapping[str, str]) -> Iterator[str]:
    """Yield the parts that ``unmet_parts`` yields, as PDDL text."""
    return map(condition_text, unmet_parts(formula, facts, universe, binding))


def unmet_parts(
    formula: syntax.Formula, facts: Facts, universe: Universe, binding: Mapping[str, str]
) -> Iterator[syntax.Formula]:
    """Yield the smallest parts of a formula that do not hold, with objects put in.

    Args:
        formula: The formula.
        facts: The state, derived atoms included.
        universe: The objects.
        binding: The objects of its free variables.
    """
    if holds(formula, facts, universe, binding):
        return
    match formula:
        case syntax.And(operands):
            for operand in operands:
                yield from unmet_parts(operand, facts, universe, binding)
        case syntax.Forall(variables, body):
            outer = {n: v for n, v in binding.items() if all(x.name != n for x in variables)}
            for found in satisfying(syntax.Exists(variables, syntax.Not(body)), facts, universe, outer):
                yield from unmet_parts(body, facts, universe, {**binding, **found})
                return
        case syntax.Imply(_, consequent):
            yield from unmet_parts(consequent, facts, universe, binding)
        case syntax.Not(syntax.Not(operand)):
            yield from unmet_parts(operand, facts, universe, binding)
        case syntax.Not(syntax.Or(operands)):
            for operand in operands:
                yield from unmet_parts(syntax.Not(operand), facts, universe, binding)
        case syntax.Not(syntax.Exists(variables, body)):
            yield from unmet_parts(syntax.Forall(variables, syntax.Not(body)), facts, universe, binding)
        case _:
            yield substitute(formula, dict(binding))


def condition_text(formula: syntax.Formula) -> str:
    """A formula as PDDL text on one line."""
    if isinstance(formula, syntax.Atom | syntax.Equals | syntax.Comparison):
        return write_formula(formula)
    words = [write_head(formula), *map(condition_text, parts(formula))]
    if isinstance(formula, syntax.Forall | syntax.Exists | syntax.AtLeast):
        typed = " ".join(f"{each.name} - {write_types(each.types)}" for each in formula.variables)
        words.insert(1, f"({typed})")
    return f"({' '.join(words)})"
