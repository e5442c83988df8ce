"""Which filled templates may succeed in which rooms: judged by the rooms' furniture, without planning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from chorewright.domains.formulas import Universe, derive, holds
from chorewright.domains.pddl.syntax import And, AtLeast, Atom, Domain, Exists, Forall, Formula, Problem
from chorewright.domains.rewriting import predicates_mentioned_in
from chorewright.domains.templates.goal_templates import GoalTemplate, candidates, instantiate, reasons_against
from chorewright.domains.templates.starts import DISTRACTORS, PLACE, STATES, StartWish, wishes
from chorewright.domains.vocabulary import Vocabulary
from chorewright.generator.production.sampling import Choice
from chorewright.problems.household.containment import ancestors, is_receptacle, matters
from chorewright.problems.household.kinds import Kinds, Traits
from chorewright.problems.household.rooms import named_scene
from chorewright.problems.household.scene import GRID, Scene, SceneObject
from chorewright.problems.household.spawn import SpawnRequest
from chorewright.rsa.household.presuppositions import Presupposition, presuppositions

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


# What a task says of its start, as a spawn provides it, and whether a scene keeps to it.

MORE = 2
"""How many more copies than the least there may be, where a rule has no largest count."""


def with_start(request: SpawnRequest, scene: Scene, wishes: Sequence[StartWish]) -> SpawnRequest:
    """Return what a spawn must provide for a goal and for rules about the start; these come first."""
    present = {thing.kind for thing in scene.objects if thing.traits.item}
    furniture = {thing.kind for thing in scene.objects if not thing.traits.item}
    counts, banned = dict(request.counts), {kind: tuple(names) for kind, names in request.banned.items()}
    only: dict[str, tuple[str, ...]] = {}
    states: dict[str, dict[str, bool]] = {}
    others = request.others
    for wish in wishes:
        items = [kind for kind in wish.kinds if kind in present]
        if wish.what == "count":
            counts |= _share(wish, items or list(wish.kinds)[:1], counts)
        elif wish.what == DISTRACTORS:
            others = (wish.low, wish.high or 0)
        elif wish.what == PLACE:
            able = [kind for kind in items if _places(wish, scene.kinds[kind]) & furniture]
            for kind in items:
                if kind not in able and able:  # others of the set can start as the rule says
                    counts[kind] = (0, 0)
                    continue
                counts.setdefault(kind, request.others)
                if wish.wanted:
                    only[kind] = wish.places
                    banned.pop(kind, None)
                else:
                    banned[kind] = (*banned.get(kind, ()), *wish.places)
        elif wish.what in STATES:
            for kind in wish.kinds:
                states.setdefault(kind, {})[wish.what] = wish.wanted
    return replace(request, counts=counts, banned=banned, others=others, only=only, states=states)


def _share(
    wish: StartWish, kinds: Sequence[str], counts: dict[str, tuple[int, int]]
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield how many there shall be of each kind, for a count of all of them together."""
    for place, kind in enumerate(kinds):
        least = wish.low // len(kinds) + (place < wish.low % len(kinds))
        if wish.high is None:
            yield kind, (max(least, counts.get(kind, (0, 0))[0]), max(least + MORE, counts.get(kind, (0, 0))[1]))
        else:
            most = wish.high // len(kinds) + (place < wish.high % len(kinds))
            known = counts.get(kind, (0, 0))[0] if wish.low == 0 else 0  # at most so many, of what the goal wants
            yield kind, (max(least, min(known, most)), most)


def _places(wish: StartWish, kind: Traits) -> frozenset[str]:
    """Return the kinds of furniture in or on which things of a kind may start by a rule about places."""
    return frozenset(wish.places) if wish.wanted else kind.fits - frozenset(wish.places)


