"""Where an activity takes place: its own things and rooms, what these leave unsaid, and distractors from a seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from chorewright.domains.behavior.syntax import Activity, ActivityLiteral, atoms_of
from chorewright.domains.pddl.syntax import Atom, Domain, Problem, Typed
from chorewright.files.processes import Timed
from chorewright.problems.behavior.activity_problem import activity_problem, domain_of
from chorewright.problems.behavior.kinds import RULES, ActivityKinds, Recipe, changes, kinds, version_of

# What an activity leaves unsaid: intermediate products of its recipes, and what every such room has.
#
# An activity names the things that it is about. Its simulators put them into furnished homes, where a kitchen has a
# stove and a tap whether the activity speaks of them or not, and make in-between products appear. Here both become
# objects of the activity, so that what is planned in is BDDL all the same.


FIXTURES: Mapping[str, tuple[str, ...]] = {
    "kitchen": (
        "sink.n.01",
        "stove.n.01",
        "oven.n.01",
        "microwave.n.02",
        "electric_refrigerator.n.01",
        "dishwasher.n.01",
        "countertop.n.01",
    ),
    "bathroom": ("sink.n.01",),
    "utility_room": ("sink.n.01", "washer.n.03"),
    "garden": ("grill.n.02",),
    "garage": ("sink.n.01",),
}
"""Furniture that most rooms of a kind have in BEHAVIOR's 51 scenes (counted in the inventory of bddl 3.6.0)."""

CLEANING_100 = ("scrub_brush.n.01",)
CLEANING_1K = ("scrub_brush.n.01", "steel_wool.n.01", "iron.n.04")
AGENTS = (("detergent__bottle.n.01", "detergent.n.02"), ("acetone__atomizer.n.01", "acetone.n.01"))
"""Cleaning agents and what they come in."""

KNIFE = "carving_knife.n.01"
SPOON = "wooden_spoon.n.02"
HAMMER = "hammer.n.02"
BOWL = "bowl.n.01"
LIGHTER = "cigar_lighter.n.01"
WATER = "water.n.06"
AGENT = "agent.n.01"


def with_intermediates(activity: Activity) -> Activity:
    """Return the activity with the products that lie between its ingredients and what it asks for, all ``future``."""
    known = kinds(version_of(activity))
    present = set(activity.synsets())
    future = {activity.synset_of(each.atom.terms[0]) for each in activity.init if each.atom.predicate == "future"}
    made: dict[str, int] = {}
    for kind in sorted(future):
        _require(kind, present, known, made, frozenset())
    wholes = {half: len(activity.instances(whole)) for whole, outputs in changes("slicing") for half in outputs}
    counts = {kind: max(count, 2 * wholes.get(kind, 0)) for kind, count in made.items()}
    return _extend(activity, ((kind, count, "future", "") for kind, count in counts.items()))


def _require(kind: str, present: set[str], known: ActivityKinds, made: dict[str, int], above: frozenset[str]) -> bool:
    """Whether a kind can be made of what is present; in-between products of it go to ``made``."""
    for inputs in _ways(kind):
        missing = [each for each in inputs if each not in present and each not in made]
        tried = dict(made)
        if all(each not in above and _require(each, present, known, tried, above | {kind}) for each in missing):
            made |= tried
            for each in missing:
                made[each] = max(made.get(each, 0), 1 if known.is_substance(each) else inputs[each])
            return True
    return False


def _ways(kind: str) -> Iterator[Mapping[str, int]]:
    """The inputs of each rule that gives a kind."""
    for recipe in RULES.recipes:
        if kind in recipe.outputs:
            yield recipe.inputs
    for rule in ("slicing", "dicing", "melting", "substance_cooking"):
        for source, outputs in changes(rule):
            if kind in outputs:
                yield {source: 1}


def with_supplies(activity: Activity) -> Activity:
    """Return the activity with the fixtures of its rooms, and tools, cleaning agents and vessels that it may lack."""
    return _extend(activity, _supplies(activity, kinds(version_of(activity))))


