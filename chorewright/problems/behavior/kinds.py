"""What kinds of things there are in BEHAVIOR, what they are for, and what becomes of what: halves and recipes."""

from __future__ import annotations

import json
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from chorewright.domains.behavior.reader import parse_activity
from chorewright.domains.behavior.syntax import Activity, atoms_of, constant
from chorewright.domains.pddl.syntax import GroundAtom
from chorewright.errors import UsageError
from chorewright.files.english import did_you_mean

# The shipped activities of BEHAVIOR-100 and BEHAVIOR-1K, the kinds of things in them, and the rules of change.


CORPUS = Path(str(files("chorewright.problems"))) / "data" / "behavior.zip"
VERSIONS = ("100", "1k")
"""BEHAVIOR-100 (2021, domain igibson) and BEHAVIOR-1K (2025, domain omnigibson)."""


@lru_cache
def _member(name: str) -> Mapping[str, Any]:
    with zipfile.ZipFile(CORPUS) as archive:
        found: Mapping[str, Any] = json.loads(archive.read(name))
    return found


def activity_names(version: str) -> tuple[str, ...]:
    """Return the names of a version's activities, sorted."""
    return tuple(_texts(version))


def shipped_activity(name: str, version: str) -> Activity:
    """Return an activity by name.

    Raises:
        UsageError: There is none of this name.
    """
    texts = _texts(version)
    if name not in texts:
        raise UsageError(f"there is no activity {name!r} in BEHAVIOR-{version}", hint=did_you_mean(name, texts))
    return _parse_activity(name, version)


@lru_cache(maxsize=2048)
def _parse_activity(name: str, version: str) -> Activity:
    return parse_activity(_texts(version)[name], f"BEHAVIOR-{version}/{name}")


def _texts(version: str) -> Mapping[str, str]:
    if version not in VERSIONS:
        raise UsageError(f"there is no BEHAVIOR-{version}", hint=f"versions: {', '.join(VERSIONS)}")
    return _member(f"activities_{version}.json")


def kinds_data(version: str) -> Mapping[str, Any]:
    """Return the kinds of a version as stored; see ``build_corpus``."""
    found = _member(f"kinds_{version}.json")
    return found if version == "1k" else {"kinds": found, "removers": []}


def rules_data() -> Mapping[str, Any]:
    """Return the rules of change as stored; see ``build_corpus``."""
    return _member("rules.json")


SURFACES = ("ontop", "onfloor", "nextto", "touching", "draped", "overlaid")
"""Predicates whose second thing something lies on."""

DIALECTS = {"igibson": "100", "omnigibson": "1k"}
"""The domains that activities name, and whose kinds of things they are of."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A rule with several inputs.

    Attributes:
        rule: ``heat_cook``, ``mixing_stick``, ``single_toggleable_machine`` or ``substance_watercooking``.
        name: What it is called.
        inputs: How many of which synset it takes.
        outputs: How many of which synset it gives.
        vessels: Synsets of what it is made in; any if there are none.
        heat: Synsets of the sources of heat or cold.
        machines: Synsets of the machines.
        cooked: Inputs that must be cooked.
        raw: Inputs that must not be.
    """

    rule: str
    name: str
    inputs: Mapping[str, int]
    outputs: Mapping[str, int]
    vessels: tuple[str, ...]
    heat: tuple[str, ...]
    machines: tuple[str, ...]
    cooked: tuple[str, ...]
    raw: tuple[str, ...]


