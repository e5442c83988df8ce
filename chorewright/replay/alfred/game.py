"""A text game as a value: its words, receptacles, things, where all is at the start, and the goal.

Receptacles and things are sorted by their identifiers, so that lists of numbers are in the order in which
ALFWorld's engine tells of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np

from chorewright.domains.pddl.syntax import Formula
from chorewright.files.records import reader_of
from chorewright.problems.household.scene import Scene

# The words of the text games: commands, sentences and kinds, all from data files.


@dataclass(frozen=True, slots=True)
class Forms:
    """Commands and other spellings of them, sentences, reasons and goals; the data file says what their parts are."""

    commands: Mapping[str, str]
    spellings: Mapping[str, tuple[str, ...]]
    sentences: Mapping[str, str]
    reasons: Mapping[str, str]
    help_extended: str
    goals: Mapping[str, tuple[str, ...]]
    chat: Mapping[str, str]
    thoughts: Mapping[str, str]

    def say(self, sentence: str, /, **parts: str) -> str:
        """Return one of the sentences with its parts filled in."""
        return self.sentences[sentence].format(**parts)

    def command(self, name: str, /, **parts: str) -> str:
        """Return one of the commands with its parts filled in."""
        return self.commands[name].format(**parts)

    def enumerate(self, names: list[str], article: str = "a ") -> str:
        """Return names as a list in words; before the last there is always a comma and "and"."""
        if not names:
            return self.sentences["nothing"]
        shown = [article + name for name in names]
        return ", and ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else shown[0]


@dataclass(frozen=True, slots=True)
class TextKinds:
    """Kinds that the text games treat specially, in the vocabulary's spelling.

    Attributes:
        receptacles: Furniture that things are taken from and put on.
        openable: Those of them with a door.
        vessels: Things that are receptacles themselves.
        appliances: The kind of receptacle that cleans, heats or cools what is held there.
        knives: What slices.
        lamps: What can be used.
        hollow: Receptacles that things are put into rather than on.
        uncounted: Things that are spoken of without a number.
        basins: What is part of the first kind and takes what lies in it.
        floor: The kind of the floor.
    """

    receptacles: frozenset[str]
    openable: frozenset[str]
    vessels: frozenset[str]
    appliances: Mapping[str, str]
    knives: frozenset[str]
    lamps: frozenset[str]
    hollow: frozenset[str]
    uncounted: frozenset[str]
    basins: Mapping[str, str]
    floor: str


_forms = reader_of(Forms, "chorewright.replay", "data/text_forms.json")
_older = reader_of(dict[str, dict[str, str]], "chorewright.replay", "data/text_forms.json", "older")


@lru_cache(maxsize=2)
def load_forms(older: bool = False) -> Forms:
    """Return ALFWorld's forms, or those from before its version 0.4."""
    now, before = _forms(), _older() if older else {"commands": {}, "sentences": {}}
    return replace(
        now, commands={**now.commands, **before["commands"]}, sentences={**now.sentences, **before["sentences"]}
    )


load_text_kinds = reader_of(TextKinds, "chorewright.replay", "data/text_kinds.json")
"""Returns the kinds of the text games."""


_NAMES: Mapping[str, str] = {"Bottle": "Glassbottle"}


def kind_in_games(kind: str) -> str:
    """Return what game files call a kind."""
    return _NAMES.get(kind, kind)


_SPELLINGS = (("-", "_minus_"), ("|", "_bar_"), ("+", "_plus_"), (".", "_dot_"), (",", "_comma_"))


def pddl_name(object_id: str) -> str:
    """Return an id of AI2-THOR's as a name of PDDL."""
    for sign, word in _SPELLINGS:
        object_id = object_id.replace(sign, word)
    return object_id


@dataclass(frozen=True, slots=True)
class GameReceptacle:
    """Furniture that things lie in or on.

    Attributes:
        ident: Its name in PDDL.
        kind: What it is: ``CounterTop``.
        places: The numbers of the locations from where it is reached.
        openable: Whether it has a door.
        room: What the room is called in which it is; empty where there is only one.
    """

    ident: str
    kind: str
    places: tuple[int, ...]
    openable: bool
    room: str = ""


@dataclass(frozen=True, slots=True)
class GameThing:
    """A thing of a game.

    Attributes:
        ident: Its name in PDDL.
        kind: What it is: ``Mug``.
        abilities: What can be done with it: pickupable, cleanable, heatable, coolable, toggleable, sliceable,
            vessel.
        cut_from: The number of the thing that it is a piece of, or None.
    """

    ident: str
    kind: str
    abilities: frozenset[str]
    cut_from: int | None = None


@dataclass(frozen=True, slots=True)
class GameGoal:
    """What wins a game.

    Attributes:
        thing: The kind that is to be placed or held.
        receptacle: The kind of receptacle that it is placed in; empty if it is to be held beside a lamp.
        count: How many of the kind are placed in one receptacle: 1 or 2.
        state: ``clean``, ``heat``, ``cool`` or empty: what has been done to it.
        sliced: Whether it has been sliced.
        vessel: The kind of vessel that it lies in, or empty.
        lamp: The kind of lamp that has been used where the agent stands, or empty.
    """

    thing: str
    receptacle: str = ""
    count: int = 1
    state: str = ""
    sliced: bool = False
    vessel: str = ""
    lamp: str = ""


