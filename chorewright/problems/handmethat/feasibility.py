"""Whether some placement of a scene's objects satisfies a goal: each object in one place where it may be.

This answers quickly what would cost a planner a long search: that three baskets cannot each hold one of two
lamps, and which lamp may go into which basket. It does not ask whether actions lead to such a state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from chorewright.domains.formulas import Universe, expanded
from chorewright.domains.handmethat.object_space import category_of, object_space
from chorewright.domains.pddl.syntax import (
    And,
    Atom,
    Equals,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    State,
    Typed,
)
from chorewright.problems.handmethat.states import RELATIONS

_Todo: TypeAlias = tuple[Formula, Mapping[str, str]]
_Known: TypeAlias = dict[tuple[str, ...], object]
"""What has been settled: the place of an object, where it is not, or whether a state holds of it."""

_PLACE = "place"

_AGENTS = ("at", "holding", "hand-empty")
"""What is true of the agents is taken to be possible."""


def feasible(goal: Formula, state: State, universe: Universe) -> bool:
    """Return whether a goal can hold for these objects at all.

    Quantifiers over types that start with a question mark (slots that are not filled yet) are left out.

    Args:
        goal: The goal.
        state: Any state of the scene; its static atoms count.
        universe: The scene's objects.
    """
    return _Question(state, universe).consistent([(expanded(goal), {})], {}) is not None


def choice(goal: Formula, state: State, universe: Universe) -> And | None:
    """Return an assignment of objects under which a goal can hold; None if there is none.

    Args:
        goal: The goal.
        state: The state of the scene.
        universe: The scene's objects.
    """
    known = _Question(state, universe).consistent([(expanded(goal), {})], {})
    if known is None:
        return None
    literals: list[Formula] = []
    for key, value in known.items():
        match key, value:
            case ("place", name), (str(relation), str(container)):
                literals.append(Atom(relation, (name, container)))
            case (relation, name, container), _:
                literals.append(Not(Atom(relation, (name, container))))
            case (predicate, name), _:
                literals.append(Atom(predicate, (name,)) if value else Not(Atom(predicate, (name,))))
    return And(tuple(literals))


@dataclass(frozen=True, slots=True)
class _Question:
    state: State
    universe: Universe

    def consistent(self, todo: list[_Todo], known: _Known) -> _Known | None:
        """Add the consequences of ``todo`` to what is known, which is changed; return it, or None on a
        contradiction.
        """
        choices: list[_Todo] = []
        while todo:
            formula, binding = todo.pop()
            match formula:
                case And(operands):
                    todo.extend((operand, binding) for operand in operands)
                case Forall(variables, body):
                    todo.extend((body, extended) for extended in self._bindings(variables, binding))
                case Exists(variables):
                    if not any(name.startswith("?") for each in variables for name in each.types):
                        choices.append((formula, binding))
                case Or() | Imply():
                    choices.append((formula, binding))
                case Equals():
                    if not _same(formula, binding):
                        return None
                case Not(Equals() as operand):
                    if _same(operand, binding):
                        return None
                case Atom():
                    if not self._settle(formula, binding, True, known):
                        return None
                case Not(Atom() as operand):
                    if not self._settle(operand, binding, False, known):
                        return None
                case _:
                    pass  # Other negations: taken to be possible.
        return self._choose(choices, known)

    def _choose(self, choices: list[_Todo], known: _Known) -> _Known | None:
        """Return what is known if every choice has an option such that all of these go together."""
        if not choices:
            return known
        options = [self._options(*choice) for choice in choices]
        if len(choices) > 1:
            # The choice with the fewest options first; of these, only those that go by themselves.
            options = [[each for each in some if self.consistent([each], dict(known)) is not None] for some in options]
        least = min(range(len(choices)), key=lambda place: len(options[place]))
        others = [choice for place, choice in enumerate(choices) if place != least]
        tried = (self.consistent([*others, option], dict(known)) for option in options[least])
        return next((found for found in tried if found is not None), None)

    def _options(self, formula: Formula, binding: Mapping[str, str]) -> list[_Todo]:
        match formula:
            case Exists(variables, body):
                return [(body, extended) for extended in self._bindings(variables, binding)]
            case Or(operands):
                return [(operand, binding) for operand in operands]
            case Imply(antecedent, consequent):
                return [(Not(antecedent), binding), (consequent, binding)]
        raise AssertionError("only these are choices")

    def _bindings(self, variables: Sequence[Typed], binding: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
        ranges = [self.universe.members(each.types) for each in variables]
        for objects in product(*ranges):
            yield {**binding, **dict(zip((each.name for each in variables), objects, strict=True))}

    def _settle(self, atom: Atom, binding: Mapping[str, str], holds: bool, known: _Known) -> bool:
        """Note that an atom holds or does not; return whether that is possible."""
        terms = [binding.get(term, term) for term in atom.terms]
        space = object_space()
        if atom.predicate in RELATIONS:
            place = (atom.predicate, terms[1])
            denied = (atom.predicate, *terms)
            if not holds:
                known[denied] = True
                return known.get((_PLACE, terms[0])) != place
            if denied in known or not _fits(terms[0], *place):
                return False
            return known.setdefault((_PLACE, terms[0]), place) == place
        if atom.predicate in space.states:
            able = space.states[atom.predicate] in space.categories[category_of(terms[0])].properties
            return (able or not holds) and known.setdefault((atom.predicate, terms[0]), holds) == holds
        return atom.predicate in _AGENTS or ((atom.predicate, *terms) in self.state) == holds


def _same(formula: Equals, binding: Mapping[str, str]) -> bool:
    return binding.get(formula.left, formula.left) == binding.get(formula.right, formula.right)


def _fits(name: str, relation: str, container: str) -> bool:
    """Return whether the object can be put there: receptacles only in or on locations."""
    categories = object_space().categories
    item, place = categories[category_of(name)], categories[category_of(container)]
    return place.relation == relation and item.movable and (item.item or not place.movable)