@dataclass(frozen=True)
class ActivityKinds:
    """The kinds of one version of BEHAVIOR; ``synset`` may be one it does not know, which then has no property.

    Attributes:
        version: "100" or "1k".
        containers: Synsets that something is inside of in an activity.
        surfaces: Synsets that something is on in an activity.
        grounds: Synsets that the robot stands on in an activity.
        partners: Pairs of synsets of which the one is attached to the other in an activity.
    """

    version: str
    containers: frozenset[str]
    surfaces: frozenset[str]
    grounds: frozenset[str]
    partners: frozenset[tuple[str, str]]

    def has(self, synset: str, *properties: str) -> bool:
        """Return whether a synset has one of these properties."""
        return not self._kind(synset).get("is_set", frozenset()).isdisjoint(properties)

    def is_substance(self, synset: str) -> bool:
        """Return whether a synset is a substance rather than a thing."""
        return self.version == "1k" and self.has(synset, "substance")

    def is_a(self, synset: str, others: Sequence[str]) -> bool:
        """Return whether a synset is one of the others or below one of them."""
        return synset in others or any(each in others for each in self._kind(synset).get("above", ()))

    def gives(self, synset: str) -> tuple[str, ...]:
        """Return the substances that come out of a thing."""
        return tuple(self._kind(synset).get("gives", ()))

    def source_of(self, synset: str, key: str) -> tuple[str, ...] | None:
        """Return what a source of heat or cold asks for, of "closed", "inside" and "on"; None if it is none.

        Args:
            synset: The thing's.
            key: ``heatSource`` or ``coldSource``.
        """
        found = self._kind(synset).get(key)
        return None if found is None else tuple(found)

    def removers(self, synset: str, substance: str) -> tuple[str, ...] | None:
        """Return with which substances in it a thing removes a substance: any; empty if with none; None if never."""
        number = self._kind(synset).get("removes")
        if number is None:
            return None
        table = _tables(self.version)[number]
        form = (
            "visual"
            if self.has(substance, "visualSubstance")
            else "fluid"
            if self.has(substance, "liquid")
            else "non_fluid"
        )
        found = table.get(substance, table.get(f"*{form}"))
        return None if found is None else tuple(found)

    def _kind(self, synset: str) -> Mapping[str, Any]:
        return _read_index(self.version).get(synset, {})


def version_of(activity: Activity) -> str:
    """Return the version whose kinds an activity is of."""
    return DIALECTS.get(activity.domain, "1k")


@lru_cache
def _read_index(version: str) -> Mapping[str, Mapping[str, Any]]:
    kinds = kinds_data(version)["kinds"]
    return {name: {**each, "is_set": frozenset(each["is"])} for name, each in kinds.items()}


def _tables(version: str) -> Sequence[Mapping[str, Any]]:
    tables: Sequence[Mapping[str, Any]] = kinds_data(version)["removers"]
    return tables


@lru_cache
def kinds(version: str) -> ActivityKinds:
    """Return the kinds of a version."""
    inside, on, ground, pairs = set(), set(), set(), set()
    for name in activity_names(version):
        activity = shipped_activity(name, version)
        synsets = {each.name: each.types[0] for each in activity.objects}
        for atom in (*(each.atom for each in activity.init), *atoms_of(activity.goal)):
            terms = [constant(each) for each in atom.terms]
            of = [synsets.get(each, each) for each in terms]
            if atom.predicate == "inside":
                inside.add(of[1])
            elif atom.predicate in SURFACES:
                on.add(of[1])
            elif atom.predicate == "attached":
                pairs.add((of[0], of[1]))
            if atom.predicate in ("ontop", "onfloor") and of[0] == "agent.n.01":
                ground.add(of[1])
    return ActivityKinds(version, frozenset(inside), frozenset(on), frozenset(ground), frozenset(pairs))


def changes(rule: str) -> Iterator[tuple[str, Mapping[str, int]]]:
    """Yield what becomes of a synset by ``slicing``, ``dicing``, ``melting`` or ``substance_cooking``."""
    yield from rules_data()[rule]


@lru_cache
def recipes() -> tuple[Recipe, ...]:
    """Return the rules with several inputs."""
    found = []
    for each in rules_data()["recipes"]:
        states = {name: dict(states) for name, states in each.get("input_states", {}).items() if "," not in name}
        found.append(
            Recipe(
                each["rule"],
                each["name"],
                each["inputs"],
                each["outputs"],
                tuple(each.get("container", ())),
                tuple(each.get("heat_source", ())),
                tuple(each.get("machine", ())),
                tuple(name for name, given in states.items() if given.get("cooked") is True),
                tuple(name for name, given in states.items() if given.get("cooked") is False),
            )
        )
    return tuple(found)


@lru_cache
def washing() -> Mapping[str, tuple[str, ...] | None]:
    """Return with which substances a washer removes a substance: any of these; none needed if empty; None if never."""
    return {
        name: None if means is None else tuple(str(each) for each in means)
        for name, means in rules_data()["washer"].items()
    }


# What becomes of an activity's things: which whole gives which halves, and recipes with their inputs and outputs.
#
# A rule speaks of kinds; here it is given the activity's own instances. Instances of a kind are alike, so they are
# dealt out in order: the first apple gives the first two halves. A recipe of which there are inputs for several batches
# is given several times.


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
    for recipe in recipes():
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
