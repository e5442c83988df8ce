"""A game in ALFWorld's PDDL: files for its engine, facts while it is played, and the proof of its walkthrough."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from chorewright.domains.pddl.parser import parse_domain, parse_problem
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import validate
from chorewright.replay.alfred.game import Forms, Game
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.problem import (
    MARKS,
    atoms,
    data_text,
    domain_text,
    pddl_action,
    problem_text,
    with_constants,
)  # fmt: skip
from chorewright.replay.alfred.state import State

_EXTENSION = ("PutObjectInReceptacleObject", "PickupObjectFromReceptacleObject")


def grammar_text(game: Game) -> str:
    """Return the grammar (TWL2) that says what the game says."""
    text = _grammar(game.extended)
    forms = game.forms
    filled = _sentences(forms) | {"task": forms.say("task", goal=game.sentence)}
    helped = game.help if game.help is not None else forms.sentences["help"] + forms.help_extended * game.extended
    filled["help"] = helped
    return re.sub(r"@([a-z-]+)(?::([a-z ]+))?@", lambda found: _fill(filled, found[1], found[2]), text)


def _fill(filled: Mapping[str, str], name: str, states: str | None) -> str:
    text = filled[name] if states is None else filled[name].replace("@states@", states)
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _grammar(extended: bool) -> str:
    text = data_text("text_grammar.twl2")
    if extended:
        return text
    for action in _EXTENSION:
        text = re.sub(rf"\naction {action} {{.*?\n}}\n", "", text, flags=re.DOTALL)
    return text


def _sentences(forms: Forms) -> dict[str, str]:
    """Return the sentences and commands with the grammar's parts in place of ours."""
    r, o = "{r.name}", "{o.name}"
    say, command = forms.say, forms.command
    alike = ("on-state", "plain", "open", "close", "take", "move", "clean", "heat", "cool", "use")
    commands = ("open", "close", "take", "move", "clean", "heat", "cool", "use", "insert")
    return {
        **{name: forms.sentences[name] for name in ("welcome", "nothing", "empty-handed")},
        **{name: say(name, o=o, r=r, see="#seen#") for name in alike},
        **{f"{name}-command": command(name, o="{o}", r="{r}", m="{m}") for name in commands},
        "in": say("in", r=r, list="#lying#"),
        "closed": say("closed", r=r),
        "on": say("on", r=r, list="#lying#"),
        "facing": say("facing", receptacles="#here#", list="#beside#"),
        "middle": say("middle", list="#everywhere#"),
        "carrying": say("carrying", o="[{o.indefinite + ' ' + o.name | holds(a:agent, o:object)}]").replace("a [", "["),
        "vessel": say("vessel", o=o, list="#inside#"),
        "special": say("special", states="@states@", o=o),
        "arrive": say("arrive", r=r, l="{lend.name}", see="#seen#"),
        "insert": say("insert", o=o, m="{m.name}"),
        "extract": say("take", o=o, r="{m.name}"),
        "slice": say("slice", o="{co.name}", k="{ko.name}"),
        "look": command("look"),
        "inventory": command("inventory"),
        "help-command": command("help"),
        "examine-receptacle": command("examine", o="{r}"),
        "examine-object": command("examine", o="{o}"),
        "go": command("go", r="[{r.name | receptacleatlocation(r:receptacle, lend:location)}]"),
        "slice-command": command("slice", o="{co}", k="{ko}"),
        "extract-command": command("take", o="{o}", r="{m}"),
    }


def game_file(game: Game, solvable: bool) -> dict[str, object]:
    """Return the content of ``game.tw-pddl``."""
    return {
        "pddl_domain": domain_text(game.extended),
        "grammar": grammar_text(game),
        "pddl_problem": problem_text(game),
        "solvable": solvable,
        "walkthrough": None if game.walkthrough is None else list(game.walkthrough),
    }


# Walkthroughs proven.


def is_proven(game: Game) -> bool:
    """Return whether a game's walkthrough leads to its goal, by the rules of the game's PDDL alone."""
    if game.walkthrough is None:
        return False
    text = with_constants(game)
    domain = parse_domain(text[0])
    problem = parse_problem(text[1], domain)
    return validate(domain, problem, tuple(pddl_plan(game))).valid


def pddl_plan(game: Game) -> Iterator[GroundAction]:
    """Yield the actions of the game's PDDL that its walkthrough stands for.

    Raises:
        ValueError: A command of the walkthrough cannot be done.
    """
    play = TextGame(game)
    for command in game.walkthrough or ():
        action = play.commands.get(command)
        if action is None:
            raise ValueError(f"{command!r} cannot be done in {game.name}")
        yield pddl_action(play.state, action)
        play.step(command)


# Facts of a game that is played.

_CHANGING = frozenset(
    (
        *("atLocation", "holds", "holdsAny", "opened", "inReceptacle", "inReceptacleObject", "objectAtLocation"),
        *MARKS.values(),
    )
)


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
    for mark, predicate in MARKS.items():
        yield from (Fact(predicate.lower(), (things[thing],)) for thing in sorted(state.marks[mark]))


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
