"""Formulas rewritten: joined, variables replaced, types renamed; what they mention."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from chorewright.domains.facts import VALUE
from chorewright.domains.pddl import subformulas, syntax


def conjunction(parts: Iterable[syntax.Formula]) -> syntax.Formula:
    """Return the conjunction of the parts, flattened, without repetitions; of one part, that part."""
    flat = tuple(dict.fromkeys(part for formula in parts for part in subformulas.conjuncts(formula)))
    return flat[0] if len(flat) == 1 else syntax.And(flat)


def types_mentioned_in(formula: syntax.Formula) -> tuple[str, ...]:
    """Return the types that the formula quantifies over, in the order of their first mention."""
    bound = (typed for part in subformulas.subformulas(formula) for typed in subformulas.own_variables(part))
    return tuple(dict.fromkeys(name for typed in bound for name in typed.types))


def predicates_mentioned_in(formula: syntax.Formula) -> tuple[str, ...]:
    """Return the predicates of the formula's atoms, in the order of their first mention; ``=`` for values read."""
    atoms = (part for part in subformulas.subformulas(formula) if isinstance(part, syntax.Atom | syntax.Comparison))
    return tuple(dict.fromkeys(VALUE if isinstance(atom, syntax.Comparison) else atom.predicate for atom in atoms))


def substitute(formula: syntax.Formula, mapping: Mapping[str, str]) -> syntax.Formula:
    """Return the formula with free variables replaced by terms; bound variables are renamed to avoid capture."""
    if not mapping:
        return formula
    if isinstance(formula, syntax.Forall | syntax.Exists | syntax.AtLeast):
        variables, body = _substitute_below(formula.variables, formula.body, mapping)
        return replace(formula, variables=variables, body=body)
    if isinstance(formula, syntax.Atom | syntax.Equals | syntax.Comparison):
        return subformulas.rename(formula, mapping)
    return subformulas.with_parts(formula, lambda part: substitute(part, mapping))


def _substitute_below(
    variables: tuple[syntax.Typed, ...], body: syntax.Formula, mapping: Mapping[str, str]
) -> tuple[tuple[syntax.Typed, ...], syntax.Formula]:
    bound = {typed.name for typed in variables}
    free = subformulas.free_variables(body) - bound
    below = {name: term for name, term in mapping.items() if name in free}
    captured = bound & set(below.values())
    if captured:
        taken = free | bound | set(below.values()) | subformulas.variables_in(body)
        renamed = []
        for typed in variables:
            if typed.name in captured:
                fresh = _fresh(typed.name, taken)
                taken = taken | {fresh}
                below[typed.name] = fresh
                typed = syntax.Typed(fresh, typed.types, typed.position)
            renamed.append(typed)
        variables = tuple(renamed)
    return variables, substitute(body, below)


def _fresh(name: str, taken: frozenset[str] | set[str]) -> str:
    number = 1
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def rename_types(formula: syntax.Formula, mapping: Mapping[str, str]) -> syntax.Formula:
    """Return the formula with the types of its quantified variables renamed."""
    if isinstance(formula, syntax.Forall | syntax.Exists | syntax.AtLeast):
        formula = replace(formula, variables=_retype(formula.variables, mapping))
    return subformulas.with_parts(formula, lambda part: rename_types(part, mapping))


def _retype(variables: tuple[syntax.Typed, ...], mapping: Mapping[str, str]) -> tuple[syntax.Typed, ...]:
    return tuple(
        syntax.Typed(typed.name, tuple(dict.fromkeys(mapping.get(each, each) for each in typed.types)), typed.position)
        for typed in variables
    )


