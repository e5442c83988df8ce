"""What kinds of things there are in BEHAVIOR, what they are for, and what becomes of what: halves and recipes.

By them a user's own activity is checked: BDDL takes any name, and says nothing of what cannot be.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from importlib.resources import files
from pathlib import Path
from typing import Any

from chorewright.domains.behavior.reader import ROOM, parse_activity
from chorewright.domains.behavior.syntax import Activity, atoms_of, constant
from chorewright.domains.pddl.source import Findings, Source, read_source
from chorewright.domains.pddl.syntax import Atom, Position
from chorewright.errors import UsageError
from chorewright.files.english import did_you_mean
from chorewright.files.records import reader_of

# The shipped activities of BEHAVIOR-100 and BEHAVIOR-1K, the kinds of things in them, and the rules of change.


CORPUS = Path(str(files("chorewright.problems"))) / "data" / "behavior.zip"
VERSIONS = ("100", "1k")
"""BEHAVIOR-100 (2021, domain igibson) and BEHAVIOR-1K (2025, domain omnigibson)."""


def _read_member(name: str) -> Mapping[str, Any]:
    with zipfile.ZipFile(CORPUS) as archive:
        found: Mapping[str, Any] = json.loads(archive.read(name))
    return found


class _Corpus:
    """The shipped activities of a version and the kinds of things in them, read when they are first asked for."""

    def __init__(self, version: str) -> None:
        self.version = version
        self._activities: dict[str, Activity] = {}

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The activities as BDDL, by name."""
        return _read_member(f"activities_{self.version}.json")

    def activity(self, name: str) -> Activity:
        """Return an activity."""
        if name not in self._activities:
            self._activities[name] = parse_activity(self.texts[name], f"BEHAVIOR-{self.version}/{name}")
        return self._activities[name]

    @cached_property
    def kinds(self) -> ActivityKinds:
        """What the activities have of kinds of things, and do with them."""
        return _find_kinds(self)


_CORPORA = {version: _Corpus(version) for version in VERSIONS}


def _corpus(version: str) -> _Corpus:
    if version not in _CORPORA:
        raise UsageError(f"there is no BEHAVIOR-{version}", hint=f"versions: {', '.join(VERSIONS)}")
    return _CORPORA[version]


def activity_names(version: str) -> tuple[str, ...]:
    """Return the names of a version's activities, sorted."""
    return tuple(_corpus(version).texts)


def shipped_activity(name: str, version: str) -> Activity:
    """Return an activity by name.

    Raises:
        UsageError: There is none of this name.
    """
    corpus = _corpus(version)
    if name not in corpus.texts:
        raise UsageError(f"there is no activity {name!r} in BEHAVIOR-{version}", hint=did_you_mean(name, corpus.texts))
    return corpus.activity(name)


def kinds_data(version: str) -> Mapping[str, Any]:
    """Return the kinds of a version as stored; see ``benchmarks.shipped.activities``."""
    found = _read_member(f"kinds_{version}.json")
    return found if version == "1k" else {"kinds": found, "removers": []}


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
        lying: What lies on a kind of furniture at the start of an activity, sorted.
    """

    version: str
    containers: frozenset[str]
    surfaces: frozenset[str]
    grounds: frozenset[str]
    partners: frozenset[tuple[str, str]]
    lying: Mapping[str, tuple[str, ...]] = field(compare=False)

    @cached_property
    def _tables(self) -> tuple[Mapping[str, Mapping[str, Any]], Sequence[Mapping[str, Any]]]:
        """The kinds as they are stored, with their properties as sets, and the tables of what removes what."""
        stored = kinds_data(self.version)
        known = {name: {**each, "is_set": frozenset(each["is"])} for name, each in stored["kinds"].items()}
        return known, stored["removers"]

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
        table = self._tables[1][number]
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
        return self._tables[0].get(synset, {})


def version_of(activity: Activity) -> str:
    """Return the version whose kinds an activity is of."""
    return DIALECTS.get(activity.domain, "1k")


def kinds(version: str) -> ActivityKinds:
    """Return the kinds of a version."""
    return _corpus(version).kinds


def _find_kinds(corpus: _Corpus) -> ActivityKinds:
    inside, on, ground, pairs = set(), set(), set(), set()
    lying: dict[str, set[str]] = {}
    for activity in map(corpus.activity, corpus.texts):
        synsets = {each.name: each.types[0] for each in activity.objects}
        for literal in activity.init:
            if literal.atom.predicate == "ontop" and literal.positive:
                small, place = (synsets.get(each, each) for each in literal.atom.terms)
                if small != "agent.n.01":
                    lying.setdefault(place, set()).add(small)
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
    habits = {place: tuple(sorted(small)) for place, small in lying.items()}
    return ActivityKinds(corpus.version, frozenset(inside), frozenset(on), frozenset(ground), frozenset(pairs), habits)


def changes(rule: str) -> Iterator[tuple[str, Mapping[str, int]]]:
    """Yield what becomes of a synset by ``slicing``, ``dicing``, ``melting`` or ``substance_cooking``."""
    yield from RULES.record[rule]


class ChangeRules:
    """The shipped rules of change; see ``benchmarks.shipped.activities``."""

    @cached_property
    def record(self) -> Mapping[str, Any]:
        """The rules as they are stored."""
        return _read_member("rules.json")

    @cached_property
    def recipes(self) -> tuple[Recipe, ...]:
        """The rules with several inputs."""
        return tuple(map(_read_recipe, self.record["recipes"]))

    @cached_property
    def washing(self) -> Mapping[str, tuple[str, ...] | None]:
        """With which substances a washer removes a substance: any of these; none needed if empty; None if never."""
        return {
            name: None if means is None else tuple(str(each) for each in means)
            for name, means in self.record["washer"].items()
        }


RULES = ChangeRules()


def _read_recipe(each: Mapping[str, Any]) -> Recipe:
    states = {name: dict(states) for name, states in each.get("input_states", {}).items() if "," not in name}
    return Recipe(
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


# A user's own activity: whether its names are BEHAVIOR's, and whether it can start as it says.


rooms = reader_of(tuple[str, ...], "chorewright.problems", "data/activity_rooms.json")
"""Returns the rooms that bddl 3.6.0 allows, and the home office of BEHAVIOR-100's activities."""


