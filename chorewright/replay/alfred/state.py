"""The state of a text game: what each command asks for and does, and whether the goal holds.

The rules are those of ALFWorld's PDDL domain; the extended ones are in ``text_extended.pddl``: slicing yields
pieces, and vessels are filled and emptied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from chorewright.replay.alfred.game import Game, GameGoal, GameNames

MARKS = ("opened", "on", "toggled", "hot", "cool", "clean", "sliced")
"""What a state remembers of receptacles (opened) and things."""


class GameAction(NamedTuple):
    """What a command means: a verb of the forms and the numbers of what it is about.

    ``go`` has a receptacle and a location; ``take``, ``move``, ``clean``, ``heat`` and ``cool`` a thing and a
    receptacle; ``extract`` and ``insert`` a thing and a vessel; ``slice`` a thing and a knife; ``see`` a
    receptacle and ``inspect`` a thing.
    """

    verb: str
    first: int = -1
    second: int = -1


LOOK, INVENTORY, HELP = GameAction("look"), GameAction("inventory"), GameAction("help")
EXAMINING = frozenset(("look", "inventory", "help", "see", "inspect"))
"""Verbs that change nothing."""


class Phrasebook:
    """The commands of a game with its names, so that none is worded twice."""

    def __init__(self, game: Game, names: GameNames) -> None:
        self.names = names
        self._templates = game.forms.commands
        self._known: dict[GameAction, str] = {}
        self.free = {self._templates[word]: GameAction(word) for word in ("look", "inventory", "help")}
        going = [
            (self._templates["go"].format(r=names.receptacles[number]), GameAction("go", number, place))
            for number, receptacle in enumerate(game.receptacles)
            for place in receptacle.places
        ]
        everywhere = range(len(game.locations))
        self.going = [{command: to for command, to in going if to.second != place} for place in everywhere]

    def command(self, action: GameAction) -> str:
        """Return the command that means an action."""
        found = self._known.get(action)
        if found is None:
            found = self._known[action] = self._word(action)
        return found

    def _word(self, action: GameAction) -> str:
        verb, first, second = action
        words, names = self._templates, self.names
        if verb in ("look", "inventory", "help"):
            return words[verb]
        if verb in ("go", "open", "close"):
            return words[verb].format(r=names.receptacles[first])
        if verb in ("see", "inspect"):
            return words["examine"].format(o=(names.receptacles if verb == "see" else names.things)[first])
        thing = names.things[first]
        if verb == "use":
            return words[verb].format(o=thing)
        if verb == "extract":
            return words["take"].format(o=thing, r=names.things[second])
        if verb in ("insert", "slice"):
            return words[verb].format(o=thing, m=names.things[second], k=names.things[second])
        return words[verb].format(o=thing, r=names.receptacles[second])


class State:
    """Where everything is now. All attributes are numbers of the game's receptacles, things and locations.

    ``left`` are pairs (thing, receptacle): it was taken from there and has not come back.
    """

    __slots__ = ("at", "game", "holds", "left", "lying", "marks", "places", "spots", "vessel_of", "within")

    def __init__(self, game: Game) -> None:
        start = game.start
        self.game = game
        self.at, self.holds = start.at, start.holds
        self.lying: list[set[int]] = [set() for _ in game.receptacles]
        self.places: dict[int, set[int]] = {}
        for thing, receptacle in start.lying:
            self.lying[receptacle].add(thing)
            self.places.setdefault(thing, set()).add(receptacle)
        self.within: dict[int, set[int]] = {}
        self.vessel_of: dict[int, set[int]] = {}
        for thing, vessel in start.within:
            self.within.setdefault(vessel, set()).add(thing)
            self.vessel_of.setdefault(thing, set()).add(vessel)
        self.spots = set(start.spots)
        self.left: set[tuple[int, int]] = set()
        self.marks = {mark: set(start.marks.get(mark, ())) for mark in MARKS}

    def copy(self) -> State:
        """Return a state of its own that is like this one."""
        other = State.__new__(State)
        other.game, other.at, other.holds = self.game, self.at, self.holds
        other.lying = [set(each) for each in self.lying]
        other.places = {thing: set(each) for thing, each in self.places.items()}
        other.within = {vessel: set(each) for vessel, each in self.within.items()}
        other.vessel_of = {thing: set(each) for thing, each in self.vessel_of.items()}
        other.spots, other.left = set(self.spots), set(self.left)
        other.marks = {mark: set(each) for mark, each in self.marks.items()}
        return other

    def shut(self, receptacle: int) -> bool:
        """Return whether a receptacle's door is closed."""
        return self.game.receptacles[receptacle].openable and receptacle not in self.marks["opened"]

    def here(self) -> tuple[int, ...]:
        """Return the receptacles where the agent stands."""
        return self.game.receptacles_at[self.at]

    def actions(self) -> Iterator[GameAction]:
        """Yield what can be done here, but for going elsewhere and for what can be done anywhere."""
        game, holds, opened = self.game, self.holds, self.marks["opened"]
        for receptacle in self.here():
            yield GameAction("see", receptacle)
            body = game.receptacles[receptacle]
            if body.openable:
                yield GameAction("close" if receptacle in opened else "open", receptacle)
            reached = not body.openable or receptacle in opened
            for thing in self.lying[receptacle]:
                abilities = game.things[thing].abilities
                if "toggleable" in abilities:
                    yield GameAction("use", thing)
                if not reached:
                    continue
                if game.examines_lying:
                    yield GameAction("inspect", thing)
                if holds is None and "pickupable" in abilities:
                    yield GameAction("take", thing, receptacle)
                if game.extended and thing in self.within and "vessel" in abilities:
                    yield from self._extractions(thing)
            if holds is not None:
                yield from self._with_held(holds, receptacle, reached)
        if holds is not None:
            yield GameAction("inspect", holds)
            if game.things[holds].kind.lower() in _lower(game.kinds.knives):
                yield from (GameAction("slice", thing, holds) for thing in self._sliceable())

    def _extractions(self, vessel: int) -> Iterator[GameAction]:
        for inner in self.within[vessel]:
            if self.holds is None and "pickupable" in self.game.things[inner].abilities:
                yield GameAction("extract", inner, vessel)

    def _with_held(self, holds: int, receptacle: int, reached: bool) -> Iterator[GameAction]:
        game = self.game
        if reached and game.take(receptacle, holds):
            yield GameAction("move", holds, receptacle)
        kind, abilities = game.receptacles[receptacle].kind.lower(), game.things[holds].abilities
        for verb, ability in TREATMENTS.items():
            if ability in abilities and kind == game.kinds.appliances[verb].lower():
                yield GameAction(verb, holds, receptacle)
        if reached and game.extended:
            for vessel in self.lying[receptacle]:
                if "vessel" in game.things[vessel].abilities and game.take_inside(vessel, holds):
                    yield GameAction("insert", holds, vessel)

    def _sliceable(self) -> Iterator[int]:
        things = self.game.things
        if self.game.extended:
            for receptacle in self.here():
                if not self.shut(receptacle):
                    yield from (thing for thing in self.lying[receptacle] if "sliceable" in things[thing].abilities)
            return
        for thing, place in self.spots:
            if place == self.at and "sliceable" in things[thing].abilities:
                yield thing

    def apply(self, action: GameAction) -> None:
        """Do an action that can be done."""
        verb, first, second = action
        marks = self.marks
        if verb == "go":
            self.at = second
        elif verb == "open":
            marks["opened"].add(first)
        elif verb == "close":
            marks["opened"].discard(first)
        elif verb == "take":
            self._leave(first, second)
            self.holds = first
        elif verb == "extract":
            self.within[second].discard(first)
            self.vessel_of[first].discard(second)
            self.holds = first
        elif verb == "move":
            self._come(first, second)
            self.holds = None
        elif verb == "insert":
            self.within.setdefault(second, set()).add(first)
            self.vessel_of.setdefault(first, set()).add(second)
            self.holds = None
        elif verb == "clean":
            marks["clean"].add(first)
        elif verb in ("heat", "cool"):
            done, undone = ("hot", "cool") if verb == "heat" else ("cool", "hot")
            marks[done].add(first)
            marks[undone].discard(first)
        elif verb == "use":
            marks["on"].symmetric_difference_update((first,))
            marks["toggled"].add(first)
        elif verb == "slice":
            marks["sliced"].add(first)
            if self.game.extended:
                self._cut(first)

    def _leave(self, thing: int, receptacle: int) -> None:
        self.lying[receptacle].discard(thing)
        self.places[thing].discard(receptacle)
        self.spots.discard((thing, self.at))
        self.left.add((thing, receptacle))

    def _come(self, thing: int, receptacle: int) -> None:
        self.lying[receptacle].add(thing)
        self.places.setdefault(thing, set()).add(receptacle)
        self.spots.add((thing, self.at))
        self.left.discard((thing, receptacle))

    def _cut(self, whole: int) -> None:
        for receptacle in sorted(self.places[whole]):
            if receptacle in self.here():
                self._leave(whole, receptacle)
                for piece in self.game.pieces.get(whole, ()):
                    self._come(piece, receptacle)


