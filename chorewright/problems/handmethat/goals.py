"""A goal template of HandMeThat filled at random for a scene, and whether any placement of objects satisfies it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

import numpy as np

from chorewright.domains.formulas import Universe, expanded, holds, rename_types, types_mentioned_in
from chorewright.domains.handmethat.object_space import category_of, object_space
from chorewright.domains.library import handmethat_domain, load_shipped_library
from chorewright.domains.pddl import syntax
from chorewright.domains.templates.goal_templates import Binding, Goal, GoalTemplate, candidates
from chorewright.domains.templates.goal_templates import instantiate as fill
from chorewright.domains.templates.slots import in_order, random_fillings, slot_groups
from chorewright.errors import InputError
from chorewright.problems.handmethat.scene import HUMAN, HandMeThatScene
from chorewright.problems.handmethat.states import DOMAIN, RELATIONS, problem_of, state_of

# Whether some placement of a scene's objects satisfies a goal: each object in one place where it may be.
#
# This answers quickly what would cost a planner a long search: that three baskets cannot each hold one of two
# lamps, and which lamp may go into which basket. It does not ask whether actions lead to such a state.


_Todo: TypeAlias = tuple[syntax.Formula, Mapping[str, str]]
_Known: TypeAlias = dict[tuple[str, ...], object]
"""What has been settled: the place of an object, where it is not, or whether a state holds of it."""

_PLACE = "place"

_AGENTS = ("at", "holding", "hand-empty")
"""What is true of the agents is taken to be possible."""


def feasible(goal: syntax.Formula, state: syntax.State, universe: Universe) -> bool:
    """Return whether a goal can hold for these objects at all.

    Quantifiers over types that start with a question mark (slots that are not filled yet) are left out.

    Args:
        goal: The goal.
        state: Any state of the scene; its static atoms count.
        universe: The scene's objects.
    """
    return _Question(state, universe).consistent([(expanded(goal), {})], {}) is not None


def choice(goal: syntax.Formula, state: syntax.State, universe: Universe) -> syntax.And | None:
    """Return an assignment of objects under which a goal can hold; None if there is none.

    Args:
        goal: The goal.
        state: The state of the scene.
        universe: The scene's objects.
    """
    known = _Question(state, universe).consistent([(expanded(goal), {})], {})
    if known is None:
        return None
    literals: list[syntax.Formula] = []
    for key, value in known.items():
        match key, value:
            case ("place", name), (str(relation), str(container)):
                literals.append(syntax.Atom(relation, (name, container)))
            case (relation, name, container), _:
                literals.append(syntax.Not(syntax.Atom(relation, (name, container))))
            case (predicate, name), _:
                literals.append(
                    syntax.Atom(predicate, (name,)) if value else syntax.Not(syntax.Atom(predicate, (name,)))
                )
    return syntax.And(tuple(literals))


@dataclass(frozen=True, slots=True)
class _Question:
    state: syntax.State
    universe: Universe

    def consistent(self, todo: list[_Todo], known: _Known) -> _Known | None:
        """Add the consequences of ``todo`` to what is known, which is changed; return it, or None on a
        contradiction.
        """
        choices: list[_Todo] = []
        while todo:
            formula, binding = todo.pop()
            match formula:
                case syntax.And(operands):
                    todo.extend((operand, binding) for operand in operands)
                case syntax.Forall(variables, body):
                    todo.extend((body, extended) for extended in self._bindings(variables, binding))
                case syntax.Exists(variables):
                    if not any(name.startswith("?") for each in variables for name in each.types):
                        choices.append((formula, binding))
                case syntax.Or() | syntax.Imply():
                    choices.append((formula, binding))
                case syntax.Equals():
                    if not _same(formula, binding):
                        return None
                case syntax.Not(syntax.Equals() as operand):
                    if _same(operand, binding):
                        return None
                case syntax.Atom():
                    if not self._settle(formula, binding, True, known):
                        return None
                case syntax.Not(syntax.Atom() as operand):
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

    def _options(self, formula: syntax.Formula, binding: Mapping[str, str]) -> list[_Todo]:
        match formula:
            case syntax.Exists(variables, body):
                return [(body, extended) for extended in self._bindings(variables, binding)]
            case syntax.Or(operands):
                return [(operand, binding) for operand in operands]
            case syntax.Imply(antecedent, consequent):
                return [(syntax.Not(antecedent), binding), (consequent, binding)]
        raise AssertionError("only these are choices")

    def _bindings(self, variables: Sequence[syntax.Typed], binding: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
        return ({**binding, **found} for found in self.universe.bindings(variables))

    def _settle(self, atom: syntax.Atom, binding: Mapping[str, str], holds: bool, known: _Known) -> bool:
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


def _same(formula: syntax.Equals, binding: Mapping[str, str]) -> bool:
    return binding.get(formula.left, formula.left) == binding.get(formula.right, formula.right)


def _fits(name: str, relation: str, container: str) -> bool:
    """Return whether the object can be put there: receptacles only in or on locations."""
    categories = object_space().categories
    item, place = categories[category_of(name)], categories[category_of(container)]
    return place.relation == relation and item.movable and (item.item or not place.movable)


FIRST_DRAWS = 20
"""How many fillings are tried at first."""

MOST_DRAWS = 200
"""How many are tried of those that are possible group by group, when the first were not."""


@dataclass(frozen=True, slots=True)
class NoInstance:
    """Why a template has no instance in a scene."""

    reason: str


def universe_of(scene: HandMeThatScene, actor: str = HUMAN) -> Universe:
    """Return the objects of a scene by type."""
    return Universe.of(handmethat_domain(), problem_of(scene, syntax.TRUE, actor))


def instantiate(
    template: GoalTemplate, scene: HandMeThatScene, rng: np.random.Generator, fixed: Mapping[str, str] | None = None
) -> Goal | NoInstance:
    """Fill a template's slots with categories of a scene, at random.

    The goal does not hold in the scene, every type in it has an object, and there are enough objects for it.

    Args:
        template: A template of this domain without slots over objects.
        scene: The scene.
        rng: What the choice is drawn from.
        fixed: Slots that are filled already, by name.

    Raises:
        InputError: ``fixed`` names an unknown slot or category.
    """
    for name in fixed or {}:
        if name not in template.slot_names:
            raise InputError(f"{template.full_name} has no slot {name!r}")
    state, universe = state_of(scene), universe_of(scene)
    for name in types_mentioned_in(template.goal):
        if not name.startswith("?") and not universe.members((name,)):
            return NoInstance(f"there is no {name.replace('-', ' ')}")
    if not feasible(template.goal, state, universe):
        return NoInstance("there are too few objects of the types that the task names")
    groups: list[Sequence[Binding]] = []
    for group in slot_groups(template):
        own = {name: kind for name, kind in (fixed or {}).items() if name in group.slot_names}
        known = candidates(group, load_shipped_library().vocabulary(DOMAIN), own)
        present = [each for each in known if all(kind in scene.by_category for _, kind in each)]
        if not present:
            return NoInstance(_lack(group, "nothing", own))
        groups.append(present)
    some = _draw(template, groups, FIRST_DRAWS, rng, state, universe)
    if isinstance(some, Goal):
        return some
    for place, group in enumerate(slot_groups(template)):
        groups[place] = [each for each in groups[place] if _enough(template, each, state, universe)]
        if not groups[place]:
            return NoInstance(_lack(group, "too few objects", fixed or {}))
    return _draw(template, groups, MOST_DRAWS, rng, state, universe)


def _draw(
    template: GoalTemplate,
    groups: Sequence[Sequence[Binding]],
    most: int,
    rng: np.random.Generator,
    state: syntax.State,
    universe: Universe,
) -> Goal | NoInstance:
    """Return the first of the fillings in random order that is possible and not yet true."""
    already = False
    for binding in islice(random_fillings(groups, rng), most):
        goal = fill(template, in_order(binding, template), load_shipped_library().vocabulary(DOMAIN))
        if holds(goal.goal, state, universe):
            already = True
        elif feasible(goal.goal, state, universe):
            return goal
    return NoInstance("it is true already" if already else "there are not enough objects for all its parts")


def _enough(template: GoalTemplate, binding: Binding, state: syntax.State, universe: Universe) -> bool:
    """Return whether the goal is possible as far as these slots go."""
    types = {f"?{name}": kind for name, kind in binding}
    return feasible(rename_types(template.goal, types), state, universe)


def _lack(group: GoalTemplate, what: str, fixed: Mapping[str, str]) -> str:
    slots = ", ".join(f"?{name}" for name in group.slot_names)
    given = [f"{name}={kind}" for name, kind in fixed.items() if name in group.slot_names]
    return f"the scene has {what} to fill {slots}{' with ' if given else ''}{', '.join(given)}"
