"""Walkthroughs proven on a game's own PDDL, by the plan validator."""

from __future__ import annotations

from collections.abc import Iterator

from chorewright.domains.pddl.parser import parse_domain, parse_problem
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import validate
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.state import Action, State
from chorewright.replay.alfred.writing import with_constants

AGENT = "agent1"


def proven(game: Game) -> bool:
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


def _pddl_action(state: State, action: Action) -> GroundAction:
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
