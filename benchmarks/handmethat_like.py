"""HandMeThat-like problems of our own generator: sampled scenes, and one or more of its goals at once.

Sizes go by turns: one goal (S), two (M), four (L). Goals of one problem name no receptacle or item
together, lest they contradict each other; they may share locations. Every second problem is flat:
categories are predicates, not types, as planners are often given them, and goals range over all things with
a category as guard.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from chorewright.domains.formulas import conjunction, holds, types_mentioned_in
from chorewright.domains.handmethat.object_space import object_space
from chorewright.domains.library import handmethat_domain, user_library
from chorewright.domains.pddl.syntax import (
    And,
    Atom,
    Domain,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Problem,
    Signature,
    Typed,
)
from chorewright.domains.templates.goal_templates import Goal
from chorewright.problems.handmethat.goals import feasible, instantiate, universe_of
from chorewright.problems.handmethat.scene import HandMeThatScene, sample_scene
from chorewright.problems.handmethat.states import DOMAIN, problem_of, state_of

SIZES = {"S": 1, "M": 2, "L": 4}
"""Goals of a problem, by its size."""

MOST_DRAWS = 60
"""Templates that are drawn for one scene before another is sampled."""


def problems(count: int, seed: int) -> Iterator[tuple[str, Domain, Problem]]:
    """Yield problems by name, each with its domain."""
    sizes = list(SIZES.items())
    for number in range(count):
        size, goals = sizes[number % len(sizes)]
        for turn in range(100):
            rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, number, turn))))
            scene = sample_scene(rng)
            goal = _goal(scene, goals, rng)
            if goal is not None:
                break
        else:
            raise AssertionError(f"no scene with {goals} goals")
        domain, problem = handmethat_domain(), problem_of(scene, goal)
        if number % 2:
            domain, problem = flat(domain, problem)
        yield f"{number:02}{size}{'-flat' if number % 2 else ''}", domain, problem


def _goal(scene: HandMeThatScene, count: int, rng: np.random.Generator) -> Formula | None:
    """A conjunction of goals that are open in a scene; None if there are too few."""
    templates = [one for one in user_library().collection(DOMAIN) if one.domain == DOMAIN]
    state, universe = state_of(scene), universe_of(scene)
    locations = frozenset(object_space().locations)
    chosen: list[Formula] = []
    used: set[str] = set()
    for _ in range(MOST_DRAWS):
        found = instantiate(templates[int(rng.integers(len(templates)))], scene, rng)
        if not isinstance(found, Goal):
            continue
        names = set(types_mentioned_in(found.goal)) - locations
        if names & used or not feasible(conjunction((*chosen, found.goal)), state, universe):
            continue
        chosen.append(found.goal)
        used |= names
        if len(chosen) == count:
            goal = conjunction(chosen)
            return None if holds(goal, state, universe) else goal
    return None


def flat(domain: Domain, problem: Problem) -> tuple[Domain, Problem]:
    """The same with a static predicate ``is-CATEGORY`` in place of each type that has no subtypes."""
    above = {kind.name: kind.types[0] for kind in domain.types}
    leaves = {name: parent for name, parent in above.items() if name in object_space().categories}
    predicates = tuple(Signature(f"is-{name}", (Typed("?x", (parent,)),)) for name, parent in leaves.items())
    init = tuple((f"is-{one.types[0]}", one.name) for one in problem.objects if one.types[0] in leaves)
    objects = tuple(replace(one, types=(leaves.get(one.types[0], one.types[0]),)) for one in problem.objects)
    return (
        replace(
            domain,
            types=tuple(kind for kind in domain.types if kind.name not in leaves),
            predicates=(*domain.predicates, *predicates),
        ),
        replace(problem, objects=objects, init=(*problem.init, *init), goal=_guarded(problem.goal, leaves)),
    )


def _guarded(formula: Formula, leaves: Mapping[str, str]) -> Formula:
    """A formula whose variables range over the leaves' parents, guarded by what they are."""
    match formula:
        case Forall(variables, body) | Exists(variables, body):
            guards = tuple(Atom(f"is-{one.types[0]}", (one.name,)) for one in variables if one.types[0] in leaves)
            wider = tuple(replace(one, types=(leaves.get(one.types[0], one.types[0]),)) for one in variables)
            inner = _guarded(body, leaves)
            if isinstance(formula, Exists):
                return Exists(wider, conjunction((*guards, inner)))
            return Forall(wider, Imply(conjunction(guards), inner) if guards else inner)
        case And(operands):
            return And(tuple(_guarded(each, leaves) for each in operands))
        case Or(operands):
            return Or(tuple(_guarded(each, leaves) for each in operands))
        case Imply(antecedent, consequent):
            return Imply(_guarded(antecedent, leaves), _guarded(consequent, leaves))
        case Not(operand):
            return Not(_guarded(operand, leaves))
        case _:
            return formula


__all__ = ["flat", "problems"]
