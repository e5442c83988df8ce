"""A text game as it is played: commands, the sentences that answer them, and why one was refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from chorewright.files.lazily import Remembered
from chorewright.replay.alfred.expert import plan
from chorewright.replay.alfred.game import Forms, Game, GameNames
from chorewright.replay.alfred.own_goals import OwnGoalCheck
from chorewright.replay.alfred.state import EXAMINING, GameAction, GoalCheck, Phrasebook, State
from chorewright.replay.games.engine import GameExpert, Play, Turn

LONGEST = 200
"""Letters of a command that are looked at to say why it was refused."""


class TextGame(Play[Game, GameAction]):
    """Plays one game by ALFWorld's rules.

    What is not admissible is answered by "Nothing happens." After the goal is reached, the game goes on as ALFWorld's
    does. Moves are all commands that are understood, looking around among them.

    Attributes:
        state: Where everything is now.
        names: What things are called.
        goal: The goal.
        last: What the last command did; None if it changed nothing.
    """

    def __init__(
        self, game: Game, reasons: bool = False, names: GameNames | None = None, spellings: bool = False
    ) -> None:
        """Take a game.

        Args:
            game: The game.
            reasons: Whether observations of refused commands say why.
            names: What things are called, if not as usual.
            spellings: Whether other spellings of a command are understood: ``put X in Y``, capitals, a full stop.
        """
        super().__init__(game)
        self.names = names or game.names
        self.goal: GoalCheck | OwnGoalCheck = GoalCheck(game) if game.own is None else OwnGoalCheck(game, game.own)
        self.phrasebook = Phrasebook(game, self.names)
        self._observer = Observer(game, self.names)
        self._reasons, self._spellings = reasons, spellings
        self.last: GameAction | None = None
        self._commands: dict[str, GameAction] | None = None
        self._begin()

    def expert(self) -> GameExpert[GameAction]:
        return GameExpert(self.plan, self.phrasebook.command)

    def plan(self) -> tuple[GameAction, ...] | None:
        """Return actions that lead from here to the goal; None if there is no way, or the planner finds none."""
        goal = self.goal
        return plan(goal, self.state) if isinstance(goal, GoalCheck) else goal.plan(self.state)

    @property
    def commands(self) -> dict[str, GameAction]:
        """What can be done now, by command."""
        if self._commands is None:
            book = self.phrasebook
            known = book.going[self.state.at] | book.free
            command = book.command
            for action in self.state.actions():
                known.setdefault(command(action), action)
            self._commands = known
        return self._commands

    @cached_property
    def by_name(self) -> Mapping[str, tuple[bool, int]]:
        """Receptacles (True) and things (False) with their numbers, by name."""
        things = {name: (False, number) for number, name in enumerate(self.names.things)}
        return things | {name: (True, number) for number, name in enumerate(self.names.receptacles)}

    def _begin(self) -> None:
        self.state = State(self.game)
        self.won = self.goal.holds(self.state)
        self.last = self._commands = None

    def _start(self) -> str:
        self._begin()
        return self._observer.intro(self.state)

    def _offer(self) -> tuple[str, ...]:
        return tuple(sorted(self.commands))

    def _read(self, command: str) -> GameAction | None:
        self.last = None
        return self.meant(command)

    def meant(self, command: str) -> GameAction | None:
        """Return what a command means that can be done now; None if nothing."""
        said = str(command).strip()
        found = self.commands.get(said)
        if found is None and self._spellings:
            meant = (self.commands.get(each) for each in respell(self.game.forms, said))
            found = next(filter(None, meant), None)
        return found

    def _do(self, move: GameAction) -> Turn:
        self.moves += 1
        if move.verb in EXAMINING:
            return Turn(self._observer.tell(self.state, move), self.won)
        before = self.won
        self.last = move
        self.state.apply(move)
        self._commands = self._offered = None
        self.won = self.goal.holds(self.state)
        return Turn(self._observer.tell(self.state, move), self.won, move, float(self.won and not before))

    def _answer(self, command: str) -> Turn:
        self.refused += 1
        why = reason(self, str(command).strip())
        said = self.game.forms.sentences["nothing-happens"]
        return Turn(f"{said} {why}" if self._reasons else said, self.won, reason=why)


class Observer:
    """Words states and actions of one game with its names."""

    def __init__(self, game: Game, names: GameNames) -> None:
        self._game, self._names, self._forms = game, names, game.forms

    def intro(self, state: State) -> str:
        """Return what is told at the start: all receptacles, unless the agent stands at some, and the goal."""
        forms = self._forms
        everywhere = [self._names.receptacles[n] for n, each in enumerate(self._game.receptacles) for _ in each.places]
        told = self._facing(state) if state.here() else forms.say("middle", list=forms.enumerate(everywhere))
        told = " ".join((told, *self._rooms()))
        task = forms.say("task", goal=self._game.sentence)
        return "\n\n".join((forms.sentences["welcome"], told, task))

    def tell(self, state: State, action: GameAction) -> str:
        """Return what is told after an action has been done."""
        verb, first, second = action
        forms, names = self._forms, self._names
        if verb == "go":
            place = names.locations[second]
            return forms.say("arrive", r=names.receptacles[first], l=place, see=self._contents(state, first))
        if verb == "look":
            return self._facing(state) if state.here() else forms.say("middle", list=forms.sentences["nothing"])
        if verb == "inventory":
            if state.holds is None:
                return forms.sentences["empty-handed"]
            return forms.say("carrying", o=names.things[state.holds])
        if verb == "help":
            return self._help()
        if verb == "see":
            return self._contents(state, first)
        if verb == "inspect":
            return self._inspect(state, first)
        if verb in ("open", "close"):
            return forms.say(verb, r=names.receptacles[first], see=self._contents(state, first))
        thing = names.things[first]
        if verb == "use":
            return forms.say("use", o=thing)
        if verb == "extract":
            return forms.say("take", o=thing, r=names.things[second])
        if verb in ("insert", "slice"):
            return forms.say(verb, o=thing, m=names.things[second], k=names.things[second])
        return forms.say(verb, o=thing, r=names.receptacles[second])

    def _rooms(self) -> list[str]:
        """Return for each room of a house a sentence that says which receptacles are there."""
        rooms: dict[str, list[str]] = {}
        for number, each in enumerate(self._game.receptacles):
            if each.room:
                rooms.setdefault(each.room, []).append(self._names.receptacles[number])
        return [self._forms.say("room", room=room, list=", ".join(rooms[room])) for room in sorted(rooms)]

    def _facing(self, state: State) -> str:
        """Return the receptacles here, and what was taken from one of them and lies in another."""
        here = state.here()
        astray = [thing for thing, place in state.spots if place == state.at]
        beside = [self._names.things[thing] for thing in sorted(astray) for r in here if (thing, r) in state.left]
        shown = self._forms.enumerate([self._names.receptacles[number] for number in here], "")
        return self._forms.say("facing", receptacles=shown, list=self._forms.enumerate(beside))

    def _contents(self, state: State, receptacle: int) -> str:
        forms, name = self._forms, self._names.receptacles[receptacle]
        body = self._game.receptacles[receptacle]
        if body.openable and receptacle not in state.marks["opened"]:
            return forms.say("closed", r=name)
        things = forms.enumerate([self._names.things[thing] for thing in sorted(state.lying[receptacle])])
        return forms.say("in" if body.openable else "on", r=name, list=things)

    def _inspect(self, state: State, thing: int) -> str:
        forms, name, marks = self._forms, self._names.things[thing], state.marks
        abilities = self._game.things[thing].abilities
        if "vessel" in abilities:
            inner = [self._names.things[each] for each in sorted(state.within.get(thing, ()))]
            return forms.say("vessel", o=name, list=forms.enumerate(inner))
        clean, sliced = thing in marks["clean"], thing in marks["sliced"]
        states = "hot" if thing in marks["hot"] else ""
        if not states and thing in marks["cool"]:
            states = "cool" if clean or sliced else "cold"
        if clean:
            states = f"{states} and clean" if states else "clean"
        if states:
            return forms.say("special", states=states + " sliced" * sliced, o=name)
        if "toggleable" in abilities and thing in marks["toggled"]:
            return forms.say("on-state", o=name)
        if "sliceable" in abilities and sliced:
            return forms.say("special", states="sliced", o=name)
        return forms.say("plain", o=name)

    def _help(self) -> str:
        if self._game.help is not None:
            return self._game.help
        return self._forms.sentences["help"] + (self._forms.help_extended if self._game.extended else "")


# Why a command was refused.

_PART = re.compile(r"\\\{([a-z])\\\}")


def reason(play: TextGame, command: str) -> str:
    """Return why a command that is not admissible was refused; this takes any text."""
    say = play.game.forms.reasons
    command = " ".join(command[:LONGEST].split())
    forms = play.game.forms
    for verb, pattern in _PATTERNS.of(forms, "commands", lambda: _patterns(forms.commands.items())):
        found = pattern.fullmatch(command)
        if found is None:
            continue
        for name in found.groups():
            if name not in play.by_name:
                return say["no-such"].format(name=name)
        return _CHECKS.get(verb, _unknown)(play, found.groupdict())
    return say["unknown"].format(command=command)


def respell(forms: Forms, text: str) -> Iterator[str]:
    """Yield the commands that a text may mean: as it is but for case, spaces and a full stop, or spelled otherwise."""
    plain = " ".join(text[:LONGEST].lower().split()).rstrip(".!")
    yield plain
    spellings = ((verb, each) for verb, several in forms.spellings.items() for each in several)
    for verb, pattern in _PATTERNS.of(forms, "spellings", lambda: _patterns(spellings)):
        found = pattern.fullmatch(plain)
        if found is not None:
            yield forms.command(verb, **found.groupdict())


_PATTERNS: Remembered[tuple[tuple[str, re.Pattern[str]], ...]] = Remembered(8)


def _patterns(templates: Iterable[tuple[str, str]]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((verb, re.compile(_PART.sub(r"(?P<\1>.+?)", re.escape(template)))) for verb, template in templates)


def _unknown(play: TextGame, parts: Mapping[str, str]) -> str:
    return play.game.forms.reasons["absent"].format(o=next(iter(parts.values()), ""))


def _receptacle(play: TextGame, name: str) -> tuple[str, int]:
    """Return why a receptacle cannot be handled from here, if it is one and cannot, and its number."""
    say = play.game.forms.reasons
    fixed, number = play.by_name[name]
    if not fixed:
        return say["no-vessel"].format(r=name), number
    if number not in play.state.here():
        return say["away"].format(r=name), number
    return "", number


def _go(play: TextGame, parts: Mapping[str, str]) -> str:
    fixed, _ = play.by_name[parts["r"]]
    return play.game.forms.reasons["here" if fixed else "no-vessel"].format(r=parts["r"])


def _open(play: TextGame, parts: Mapping[str, str]) -> str:
    why, number = _receptacle(play, parts["r"])
    if why:
        return why
    if not play.game.receptacles[number].openable:
        return play.game.forms.reasons["not-openable"].format(r=parts["r"])
    return play.game.forms.reasons["is-closed" if play.state.shut(number) else "is-open"].format(r=parts["r"])


def _take(play: TextGame, parts: Mapping[str, str]) -> str:
    say, state, (fixed, thing) = play.game.forms.reasons, play.state, play.by_name[parts["o"]]
    if fixed or "pickupable" not in play.game.things[thing].abilities:
        return say["fixed"].format(o=parts["o"])
    if state.holds is not None:
        return say["full-hand"].format(o=play.names.things[state.holds])
    if not play.by_name[parts["r"]][0]:
        return say["absent"].format(o=parts["o"])
    why, receptacle = _receptacle(play, parts["r"])
    if why:
        return why
    return say["is-closed"].format(r=parts["r"]) if state.shut(receptacle) else say["absent"].format(o=parts["o"])


def _move(play: TextGame, parts: Mapping[str, str]) -> str:
    say, (fixed, thing) = play.game.forms.reasons, play.by_name[parts["o"]]
    if fixed or play.state.holds != thing:
        return say["not-held"].format(o=parts["o"])
    why, receptacle = _receptacle(play, parts["r"])
    if why:
        return why
    return say["is-closed"].format(r=parts["r"]) if play.state.shut(receptacle) else say["no-fit"].format(**parts)


def _insert(play: TextGame, parts: Mapping[str, str]) -> str:
    say, (fixed, thing) = play.game.forms.reasons, play.by_name[parts["o"]]
    if fixed or play.state.holds != thing:
        return say["not-held"].format(o=parts["o"])
    fixed, vessel = play.by_name[parts["m"]]
    if fixed or "vessel" not in play.game.things[vessel].abilities:
        return say["no-vessel"].format(r=parts["m"])
    reached = any(vessel in play.state.lying[each] and not play.state.shut(each) for each in play.state.here())
    return say["no-fit"].format(**parts) if reached else say["absent"].format(o=parts["m"])


def _treat(play: TextGame, parts: Mapping[str, str]) -> str:
    say, (fixed, thing) = play.game.forms.reasons, play.by_name[parts["o"]]
    if fixed or play.state.holds != thing:
        return say["not-held"].format(o=parts["o"])
    why, receptacle = _receptacle(play, parts["r"])
    if why:
        return why
    tools = {kind.lower() for kind in play.game.kinds.appliances.values()}
    wrong = play.game.receptacles[receptacle].kind.lower() not in tools
    return say["wrong-tool"].format(**parts) if wrong else say["not-able"].format(**parts)


def _slice(play: TextGame, parts: Mapping[str, str]) -> str:
    say, (fixed, knife) = play.game.forms.reasons, play.by_name[parts["k"]]
    if fixed or play.state.holds != knife:
        return say["not-held"].format(o=parts["k"])
    fixed, thing = play.by_name[parts["o"]]
    able = not fixed and "sliceable" in play.game.things[thing].abilities
    return say["absent" if able else "not-able"].format(**parts)


def _examine(play: TextGame, parts: Mapping[str, str]) -> str:
    fixed, _ = play.by_name[parts["o"]]
    return play.game.forms.reasons["away" if fixed else "absent"].format(o=parts["o"], r=parts["o"])


_CHECKS: Mapping[str, Callable[[TextGame, Mapping[str, str]], str]] = {
    "go": _go,
    "open": _open,
    "close": _open,
    "take": _take,
    "move": _move,
    "insert": _insert,
    "clean": _treat,
    "heat": _treat,
    "cool": _treat,
    "slice": _slice,
    "examine": _examine,
}
