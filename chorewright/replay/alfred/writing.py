"""A game in ALFWorld's PDDL: files for its engine, facts while it is played, and the proof of its walkthrough."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from chorewright.domains.pddl.parser import parse_domain, parse_problem
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import validate
from chorewright.replay.alfred.game import Forms, Game
from chorewright.replay.alfred.goal_files import goal_text
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.state import GameAction, State

_STATES = {
    "on": "isOn",
    "toggled": "isToggled",
    "hot": "isHot",
    "cool": "isCool",
    "clean": "isClean",
    "sliced": "isSliced",
}
_ALWAYS = ("SinkBasin", "Microwave", "Fridge")
"""Kinds of receptacles that the domain names."""

_NAME = re.compile(r"[a-z]+ \d+")
ASIDE = 100
"""What it costs to handle what the goal is not about."""

_EXTENSION = ("PutObjectInReceptacleObject", "PickupObjectFromReceptacleObject")
_PREDICATES = """
    ; Pieces, and what goes into vessels.
    (pieceOf ?p - object ?o - object)
    (vesselCanContain ?mt - otype ?ot - otype)"""


@lru_cache(maxsize=4)
def _data(name: str) -> str:
    return (resources.files("chorewright.replay") / "data" / name).read_text("utf-8")


@lru_cache(maxsize=2)
def domain_text(extended: bool) -> str:
    """Return the domain as PDDL.

    Args:
        extended: Whether slicing yields pieces, and vessels can be filled and emptied.
    """
    slicing = _data("text_extension.pddl" if extended else "text_slicing.pddl")
    text = _data("text_domain.pddl").replace("@predicates@", _PREDICATES if extended else "")
    return text.replace("@slicing@\n", "\n" + slicing).replace("@slicing@", "\n" + slicing)


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


@lru_cache(maxsize=2)
def _grammar(extended: bool) -> str:
    text = _data("text_grammar.twl2")
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


def problem_text(game: Game) -> str:
    """Return the problem as PDDL."""
    lines = ["(define (problem plan)", "  (:domain alfred)", "  (:objects"]
    lines += [f"    {line}" for line in _objects(game)]
    lines += ["  )", "  (:init"]
    lines += [f"    ({' '.join(atom)})" for atom in atoms(game)]
    lines += [f"    (= (effort {ident}) {effort})" for ident, effort in efforts(game)]
    lines += ["    (= (total-cost) 0)", "  )"]
    lines += [f"  (:goal {goal_text(game.goal)})", "  (:metric minimize (total-cost)))", ""]
    return "\n".join(lines)


def with_constants(game: Game) -> tuple[str, str]:
    """Return domain and problem of which each stands alone: the kinds that actions name are the domain's constants.

    ALFWorld's engine reads the problem's objects into the domain, so game files have them there.
    """
    rtypes, otypes = (
        " ".join(f"{kind}Type" for kind in _ALWAYS),
        " ".join(f"{kind}Type" for kind in sorted(game.kinds.knives)),
    )
    domain = domain_text(game.extended).replace(
        "  (:predicates\n", f"  (:constants {rtypes} - rtype {otypes} - otype)\n  (:predicates\n", 1
    )
    named = {f"    {name} - {kind}" for kind, names in (("rtype", rtypes), ("otype", otypes)) for name in names.split()}
    return domain, "\n".join(line for line in problem_text(game).split("\n") if line not in named)


def _objects(game: Game) -> Iterator[str]:
    goal = game.goal
    things = {thing.kind for thing in game.things} | {goal.thing, goal.vessel, goal.lamp, *game.kinds.knives}
    homes = {each.kind for each in game.receptacles} | {goal.receptacle, *_ALWAYS}
    yield "agent1 - agent"
    yield from (f"{kind}Type - otype" for kind in sorted(things - homes - {""}))
    yield from (f"{kind}Type - rtype" for kind in sorted(homes - {""}))
    yield from (f"{thing.ident} - object" for thing in game.things)
    yield from (f"{each.ident} - receptacle" for each in game.receptacles)
    yield from (f"{place} - location" for place in game.locations)


def atoms(game: Game) -> Iterator[tuple[str, ...]]:
    """Yield the atoms that hold at the start."""
    receptacles, things = game.receptacles, game.things
    for each in receptacles:
        yield ("receptacleType", each.ident, f"{each.kind}Type")
        yield from (("receptacleAtLocation", each.ident, game.locations[place]) for place in each.places)
        if each.openable:
            yield ("openable", each.ident)
    for thing in things:
        yield ("objectType", thing.ident, f"{thing.kind}Type")
        for ability in sorted(thing.abilities):
            yield ("isReceptacleObject" if ability == "vessel" else ability, thing.ident)
        if thing.cut_from is not None:
            yield ("pieceOf", thing.ident, things[thing.cut_from].ident)
    yield from _containment(game)
    start = game.start
    yield ("atLocation", "agent1", game.locations[start.at])
    if start.holds is not None:
        yield ("holds", "agent1", things[start.holds].ident)
        yield ("holdsAny", "agent1")
    yield from (("inReceptacle", things[a].ident, receptacles[b].ident) for a, b in start.lying)
    yield from (("inReceptacleObject", things[a].ident, things[b].ident) for a, b in start.within)
    yield from (("objectAtLocation", things[a].ident, game.locations[b]) for a, b in start.spots)
    yield from (("opened", receptacles[number].ident) for number in start.marks.get("opened", ()))
    for mark, predicate in _STATES.items():
        yield from ((predicate, things[number].ident) for number in start.marks.get(mark, ()))


def efforts(game: Game) -> Iterator[tuple[str, int]]:
    """Yield what it costs to handle each thing and receptacle: 1 for what the goal is about, far more for others.

    The goal is about the things of its kinds, and about what the walkthrough handles. ALFWorld's expert searches by
    cost alone: where all cost the same, it expands actions on everything.
    """
    goal, wholes = game.goal, _wholes(game)
    kinds = {goal.thing, goal.vessel, goal.lamp} | {game.things[number].kind for number in wholes}
    if goal.sliced or wholes:
        kinds |= game.kinds.knives
    needed = set(_NAME.findall(" ".join(game.walkthrough or ())))
    for thing, name in zip(game.things, game.names.things, strict=True):
        yield thing.ident, 1 if thing.kind in kinds or name in needed else ASIDE
    for receptacle, name in zip(game.receptacles, game.names.receptacles, strict=True):
        yield receptacle.ident, 1 if name in needed or game.walkthrough is None else ASIDE


def _wholes(game: Game) -> set[int]:
    """Return the numbers of the things whose pieces the goal is about."""
    return {each.cut_from for each in game.things if each.cut_from is not None and each.kind == game.goal.thing}


def _containment(game: Game) -> Iterator[tuple[str, ...]]:
    """Yield what takes what, of the kinds that there are."""
    kinds = sorted({thing.kind for thing in game.things if "pickupable" in thing.abilities})
    for home in sorted({each.kind for each in game.receptacles}):
        for kind in kinds:
            if (home.lower(), kind.lower()) in game.fits:
                yield ("canContain", f"{home}Type", f"{kind}Type")
    if not game.extended:
        return
    for vessel in sorted({thing.kind for thing in game.things if "vessel" in thing.abilities}):
        for kind in kinds:
            if (vessel.lower(), kind.lower()) in game.fits:
                yield ("vesselCanContain", f"{vessel}Type", f"{kind}Type")


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

AGENT = "agent1"


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
        yield _pddl_action(play.state, action)
        play.step(command)


def _pddl_action(state: State, action: GameAction) -> GroundAction:
    """Return the ground action of PDDL that an action is in a state."""
    game, verb = state.game, action.verb
    things = [thing.ident.lower() for thing in game.things]
    homes = [home.ident.lower() for home in game.receptacles]
    places = [place.lower() for place in game.locations]
    at, first, second = places[state.at], action.first, action.second
    if verb in ("look", "inventory", "help"):
        return GroundAction(verb, (AGENT, at) if verb == "look" else (AGENT,))
    if verb in ("see", "inspect"):
        name, who = ("examinereceptacle", homes) if verb == "see" else ("examineobject", things)
        return GroundAction(name, (AGENT, who[first]))
    if verb == "go":
        return GroundAction("gotolocation", (AGENT, at, places[second], homes[first]))
    if verb in ("open", "close"):
        return GroundAction(f"{verb}object", (AGENT, at, homes[first]))
    thing = things[first]
    kind = f"{game.things[first].kind.lower()}type"
    if verb == "take":
        return GroundAction("pickupobject", (AGENT, at, thing, homes[second]))
    if verb == "move":
        home = f"{game.receptacles[second].kind.lower()}type"
        return GroundAction("putobject", (AGENT, at, thing, homes[second], kind, home))
    if verb in ("clean", "heat", "cool"):
        return GroundAction(f"{verb}object", (AGENT, at, homes[second], thing))
    if verb == "use":
        return GroundAction("toggleobject", (AGENT, at, thing, homes[_here(state, first)]))
    if verb == "slice":
        cut = (AGENT, at, thing, things[second])
        return GroundAction("sliceobject", (*cut, homes[_here(state, first)]) if game.extended else cut)
    home = homes[_here(state, second)]
    if verb == "extract":
        return GroundAction("pickupobjectfromreceptacleobject", (AGENT, at, thing, things[second], home))
    vessel = f"{game.things[second].kind.lower()}type"
    return GroundAction("putobjectinreceptacleobject", (AGENT, at, thing, things[second], home, kind, vessel))


def _here(state: State, thing: int) -> int:
    """Return the receptacle at hand that a thing lies in."""
    return min(home for home in state.here() if thing in state.lying[home])


# Facts of a game that is played.

_CHANGING = frozenset(
    (
        *("atLocation", "holds", "holdsAny", "opened", "inReceptacle", "inReceptacleObject", "objectAtLocation"),
        *_STATES.values(),
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
    for mark, predicate in _STATES.items():
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
