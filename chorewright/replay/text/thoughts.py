"""What an agent is about, in a sentence: the next step that is more than going there, or what it is looking for."""

from __future__ import annotations

from chorewright.replay.text.agents import Aim
from chorewright.replay.text.following import Expert
from chorewright.replay.text.play import TextGame

_ON_THE_WAY = frozenset(("go", "open", "close"))
_VOWELS = tuple("aeiou")


def thought(play: TextGame, expert: Expert) -> str:
    """Return a sentence about what the expert does next; empty if nothing is left to do."""
    plan = expert.actions()
    if not plan:
        return ""
    action = next((each for each in plan if each.verb not in _ON_THE_WAY), plan[0])
    names = play.names
    if action.verb in _ON_THE_WAY:
        return told(play, Aim("go", other=names.receptacles[action.first]), "")
    homes = action.verb in ("take", "move", "clean", "heat", "cool")
    other = "" if action.second < 0 else (names.receptacles if homes else names.things)[action.second]
    return told(play, Aim(action.verb, names.things[action.first], other), play.phrasebook.command(plan[0]))


def told(play: TextGame, aim: Aim, command: str) -> str:
    """Return a sentence about what an agent is about that says a command now."""
    templates = play.game.forms.thoughts
    parts = {"o": aim.thing, "r": aim.other, "m": aim.other, "k": aim.other}
    if aim.verb in ("search", "look"):
        return templates[aim.verb].format(a="an" if aim.thing.startswith(_VOWELS) else "a", **parts)
    verb, _, what = command.partition(" ")
    way = {"go": "after", "open": "before", "close": "before"}.get(verb, "now")
    return templates[way].format(what=templates[aim.verb].format(**parts), verb=verb, place=what)
