"""A game as a planning problem in ALFWorld's PDDL: its domain, its problem in any state, its actions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import resources

from chorewright.domains.pddl.grammar import NestedList, read_nested
from chorewright.domains.pddl.writer import write_formula
from chorewright.errors import UnsupportedError
from chorewright.planner.plan import GroundAction
from chorewright.replay.alfred.game import Game, GameGoal, GameStart, load_text_kinds
from chorewright.replay.alfred.state import STATE_MARKS, TREATMENTS, GameAction, State

MARKS = {
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

_PREDICATES = """
    ; Pieces, and what goes into vessels.
    (pieceOf ?p - object ?o - object)
    (vesselCanContain ?mt - otype ?ot - otype)"""


def data_text(name: str) -> str:
    """Return one of the shipped texts."""
    return (resources.files("chorewright.replay") / "data" / name).read_text("utf-8")


def domain_text(extended: bool) -> str:
    """Return the domain as PDDL.

    Args:
        extended: Whether slicing yields pieces, and vessels can be filled and emptied.
    """
    slicing = data_text("text_extension.pddl" if extended else "text_slicing.pddl")
    text = data_text("text_domain.pddl").replace("@predicates@", _PREDICATES if extended else "")
    return text.replace("@slicing@\n", "\n" + slicing).replace("@slicing@", "\n" + slicing)


def problem_text(game: Game) -> str:
    """Return the problem as PDDL."""
    lines = ["(define (problem plan)", "  (:domain alfred)", "  (:objects"]
    lines += [f"    {line}" for line in _objects(game)]
    lines += ["  )", "  (:init"]
    lines += [f"    ({' '.join(atom)})" for atom in atoms(game)]
    lines += [f"    (= (effort {ident}) {effort})" for ident, effort in efforts(game)]
    lines += ["    (= (total-cost) 0)", "  )"]
    goal = goal_text(game.goal) if game.own is None else write_formula(game.own.formula, 4).strip()
    lines += [f"  (:goal {goal})", "  (:metric minimize (total-cost)))", ""]
    return "\n".join(lines)


def with_constants(game: Game) -> tuple[str, str]:
    """Return domain and problem of which each stands alone: the kinds that actions name are the domain's constants.

    ALFWorld's engine reads the problem's objects into the domain, so game files have them there.
    """
    domain, constants = domain_with_constants(game.extended)
    return domain, "\n".join(line for line in problem_text(game).split("\n") if line.strip() not in constants)


def domain_with_constants(extended: bool) -> tuple[str, frozenset[str]]:
    """Return the domain with the kinds that its actions name as constants, and the declarations of these."""
    named = [(f"{kind}Type", "rtype") for kind in _ALWAYS]
    named += [(f"{kind}Type", "otype") for kind in sorted(load_text_kinds().knives)]
    declared = [f"{name} - {type_name}" for name, type_name in named]
    text = domain_text(extended).replace(
        "  (:predicates\n", f"  (:constants {' '.join(declared)})\n  (:predicates\n", 1
    )
    return text, frozenset(declared)


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
    yield from _changing(game, game.start)


def _changing(game: Game, start: GameStart) -> Iterator[tuple[str, ...]]:
    receptacles, things = game.receptacles, game.things
    yield ("atLocation", AGENT, game.locations[start.at])
    if start.holds is not None:
        yield ("holds", AGENT, things[start.holds].ident)
        yield ("holdsAny", AGENT)
    yield from (("inReceptacle", things[a].ident, receptacles[b].ident) for a, b in start.lying)
    yield from (("inReceptacleObject", things[a].ident, things[b].ident) for a, b in start.within)
    yield from (("objectAtLocation", things[a].ident, game.locations[b]) for a, b in start.spots)
    yield from (("opened", receptacles[number].ident) for number in start.marks.get("opened", ()))
    for mark, predicate in MARKS.items():
        yield from ((predicate, things[number].ident) for number in start.marks.get(mark, ()))


def changing_atoms(state: State) -> Iterator[tuple[str, ...]]:
    """Yield the atoms that hold in a state and that actions change."""
    return _changing(state.game, start_of(state))


def start_of(state: State) -> GameStart:
    """Return a state as the start of a game."""
    return GameStart(
        state.at,
        state.holds,
        tuple((thing, home) for home, lying in enumerate(state.lying) for thing in sorted(lying)),
        tuple((thing, vessel) for vessel, inner in sorted(state.within.items()) for thing in sorted(inner)),
        tuple(sorted(state.spots)),
        {mark: tuple(sorted(numbers)) for mark, numbers in state.marks.items()},
    )


def efforts(game: Game) -> Iterator[tuple[str, int]]:
    """Yield what it costs to handle each thing and receptacle: 1 for what the goal is about, far more for others.

    The goal is about the things of its kinds, and about what the walkthrough handles. ALFWorld's expert searches by
    cost alone: where all cost the same, it expands actions on everything.
    """
    goal, wholes = game.goal, _wholes(game)
    kinds = {goal.thing, goal.vessel, goal.lamp} | {game.things[number].kind for number in wholes}
    if game.own is not None:
        kinds |= {each.kind for each in game.things if each.kind.lower() in game.own.kinds}
    if goal.sliced or wholes:
        kinds |= game.kinds.knives
    needed = set(_NAME.findall(" ".join(game.walkthrough or ())))
    for thing, name in zip(game.things, game.names.things, strict=True):
        yield thing.ident, 1 if thing.kind in kinds or name in needed else ASIDE
    for receptacle, name in zip(game.receptacles, game.names.receptacles, strict=True):
        yield receptacle.ident, 1 if name in needed or game.walkthrough is None else ASIDE


def _wholes(game: Game) -> set[int]:
    """Return the numbers of the things whose pieces the goal is about."""
    wanted = {game.goal.thing.lower()} if game.own is None else game.own.kinds
    return {each.cut_from for each in game.things if each.cut_from is not None and each.kind.lower() in wanted}


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


AGENT = "agent1"


def pddl_action(state: State, action: GameAction) -> GroundAction:
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


# The goal of a game file: written as ALFWorld's library of goals has it, and read back.
#
# A goal is read by the atoms that it asks for; it is understood only if writing it again gives the same atoms.


_STATES = {state: (able, MARKS[STATE_MARKS[state]]) for state, able in TREATMENTS.items()}


def goal_text(goal: GameGoal) -> str:
    """Return a goal as PDDL."""
    if goal.lamp:
        lit = (
            f"(objectType ?ot {goal.lamp}Type)",
            "(toggleable ?ot)",
            "(isToggled ?ot)",
            "(receptacleAtLocation ?r ?l)",
            "(atLocation ?a ?l)",
            "(inReceptacle ?ot ?r)",
        )
        held = (f"(objectType ?o {goal.thing}Type)", *_treatments(goal, "?o"), "(holds ?a ?o)")
        lamp = _exists("?ot - object ?r - receptacle ?a - agent ?l - location", lit)
        return f"(and {lamp} {_exists('?o - object ?a - agent', held)})"
    placed = f"(receptacleType ?r {goal.receptacle}Type)"
    if goal.vessel:
        atoms = (
            placed,
            f"(objectType ?o {goal.thing}Type)",
            *_treatments(goal, "?o"),
            f"(objectType ?mo {goal.vessel}Type)",
            "(isReceptacleObject ?mo)",
            "(inReceptacleObject ?o ?mo)",
            "(inReceptacle ?mo ?r)",
        )
        return f"(and {_exists('?r - receptacle ?o - object ?mo - object', atoms)})"
    names = ["?o"] if goal.count == 1 else [f"?o{number}" for number in range(1, goal.count + 1)]
    atoms = (
        placed,
        *(f"(not (= {a} {b}))" for place, a in enumerate(names) for b in names[place + 1 :]),
        *(
            atom
            for name in names
            for atom in (f"(objectType {name} {goal.thing}Type)", *_treatments(goal, name), f"(inReceptacle {name} ?r)")
        ),
    )
    types = " ".join(f"{name} - object" for name in names)
    return f"(and {_exists(f'?r - receptacle {types}', atoms)})"


def _treatments(goal: GameGoal, name: str) -> tuple[str, ...]:
    words = (*(("sliceable", "isSliced") if goal.sliced else ()), *_STATES.get(goal.state, ()))
    return tuple(f"({word} {name})" for word in words)


def _exists(variables: str, atoms: Sequence[str]) -> str:
    return f"(exists ({variables}) (and {' '.join(atoms)}))"


def read_goal(form: NestedList) -> GameGoal:
    """Return the goal that a formula says.

    Raises:
        UnsupportedError: It is none of ALFWorld's.
    """
    atoms = list(_atoms(form))
    kinds = {atom[1]: atom[2].removesuffix("type") for atom in atoms if atom[0] == "objecttype" and len(atom) == 3}
    homes = sorted({atom[2].removesuffix("type") for atom in atoms if atom[0] == "receptacletype" and len(atom) == 3})
    words = {atom[0] for atom in atoms}
    lamps = sorted({kinds.get(atom[1], "") for atom in atoms if atom[0] == "istoggled"})
    vessels = sorted({kinds.get(atom[2], "") for atom in atoms if atom[0] == "inreceptacleobject"})
    aside = {atom[1] for atom in atoms if atom[0] in ("istoggled", "isreceptacleobject")}
    wanted = sorted(set(kinds) - aside)
    if wanted and len({kinds[name] for name in wanted}) == 1 and len(homes) <= 1:
        goal = GameGoal(
            kinds[wanted[0]],
            homes[0] if homes else "",
            max(1, len(wanted)),
            next((state for state, (_, mark) in _STATES.items() if mark.lower() in words), ""),
            "issliced" in words,
            vessels[0] if vessels else "",
            lamps[0] if lamps else "",
        )
        if _demands(read_nested(goal_text(goal))[0]) == _demands(form):
            return goal
    raise UnsupportedError("the goal is none of ALFWorld's task types", hint="a goal asks for things placed or held")


def _atoms(form: NestedList) -> Iterator[list[str]]:
    """Yield all atoms of a formula, a negated equality as ``differ``, in lower case."""
    if isinstance(form, str) or not form:
        return
    head = form[0]
    if isinstance(head, str) and head.lower() == "not" and len(form) == 2 and isinstance(form[1], list):
        yield ["differ", *(str(term).lower() for term in form[1][1:])]
    elif isinstance(head, str) and head.lower() in ("and", "exists"):
        for part in form[2 if head.lower() == "exists" else 1 :]:
            yield from _atoms(part)
    else:
        yield [str(term).lower() for term in form]


def _demands(form: NestedList) -> Counter[tuple[str, ...]]:
    """Return what a formula asks for, whatever its variables are called; each receptacle's kind counts once."""
    atoms = {tuple(atom) for atom in _atoms(form)}
    return Counter(tuple("?" if term.startswith("?") else term for term in atom) for atom in atoms)