def load_own(path: str | Path) -> Activity:
    """Parse and check a user's file; raises as ``parse_own``, or UsageError if it cannot be read."""
    source = read_source(path)
    return parse_own(source.text, source.path)


def parse_own(text: str, path: str | None = None) -> Activity:
    """Parse a user's activity, and check that its domain, kinds and rooms are BEHAVIOR's and that it can start.

    Raises:
        InputErrors: All errors that were found.
        LimitError: The text is too large or nests too deep.
    """
    activity = parse_activity(text, path)
    findings = Findings(Source(text, path))
    _check_names(activity, findings)
    _check_start(activity, findings)
    findings.close()
    return activity


def _check_names(activity: Activity, findings: Findings) -> None:
    if activity.domain in DIALECTS:
        known = {**kinds_data(version_of(activity))["kinds"], "agent.n.01": {}}
        for thing, kind in ((each, each.types[0]) for each in activity.objects if each.types[0] not in known):
            at = findings.word(thing.position, kind)
            findings.error(at, f"{activity.domain} has no synset '{kind}'", did_you_mean(kind, known), once=kind)
    else:
        section = findings.word(Position(1, 1), ":domain")
        at = findings.word(findings.position(section) if isinstance(section, int) else section, activity.domain)
        hint = did_you_mean(activity.domain, DIALECTS) or f"domains: {', '.join(DIALECTS)}"
        findings.error(at, f"BEHAVIOR has no domain '{activity.domain}'", hint)
    for atom in (each.atom for each in activity.init if each.atom.predicate == ROOM):
        room = atom.terms[1]
        if room not in rooms():
            hint = did_you_mean(room, rooms()) or f"rooms: {', '.join(rooms())}"
            findings.error(findings.term(atom.position, 2), f"BEHAVIOR has no room '{room}'", hint)


def _check_start(activity: Activity, findings: Findings) -> None:
    """Check that each thing is somewhere, in one room, directly in one thing, and neither in nor on itself."""
    positive = {each.atom: None for each in activity.init if each.positive}
    place: dict[tuple[str, str], str] = {}
    below: dict[str, dict[str, Atom]] = {}
    for atom in positive:
        predicate, (first, *others) = atom.predicate, atom.terms
        if others == [first]:
            findings.error(atom.position, f"'{first}' cannot be '{predicate}' itself", "name another thing")
        elif predicate in (ROOM, "inside") and place.setdefault((predicate, first), others[0]) != others[0]:
            message = f"'{first}' cannot be '{predicate}' both '{place[predicate, first]}' and '{others[0]}'"
            findings.error(atom.position, message, "say only what it is directly in")
        elif predicate in ("inside", "ontop", "onfloor"):
            below.setdefault(first, {})[others[0]] = atom
    for atom in (each.atom for each in activity.init if not each.positive and each.atom in positive):
        findings.error(atom.position, f"'({' '.join((atom.predicate, *atom.terms))})' cannot hold and not hold")
    try:
        TopologicalSorter(below).prepare()
    except CycleError as error:
        second, first, *_ = error.args[1]
        message = f"'{first}' cannot be '{below[first][second].predicate}' what is in or on it"
        findings.error(below[first][second].position, message, f"there is a cycle: {', '.join(error.args[1][::-1])}")
    somewhere = {term for atom in positive if len(atom.terms) == 2 or atom.predicate == "future" for term in atom.terms}
    for thing in activity.objects:
        if thing.name not in somewhere and thing.types[0] != "agent.n.01":
            hint = f"such as ({ROOM} {thing.name} kitchen) or (ontop {thing.name} floor.n.01_1)"
            findings.error(thing.position, f"(:init ...) does not say where '{thing.name}' is", hint)
