"""Agents that play text games: exploring, or by the expert's plan."""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from chorewright.errors import UnsupportedError
from chorewright.files.english import article
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.state import GameAction
from chorewright.replay.games.engine import GameExpert
from chorewright.replay.games.foreign import TextAgent

WAIT = "look"
"""The command of an agent that does not know how to go on."""


GameAgent: TypeAlias = TextAgent[TextGame]
"""Plays games, which have been reset."""


class PlannerAgent:
    """Does what the expert says, which sees everything."""

    def begin(self, play: TextGame, rng: np.random.Generator) -> None:
        self._play, self._expert = play, play.expert()

    def act(self, observation: str, admissible: Sequence[str]) -> str:
        self._expert.follow(self._play.last)
        return self._expert.command() or WAIT


@dataclass(frozen=True, slots=True)
class Aim:
    """What an agent is about.

    Attributes:
        verb: ``search``; ``examine`` for seeing what there is now; ``look`` for a place that must be at hand; or what
            it is going to do: ``go``, ``take``, ``extract``, ``move``, ``insert``, ``clean``, ``heat``, ``cool``,
            ``use``, ``slice``.
        thing: With what; a kind where it searches; empty for ``examine``, ``look`` and ``go``.
        other: Where, into what, out of what, or by what; empty for ``use``.
    """

    verb: str
    thing: str = ""
    other: str = ""


Script: TypeAlias = Generator[str, None, None]
"""Yields commands; the agent's knowledge is brought up to date before it goes on."""

_NAME = re.compile(r"\ba ([a-z]+ \d+)")
_FACING = re.compile(r"You are facing (.*?)\. ")
_NAMED = re.compile(r"[a-z]+ \d+")


class ExploringAgent:
    """Knows the goal and which receptacles there are, but not what lies in them: it goes and looks.

    It reads only what is told and the admissible commands. Places that a thing fits are searched first, open ones
    before those with doors, else at random; what was seen on the way is remembered. In which room of a house they
    are does not matter: things are scattered over all.

    Attributes:
        aim: What the last command is for.
        lost: Whether it does not know how to go on.
    """

    aim = Aim("search")
    lost = False

    def begin(self, play: TextGame, rng: np.random.Generator) -> None:
        if play.game.own is not None:
            raise UnsupportedError(
                f"the exploring agent knows ALFRED's tasks only, not {play.game.task}", hint="take the agent planner"
            )
        self._goal, self._kinds, self._fits = play.game.goal, play.game.kinds, play.game.fits
        self._places: list[str] = []
        self._seen: dict[str, str] = {}
        self._searched: set[str] = set()
        self._here: set[str] = set()
        self._at = self._held = ""
        self._rng, self.lost = rng, False
        self._script = self._play()

    def act(self, observation: str, admissible: Sequence[str]) -> str:
        self._admissible = admissible
        self._learn(observation)
        command = next(self._script, "")
        self.lost = command not in admissible
        return WAIT if self.lost else command

    def _learn(self, observation: str) -> None:
        if not self._places:
            told = _NAME.findall(observation.split("Your task")[0])
            mixed = [told[place] for place in self._rng.permutation(len(told))]
            doors = {kind.lower() for kind in self._kinds.openable}
            self._places = sorted(mixed, key=lambda name: name.split()[0] in doors)
            return
        if facing := _FACING.match(observation):
            self._here = set(_NAMED.findall(facing[1]))
        if self._at and "you see" in observation:
            for name in _NAME.findall(observation):
                self._seen[name] = self._at

    def _play(self) -> Script:
        """Do the goal's parts one after the other."""
        goal, kind = self._goal, self._goal.thing.lower()
        if kind.endswith("sliced") or kind == "eggcracked" or goal.sliced:
            yield from self._slice(kind.removesuffix("sliced").removesuffix("cracked"))
        placed: list[str] = []
        home = ""
        for _ in range(goal.count):
            thing = yield from self._fetch(kind, placed)
            if not thing:
                return
            if goal.state:
                yield from self._treat(goal.state)
            if goal.lamp:
                yield from self._light()
                return
            if goal.vessel:
                yield from self._stack(thing)
                return
            home = home or self._first(goal.receptacle)
            yield from self._put(home)
            placed.append(thing)

    def _slice(self, kind: str) -> Script:
        knife = yield from self._search([each.lower() for each in sorted(self._kinds.knives)], ())
        if not knife:
            return
        yield from self._take(knife)
        whole = yield from self._search([kind], ())
        if not whole:
            return
        self.aim = Aim("slice", whole, knife)
        yield from self._reach(self._seen[whole])
        yield f"slice {whole} with {knife}"
        self.aim = Aim("examine", other=self._at)
        yield f"examine {self._at}"
        yield from self._drop(knife)

    def _drop(self, name: str) -> Script:
        """Put what is held down: here, or at the next place that takes it."""
        for place in (self._at, *self._places):
            if (place.split()[0], name.split()[0]) not in self._fits:
                continue
            self.aim = Aim("move", name, place)
            yield from self._reach(place)
            if f"move {name} to {place}" in self._admissible:
                yield from self._put(place)
                return

    def _fetch(self, kind: str, placed: Collection[str]) -> Generator[str, None, str]:
        thing = yield from self._search([kind], placed)
        if thing:
            yield from self._take(thing)
        return thing

    def _search(self, kinds: Sequence[str], placed: Collection[str]) -> Generator[str, None, str]:
        """Look for a thing of some kinds, and return its name; nothing if it is nowhere."""
        for place in ("", *self._in_order(kinds)):
            if place and place not in self._searched:
                self.aim = Aim("search", min(kinds, key=len), place)
                yield from self._reach(place, look=True)
            found = [name for name in self._seen if name.split()[0] in kinds and name not in (*placed, self._held)]
            if found:
                return found[int(self._rng.integers(len(found)))]
        return ""

    def _in_order(self, kinds: Sequence[str]) -> Sequence[str]:
        """Return all places, those first that some things of the kinds fit."""
        fits = {holder for holder, kind in self._fits if kind in kinds}
        return sorted(self._places, key=lambda name: name.split()[0] not in fits)

    def _go(self, place: str) -> Script:
        """Go to a place; where it is one of those at hand, a look around tells so."""
        self._at = place
        if f"go to {place}" in self._admissible and place not in self._here:
            self._here = {place}
            self._searched.add(place)
            yield f"go to {place}"
        elif place not in self._here:
            aim, self.aim = self.aim, Aim("look", other=place)
            yield "look"
            self.aim = aim

    def _reach(self, place: str, *, look: bool = False) -> Script:
        """Go to a place and open it; look at it if nothing else tells what is there."""
        yield from self._go(place)
        shut = f"open {place}" in self._admissible
        if shut or (look and place not in self._searched):
            self._searched.add(place)
            yield f"open {place}" if shut else f"examine {place}"

    def _take(self, thing: str) -> Script:
        place = self._seen[thing]
        self.aim = Aim("take", thing, place)
        yield from self._reach(place)
        yield f"take {thing} from {place}"
        self._held = thing
        self._seen.pop(thing, None)

    def _put(self, place: str) -> Script:
        self.aim = Aim("move", self._held, place)
        yield from self._reach(place)
        yield f"move {self._held} to {place}"
        self._seen[self._held], self._held = place, ""

    def _treat(self, state: str) -> Script:
        place = self._first(self._kinds.appliances[state])
        self.aim = Aim(state, self._held, place)
        yield from self._go(place)
        yield f"{state} {self._held} with {place}"

    def _light(self) -> Script:
        lamp = yield from self._search([self._goal.lamp.lower()], ())
        if lamp:
            self.aim = Aim("use", lamp)
            yield from self._go(self._seen[lamp])
            yield f"use {lamp}"

    def _stack(self, thing: str) -> Script:
        vessel = yield from self._search([self._goal.vessel.lower()], (thing,))
        if not vessel:
            return
        self.aim = Aim("insert", thing, vessel)
        yield from self._reach(self._seen[vessel])
        yield f"put {thing} into {vessel}"
        self._held = ""
        yield from self._take(vessel)
        yield from self._put(self._first(self._goal.receptacle))

    def _first(self, kind: str) -> str:
        """Return the first place of a kind."""
        return next((place for place in self._places if place.split()[0] == kind.lower()), "")


