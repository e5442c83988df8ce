"""Which parameters a TEACh task takes, by rules over the vocabulary and the rooms, and which rooms suit it.

The rules are data (``data/teach.json``): numbers, kinds with certain affordances, kinds and classes of items
that fit on kinds and classes of furniture in some room, dishes, and sums of numbers that keep meals to a
reasonable size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from chorewright.domains.teach.compiler import describe
from chorewright.domains.teach.definition import AtomicComponent, TeachTask
from chorewright.domains.teach.definitions import shipped_definitions
from chorewright.domains.teach.world import ALIASES
from chorewright.files.records import reader_of
from chorewright.generator.household.possibilities import RoomFacts, room_facts
from chorewright.generator.teach.scenes import gather
from chorewright.problems.household.kinds import Kinds, Traits, shipped_kinds
from chorewright.problems.household.rooms import room_names

Params: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sum:
    """The numbers in some slots add up to a number between two."""

    of: tuple[int, ...]
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class VariantRule:
    """How the parameters of a task are found: a rule for each slot, and what they must keep to.

    ``pieces`` are the slots of a number and of the kind that yields so many pieces at least.
    """

    share: float
    slots: tuple[Mapping[str, object], ...] = ()
    sums: tuple[Sum, ...] = ()
    pieces: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class VariantSettings:
    """The benchmark's figures, from ``data/teach.json``.

    Attributes:
        seeds_per_variant: How often a room is scattered for the same parameters.
        candidates: How many other parameters are tried where those assigned fail.
        evaluations: What may go into one search.
        seconds: How long a ``move``, an ``interaction``, a ``look`` of the Commander's and an ``utterance``
            take, and each ``word`` of it.
        laid_in_items: The classes of which things may be laid into other items, such as plates and pans.
        no_place: The kinds of receptacles into which nothing is laid unless the task asks for it.
        means: For a property that is to be brought about, the affordances and roles of what it takes.
        folds: The rooms of the unseen splits.
        split_shares: How often each split comes relative to the others.
        tasks: The tasks of the dataset with their rules.
    """

    seeds_per_variant: int
    candidates: int
    evaluations: int
    seconds: Mapping[str, float]
    laid_in_items: tuple[str, ...]
    no_place: frozenset[str]
    means: Mapping[str, tuple[str, ...]]
    folds: Mapping[str, tuple[str, ...]]
    split_shares: Mapping[str, float]
    tasks: Mapping[str, VariantRule]


settings = reader_of(VariantSettings, "chorewright.generator.teach", "data/figures.json")
"""Returns the benchmark's figures."""


def variants(name: str, kinds: Kinds | None = None) -> tuple[Params, ...]:
    """Return the parameters that a task of the dataset takes, by its rule; each suits some room.

    A task without a rule has one variant if it has no parameters, else none.

    Args:
        name: The task.
        kinds: What there may be; the shipped kinds by default.
    """
    known = kinds or shipped_kinds()
    found: tuple[Params, ...] = known.findings.of(known, ("variants", name), lambda: _variants(name, known))
    return found


def _variants(name: str, kinds: Kinds) -> tuple[Params, ...]:
    rule = settings().tasks.get(name)
    if rule is None:
        return ((),) if shipped_definitions().find(name).nparams == 0 else ()
    found = [params for params in _fill(rule, (), kinds) if _kept(rule, params, kinds)]
    return tuple(params for params in dict.fromkeys(found) if find_suitable_rooms(name, params, kinds))


def _fill(rule: VariantRule, before: Params, kinds: Kinds) -> Iterator[Params]:
    """Yield all fillings of the slots; prepositions, which follow from later slots, are put in last."""
    if len(before) == len(rule.slots):
        yield _with_prepositions(rule, before, kinds)
        return
    for word in _words(rule.slots[len(before)], before, kinds):
        yield from _fill(rule, (*before, word), kinds)


def _words(slot: Mapping[str, object], before: Params, kinds: Kinds) -> Sequence[str]:
    """Return what a slot may be, given the slots before it."""
    match slot["rule"]:
        case "numbers":
            least, most = slot["least"], slot["most"]
            assert isinstance(least, int)
            assert isinstance(most, int)
            return [str(number) for number in range(least, most + 1)]
        case "words":
            words, partner = slot["words"], slot.get("with")
            assert isinstance(words, list)
            none = isinstance(partner, int) and before[partner] == "0"
            return [words[0] if words[0] != "1" else "0"] if none else words
        case "kinds":
            wanted = slot["affordances"]
            assert isinstance(wanted, list)
            return [kind.name for kind in _whole_kinds(kinds, wanted, bool(slot.get("pieces")))]
        case "dishes":
            which = slot["for"]
            assert isinstance(which, int)
            piece = kinds[before[which]].piece
            return [name for name in _members("Dishware", kinds) if name in kinds[piece or ""].fits]
        case "washable":
            return _kinds_with(kinds, lambda kind: kind.item and "dirtyable" in kind.affordances, least=1)
        case "items":
            return _kinds_with(kinds, lambda kind: kind.item)
        case "places":
            which = slot["for"]
            assert isinstance(which, int)
            fits = {place for name in _members(before[which], kinds) for place in kinds[name].fits}
            fits |= {ALIASES[name] for name in fits if name in ALIASES}
            places = _kinds_with(kinds, lambda kind: bool(kind.receptacle) and not kind.item)
            return [name for name in places if not fits.isdisjoint(_members(name, kinds))]
        case _:
            return [""]


