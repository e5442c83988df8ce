"""Why a command was refused, in a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Protocol

from chorewright.replay.alfred.game import Game, Names
from chorewright.replay.alfred.state import State

LONGEST = 200
"""Letters of a command that are looked at."""


class Playing(Protocol):
    """A game that is being played, as far as reasons need it."""

    game: Game
    names: Names
    state: State

    @property
    def by_name(self) -> Mapping[str, tuple[bool, int]]:
        """Receptacles (True) and things (False) with their numbers, by name."""
        ...


_PART = re.compile(r"\\\{([a-z])\\\}")


def reason(play: Playing, command: str) -> str:
    """Return why a command that is not admissible was refused; this takes any text."""
    say = play.game.forms.reasons
    command = " ".join(command[:LONGEST].split())
    for verb, pattern in _patterns(tuple(play.game.forms.commands.items())):
        found = pattern.fullmatch(command)
        if found is None:
            continue
        for name in found.groups():
            if name not in play.by_name:
                return say["no-such"].format(name=name)
        return _CHECKS.get(verb, _unknown)(play, found.groupdict())
    return say["unknown"].format(command=command)


@lru_cache(maxsize=8)
def _patterns(templates: tuple[tuple[str, str], ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((verb, re.compile(_PART.sub(r"(?P<\1>.+?)", re.escape(template)))) for verb, template in templates)


def _unknown(play: Playing, parts: Mapping[str, str]) -> str:
    return play.game.forms.reasons["absent"].format(o=next(iter(parts.values()), ""))


def _receptacle(play: Playing, name: str) -> tuple[str, int]:
    """Return why a receptacle cannot be handled from here, if it is one and cannot, and its number."""
    say = play.game.forms.reasons
    fixed, number = play.by_name[name]
    if not fixed:
        return say["no-vessel"].format(r=name), number
    if number not in play.state.here():
        return say["away"].format(r=name), number
    return "", number


def _go(play: Playing, parts: Mapping[str, str]) -> str:
    fixed, _ = play.by_name[parts["r"]]
    return play.game.forms.reasons["here" if fixed else "no-vessel"].format(r=parts["r"])


def _open(play: Playing, parts: Mapping[str, str]) -> str:
    why, number = _receptacle(play, parts["r"])
    if why:
        return why
    if not play.game.receptacles[number].openable:
        return play.game.forms.reasons["not-openable"].format(r=parts["r"])
    return play.game.forms.reasons["is-closed" if play.state.shut(number) else "is-open"].format(r=parts["r"])


def _take(play: Playing, parts: Mapping[str, str]) -> str:
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


def _move(play: Playing, parts: Mapping[str, str]) -> str:
    say, (fixed, thing) = play.game.forms.reasons, play.by_name[parts["o"]]
    if fixed or play.state.holds != thing:
        return say["not-held"].format(o=parts["o"])
    why, receptacle = _receptacle(play, parts["r"])
    if why:
        return why
    return say["is-closed"].format(r=parts["r"]) if play.state.shut(receptacle) else say["no-fit"].format(**parts)


def _insert(play: Playing, parts: Mapping[str, str]) -> str:
    say, (fixed, thing) = play.game.forms.reasons, play.by_name[parts["o"]]
    if fixed or play.state.holds != thing:
        return say["not-held"].format(o=parts["o"])
    fixed, vessel = play.by_name[parts["m"]]
    if fixed or "vessel" not in play.game.things[vessel].abilities:
        return say["no-vessel"].format(r=parts["m"])
    reached = any(vessel in play.state.lying[each] and not play.state.shut(each) for each in play.state.here())
    return say["no-fit"].format(**parts) if reached else say["absent"].format(o=parts["m"])


def _treat(play: Playing, parts: Mapping[str, str]) -> str:
    say, (fixed, thing) = play.game.forms.reasons, play.by_name[parts["o"]]
    if fixed or play.state.holds != thing:
        return say["not-held"].format(o=parts["o"])
    why, receptacle = _receptacle(play, parts["r"])
    if why:
        return why
    tools = {kind.lower() for kind in play.game.kinds.appliances.values()}
    wrong = play.game.receptacles[receptacle].kind.lower() not in tools
    return say["wrong-tool"].format(**parts) if wrong else say["not-able"].format(**parts)


def _slice(play: Playing, parts: Mapping[str, str]) -> str:
    say, (fixed, knife) = play.game.forms.reasons, play.by_name[parts["k"]]
    if fixed or play.state.holds != knife:
        return say["not-held"].format(o=parts["k"])
    fixed, thing = play.by_name[parts["o"]]
    able = not fixed and "sliceable" in play.game.things[thing].abilities
    return say["absent" if able else "not-able"].format(**parts)


def _examine(play: Playing, parts: Mapping[str, str]) -> str:
    fixed, _ = play.by_name[parts["o"]]
    return play.game.forms.reasons["away" if fixed else "absent"].format(o=parts["o"], r=parts["o"])


_CHECKS: Mapping[str, Callable[[Playing, Mapping[str, str]], str]] = {
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