def start_lacks(
    wishes: Sequence[StartWish], catalogue: Kinds, kinds: Collection[str], places: Collection[str]
) -> tuple[str, ...]:
    """Return why no start in a room can keep to rules; nothing if one may.

    Args:
        wishes: The rules, filled.
        catalogue: All kinds.
        kinds: The kinds of which the room has something.
        places: The kinds of its furniture that things can be put in or on.
    """
    reasons = []
    for wish in wishes:
        if wish.what == "count" and wish.low and not set(wish.kinds) & set(kinds):
            reasons.append(f"there is no {' or '.join(wish.kinds[:4])}")
        here = [catalogue[kind] for kind in wish.kinds if kind in kinds]
        if wish.what == PLACE and here and not any(_places(wish, kind) & set(places) for kind in here):
            reasons.append(f"there is no place where {wish.text} holds")
    return tuple(reasons)


def broken_rule(wishes: Sequence[StartWish], scene: Scene, domain: Domain, problem: Problem | None) -> str:
    """Return the text of the first rule that a scene does not keep to; nothing if it keeps to all.

    Args:
        wishes: The rules, filled.
        scene: The start.
        domain: The household.
        problem: Its planning problem, in which formulas are evaluated; None to leave these out.
    """
    for wish in wishes:
        if wish.what == "holds":
            if problem is not None:
                universe = Universe.of(domain, problem)
                if not holds(wish.formula, derive(domain, frozenset(problem.init), universe), universe):
                    return wish.text
        elif not _kept(wish, scene):
            return wish.text
    return ""


def _kept(wish: StartWish, scene: Scene) -> bool:
    things = [thing for thing in scene.objects if thing.kind in wish.kinds]
    if wish.what == "count":
        return len(things) >= wish.low and (wish.high is None or len(things) <= wish.high)
    if wish.what == PLACE:
        where = {thing.object_id: thing.kind for thing in scene.objects}
        items = [thing for thing in things if thing.traits.item]
        return all(any(where.get(each) in wish.places for each in thing.parents) == wish.wanted for thing in items)
    if wish.what in STATES:
        able = [thing for thing in things if STATES[wish.what] in thing.traits.affordances]
        return all(in_state(wish.what, thing) == wish.wanted for thing in able)
    return True


def in_state(state: str, thing: SceneObject) -> bool:
    """Whether a thing is in one of the states that things may start in."""
    attributes = thing.attributes
    return {
        "is-on": attributes.is_toggled,
        "is-open": attributes.is_open,
        "dirty": attributes.is_dirty,
        "filled": attributes.liquid is not None,
        "coffee": attributes.brewed,
    }[state]


# Whether the start of an episode grants what a sentence takes for granted.


def not_granted(sentence: str, goal: Formula, scene: Scene) -> tuple[str, ...]:
    """Return what a sentence takes for granted and the start does not hold, in English; nothing if it holds all.

    Args:
        sentence: It asks for the goal.
        goal: The filled goal.
        scene: The start.
    """
    taken = presuppositions(sentence, scene.kinds.vocabulary, predicates_mentioned_in(goal))
    return tuple(each.text for each in taken if not _is_granted(each, scene))


def grant(sentences: Sequence[str], goal: Formula, scene: Scene) -> tuple[str, ...]:
    """Return the sentences of which the start grants all that they take for granted."""
    return tuple(each for each in sentences if not not_granted(each, goal, scene))


def _is_granted(taken: Presupposition, scene: Scene) -> bool:
    things = [thing for thing in scene.objects if thing.kind in taken.kinds and not thing.is_consumed]
    if taken.what == "exists":
        pieces = sum(thing.traits.pieces for thing in scene.objects if thing.traits.piece in taken.kinds)
        return len(things) + pieces >= taken.number
    if taken.what == "state":
        return any(in_state(taken.state, thing) == taken.wanted for thing in things)
    # A thing in a cabinet is not on the floor on which the cabinet stands.
    parents = {thing.object_id: thing.parents for thing in scene.objects if thing.traits.item}
    kinds = {thing.object_id: thing.kind for thing in scene.objects}
    there = [any(kinds.get(each) in taken.places for each in ancestors(thing.object_id, parents)) for thing in things]
    if taken.what == "in":
        return any(there)
    pieces = sum(thing.traits.pieces for thing in scene.objects if thing.traits.piece in taken.kinds)
    return not all(there) or pieces > 0
