"""Facts said of all things of a type at once, where they hold of all; they mean exactly the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chorewright.domains.formulas import Universe, conjuncts
from chorewright.domains.pddl.syntax import And, Atom, Domain, Forall, Formula, GroundAtom, Typed

VARIABLE = "?thing"
FEWEST = 2
"""Things of which one is said at once."""


def abstract_atoms(domain: Domain, universe: Universe, atoms: Iterable[GroundAtom]) -> tuple[Formula, ...]:
    """Return formulas that hold exactly if all of the atoms do: ``forall`` wherever a place takes a whole type."""
    left = list(dict.fromkeys(atoms))
    found: list[Formula] = []
    while left:
        best = max(_generalised(domain, universe, left), key=lambda each: len(each[1]), default=None)
        if best is None:
            return (*found, *(Atom(atom[0], atom[1:]) for atom in left))
        formula, covered = best
        found.append(formula)
        left = [atom for atom in left if atom not in covered]
    return tuple(found)


def abstract_goal(domain: Domain, universe: Universe, goal: Formula) -> Formula:
    """Return a goal whose atoms are said of all things at once where possible."""
    parts = conjuncts(goal)
    atoms = [(part.predicate, *part.terms) for part in parts if isinstance(part, Atom)]
    others = tuple(part for part in parts if not isinstance(part, Atom))
    found = (*abstract_atoms(domain, universe, atoms), *others)
    return found[0] if len(found) == 1 else And(found)


def _generalised(
    domain: Domain, universe: Universe, atoms: Sequence[GroundAtom]
) -> list[tuple[Formula, frozenset[GroundAtom]]]:
    """Return what can be said of all things of a type, each with the atoms that it covers."""
    groups: dict[tuple[str, int, tuple[str, ...]], list[GroundAtom]] = {}
    for atom in atoms:
        for place in range(1, len(atom)):
            groups.setdefault((atom[0], place, atom[1:place] + atom[place + 1 :]), []).append(atom)
    found: list[tuple[Formula, frozenset[GroundAtom]]] = []
    kinds = ["object", *(each.name for each in domain.types)]
    for (predicate, place, rest), group in groups.items():
        things = frozenset(atom[place] for atom in group)
        kind = next((each for each in reversed(kinds) if frozenset(universe.members((each,))) == things), None)
        if kind is None or len(things) < FEWEST:
            continue
        terms = (*rest[: place - 1], VARIABLE, *rest[place - 1 :])
        found.append((Forall((Typed(VARIABLE, (kind,)),), Atom(predicate, terms)), frozenset(group)))
    return found