def _whole_kinds(kinds: Kinds, affordances: Sequence[str], pieces: bool) -> Iterator[Traits]:
    """Yield the kinds with some affordances; with ``pieces`` those that are cut into several."""
    for kind in kinds.values():
        if kind.affordances.issuperset(affordances) and (kind.pieces > 1 or not pieces):
            yield kind


def _kinds_with(kinds: Kinds, test: Callable[[Traits], bool], least: int = 2) -> list[str]:
    """Return the kinds that pass a test, and the classes with at least so many of them."""
    passing = [kind.name for kind in kinds.values() if test(kind)]
    sizes = Counter(name for each in passing for name in kinds.vocabulary.kind(each).classes)
    return passing + sorted(name for name, size in sizes.items() if size >= least and name not in passing)


def _members(name: str, kinds: Kinds) -> tuple[str, ...]:
    """Return the kinds of a class; a kind is its own only member."""
    every = kinds.vocabulary.kinds
    return (name,) if name in every else tuple(each for each, kind in every.items() if name in kind.classes)


def _with_prepositions(rule: VariantRule, params: Params, kinds: Kinds) -> Params:
    filled = list(params)
    for place, slot in enumerate(rule.slots):
        if slot["rule"] == "preposition":
            which = slot["of"]
            assert isinstance(which, int)
            words = Counter(kinds[name].preposition for name in _members(params[which], kinds))
            filled[place] = words.most_common(1)[0][0]
    return tuple(filled)


def _kept(rule: VariantRule, params: Params, kinds: Kinds) -> bool:
    """Whether a filling keeps to the sums, and asks for no more pieces than there are."""
    if rule.pieces is not None and int(params[rule.pieces[0]]) > kinds[params[rule.pieces[1]]].pieces:
        return False
    return all(each.least <= sum(int(params[slot]) for slot in each.of) <= each.most for each in rule.sums)


def find_suitable_rooms(name: str, params: Params, kinds: Kinds | None = None) -> tuple[str, ...]:
    """Return the rooms that suit a shipped task with its parameters."""
    known = kinds or shipped_kinds()
    rooms: tuple[str, ...] = known.findings.of(
        known, (name, params), lambda: rooms_for(shipped_definitions().task(name, params), known)
    )
    return rooms


def rooms_for(task: TeachTask, kinds: Kinds) -> tuple[str, ...]:
    """Return the shipped rooms that have what a task needs, and leave something to do."""
    asked = Demands.of(task, kinds)
    rooms = kinds.findings.of(kinds, "rooms", lambda: [room_facts(room, kinds) for room in room_names()])
    return tuple(facts.name for facts in rooms if asked.met(facts, kinds))


@dataclass(frozen=True, slots=True)
class Demands:
    """What a task wants of a room.

    Attributes:
        any_of: Of each of these sets of kinds, something.
        gathered: Kinds of which all shall lie in or on which kinds, and whether in one and the same.
    """

    any_of: tuple[frozenset[str], ...]
    gathered: tuple[tuple[frozenset[str], frozenset[str], bool], ...]

    @staticmethod
    def of(task: TeachTask, kinds: Kinds) -> Demands:
        """Collect what a task and the tasks in it want."""
        any_of: dict[frozenset[str], None] = {}
        for each in task.walk():
            for part in each.parts_needed:
                if isinstance(part, AtomicComponent):
                    any_of[_wanted_kinds(part, kinds)] = None
                    any_of |= dict.fromkeys(_means(part, kinds))
        found = gather(task, kinds.vocabulary)
        together = tuple((frozenset(heads), frozenset(tails), one) for heads, tails, one in found)
        return Demands(tuple(any_of), together)

    def met(self, facts: RoomFacts, kinds: Kinds) -> bool:
        """Whether a room has it all, and leaves something to do."""
        there = facts.kinds | facts.places
        if any(there.isdisjoint(wanted) for wanted in self.any_of):
            return False
        return all(_can_be_gathered(facts, kinds, *each) for each in self.gathered)


def _wanted_kinds(part: AtomicComponent, kinds: Kinds) -> frozenset[str]:
    """Return the kinds of which a component needs something; of ``all`` one that actions can change."""
    types = describe(part, kinds.vocabulary, wholes=True).types
    names = {kind.name for name in types if (kind := kinds.vocabulary.kind_of_type(name)) is not None}
    for prop, _ in part.conditions if part.determiner == "all" else ():
        if prop in _CHANGED:
            names = {name for name in names if _CHANGED[prop] in kinds[name].affordances}
    return frozenset(names | {ALIASES[name] for name in names if name in ALIASES})


def _means(part: AtomicComponent, kinds: Kinds) -> Iterator[frozenset[str]]:
    """Yield the kinds of which it takes one to bring about what a component wants."""
    for prop, _ in part.conditions:
        for words in settings().means.get(prop, ()):
            yield frozenset(kind.name for kind in kinds.values() if kind.roles | kind.affordances >= {*words.split()})


_CHANGED: Mapping[str, str] = {"isDirty": "dirtyable", "isToggled": "toggleable"}
"""Property to the affordance of what can have it changed."""


def _can_be_gathered(facts: RoomFacts, kinds: Kinds, heads: frozenset[str], tails: frozenset[str], one: bool) -> bool:
    """Whether all things of some kinds in a room can be put where they belong, and may start elsewhere."""
    here = [name for name in heads if name in facts.counts]
    places = {name for name in tails if name in facts.places or (name in facts.kinds and kinds[name].item)}
    others = facts.places - tails
    called = places | {ALIASES[name] for name in places if name in ALIASES}
    items = [kinds[name] for name in here]
    if not items or not all(item.item and item.fits & called for item in items):
        return False
    return any(item.fits & others for item in items) or (one and sum(facts.counts[name] for name in places) > 1)