def count_needed_copies(formula: syntax.Formula) -> dict[str, int]:
    """Return how many objects of each type a formula asks for at the same time.

    One for every ``exists``, n for every ``at-least n``, products for nested ones; nothing for what stands
    below ``not`` and ``forall`` or before ``imply``. Alternatives are taken together: an upper estimate.
    """
    needed: dict[str, int] = {}

    def visit(part: syntax.Formula, times: int) -> None:
        match part:
            case syntax.And(operands) | syntax.Or(operands):
                for operand in operands:
                    visit(operand, times)
            case syntax.Imply(consequent=consequent):
                visit(consequent, times)
            case syntax.Exists(variables, body) | syntax.AtLeast(variables=variables, body=body):
                here = times * (part.count if isinstance(part, syntax.AtLeast) else 1)
                counts: dict[str, int] = {}
                for typed in variables:
                    for name in typed.types:
                        counts[name] = counts.get(name, 0) + here
                for name, count in counts.items():
                    needed[name] = max(needed.get(name, 0), count)
                visit(body, times)
            case _:
                pass

    visit(formula, 1)
    return needed


# Problems made easier or harder: what is derived holds, or an atom stays false.


AVOIDED = "avoided-"
"""Begins the name of the predicate by which the planner keeps an atom false."""


def without_derived(domain: syntax.Domain) -> syntax.Domain:
    """Return a domain whose actions can do what they can if every condition on what is derived holds."""
    derived = {axiom.head.name for axiom in domain.axioms}
    if not derived:
        return domain

    def relaxed(formula: syntax.Formula) -> syntax.Formula:
        return conjunction(
            [part for part in subformulas.conjuncts(formula) if derived.isdisjoint(predicates_mentioned_in(part))]
        )

    def always(effect: syntax.Effect) -> syntax.Effect:
        return subformulas.with_inner(effect, always, relaxed)

    actions = [replace(a, precondition=relaxed(a.precondition), effect=always(a.effect)) for a in domain.actions]
    return replace(domain, actions=tuple(actions), axioms=())


def never_derived(
    domain: syntax.Domain, problem: syntax.Problem, atom: syntax.GroundAtom
) -> tuple[syntax.Domain, syntax.Problem]:
    """Return the problem of reaching the goal through states in which a derived atom is false."""
    false = syntax.Not(syntax.Atom(atom[0], atom[1:]))
    actions = tuple(replace(each, precondition=conjunction([each.precondition, false])) for each in domain.actions)
    watched, problem = _with_constants(replace(domain, actions=actions), problem, atom)
    return watched, replace(problem, goal=conjunction([problem.goal, false]))


def _with_constants(
    domain: syntax.Domain, problem: syntax.Problem, atom: syntax.GroundAtom
) -> tuple[syntax.Domain, syntax.Problem]:
    """Make an atom's objects constants: what actions name must be constants."""
    named = tuple(each for each in problem.objects if each.name in atom[1:])
    objects = tuple(each for each in problem.objects if each not in named)
    return replace(domain, constants=(*domain.constants, *named)), replace(problem, objects=objects)


def avoiding(
    domain: syntax.Domain, problem: syntax.Problem, atom: syntax.GroundAtom
) -> tuple[syntax.Domain, syntax.Problem]:
    """Return the problem of reaching the goal without ever making an atom true."""
    flag = syntax.Atom(AVOIDED + atom[0], ())
    actions = tuple(replace(each, effect=_watch(each.effect, atom, flag)) for each in domain.actions)
    watched, problem = _with_constants(domain, problem, atom)
    watched = replace(watched, predicates=(*domain.predicates, syntax.Signature(flag.predicate, ())), actions=actions)
    goal = conjunction([*subformulas.conjuncts(problem.goal), flag])
    return watched, replace(problem, init=(*problem.init, (flag.predicate,)), goal=goal)


def _watch(effect: syntax.Effect, atom: syntax.GroundAtom, flag: syntax.Atom) -> syntax.Effect:
    match effect:
        case syntax.AddEffect(syntax.Atom(predicate, terms)) if predicate == atom[0]:
            same = syntax.And(tuple(syntax.Equals(term, name) for term, name in zip(terms, atom[1:], strict=True)))
            return syntax.AndEffect((effect, syntax.WhenEffect(same, syntax.DeleteEffect(flag))))
        case _:
            return subformulas.with_inner(effect, lambda inner: _watch(inner, atom, flag))
