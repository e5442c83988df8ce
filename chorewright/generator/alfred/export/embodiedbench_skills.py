"""Skills as sentences: the two dialects, names of instances, and a plan's interactions.

In EB-ALFRED's dialect things of a kind are told apart by numbers (``Cabinet_2``), in the order in which the
simulator lists them at the start; in LoTa-Bench's a name is a kind in words (``counter top``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from chorewright.errors import UsageError
from chorewright.files.english import article
from chorewright.files.records import reader_of

Json: TypeAlias = Any
"""The simulator's metadata and ALFRED's trajectories."""

_VERBS = {
    "PickupObject": "pick",
    "PutObject": "put",
    "OpenObject": "open",
    "CloseObject": "close",
    "ToggleObjectOn": "turn-on",
    "ToggleObjectOff": "turn-off",
    "SliceObject": "slice",
}
"""Skills by the simulator's actions."""


@dataclass(frozen=True, slots=True)
class SkillInteraction:
    """Something that a plan does to a thing.

    Attributes:
        verb: The skill that does it: ``pick``, ``put``, ``open``, ``close``, ``turn-on``, ``turn-off``, ``slice``.
        thing: The object's id.
        place: The receptacle's id, of ``put``.
    """

    verb: str
    thing: str
    place: str = ""

    @property
    def target(self) -> str:
        """What the agent goes to for it."""
        return self.place or self.thing


@dataclass(frozen=True, slots=True)
class SkillDialect:
    """How skills are said.

    Attributes:
        forms: A sentence for each skill.
        apart: Whether instances of a kind are told apart by number.
        words: Whether kinds are said in words.
        forgets: Whether a receptacle that was found is forgotten by other skills than ``keeps``.
        keeps: The skills by which it is not.
    """

    forms: Mapping[str, str]
    apart: bool
    words: bool
    forgets: bool
    keeps: frozenset[str]

    def say(self, verb: str, name: str, held: str = "") -> str:
        """Return a skill's sentence."""
        name, held = self._word(name), self._word(held)
        return self.forms[verb].format(name=name, held=held, article=article(name))

    def _word(self, name: str) -> str:
        if not self.words or name == "CD":
            return name
        return re.sub(r"(\w)([A-Z])", r"\1 \2", name).lower()


@dataclass(frozen=True, slots=True)
class _Skills:
    """The data of skills; the data file explains each entry."""

    sets: tuple[str, ...]
    long: int
    found: frozenset[str]
    taken: frozenset[str]
    opened: frozenset[str]
    sliced: frozenset[str]
    switched: frozenset[str]
    dialects: Mapping[str, SkillDialect]


_skills = reader_of(_Skills, "chorewright.generator.alfred.export", "data/embodiedbench_skills.json")


def dialect(name: str) -> SkillDialect:
    """Return a dialect by its name: ``eb-alfred`` or ``lota-bench``.

    Raises:
        UsageError: There is no such dialect.
    """
    known = _skills().dialects
    if name not in known:
        raise UsageError(f"there is no dialect {name!r}", hint=", ".join(known))
    return known[name]


def evaluation_sets() -> tuple[tuple[str, ...], int]:
    """Return the names of EB-ALFRED's sets, and the number of skills above which a task has a long horizon."""
    return _skills().sets, _skills().long


def interactions(trajectory: Json) -> tuple[SkillInteraction, ...]:
    """Return what a trajectory in ALFRED's form does to things, by its low-level actions."""
    found = []
    for low in trajectory["plan"]["low_actions"]:
        action = low["discrete_action"]["action"].partition("_")[0]
        told = low["api_action"]
        if action in _VERBS:
            found.append(SkillInteraction(_VERBS[action], told["objectId"], told.get("receptacleObjectId", "")))
    return tuple(found)


def kind_of(ident: str) -> str:
    """Return the kind by which skills call a thing: that of its id's first part."""
    return ident.split("|", 1)[0]


