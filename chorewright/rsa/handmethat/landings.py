"""Landings: what a robot's plan for a subgoal changes in the human's world.

This is γ(s, m_g) of section 3.2, computed by planning. Hundreds of a scene's subgoals differ in nothing that
affects a plan (this box or that one, both open, both on the table). So names, kinds and predicates that cannot
matter are left out, and subgoals that are then equal are planned for once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TypeAlias

from chorewright.domains.formulas import predicates_mentioned_in
from chorewright.domains.handmethat.object_space import object_space
from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.subformulas import hierarchy
from chorewright.domains.pddl.syntax import And, Atom, Formula, GroundAtom, Not, Problem, Typed
from chorewright.domains.rewriting import substitute
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.planning import Configuration, solve
from chorewright.planner.validation import simulate
from chorewright.problems.handmethat import scene as scenes
from chorewright.problems.handmethat.states import DOMAIN, problem_of

_CHEAPEST = Configuration(search="astar", heuristic="lmcut", improve=0, rungs=())
_MOST = Limits(evaluations=3_000)


@dataclass(frozen=True, slots=True)
class Landing:
    """A plan of the robot and the changes that it makes in the human's world."""

    plan: tuple[GroundAction, ...]
    added: frozenset[GroundAtom]
    removed: frozenset[GroundAtom]

    def renamed(self, names: Mapping[str, str]) -> Landing:
        """Return the same landing for other things."""

        def rename(terms: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(names.get(term, term) for term in terms)

        return Landing(
            tuple(GroundAction(action.name, rename(action.arguments)) for action in self.plan),
            frozenset(map(rename, self.added)),
            frozenset(map(rename, self.removed)),
        )


@dataclass(frozen=True)
class Landings:
    """The landings of the robot's plans in a scene."""

    scene: scenes.HandMeThatScene

    @cached_property
    def _alone(self) -> scenes.HandMeThatScene:
        """The scene with the human where the robot is: the robot goes to a human, wherever that is."""
        return replace(self.scene, human=replace(self.scene.human, at=self.scene.robot.at))

    def of(self, goal: Formula) -> Landing | None:
        """Return the landing of a cheapest plan (of a good one if that takes too long); None if there is no plan.

        Args:
            goal: What the robot is to make true, of things that it names.
        """
        scene = self._alone
        part = scenes.restrict(scene, scenes.relevant(scene, goal))
        problem = problem_of(part, goal, scenes.ROBOT)
        short = {name: f"x{place}" for place, name in enumerate(_in_order(part, goal))}
        short |= {scenes.HUMAN: scenes.HUMAN, scenes.ROBOT: scenes.ROBOT}
        found = _plan(_outline(problem, short))
        return found and found.renamed({new: old for old, new in short.items()})


def _in_order(scene: scenes.HandMeThatScene, goal: Formula) -> dict[str, None]:
    """Return the names of a scene: of what a goal is about and what that is in, then the others."""
    named = [term for term in _terms(goal) if term in scene.by_name]
    found = {name: None for term in named for name in (term, *scenes.containers(scene, term))}
    if scene.robot.at in scene.by_name:
        found[scene.robot.at] = None
    found.update(dict.fromkeys(each.name for each in scene.entities))
    return found


def _terms(goal: Formula) -> Iterator[str]:
    match goal:
        case Atom(_, terms):
            yield from terms
        case Not(operand):
            yield from _terms(operand)
        case And(operands):
            for operand in operands:
                yield from _terms(operand)


def _outline(problem: Problem, names: Mapping[str, str]) -> Problem:
    """Return a problem with other names for its objects and without what cannot matter for its goal.

    Each object is of the lowest type that actions speak of; objects and facts are in an order of their own.
    """
    kept, types = _matter(frozenset(predicates_mentioned_in(problem.goal)))
    facts = (
        (atom[0], *(names[name] for name in atom[1:]))
        for atom in problem.init
        if atom[0] in kept and atom[:2] != ("at", scenes.HUMAN)
    )
    objects = (Typed(names[each.name], (types[each.types[0]],)) for each in problem.objects)
    return Problem(
        name=problem.name,
        domain=DOMAIN,
        objects=tuple(sorted(objects, key=lambda each: each.name)),
        init=tuple(sorted(facts)),
        values=(),
        goal=substitute(problem.goal, names),
    )


def _matter(wanted: frozenset[str]) -> tuple[frozenset[str], Mapping[str, str]]:
    """Return the predicates that can matter for a goal about some, and for each type what stands for it.

    What changes a predicate that matters makes all matter that it reads or changes.
    """
    actions = handmethat_domain().actions
    found, size = set(wanted), 0
    while size < len(found):
        size = len(found)
        for action in actions:
            changed = [predicate for predicate, _ in scenes.changes(action.effect)]
            if found.intersection(changed):
                found.update(changed, predicates_mentioned_in(action.precondition))
    spoken_of = {kind for action in actions for each in action.parameters for kind in each.types}
    above = hierarchy(handmethat_domain().types).above
    types = {
        kind: max(spoken_of & higher, key=lambda each: (len(above[each]), each), default=kind)
        for kind, higher in above.items()
    }
    return frozenset(found), types


@lru_cache(maxsize=8192)
def _plan(problem: Problem) -> Landing | None:
    """Return the landing of a cheapest plan (a good one where that takes too long), or None without any."""
    domain = handmethat_domain()
    answer = solve(domain, problem, _MOST, _CHEAPEST)
    if not isinstance(answer, Plan):
        answer = solve(domain, problem)
    if not isinstance(answer, Plan):
        return None
    steps = simulate(domain, problem, answer.actions)
    before = frozenset(problem.init)
    after = steps[-1].state if steps else before
    ours = {atom for atom in before ^ after if scenes.ROBOT not in atom}
    return Landing(answer.actions, frozenset(ours & after), frozenset(ours & before))


# Symmetry: landings that differ only in which of several like things they concern have the same cost.
#
# Two things of a category are alike if they are in one place, look alike to the goal, are in the same states and
# hold nothing. Swapping them changes nothing. So if the robot may bring either of two pens on the table, the cost
# of the human's goal after it is computed once.


_Role: TypeAlias = Hashable
"""Equal for things that can change places."""


class Symmetry:
    """Which things of a scene are alike for a goal."""

    def __init__(self, scene: scenes.HandMeThatScene, goal: Formula) -> None:
        named = frozenset(scenes.words(goal))
        looks = frozenset(look for each in object_space().attributes.values() for look in each)
        seen = not looks.isdisjoint(predicates_mentioned_in(goal))
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
        return _rename(landing.added, number), _rename(landing.removed, number)


def _rename(atoms: Iterable[GroundAtom], names: Mapping[str, Hashable]) -> Hashable:
    return frozenset((atom[0], *(names.get(name, name) for name in atom[1:])) for atom in atoms)
