"""Where an activity takes place: its own things and rooms, what these leave unsaid, and distractors from a seed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from chorewright.domains.behavior.syntax import Activity, Literal
from chorewright.domains.pddl.syntax import Atom, Domain, Problem, Typed
from chorewright.files.stopwatch import Timed
from chorewright.problems.behavior.activity_problem import activity_problem, domain_of
from chorewright.problems.behavior.completion import with_intermediates, with_supplies
from chorewright.problems.behavior.corpus import activity_names, shipped_activity
from chorewright.problems.behavior.kinds import kinds, version_of


@dataclass(frozen=True, slots=True)
class ActivityScene:
    """An activity as it is carried out.

    Attributes:
        activity: With everything that was added.
        supplied: Whether fixtures, tools and supplies were added because it cannot be done without.
        hands: How many things the robot can hold.
    """

    activity: Activity
    supplied: bool = False
    hands: int = 1

    def domain(self) -> Domain:
        """Return the domain with the scene's synsets."""
        return domain_of(self.activity)

    def problem(self, domain: Domain) -> Problem:
        """Return the planning problem."""
        return activity_problem(self.activity, domain, self.hands)

    def with_supplies(self) -> ActivityScene:
        """Return the scene with what rooms of its kinds have, and with tools and supplies."""
        return replace(self, activity=with_supplies(self.activity), supplied=True)


@Timed("spawn")
def activity_scene(activity: Activity, seed: int = 0, distractors: int = 0, hands: int = 1) -> ActivityScene:
    """Return the scene of an activity; the same arguments give the same one.

    Args:
        activity: The activity.
        seed: Which distractors there are, and where.
        distractors: How many small things that the activity does not need lie about.
        hands: How many things the robot can hold, 1 or 2.
    """
    whole = with_intermediates(activity)
    if distractors:
        whole = _with_distractors(whole, distractors, np.random.Generator(np.random.PCG64(seed)))
    return ActivityScene(whole, hands=hands)


def _with_distractors(activity: Activity, count: int, rng: np.random.Generator) -> Activity:
    """The activity with things of kinds that other activities have lying on such furniture.

    Only kinds that the activity does not name are taken, so that no quantifier of its goal sees them.
    """
    version = version_of(activity)
    known, own = kinds(version), set(activity.synsets())
    fixed = [each.atom.terms[0] for each in activity.init if each.atom.predicate == "inroom"]
    places = [(each, kind) for each in fixed for kind in [activity.synset_of(each)] if kind in known.surfaces]
    habits = [
        (each, kind, small) for each, kind in places for small in _lying_on(version).get(kind, ()) if small not in own
    ]
    if not habits:
        return activity
    objects, init = list(activity.objects), list(activity.init)
    numbers: dict[str, int] = {}
    for _ in range(count):
        place, _, small = habits[int(rng.integers(len(habits)))]
        numbers[small] = numbers.get(small, 0) + 1
        name = f"{small}_{numbers[small]}"
        objects.append(Typed(name, (small,)))
        init.append(Literal(Atom("ontop", (name, place))))
    order = list(dict.fromkeys(each.types[0] for each in objects))
    objects.sort(key=lambda each: order.index(each.types[0]))
    return replace(activity, objects=tuple(objects), init=tuple(init))


@lru_cache
def _lying_on(version: str) -> dict[str, tuple[str, ...]]:
    """What lies on which kind of furniture at the start of the shipped activities."""
    found: dict[str, dict[str, None]] = {}
    for name in activity_names(version):
        activity = shipped_activity(name, version)
        synsets = {each.name: each.types[0] for each in activity.objects}
        for literal in activity.init:
            if literal.atom.predicate == "ontop" and literal.positive:
                small, place = (synsets[each] for each in literal.atom.terms)
                if small != "agent.n.01":
                    found.setdefault(place, {})[small] = None
    return {place: tuple(sorted(each)) for place, each in found.items()}
