"""Text games of planning problems: any text is answered, the expert wins, commands mean one action each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.corpora.planning_tasks import competition_task
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.planner.plan import GroundAction
from chorewright.replay.games.game import game_of
from chorewright.replay.games.play import PddlPlay
from chorewright.rsa.words.files import parse_wordings
from tests.replay.games.test_running import smallest


def blocks() -> PddlPlay:
    domain, problem = competition_task("blocks", "probBLOCKS-4-1.pddl")
    return PddlPlay(game_of(domain, problem))


@pytest.mark.parametrize(("domain", "problem"), smallest())
def test_every_domain_plays_and_the_expert_wins(domain: str, problem: str) -> None:
    play = PddlPlay(game_of(*competition_task(domain, problem)))
    assert play.reset().isascii()
    commands = play.admissible()
    assert len(set(commands)) == len(commands) == len(play.applicable())
    expert = play.expert(1_500_000)
    steps = expert.actions()
    assert steps is not None
    for number in range(len(steps)):
        command = expert.command()
        assert command in play.admissible(), number
        turn = play.step(command)
        assert turn.action == steps[number]
        expert.follow(turn.action)
    assert play.won
    assert play.moves == len(steps)


@pytest.mark.parametrize(("domain", "problem"), smallest())
def test_each_admissible_command_does_its_action(domain: str, problem: str) -> None:
    play = PddlPlay(game_of(*competition_task(domain, problem)))
    play.reset()
    rng = np.random.default_rng(0)
    for _ in range(10):
        actions = play.applicable()
        if not actions:
            break
        place = int(rng.integers(len(actions)))
        turn = play.step(play.admissible()[place].upper() + ".")
        assert turn.action == actions[place]


def test_refusals_say_why() -> None:
    play = blocks()
    play.reset()
    words = {
        each: play.step(each).observation for each in ("(stack a b)", "stack a onto b", "fly", "(fly)", "(stack x)")
    }
    assert "not" in words["(stack a b)"]
    assert words["(stack a b)"] == words["stack a onto b"]
    assert words["fly"].startswith("Nothing happens.")
    assert "no action" in words["(fly)"]
    assert "takes 2 objects" in words["(stack x)"]
    assert play.moves == 0
    assert play.refused == 5
    assert play.act(GroundAction("stack", ("a", "b"))).action is None


def test_all_wordings_are_understood() -> None:
    domain = parse_domain(
        """(define (domain d) (:predicates (lit ?l)) (:action light :parameters (?l) :effect (lit ?l)))"""
    )
    words = parse_wordings(
        """(define (wordings d) (:domain d) (:say action (light ?l) "light ?l" "switch ?l on"))""", domain
    )
    text = "(define (problem p) (:domain d) (:objects lamp torch) (:init) (:goal (and (lit lamp) (lit torch))))"
    play = PddlPlay(game_of(domain, parse_problem(text, domain), words))
    play.reset()
    assert play.admissible() == ("light lamp", "light torch")
    assert play.step("Switch lamp on.").action == GroundAction("light", ("lamp",))
    assert play.step("light torch").terminated


def test_free_commands_change_nothing() -> None:
    play = blocks()
    play.reset()
    before = play.running.state()
    for command in ("look", "goal", "help", "examine a", "examine block a", "examine nothing"):
        assert play.step(command).observation
    assert (play.running.state(), play.moves) == (before, 0)
    assert "unstack b from c" in play.step("help").observation


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40) | st.sampled_from(["(", ")", "((a))", "(stack a b) ", "\x00", "examine ", "EXAMINE", ""]))
def test_any_text_is_answered(text: str) -> None:
    play = blocks()
    play.reset()
    assert play.step(text).observation


def test_actions_that_are_worded_alike_are_told_apart() -> None:
    domain = parse_domain(
        """(define (domain d) (:types hand thing) (:predicates (free ?h - hand) (held ?x - thing))
             (:action take :parameters (?h - hand ?x - thing) :precondition (free ?h)
                      :effect (and (held ?x) (not (free ?h)))))"""
    )
    objects, init = "(:objects l r - hand cup - thing)", "(:init (free l) (free r))"
    problem = parse_problem(f"(define (problem p) (:domain d) {objects} {init} (:goal (held cup)))", domain)
    game = game_of(domain, problem)

    plain = game.speaker

    class Curt:
        def __getattr__(self, name: str) -> object:
            return getattr(plain, name)

        def action(self, action: GroundAction) -> str:
            return f"take {action.arguments[1]}"

    object.__setattr__(game, "speaker", Curt())
    play = PddlPlay(game)
    play.reset()
    assert play.admissible() == ("take cup", "(take r cup)")
    turn = play.step("(take r cup)")
    assert turn.action == GroundAction("take", ("r", "cup"))
    assert turn.terminated