def _supplies(activity: Activity, known: ActivityKinds) -> Iterator[tuple[str, int, str, str]]:
    rooms = [each.atom.terms[1] for each in activity.init if each.atom.predicate == "inroom"]
    for room in dict.fromkeys(rooms):
        for kind in FIXTURES.get(room, ()):
            yield kind, 1, "inroom", room
    predicates = {each.predicate for each in atoms_of(activity.goal)}
    wanted = {*activity.synsets()}
    if known.version == "100":
        if predicates & {"dusty", "stained"}:
            yield from ((kind, 1, "place", "") for kind in CLEANING_100)
        if "sliced" in predicates:
            yield KNIFE, 1, "place", ""
        return
    if "covered" in predicates:
        yield from ((kind, 1, "place", "") for kind in CLEANING_1K)
        for bottle, agent in AGENTS:
            yield agent, 1, "", ""
            yield bottle, 1, "place", ""
            yield bottle, 1, "insource" if known.gives(bottle) else "filled", agent
    if any(known.has(each, "sliceable", "diceable") for each in wanted):
        yield KNIFE, 1, "place", ""
    if "broken" in predicates:
        yield HAMMER, 1, "place", ""
    if predicates & {"on_fire", "hot"}:
        yield LIGHTER, 1, "place", ""
    future = {each.atom.terms[0] for each in activity.init if each.atom.predicate == "future"}
    made = {activity.synset_of(each) for each in future}
    if made:
        yield BOWL, 1, "place", ""
    for recipe in RULES.recipes:
        if made & set(recipe.outputs):
            yield from _tools(recipe)
    if not any(each.atom.predicate == "insource" and WATER in each.atom.terms[1] for each in activity.init):
        yield WATER, 1, "", ""
        yield "sink.n.01", 1, "insource", WATER


def _tools(recipe: Recipe) -> Iterator[tuple[str, int, str, str]]:
    yield from ((kind, 1, "place", "") for kind in (*recipe.vessels[:1], *recipe.machines[:1]))
    if recipe.rule == "mixing_stick":
        yield SPOON, 1, "place", ""


def _extend(activity: Activity, additions: Iterable[tuple[str, int, str, str]]) -> Activity:
    """The activity with further kinds of things where it has none of them.

    Args:
        activity: The activity.
        additions: Kind, how many, and what is said of them: ``future``, ``inroom`` a room, ``place`` for on the floor
            where the robot is, or a relation to a kind that is there.
    """
    present = set(activity.synsets())
    objects, init = list(activity.objects), list(activity.init)
    ground = next(
        (each.atom.terms[1] for each in init if each.atom.terms[0].startswith(AGENT) and len(each.atom.terms) == 2), ""
    )
    added: dict[str, list[str]] = {}
    for kind, count, predicate, other in additions:
        if kind not in present and kind not in added:
            added[kind] = [f"{kind}_{number + 1}" for number in range(count)]
            objects += [Typed(name, (kind,)) for name in added[kind]]
        for name in added.get(kind, ()):
            atom = _say_atom(name, predicate, other, ground)
            if atom is not None and ActivityLiteral(atom) not in init:
                init.append(ActivityLiteral(atom))
    return replace(activity, objects=tuple(objects), init=tuple(init))


def _say_atom(name: str, predicate: str, other: str, ground: str) -> Atom | None:
    if predicate == "future":
        return Atom("future", (name,))
    if predicate == "place":
        return Atom("ontop", (name, ground)) if ground else None
    if predicate == "inroom":
        return Atom("inroom", (name, other))
    return Atom(predicate, (name, f"{other}_1")) if predicate else None


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
    known, own = kinds(version_of(activity)), set(activity.synsets())
    fixed = [each.atom.terms[0] for each in activity.init if each.atom.predicate == "inroom"]
    places = [(each, kind) for each in fixed for kind in [activity.synset_of(each)] if kind in known.surfaces]
    habits = [(each, kind, small) for each, kind in places for small in known.lying.get(kind, ()) if small not in own]
    if not habits:
        return activity
    objects, init = list(activity.objects), list(activity.init)
    numbers: dict[str, int] = {}
    for _ in range(count):
        place, _, small = habits[int(rng.integers(len(habits)))]
        numbers[small] = numbers.get(small, 0) + 1
        name = f"{small}_{numbers[small]}"
        objects.append(Typed(name, (small,)))
        init.append(ActivityLiteral(Atom("ontop", (name, place))))
    order = list(dict.fromkeys(each.types[0] for each in objects))
    objects.sort(key=lambda each: order.index(each.types[0]))
    return replace(activity, objects=tuple(objects), init=tuple(init))
