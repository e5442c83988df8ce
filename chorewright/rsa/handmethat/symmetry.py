"""Symmetry: landings that differ only in which of several like things they concern have the same cost.

Two things of a category are alike if they are in one place, look alike to the goal, are in the same states and
hold nothing. Swapping them changes nothing. So if the robot may bring either of two pens on the table, the cost
of the human's goal after it is computed once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeAlias

from chorewright.domains.formulas import mentioned_predicates
from chorewright.domains.handmethat.object_space import object_space
from chorewright.domains.pddl.syntax import Formula, GroundAtom
from chorewright.problems.handmethat.relevance import words
from chorewright.problems.handmethat.scene import Scene
from chorewright.rsa.handmethat.landings import Landing

_Role: TypeAlias = Hashable
"""Equal for things that can change places."""


class Symmetry:
    """Which things of a scene are alike for a goal."""

    def __init__(self, scene: Scene, goal: Formula) -> None:
        named = frozenset(words(goal))
        looks = frozenset(look for each in object_space().attributes.values() for look in each)
        seen = not looks.isdisjoint(mentioned_predicates(goal))
        held = {scene.human.holding, scene.robot.holding}
        self._roles: dict[str, _Role] = {
            each.name: (
                each.category.name,
                each.relation,
                each.container,
                each.states,
                (each.color, each.size) if seen else None,
            )
            for each in scene.entities
            if each.container and each.name not in named | held and each.name not in scene.contents
        }

    def shape(self, landing: Landing, first: Sequence[str]) -> Hashable:
        """Return a key that is equal for landings that lead to states of equal cost.

        Args:
            landing: A landing in the scene.
            first: What it is for; names in the order that is compared before that of all others.
        """
        atoms = landing.added | landing.removed
        others = sorted({name for atom in atoms for name in atom[1:]})
        number: dict[str, Hashable] = {}
        used: dict[_Role, int] = {}
        for name in (*first, *others):
            role = self._roles.get(name)
            if role is not None and name not in number:
                number[name] = role, used.setdefault(role, 0)
                used[role] += 1
        return _renamed(landing.added, number), _renamed(landing.removed, number)


def _renamed(atoms: Iterable[GroundAtom], names: Mapping[str, Hashable]) -> Hashable:
    return frozenset((atom[0], *(names.get(name, name) for name in atom[1:])) for atom in atoms)
