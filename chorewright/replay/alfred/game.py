"""A text game as a value: receptacles, things, where all is at the start, and the goal.

Receptacles and things are sorted by their identifiers, so that lists of numbers are in the order in which
ALFWorld's engine tells of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from chorewright.problems.household.scene import Scene
from chorewright.replay.alfred.forms import Forms, TextKinds, load_forms, load_text_kinds

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
        goal: The goal.
        receptacles: By number, sorted by identifier.
        things: By number, sorted by identifier.
        locations: The locations' names in PDDL, by number.
        fits: (kind of receptacle or vessel, kind of thing), in lower case: what takes what.
        start: Where all is.
        extended: Whether slicing yields pieces, and vessels can be filled.
        walkthrough: Commands that win, if they are known.
        forms: How it speaks.
        help: What ``help`` answers, if not what the forms say.
        kinds: The kinds that are treated specially.
        scene: The room that it was made from; None if it was read from a file.
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
    walkthrough: tuple[str, ...] | None = None
    forms: Forms = field(default_factory=load_forms)
    help: str | None = None
    kinds: TextKinds = field(default_factory=load_text_kinds)
    scene: Scene | None = None

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
