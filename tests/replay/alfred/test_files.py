"""Game files: written and read again they are the same game, older forms are understood, bad ones refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.corpora.games import TASKS, game_of, walk
from chorewright.domains.pddl.parser import parse_domain, parse_problem
from chorewright.errors import InputError, UnsupportedError
from chorewright.planner.plan import Plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import validate
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.problem import ASIDE, domain_text, efforts, problem_text, with_constants
from chorewright.replay.alfred.reading import parse_game, read_game
from chorewright.replay.alfred.textworld import game_file, grammar_text, pddl_plan


def read_again(game: Game) -> Game:
    """The game as its file says."""
    return parse_game(game.name, domain_text(game.extended), grammar_text(game), problem_text(game), game.walkthrough)


@pytest.mark.parametrize("task", TASKS)
def test_a_game_read_again_is_the_same(task: str) -> None:
    game = game_of(task)
    other = read_again(game)
    assert (other.task, other.sentence, other.names, other.extended) == (task, game.sentence, game.names, game.extended)
    ours, theirs = TextGame(game), TextGame(other)
    assert ours.reset() == theirs.reset()
    for command in walk(ours, 5, 80):
        assert ours.admissible() == theirs.admissible()
        assert ours.step(command) == theirs.step(command)


def test_older_forms_are_understood() -> None:
    game = game_of("pick_and_place_simple")
    grammar = grammar_text(game).replace("move {o} to {r}", "put {o} in/on {r}")
    play = TextGame(parse_game("", domain_text(False), grammar, problem_text(game)))
    turn = play.step(game.walkthrough[0])  # type: ignore[index]
    assert turn.observation.startswith("You arrive at loc ")
    commands = [each.replace("move", "put").replace(" to ", " in/on ") for each in game.walkthrough or ()]
    for command in commands:
        turn = play.step(command if command.startswith("put") else command.replace(" in/on ", " to "))
    assert turn.terminated
    assert turn.observation.startswith("You put the ")


BROKEN = [
    ("(:init", "(:start", "lacks :objects, :init or :goal"),
    ("(:goal (and", "(:goal (nor", "none of ALFWorld's task types"),
    ("(define", "((define", "not closed"),
    ("(atLocation agent1", "(holds agent1", "at one location"),
]


@pytest.mark.parametrize(("text", "other", "said"), BROKEN)
def test_broken_problems_are_refused(tmp_path: Path, text: str, other: str, said: str) -> None:
    document = game_file(game_of("pick_and_place_simple"), True)
    problem = str(document["pddl_problem"])
    assert text in problem
    path = tmp_path / "game.tw-pddl"
    path.write_text(json.dumps(document | {"pddl_problem": problem.replace(text, other)}), encoding="utf-8")
    with pytest.raises(InputError, match=said) as error:
        read_game(path)
    assert error.value.location is not None
    assert error.value.location.path == str(path)


def test_other_domains_are_refused(tmp_path: Path) -> None:
    document = game_file(game_of("pick_and_place_simple"), True)
    domain = str(document["pddl_domain"]).replace("OpenObject", "PryObject")
    path = tmp_path / "game.tw-pddl"
    path.write_text(json.dumps(document | {"pddl_domain": domain}), encoding="utf-8")
    with pytest.raises(UnsupportedError, match="pryobject"):
        read_game(path)
    path.write_text(json.dumps({"pddl_domain": ""}), encoding="utf-8")
    with pytest.raises(InputError, match="grammar"):
        read_game(path)


@pytest.mark.parametrize("task", ["pick_and_place_simple", "pick_heat_then_place_in_recep"])
def test_the_expert_is_not_longer_than_the_planners_plan(task: str) -> None:
    """Our planner on the game's own PDDL, as another way to the goal."""
    game = game_of(task, 2)
    domain, problem = with_constants(game)
    answer = solve(parse_domain(domain), parse_problem(problem, parse_domain(domain)))
    assert isinstance(answer, Plan)
    doing = [action for action in answer.actions if action.name not in ("look", "inventory", "help")]
    assert len(game.walkthrough or ()) <= len(doing)


@pytest.mark.parametrize("task", TASKS)
def test_what_the_walkthrough_handles_costs_a_step_and_all_else_more(task: str) -> None:
    """ALFWorld's planner searches by cost alone: with equal costs it finds no way in minutes, with these in seconds."""
    game = game_of(task, 2)
    domain, problem = with_constants(game)
    verdict = validate(parse_domain(domain), parse_problem(problem, parse_domain(domain)), tuple(pddl_plan(game)))
    assert verdict.valid
    assert verdict.cost == len(game.walkthrough or ())
    said = " ".join(game.walkthrough or ()) + " "
    dear = {ident for ident, effort in efforts(game) if effort > 1}
    for each, name in zip(game.receptacles, game.names.receptacles, strict=True):
        assert (each.ident in dear) == (f" {name} " not in said)
    goal = game.goal
    about = {goal.thing, goal.vessel, goal.lamp, goal.thing.removesuffix("Sliced"), "Egg" * ("Cracked" in goal.thing)}
    about |= {"Knife", "ButterKnife"} if "slice " in said else set()
    for thing, name in zip(game.things, game.names.things, strict=True):
        assert (thing.ident in dear) == (thing.kind not in about and f" {name} " not in said)
    assert dear
    without = dict(efforts(replace(game, walkthrough=None)))
    assert {without[each.ident] for each in game.receptacles} == {1}


def test_a_planner_goes_on_with_what_the_player_holds() -> None:
    """The goal asks for any thing of a kind: one that the walkthrough leaves alone is as good."""
    made = game_of("pick_heat_then_place_in_recep", 2)
    said = " ".join(made.walkthrough or ())
    named = enumerate(zip(made.things, made.names.things, strict=True))
    other = next(n for n, (thing, name) in named if thing.kind == made.goal.thing and f" {name} " not in said)
    start = replace(
        made.start,
        holds=other,
        lying=tuple(pair for pair in made.start.lying if pair[0] != other),
        spots=tuple(pair for pair in made.start.spots if pair[0] != other),
    )
    game = replace(made, start=start)
    domain, problem = with_constants(game)
    answer = solve(parse_domain(domain), parse_problem(problem, parse_domain(domain)))
    assert isinstance(answer, Plan)
    commands = TextGame(game).expert().commands() or []
    assert answer.cost == len(commands) < ASIDE