# What an agent is about, in a sentence.

_ON_THE_WAY = frozenset(("go", "open", "close"))


def thought(play: TextGame, expert: GameExpert[GameAction]) -> str:
    """Return a sentence about what the expert does next; empty if nothing is left to do."""
    plan = expert.actions()
    if not plan:
        return ""
    action = next((each for each in plan if each.verb not in _ON_THE_WAY), plan[0])
    names = play.names
    if action.verb in _ON_THE_WAY:
        return tell_aim(play, Aim("go", other=names.receptacles[action.first]), "")
    homes = action.verb in ("take", "move", "clean", "heat", "cool")
    other = "" if action.second < 0 else (names.receptacles if homes else names.things)[action.second]
    return tell_aim(play, Aim(action.verb, names.things[action.first], other), play.phrasebook.command(plan[0]))


def tell_aim(play: TextGame, aim: Aim, command: str) -> str:
    """Return a sentence about what an agent is about that says a command now."""
    kinds, templates = play.game.kinds, play.game.forms.thoughts
    verb, _, what = command.partition(" ")
    place = what.removeprefix("to ")
    into = "into" if _is(aim.other, kinds.hollow) else "on"
    parts = {"o": aim.thing, "r": aim.other, "m": aim.other, "k": aim.other, "place": place, "verb": verb, "into": into}
    if aim.verb in ("examine", "look"):
        return templates[aim.verb].format(**parts)
    if aim.verb == "search":
        one = templates["uncounted" if _is(aim.thing, kinds.uncounted) else "one"]
        some = one.format(a=article(aim.thing), **parts)
        return templates[f"search-{verb}"].format(some=some, **parts)
    way = {"go": "after" if place == aim.other else "aside", "open": "before", "close": "before"}.get(verb, "now")
    return templates[way].format(what=templates[aim.verb].format(**parts), verb=verb, place=place)


def _is(name: str, kinds: Collection[str]) -> bool:
    """Return whether a name, or a kind in lower case, is of some kinds."""
    return name.split(" ")[0] in map(str.lower, kinds)
