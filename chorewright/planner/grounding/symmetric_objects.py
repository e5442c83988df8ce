"""Alike objects: those that a problem does not tell apart, of which a goal needs only a few.

Two objects are alike if the problem stays the same when they change places: they are of the same declared
types, and each has the initial atoms of the other. Of the slices of one loaf, a goal that asks for one slice
of bread needs one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from math import inf

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.pddl.syntax import And, AtLeast, Domain, Exists, Forall, Formula, Not, Or
from chorewright.planner.grounding.goal_atoms import constants
from chorewright.planner.grounding.numbering import Numbered, Types
from chorewright.planner.grounding.type_sets import TypeSets

_OWN = -2
"""In place of an object among the arguments of its own atoms."""


def witnesses(goal: Formula) -> Mapping[Types, float]:
    """How many objects of some types a goal in negation normal form may need at once, as far as it says.

    Returns:
        The number by types; infinite under a universal quantifier.
    """
    found: defaultdict[Types, float] = defaultdict(float)
    waiting: list[tuple[Formula, float]] = [(goal, 1)]
    while waiting:
        formula, times = waiting.pop()
        match formula:
            case And(operands) | Or(operands):
                waiting.extend((operand, times) for operand in operands)
            case Exists(variables, body):
                for variable in variables:
                    found[variable.types] += times
                waiting.append((body, times))
            case AtLeast(count, variables, body):
                for variable in variables:
                    found[variable.types] += times * count
                waiting.append((body, times * count))
            case Forall(variables, body) | Not(AtLeast(_, variables, body)):
                for variable in variables:
                    found[variable.types] = inf
                waiting.append((body, inf))
    return found


def unneeded(
    domain: Domain, numbered: Numbered, types: TypeSets, goal: Formula, named: NDArray[np.bool_]
) -> NDArray[np.bool_] | None:
    """Flags of the objects of which the goal has enough others that are alike; None if there are none.

    Of those alike, the last ones declared are left out, but only for a goal that needs one such object in
    all: where it needs several, what is done with one of them leads to what is cheap for the next.

    Args:
        domain: the domain.
        numbered: the problem in numbers.
        types: knows which objects are of which types.
        goal: the goal in negation normal form.
        named: flags of the objects that may be left out: the ones that may serve the goal.
    """
    objects = numbered.objects
    needed = np.zeros(len(objects.kinds))
    asked = [(types.fits(wanted, objects), count) for wanted, count in witnesses(goal).items()]
    for fits, count in asked:
        needed[fits] += count
    for function in domain.functions:
        for parameter in function.parameters:
            needed[types.fits(parameter.types, objects)] = inf
    candidates = named.copy()
    candidates[: len(domain.constants)] = False
    candidates[[objects.numbers[name] for name in constants(goal)]] = False
    sizes = np.bincount(objects.kind[candidates], minlength=len(objects.kinds))
    candidates &= ((needed > 0) & (needed < sizes))[objects.kind]
    found = np.zeros(len(objects.names), np.bool_)
    seen: Counter[tuple[int, bytes]] = Counter()
    for number, atoms in _atoms(numbered, candidates):
        kind = int(objects.kind[number])
        seen[kind, atoms] += 1
        found[number] = seen[kind, atoms] > needed[kind]
    alike = np.bincount(objects.kind[found], minlength=len(objects.kinds)) > 0
    return found if sum(count for fits, count in asked if fits[alike].any()) == 1 else None


def _atoms(numbered: Numbered, chosen: NDArray[np.bool_]) -> list[tuple[int, bytes]]:
    """The chosen objects, ascending, with the initial atoms of each, in which it is not named."""
    rows = numbered.arguments
    # The last flag is for the padding, which has the number -1.
    row, column = np.nonzero(np.append(chosen, False)[rows])
    owner = rows[row, column]
    atoms = np.column_stack([owner, numbered.predicates[row], rows[row]])
    atoms[:, 2:][atoms[:, 2:] == owner[:, None]] = _OWN
    atoms = atoms[np.lexsort(atoms.T[::-1])]
    members = np.flatnonzero(chosen)
    first = np.searchsorted(atoms[:, 0], members, "left")
    last = np.searchsorted(atoms[:, 0], members, "right")
    pairs = zip(members.tolist(), first.tolist(), last.tolist(), strict=True)
    return [(number, atoms[start:end, 1:].tobytes()) for number, start, end in pairs]


__all__ = ["unneeded", "witnesses"]
