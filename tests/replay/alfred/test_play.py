"""Text games played: what is said, what is admissible, why something is refused, and that nothing raises."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.corpora.games import TASKS, game_of, walk
from chorewright.replay.alfred.game import GameNames, load_forms
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.reading import parse_game
from chorewright.replay.alfred.textworld import facts, game_file, is_proven

NOTHING = "Nothing happens."


@pytest.mark.parametrize("state", ["", "heat"])
def test_a_goal_of_a_cut_thing_is_reached_when_the_pddl_says_so(state: str) -> None:
    """As in ALFWorld's own games, where what is cut stays one thing."""
    made = game_of("pick_heat_then_place_in_recep", 2)
    game = replace(made, goal=replace(made.goal, state=state, sliced=True))
    play = TextGame(game)
    commands = play.expert().commands() or ()
    for number, command in enumerate(commands, 1):
        play.step(command)
        assert play.won == is_proven(replace(game, walkthrough=tuple(commands[:number])))
    assert play.won


@pytest.mark.parametrize("task", TASKS)
def test_the_expert_wins(task: str) -> None:
    for seed in range(5):
        game = game_of(task, seed)
        play = TextGame(game)
        assert game.walkthrough is not None
        for number, command in enumerate(game.walkthrough):
            assert not play.won
            assert command in play.admissible()
            turn = play.step(command)
            assert not turn.reason
            assert turn.terminated == (number == len(game.walkthrough) - 1) == play.won
        assert all(play.goal.conditions(play.state))


@pytest.mark.parametrize("task", TASKS)
def test_the_expert_wins_from_wherever_a_random_walk_leads(task: str) -> None:
    for seed in range(4):
        play = TextGame(game_of(task, seed))
        expert = play.expert()
        for command in walk(play, seed, 60):
            expert.follow(play.step(command).action)
        if play.won:
            continue
        plan = expert.commands()
        assert plan is not None
        for number, command in enumerate(plan):
            assert expert.commands() == plan[number:]
            expert.follow(play.step(command).action)
        assert play.won


@pytest.mark.parametrize("task", TASKS)
def test_walks_keep_the_state_whole(task: str) -> None:
    """Nothing is in two places, what is held is nowhere else, and each thing is told of where it lies."""
    play = TextGame(game_of(task))
    for command in walk(play, 1, 150):
        turn = play.step(command)
        assert turn.observation
        assert not turn.reason
        state = play.state
        for thing in range(len(play.game.things)):
            places = sum(thing in each for each in state.lying) + sum(thing in each for each in state.within.values())
            assert places + (state.holds == thing) <= 1
        told = [str(fact) for fact in facts(play)]
        assert len(told) == len(set(told))
        lying = {
            f"inreceptacle({play.names.things[thing]}: object, {play.names.receptacles[home]}: receptacle)"
            for home, things in enumerate(state.lying)
            for thing in things
        }
        assert lying == {each for each in told if each.startswith("inreceptacle(")}


@given(st.text(max_size=40))
def test_no_text_raises(text: str) -> None:
    play = TextGame(game_of("pick_heat_then_place_in_recep"), reasons=True)
    before = play.admissible()
    turn = play.step(text)
    assert turn.observation
    if play.refused:
        assert turn.observation.startswith(NOTHING)
        assert turn.reason
        assert play.admissible() == before


VERBS = ("go to {}", "open {}", "close {}", "take {} from {}", "move {} to {}", "put {} into {}", "use {}")
VERBS += ("clean {} with {}", "heat {} with {}", "cool {} with {}", "slice {} with {}", "examine {}")


@pytest.mark.parametrize("task", ["pick_and_place_with_movable_recep", "pick_heat_then_place_in_recep_sliced"])
def test_every_command_about_every_pair_is_done_or_has_a_reason(task: str) -> None:
    play = TextGame(game_of(task), reasons=True)
    names = [*play.names.receptacles[::4], *play.names.things[::4], "unicorn 1"]
    for _ in walk(play, 3, 3):
        for verb in VERBS:
            for one in names:
                for other in names if verb.count("{}") == 2 else ("",):
                    command = verb.format(one, other)
                    if command not in play.admissible():
                        turn = play.step(command)
                        assert turn.action is None
                        assert turn.observation == f"{NOTHING} {turn.reason}"
                        assert turn.reason


