"""Problems as they are played: against the validator's world and joins over all atoms, step by step."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.corpora.planning_tasks import competition_problems, competition_task
from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Facts, atom_text
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.planner.progression import applicable
from chorewright.replay.games.game import game_of
from chorewright.replay.games.play import PddlPlay
from chorewright.replay.games.running import OperatorTable, RunningProblem
from tests.planner.classic import CLASSIC
from tests.planner.small_tasks import small_task
from tests.planner.unusual import ADL, STRIPS

STEPS = 25


def smallest() -> list[tuple[str, str]]:
    """The first problem of each competition domain."""
    return list({domain: (domain, problem) for domain, problem in reversed(competition_problems())}.values())


def walk(domain: Domain, problem: Problem, seed: int) -> int:
    """Walk at random, compare all that can be asked at each step, and return how many steps there were."""
    running = RunningProblem(OperatorTable.of(domain, problem))
    table, world = running.table, running.table.world
    rng = np.random.default_rng(seed)
    state = world.initial()
    for step in range(STEPS):
        facts = Facts(state)
        actions = applicable(domain, world.universe, facts)
        assert tuple(table.operators[each] for each in running.runnable()) == actions
        assert running.state() == state
        assert running.solved == holds(problem.goal, facts, world.universe)
        if not actions:
            return step
        action = actions[int(rng.integers(len(actions)))]
        after = world.apply(action, state, facts)
        change = running.run(table.number(action))
        assert tuple(map(frozenset, change)) == (after - state, state - after)
        state = after
    start = world.initial()
    running.jump(start)
    assert tuple(table.operators[each] for each in running.runnable()) == applicable(
        domain, world.universe, Facts(start)
    )
    running.jump(state)
    assert running.state() == state
    return STEPS


@pytest.mark.parametrize(("domain", "problem"), smallest())
def test_competition_domains_run_as_the_validator_has_it(domain: str, problem: str) -> None:
    assert walk(*competition_task(domain, problem), seed=1) > 0


@pytest.mark.parametrize(
    "name",
    [
        *(f"{family}-{number}" for family in (*CLASSIC, *STRIPS, *ADL) for number in range(3)),
        *(f"bits-{number}" for number in (0, 1, 3)),  # nothing can be done in bits-2
        *(f"{family}-0" for family in ("carrying", "handmethat", "household")),
    ],
)
def test_small_domains_run_as_the_validator_has_it(name: str) -> None:
    assert walk(*small_task(name), seed=len(name)) > 0


@pytest.mark.parametrize(("domain", "problem"), smallest()[:6])
def test_schemas_that_are_not_put_in_beforehand_are_asked(
    domain: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chorewright.replay.games.running.MOST_OPERATORS", 3)
    assert walk(*competition_task(domain, problem), seed=2) > 0


def test_plays_share_a_table() -> None:
    """What one play has met does not change what another one sees, or its order."""
    domain, problem = competition_task("openstacks-opt08-adl", "p01.pddl")
    table = OperatorTable.of(domain, problem)
    first, second = RunningProblem(table), RunningProblem(table)
    for _ in range(5):
        first.run(first.runnable()[-1])
    alone = RunningProblem(OperatorTable.of(domain, problem))
    for _ in range(5):
        pair = [[each.table.operators[number] for number in each.runnable()] for each in (second, alone)]
        assert pair[0] == pair[1]
        second.run(second.runnable()[0])
        alone.run(alone.runnable()[0])


NUMERIC = """(define (domain vans) (:requirements :typing :numeric-fluents)
  (:types place) (:predicates (at ?p - place) (road ?p ?q - place)) (:functions (fuel) (length ?p ?q - place) (trips))
  (:action drive :parameters (?p ?q - place)
    :precondition (and (at ?p) (road ?p ?q) (>= (fuel) (length ?p ?q)))
    :effect (and (at ?q) (not (at ?p)) (decrease (fuel) (length ?p ?q)) (increase (trips) 1)))
  (:action fill :parameters (?p - place) :precondition (and (at ?p) (<= (fuel) 2)) :effect (increase (fuel) 1.5)))"""
TRIP = """(define (problem trip) (:domain vans) (:objects a b c - place)
  (:init (at a) (road a b) (road b a) (road b c) (road c b) (= (fuel) 1) (= (trips) 0)
         (= (length a b) 2) (= (length b a) 2) (= (length b c) 1.5) (= (length c b) 1.5))
  (:goal (and (at c) (>= (trips) 4))))"""


def test_numbers_run_as_the_validator_has_it() -> None:
    domain = parse_domain(NUMERIC)
    problem = parse_problem(TRIP, domain)
    assert walk(domain, problem, seed=5) == STEPS
    play = PddlPlay(game_of(domain, problem))
    play.reset()
    expert = play.expert()
    for _ in range(20):
        if (command := expert.command()) is None:
            break
        expert.follow(play.step(command).action)
    assert play.won
    assert "(= (trips) 4)" in [atom_text(each) for each in play.running.state()]


def test_what_is_deleted_and_added_at_once_is_added() -> None:
    domain = parse_domain(
        """(define (domain d) (:predicates (p ?x) (q ?x))
             (:action a :parameters (?x ?y) :precondition (p ?x)
                      :effect (and (not (p ?x)) (p ?y) (when (q ?y) (not (q ?x))))))"""
    )
    problem = parse_problem("(define (problem x) (:domain d) (:objects o u) (:init (p o)) (:goal (p u)))", domain)
    running = RunningProblem(OperatorTable.of(domain, problem))
    names = [str(running.table.operators[each]) for each in running.runnable()]
    assert names == ["(a o o)", "(a o u)"]
    change = running.run(running.runnable()[0])
    assert change == ((), ())
    assert not running.solved
    change = running.run(running.runnable()[1])
    assert change == ((("p", "u"),), (("p", "o"),))
    assert running.solved
