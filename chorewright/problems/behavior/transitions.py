"""What becomes of an activity's things: which whole gives which halves, and recipes with their inputs and outputs.

A rule speaks of kinds; here it is given the activity's own instances. Instances of a kind are alike, so they are
dealt out in order: the first apple gives the first two halves. A recipe of which there are inputs for several batches
is given several times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from chorewright.domains.pddl.syntax import GroundAtom
from chorewright.problems.behavior.kinds import RULES, ActivityKinds, Recipe, changes


@dataclass(slots=True)
class ActivityTransitions:
    """The names of the recipes, and atoms that never change."""

    recipes: list[str] = field(default_factory=list)
    atoms: list[GroundAtom] = field(default_factory=list)


def transitions(synsets: Mapping[str, str], future: frozenset[str], known: ActivityKinds) -> ActivityTransitions:
    """Return the changes that are possible among an activity's objects.

    Args:
        synsets: The objects with their kinds.
        future: Which of them are not there at the start.
        known: The kinds.
    """
    found = ActivityTransitions()
    if known.version == "100":
        return found
    instances: dict[str, list[str]] = defaultdict(list)
    for name, synset in synsets.items():
        instances[synset].append(name)
    found.atoms += _halves(instances, future)
    found.atoms += _one_to_one("dicing", instances, future, known)
    found.atoms += _whole_to_dice(instances, future)
    found.atoms += _one_to_one("melting", instances, future, known)
    found.atoms += _one_to_one("substance_cooking", instances, future, known)
    for recipe in RULES.recipes:
        _add_recipe(recipe, instances, future, known, found)
    return found


def _halves(instances: Mapping[str, list[str]], future: frozenset[str]) -> Iterator[GroundAtom]:
    for whole, outputs in changes("slicing"):
        for half, count in outputs.items():
            halves = [each for each in instances.get(half, ()) if each in future]
            wholes = instances.get(whole, [])
            for number, each in enumerate(halves):
                if wholes:
                    yield ("half-of", each, wholes[min(number // count, len(wholes) - 1)])


def _one_to_one(
    rule: str, instances: Mapping[str, list[str]], future: frozenset[str], known: ActivityKinds
) -> Iterator[GroundAtom]:
    """A substance is any amount, so that each of several things gives the same one."""
    for source, outputs in changes(rule):
        for output in outputs:
            predicate = "cooks-into" if known.is_substance(source) else "melts-into"
            if rule == "dicing":
                predicate = "dices-cooked-into" if output.startswith("cooked__") else "dices-into"
            for each in instances.get(output, ()):
                yield from ((predicate, thing, each) for thing in instances.get(source, ()) if each in future)


def _whole_to_dice(instances: Mapping[str, list[str]], future: frozenset[str]) -> Iterator[GroundAtom]:
    """What is to be diced whole, where the activity has no halves of it."""
    halves = {half: whole for whole, outputs in changes("slicing") for half in outputs}
    for half, outputs in changes("dicing"):
        whole = halves.get(half)
        if whole is None or half in instances:
            continue
        for output in outputs:
            predicate = "dices-cooked-into" if output.startswith("cooked__") else "dices-into"
            for each in instances.get(output, ()):
                yield from ((predicate, thing, each) for thing in instances.get(whole, ()) if each in future)


def _add_recipe(
    recipe: Recipe,
    instances: Mapping[str, list[str]],
    future: frozenset[str],
    known: ActivityKinds,
    found: ActivityTransitions,
) -> None:
    """Add a recipe as often as there are inputs and outputs for it."""
    outputs = {kind: [each for each in instances.get(kind, ()) if each in future] for kind in recipe.outputs}
    if not any(outputs.values()) or not all(instances.get(kind) for kind in recipe.inputs):
        return
    plain = recipe.name.replace(" ", "-").replace(".", "-").lower()
    batches = min(max(1, -(-len(each) // recipe.outputs[kind])) for kind, each in outputs.items() if each)
    possible = min(
        (len(instances[kind]) // count or 1 for kind, count in recipe.inputs.items() if not known.is_substance(kind)),
        default=1,
    )
    batches = max(1, min(batches, possible))
    for batch in range(batches):
        name = f"{plain}-{batch + 1}" if batches > 1 else plain
        found.recipes.append(name)
        found.atoms += _batch(recipe, name, batch, batches, instances, outputs, known)


def _batch(
    recipe: Recipe,
    name: str,
    batch: int,
    batches: int,
    instances: Mapping[str, list[str]],
    outputs: Mapping[str, list[str]],
    known: ActivityKinds,
) -> Iterator[GroundAtom]:
    for kind, count in recipe.inputs.items():
        own = instances[kind]
        chosen = own[:1] if known.is_substance(kind) else own[batch * count : (batch + 1) * count] or own[-1:]
        for each in chosen:
            yield ("needs", name, each)
            if not known.is_substance(kind):
                if kind in recipe.cooked:
                    yield ("needs-cooked", name, each)
                if kind in recipe.raw:
                    yield ("needs-raw", name, each)
    for kind, own in outputs.items():
        count = recipe.outputs[kind]
        last = batch == batches - 1
        chosen = (
            own[:1]
            if known.is_substance(kind)
            else own[batch * count :]
            if last
            else own[batch * count : (batch + 1) * count]
        )
        yield from (("makes", name, each) for each in chosen)
    if recipe.rule in ("heat_cook", "substance_watercooking"):
        vessels, heat = recipe.vessels, recipe.heat
        for each in _instances(instances, known, vessels, "fillable"):
            yield ("vessel-of", name, each)
        for each in _instances(instances, known, heat, "heatSource"):
            yield ("heat-of", name, each)
    elif recipe.rule == "mixing_stick":
        yield ("stirred", name)
    else:
        for each in _instances(instances, known, recipe.machines, ""):
            yield ("machine-of", name, each)


def _instances(
    instances: Mapping[str, list[str]], known: ActivityKinds, wanted: tuple[str, ...], otherwise: str
) -> Iterator[str]:
    """The instances of one of the kinds, or of one below; without kinds, those with a property."""
    for kind, names in instances.items():
        if known.is_a(kind, wanted) if wanted else known.has(kind, otherwise):
            yield from names
