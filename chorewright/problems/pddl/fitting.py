"""What a rule's objects must be like, prepared as a function that returns all that fit, in the objects' order.

Variables are bound one after the other, as they are declared. Atoms of the condition that link a variable to those
bound before it say which objects are worth trying; each conjunct is tested as soon as its variables are bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TypeAlias

from chorewright.domains.evaluation import StateQuestion
from chorewright.domains.facts import Facts, Universe
from chorewright.domains.pddl.syntax import Atom, Formula, Typed
from chorewright.domains.rewriting import conjuncts, free_variables

Bound: TypeAlias = dict[str, str]
Found: TypeAlias = Sequence[tuple[str, ...]]
Fitting: TypeAlias = Callable[[Facts, Universe, Bound], Found]
"""Returns the objects for which a condition holds; the binding is left as it was."""

FEW = 3
"""So many objects are tried one by one without a look at what is true of them."""


@dataclass(frozen=True, slots=True)
class _Level:
    """One variable: its type, the atoms with it, and what is tested as soon as it is bound.

    Attributes:
        name: The variable.
        types: Its types.
        links: Atoms of the condition with it: predicate, its place, and the place and name of a term that is bound
            before it; place 0 if there is none.
        tests: The conjuncts whose last variable it is.
    """

    name: str
    types: tuple[str, ...]
    links: tuple[tuple[str, int, int, str], ...]
    tests: tuple[Callable[[Facts, Universe, Bound], bool], ...]

    def candidates(self, facts: Facts, universe: Universe, bound: Bound) -> Sequence[str]:
        """Return the objects worth trying, in order."""
        members, allowed = universe.extent(self.types)
        if len(members) <= FEW or not self.links:
            return members
        best, place = None, 0
        for predicate, own, other, term in self.links:
            atoms = facts.with_argument(predicate, other, bound.get(term, term)) if other else facts.of(predicate)
            if best is None or len(atoms) < len(best):
                best, place = atoms, own
        if best is None or len(best) >= len(members):
            return members
        found = {atom[place] for atom in best} & allowed
        return sorted(found, key=universe.rank.__getitem__) if len(found) > 1 else tuple(found)


def fitting(variables: Sequence[Typed], where: Formula | None, distinct: bool = False) -> Fitting:
    """Prepare a condition on objects.

    Args:
        variables: What stands for the objects.
        where: The condition; None if all fit.
        distinct: Whether the variables stand for different objects.
    """
    types = [each.types for each in variables]
    found: Fitting = _Join(variables, where) if where is not None else partial(_all, types)
    if not distinct or len(types) < 2:
        return found
    return lambda *given: [each for each in found(*given) if len(set(each)) == len(each)]


def _all(types: Sequence[tuple[str, ...]], facts: Facts, universe: Universe, bound: Bound) -> Found:
    return list(product(*map(universe.members, types)))


class _Join:
    """A condition whose conjuncts are tested one by one."""

    def __init__(self, variables: Sequence[Typed], where: Formula) -> None:
        self._names = [each.name for each in variables]
        parts = list(conjuncts(where))
        needs = [free_variables(part) & set(self._names) for part in parts]
        tests = [StateQuestion(part).test for part in parts]
        self._before = [test for test, need in zip(tests, needs, strict=True) if not need]
        self._levels: list[_Level] = []
        for number, each in enumerate(variables):
            later = set(self._names[number + 1 :])
            links = [link for part in parts if isinstance(part, Atom) for link in _links(part, each.name, later)]
            known = tuple(link for link in links if link[2])
            ready = [
                test for test, need in zip(tests, needs, strict=True) if each.name in need and need.isdisjoint(later)
            ]
            self._levels.append(_Level(each.name, each.types, known or tuple(links), tuple(ready)))

    def __call__(self, facts: Facts, universe: Universe, bound: Bound) -> Found:
        found: list[tuple[str, ...]] = []
        if all(test(facts, universe, bound) for test in self._before):
            self._extend(0, (), found, facts, universe, bound)
        for name in self._names:
            bound.pop(name, None)
        return found

    def _extend(
        self,
        number: int,
        objects: tuple[str, ...],
        found: list[tuple[str, ...]],
        facts: Facts,
        universe: Universe,
        bound: Bound,
    ) -> None:
        level, last = self._levels[number], number + 1 == len(self._levels)
        name, tests = level.name, level.tests
        for each in level.candidates(facts, universe, bound):
            bound[name] = each
            for test in tests:
                if not test(facts, universe, bound):
                    break
            else:
                if last:
                    found.append((*objects, each))
                else:
                    self._extend(number + 1, (*objects, each), found, facts, universe, bound)


def _links(atom: Atom, name: str, later: set[str]) -> list[tuple[str, int, int, str]]:
    """Return how an atom links a variable to terms that are bound before it."""
    if name not in atom.terms:
        return []
    own = atom.terms.index(name) + 1
    others = [
        (atom.predicate, own, place, term)
        for place, term in enumerate(atom.terms, start=1)
        if term != name and term not in later
    ]
    return others or [(atom.predicate, own, 0, "")]
