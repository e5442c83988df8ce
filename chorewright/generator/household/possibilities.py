"""Which filled templates may succeed in which rooms: judged by the rooms' furniture, without planning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from chorewright.domains.pddl.syntax import And, AtLeast, Atom, Exists, Forall, Formula
from chorewright.domains.templates.goal_templates import GoalTemplate, candidates, instantiate, reasons_against
from chorewright.domains.templates.starts import wishes
from chorewright.domains.vocabulary import Vocabulary
from chorewright.generator.household.scene_names import named_scene
from chorewright.generator.household.starts import start_lacks
from chorewright.generator.production.sampling import Choice
from chorewright.problems.household.containment import is_receptacle, matters
from chorewright.problems.household.kinds import Kinds, Traits
from chorewright.problems.household.scene import GRID, Scene

REACH = 1.0
"""Metres from a standing point to a thing's box within which it surely has a stand pose."""


@dataclass(frozen=True, slots=True)
class RoomFacts:
    """What a room offers: kinds of items (and pieces) and useful things in reach.

    ``places`` are the kinds of furniture with an object that things can be put in or on. A house also tells
    ``by_room``: the furniture in its rooms of each kind. ``counts`` says how many things of each kind there are.
    """

    name: str
    room_kind: str
    kinds: frozenset[str]
    places: frozenset[str]
    by_room: tuple[tuple[str, frozenset[str]], ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict, compare=False)

    def without(self, kinds: Collection[str]) -> RoomFacts:
        """Return the same without some kinds of furniture."""
        by_room = tuple((room, there.difference(kinds)) for room, there in self.by_room)
        return replace(self, kinds=self.kinds.difference(kinds), places=self.places.difference(kinds), by_room=by_room)

    def within(self, rooms: Collection[str]) -> RoomFacts:
        """Return what a task finds that is for some kinds of rooms: a house has the furniture of these rooms only.

        Items may be anywhere, as they are carried.

        Args:
            rooms: A template's ``:rooms``; empty for all kinds.
        """
        found = [(kind, there) for kind, there in self.by_room if kind in rooms]
        if not found:
            return self
        elsewhere = frozenset[str]().union(*(there for _, there in self.by_room))
        left = elsewhere.difference(*(there for _, there in found))
        kinds, places = self.kinds - left, self.places - left
        return RoomFacts(self.name, found[0][0], kinds, places, counts=self.counts)


def facts_of(scene: Scene) -> RoomFacts:
    """Return what a room offers, before anything is spawned. Pieces are there if something sharp is."""
    # What is put into a sink goes into its basin, an object of its own (Sink|..|SinkBasin).
    hulls = {thing.object_id.rpartition("|")[0] for thing in scene.objects}
    points = np.array(scene.grid, float).reshape(-1, 2) * GRID
    items: dict[str, Traits] = {}
    fixtures: dict[str, None] = {}
    by_room: dict[str, set[str]] = {kind: set() for kind in scene.room_kinds()}
    places: dict[str, None] = {}
    for thing in scene.objects:
        kind = thing.traits
        if kind.item:
            items[thing.kind] = kind
        elif matters(thing):
            centre = np.array((thing.centre[0], thing.centre[2]))
            half = np.array((thing.size[0], thing.size[2])) / 2
            gaps = np.maximum(np.abs(points - centre) - half, 0.0)
            if len(points) and float((gaps**2).sum(axis=1).min()) <= REACH**2:
                fixtures[thing.kind] = None
                by_room.setdefault(scene.kind_of_room(*centre.tolist()), set()).add(thing.kind)
                if is_receptacle(thing) and thing.object_id not in hulls:
                    places[thing.kind] = None
    if any("sharp" in item.roles for item in items.values()):
        items.update({item.piece: item for item in list(items.values()) if item.piece})
    rooms = tuple((kind, frozenset(there)) for kind, there in by_room.items()) if scene.building is not None else ()
    counts = Counter(thing.kind for thing in scene.objects)
    return RoomFacts(scene.name, scene.room_kind, frozenset((*items, *fixtures)), frozenset(places), rooms, counts)


def room_facts(name: str, kinds: Kinds) -> RoomFacts:
    """Return what a shipped room or a house offers, and what of these kinds is put there."""
    facts: RoomFacts = kinds.findings.of(kinds, name, lambda: facts_of(named_scene(name, kinds)))
    return facts


def possible_choices(
    task: str, template: GoalTemplate, kinds: Kinds, rooms: Sequence[RoomFacts], elsewhere: Sequence[str] = ()
) -> tuple[Choice, ...]:
    """Return the ways to fill a template that at least one of the rooms has the things for.

    Args:
        task: the template's name in the dataset.
        template: its ``rooms`` and ``needs`` are asked of each room, its slots and what its goal wants to
            exist of each room's kinds.
        kinds: All kinds of things.
        rooms: what the rooms offer, in the order of the choices' scenes.
        elsewhere: kinds of receptacles in which nothing that the goal is about may start. Nor may it in those
            that the slots name; a room must have another place for each.
    """
    vocabulary = kinds.vocabulary
    within = [room.within(template.rooms) for room in rooms]
    suited = [room for room in within if not reasons_against(template, (), vocabulary, room.room_kind, room.kinds)]
    demands = tuple(dict.fromkeys(_demands(template.goal, {})))
    found = []
    for binding in candidates(template, vocabulary):
        of_kinds = template.kinds_in(binding)
        filled = {f"?{name}": vocabulary.kind(kind).pddl_type for name, kind in of_kinds}
        wanted = [_Demand(tuple(filled.get(each, each) for each in one.types), one.holds) for one in demands]
        named = frozenset(kind for _, kind in of_kinds)
        starts = _starts(named, kinds, frozenset(elsewhere)) if not template.start else []
        rules = wishes(template.start, filled, vocabulary)
        scenes = tuple(
            room.name
            for room in suited
            if room.kinds >= named
            and not any(room.places.isdisjoint(places) for places in starts)
            and all(_is_met(one, vocabulary, room) for one in wanted)
            and not start_lacks(rules, kinds, room.kinds, room.places)
        )
        if scenes:
            found.append(Choice(task, binding, scenes))
    return tuple(found)