TREATMENTS = {"clean": "cleanable", "heat": "heatable", "cool": "coolable"}
"""What a thing must be for each treatment."""
_LOWERED: dict[frozenset[str], frozenset[str]] = {}


def _lower(kinds: frozenset[str]) -> frozenset[str]:
    if kinds not in _LOWERED:
        _LOWERED[kinds] = frozenset(kind.lower() for kind in kinds)
    return _LOWERED[kinds]


# Goals.

STATE_MARKS = {"clean": "clean", "heat": "hot", "cool": "cool"}
"""The mark that each treatment sets."""


def mark_of(goal: GameGoal) -> str:
    """Return the mark that the goal's state sets on a thing: clean, hot, cool or nothing."""
    return STATE_MARKS.get(goal.state, "")


class GoalCheck:
    """A goal with the numbers of the game's things and receptacles that it is about."""

    def __init__(self, game: Game) -> None:
        goal = game.goal
        able = {TREATMENTS[goal.state]} if goal.state else set()
        if goal.sliced:
            able.add("sliceable")
        kind = goal.thing.lower()
        self.goal = goal
        self.things = [n for n, t in enumerate(game.things) if t.kind.lower() == kind and able <= t.abilities]
        self.vessels = _of_kind((thing.kind for thing in game.things), goal.vessel)
        self.vessels = [n for n in self.vessels if "vessel" in game.things[n].abilities]
        self.lamps = _of_kind((thing.kind for thing in game.things), goal.lamp)
        self.lamps = [n for n in self.lamps if "toggleable" in game.things[n].abilities]
        self.receptacles = _of_kind((each.kind for each in game.receptacles), goal.receptacle)
        self._wanted = frozenset(self.things)

    def ready(self, state: State, thing: int) -> bool:
        """Return whether all has been done to a thing but placing it."""
        mark = mark_of(self.goal)
        if mark and thing not in state.marks[mark]:
            return False
        return not self.goal.sliced or thing in state.marks["sliced"]

    def holds(self, state: State) -> bool:
        """Return whether the goal is reached."""
        goal = self.goal
        if goal.lamp:
            held = state.holds
            return held is not None and held in self._wanted and self.ready(state, held) and self.lit(state)
        if goal.vessel:
            return any(
                self.ready(state, thing)
                for vessel in self.vessels
                if any(vessel in state.lying[receptacle] for receptacle in self.receptacles)
                for thing in state.within.get(vessel, ())
                if thing in self._wanted
            )
        return any(
            sum(self.ready(state, thing) for thing in self._wanted & state.lying[receptacle]) >= goal.count
            for receptacle in self.receptacles
        )

    def lit(self, state: State) -> bool:
        """Return whether a lamp that has been used is in a receptacle where the agent stands."""
        here = state.here()
        return any(
            lamp in state.marks["toggled"] and any(lamp in state.lying[receptacle] for receptacle in here)
            for lamp in self.lamps
        )

    def conditions(self, state: State) -> tuple[bool, ...]:
        """Return which conditions of the goal hold, as ALFRED counts them.

        Placed things are counted in the best receptacle; a state, a cut, a lamp, and a thing in a vessel are
        conditions of their own.
        """
        return tuple(self._conditions(state))

    def _conditions(self, state: State) -> Iterator[bool]:
        goal, things = self.goal, self.things
        if goal.sliced or self._pieces(state):
            yield from self._slices(state)
        if goal.state:
            yield any(thing in state.marks[mark_of(goal)] for thing in things)
        if goal.lamp:
            yield state.holds in self._wanted
            yield self.lit(state)
            return
        if goal.vessel:
            yield any(thing in self._wanted for vessel in self.vessels for thing in state.within.get(vessel, ()))
            yield any(vessel in state.lying[receptacle] for vessel in self.vessels for receptacle in self.receptacles)
            yield self.holds(state)
            return
        most = max((len(self._wanted & state.lying[r]) for r in self.receptacles), default=0)
        for number in range(goal.count):
            yield most > number
        if goal.state or goal.sliced:
            yield self.holds(state)

    def _pieces(self, state: State) -> bool:
        return bool(self.things) and all(state.game.things[thing].cut_from is not None for thing in self.things)

    def _slices(self, state: State) -> Sequence[bool]:
        if self.goal.sliced:
            return [any(thing in state.marks["sliced"] for thing in self.things)]
        return [any(state.game.things[thing].cut_from in state.marks["sliced"] for thing in self.things)]


def _of_kind(kinds: Iterable[str], wanted: str) -> list[int]:
    return [number for number, kind in enumerate(kinds) if wanted and kind.lower() == wanted.lower()]
