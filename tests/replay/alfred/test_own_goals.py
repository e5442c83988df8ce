"""Goals of a user's own in text games, against the same goals in the simulated room."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.corpora.games import walk
from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Universe
from chorewright.domains.library import household_domain
from chorewright.domains.pddl.parser import parse_formula
from chorewright.domains.pddl.subformulas import conjuncts
from chorewright.errors import UnsupportedError
from chorewright.generator.household.spawning import elsewhere, spawn_request
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.rooms import load_room
from chorewright.problems.household.spawn import spawn
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.reading import OWN_TASK, parse_game
from chorewright.replay.alfred.scenes import own_game
from chorewright.replay.alfred.textworld import game_file, is_proven
from chorewright.replay.alfred.twin import Twin

GOALS = {
    "two parts": "(and (exists (?m - mug ?s - shelf) (in ?m ?s)) (exists (?a - apple ?f - fridge) (in ?a ?f)))",
    "all of a kind": "(forall (?m - mug) (exists (?s - (either countertop shelf)) (in ?m ?s)))",
    "at least": "(at-least 2 (?f - (either fork spoon)) (exists (?s - (either sinkbasin sink)) (in ?f ?s)))",
    "states": "(exists (?a - apple ?c - countertop) (and (in ?a ?c) (cool ?a) (not (hot ?a))))",
    "a door": "(forall (?x - (either fridge cabinet)) (not (is-open ?x)))",
    "in the hand": "(exists (?e - egg) (and (hot ?e) (holding ?e)))",
    "pieces in a vessel": "(exists (?p - potatosliced ?v - (either plate bowl) ?c - countertop)"
    " (and (in ?p ?v) (in ?v ?c)))",
    "different things": "(exists (?x ?y - (either cup mug)) (and (not (= ?x ?y))"
    " (exists (?f - fridge) (and (in ?x ?f) (in ?y ?f)))))",
}


def made(text: str, seed: int = 3) -> Game:
    """The game of a goal in a scattered kitchen."""
    room = load_room("FloorPlan10")
    goal = parse_formula(text, household_domain())
    scene = spawn(room, np.random.default_rng(seed), spawn_request(room, goal, elsewhere()))
    return own_game(scene, "mine", goal, "Do what I want.", f"mine-{seed}")


@pytest.mark.parametrize("seed", [3, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", GOALS)
def test_a_goal_holds_just_where_it_holds_in_the_room(name: str, seed: int) -> None:
    goal = parse_formula(GOALS[name], household_domain())
    play = TextGame(made(GOALS[name], seed))
    twin = Twin(play)
    universe = Universe.of(household_domain(), household_problem(twin.scene, goal).problem)
    reached = set()
    for command in walk(play, seed, 25):
        twin.step(command)
        assert twin.differences() == []
        assert play.won == holds(goal, twin.world.state(), universe), command
        parts = [holds(part, twin.world.state(), universe) for part in conjuncts(goal)]
        assert list(play.goal.conditions(play.state)) == parts
        reached.add(play.won)
    assert False in reached or name == "a door"
    for command in play.expert().commands() or []:
        twin.step(command)
        assert play.won == holds(goal, twin.world.state(), universe)
    assert play.won


@pytest.mark.parametrize("name", GOALS)
def test_a_game_file_says_the_goal(name: str) -> None:
    game = made(GOALS[name])
    assert is_proven(game)
    told = game_file(game, solvable=True)
    texts = [str(told[key]) for key in ("pddl_domain", "grammar", "pddl_problem")]
    again = parse_game("again", *texts, game.walkthrough)
    assert again.task == OWN_TASK
    assert again.sentence == "do what I want"
    play, copy = TextGame(game), TextGame(again)
    assert play.reset() == copy.reset()
    for command in game.walkthrough or ():
        assert not copy.won
        one, other = play.step(command), copy.step(command)
        assert (one.observation, one.terminated) == (other.observation, other.terminated)
        assert play.goal.conditions(play.state) == copy.goal.conditions(copy.state)
    assert copy.won


def test_only_what_needs_it_has_the_wider_rules() -> None:
    assert made(GOALS["pieces in a vessel"]).extended
    assert not made(GOALS["two parts"]).extended


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("(exists (?m - mug) (dirty ?m))", "no word for 'dirty'"),
        ("(exists (?m - mug) (and (hot ?m) (filled ?m)))", "no word for 'filled'"),
    ],
)
def test_what_games_have_no_word_for_is_named(goal: str, said: str) -> None:
    with pytest.raises(UnsupportedError, match=said):
        made(goal)


def test_a_goal_that_cannot_be_reached_has_no_walkthrough() -> None:
    game = made("(exists (?m - mug ?f - fridge) (and (in ?m ?f) (hot ?m) (cool ?m)))")
    assert game.walkthrough is None
    assert not is_proven(game)