def can_be_found(ident: str) -> bool:
    """Return whether there is a skill that leads to a thing."""
    return kind_of(ident) in _skills().found


def choices(said: SkillDialect, objects: Sequence[Json] = ()) -> frozenset[str]:
    """Return the sentences among which an evaluator lets a model choose.

    Args:
        said: The dialect.
        objects: The simulator's, at the start of an episode; where instances are told apart, they add sentences.
    """
    kinds = _skills()
    found, opened = list(kinds.found), list(kinds.opened)
    receptacles = {each["objectId"] for each in objects if each["receptacle"]}
    for ident, name in number_objects(objects).items() if said.apart else ():
        kind, _, number = name.partition("_")
        if number and (ident in receptacles or kind in kinds.taken):
            found.append(name)
        if number and ident in receptacles and kind in kinds.opened:
            opened.append(name)
    offered = {said.say("find", name) for name in found}
    offered |= {said.say(verb, kind, kind) for verb in ("pick", "put") for kind in kinds.taken}
    offered |= {said.say(verb, name) for verb in ("open", "close") for name in opened}
    offered |= {said.say(verb, kind) for verb in ("turn-on", "turn-off") for kind in kinds.switched}
    offered |= {said.say("slice", kind) for kind in kinds.sliced}
    return frozenset(offered | ({said.say("drop", "")} if "drop" in said.forms else set()))


def whole_of(ident: str) -> str:
    """Return the id of the thing that a piece was cut from; others are their own."""
    parts = ident.split("|")
    return "|".join(parts[:4]) if len(parts) > 4 and "Sliced" in parts[4] else ident


def number_objects(objects: Sequence[Json]) -> dict[str, str]:
    """Return the names of all things of which there are several of a type: ``Cabinet``, ``Cabinet_2``, ...

    Args:
        objects: The simulator's, at the start of an episode.
    """
    types: dict[str, list[str]] = {}
    for each in objects:
        if each["receptacle"] or each["pickupable"]:
            types.setdefault(each["objectType"], []).append(each["objectId"])
    return {
        ident: name if place == 0 else f"{name}_{place + 1}"
        for name, idents in types.items()
        if len(idents) > 1
        for place, ident in enumerate(idents)
    }


def matching(ident: str, objects: Sequence[Json]) -> str:
    """Return the id of the object that a recording calls by an id: the same, or the nearest one of its kind."""
    told = [each["objectId"] for each in objects]
    if ident in told:
        return ident
    parts = ident.split("|")
    same = [other for other in told if other.split("|")[0] == parts[0] and len(other.split("|")) == len(parts)]
    return min(same, key=lambda other: _apart(parts, other.split("|")), default=ident)


def _apart(one: Sequence[str], other: Sequence[str]) -> float:
    return sum((float(a) - float(b)) ** 2 for a, b in zip(one[1:4], other[1:4], strict=True))


def nearest(name: str, objects: Sequence[Json], *, verb: str, pieces_first: bool) -> str:
    """Return the id of what a kind means: the nearest, things in closed receptacles and out of view later.

    Args:
        name: The kind.
        objects: The simulator's.
        verb: The skill: what is to be picked up can be, what is to be switched too.
        pieces_first: Whether something has been sliced, so that what is found or picked up is a piece.
    """
    able = {"pick": "pickupable", "turn-on": "toggleable", "turn-off": "toggleable"}.get(verb, "")
    looking = verb in ("find", "pick")
    told = {each["objectId"]: each for each in objects}
    best = (1e8, "")
    for each in objects:
        if kind_of(each["objectId"]).casefold() != name.casefold() or (able and not each[able]):
            continue
        outer = [told[ident] for ident in each["parentReceptacles"] or () if ident in told]
        away = each["distance"] + 100_000 * any(every["openable"] and not every["isOpen"] for every in outer)
        if looking:
            away += 1000 * (not each["visible"]) - 100 * (pieces_first and "_Slice" in each["name"])
        if away < best[0]:
            best = (away, each["objectId"])
    return best[1]