@dataclass(frozen=True, slots=True)
class OwnGoal:
    """A goal of a user's own: a formula over the predicates of ALFWorld's domain.

    Attributes:
        formula: The goal, all names in lower case.
        kinds: The kinds of things and receptacles that it is about, in lower case.
    """

    formula: Formula
    kinds: frozenset[str]


@dataclass(frozen=True, slots=True)
class GameStart:
    """Where all is at the start, by numbers.

    Attributes:
        at: The agent's location.
        holds: What it holds, or None.
        lying: (thing, receptacle).
        within: (thing, vessel).
        spots: (thing, location): where a thing is said to be.
        marks: Things by state: on, toggled, hot, cool, clean, sliced; and receptacles that are ``opened``.
    """

    at: int
    holds: int | None
    lying: tuple[tuple[int, int], ...]
    within: tuple[tuple[int, int], ...]
    spots: tuple[tuple[int, int], ...]
    marks: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Game:
    """A text game.

    Attributes:
        name: Where it comes from: a game file's path, or an episode's name.
        task: ALFRED's task type.
        sentence: The goal in words.
        goal: The goal; of a task of a user's own nothing is said here.
        receptacles: By number, sorted by identifier.
        things: By number, sorted by identifier.
        locations: The locations' names in PDDL, by number.
        fits: (kind of receptacle or vessel, kind of thing), in lower case: what takes what.
        start: Where all is.
        extended: Whether slicing yields pieces, and vessels can be filled.
        examines_lying: Whether a thing can be examined where it lies. ALFWorld 0.4.2 means this, but a comma in its
            domain keeps the rule from ever being true: only what is held can be examined.
        walkthrough: Commands that win, if they are known.
        forms: How it speaks.
        help: What ``help`` answers, if not what the forms say.
        kinds: The kinds that are treated specially.
        scene: The room that it was made from; None if it was read from a file.
        own: The goal of a task of a user's own.
    """

    name: str
    task: str
    sentence: str
    goal: GameGoal
    receptacles: tuple[GameReceptacle, ...]
    things: tuple[GameThing, ...]
    locations: tuple[str, ...]
    fits: frozenset[tuple[str, str]]
    start: GameStart
    extended: bool = False
    examines_lying: bool = False
    walkthrough: tuple[str, ...] | None = None
    forms: Forms = field(default_factory=load_forms)
    help: str | None = None
    kinds: TextKinds = field(default_factory=load_text_kinds)
    scene: Scene | None = None
    own: OwnGoal | None = None

    @cached_property
    def names(self) -> GameNames:
        """What everything is called."""
        return GameNames.of(self)

    @cached_property
    def pieces(self) -> Mapping[int, tuple[int, ...]]:
        """The pieces that slicing a thing yields, by its number."""
        found: dict[int, list[int]] = {}
        for number, thing in enumerate(self.things):
            if thing.cut_from is not None:
                found.setdefault(thing.cut_from, []).append(number)
        return {whole: tuple(parts) for whole, parts in found.items()}

    @cached_property
    def receptacles_at(self) -> tuple[tuple[int, ...], ...]:
        """The receptacles at each location."""
        found: list[list[int]] = [[] for _ in self.locations]
        for number, receptacle in enumerate(self.receptacles):
            for place in receptacle.places:
                found[place].append(number)
        return tuple(map(tuple, found))

    def take(self, receptacle: int, thing: int) -> bool:
        """Return whether a receptacle takes a thing."""
        return (self.receptacles[receptacle].kind.lower(), self.things[thing].kind.lower()) in self.fits

    def take_inside(self, vessel: int, thing: int) -> bool:
        """Return whether a vessel takes a thing."""
        return (self.things[vessel].kind.lower(), self.things[thing].kind.lower()) in self.fits


@dataclass(frozen=True, slots=True)
class GameNames:
    """What receptacles, things and locations are called, by number: kind and a number that counts down."""

    receptacles: tuple[str, ...]
    things: tuple[str, ...]
    locations: tuple[str, ...]

    @staticmethod
    def of(game: Game, rng: np.random.Generator | None = None) -> GameNames:
        """Return the names in a game.

        Args:
            game: The game.
            rng: Deals the numbers out at random, as ALFWorld's ``domain_randomization`` does.
        """
        receptacles = [each.ident.lower() for each in game.receptacles]
        things = [each.ident.lower() for each in game.things]
        locations = [each.lower() for each in game.locations]
        named = _number_names([*receptacles, *things, *locations], rng)
        return GameNames(*(tuple(named[ident] for ident in idents) for idents in (receptacles, things, locations)))


def _number_names(idents: Sequence[str], rng: np.random.Generator | None) -> dict[str, str]:
    order = sorted(idents)
    if rng is not None:
        order = [order[place] for place in rng.permutation(len(order))]
    groups: dict[str, list[str]] = {}
    for ident in order:
        kind = ident.split("_bar_", 1)[0]
        groups.setdefault(kind + ("basin" if "basin" in ident else ""), []).append(ident)
    return {
        ident: f"{kind} {len(group) - place}" for kind, group in groups.items() for place, ident in enumerate(group)
    }
