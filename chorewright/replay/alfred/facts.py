"""What is true in a text game, as facts with the names that the game uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.state import State
from chorewright.replay.alfred.writing import atoms

_CHANGING = frozenset(
    (
        *("atLocation", "holds", "holdsAny", "opened", "inReceptacle", "inReceptacleObject", "objectAtLocation"),
        *("isOn", "isToggled", "isHot", "isCool", "isClean", "isSliced"),
    )
)
_MARKS = {
    "on": "ison",
    "toggled": "istoggled",
    "hot": "ishot",
    "cool": "iscool",
    "clean": "isclean",
    "sliced": "issliced",
}


@dataclass(frozen=True, slots=True, order=True)
class Term:
    """A term of a fact: its name in the game, and its type in PDDL."""

    name: str
    type: str

    def __str__(self) -> str:
        return f"{self.name}: {self.type}"


@dataclass(frozen=True, slots=True, order=True)
class Fact:
    """A fact: the predicate in lower case and its terms, written ``opened(drawer 1: receptacle)``."""

    name: str
    arguments: tuple[Term, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.arguments))})"


def facts(play: TextGame) -> list[Fact]:
    """Return all that is true now: what never changes, and what does."""
    return [*_static(play), *changing_facts(play, play.state)]


def changing_facts(play: TextGame, state: State) -> Iterator[Fact]:
    """Yield the facts that commands change, but for what has been looked at."""
    agent = Term("agent1", "agent")
    names = play.names
    things = [Term(name, "object") for name in names.things]
    homes = [Term(name, "receptacle") for name in names.receptacles]
    places = [Term(name, "location") for name in names.locations]
    yield Fact("atlocation", (agent, places[state.at]))
    if state.holds is not None:
        yield Fact("holds", (agent, things[state.holds]))
        yield Fact("holdsany", (agent,))
    for home, inner in enumerate(state.lying):
        yield from (Fact("inreceptacle", (things[thing], homes[home])) for thing in sorted(inner))
    for vessel in sorted(state.within):
        yield from (Fact("inreceptacleobject", (things[t], things[vessel])) for t in sorted(state.within[vessel]))
    yield from (Fact("objectatlocation", (things[t], places[place])) for t, place in sorted(state.spots))
    yield from (Fact("opened", (homes[home],)) for home in sorted(state.marks["opened"]))
    for mark, predicate in _MARKS.items():
        yield from (Fact(predicate, (things[thing],)) for thing in sorted(state.marks[mark]))


def _static(play: TextGame) -> list[Fact]:
    game, names = play.game, play.names
    terms = {each.ident: Term(name, "object") for each, name in zip(game.things, names.things, strict=True)}
    terms |= {
        each.ident: Term(name, "receptacle") for each, name in zip(game.receptacles, names.receptacles, strict=True)
    }
    terms |= {place: Term(name, "location") for place, name in zip(game.locations, names.locations, strict=True)}
    homes = {f"{each.kind}Type" for each in game.receptacles}

    def term(word: str) -> Term:
        return terms.get(word) or Term(word.lower(), "rtype" if word in homes else "otype")

    return [Fact(atom[0].lower(), tuple(map(term, atom[1:]))) for atom in atoms(game) if atom[0] not in _CHANGING]