REASONS = [
    ("dance", '"dance" is no command; help lists them.'),
    ("go to unicorn 1", "There is no unicorn 1."),
    ("open fridge 1", "You are not at the fridge 1."),
    ("clean plate 1 with sinkbasin 1", "You are not carrying the plate 1."),
    ("take fridge 1 from sinkbasin 1", "The fridge 1 cannot be picked up."),
]


@pytest.mark.parametrize(("command", "reason"), REASONS)
def test_reasons(command: str, reason: str) -> None:
    play = TextGame(game_of("pick_clean_then_place_in_recep", 4))
    names = {*play.names.things, *play.names.receptacles}
    if {"fridge 1", "sinkbasin 1", "plate 1"} <= names:
        turn = play.step(command)
        assert (turn.observation, turn.reason) == (NOTHING, reason)


def test_names_dealt_at_random_are_the_same_names() -> None:
    import numpy as np

    game = game_of("pick_and_place_simple")
    play = TextGame(game, names=GameNames.of(game, np.random.default_rng(1)))
    again = TextGame(game, names=GameNames.of(game, np.random.default_rng(1)))
    assert play.names == again.names != game.names
    assert sorted(play.names.things) == sorted(game.names.things)
    plan = play.expert().commands()
    assert plan is not None
    for command in plan:
        play.step(command)
    assert play.won


@pytest.mark.parametrize("older", [False, True])
def test_other_spellings_of_a_command_are_understood_where_they_are_asked_for(older: bool) -> None:
    game = replace(game_of("pick_and_place_simple"), forms=load_forms(older))
    plan = TextGame(game).expert().commands() or []
    put = plan[-1]
    thing, home = re.split(" in/on | to ", put.removeprefix("put ").removeprefix("move "))
    others = [
        f"put {thing} in {home}",
        f"Put {thing} on {home}.",
        f"PLACE  {thing} into {home}",
        f"move {thing} to {home}",
    ]
    others += [f"put {thing} in/on {home}", f" {put}! "]
    for command in others:
        for spellings in (True, False):
            play = TextGame(game, spellings=spellings)
            for each in plan[:-1]:
                play.step(each)
            assert play.step(command).terminated == (spellings or command.strip() == put), command
            assert play.refused == (not play.won)


def test_other_spellings_are_those_of_what_can_be_done() -> None:
    game = game_of("pick_and_place_simple")
    play = TextGame(game, spellings=True)
    for command in ("put it in there", "put in", "take the moon from shelf 1", "l" * 5000, "examine", ""):
        assert "Nothing happens" in play.step(command).observation
    assert play.step("look around").observation == TextGame(game).step("look").observation


def test_only_what_is_held_can_be_examined_but_where_the_game_says_otherwise() -> None:
    game = game_of("pick_and_place_simple")
    things = set(game.names.things)
    for lying in (False, True):
        play = TextGame(replace(game, examines_lying=lying))
        examined = set()
        for command in play.expert().commands() or []:
            play.step(command)
            held = {play.names.things[play.state.holds]} if play.state.holds is not None else set()
            named = {
                each.removeprefix("examine ") for each in play.admissible() if each.startswith("examine ")
            } & things
            assert named >= held
            examined |= named - held
        assert bool(examined) == lying


def test_the_domain_says_what_can_be_examined() -> None:
    game = game_of("pick_and_place_simple")
    parts = game_file(game, True)
    texts = [str(parts[key]) for key in ("pddl_domain", "grammar", "pddl_problem")]
    rule = "(or (holds ?a ?o) (exists (?l - location{} ?r - receptacle) (inReceptacle ?o ?r)))"
    for precondition, lying in (("(holds ?a ?o)", False), (rule.format(""), True), (rule.format(","), False)):
        domain = texts[0].replace(":precondition (holds ?a ?o)", f":precondition {precondition}", 1)
        assert parse_game("x", domain, *texts[1:]).examines_lying == lying