def why_no_room(template: GoalTemplate, kinds: Kinds, rooms: Sequence[RoomFacts]) -> str:
    """Return what the rooms that come nearest to suiting a template lack, and where that is; empty if nobody knows.

    Args:
        template: No filling of it is possible in any of the rooms.
        kinds: All kinds of things.
        rooms: What the rooms offer.
    """
    vocabulary = kinds.vocabulary
    binding = next(iter(candidates(template, vocabulary)), None)
    if binding is None:
        return "nothing fills its slots"
    goal = instantiate(template, binding, vocabulary)
    least: tuple[str, ...] | None = None
    for room in (each.within(template.rooms) for each in rooms):
        found = (
            *reasons_against(template, binding, vocabulary, room.room_kind, room.kinds),
            *missing(goal.goal, vocabulary, room),
            *start_lacks(goal.start, kinds, room.kinds, room.places),
        )
        other = [reason for reason in found if not reason.startswith("the room is a ")]
        if len(other) == len(found) and found and (least is None or len(found) < len(least)):
            least = tuple(dict.fromkeys(found))
    if least is None:
        return ""
    lacked = {word for reason in least for word in reason.split() if word in kinds}
    where = sorted({room.room_kind for room in rooms if lacked and lacked <= room.kinds})
    elsewhere = f"; a {' or '.join(where)} has it".replace("_", " ") if where else ""
    return f"{'; '.join(least)} in any {' or '.join(template.rooms).replace('_', ' ') or 'room'}{elsewhere}"


def _starts(named: frozenset[str], kinds: Kinds, elsewhere: frozenset[str]) -> list[frozenset[str]]:
    """Return, for each kind of item, the kinds of receptacles in which it may start."""
    items = [kinds[name] for name in sorted(kinds.vocabulary.whole_of(each) or each for each in named)]
    return [item.fits - named - elsewhere for item in items if item.item]


@dataclass(frozen=True, slots=True)
class _Demand:
    """A goal wants something of one of these types; ``holds``: something that it wants other things in."""

    types: tuple[str, ...]
    holds: bool


def missing(goal: Formula, vocabulary: Vocabulary, room: RoomFacts) -> tuple[str, ...]:
    """Return the reasons why a room lacks what a filled goal wants to exist; none if it has it all."""
    reasons: dict[tuple[str, ...], str] = {}
    for demand in sorted(dict.fromkeys(_demands(goal, {})), key=lambda one: one.holds):
        if not _is_met(demand, vocabulary, room):
            kinds = " or ".join(kind.name if (kind := vocabulary.kind_of_type(each)) else each for each in demand.types)
            which = " that things can be put in or on" if demand.holds else ""
            reasons.setdefault(demand.types, f"there is no {kinds}{which}")
    return tuple(reasons.values())


def _demands(goal: Formula, bound: Mapping[str, tuple[str, ...]]) -> Iterator[_Demand]:
    """Yield what a goal wants to exist for certain: nothing of what it denies or leaves open."""
    if isinstance(goal, And):
        for operand in goal.operands:
            yield from _demands(operand, bound)
    elif isinstance(goal, Exists | AtLeast):
        for variable in goal.variables:
            yield _Demand(variable.types, holds=False)
        inner = {variable.name: variable.types for variable in goal.variables}
        yield from _demands(goal.body, {**bound, **inner})
    elif isinstance(goal, Forall):
        hidden = {variable.name for variable in goal.variables}
        inner = {name: types for name, types in bound.items() if name not in hidden}
        yield from _demands_of_places(goal.body, inner)
    elif isinstance(goal, Atom):
        yield from _demands_of_places(goal, bound)


def _demands_of_places(goal: Formula, bound: Mapping[str, tuple[str, ...]]) -> Iterator[_Demand]:
    """Yield the receptacles of a condition's ``in``."""
    if isinstance(goal, And):
        for operand in goal.operands:
            yield from _demands_of_places(operand, bound)
    elif isinstance(goal, Atom) and goal.predicate == "in" and goal.terms[1] in bound:
        yield _Demand(bound[goal.terms[1]], holds=True)


def _is_met(demand: _Demand, vocabulary: Vocabulary, room: RoomFacts) -> bool:
    """Whether a room has something of a demand's types; a piece comes with its whole."""
    for name in demand.types:
        kind = vocabulary.kind_of_type(name)
        if kind is None and not vocabulary.has_set(name):
            return True  # a pose, and what else is no thing
        for each in (kind.name,) if kind else vocabulary.set_members(name):
            there = each in room.kinds or (vocabulary.whole_of(each) or each) in room.kinds
            carried = "pickupable" in vocabulary.kind(each).affordances
            if each in room.places or (there and (not demand.holds or carried)):
                return True
    return False
