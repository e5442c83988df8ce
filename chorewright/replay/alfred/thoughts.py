"""What an agent is about, in a sentence: the next step that is more than going there, or what it is looking for."""

from __future__ import annotations

from collections.abc import Collection

from chorewright.files.english import article
from chorewright.replay.alfred.agents import Aim
from chorewright.replay.alfred.following import Expert
from chorewright.replay.alfred.play import TextGame

_ON_THE_WAY = frozenset(("go", "open", "close"))


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
