"""What the author of a task should know of an attempt besides whether it was accepted.

Parts of the goal that are true at the start or speak of nothing, what handles a thing too often, and the smallest
part of a goal that cannot be reached.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from chorewright.domains.formulas import Universe, derive, holds
from chorewright.domains.pddl.subformulas import subformulas
from chorewright.domains.pddl.syntax import And, AtLeast, Atom, Domain, Exists, Forall, Formula, Imply, Not, Problem
from chorewright.domains.pddl.writer import write_formula
from chorewright.domains.rewriting import conjuncts, free_variables
from chorewright.domains.vocabulary import Vocabulary
from chorewright.generator.household.handling import oddities_of
from chorewright.planner.plan import GroundAction, Limits, Unsolvable
from chorewright.planner.planning import solve

LIMIT = Limits(evaluations=500)
"""What may go into the search for one part of a goal."""

LEFT = {"is-open": "door", "is-on": "attended"}
"""States that a demonstrator ends before walking away, with the set of what it does so with."""

SAID = {"pick-up": "picked up", "open": "opened", "toggle-on": "switched on"}
"""What is said of actions that are done too often."""


def vacuous(goal: Formula, domain: Domain, problem: Problem) -> Iterator[str]:
    """Yield the parts of a goal that hold at the start, and the quantifiers that range over nothing.

    What a demonstrator must not leave behind (``ajar``, ``running``) always holds at the start: it is left out.
    """
    universe = Universe.of(domain, problem)
    start = derive(domain, frozenset(problem.init), universe)
    parts = conjuncts(goal)
    for part in parts:
        for each in subformulas(part):
            if isinstance(each, Forall) and not all(universe.members(variable.types) for variable in each.variables):
                yield f"speaks of nothing: {_text(part)}"
                break
        else:
            if len(parts) > 1 and holds(part, start, universe) and not _tidiness(part):
                yield f"holds at the start: {_text(part)}"


def _tidiness(part: Formula) -> bool:
    atoms = [each for each in subformulas(part) if isinstance(each, Atom)]
    return all(atom.predicate in ("ajar", "running", "left-open", "left-on", "hand-empty") for atom in atoms)


def oddities(plan: Sequence[GroundAction], problem: Problem, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield what a plan handles more often than a person would, and what it puts where only something else goes."""

    def noun(name: str) -> str:
        kind = vocabulary.kind_of_type(name.split("_")[0])
        return kind.a_noun if kind else f"a {name.split('_')[0]}"

    for odd in oddities_of(plan, problem):
        if odd.what == "put":
            yield f"{noun(odd.name)} is put in or on {noun(odd.place)}, of which the goal does not speak"
        else:
            yield f"{noun(odd.name)} is {SAID[odd.what]} {odd.count} times"


def unreachable_part(goal: Formula, domain: Domain, problem: Problem, vocabulary: Vocabulary) -> str:
    """Return the smallest part of a goal that cannot be reached on its own, and what stands against it.

    Nothing if each part can be reached, or is too hard to judge: then they exclude each other.
    """
    found = _smallest(goal, domain, problem)
    if found is None:
        return ""
    against = _absent(found, domain, problem, vocabulary) or _against(found, vocabulary)
    return f"{_text(found)} cannot be reached{f': {against}' if against else ''}"


def _smallest(goal: Formula, domain: Domain, problem: Problem) -> Formula | None:
    """Return the first smallest unreachable part; None if the goal can be reached, or nobody knows."""
    if not isinstance(solve(domain, replace(problem, goal=goal), LIMIT), Unsolvable):
        return None
    for part in _parts(goal):
        found = _smallest(part, domain, problem)
        if found is not None:
            return found
    return goal


def _parts(goal: Formula) -> Iterator[Formula]:
    """Yield what a goal asks for at once, each alone under the quantifiers that bind it."""
    if isinstance(goal, And):
        yield from conjuncts(goal)
    elif isinstance(goal, Exists) and isinstance(goal.body, And):
        for part in conjuncts(goal.body):
            bound = tuple(variable for variable in goal.variables if variable.name in free_variables(part))
            if not isinstance(part, Not):
                yield Exists(bound, part) if bound else part
    elif isinstance(goal, Forall) and isinstance(goal.body, And):
        for part in conjuncts(goal.body):
            yield Forall(goal.variables, part)


def _absent(part: Formula, domain: Domain, problem: Problem, vocabulary: Vocabulary) -> str:
    """Return which things a part wants to exist that the room has none of; empty if there are all."""
    universe = Universe.of(domain, problem)
    for each in subformulas(part):
        for variable in each.variables if isinstance(each, Exists | AtLeast) else ():
            if not universe.members(variable.types):
                kinds = _kinds(variable.types, vocabulary) or variable.types
                return f"there is no {' or '.join(kinds)}"
    return ""


def _against(part: Formula, vocabulary: Vocabulary) -> str:
    """Return why no thing can be in what a part wants it in, by kinds; empty if kinds are not the reason."""
    types = {
        variable.name: variable.types
        for each in subformulas(part)
        if isinstance(each, Exists | Forall | AtLeast)
        for variable in each.variables
    }
    for each in subformulas(part):
        if isinstance(each, Imply):
            return ""
        if (
            isinstance(each, Atom)
            and each.predicate in LEFT
            and each.terms[0] in types
            and not isinstance(part, Exists)
        ):
            kinds = [vocabulary.kind(name) for name in _kinds(types[each.terms[0]], vocabulary)]
            minded = [kind.name for kind in kinds if LEFT[each.predicate] in kind.sets]
            if minded:
                verb = "opens" if each.predicate == "is-open" else "turns on"
                undone = "closes" if each.predicate == "is-open" else "turns off"
                return f"whoever {verb} a {' or '.join(minded)} {undone} it before walking away"
        if isinstance(each, Atom) and each.predicate == "in" and all(term in types for term in each.terms):
            inner, outer = (_kinds(types[term], vocabulary) for term in each.terms)
            if inner and outer and not any(vocabulary.fits(a, b) for a in inner for b in outer):
                would = sorted({b for a in inner for b in vocabulary.kinds if vocabulary.fits(a, b)})
                return f"nothing of the kind {' or '.join(inner)} goes in or on a {' or '.join(outer)}" + (
                    f"; it goes in or on {', '.join(would[:8])}" if would else ""
                )
    return ""


def _kinds(types: Sequence[str], vocabulary: Vocabulary) -> tuple[str, ...]:
    found = (vocabulary.kind_of_type(each) for each in types)
    return tuple(kind.name for kind in found if kind is not None)


def _text(part: Formula) -> str:
    return " ".join(write_formula(part).split())
