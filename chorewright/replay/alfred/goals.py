"""Goals of text games: whether one holds, and how much of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from chorewright.replay.alfred.game import Game, Goal
from chorewright.replay.alfred.state import State

_MARK = {"clean": "clean", "heat": "hot", "cool": "cool"}
_ABLE = {"clean": "cleanable", "heat": "heatable", "cool": "coolable"}


def mark_of(goal: Goal) -> str:
    """Return the mark that the goal's state sets on a thing: clean, hot, cool or nothing."""
    return _MARK.get(goal.state, "")


class GoalCheck:
    """A goal with the numbers of the game's things and receptacles that it is about."""

    def __init__(self, game: Game) -> None:
        goal = game.goal
        able = {_ABLE[goal.state]} if goal.state else set()
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
            sum(thing in self._wanted and self.ready(state, thing) for thing in state.lying[receptacle]) >= goal.count
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
            yield from self._sliced(state)
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

    def _sliced(self, state: State) -> Sequence[bool]:
        if self.goal.sliced:
            return [any(thing in state.marks["sliced"] for thing in self.things)]
        return [any(state.game.things[thing].cut_from in state.marks["sliced"] for thing in self.things)]


def _of_kind(kinds: Iterable[str], wanted: str) -> list[int]:
    return [number for number, kind in enumerate(kinds) if wanted and kind.lower() == wanted.lower()]
