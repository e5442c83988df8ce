"""Predicates that actions make true of more objects than their declarations allow.

An example is ``(:action take :parameters (?x) :effect (held ?x))`` with ``(held ?x - ball)``. Some public files
omit the types of parameters. Planners that ignore the types of atoms (Fast Downward) then let anything be held.
Here the predicate is declared for any object, so that no atom has a wrong type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from chorewright.domains.pddl.syntax import (
    Action,
    AddEffect,
    AndEffect,
    Atom,
    Domain,
    Effect,
    ForallEffect,
    Formula,
    Signature,
    Typed,
    WhenEffect,
)
from chorewright.domains.pddl.types import OBJECT, Hierarchy, hierarchy
from chorewright.domains.rewriting import conjuncts

Kinds = Mapping[str, tuple[tuple[str, ...], ...]]
"""The types that are known of a variable: each object that it stands for is of one of each."""


def widened(domain: Domain) -> Domain:
    """The domain, with each predicate declared for all objects of which its actions can make it true.

    A variable of any type is of a predicate's type where a condition says so. The widening of one predicate
    may take that from the condition, so that the actions are gone through until nothing is widened any more.
    """
    if not domain.types:
        return domain
    types = hierarchy(domain.types)
    predicates = {signature.name: signature for signature in reversed(domain.predicates)}
    while wide := set(_wide(domain, predicates, types)):
        for name, place in sorted(wide):
            signature = predicates[name]
            parameters = list(signature.parameters)
            parameters[place] = replace(parameters[place], types=(OBJECT,))
            predicates[name] = replace(signature, parameters=tuple(parameters))
    if all(predicates[each.name] == each for each in domain.predicates):
        return domain
    return replace(domain, predicates=tuple(predicates[each.name] for each in domain.predicates))


def _wide(domain: Domain, predicates: Mapping[str, Signature], types: Hierarchy) -> Iterator[tuple[str, int]]:
    """The predicates, and the places in them, that an action makes true of objects that do not fit."""
    for action in domain.actions:
        for atom, kinds in _added(action, predicates):
            signature = predicates.get(atom.predicate)
            if signature is None or len(signature.parameters) != len(atom.terms):
                continue
            for place, (term, parameter) in enumerate(zip(atom.terms, signature.parameters, strict=True)):
                known = kinds.get(term, ())
                if (OBJECT,) in known and not any(types.fits(each, parameter.types) for each in known):
                    yield atom.predicate, place


def _added(action: Action, predicates: Mapping[str, Signature]) -> Iterator[tuple[Atom, Kinds]]:
    """The atoms that an action adds, each with what is known of the variables there."""
    known = _told(action.precondition, _bound({}, action.parameters), predicates)
    waiting: list[tuple[Effect, Kinds]] = [(action.effect, known)]
    while waiting:
        effect, kinds = waiting.pop()
        match effect:
            case AddEffect(atom):
                yield atom, kinds
            case AndEffect(effects):
                waiting.extend((inner, kinds) for inner in effects)
            case ForallEffect(variables, inner):
                waiting.append((inner, _bound(kinds, variables)))
            case WhenEffect(condition, inner):
                waiting.append((inner, _told(condition, kinds, predicates)))
            case _:
                pass


def _bound(kinds: Kinds, variables: tuple[Typed, ...]) -> Kinds:
    return {**kinds, **{variable.name: (variable.types,) for variable in variables}}


def _told(condition: Formula, kinds: Kinds, predicates: Mapping[str, Signature]) -> Kinds:
    """What is known of variables where a condition holds, too."""
    found = dict(kinds)
    for part in conjuncts(condition):
        signature = predicates.get(part.predicate) if isinstance(part, Atom) else None
        if isinstance(part, Atom) and signature and len(signature.parameters) == len(part.terms):
            for term, parameter in zip(part.terms, signature.parameters, strict=True):
                if term in found:
                    found[term] = (*found[term], parameter.types)
    return found
